//! Requests: calls of an HTTP client with the path of a route, and calls whose arguments are a
//! method of requests and a path.

use codeagent_lang::{Dispatch, DispatchEnd};
use codeagent_model::dispatch::{DispatchKind, VERBS};
use codeagent_model::facts::{CallId, Expr, ExprId, Facts};
use codeagent_model::graph::Confidence;

use super::frameworks::{CLIENTS, HTTP_METHOD};
use super::routes::last_name;
use super::{CallSite, Fit};
use crate::resolve::edges::SiteResolver;

impl SiteResolver<'_> {
    pub(super) fn record_request(
        &self,
        at: CallSite<'_>,
        verb: &'static str,
        found: &mut Vec<Dispatch>,
    ) {
        let fit = self.receiver_fits(at.call, CLIENTS);
        let call = self.facts.calls[at.call.index()];
        let Some(first) = self.facts.list(call.args).first() else {
            return;
        };
        if fit == Fit::Other {
            return;
        }
        let Some(path) = self.path_text(first.value, at.site.at.line) else {
            return;
        };

        found.push(Dispatch {
            kind: DispatchKind::Requests,
            source: DispatchEnd::Around(at.site.owner),
            target: DispatchEnd::Unknown,
            label: format!("{verb} {path}"),
            at: at.site.at,
            confidence: match fit {
                Fit::Exact => Confidence::Exact,
                _ => Confidence::Inferred,
            },
        });
    }

    /// Records `SendAsync(HttpMethod.Get, "carts/1")` and `new HttpRequestMessage(HttpMethod.Get,
    /// url)`, whatever is called.
    pub(super) fn record_chosen_request(
        &self,
        at: CallSite<'_>,
        verb: &'static str,
        found: &mut Vec<Dispatch>,
    ) {
        let args = self.facts.list(self.facts.calls[at.call.index()].args);
        let path = args.iter().find_map(|arg| {
            self.path_text(arg.value, at.site.at.line)
                .filter(|path| is_path(path))
        });

        if let Some(path) = path {
            found.push(Dispatch {
                label: format!("{verb} {path}"),
                ..Dispatch::new(
                    DispatchKind::Requests,
                    (DispatchEnd::Around(at.site.owner), DispatchEnd::Unknown),
                    at.site.at,
                    Confidence::Inferred,
                )
            });
        }
    }
}

/// Reports whether a text may be a path, not a pattern of many (`*/carts`).
fn is_path(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('*') && !text.contains(char::is_whitespace)
}

/// Returns the method of requests among the arguments of a call: `HttpMethod.Get`,
/// `new HttpMethod("PATCH")`.
pub(super) fn chosen_verb(facts: &Facts, call: CallId) -> Option<&'static str> {
    let call = facts.calls.get(call.some()?.index())?;
    let mut args = facts.list(call.args).iter();
    args.find_map(|arg| verb_of(facts, arg.value))
}

fn verb_of(facts: &Facts, value: ExprId) -> Option<&'static str> {
    let written = match facts.expr(value) {
        Expr::Member(class, name) => match facts.expr(class) {
            Expr::Name(class, ..) | Expr::Member(_, class) if facts.text(class) == HTTP_METHOD => {
                facts.text(name)
            }
            _ => return None,
        },
        Expr::New(call) => {
            let call = facts.calls.get(call.index())?;
            let (Expr::TypeValue(class), [only]) = (facts.expr(call.callee), facts.list(call.args))
            else {
                return None;
            };

            match facts.expr(only.value) {
                Expr::Literal(_, text) if !text.is_none() => {
                    Some(facts.text(text)).filter(|_| last_name(facts, class) == HTTP_METHOD)?
                }
                _ => return None,
            }
        }
        _ => return None,
    };

    let is_written = |verb: &&&str| verb.eq_ignore_ascii_case(written);
    VERBS.iter().find(is_written).copied()
}
