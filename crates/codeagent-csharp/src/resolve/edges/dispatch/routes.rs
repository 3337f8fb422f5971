//! Routes: the methods and functions that answer requests.

use codeagent_lang::{DeclRef, Dispatch, DispatchEnd};
use codeagent_model::dispatch::{ANY_VERB, DispatchKind};
use codeagent_model::facts::{
    CallId, DeclFlags, DeclId, DeclKind, Expr, ExprId, Facts, LiteralKind, Site, SiteKind, Subject,
    TypeExpr, TypeId,
};
use codeagent_model::graph::Confidence;

use super::frameworks::{ANSWERING, CONFIGURE, GROUP, ROUTERS, verb_of_attribute};
use super::{CallSite, Fit};
use crate::resolve::edges::SiteResolver;
use crate::resolve::types::Type;

/// Placeholder for a path that is not a literal.
pub(super) const UNKNOWN_PATH: &str = "?";

/// Calls that are followed from a route to its group.
const MAX_CHAIN: usize = 24;

/// What stands before the routes of a class's methods.
pub(super) struct Prefix {
    pub path: String,
    pub confidence: Confidence,
}

/// The prefix of the routes mapped on a value.
pub(super) struct GroupPrefix {
    pub path: String,
    pub base: GroupBase,
}

/// What the groups of a prefix are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupBase {
    /// The application, so the prefix is whole.
    App,
    /// A router or group that may have a prefix of its own.
    Router,
    /// A group whose prefix is not a literal.
    Cut,
    Unknown,
}

impl Prefix {
    fn written(path: String) -> Self {
        Self {
            path,
            confidence: Confidence::Exact,
        }
    }
}

impl Default for Prefix {
    fn default() -> Self {
        Self::written(String::new())
    }
}

