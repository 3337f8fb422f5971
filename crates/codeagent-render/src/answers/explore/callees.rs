//! The calls of a symbol: of the repository, of packages, and those whose targets are unknown.

use codeagent_core::model::external::ExternalSymbol;
use codeagent_core::model::graph::{EdgeDirection, EdgeType, Node, NodeFlags, NodeId};
use codeagent_core::query::{
    self, CallbackLines, Occurrences, Relation, UnknownCall, UnknownCalls,
};

use super::Subject;
use crate::answers::AnswerError;
use crate::text::{NameRow, Section};

/// Maximum number of external symbols named in the list of calls.
const MAX_EXTERNAL: usize = 12;

/// Maximum number of other candidates for one call.
const MAX_CANDIDATES: usize = 4;

/// Maximum number of calls with unknown targets in the list of calls.
const MAX_UNKNOWN: usize = 8;

/// Lists what a symbol calls, in the order of the calls.
pub(super) fn callees(
    subject: &Subject<'_>,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<Section, AnswerError> {
    let mut rows = called(occurrences, &subject.ids(), None)?;
    rows.extend(passed_row(subject, occurrences)?);
    rows.extend(external_row(subject, occurrences)?);
    let (mut calls, mut unknown) = (UnknownCalls::default(), Vec::new());
    for node in subject.nodes {
        let found = calls.of_symbol(occurrences.sources.snapshot(), node)?;
        unknown.extend(found.into_iter().map(|(_, call)| call));
    }
    rows.extend(unknown_row(&unknown));
    Ok(Section::names("callees", "calls", rows))
}

/// Lists what symbols call in the repository, in the order of the calls; `within` restricts the calls
/// to those of a callback.
pub(super) fn called(
    occurrences: &mut Occurrences<'_, '_>,
    nodes: &[NodeId],
    within: Option<&CallbackLines>,
) -> Result<Vec<NameRow>, AnswerError> {
    let relation = Relation {
        direction: EdgeDirection::Outgoing,
        edge_types: &[EdgeType::Calls],
    };
    let snapshot = occurrences.sources.snapshot();
    let filter = query::Filter::default();
    let found = query::Neighbors::of_any(snapshot, nodes, relation, &filter, within)?;

    let mut rows = Vec::with_capacity(found.len());
    for at in 0..found.len() {
        let Some(callee) = found.get(at, occurrences.sources, 1)? else {
            continue;
        };
        let line = callee.sites.first().map_or(0, |site| site.line);
        let name = occurrences.short_name(&callee.node)?;
        let declared = callee.node.spans.first();
        let declared = declared.map(|span| format!("  {}:{}", span.path, span.name_line));
        let is_abstract = callee.node.flags.has(NodeFlags::ABSTRACT);

        let mark = if is_abstract { " (abstract)" } else { "" };
        let others = callee
            .sites
            .first()
            .map_or(&[][..], |site| &site.candidates);
        let others = match others {
            [] => String::new(),
            others => {
                let names = others.iter().map(|name| name.rsplit('#').next());
                let names = names.flatten().map(str::to_owned).collect();
                format!(", or {}", first_of(names, MAX_CANDIDATES))
            }
        };
        rows.push((
            line,
            NameRow {
                full: format!(
                    "{line} {name}{mark}{}{others}",
                    declared.unwrap_or_default()
                ),
                short: name,
            },
        ));
    }

    rows.sort_by_key(|(line, _)| *line);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

/// Lists the functions that a symbol passes on, in one row.
fn passed_row(
    subject: &Subject<'_>,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<Option<NameRow>, AnswerError> {
    let (mut passed, _) = occurrences.passed_and_set(&subject.ids())?;
    passed.sort_by_key(|used| (used.line, used.column));

    let mut names: Vec<String> = Vec::new();
    for used in &passed {
        let Some(symbol) = query::get_node(occurrences.sources.snapshot(), used.other)? else {
            continue;
        };
        let name = format!("{} {}", used.line, occurrences.short_name(&symbol.node)?);
        if !names.contains(&name) {
            names.push(name);
        }
    }

    let count = names.len();
    Ok((count > 0).then(|| NameRow {
        full: format!("passes on: {}", first_of(names, MAX_EXTERNAL)),
        short: format!("{count} passed on"),
    }))
}

/// Joins the first of some names, with the number of further ones.
fn first_of(mut names: Vec<String>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    names.truncate(most);
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Lists what a symbol calls outside the repository, in one row.
fn external_row(
    subject: &Subject<'_>,
    occurrences: &Occurrences<'_, '_>,
) -> Result<Option<NameRow>, AnswerError> {
    let nodes: Vec<&Node> = subject.nodes.iter().collect();
    let found =
        query::external_targets(occurrences.sources.snapshot(), &nodes, &[EdgeType::Calls])?;
    let names = found.iter().map(|callee| short_path(&callee.symbol));
    Ok((!found.is_empty()).then(|| NameRow {
        full: format!("outside: {}", first_of(names.collect(), MAX_EXTERNAL)),
        short: format!("{} outside", found.len()),
    }))
}

/// Lists calls with unknown targets in one row; `None` if there are none.
pub(super) fn unknown_row(calls: &[UnknownCall]) -> Option<NameRow> {
    let unknown = || calls.iter().filter(|call| !call.is_outside);
    let shown = unknown().filter(|call| !call.is_common);
    let shown: Vec<String> = shown
        .take(MAX_UNKNOWN)
        .map(|call| format!("{} {}", call.line, call.chain()))
        .collect();

    let count = unknown().count();
    let more = match count - shown.len() {
        0 if shown.is_empty() => return None,
        0 => String::new(),
        more if shown.is_empty() => format!("{more} calls of common names"),
        more => format!(" and {more} more"),
    };

    Some(NameRow {
        full: format!("target unknown: {}{more}", shown.join(", ")),
        short: format!("{count} with unknown targets"),
    })
}

/// Returns the last two names of a path, with the package if it has one: `rxjs#Observable.pipe`.
fn short_path(symbol: &ExternalSymbol) -> String {
    let path = symbol.path();
    let mut dots = path.rmatch_indices('.').map(|(at, _)| at);
    let short = match dots.nth(1) {
        Some(at) => &path[at + 1..],
        None => path.as_str(),
    };
    if symbol.package.is_empty() {
        short.to_owned()
    } else {
        format!("{}#{short}", symbol.package)
    }
}
