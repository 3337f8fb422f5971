//! Lookups of an editor's cursor: the declarations and uses on a line, and all places of a
//! relation without their texts.
//!
//! Unlike [`Neighbors`](crate::query::Neighbors), these read neither source lines nor callbacks, so
//! that an editor has its answer within milliseconds.
//!
//! Limitations: a use is found through the declarations around it, as the source of every edge
//! encloses the edge's site.

use std::ops::RangeInclusive;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::model::graph::{Confidence, EdgeDirection, EdgeType, Node, NodeId};
use crate::query::{QueryError, Relation, TOP_LEVEL};
use crate::store::{self, FileKey, Snapshot};

/// A use on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineUse {
    /// The symbol that contains the use.
    pub source: NodeId,
    /// The used symbol.
    pub target: NodeId,
    /// Type of the edge.
    pub edge_type: EdgeType,
    /// Certainty of the edge.
    pub confidence: Confidence,
    /// 1-based UTF-16 column.
    pub column: u32,
    /// Other candidates of an inferred use, best first.
    pub candidates: Vec<NodeId>,
}

/// The place of a use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsePlace {
    /// Repo-relative path.
    pub path: Arc<str>,
    /// 1-based line.
    pub line: u32,
    /// 1-based UTF-16 column.
    pub column: u32,
    /// The symbol at the other end of the edge.
    pub other: NodeId,
    /// Certainty of the edge.
    pub confidence: Confidence,
}

/// Returns the uses on a line of a file, by column. A file that is not in the index has none.
pub fn uses_on_line(
    snapshot: &Snapshot,
    path: &str,
    line: u32,
) -> Result<Vec<LineUse>, QueryError> {
    let Some(file) = store::file_by_path(snapshot, path)?.map(|file| file.id) else {
        return Ok(Vec::new());
    };

    let spans = store::line_spans(snapshot, file)?;
    let mut around: Vec<NodeId> = spans
        .into_iter()
        .filter(|(_, lines)| lines.contains(&line))
        .map(|(id, _)| id)
        .collect();
    around.sort_unstable();
    around.dedup();

    let mut uses = Vec::new();
    for source in around {
        for edge in store::edges_on_line(snapshot, source, (file, line))? {
            let candidates = match edge.confidence {
                Confidence::Inferred => store::candidates_of(snapshot, source, edge.other, &edge)?,
                _ => Vec::new(),
            };
            uses.push(LineUse {
                source,
                target: edge.other,
                edge_type: edge.edge_type,
                confidence: edge.confidence,
                column: edge.column,
                candidates,
            });
        }
    }

    uses.sort_by_key(|each| (each.column, each.edge_type as u8, each.target));
    Ok(uses)
}

/// Returns the uses on some lines of a file, each with its line, by position; candidates are left
/// out. A file that is not in the index has none.
pub fn uses_on_lines(
    snapshot: &Snapshot,
    path: &str,
    lines: &RangeInclusive<u32>,
) -> Result<Vec<(u32, LineUse)>, QueryError> {
    let Some(file) = store::file_by_path(snapshot, path)?.map(|file| file.id) else {
        return Ok(Vec::new());
    };

    let spans = store::line_spans(snapshot, file)?;
    let mut around: Vec<NodeId> = spans
        .into_iter()
        .filter(|(_, span)| span.start() <= lines.end() && span.end() >= lines.start())
        .map(|(id, _)| id)
        .collect();
    around.sort_unstable();
    around.dedup();

    let mut uses = Vec::new();
    let direction = EdgeDirection::Outgoing;
    let types = Relation::all(direction).edge_types;
    store::each_use(snapshot, &around, types, direction, |source, edge| {
        if edge.file == file && lines.contains(&edge.line) {
            let found = LineUse {
                source,
                target: edge.other,
                edge_type: edge.edge_type,
                confidence: edge.confidence,
                column: edge.column,
                candidates: Vec::new(),
            };
            uses.push((edge.line, found));
        }
    })?;
    uses.sort_by_key(|(line, each)| (*line, each.column, each.edge_type as u8, each.target));
    Ok(uses)
}

/// Returns the lines and columns of the uses on some lines of a file that could not be resolved,
/// although the repository has a symbol of the name.
pub fn unresolved_on_lines(
    snapshot: &Snapshot,
    path: &str,
    lines: &RangeInclusive<u32>,
) -> Result<Vec<(u32, u32)>, QueryError> {
    let Some(file) = store::file_by_path(snapshot, path)?.map(|file| file.id) else {
        return Ok(Vec::new());
    };

    let mut places = Vec::new();
    for (name, sites) in store::unresolved_in_file(snapshot, file)? {
        let here: Vec<(u32, u32)> = sites
            .iter()
            .filter(|site| lines.contains(&site.line))
            .map(|site| (site.line, site.column))
            .collect();
        if !here.is_empty() && !name.is_empty() && !store::by_name(snapshot, &name, 1)?.is_empty() {
            places.extend(here);
        }
    }

    places.sort_unstable();
    Ok(places)
}

/// Returns the symbols whose names are declared on a line of a file, each with its span there. The
/// file itself is not among them, nor is the method of C# top-level statements, which no text names.
pub fn declared_on_line(
    snapshot: &Snapshot,
    path: &str,
    line: u32,
) -> Result<Vec<Node>, QueryError> {
    let Some(file) = store::file_by_path(snapshot, path)? else {
        return Ok(Vec::new());
    };
    let mut nodes = store::nodes_named_on_line(snapshot, file.id, line)?;
    nodes.retain(|node| node.name != TOP_LEVEL);
    Ok(nodes)
}

/// Returns the places of a relation of symbols that are treated as one, by path and position, each
/// place once. `contains` has no places.
pub fn use_places(
    snapshot: &Snapshot,
    nodes: &[NodeId],
    relation: Relation<'_>,
) -> Result<Vec<UsePlace>, QueryError> {
    let mut paths: FxHashMap<FileKey, Arc<str>> = FxHashMap::default();
    let mut places = Vec::new();
    for node in nodes {
        for edge_type in relation.edge_types {
            let edges =
                store::incident_edges(snapshot, *node, Some(*edge_type), relation.direction)?;
            for edge in edges {
                let path = match paths.get(&edge.file) {
                    Some(path) => Arc::clone(path),
                    None => {
                        let path = store::file_path(snapshot, edge.file)?.unwrap_or_default();
                        let path: Arc<str> = path.into();
                        paths.insert(edge.file, Arc::clone(&path));
                        path
                    }
                };
                places.push(UsePlace {
                    path,
                    line: edge.line,
                    column: edge.column,
                    other: edge.other,
                    confidence: edge.confidence,
                });
            }
        }
    }

    places.sort_unstable();
    places.dedup_by(|b, a| {
        (&a.path, a.line, a.column, a.other) == (&b.path, b.line, b.column, b.other)
    });
    Ok(places)
}
