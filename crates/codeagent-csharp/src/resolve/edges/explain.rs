//! Explains one site: the receiver and the origin of its type, each candidate with its conversions,
//! and the deciding rule.
//!
//! Calls the resolver's own functions, in a separate run. Only overload resolutions are recorded
//! while they happen ([`OverloadTrace`]), because they depend on the lambda parameter types assumed
//! at that moment.
//!
//! Limitations: a resolution nested in another one (in the body of a lambda under test) is not
//! shown.

use codeagent_lang::explain::{MAX_ORIGINS, Report};
use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, Resolution, sites};
use codeagent_model::facts::{
    CallId, Context, DeclId, DeclKind, Expr, ExprId, Site, SiteKind, Subject, Sym,
};
use codeagent_model::print;

use crate::resolve::edges::{FileResolver, SiteResolver};
use crate::resolve::expressions::call_forms::CallForm;
use crate::resolve::expressions::calls::CallOutcome;
use crate::resolve::expressions::simple_names::{ScopePosition, SimpleName};
use crate::resolve::types::members::Candidate;
use crate::resolve::types::names::TypeOrNamespace;
use crate::resolve::types::queries::Query;
use crate::resolve::types::{Ty, Type};

/// Largest number of candidates shown for an overload resolution.
pub(super) const MAX_SHOWN: usize = 24;

/// Adds an explanation of a site to a report, and returns the resolution of that site alone.
pub fn explain(site: Site, report: &mut Report<'_>) -> Resolution {
    let resolver = FileResolver::new(report.world, report.file).traced();
    sites::explain_site(&resolver, &site, report)
}

