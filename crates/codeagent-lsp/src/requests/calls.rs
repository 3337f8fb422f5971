//! Requests of the call hierarchy: prepare, incoming and outgoing calls.
//!
//! Limitations: the ranges of a call are in the file that the item shows, as the protocol has it. A
//! caller that calls from several files has one entry per file.

use std::collections::BTreeMap;

use codeagent_core::NodeId;
use codeagent_core::query::{Relation, use_places};
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, Range,
};

use crate::requests::items::{Item, id_of};
use crate::requests::{Ask, RequestError};
use crate::view::Answering;

/// Returns the symbols at the cursor that can be called or can call.
pub fn prepare(
    ask: Ask<'_>,
    params: CallHierarchyPrepareParams,
) -> Result<Option<Vec<CallHierarchyItem>>, RequestError> {
    let at = params.text_document_position_params;
    let Some((answering, path)) = ask.view.open(&at.text_document.uri, ask.canceller)? else {
        return Ok(None);
    };

    let mut items = Vec::new();
    for id in answering.at(&path, at.position)?.symbols() {
        let item = Item::load(&answering, id, Some(&path))?.filter(Item::is_callable);
        if let Some(item) = item {
            items.push(item.into_call_item(&answering)?);
        }
    }
    Ok((!items.is_empty()).then_some(items))
}

/// Returns the callers of an item.
pub fn incoming(
    ask: Ask<'_>,
    params: CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>, RequestError> {
    let calls = calls(ask, &params.item, Relation::CALLERS)?;
    let call = |(from, from_ranges)| CallHierarchyIncomingCall { from, from_ranges };
    Ok(calls.map(|calls| calls.into_iter().map(call).collect()))
}

/// Returns what an item calls.
pub fn outgoing(
    ask: Ask<'_>,
    params: CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>, RequestError> {
    let calls = calls(ask, &params.item, Relation::CALLEES)?;
    let call = |(to, from_ranges)| CallHierarchyOutgoingCall { to, from_ranges };
    Ok(calls.map(|calls| calls.into_iter().map(call).collect()))
}

/// The other end of calls, and the ranges of the calls.
type Calls = Vec<(CallHierarchyItem, Vec<Range>)>;

fn calls(
    ask: Ask<'_>,
    item: &CallHierarchyItem,
    relation: Relation<'_>,
) -> Result<Option<Calls>, RequestError> {
    let Some((answering, path)) = ask.view.open(&item.uri, ask.canceller)? else {
        return Ok(None);
    };
    let id = id_of(item.data.as_ref())?;

    // By symbol and file of the call; for callees, only calls in the item's own file have ranges.
    let mut ranges: BTreeMap<(NodeId, String), Vec<Range>> = BTreeMap::new();
    let mut order = Vec::new();
    let is_incoming = relation == Relation::CALLERS;
    for place in use_places(answering.snapshot(), &[id], relation)? {
        answering.snapshot().check()?;
        let file = if is_incoming {
            place.path.to_string()
        } else {
            path.clone()
        };
        let key = (place.other, file);
        let known = ranges.entry(key.clone()).or_insert_with(|| {
            order.push(key);
            Vec::new()
        });
        if is_incoming || *place.path == *path {
            known.push(answering.token(&place.path, place.line, place.column));
        }
    }

    let mut calls = Vec::new();
    for key in order {
        let ranges = ranges.remove(&key).unwrap_or_default();
        let (other, file) = key;
        let shown = Some(file.as_str()).filter(|_| is_incoming);
        if let Some(item) = call_item(&answering, other, shown)? {
            calls.push((item, ranges));
        }
    }
    Ok(Some(calls))
}

fn call_item(
    answering: &Answering<'_>,
    id: NodeId,
    path: Option<&str>,
) -> Result<Option<CallHierarchyItem>, RequestError> {
    Item::load(answering, id, path)?
        .map(|item| item.into_call_item(answering))
        .transpose()
}
