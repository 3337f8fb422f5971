//! Selects the symbols that a question means among several of one name.

use codeagent_core::model::graph::{EdgeType, Node, NodeId, NodeKind};
use codeagent_core::query::{self, Occurrences, SymbolGroup, SymbolTarget, Targets};

use super::file_folder::USES;
use super::heading::is_shown_first;
use super::wants::Wants;
use super::{Context, is_of_place, literal_of};
use crate::answers::AnswerError;

/// Maximum number of places of a string whose files say which of several symbols is meant.
const MAX_BESIDE: usize = 3;

/// Returns the group of symbols that a question is about: one in a place that it names, else the
/// first that fits.
pub(super) fn best_group<'t>(
    occurrences: &mut Occurrences<'_, '_>,
    symbols: &'t SymbolTarget,
    context: Context<'_>,
) -> Result<Option<&'t SymbolGroup>, AnswerError> {
    let Context {
        within,
        beside,
        wants,
        ..
    } = context;

    let mut ranked = Vec::with_capacity(symbols.groups.len());
    let groups = symbols.groups.iter().chain(&symbols.others);
    for (at, group) in groups.enumerate() {
        let is_meant = within.iter().any(|place| is_of_place(group.first(), place));
        if is_meant || at < symbols.groups.len() {
            let is_apart = !is_used_in(occurrences, group, beside)?;
            let rank = rank(occurrences, &group.nodes, wants)?;
            ranked.push(((!is_meant, is_apart, rank), group));
        }
    }

    let best = ranked.into_iter().min_by_key(|(rank, _)| *rank);
    Ok(best.map(|(_, group)| group))
}

/// Returns the files with the strings of a question that few places have.
pub(super) fn files_of_strings(
    occurrences: &Occurrences<'_, '_>,
    targets: &Targets,
) -> Result<Vec<String>, AnswerError> {
    let mut files = Vec::new();
    for literal in targets.found.iter().filter_map(literal_of) {
        let snapshot = occurrences.sources.snapshot();
        let sites = query::literal_sites(snapshot, &literal.text, MAX_BESIDE + 1)?;
        if sites.len() <= MAX_BESIDE {
            files.extend(sites.into_iter().map(|site| site.path));
        }
    }
    Ok(files)
}

/// Reports whether a symbol is used in one of some files.
fn is_used_in(
    occurrences: &mut Occurrences<'_, '_>,
    group: &SymbolGroup,
    files: &[String],
) -> Result<bool, AnswerError> {
    if files.is_empty() {
        return Ok(false);
    }
    let ids: Vec<NodeId> = group.nodes.iter().map(|node| node.id).collect();
    for used in occurrences.incoming(&ids, &USES)? {
        if files.contains(&occurrences.path(used.file)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the symbols of a group; for a namespace also those of other projects that declare a part
/// of it.
pub(super) fn with_namesakes(group: &SymbolGroup, symbols: &SymbolTarget) -> Vec<Node> {
    let first = group.first();
    let mut nodes = group.nodes.clone();

    if first.kind == NodeKind::Namespace {
        let others = symbols.groups.iter().chain(&symbols.others);
        let parts = others.flat_map(|other| &other.nodes).filter(|node| {
            node.kind == NodeKind::Namespace && node.qualified_name == first.qualified_name
        });
        let parts: Vec<Node> = parts.filter(|node| node.id != first.id).cloned().collect();
        nodes.extend(parts);
    }

    // Classes without a common base may have events of the same name.
    if first.kind == NodeKind::Event {
        let others = symbols.groups.iter().flat_map(|other| &other.nodes);
        let others = others.filter(|node| node.kind == NodeKind::Event && node.id != first.id);
        nodes.extend(others.cloned());
    }

    nodes
}

/// Ranks the symbols of one qualified name: those come first that the question can be about.
fn rank(
    occurrences: &Occurrences<'_, '_>,
    nodes: &[Node],
    wants: Wants,
) -> Result<(bool, bool), AnswerError> {
    let is_outer = nodes.iter().all(|node| !is_shown_first(node));
    if !wants.flow {
        return Ok((is_outer, false));
    }

    // What is sent or raised is a message, not a function of its name.
    if wants.messages {
        return Ok((is_outer, !nodes[0].node_type.is_type()));
    }

    // A declaration without a body calls nothing.
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let calls = occurrences.outgoing(&ids, &[EdgeType::Calls])?;
    Ok((is_outer, calls.is_empty()))
}
