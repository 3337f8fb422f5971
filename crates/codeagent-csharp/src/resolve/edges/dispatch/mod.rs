//! Dispatch in C#: services of containers, handlers of messages, subscribers of events, routes and
//! requests.
//!
//! | what | recognised by |
//! |---|---|
//! | service | `AddScoped<I, T>()` and its likes on an `IServiceCollection`: type arguments, `typeof`, a factory, an instance |
//! | handler | a class with a base `IRequestHandler<M, ..>`, or with an interface of the repository whose one method takes its type argument |
//! | message | `Send(m)`, `Publish(m)` and their likes; the type of `m` is of the repository |
//! | subscriber | `x.Event += handler` |
//! | route | `[HttpGet("..")]` below the `[Route("..")]` of the class, or below an attribute of the repository's own ([`route_attributes`]); `MapGet("..", handler)` below `MapGroup("..")`, also of a group that another method is given ([`mapped_groups`]); `Get("..")` in `Configure` of a class with `HandleAsync` |
//! | request | `GetAsync("..")` and its likes on an `HttpClient`; a call with the arguments `HttpMethod.Get` and `".."` |
//!
//! A name alone is not enough: the receiver's type must be the framework's. If the type is unknown,
//! the relation is inferred. Calls of methods declared in the repository register no service. The
//! names are in [`frameworks`].
//!
//! Limitations: routes are read from literals, `+`, and locals initialised with them. Registration by
//! assembly scanning, by convention or in configuration is not recognised.

mod events;
mod frameworks;
mod mapped_groups;
mod messages;
mod requests;
mod route_attributes;
mod routes;
mod services;

use codeagent_lang::{Dispatch, DispatchEnd, Resolution};
use codeagent_model::facts::{CallId, Expr, ExprId, Operator, Site, SiteKind, Subject};

use self::frameworks::{CallMeaning, call_meaning, verb_of_endpoint};
use self::mapped_groups::has_groups;
use self::requests::chosen_verb;
use crate::resolve::edges::{FileResolver, SiteResolver};
use crate::resolve::types::{Ty, Type};

impl FileResolver<'_> {
    /// Records what the file says about code that runs without a call that names it.
    pub(super) fn record_dispatch(&self, resolution: &mut Resolution) {
        let facts = self.types.facts();
        let mut found = Vec::new();
        // The event of the `+=` whose operator follows.
        let mut changed = ExprId::NONE;
        let has_groups = has_groups(facts);
        for (index, site) in facts.sites.iter().enumerate() {
            match (site.kind, site.subject) {
                (SiteKind::Call, Subject::Expr(expr)) => {
                    let Expr::Call(call) = facts.expr(expr) else {
                        continue;
                    };
                    let at = CallSite { site, index, call };
                    if let Some(verb) = chosen_verb(facts, call) {
                        self.at_site(site)
                            .record_chosen_request(at, verb, &mut found);
                    } else if let Some(meaning) = self.meaning(call) {
                        self.at_site(site).record_call(at, meaning, &mut found);
                    } else if has_groups {
                        self.at_site(site).record_mount(at, &mut found);
                    }
                }
                (SiteKind::New, Subject::Expr(expr)) => {
                    if let Expr::New(call) | Expr::NewTarget(call, _) = facts.expr(expr)
                        && let Some(verb) = chosen_verb(facts, call)
                    {
                        let at = CallSite { site, index, call };
                        self.at_site(site)
                            .record_chosen_request(at, verb, &mut found);
                    }
                }
                (SiteKind::Attribute, Subject::Construct(ty, call)) => {
                    self.at(site.owner).record_route(site, ty, call, &mut found);
                }
                (SiteKind::ReadWrite, Subject::Expr(expr)) => changed = expr,
                (SiteKind::Operator, Subject::Expr(expr)) if !changed.is_none() => {
                    if let Expr::Assign(_, value) = facts.expr(expr)
                        && let Expr::Binary(Operator::Add, left, right) = facts.expr(value)
                        && left == changed
                    {
                        let here = self.at(site.owner);
                        here.stack.begin_site();
                        here.record_subscription(site, left, right, &mut found);
                        changed = ExprId::NONE;
                    }
                }
                _ => {}
            }
        }

        for id in facts.decl_ids() {
            let decl = facts.decl(id);
            if decl.kind.opens_type() && !decl.bases.is_empty() {
                let here = self.at(id);
                here.stack.begin_site();
                here.record_handlers(id, &mut found);
            }
        }
        resolution.dispatch.extend(found);
    }

    /// Returns the layer's view from a site, with a new budget.
    fn at_site(&self, site: &Site) -> SiteResolver<'_> {
        let here = self.at(site.owner);
        here.stack.begin_site();
        here
    }

    /// Returns what a call says if its method has the name of a framework's.
    fn meaning(&self, call: CallId) -> Option<CallMeaning> {
        let facts = self.types.facts();
        match facts.expr(facts.calls[call.index()].callee) {
            Expr::Member(_, name) => call_meaning(facts.text(name)),
            Expr::Name(name, ..) => verb_of_endpoint(facts.text(name)).map(CallMeaning::Endpoint),
            _ => None,
        }
    }
}

