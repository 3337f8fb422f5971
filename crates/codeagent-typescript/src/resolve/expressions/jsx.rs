//! The props of JSX components, and the type arguments that the attributes of an element determine
//! (handbook, JSX: "Attribute type checking").
//!
//! Limitations: an attribute determines no type argument for its own lambdas. Spread attributes and
//! children determine none.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, ExprRef};
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type};
use crate::resolve::checker::Checker;
use crate::resolve::expressions::calls::CallSite;
use crate::resolve::expressions::inference::Inference;
use crate::resolve::types::members::MemberLookup;
use crate::resolve::types::signatures::Signature;

impl Checker<'_> {
    /// Returns the expected type of an element's attribute.
    pub fn type_of_attribute(&self, component: ExprRef, name: Name) -> Ty {
        let ty = self.type_of_expr(component);
        let generic = self.tables.element(component.file, component.expr);
        let generic = generic.and_then(|call| {
            let site = CallSite {
                file: component.file,
                call,
            };
            self.type_in_generic_element(ty, site, name)
        });
        generic.unwrap_or_else(|| self.type_of_member(self.props_of(ty), name))
    }

    /// Returns the expected type of an attribute of a generic function component.
    fn type_in_generic_element(&self, component: Ty, site: CallSite, name: Name) -> Option<Ty> {
        let signature @ Signature::Declared(decl, _) =
            self.signature_of_element(component, site)?
        else {
            return None;
        };
        let params = self.type_params(decl);
        if params.is_empty() {
            return None;
        }

        let props = self.signature_params(signature).first()?.ty;
        let written = self.call_type_args(site);
        let mut bindings: Vec<(DeclRef, Ty)> = params.iter().copied().zip(written).collect();
        if bindings.is_empty() {
            let mut inference = Inference::new(&params, false);
            for arg in self.call_args(site) {
                let attribute = self.name(site.file, arg.name);
                if attribute == name || self.is_untyped_lambda_expr(site.file, arg.value) {
                    continue;
                }
                let wanted = self.type_of_member(props, attribute);
                let given = self.type_of_expr(site.file.expr(arg.value));
                self.infer_from_types(wanted, given, &mut inference, 0);
            }
            bindings = inference.finish();
        }

        self.add_defaults(&params, &mut bindings);
        let bound = self.arena.mapper(bindings);
        Some(self.type_of_member(self.substitute(props, bound), name))
    }

    /// Returns the first signature of a component whose props have all attributes of an element.
    fn signature_of_element(&self, component: Ty, site: CallSite) -> Option<Signature> {
        let signatures = self.signatures(component);
        if signatures.len() <= 1 {
            return signatures.first().copied();
        }

        let args = self.call_args(site);
        let takes_all = |signature: &&Signature| {
            let params = self.signature_params(**signature);
            params.first().is_some_and(|props| {
                let has = |arg: &Arg| {
                    let name = self.name(site.file, arg.name);
                    self.lookup_member(props.ty, name) != MemberLookup::Missing
                };
                args.iter().all(has)
            })
        };
        signatures
            .iter()
            .find(takes_all)
            .or(signatures.first())
            .copied()
    }

    /// Returns the type of a component's props.
    pub fn props_of(&self, component: Ty) -> Ty {
        if component == Ty::EXTERNAL {
            return Ty::EXTERNAL;
        }

        if let Type::Static(_) = self.get(component) {
            let instance = self.instance_of(component, &[]);
            let name = self.tables.find("props");
            let props = self.type_of_member(instance, name);
            return if props.is_opaque() {
                self.first_base_arg(instance)
            } else {
                props
            };
        }

        let Some(signature) = self.signatures(component).first().copied() else {
            return Ty::UNKNOWN;
        };

        self.signature_params(signature)
            .first()
            .map_or(Ty::UNKNOWN, |param| param.ty)
    }

    /// Returns `P` of `class C extends React.Component<P>`, whose declaration is external.
    fn first_base_arg(&self, instance: Ty) -> Ty {
        let Type::Instance(decl, _) = self.get(instance) else {
            return Ty::EXTERNAL;
        };

        let facts = self.facts(decl.file);
        let declaration = facts.decl(decl.decl);
        let extended = facts
            .list(declaration.bases)
            .iter()
            .find(|base| base.clause == BaseClause::Extends);

        let args = extended.map(|base| match facts.type_expr(base.ty) {
            TypeExpr::Name(segments, _) => facts
                .list(segments)
                .last()
                .map_or(List::default(), |segment| segment.args),
            TypeExpr::Heritage(_, args) => args,
            _ => List::default(),
        });
        let first = args.and_then(|args| facts.list(args).first().copied());
        first.map_or(Ty::EXTERNAL, |ty| self.type_of(decl.file, ty))
    }
}
