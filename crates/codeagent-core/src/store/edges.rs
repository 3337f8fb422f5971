//! Uses of nodes: `edges` (by source) and `edges_incoming` (by target).
//!
//! Both tables hold the same edges; those that differ only in their site are one row. `contains` is
//! stored as a node's parent, not as an edge.

use rusqlite::{Connection, Row, params};

use crate::model::graph::{Confidence, EdgeDirection, EdgeType, NodeId};
use crate::store::bulk;
use crate::store::codec::{id_column, stored_id, word_column};
use crate::store::edge_sites::{Site, pack_sites, unpack_sites};
use crate::store::{EdgeRow, FileKey, Snapshot, StoreError, bad_value};

/// An edge as seen from one of its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncidentEdge {
    /// The node at the other end.
    pub other: NodeId,
    pub edge_type: EdgeType,
    pub confidence: Confidence,
    /// File of the site.
    pub file: FileKey,
    pub line: u32,
    pub column: u32,
}

impl IncidentEdge {
    fn of(other: NodeId, edge_type: EdgeType, file: FileKey, site: &Site) -> Self {
        Self {
            other,
            edge_type,
            confidence: site.confidence,
            file,
            line: site.line,
            column: site.column,
        }
    }
}

/// Reads the edges in a row whose columns from `at` are the other end, the type, the file and the
/// sites.
pub(super) fn edge_columns(
    row: &Row<'_>,
    at: usize,
) -> Result<impl Iterator<Item = IncidentEdge>, StoreError> {
    let other = id_column(row, at)?;
    let edge_type = word_column(row, at + 1, EdgeType::from_code)?;
    let file = FileKey(row.get(at + 2)?);
    let sites = sites_column(row, at + 3)?;
    Ok(sites
        .into_iter()
        .map(move |site| IncidentEdge::of(other, edge_type, file, &site)))
}

pub(super) fn sites_column(row: &Row<'_>, at: usize) -> Result<Vec<Site>, StoreError> {
    unpack_sites(row.get_ref(at)?.as_blob().map_err(|_| bad_value("sites"))?)
}

const OUTGOING: &str = "SELECT target, edge_type, file_id, sites FROM edges WHERE source = ?1";
const INCOMING: &str =
    "SELECT source, edge_type, file_id, sites FROM edges_incoming WHERE target = ?1";

/// Returns the edges at a node, optionally of one type, ordered by type, other end and site. For
/// `contains`, see [`contained`].
pub fn incident_edges(
    snapshot: &Snapshot,
    node: NodeId,
    edge_type: Option<EdgeType>,
    direction: EdgeDirection,
) -> Result<Vec<IncidentEdge>, StoreError> {
    let (sql, other) = match direction {
        EdgeDirection::Outgoing => (OUTGOING, "target"),
        EdgeDirection::Incoming => (INCOMING, "source"),
    };

    let filter = if edge_type.is_some() {
        "AND edge_type = ?2"
    } else {
        "AND ?2 IS NULL"
    };

    let sql = format!("{sql} {filter} ORDER BY edge_type, {other}, file_id");
    let mut statement = snapshot.connection().prepare_cached(&sql)?;
    let mut rows = statement.query(params![
        stored_id(node),
        edge_type.map(|edge_type| edge_type as u8)
    ])?;

    let mut edges = Vec::new();
    while let Some(row) = rows.next()? {
        edges.extend(edge_columns(row, 0)?);
    }
    Ok(edges)
}

/// One end of a `contains` relation, with the position of its primary declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contained {
    pub id: NodeId,
    /// File of the primary declaration, if there is one.
    pub file: Option<FileKey>,
    pub line: u32,
    /// UTF-16 column where the declaration begins.
    pub column: u32,
}

const CHILDREN: &str = "SELECT n.id, s.file_id, s.line_start, s.column_start FROM nodes n \
    LEFT JOIN spans s ON s.node_id = n.id AND s.position = 0 WHERE n.parent_id = ?1";
const PARENT: &str = "SELECT n.id, s.file_id, s.line_start, s.column_start FROM nodes c JOIN nodes n ON n.id = c.parent_id \
    LEFT JOIN spans s ON s.node_id = n.id AND s.position = 0 WHERE c.id = ?1";

/// Returns the nodes that a node lexically contains, or its container, in no particular order.
pub fn contained(
    snapshot: &Snapshot,
    node: NodeId,
    direction: EdgeDirection,
) -> Result<Vec<Contained>, StoreError> {
    let sql = match direction {
        EdgeDirection::Outgoing => CHILDREN,
        EdgeDirection::Incoming => PARENT,
    };

    let mut statement = snapshot.connection().prepare_cached(sql)?;
    let mut rows = statement.query([stored_id(node)])?;

    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let number = |index| {
            row.get::<_, Option<u32>>(index)
                .map(Option::unwrap_or_default)
        };
        found.push(Contained {
            id: id_column(row, 0)?,
            file: row.get::<_, Option<_>>(1)?.map(FileKey),
            line: number(2)?,
            column: number(3)?,
        });
    }
    Ok(found)
}

const SITES_AT_TARGET: &str =
    "SELECT sites FROM edges_incoming WHERE target = ?1 AND edge_type <> ?2";

