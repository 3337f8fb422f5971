//! Requests: calls of an HTTP client with the path of a route.

use codeagent_lang::{Dispatch, DispatchEnd};
use codeagent_model::dispatch::DispatchKind;
use codeagent_model::graph::Confidence;

use super::frameworks::CLIENTS;
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
}
