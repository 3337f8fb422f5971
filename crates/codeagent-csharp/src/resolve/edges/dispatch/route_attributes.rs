//! Routes by attributes that the repository declares: `[ApiV1]` for `RouteAttribute` with
//! `api/v1/[controller]`, `[PutById]` for `HttpPutAttribute` with `{id}`.
//!
//! The template is the text of the property `Template`, or the only text with a slash in a class of
//! the attribute, or the first argument that its constructors hand to ASP.NET's. Constant arguments
//! are followed from the attribute through `: base(..)`. They take the places of the parameters in the
//! template.
//!
//! Limitations: the attribute's classes are named `..Attribute`. One constructor of a class is read, the
//! first that may take the arguments. What is no literal may be anything.

use codeagent_lang::DeclRef;
use codeagent_model::dispatch::VERBS;
use codeagent_model::facts::{
    CallId, DeclFlags, DeclId, Expr, ExprId, Facts, LiteralKind, SiteKind, Subject, TypeId,
};
use codeagent_model::graph::Confidence;
use codeagent_model::span::Span;

use super::Fit;
use super::frameworks::{ROUTE, verb_of_attribute};
use super::routes::{Prefix, attributes};
use crate::lower::is_attribute_class;
use crate::resolve::edges::SiteResolver;
use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::TypeDefId;
use crate::resolve::types::{Ty, Type};

/// The types of ASP.NET that make an attribute a route.
const PROVIDERS: &[&str] = &["RouteAttribute", "IRouteTemplateProvider"];

/// The type of ASP.NET whose property has the verbs of an attribute.
const METHOD_PROVIDERS: &[&str] = &["IActionHttpMethodProvider"];

/// The properties of these types.
const TEMPLATE: &str = "Template";
const METHODS: &str = "HttpMethods";

/// What a text without a template stands for.
const CONTROLLER: &str = "[controller]";

/// The names of a constructor's parameters with their constant values.
type Values = Vec<(String, Option<String>)>;

/// The route of a method by an attribute of the repository.
pub(super) struct OwnRoute {
    pub verb: &'static str,
    pub template: String,
}

impl SiteResolver<'_> {
    /// Returns the prefixes that attributes of the repository give a class of this file.
    pub(super) fn own_prefixes(&self, class: DeclId) -> Vec<Prefix> {
        let given: Vec<(TypeId, CallId)> = attributes(self.facts, class)
            .map(|(_, ty, call)| (ty, call))
            .collect();

        let prefixes = given.into_iter().filter_map(|(attribute, call)| {
            let ty = self.type_of_attribute(attribute)?;
            self.declaration_of(ty)?;
            let is_route = self.fits(ty, PROVIDERS) == Fit::Exact;
            Some(Prefix {
                path: is_route.then(|| self.own_template(ty, call))??,
                confidence: Confidence::Inferred,
            })
        });

        prefixes.collect()
    }

    /// Returns the route that an attribute of the repository gives a method.
    pub(super) fn own_route(&self, attribute: TypeId, call: CallId) -> Option<OwnRoute> {
        let ty = self.type_of_attribute(attribute)?;
        self.declaration_of(ty)?;
        Some(OwnRoute {
            verb: self.own_verb(ty)?,
            template: self.own_template(ty, call).unwrap_or_default(),
        })
    }

    /// Returns the verb of an attribute of the repository.
    fn own_verb(&self, attribute: Ty) -> Option<&'static str> {
        let bases = self.supertypes(attribute);
        let names = bases.iter().filter_map(|ty| self.type_name(*ty));
        let verbs: Vec<&str> = names
            .filter(|name| name.strip_suffix("Attribute") != Some(ROUTE))
            .filter_map(verb_of_attribute)
            .collect();

        if let [verb] = verbs.as_slice() {
            return Some(verb);
        }
        if self.fits(attribute, METHOD_PROVIDERS) != Fit::Exact {
            return None;
        }

        let tid = self.own_classes(attribute).next()?;
        let texts = self.texts_of(tid, METHODS);
        let mut verbs = VERBS.into_iter().filter(|verb| texts.contains(verb));
        verbs.next().filter(|_| texts.len() == 1)
    }

    /// Returns the template of an attribute of the repository that is used with some arguments.
    fn own_template(&self, attribute: Ty, call: CallId) -> Option<String> {
        let mut given = constants(self.facts, call, &Values::new());
        for tid in self.own_classes(attribute) {
            let constructor = self.constructor_taking(tid, given.len());
            let values = constructor.map_or_else(Values::new, |found| self.values(found, given));
            let texts = self.texts_of(tid, TEMPLATE);
            let texts = match texts.as_slice() {
                [] => self.paths_in(tid),
                _ => texts,
            };
            match texts.as_slice() {
                [] => {}
                [written] => return Some(filled(written, &values)),
                _ => return None,
            }
            given = constructor.map_or_else(Vec::new, |found| self.handed_on(found, &values));
        }

        given.into_iter().next().flatten()
    }

    /// Returns the classes of an attribute that the repository declares, from the attribute's own on.
    fn own_classes(&self, attribute: Ty) -> impl Iterator<Item = TypeDefId> {
        let chain = self.class_chain(attribute);
        let classes = (0..chain.len()).map(move |at| chain[at]);
        classes.map_while(|ty| match self.arena.get(ty) {
            Type::Named(tid, _) if is_attribute_class(self.type_name(ty)?) => {
                self.declaration_of(ty)?;
                let name = self.tables.type_def(tid).name;
                self.record_type_lookup(tid, provided_keys::ALL_MEMBERS, name);
                Some(tid)
            }
            _ => None,
        })
    }

    /// Returns the texts in the property of a class with a name.
    fn texts_of(&self, tid: TypeDefId, property: &str) -> Vec<&str> {
        let members = self.type_def(tid).members.iter();
        let named =
            members.filter(|member| self.facts(member.file).decl_name(member.decl) == property);
        named
            .filter_map(|member| {
                let facts = self.facts(member.file);
                Some((facts, facts.detail(member.decl)?.span))
            })
            .flat_map(|(facts, span)| texts_within(facts, span))
            .collect()
    }

    /// Returns the texts with a slash in a class, each once.
    fn paths_in(&self, tid: TypeDefId) -> Vec<&str> {
        let parts = self.type_def(tid).parts.iter();
        let texts = parts
            .filter_map(|part| {
                let facts = self.facts(part.file);
                Some((facts, facts.detail(part.decl)?.span))
            })
            .flat_map(|(facts, span)| texts_within(facts, span));
        let mut paths: Vec<&str> = texts.filter(|text| text.contains('/')).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Returns the first constructor of a class that may take a number of arguments.
    fn constructor_taking(&self, tid: TypeDefId, count: usize) -> Option<DeclRef> {
        let mut constructors = self.type_def(tid).constructors.iter();
        let takes = |constructor: &&DeclRef| {
            let facts = self.facts(constructor.file);
            let params = facts.list(facts.decl(constructor.decl).params);
            let needed = params
                .iter()
                .filter(|param| !facts.decl(**param).flags.has(DeclFlags::OPTIONAL));
            (needed.count()..=params.len()).contains(&count)
        };
        constructors.find(takes).copied()
    }

    /// Returns the values of a constructor's parameters for some arguments, else their defaults.
    fn values(&self, constructor: DeclRef, given: Vec<Option<String>>) -> Values {
        let facts = self.facts(constructor.file);
        let params = facts.list(facts.decl(constructor.decl).params);
        let mut given = given.into_iter();
        let value = |param: &DeclId| {
            let default = || constant(facts, facts.decl(*param).init, &Values::new());
            let value = given.next().unwrap_or_else(default);
            (facts.decl_name(*param).to_owned(), value)
        };
        params.iter().map(value).collect()
    }

    /// Returns the constant arguments that a constructor hands to that of its base class.
    fn handed_on(&self, constructor: DeclRef, values: &Values) -> Vec<Option<String>> {
        let facts = self.facts(constructor.file);
        let mut sites = facts.sites.iter();
        let call = sites.find_map(|site| match (site.kind, site.subject) {
            (SiteKind::BaseInit, Subject::Construct(_, call)) if site.owner == constructor.decl => {
                Some(call)
            }
            _ => None,
        });
        call.map_or_else(Vec::new, |call| constants(facts, call, values))
    }
}

