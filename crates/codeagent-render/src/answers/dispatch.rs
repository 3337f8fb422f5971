//! Lines about dispatch: services of containers, handlers of messages and requests.

use codeagent_core::model::dispatch::DispatchKind;
use codeagent_core::model::graph::{Confidence, EdgeDirection, NodeId};
use codeagent_core::query::{self, DispatchStep, FileKey, Occurrence, Occurrences};

use super::AnswerError;
use super::symbol_line::symbol_line;
use crate::text::{NameRow, Section};

/// Maximum number of steps in one section.
const MAX_STEPS: usize = 200;

/// More steps than these in tests are counted only.
const MAX_IN_TESTS: usize = 6;

/// Returns how one symbol leads to the next, as a verb between them.
pub(super) fn verb(kind: DispatchKind) -> &'static str {
    match kind {
        DispatchKind::Provides => "is provided by",
        DispatchKind::Handles => "is handled by",
        DispatchKind::Sends => "sends a message to",
        DispatchKind::Subscribes => "runs its subscriber",
        DispatchKind::Listens | DispatchKind::Emits => "emits an event to",
        DispatchKind::Serves | DispatchKind::Requests => "requests a route of",
        DispatchKind::Shows | DispatchKind::Opens => "opens a route of",
        DispatchKind::Mounts => "maps the routes of",
        DispatchKind::Runs => "registers a command that runs",
    }
}

/// Makes a section of what some symbols lead to without a call.
pub(super) fn from(
    occurrences: &mut Occurrences<'_, '_>,
    symbols: &[NodeId],
) -> Result<Section, AnswerError> {
    let steps = query::dispatched_from(occurrences.sources.snapshot(), symbols)?;
    let lines = rows(occurrences, &steps, EdgeDirection::Outgoing)?;
    Ok(Section::names(
        "dispatches",
        "leads to, without a call",
        lines,
    ))
}

/// Makes a section of what leads to some symbols without a call.
pub(super) fn to(
    occurrences: &mut Occurrences<'_, '_>,
    symbols: &[NodeId],
) -> Result<Section, AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let mut steps = query::dispatched_to(snapshot, symbols)?;
    steps.extend(query::requests_of_files(snapshot, symbols)?);
    to_section(occurrences, &steps)
}

/// Makes a section of routes.
pub(super) fn routes(
    occurrences: &mut Occurrences<'_, '_>,
    title: &str,
    routes: &[DispatchStep],
) -> Result<Section, AnswerError> {
    let lines = rows(occurrences, routes, EdgeDirection::Outgoing)?;
    Ok(Section::names("routes", title, lines))
}

/// Makes a section of what listens to an event.
pub(super) fn listeners(
    occurrences: &mut Occurrences<'_, '_>,
    steps: &[DispatchStep],
) -> Result<Section, AnswerError> {
    let lines = rows(occurrences, steps, EdgeDirection::Outgoing)?;
    Ok(Section::names("listeners", "listened to", lines))
}

/// Makes a section of steps to symbols.
pub(super) fn to_section(
    occurrences: &mut Occurrences<'_, '_>,
    steps: &[DispatchStep],
) -> Result<Section, AnswerError> {
    let lines = rows(occurrences, steps, EdgeDirection::Incoming)?;
    Ok(Section::names(
        "dispatched",
        "reached without a call",
        lines,
    ))
}

/// Lists what leads to the callers of a symbol without a call.
pub(super) fn to_callers(
    occurrences: &mut Occurrences<'_, '_>,
    steps: &[DispatchStep],
) -> Result<Section, AnswerError> {
    let lines = rows(occurrences, steps, EdgeDirection::Incoming)?;
    let title = "these callers are reached without a call by";
    Ok(Section::names("callers dispatched", title, lines))
}

/// Parts of a line.
struct Words {
    kind: DispatchKind,
    /// The symbol at the other end, with its location.
    other: String,
    /// The message, route or event.
    what: String,
    /// `src/Startup.cs:31`
    site: String,
    /// Location of the registration.
    registered: Option<String>,
}

fn rows(
    occurrences: &mut Occurrences<'_, '_>,
    steps: &[DispatchStep],
    direction: EdgeDirection,
) -> Result<Vec<NameRow>, AnswerError> {
    let (mut code, mut tests) = (Vec::new(), Vec::new());
    for step in steps {
        let place = Occurrence {
            path: occurrences.path(step.site.0)?,
            ..Occurrence::default()
        };
        if place.is_test() {
            tests.push(step);
        } else {
            code.push(step);
        }
    }
    let in_tests = tests.len();
    if in_tests <= MAX_IN_TESTS {
        code.append(&mut tests);
    }

    let mut rows = Vec::new();
    for step in code.into_iter().take(MAX_STEPS) {
        let (other, text): (_, fn(&Words, &DispatchStep) -> String) = match direction {
            EdgeDirection::Outgoing => (step.to, from_text),
            EdgeDirection::Incoming => (step.from, to_text),
        };
        let words = Words {
            kind: step.kind,
            other: match (step.kind, direction, other) {
                // What runs is often in another file than what registers it.
                (kind, EdgeDirection::Outgoing, Some(running)) if is_registered(kind) => {
                    let line = symbol_line(occurrences, running)?;
                    match is_around(occurrences, running, step.site)? {
                        // A lambda has no symbol of its own.
                        true if kind == DispatchKind::Subscribes => format!("a callback in {line}"),
                        _ => line,
                    }
                }
                _ => name(occurrences, other)?,
            },
            what: match step.message {
                Some(message) if step.label.is_empty() => name(occurrences, Some(message))?,
                Some(message) => format!("{}<{}>", name(occurrences, Some(message))?, step.label),
                None => step.label.clone(),
            },
            site: location_text(occurrences, step.site)?,
            registered: match step.registered {
                Some(site) => Some(location_text(occurrences, site)?),
                None => None,
            },
        };
        let doubt = if step.confidence == Confidence::Exact {
            ""
        } else {
            "possibly "
        };
        let full = format!("{doubt}{}", text(&words, step));
        let short = match (words.other.as_str(), words.what.as_str()) {
            (_, route) if step.kind == DispatchKind::Serves => route.to_owned(),
            ("", what) => format!("{} {what}", words.kind),
            (other, _) => format!("{} {other}", words.kind),
        };
        if !rows.iter().any(|known: &NameRow| known.full == full) {
            rows.push(NameRow { full, short });
        }
    }
    if in_tests > MAX_IN_TESTS {
        let text = format!("and {in_tests} in tests");
        rows.push(NameRow {
            full: text.clone(),
            short: text,
        });
    }
    Ok(rows)
}

