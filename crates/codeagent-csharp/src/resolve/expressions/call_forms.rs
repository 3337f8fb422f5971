//! The syntactic form of each call record of a file: a call, `new`, an attribute and so on.

use codeagent_model::facts::{CallId, DeclId, Expr, Facts, SiteKind, Subject, TypeId};

/// The syntactic form of a call record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CallForm {
    /// Not used by any expression or site.
    #[default]
    Unused,
    /// `f(..)`
    Call,
    /// `new C(..)`.
    New,
    /// `new(..)`, with the declaration that has the context.
    NewTarget(DeclId),
    /// `a[..]`
    Index,
    /// A constructor initialiser and the constructed type.
    Construct(TypeId),
    /// `: this(..)` of a constructor.
    This(DeclId),
    /// `: base(..)` of a constructor.
    Base(DeclId),
    /// An attribute and the type it names.
    Attribute(TypeId),
}

/// Returns the syntax that each call record of a file comes from.
#[must_use]
pub fn call_forms(facts: &Facts) -> Vec<CallForm> {
    let mut forms = vec![CallForm::Unused; facts.calls.len()];
    let mut set = |call: CallId, form: CallForm| {
        if let Some(slot) = call.some().and_then(|call| forms.get_mut(call.index())) {
            *slot = form;
        }
    };

    for expr in &facts.exprs {
        match *expr {
            Expr::Call(call) => set(call, CallForm::Call),
            Expr::New(call) => set(call, CallForm::New),
            Expr::NewTarget(call, decl) => set(call, CallForm::NewTarget(decl)),
            Expr::Index(call) => set(call, CallForm::Index),
            _ => {}
        }
    }

    for site in &facts.sites {
        if let Subject::Construct(ty, call) = site.subject {
            set(
                call,
                match site.kind {
                    SiteKind::Attribute => CallForm::Attribute(ty),
                    SiteKind::ThisInit => CallForm::This(site.owner),
                    SiteKind::BaseInit if ty.is_none() => CallForm::Base(site.owner),
                    _ => CallForm::Construct(ty),
                },
            );
        }
    }

    forms
}
