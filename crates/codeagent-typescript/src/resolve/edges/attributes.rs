//! The members of a component's props that the attributes of a JSX element set.
//!
//! A function of an absent package that is given a class or a function with JSX (`observer(Panel)`,
//! `connect(state)(Panel)`) is taken to return a component with the same props; the members are then
//! marked `inferred`.

use codeagent_lang::ExprRef;
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type};
use crate::resolve::edges::FileResolver;
use crate::resolve::edges::targets::Referent;
use crate::resolve::symbols::modules::ResolvedName;

/// Maximum number of names and calls that lead from an element to the component that is wrapped.
const MAX_STEPS: u32 = 8;

impl FileResolver<'_> {
    pub(super) fn resolve_attribute(&self, component: ExprId, name: Sym) -> Referent {
        let component = self.file.expr(component);
        let ty = self.type_of_expr(component);
        let referent = self.resolve_key_of(self.props_of(ty), name);
        if !ty.is_opaque() {
            return referent;
        }

        let wrapped = self.wrapped_component(component, 0);
        match wrapped.map(|ty| self.resolve_key_of(self.props_of(ty), name)) {
            Some(Referent::Decls(decls)) => Referent::Likely(decls),
            _ => referent,
        }
    }

    /// Returns the type of the component that a value of unknown type wraps.
    fn wrapped_component(&self, value: ExprRef, step: u32) -> Option<Ty> {
        let ty = self.type_of_expr(value);
        if !ty.is_opaque() {
            let is_component = match self.get(ty) {
                Type::Function(decl, _) => self.decl(decl).flags.has(DeclFlags::RETURNS_JSX),
                Type::Static(_) => true,
                _ => false,
            };
            return Some(ty).filter(|_| is_component);
        }
        if step == MAX_STEPS {
            return None;
        }

        let ExprRef { file, expr } = value;
        let facts = self.facts(file);
        match facts.expr(expr) {
            Expr::Name(..) => {
                let ResolvedName::Decls(decls) = self.resolve_bare_name(value) else {
                    return None;
                };
                let [decl] = decls[..] else { return None };
                let init = self.decl(decl).init.some()?;
                self.wrapped_component(decl.file.expr(init), step + 1)
            }
            Expr::Call(call) => {
                let call = &facts.calls[call.index()];
                if !self.type_of_expr(file.expr(call.callee)).is_opaque() {
                    return None;
                }
                let mut args = facts.list(call.args).iter();
                args.find_map(|arg| self.wrapped_component(file.expr(arg.value), step + 1))
            }
            _ => None,
        }
    }
}
