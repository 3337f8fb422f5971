//! Tools that need input in several rounds, on a server without sessions.
//!
//! The server answers with the input it needs, and the client calls again with that input. A tool
//! that needs its own state back seals it with a key that only this process has.

use rmcp::ErrorData;
use rmcp::model::{ClientCapabilities, InputRequests, InputRequiredResult, InputResponses};
use serde_json::{Map, Value, json};

use crate::conformance::fixture::parsed;

/// Returns the next step of a row of `fixture.json` (description, rounds, whether the state is
/// sealed, final text): the final text, or the input it needs.
pub fn next(
    row: &Value,
    offered: &ClientCapabilities,
    given: Option<&InputResponses>,
    state: Option<&str>,
) -> Result<Result<String, InputRequiredResult>, ErrorData> {
    let (name, rounds) = (
        row[0]["name"].as_str().unwrap_or_default(),
        row[1].as_array().map_or(&[][..], Vec::as_slice),
    );
    let is_sealed = row[2] == true;
    let asked = state.map(|state| opened(name, state)).transpose()?;
    // A sealed tool called without its state starts over.
    let round = asked.unwrap_or(0);
    let may_answer = asked.is_some() || !is_sealed;
    let is_given = |key: &String| {
        given
            .and_then(|given| given.get(key))
            .is_some_and(Value::is_object)
    };
    let needed = rounds
        .get(round)
        .map(|round| askable(round, offered))
        .unwrap_or_default();
    let next = if may_answer && needed.keys().all(is_given) {
        round + 1
    } else {
        round
    };
    if next == rounds.len() {
        let last = row[3].as_str().unwrap_or_default();
        return Ok(Ok(format!("{last}: {}", json!(given))));
    }
    let requests: InputRequests = parsed(askable(&rounds[next], offered).into())?;
    Ok(Err(InputRequiredResult::new(
        Some(requests),
        is_sealed.then(|| sealed(name, next)),
    )))
}

/// Returns the requests of a round that the client says it can answer.
fn askable(round: &Value, offered: &ClientCapabilities) -> Map<String, Value> {
    let can = |request: &Value| match request["method"].as_str() {
        Some("elicitation/create") => offered.elicitation.is_some(),
        Some("sampling/createMessage") => offered.sampling.is_some(),
        Some("roots/list") => offered.roots.is_some(),
        _ => false,
    };
    let requests = round
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, request)| can(request));
    requests
        .map(|(key, request)| (key.clone(), request.clone()))
        .collect()
}

/// Returns a token for a round that only this process can make.
fn sealed(name: &str, round: usize) -> String {
    let key = blake3::derive_key(
        "codeagent conformance fixture",
        &std::process::id().to_le_bytes(),
    );
    format!(
        "{round}.{}",
        blake3::keyed_hash(&key, format!("{name}.{round}").as_bytes()).to_hex()
    )
}

fn opened(name: &str, state: &str) -> Result<usize, ErrorData> {
    let round = state.split('.').next().and_then(|round| round.parse().ok());
    let is_ours = |round: &usize| sealed(name, *round) == state;
    round
        .filter(is_ours)
        .ok_or_else(|| ErrorData::invalid_params("`requestState` is not what was sent", None))
}
