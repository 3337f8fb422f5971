//! Explains one site: the receiver and the origin of its type, each candidate with its conversions,
//! and the rule that chose.
//!
//! Calls the resolver's own functions, in a run of its own. Only overload resolutions are recorded
//! while they happen ([`OverloadTrace`]), because they depend on the lambda parameter types assumed
//! at that moment.
//!
//! **Limits.** A resolution inside another one (in the body of a lambda that is tried) is not
//! shown.

use std::cell::RefCell;

use codeagent_lang::explain::{MAX_ORIGINS, Report};
use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, Links};
use codeagent_model::facts::{
    CallId, Context, DeclId, DeclKind, Expr, ExprId, Site, SiteKind, Subject,
};
use codeagent_model::print;

use crate::resolve::edges::Linker;
use crate::resolve::expressions::betterness::BetternessRule;
use crate::resolve::expressions::calls::CallForm;
use crate::resolve::expressions::calls::CallOutcome;
use crate::resolve::expressions::conversions::{Better, Conversion};
use crate::resolve::expressions::overload_trace::{CandidateOutcome, OverloadTrace};
use crate::resolve::expressions::simple_names::Simple;
use crate::resolve::types::members::Candidate;
use crate::resolve::types::names::Found;
use crate::resolve::types::questions::Question;
use crate::resolve::types::{Ty, Type};

/// Most candidates that are shown of a overload.
const MAX_SHOWN: usize = 24;

/// Adds what the linker sees at a site to a report; gives what linking the site alone gives.
pub fn explain(site: Site, report: &mut Report<'_>) -> Links {
    let mut linker = Linker::new(report.world, report.file);
    linker.checker.trace = Some(RefCell::default());
    linker.evaluation.begin_site();
    linker.enter(site.owner);
    let mut links = Links::default();
    linker.site(&site, &mut links);
    linker.evaluation.begin_site();
    linker.explain_site(&site, report);
    links
}