/// Returns the texts on the lines of a declaration.
fn texts_within(facts: &Facts, span: Span) -> impl Iterator<Item = &str> {
    let literals = facts.literals.iter();
    literals
        .filter(move |literal| (span.start.line..=span.end_line).contains(&literal.line))
        .map(|literal| facts.text(literal.text))
}

/// Returns the constant values of the positional arguments of a call.
fn constants(facts: &Facts, call: CallId, values: &Values) -> Vec<Option<String>> {
    let call = call.some().and_then(|call| facts.calls.get(call.index()));
    let args = call.map_or(&[][..], |call| facts.list(call.args));
    args.iter()
        .filter(|arg| arg.name.is_none())
        .map(|arg| constant(facts, arg.value, values))
        .collect()
}

/// Returns the constant value of an expression, in which parameters have some values.
fn constant(facts: &Facts, value: ExprId, values: &Values) -> Option<String> {
    if value.is_none() {
        return None;
    }
    match facts.expr(value) {
        Expr::Literal(LiteralKind::String | LiteralKind::Number, text) if !text.is_none() => {
            Some(facts.text(text).to_owned())
        }
        Expr::Name(name, ..) => {
            let name = facts.text(name);
            let value = values.iter().find(|(known, _)| known == name);
            value.and_then(|(_, value)| value.clone())
        }
        _ => None,
    }
}

/// Puts values in the places of parameters in a template. A last placeholder without a value stands
/// for the name of the controller.
fn filled(written: &str, values: &Values) -> String {
    let mut path = written.to_owned();
    for (name, value) in values {
        if let Some(value) = value {
            path = path.replace(&format!("{{{name}}}"), value);
        }
    }

    let last = values.last().map(|(name, _)| format!("{{{name}}}"));
    match last {
        Some(last) if path.ends_with(&last) => {
            format!("{}{CONTROLLER}", &path[..path.len() - last.len()])
        }
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_in_a_template_have_the_values_of_arguments() {
        let value = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));

        for (written, values, expected) in [
            ("api/v1/[controller]", vec![], "api/v1/[controller]"),
            (
                "api/v{version}/{resource}",
                vec![
                    value("version", Some("5")),
                    value("resource", Some("queue")),
                ],
                "api/v5/queue",
            ),
            (
                "api/v{version}/{resource}",
                vec![value("version", None), value("resource", None)],
                "api/v{version}/[controller]",
            ),
            ("{id}", vec![value("name", Some("x"))], "{id}"),
        ] {
            assert_eq!(filled(written, &values), expected);
        }
    }
}