impl SiteResolver<'_> {
    pub(super) fn explain_site(&self, site: &Site, report: &mut Report<'_>) {
        match (site.kind, site.subject) {
            (SiteKind::Operator, Subject::Expr(expr)) => self.explain_operator(expr, report),
            (_, Subject::Type(ty, segment)) => self.explain_type(ty, usize::from(segment), report),
            (_, Subject::Base(decl, index)) => {
                if let Some(base) = self
                    .facts
                    .list(self.facts.decl(decl).bases)
                    .get(usize::from(index))
                {
                    let ty = self.type_of(self.file, base.ty);
                    report.line(1, format_args!("names {}", self.display(ty, report)));
                }
            }
            (_, Subject::Key(object, _)) => {
                let ty = self.type_of_expr(self.facts.decl(object).init);
                report.line(1, format_args!("member of {}", self.display(ty, report)));
            }
            (kind, subject) if kind.is_call() || kind == SiteKind::Index => {
                if let Some(call) = self.call_of(subject) {
                    self.explain_call(call, site, report);
                }
            }
            (_, Subject::Expr(expr)) => {
                report.line(
                    1,
                    format_args!(
                        "value {}: {}",
                        print::expression(self.facts, expr),
                        self.display(self.type_of_expr(expr), report)
                    ),
                );

                self.origin(expr, 2, report);
            }
            _ => {}
        }
    }

    fn explain_type(
        &self,
        ty: codeagent_model::facts::TypeId,
        segment: usize,
        report: &mut Report<'_>,
    ) {
        let codeagent_model::facts::TypeExpr::Name(segments, scope) = self.facts.type_expr(ty)
        else {
            return;
        };
        let segments = self.facts.list(segments);
        let end = (segment + 1).min(segments.len());
        let meaning = match self.resolve_segments(self.file, &segments[..end], scope, None) {
            TypeOrNamespace::Type(ty) => self.display(ty, report),
            TypeOrNamespace::Namespace(_) => "a namespace".to_owned(),
            TypeOrNamespace::None => "nothing in scope".to_owned(),
        };

        report.line(1, format_args!("names {meaning}"));
    }

    fn explain_operator(&self, expr: ExprId, report: &mut Report<'_>) {
        let value = match self.facts.expr(expr) {
            Expr::Assign(_, value) => value,
            _ => expr,
        };
        let operands: &[ExprId] = match self.facts.expr(value) {
            Expr::Binary(_, left, right) => &[left, right],
            Expr::Unary(_, inner) => &[inner],
            _ => &[],
        };
        for operand in operands {
            self.typed("operand", *operand, 1, report);
        }
        self.explain_overloads(|overload| overload.query.is_none(), |_| true, report);
    }

    fn explain_call(&self, id: CallId, site: &Site, report: &mut Report<'_>) {
        let call = self.facts.calls[id.index()];
        match self.forms[id.index()] {
            CallForm::Call => match self.facts.expr(call.callee) {
                Expr::Name(name, scope, offset) => {
                    let meaning = self.lookup_value(
                        self.own_name(name),
                        ScopePosition { scope, offset },
                        true,
                    );
                    report.line(
                        1,
                        format_args!(
                            "name {}: {}",
                            self.facts.text(name),
                            self.meaning(&meaning, report)
                        ),
                    );
                }
                Expr::Member(base, _) => self.typed("receiver", base, 1, report),
                _ => self.typed("value", call.callee, 1, report),
            },
            CallForm::Index => self.typed("receiver", call.callee, 1, report),
            form => {
                report.line(
                    1,
                    format_args!(
                        "constructs {}",
                        self.display(self.type_of_constructed(id), report)
                    ),
                );
                if let CallForm::NewTarget(decl) = form {
                    self.origin_of_context(decl, self.infer_context_type(decl), 2, report);
                }
            }
        }

        for (index, arg) in self.arguments(&call).iter().enumerate() {
            self.typed(&format!("argument {}", index + 1), arg.value, 1, report);
        }

        let used = self.used_name(site.subject);
        let invoked =
            matches!(self.forms[id.index()], CallForm::Call).then(|| self.facts.text(used));
        let is_meant = |decl: DeclRef| {
            invoked.is_none_or(|name| self.facts(decl.file).decl_name(decl.decl) == name)
        };
        self.explain_overloads(
            |overload| overload.query == Some(Query::Call(0, id)),
            is_meant,
            report,
        );

        let result = self.resolve_call(id);
        if result.outcome != CallOutcome::Target
            && let Expr::Member(base, name) = self.facts.expr(call.callee)
        {
            let receiver = self.type_of_expr(base);
            self.explain_extensions(receiver, self.own_name(name), report);
        }

        report.line(
            1,
            format_args!("result: {}", self.display(result.result, report)),
        );
    }

    /// Returns the type that a `new`, initializer or attribute constructs.
    fn type_of_constructed(&self, id: CallId) -> Ty {
        match self.forms[id.index()] {
            CallForm::New => match self
                .arena
                .get(self.type_of_expr(self.facts.calls[id.index()].callee))
            {
                Type::Qualifier(ty) => ty,
                _ => Ty::UNKNOWN,
            },
            CallForm::NewTarget(decl) => self.strip_nullable(self.infer_context_type(decl)),
            CallForm::Construct(ty) => self.type_of(self.file, ty),
            CallForm::This(constructor) => self.constructed_by(constructor),
            CallForm::Base(constructor) => self.base_class(self.constructed_by(constructor)),
            CallForm::Attribute(ty) => self.type_of_attribute(ty).unwrap_or(Ty::UNKNOWN),
            _ => Ty::UNKNOWN,
        }
    }

    /// Reports the extension methods in scope with this name whose receiver does not fit.
    fn explain_extensions(&self, receiver: Ty, name: Name, report: &mut Report<'_>) {
        let Some(all) = self.tables.extensions.get(&name) else {
            return;
        };

        for level in self.extension_scopes().iter() {
            for candidate in self.extensions_at(level, all, DeclKind::Method) {
                let fits = self.receiver_fits(receiver, candidate);
                let first = self
                    .signature(candidate.decl)
                    .params
                    .first()
                    .map_or(Ty::UNKNOWN, |first| first.ty);

                let verdict = if fits {
                    "converts to"
                } else {
                    "may not convert to"
                };

                let (from, to) = (self.display(receiver, report), self.display(first, report));
                report.line(
                    1,
                    format_args!("extension in scope: {}", report.decl(candidate.decl)),
                );
                report.line(2, format_args!("the receiver {from} {verdict} {to}"));
            }
        }

        if all.is_empty() {
            report.line(1, "no extension method of that name is in scope");
        }
    }

    /// Reports the type of an expression, as `receiver a.b: T`, and its origin.
    fn typed(&self, role: &str, expr: ExprId, depth: usize, report: &mut Report<'_>) {
        let ty = self.display(self.type_of_expr(expr), report);
        report.line(
            depth,
            format_args!("{role} {}: {ty}", print::expression(self.facts, expr)),
        );
        self.origin(expr, depth + 1, report);
    }

    /// Reports the origin of the type of an expression.
    fn origin(&self, expr: ExprId, depth: usize, report: &mut Report<'_>) {
        if depth > MAX_ORIGINS {
            return;
        }

        match self.facts.expr(expr) {
            Expr::Name(name, scope, offset) => {
                let meaning =
                    self.lookup_value(self.own_name(name), ScopePosition { scope, offset }, false);
                self.origin_of(meaning.candidates(), depth, report);
                if meaning.candidates().is_empty() {
                    report.line(depth, self.meaning(&meaning, report));
                }
            }
            Expr::Member(base, name) | Expr::Destructured(base, name) => {
                self.origin_of_member(base, name, depth, report)
            }
            Expr::Call(id) | Expr::New(id) | Expr::Index(id) => {
                self.origin_in_call(id, depth, report)
            }
            Expr::ContextualParam(lambda, index) => {
                let context = self.infer_context_type(lambda);
                report.line(
                    depth,
                    format_args!(
                        "parameter {} of a lambda for {}",
                        index + 1,
                        self.display(context, report)
                    ),
                );
                self.origin_of_context(lambda, context, depth + 1, report);
            }
            Expr::NewTarget(_, decl) => {
                self.origin_of_context(decl, self.infer_context_type(decl), depth, report)
            }
            Expr::OutArgument(call, index) => {
                report.line(
                    depth,
                    format_args!("argument {} that this call writes:", index + 1),
                );
                self.origin_in_call(call, depth + 1, report);
            }
            Expr::Await(inner)
            | Expr::Iterate(inner, _)
            | Expr::Conditional(inner)
            | Expr::NonNull(inner)
            | Expr::Paren(inner)
            | Expr::Element(inner, _)
            | Expr::Query(inner)
            | Expr::Assign(inner, _) => self.typed("of", inner, depth, report),
            Expr::Or(first, second) => {
                self.typed("either", first, depth, report);
                self.typed("or", second, depth, report);
            }
            _ => {}
        }
    }

    /// Reports the origin of the type of a member access.
    fn origin_of_member(&self, base: ExprId, name: Sym, depth: usize, report: &mut Report<'_>) {
        let access = self.lookup_member_access(base, self.own_name(name));
        self.origin_of(&access.candidates, depth, report);

        if access.candidates.is_empty() && access.ty.is_unknown() {
            report.line(
                depth,
                format_args!(
                    "no member {} of {}",
                    self.facts.text(name),
                    self.display(access.receiver, report)
                ),
            );
            self.typed("of", base, depth, report);
        }
    }

    /// Reports why a lambda or `new()` has no contextual type.
    fn origin_of_context(&self, decl: DeclId, context: Ty, depth: usize, report: &mut Report<'_>) {
        if !context.is_unknown() || depth > MAX_ORIGINS {
            return;
        }

        match self.facts.decl(decl).context {
            Context::Argument(call, index) => {
                report.line(depth, format_args!("argument {} of a call:", index + 1));
                self.origin_in_call(call, depth + 1, report);
            }
            Context::Typed(ty) => report.line(
                depth,
                format_args!("for the type {}", print::written_type(self.facts, ty)),
            ),
            Context::Assigned(to) => self.typed("assigned to", to, depth, report),
            Context::Element(of) => self.typed("element of", of, depth, report),
            Context::None => report.line(depth, "no type is expected here"),
            other => report.line(depth, format_args!("context: {other:?}")),
        }
    }

    fn origin_in_call(&self, id: CallId, depth: usize, report: &mut Report<'_>) {
        let result = self.resolve_call(id);

        match (result.outcome, result.targets.first()) {
            (CallOutcome::Target, Some(target)) => {
                let sure = if result.sure { "" } else { " (one of several)" };
                report.line(
                    depth,
                    format_args!("result of {}{sure}", report.decl(*target)),
                );
            }
            (CallOutcome::Unknown, _) => {
                report.line(depth, "result of an unresolved call");
                let callee = self.facts.calls[id.index()].callee;
                match self.facts.expr(callee) {
                    Expr::Member(base, _) => self.typed("on", base, depth + 1, report),
                    _ => self.origin(callee, depth + 1, report),
                }
            }
            _ => report.line(depth, "result of an external call"),
        }
    }

    /// Reports the declaration of a name and the origin of its type.
    fn origin_of(&self, candidates: &[Candidate], depth: usize, report: &mut Report<'_>) {
        let Some(candidate) = candidates.first() else {
            return;
        };

        let decl = self.decl(candidate.decl);
        let facts = self.facts(candidate.decl.file);
        let written = if decl.ty.is_none() {
            String::new()
        } else {
            format!(", declared as {}", print::written_type(facts, decl.ty))
        };

        report.line(
            depth,
            format_args!("{}{written}", report.decl(candidate.decl)),
        );

        let declared = self.type_of(candidate.decl.file, decl.ty);
        if declared.is_unknown()
            && candidate.decl.file == self.file
            && !decl.init.is_none()
            && depth < MAX_ORIGINS
        {
            self.typed("initialised by", decl.init, depth + 1, report);
        }
    }

    fn meaning(&self, meaning: &SimpleName, report: &Report<'_>) -> String {
        let many = |found: &[Candidate]| match found {
            [one] => report.decl(one.decl),
            _ => format!(
                "{} and {} more",
                report.decl(found[0].decl),
                found.len() - 1
            ),
        };

        match meaning {
            SimpleName::Local(found) => format!("local, {}", many(found)),
            SimpleName::Members(found) => format!("member, {}", many(found)),
            SimpleName::Imported(found, _) => format!("through using static, {}", many(found)),
            SimpleName::Type(ty) => format!("the type {}", self.display(*ty, report)),
            SimpleName::Namespace(_) => "a namespace".to_owned(),
            SimpleName::None => "nothing in scope".to_owned(),
        }
    }
}