impl Linker<'_> {
    fn explain_site(&self, site: &Site, report: &mut Report<'_>) {
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
                let ty = self.expr_type(self.facts.decl(object).init);
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
                        self.display(self.expr_type(expr), report)
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
            Found::Type(ty) => self.display(ty, report),
            Found::Namespace(_) => "a namespace".to_owned(),
            Found::None => "nothing in sight".to_owned(),
        };

        report.line(1, format_args!("names {meaning}"));
    }

    fn explain_operator(&self, expr: ExprId, report: &mut Report<'_>) {
        let operands: &[ExprId] = match self.facts.expr(expr) {
            Expr::Binary(_, left, right) => &[left, right],
            Expr::Unary(_, inner) => &[inner],
            _ => &[],
        };
        for operand in operands {
            self.typed("operand", *operand, 1, report);
        }
        self.explain_overloads(|overload| overload.question.is_none(), |_| true, report);
    }

    fn explain_call(&self, id: CallId, site: &Site, report: &mut Report<'_>) {
        let call = self.facts.calls[id.index()];
        match self.forms[id.index()] {
            CallForm::Call => match self.facts.expr(call.callee) {
                Expr::Name(name, scope, offset) => {
                    let meaning = self.lookup_value(self.own_name(name), (scope, offset), true);
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
                    format_args!("constructs {}", self.display(self.constructed(id), report)),
                );
                if let CallForm::NewTarget(decl) = form {
                    self.origin_of_context(decl, self.context_type(decl), 2, report);
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
            |overload| overload.question == Some(Question::Call(0, id)),
            is_meant,
            report,
        );

        let result = self.call(id);
        if result.outcome != CallOutcome::Target
            && let Expr::Member(base, name) = self.facts.expr(call.callee)
        {
            let receiver = self.expr_type(base);
            self.explain_extensions(receiver, self.own_name(name), report);
        }

        report.line(
            1,
            format_args!("result: {}", self.display(result.result, report)),
        );
    }

    /// What a `new`, initialiser or attribute constructs.
    fn constructed(&self, id: CallId) -> Ty {
        match self.forms[id.index()] {
            CallForm::New => match self
                .arena
                .get(self.expr_type(self.facts.calls[id.index()].callee))
            {
                Type::Qualifier(ty) => ty,
                _ => Ty::UNKNOWN,
            },
            CallForm::NewTarget(decl) => self.strip_nullable(self.context_type(decl)),
            CallForm::Construct(ty) => self.type_of(self.file, ty),
            CallForm::This(constructor) => self.constructed_by(constructor),
            CallForm::Base(constructor) => self.base_class(self.constructed_by(constructor)),
            CallForm::Attribute(ty) => self.attribute_type(ty).unwrap_or(Ty::UNKNOWN),
            _ => Ty::UNKNOWN,
        }
    }

    /// Extension methods of this name in sight whose receiver does not fit.
    fn explain_extensions(&self, receiver: Ty, name: Name, report: &mut Report<'_>) {
        let Some(all) = self.tables.extensions.get(&name) else {
            return;
        };

        for level in self.levels().iter() {
            for candidate in self.extensions_at(level, all, DeclKind::Method) {
                let fits = self.receiver_fits(receiver, candidate);
                let first = self
                    .signature(candidate.decl)
                    .params
                    .first()
                    .map_or(Ty::UNKNOWN, |first| first.ty);

                let said = if fits {
                    "converts to"
                } else {
                    "is not known to convert to"
                };

                let (from, to) = (self.display(receiver, report), self.display(first, report));
                report.line(
                    1,
                    format_args!("extension in sight: {}", report.decl(candidate.decl)),
                );
                report.line(2, format_args!("the receiver {from} {said} {to}"));
            }
        }

        if all.is_empty() {
            report.line(1, "no extension method of that name is in sight");
        }
    }

    /// `receiver a.b: T`, and below it where the type comes from.
    fn typed(&self, role: &str, expr: ExprId, depth: usize, report: &mut Report<'_>) {
        let ty = self.display(self.expr_type(expr), report);
        report.line(
            depth,
            format_args!("{role} {}: {ty}", print::expression(self.facts, expr)),
        );
        self.origin(expr, depth + 1, report);
    }

    /// Where the type of an expression comes from.
    fn origin(&self, expr: ExprId, depth: usize, report: &mut Report<'_>) {
        if depth > MAX_ORIGINS {
            return;
        }

        match self.facts.expr(expr) {
            Expr::Name(name, scope, offset) => {
                let meaning = self.lookup_value(self.own_name(name), (scope, offset), false);
                self.origin_of(meaning.candidates(), depth, report);
                if meaning.candidates().is_empty() {
                    report.line(depth, self.meaning(&meaning, report));
                }
            }
            Expr::Member(base, name) | Expr::Destructured(base, name) => {
                let access = self.member_access(base, self.own_name(name));
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
            Expr::Call(id) | Expr::New(id) | Expr::Index(id) => {
                self.origin_in_call(id, depth, report)
            }
            Expr::ContextParam(lambda, index) => {
                let context = self.context_type(lambda);
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
                self.origin_of_context(decl, self.context_type(decl), depth, report)
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
            | Expr::Same(inner)
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

    /// Why nothing is known of the place of a lambda or `new()`.
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
            Context::None => report.line(depth, "its place asks for no type"),
            other => report.line(depth, format_args!("its place: {other:?}")),
        }
    }

    fn origin_in_call(&self, id: CallId, depth: usize, report: &mut Report<'_>) {
        let result = self.call(id);
        match (result.outcome, result.targets.first()) {
            (CallOutcome::Target, Some(target)) => {
                let sure = if result.sure { "" } else { " (one of several)" };
                report.line(
                    depth,
                    format_args!("given by {}{sure}", report.decl(*target)),
                );
            }
            (CallOutcome::Unknown, _) => {
                report.line(depth, "given by a call without a known target");
                let callee = self.facts.calls[id.index()].callee;
                match self.facts.expr(callee) {
                    Expr::Member(base, _) => self.typed("on", base, depth + 1, report),
                    _ => self.origin(callee, depth + 1, report),
                }
            }
            _ => report.line(depth, "given by a call that leaves the repository"),
        }
    }

    /// The declaration a name stands for, and how that gets its type.
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

    fn meaning(&self, meaning: &Simple, report: &Report<'_>) -> String {
        let many = |found: &[Candidate]| match found {
            [one] => report.decl(one.decl),
            _ => format!(
                "{} and {} more",
                report.decl(found[0].decl),
                found.len() - 1
            ),
        };
        match meaning {
            Simple::Local(found) => format!("local, {}", many(found)),
            Simple::Members(found) => format!("member, {}", many(found)),
            Simple::Imported(found, _) => format!("through using static, {}", many(found)),
            Simple::Type(ty) => format!("the type {}", self.display(*ty, report)),
            Simple::Namespace(_) => "a namespace".to_owned(),
            Simple::None => "nothing in sight".to_owned(),
        }
    }

    /// The choices that were made for a question.
    fn explain_overloads(
        &self,
        made_for: impl Fn(&OverloadTrace) -> bool,
        is_meant: impl Fn(DeclRef) -> bool,
        report: &mut Report<'_>,
    ) {
        let Some(trace) = &self.trace else { return };

        for overload in trace.borrow().iter().filter(|overload| made_for(overload)) {
            let first = overload
                .forms
                .first()
                .map(|form| form.bound.candidate.decl)
                .or(overload.unfit.first().copied());
            if first.is_some_and(&is_meant) {
                self.explain_overload_trace(overload, report);
            }
        }
    }

    fn explain_overload_trace(&self, overload: &OverloadTrace, report: &mut Report<'_>) {
        let said = match overload.chosen {
            Some((decl, true)) => format!("surely {}", report.decl(decl)),
            Some((decl, false)) => format!("perhaps {}", report.decl(decl)),
            None => "none".to_owned(),
        };

        let count = overload.forms.len() + overload.unfit.len();
        report.line(
            1,
            format_args!("choice among {count} (standard §12.6.4): {said}"),
        );

        for form in overload.forms.iter().take(MAX_SHOWN) {
            let expanded = if form.bound.expanded {
                ", params form"
            } else {
                ""
            };

            report.line(
                2,
                format_args!(
                    "{}{expanded}: {}",
                    report.decl(form.bound.candidate.decl),
                    outcome_text(form.outcome)
                ),
            );

            for ((arg, target), conversion) in overload
                .args
                .iter()
                .zip(&form.bound.targets)
                .zip(&form.conversions)
            {
                let value = if arg.value.is_none() {
                    "receiver".to_owned()
                } else {
                    print::expression(self.facts, arg.value)
                };

                let (from, to) = (self.display(arg.ty, report), self.display(*target, report));
                report.line(
                    3,
                    format_args!("{value}: {from} -> {to}: {}", converts(*conversion)),
                );
            }
        }

        for decl in overload.unfit.iter().take(MAX_SHOWN) {
            report.line(
                2,
                format_args!(
                    "{}: does not take these arguments (number, names, type arguments)",
                    report.decl(*decl)
                ),
            );
        }
    }
}

fn converts(conversion: Conversion) -> &'static str {
    match conversion {
        Conversion::No => "does not convert",
        Conversion::Unknown => "may convert, something unknown decides",
        Conversion::Implicit => "implicit conversion",
        Conversion::Identity => "identity",
    }
}

fn outcome_text(outcome: CandidateOutcome) -> String {
    match outcome {
        CandidateOutcome::Chosen => "chosen".to_owned(),
        CandidateOutcome::DoesNotConvert => {
            "not applicable: an argument does not convert (§12.6.4.2)".to_owned()
        }
        CandidateOutcome::NotInferred => {
            "not applicable: a type argument cannot be inferred (§12.6.3)".to_owned()
        }
        CandidateOutcome::ConstraintFails => {
            "not applicable: a constraint does not hold (§8.4.5)".to_owned()
        }
        CandidateOutcome::LessDerived => {
            "left out: an applicable one is declared nearer (§12.8.10.2)".to_owned()
        }
        CandidateOutcome::Compared(Better::First, rule) => format!("worse: {}", rule_text(rule)),
        CandidateOutcome::Compared(Better::Second, rule) => {
            format!("better, yet it loses more comparisons: {}", rule_text(rule))
        }
        CandidateOutcome::Compared(_, rule) => format!("undecided: {}", rule_text(rule)),
    }
}

fn rule_text(rule: BetternessRule) -> &'static str {
    match rule {
        BetternessRule::BetterConversion => {
            "an argument converts better to the chosen one (§12.6.4.4)"
        }
        BetternessRule::Contradiction => "each is better for another argument (§12.6.4.3)",
        BetternessRule::CertainFit => "only one of the two is known to fit",
        BetternessRule::Unknown => "an unknown type decides",
        BetternessRule::CautiousFit => {
            "only one of the two is known to fit, which counts more than being more specific"
        }
        BetternessRule::NotGeneric => "only one has no type parameters (§12.6.4.3)",
        BetternessRule::NormalForm => "only one takes the arguments in normal form (§12.6.4.3)",
        BetternessRule::MoreDeclared => {
            "of two params forms one declares more parameters (§12.6.4.3)"
        }
        BetternessRule::NoDefaults => "only one needs no default values (§12.6.4.3)",
        BetternessRule::MoreSpecific => "parameter types of one are more specific (§12.6.4.3)",
        BetternessRule::ByValue => "only one takes its arguments by value, not by `in` (C# 7.2)",
        BetternessRule::Same => "no rule tells them apart",
    }
}
