//! Sections about files, folders and literals.

use codeagent_core::model::graph::{Access, EdgeType, Node, NodeFlags, NodeId, NodeType};
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::heading::signature;
use super::wants::Wants;
use crate::answers::{AnswerError, dispatch};
use crate::text::{Document, NameRow, Section};

/// Maximum files of a folder whose symbols are listed.
const MAX_FILES: usize = 300;

/// Maximum listed places of a literal.
const MAX_LITERALS: usize = 200;

/// Adds a file: its exports with their uses elsewhere, and what imports it.
pub(super) fn file(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
    node: &Node,
    wants: Wants,
) -> Result<(), AnswerError> {
    document.line(format!("## file {path}"));
    let (exported, internal) = declared(occurrences, path)?;
    let mut rows = Vec::new();
    for node in &exported {
        let uses = uses_elsewhere(occurrences, node, path)?;
        let line = node.spans.first().map_or(0, |span| span.name_line);
        let kind = node.kind.as_str().replace('_', " ");
        let name = occurrences.short_name(node)?;
        let members = public_members(occurrences, node)?;
        rows.push(NameRow {
            full: format!(
                "{line} {kind} {name}{} ({uses} uses elsewhere){members}",
                signature(node)
            ),
            short: format!("{name} ({uses})"),
        });
    }
    let weight = wants.weight(wants.members, 20);
    document.section(Section::names("exports", "exported or public", rows).weighing(weight));
    let rows = internal.iter().map(|node| {
        let line = node.spans.first().map_or(0, |span| span.name_line);
        NameRow {
            full: format!(
                "{line} {} {}",
                node.kind.as_str().replace('_', " "),
                node.name
            ),
            short: node.name.clone(),
        }
    });
    document.section(Section::names("internal", "not exported", rows.collect()).weighing(5));

    let mut ids: Vec<NodeId> = exported
        .iter()
        .chain(&internal)
        .map(|node| node.id)
        .collect();
    ids.push(node.id);
    let imports = occurrences.uses_of(&ids, &[EdgeType::Imports])?;
    let (tests, code): (Vec<_>, Vec<_>) = imports.into_iter().partition(Occurrence::is_test);
    let weight = wants.weight(wants.imports, 15);
    document.section(Section::places("importers", "imported by", code).weighing(weight));
    document.section(Section::places("tests", "imported in tests", tests).weighing(5));
    document.section(dispatch::from(occurrences, &[node.id])?.weighing(10));
    document.section(dispatch::to(occurrences, &[node.id])?.weighing(10));
    Ok(())
}

/// Lists the public members of a type, except for the values of an enum.
fn public_members(occurrences: &Occurrences<'_, '_>, node: &Node) -> Result<String, AnswerError> {
    if !matches!(node.node_type, NodeType::Class | NodeType::Interface) {
        return Ok(String::new());
    }
    let mut members = query::members_of(occurrences.sources.snapshot(), node.id)?;
    members.retain(|member| {
        member.access.is_none_or(|access| access == Access::Public)
            && member.node_type != NodeType::Constructor
    });
    members.sort_by_key(|member| member.spans.first().map(|span| span.name_line));
    let mut names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    names.dedup();
    Ok(match names.as_slice() {
        [] => String::new(),
        names => format!(": {}", names.join(", ")),
    })
}

/// Returns the symbols that a file declares outside types and functions, those visible to other
/// files first.
fn declared(
    occurrences: &Occurrences<'_, '_>,
    path: &str,
) -> Result<(Vec<Node>, Vec<Node>), AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let file = query::derive_file_id(snapshot, path)?;
    let top = query::outermost(query::get_outline(snapshot, file)?);
    let is_public = |node: &Node| node.flags.has(NodeFlags::PUBLIC_API);
    Ok(top.into_iter().partition(is_public))
}

fn uses_elsewhere(
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
    path: &str,
) -> Result<usize, AnswerError> {
    let mut ids = vec![node.id];
    if node.flags.has(NodeFlags::STATIC) {
        let members = query::members_of(occurrences.sources.snapshot(), node.id)?;
        ids.extend(members.iter().map(|member| member.id));
    }
    ids.extend(
        query::wrappers_of(occurrences.sources, node)?
            .iter()
            .map(|wrapper| wrapper.id),
    );
    let edges = [
        EdgeType::Calls,
        EdgeType::References,
        EdgeType::Accepts,
        EdgeType::Inherits,
        EdgeType::Implements,
        EdgeType::Extends,
    ];
    let mut count = 0;
    for edge in occurrences.incoming(&ids, &edges)? {
        count += usize::from(occurrences.path(edge.file)? != path);
    }
    Ok(count)
}

/// Adds a folder: its files with their exports.
pub(super) fn folder(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    folder: &str,
) -> Result<(), AnswerError> {
    let files = query::files_below(occurrences.sources.snapshot(), folder)?;
    document.line(format!("## folder {folder} ({} files)", files.len()));
    let mut rows = Vec::new();
    for path in files.iter().take(MAX_FILES) {
        let (exported, internal) = declared(occurrences, path)?;
        let mut names = Vec::new();
        for node in &exported {
            let uses = uses_elsewhere(occurrences, node, path)?;
            names.push(format!("{} ({uses})", node.name));
        }
        let name = path
            .strip_prefix(folder)
            .unwrap_or(path)
            .trim_start_matches('/');
        let what = match (names.len(), internal.len()) {
            (0, 0) => "nothing".to_owned(),
            (0, internal) => format!("nothing exported, {internal} others"),
            _ => names.join(", "),
        };
        rows.push(NameRow {
            full: format!("{name}: {what}"),
            short: name.to_owned(),
        });
    }
    let title = "files with what they export and its uses elsewhere";
    document.section(Section::names("files", title, rows).weighing(30));
    Ok(())
}

/// Adds a literal: the places that name it, and the callbacks that are registered under it.
pub(super) fn literal(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    text: &str,
) -> Result<(), AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let sites = query::literal_sites(snapshot, text, MAX_LITERALS)?;
    let count = sites.len();
    document.line(format!("## literal \"{text}\" ({count} places)"));
    let handlers = query::handlers(occurrences, text)?;
    let title = "handled by, as equal strings suggest";
    document.section(Section::lines("handlers", title, handlers).weighing(20));

    let mut places = Vec::with_capacity(count);
    for site in sites {
        places.push(occurrences.at(&site.path, site.line)?);
    }
    let (tests, code): (Vec<_>, Vec<_>) = places.into_iter().partition(Occurrence::is_test);
    document.section(Section::places("literals", "named by", code).weighing(30));
    document.section(Section::places("tests", "named in tests", tests).weighing(8));
    Ok(())
}