/// Counts the incoming edges, except `contains` and `overrides`.
pub fn reference_count(snapshot: &Snapshot, node: NodeId) -> Result<u64, StoreError> {
    let connection = snapshot.connection();
    let mut statement = connection.prepare_cached(SITES_AT_TARGET)?;
    let mut rows = statement.query(params![stored_id(node), EdgeType::Overrides as u8])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += sites_column(row, 0)?.len() as u64;
    }
    Ok(count)
}

const SITES: &str =
    "SELECT sites FROM edges WHERE source = ?1 AND edge_type = ?2 AND target = ?3 AND file_id = ?4";

/// Returns the other candidates of an edge, best first.
pub fn candidates_of(
    snapshot: &Snapshot,
    source: NodeId,
    target: NodeId,
    edge: &IncidentEdge,
) -> Result<Vec<NodeId>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(SITES)?;
    let mut rows = statement.query(params![
        stored_id(source),
        edge.edge_type as u8,
        stored_id(target),
        edge.file.0
    ])?;

    let Some(row) = rows.next()? else {
        return Ok(Vec::new());
    };
    let is_here = |site: &Site| (site.line, site.column) == (edge.line, edge.column);
    let site = sites_column(row, 0)?.into_iter().find(is_here);
    Ok(site.map_or_else(Vec::new, |site| site.candidates.into_vec()))
}

const OF_SOURCE_IN_FILE: &str =
    "SELECT target, edge_type, file_id, sites FROM edges WHERE source = ?1 AND file_id = ?2";

/// Returns a node's outgoing edges whose sites are on a line of a file, in no particular order.
pub fn edges_on_line(
    snapshot: &Snapshot,
    source: NodeId,
    (file, line): (FileKey, u32),
) -> Result<Vec<IncidentEdge>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(OF_SOURCE_IN_FILE)?;
    let mut rows = statement.query(params![stored_id(source), file.0])?;

    let mut edges = Vec::new();
    while let Some(row) = rows.next()? {
        edges.extend(edge_columns(row, 0)?.filter(|edge| edge.line == line));
    }
    Ok(edges)
}

/// Collects a node's outgoing edges whose sites are in a file.
pub(super) fn of_source_in_file(
    connection: &Connection,
    source: NodeId,
    file: FileKey,
    out: &mut Vec<EdgeRow>,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(OF_SOURCE_IN_FILE)?;
    let mut rows = statement.query(params![stored_id(source), file.0])?;

    while let Some(row) = rows.next()? {
        let target = id_column(row, 0)?;
        let edge_type = word_column(row, 1, EdgeType::from_code)?;
        let edge = |site: Site| EdgeRow {
            source,
            target,
            edge_type,
            confidence: site.confidence,
            file,
            line: site.line,
            column: site.column,
            candidates: site.candidates,
        };
        out.extend(sites_column(row, 3)?.into_iter().map(edge));
    }
    Ok(())
}

/// Splits edges that are sorted by either key into those of one row each.
pub(super) fn rows_of(edges: &[EdgeRow]) -> impl Iterator<Item = &[EdgeRow]> {
    edges.chunk_by(|a, b| a.row_key() == b.row_key())
}

/// Writes rows of `edges`, each made of its edges in text order.
pub(super) fn insert_outgoing<'e>(
    connection: &Connection,
    rows: impl Iterator<Item = &'e [EdgeRow]>,
) -> Result<(), StoreError> {
    insert(connection, "edges", rows, |edge| (edge.source, edge.target))
}

/// Writes rows of `edges_incoming`, each made of its edges in text order.
pub(super) fn insert_incoming<'e>(
    connection: &Connection,
    rows: impl Iterator<Item = &'e [EdgeRow]>,
) -> Result<(), StoreError> {
    let ends = |edge: &EdgeRow| (edge.target, edge.source);
    insert(connection, "edges_incoming", rows, ends)
}

fn insert<'e>(
    connection: &Connection,
    table: &str,
    rows: impl Iterator<Item = &'e [EdgeRow]>,
    ends: impl Fn(&EdgeRow) -> (NodeId, NodeId),
) -> Result<(), StoreError> {
    bulk::insert(connection, (table, 5), rows, |edges, row| {
        let edge = &edges[0];
        let (own, other) = ends(edge);
        row.push(stored_id(own))?;
        row.push(edge.edge_type as u8)?;
        row.push(stored_id(other))?;
        row.push(edge.file.0)?;
        row.push(pack_sites(edges)?)
    })
}

const DELETE: &str =
    "DELETE FROM edges WHERE source = ?1 AND edge_type = ?2 AND target = ?3 AND file_id = ?4";
const DELETE_INCOMING: &str = "DELETE FROM edges_incoming WHERE target = ?3 AND edge_type = ?2 AND source = ?1 AND file_id = ?4";

/// Deletes the row of an edge from both tables.
pub(super) fn delete_row(connection: &Connection, edge: &EdgeRow) -> Result<(), StoreError> {
    for sql in [DELETE, DELETE_INCOMING] {
        let key = params![
            stored_id(edge.source),
            edge.edge_type as u8,
            stored_id(edge.target),
            edge.file.0
        ];
        connection.prepare_cached(sql)?.execute(key)?;
    }
    Ok(())
}