impl SiteResolver<'_> {
    /// Records a method whose attribute is a route.
    pub(super) fn record_route(
        &self,
        site: &Site,
        attribute: TypeId,
        call: CallId,
        found: &mut Vec<Dispatch>,
    ) {
        let facts = self.facts;
        let method = facts.decl(site.owner);
        if method.kind != DeclKind::Method {
            return;
        }
        let Some(class) = facts.scope(method.scope).owner.some() else {
            return;
        };

        self.stack.begin_site();
        let Some((verb, template, confidence)) = self.written_route(site, attribute, call) else {
            return;
        };

        let prefixes = if template.starts_with(['/', '~']) {
            vec![Prefix::default()]
        } else {
            self.prefixes(class)
        };

        for prefix in prefixes {
            let path = join(&prefix.path, &template);
            if path.is_empty() {
                continue;
            }

            let path = path
                .replace("[controller]", controller(facts.decl_name(class)))
                .replace("[action]", &self.action(site.owner));
            found.push(Dispatch {
                kind: DispatchKind::Serves,
                source: DispatchEnd::from(DeclRef {
                    file: self.file,
                    decl: class,
                }),
                target: DispatchEnd::from(DeclRef {
                    file: self.file,
                    decl: site.owner,
                }),
                label: format!("{verb} /{}", path.trim_start_matches(['~', '/'])),
                at: site.at,
                confidence: prefix.confidence.min(confidence),
            });
        }
    }

    /// Returns the verb and template that an attribute of a method has.
    fn written_route(
        &self,
        site: &Site,
        attribute: TypeId,
        call: CallId,
    ) -> Option<(&'static str, String, Confidence)> {
        let declared = self.type_of_attribute(attribute);
        if declared.is_some_and(|ty| self.declaration_of(ty).is_some()) {
            let own = self.own_route(attribute, call)?;
            return Some((own.verb, own.template, Confidence::Inferred));
        }

        let verb = verb_of_attribute(last_name(self.facts, attribute))?;
        let template = template(self.facts, call);
        // The verb alone, if another attribute of the method has the template.
        if template.is_none() && verb != ANY_VERB && self.has_own_route(site) {
            return None;
        }
        let verb = match verb {
            ANY_VERB => self.other_verb(site).unwrap_or(ANY_VERB),
            verb => verb,
        };
        Some((verb, template.unwrap_or_default(), Confidence::Exact))
    }

    /// Returns what `[action]` stands for: the name of a method, or the one that `[ActionName]` gives it.
    fn action(&self, method: DeclId) -> String {
        let facts = self.facts;
        let given = attributes(facts, method)
            .find(|(_, ty, _)| last_name(facts, *ty) == "ActionName")
            .and_then(|(.., call)| template(facts, call));
        given.unwrap_or_else(|| facts.decl_name(method).to_owned())
    }

    /// Returns the other route attributes of a site's method.
    fn beside(&self, site: &Site) -> impl Iterator<Item = (&'static str, CallId)> {
        let facts = self.facts;
        attributes(facts, site.owner)
            .filter(move |(other, ..)| other.at != site.at)
            .filter_map(|(_, ty, call)| Some((verb_of_attribute(last_name(facts, ty))?, call)))
    }

    fn has_own_route(&self, site: &Site) -> bool {
        self.beside(site)
            .any(|(verb, call)| verb == ANY_VERB && template(self.facts, call).is_some())
    }

    fn other_verb(&self, site: &Site) -> Option<&'static str> {
        self.beside(site)
            .map(|(verb, _)| verb)
            .find(|verb| *verb != ANY_VERB)
    }

    /// Returns the routes of a class or, if it has none, of its nearest base class with one.
    fn prefixes(&self, class: DeclId) -> Vec<Prefix> {
        let none = || vec![Prefix::default()];
        let Some(&tid) = self.table.types.get(&class) else {
            return none();
        };

        for &ty in self.class_chain(self.self_type(tid)).iter() {
            let Type::Named(tid, _) = self.arena.get(ty) else {
                continue;
            };
            let group = self.type_def(tid);
            if group.external {
                break;
            }

            let mut routes = Vec::new();
            for part in &group.parts {
                let facts = self.facts(part.file);
                routes.extend(
                    attributes(facts, part.decl)
                        .filter(|(_, ty, _)| {
                            verb_of_attribute(last_name(facts, *ty)) == Some(ANY_VERB)
                        })
                        .filter_map(|(_, _, call)| template(facts, call))
                        .map(Prefix::written),
                );
                if part.file == self.file {
                    routes.extend(self.own_prefixes(part.decl));
                }
            }

            if !routes.is_empty() {
                return routes;
            }
        }

        none()
    }

    /// Records `MapGet("..", handler)`.
    pub(super) fn record_mapped(
        &self,
        at: CallSite<'_>,
        verb: &'static str,
        found: &mut Vec<Dispatch>,
    ) {
        let fit = self.receiver_fits(at.call, ROUTERS);
        if fit == Fit::Other {
            return;
        }
        let call = self.facts.calls[at.call.index()];
        let args = self.facts.list(call.args);
        let handler = args.iter().find_map(|arg| {
            let answering = self.forwarded(at, arg.value).map(DispatchEnd::from);
            answering.or_else(|| self.handler(at.site, arg.value))
        });
        let Some(target) = handler else {
            return;
        };

        let pattern = args
            .iter()
            .find_map(|arg| self.path_text(arg.value, at.site.at.line));
        let Expr::Member(receiver, _) = self.facts.expr(call.callee) else {
            return;
        };
        let group = self.group_prefix(receiver);
        let path = join(&group.path, &pattern.clone().unwrap_or_default());
        let has_other_pattern = pattern.is_none() && (args.len() > 1 || path.is_empty());
        let path = if has_other_pattern {
            UNKNOWN_PATH.to_owned()
        } else if group.base == GroupBase::Cut {
            path.trim_start_matches('/').to_owned()
        } else {
            format!("/{}", path.trim_start_matches('/'))
        };
        let is_certain = fit == Fit::Exact && group.base == GroupBase::App && pattern.is_some();
        found.push(Dispatch {
            kind: DispatchKind::Serves,
            source: DispatchEnd::Around(at.site.owner),
            target,
            label: format!("{verb} {path}"),
            at: at.site.at,
            confidence: if is_certain {
                Confidence::Exact
            } else {
                Confidence::Inferred
            },
        });
    }

    /// Records `Get("..")` in the method of an endpoint class that names its routes.
    pub(super) fn record_endpoint(
        &self,
        at: CallSite<'_>,
        verb: &'static str,
        found: &mut Vec<Dispatch>,
    ) {
        let facts = self.facts;
        let class = facts.decl(at.site.owner).scope;
        if facts.decl_name(at.site.owner) != CONFIGURE || self.calls_own_method(at.call) {
            return;
        }
        let is_answering = |id: &DeclId| {
            facts.decl(*id).scope == class && ANSWERING.contains(&facts.decl_name(*id))
        };
        let Some(answering) = facts.decl_ids().find(is_answering) else {
            return;
        };

        let call = facts.calls[at.call.index()];
        for arg in facts.list(call.args) {
            if let Some(path) = self.path_text(arg.value, at.site.at.line) {
                let target = DeclRef {
                    file: self.file,
                    decl: answering,
                };
                found.push(Dispatch {
                    label: format!("{verb} /{}", path.trim_start_matches('/')),
                    ..Dispatch::new(
                        DispatchKind::Serves,
                        (DispatchEnd::Around(at.site.owner), target.into()),
                        at.site.at,
                        Confidence::Inferred,
                    )
                });
            }
        }
    }

    /// Returns the prefix of the routes mapped on a value.
    pub(super) fn group_prefix(&self, mut receiver: ExprId) -> GroupPrefix {
        let mut path = String::new();
        for _ in 0..MAX_CHAIN {
            receiver = match self.facts.expr(receiver) {
                Expr::Call(call) => {
                    let call = self.facts.calls[call.index()];
                    let Expr::Member(inner, name) = self.facts.expr(call.callee) else {
                        break;
                    };

                    if self.facts.text(name) == GROUP {
                        let first = self.facts.list(call.args).first();
                        match first.and_then(|arg| self.path_text(arg.value, 0)) {
                            Some(group) => path = join(&group, &path),
                            None => {
                                let base = GroupBase::Cut;
                                return GroupPrefix { path, base };
                            }
                        }
                    }

                    inner
                }
                Expr::Name(..) => match self.initialiser(receiver) {
                    Some(value) => value,
                    None => {
                        let ty = self.type_of_expr(receiver);
                        let base = match self.type_name(ty) {
                            Some("WebApplication") => GroupBase::App,
                            _ if self.fits(ty, ROUTERS) == Fit::Exact => GroupBase::Router,
                            _ => GroupBase::Unknown,
                        };
                        return GroupPrefix { path, base };
                    }
                },
                Expr::Paren(inner) | Expr::Await(inner) | Expr::NonNull(inner) => inner,
                _ => break,
            };
        }

        let base = GroupBase::Unknown;
        GroupPrefix { path, base }
    }

    /// Returns the value that a local is initialised with.
    fn initialiser(&self, name: ExprId) -> Option<ExprId> {
        use crate::resolve::expressions::simple_names::{ScopePosition, SimpleName};

        let Expr::Name(name, scope, offset) = self.facts.expr(name) else {
            return None;
        };
        let position = ScopePosition { scope, offset };
        let decl = match self.lookup_value(self.own_name(name), position, false) {
            SimpleName::Local(found) => found.first()?.decl,
            SimpleName::Members(found) => {
                let decl = found.first()?.decl;
                let declared = self.decl(decl);
                let is_fixed =
                    declared.flags.has(DeclFlags::CONST) || declared.flags.has(DeclFlags::READONLY);
                (is_fixed && decl.file == self.file).then_some(decl)?
            }
            _ => return None,
        };

        let declared = self.facts.decl(decl.decl);
        matches!(declared.kind, DeclKind::Variable | DeclKind::Field)
            .then_some(declared.init)?
            .some()
    }

    /// Returns the path written in an expression; `line` is the expression's line, 0 if unknown. Parts
    /// other than literals become placeholders.
    pub(super) fn path_text(&self, value: ExprId, line: u32) -> Option<String> {
        match self.facts.expr(value) {
            Expr::Literal(LiteralKind::String, text) if !text.is_none() => {
                Some(self.facts.text(text).to_owned())
            }
            Expr::Literal(LiteralKind::String | LiteralKind::Interpolated, _) => {
                // The text of an interpolated string is among the literals of the file.
                let mut all = self.facts.literals.iter();
                let literal = all.find(|literal| {
                    (line..=line + 1).contains(&literal.line)
                        && self.facts.text(literal.text).contains('{')
                })?;
                Some(self.facts.text(literal.text).to_owned())
            }

            Expr::Binary(_, left, right) => {
                let (first, second) = (self.path_text(left, line), self.path_text(right, line));
                match (&first, &second) {
                    (None, None) => None,
                    _ => {
                        let text = |part: Option<String>| part.unwrap_or_else(|| "{}".to_owned());
                        Some(text(first) + &text(second))
                    }
                }
            }

            Expr::Name(..) => {
                let value = self.initialiser(value)?;
                let is_text =
                    matches!(self.facts.expr(value), Expr::Literal(..) | Expr::Binary(..));
                if is_text {
                    self.path_text(value, line.saturating_sub(1))
                } else {
                    None
                }
            }

            Expr::Paren(inner) => self.path_text(inner, line),
            _ => None,
        }
    }
}