#[derive(Clone, Copy)]
struct CallSite<'f> {
    site: &'f Site,
    /// Its index among the sites.
    index: usize,
    call: CallId,
}

/// Whether a receiver has the type that declares a framework's method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    Exact,
    Unknown,
    Other,
}

impl SiteResolver<'_> {
    fn record_call(&self, at: CallSite<'_>, meaning: CallMeaning, found: &mut Vec<Dispatch>) {
        match meaning {
            CallMeaning::Service => self.record_service(at, found),
            CallMeaning::Send(confidence) => self.record_sent(at, confidence, found),
            CallMeaning::Route(verb) => self.record_mapped(at, verb, found),
            CallMeaning::Endpoint(verb) => self.record_endpoint(at, verb, found),
            CallMeaning::Request(verb) => self.record_request(at, verb, found),
        }
    }

    /// Reports whether the receiver of a call has one of some types, by their names.
    fn receiver_fits(&self, call: CallId, types: &[&str]) -> Fit {
        let callee = self.facts.calls[call.index()].callee;
        let Expr::Member(receiver, _) = self.facts.expr(callee) else {
            return Fit::Other;
        };
        self.fits(self.type_of_expr(receiver), types)
    }

    fn fits(&self, ty: Ty, types: &[&str]) -> Fit {
        if ty.is_unknown() {
            return Fit::Unknown;
        }
        let is_one = |ty: &Ty| {
            self.type_name(*ty)
                .is_some_and(|name| types.contains(&name))
        };
        if is_one(&ty) || self.supertypes(ty).iter().any(is_one) {
            Fit::Exact
        } else {
            Fit::Other
        }
    }

    /// Returns the simple name of a type.
    fn type_name(&self, ty: Ty) -> Option<&str> {
        match self.arena.get(ty) {
            Type::Named(tid, _) => Some(self.tables.names.text(self.tables.type_def(tid).name)),
            Type::External(name, _) => Some(self.tables.names.text(name)),
            Type::Nullable(of) | Type::Qualifier(of) => self.type_name(of),
            _ => None,
        }
    }

    /// Reports whether a call runs a method of the repository.
    fn calls_own_method(&self, call: CallId) -> bool {
        let result = self.resolve_call(call);
        result
            .targets
            .iter()
            .any(|target| !self.is_external_file(target.file))
    }

    /// Returns what runs when a function value is called: the method it names, or what a lambda
    /// stands in. `None` if it is neither.
    fn handler(&self, site: &Site, value: ExprId) -> Option<DispatchEnd> {
        match self.facts.expr(value) {
            Expr::Function(_) => Some(DispatchEnd::Around(site.owner)),
            Expr::Name(..) | Expr::Member(..) | Expr::Generic(..) => {
                let method = self.named_method(value)?;
                Some(method.into())
            }
            Expr::Paren(inner) => self.handler(site, inner),

            // `new Handler(method)`
            Expr::New(call) | Expr::NewTarget(call, _) => {
                let args = self
                    .facts
                    .list(self.facts.calls.get(call.some()?.index())?.args);
                match args {
                    [only] => self.handler(site, only.value),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
