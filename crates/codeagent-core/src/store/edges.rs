//! Edges by site: `edges` (by source) and `edges_incoming` (by target).
//!
//! Both tables hold the same edges. `contains` is stored as a node's parent, not as an edge.

use rusqlite::{Connection, OptionalExtension, params};

use crate::model::graph::{Confidence, EdgeDirection, EdgeType, NodeId};
use crate::store::bulk::{self, Values};
use crate::store::codec::{id_column, pack_ids, stored_id, unpack_ids, word_column};
use crate::store::{EdgeRow, FileKey, Snapshot, StoreError};

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

const OUTGOING: &str =
    "SELECT target, edge_type, confidence, file_id, line, \"column\" FROM edges WHERE source = ?1";
const INCOMING: &str = "SELECT source, edge_type, confidence, file_id, line, \"column\" FROM edges_incoming WHERE target = ?1";

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

    let sql = format!("{sql} {filter} ORDER BY edge_type, {other}, file_id, line, \"column\"");
    let mut statement = snapshot.connection().prepare_cached(&sql)?;
    let mut rows = statement.query(params![
        stored_id(node),
        edge_type.map(|edge_type| edge_type as u8)
    ])?;

    let mut edges = Vec::new();
    while let Some(row) = rows.next()? {
        edges.push(IncidentEdge {
            other: id_column(row, 0)?,
            edge_type: word_column(row, 1, EdgeType::from_code)?,
            confidence: word_column(row, 2, Confidence::from_code)?,
            file: FileKey(row.get(3)?),
            line: row.get(4)?,
            column: row.get(5)?,
        });
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

const COUNT_INCOMING: &str =
    "SELECT count(*) FROM edges_incoming WHERE target = ?1 AND edge_type <> ?2";

/// Counts the incoming edges, except `contains` and `overrides`.
pub fn reference_count(snapshot: &Snapshot, node: NodeId) -> Result<u64, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(COUNT_INCOMING)?;
    Ok(
        statement.query_row(params![stored_id(node), EdgeType::Overrides as u8], |row| {
            row.get::<_, i64>(0)
        })? as u64,
    )
}

const CANDIDATES: &str = "SELECT candidates FROM edges WHERE source = ?1 AND edge_type = ?2 AND target = ?3 AND file_id = ?4 AND line = ?5 \
    AND \"column\" = ?6";

/// Returns the other candidates of an edge, best first.
pub fn candidates_of(
    snapshot: &Snapshot,
    source: NodeId,
    target: NodeId,
    edge: &IncidentEdge,
) -> Result<Vec<NodeId>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(CANDIDATES)?;

    let key = params![
        stored_id(source),
        edge.edge_type as u8,
        stored_id(target),
        edge.file.0,
        edge.line,
        edge.column
    ];

    let blob = statement
        .query_row(key, |row| {
            Ok(row
                .get_ref(0)?
                .as_blob()
                .map(unpack_ids)
                .unwrap_or_default())
        })
        .optional()?;
    Ok(blob.unwrap_or_default())
}

const ON_LINE: &str = "SELECT target, edge_type, confidence, \"column\" FROM edges WHERE source = ?1 AND file_id = ?2 AND line = ?3";

/// Returns a node's outgoing edges whose sites are on a line of a file, in no particular order.
pub fn edges_on_line(
    snapshot: &Snapshot,
    source: NodeId,
    (file, line): (FileKey, u32),
) -> Result<Vec<IncidentEdge>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(ON_LINE)?;
    let mut rows = statement.query(params![stored_id(source), file.0, line])?;

    let mut edges = Vec::new();
    while let Some(row) = rows.next()? {
        edges.push(IncidentEdge {
            other: id_column(row, 0)?,
            edge_type: word_column(row, 1, EdgeType::from_code)?,
            confidence: word_column(row, 2, Confidence::from_code)?,
            file,
            line,
            column: row.get(3)?,
        });
    }
    Ok(edges)
}

const OF_SOURCE_IN_FILE: &str = "SELECT target, edge_type, confidence, line, \"column\", candidates FROM edges WHERE source = ?1 AND file_id = ?2";

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
        out.push(EdgeRow {
            source,
            target: id_column(row, 0)?,
            edge_type: word_column(row, 1, EdgeType::from_code)?,
            confidence: word_column(row, 2, Confidence::from_code)?,
            file,
            line: row.get(3)?,
            column: row.get(4)?,
            candidates: row
                .get_ref(5)?
                .as_blob()
                .map(unpack_ids)
                .unwrap_or_default()
                .into(),
        });
    }
    Ok(())
}

/// Writes the rows of `edges`.
pub(super) fn insert_outgoing<'e>(
    connection: &Connection,
    edges: impl Iterator<Item = &'e EdgeRow>,
) -> Result<(), StoreError> {
    bulk::insert(connection, ("edges", 8), edges, |edge, row| {
        row.push(stored_id(edge.source))?;
        row.push(edge.edge_type as u8)?;
        row.push(stored_id(edge.target))?;
        push_site(edge, row)?;
        row.push((!edge.candidates.is_empty()).then(|| pack_ids(&edge.candidates)))
    })
}

/// Writes the rows of `edges_incoming`.
pub(super) fn insert_incoming<'e>(
    connection: &Connection,
    edges: impl Iterator<Item = &'e EdgeRow>,
) -> Result<(), StoreError> {
    bulk::insert(connection, ("edges_incoming", 7), edges, |edge, row| {
        row.push(stored_id(edge.target))?;
        row.push(edge.edge_type as u8)?;
        row.push(stored_id(edge.source))?;
        push_site(edge, row)
    })
}

fn push_site(edge: &EdgeRow, row: &mut Values<'_, '_>) -> Result<(), StoreError> {
    row.push(edge.file.0)?;
    row.push(edge.line)?;
    row.push(edge.column)?;
    row.push(edge.confidence as u8)
}

const DELETE: &str = "DELETE FROM edges WHERE source = ?1 AND edge_type = ?2 AND target = ?3 AND file_id = ?4 AND line = ?5 AND \"column\" = ?6";
const DELETE_INCOMING: &str = "DELETE FROM edges_incoming WHERE target = ?3 AND edge_type = ?2 AND source = ?1 AND file_id = ?4 AND line = ?5 \
    AND \"column\" = ?6";

/// Deletes an edge from both tables.
pub(super) fn delete(connection: &Connection, edge: &EdgeRow) -> Result<(), StoreError> {
    for sql in [DELETE, DELETE_INCOMING] {
        let key = params![
            stored_id(edge.source),
            edge.edge_type as u8,
            stored_id(edge.target),
            edge.file.0,
            edge.line,
            edge.column
        ];
        connection.prepare_cached(sql)?.execute(key)?;
    }
    Ok(())
}
