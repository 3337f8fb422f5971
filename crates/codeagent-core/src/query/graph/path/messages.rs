//! Steps of a path from what creates a message to what handles it.

use rustc_hash::FxHashMap;

use super::{Hop, Link, Offer, ShortestPath, created_types};
use crate::model::dispatch::DispatchKind;
use crate::model::graph::{EdgeDirection, EdgeType, NodeId};
use crate::query::dispatch::steps::messages_of_name;
use crate::query::{QueryError, dispatched_from, dispatched_to};
use crate::store::{self, Snapshot, SymbolBrief};

impl ShortestPath<'_> {
    /// Returns the steps between functions that create messages and what handles these. `calls` are the steps
    /// of the functions to what they call, if they are the start.
    pub(super) fn handled(
        &self,
        ids: &[NodeId],
        direction: EdgeDirection,
        calls: &[Offer],
    ) -> Result<Vec<Offer>, QueryError> {
        let link = Link::Dispatched(DispatchKind::Handles);
        let mut offers = Vec::new();
        if self.handlers.of_type.is_empty() {
            return Ok(offers);
        }
        if direction == EdgeDirection::Outgoing {
            let is_call = |offer: &&Offer| offer.hop.link == Link::Call;
            let called: Vec<NodeId> = calls
                .iter()
                .filter(is_call)
                .map(|call| call.other)
                .collect();
            let created = created_types(store::briefs(self.snapshot, &called)?.values());
            let types: Vec<NodeId> = created.keys().copied().collect();
            let messages = store::briefs(self.snapshot, &types)?;
            for call in calls.iter().filter(is_call) {
                let created = messages
                    .values()
                    .filter(|message| created[&message.id] == call.other);
                for handler in created.flat_map(|message| self.handlers.of(message)) {
                    offers.push(Offer {
                        other: *handler,
                        hop: Hop { link, ..call.hop },
                        ..*call
                    });
                }
            }
            return Ok(offers);
        }

        for step in dispatched_to(self.snapshot, ids)? {
            let (DispatchKind::Handles, Some(message), Some(handler)) =
                (step.kind, step.from, step.to)
            else {
                continue;
            };
            let messages = messages_of_name(self.snapshot, message)?;
            let makers = self.constructors_of(&messages)?;
            let makers: Vec<NodeId> = makers.into_values().flatten().chain(messages).collect();
            let calls = [EdgeType::Calls];
            store::each_use(self.snapshot, &makers, &calls, direction, |_, edge| {
                offers.push(Offer::along(&edge, handler, link));
            })?;
        }
        Ok(offers)
    }
}

/// What handles messages, read once for a search.
#[derive(Default)]
pub(super) struct MessageHandlers {
    of_type: FxHashMap<NodeId, Vec<NodeId>>,
    /// Handlers of types with a name: services that share no code declare a message each.
    of_name: FxHashMap<String, Vec<NodeId>>,
}

impl MessageHandlers {
    pub(super) fn load(snapshot: &Snapshot) -> Result<Self, QueryError> {
        let rows = store::dispatch_of_kind(snapshot, DispatchKind::Handles)?;
        let mut messages: Vec<NodeId> = rows.iter().filter_map(|row| row.source).collect();
        messages.sort_unstable();
        messages.dedup();
        let names = store::briefs(snapshot, &messages)?;

        let mut handlers = Self::default();
        for step in dispatched_from(snapshot, &messages)? {
            let (DispatchKind::Handles, Some(message), Some(handler)) =
                (step.kind, step.from, step.to)
            else {
                continue;
            };
            handlers.of_type.entry(message).or_default().push(handler);
            if let Some(brief) = names.get(&message) {
                let named = handlers.of_name.entry(brief.name.clone()).or_default();
                named.push(handler);
            }
        }
        Ok(handlers)
    }

    /// Returns what handles a type, or else other types of its name.
    fn of(&self, message: &SymbolBrief) -> &[NodeId] {
        let own = self.of_type.get(&message.id);
        own.or_else(|| self.of_name.get(&message.name))
            .map_or(&[], Vec::as_slice)
    }
}