/// Returns the attributes of a declaration.
pub(super) fn attributes(
    facts: &Facts,
    decl: DeclId,
) -> impl Iterator<Item = (&Site, TypeId, CallId)> {
    // The sites are in text order, and attributes stand before the name.
    let end = facts.decl(decl).at.offset;
    let last = facts.sites.partition_point(|site| site.at.offset < end);
    let start = facts
        .detail(decl)
        .map_or(end, |detail| detail.span.start.offset);

    facts.sites[..last]
        .iter()
        .rev()
        .take_while(move |site| site.at.offset >= start)
        .filter(move |site| site.kind == SiteKind::Attribute && site.owner == decl)
        .filter_map(|site| match site.subject {
            Subject::Construct(ty, call) => Some((site, ty, call)),
            _ => None,
        })
}

/// Returns the last name of a written type.
pub(super) fn last_name(facts: &Facts, ty: TypeId) -> &str {
    match facts.type_expr(ty) {
        TypeExpr::Name(segments, _) => facts
            .list(segments)
            .last()
            .map_or("", |last| facts.text(last.name)),
        _ => "",
    }
}

/// Returns the template among the arguments of a route attribute.
pub(super) fn template(facts: &Facts, call: CallId) -> Option<String> {
    let call = facts.calls.get(call.some()?.index())?;
    facts.list(call.args).iter().find_map(|arg| {
        let is_template = arg.name.is_none() || facts.text(arg.name) == "template";
        match facts.expr(arg.value) {
            Expr::Literal(LiteralKind::String, text) if is_template && !text.is_none() => {
                Some(facts.text(text).to_owned())
            }
            _ => None,
        }
    })
}

/// Returns what `[controller]` stands for.
fn controller(class: &str) -> &str {
    class.strip_suffix("Controller").unwrap_or(class)
}

fn join(prefix: &str, path: &str) -> String {
    let (prefix, path) = (prefix.trim_end_matches('/'), path.trim_start_matches('/'));
    match (prefix, path) {
        ("", path) => path.to_owned(),
        (prefix, "") => prefix.to_owned(),
        (prefix, path) => format!("{prefix}/{path}"),
    }
}