/// Reports whether a symbol contains a place.
fn is_around(
    occurrences: &mut Occurrences<'_, '_>,
    id: NodeId,
    (file, line): (FileKey, u32),
) -> Result<bool, AnswerError> {
    let path = occurrences.path(file)?;
    let symbol = query::get_node(occurrences.sources.snapshot(), id)?;
    let mut spans = symbol.iter().flat_map(|symbol| &symbol.node.spans);
    Ok(spans.any(|span| {
        span.path == path && (span.span.start.line..=span.span.end_line).contains(&line)
    }))
}

/// Reports whether the site of a relation registers what runs.
fn is_registered(kind: DispatchKind) -> bool {
    matches!(kind, DispatchKind::Shows | DispatchKind::Subscribes)
}

fn from_text(words: &Words, step: &DispatchStep) -> String {
    let Words {
        other, what, site, ..
    } = words;
    let registered = words.registered.as_deref().unwrap_or(site);

    match step.kind {
        DispatchKind::Provides if step.from == step.to => format!("registered at {site}"),
        DispatchKind::Provides => format!("provides {other}, registered at {site}"),
        DispatchKind::Handles => format!("handled by {other} at {site}"),
        DispatchKind::Sends => format!("sends {what} at {site}, handled by {other}"),
        DispatchKind::Subscribes => format!("runs {other}, subscribed at {site}"),
        DispatchKind::Listens => format!("runs {other} on {what:?}, registered at {site}"),
        DispatchKind::Emits => format!("emits {what:?} at {site}, handled by {other}"),

        DispatchKind::Serves => format!("route {what} at {site}: {other}"),
        DispatchKind::Requests => {
            format!("requests {what} at {site}, route of {other} at {registered}")
        }
        DispatchKind::Shows if other.is_empty() => {
            format!("route {what:?} at {site}, of no component in the index")
        }
        DispatchKind::Shows if !step.rest.is_empty() => {
            let rest = &step.rest;
            format!("beginning {what:?} at {site}: {other} (no route below it shows {rest:?})")
        }
        DispatchKind::Shows => format!("route {what:?} at {site}: {other}"),
        DispatchKind::Opens => format!("opens {what:?} at {site}, route of {other}"),
        DispatchKind::Mounts => format!("maps the routes of {other} below {what} at {site}"),

        DispatchKind::Runs if step.from == step.to => {
            format!("command {what:?} at {site}: an unnamed function")
        }
        DispatchKind::Runs => format!("command {what:?} at {site}: {other}"),
    }
}

fn to_text(words: &Words, step: &DispatchStep) -> String {
    let Words {
        other, what, site, ..
    } = words;

    match step.kind {
        DispatchKind::Provides if step.from == step.to => format!("registered at {site}"),
        DispatchKind::Provides if step.from.is_none() => {
            format!("provided for {what}, registered at {site}")
        }
        DispatchKind::Provides => format!("provided for {other}, registered at {site}"),
        DispatchKind::Handles => format!("handles {other}"),
        DispatchKind::Sends if step.message.is_none() => format!("sent by {other} at {site}"),
        DispatchKind::Sends => format!("handles {what}, sent by {other} at {site}"),
        DispatchKind::Subscribes if step.from.is_none() => {
            format!("subscribed to {what} at {site}")
        }
        DispatchKind::Subscribes => format!("subscribed to {other} at {site}"),
        DispatchKind::Listens => format!("listens to {what:?}, registered at {site}"),
        DispatchKind::Emits => format!("listens to {what:?}, emitted by {other} at {site}"),

        DispatchKind::Serves => format!("route {what} at {site}"),
        DispatchKind::Requests => format!("route {what}, requested by {other} at {site}"),
        DispatchKind::Shows => format!("route {what:?} at {site}"),
        DispatchKind::Opens => format!("route {what:?}, opened by {other} at {site}"),
        DispatchKind::Mounts => format!("its routes are below {what}, by {other} at {site}"),

        DispatchKind::Runs => format!("command {what:?} at {site}"),
    }
}

fn name(
    occurrences: &mut Occurrences<'_, '_>,
    symbol: Option<NodeId>,
) -> Result<String, AnswerError> {
    let Some(symbol) = symbol else {
        return Ok(String::new());
    };
    let line = symbol_line(occurrences, symbol)?;
    Ok(line
        .split_once("  ")
        .map_or(line.clone(), |(name, _)| name.to_owned()))
}

fn location_text(
    occurrences: &mut Occurrences<'_, '_>,
    (file, line): (FileKey, u32),
) -> Result<String, AnswerError> {
    Ok(format!("{}:{line}", occurrences.path(file)?))
}
