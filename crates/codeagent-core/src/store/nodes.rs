//! Symbols, their projects and their declaration sites: `nodes`, `projects` and `spans`.

use std::ops::RangeInclusive;

use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use rustc_hash::FxHashMap;

use crate::model::graph::{
    Access, Language, Node, NodeFlags, NodeId, NodeKind, NodeSpan, NodeType,
};
use crate::model::span::{Position, Span};
use crate::store::bulk::{self, Values};
use crate::store::codec::{id_column, stored_id, word_column};
use crate::store::{FileKey, Snapshot, SpanUpdate, StoreError, bad_value};

const SPAN_COLUMNS: &str = "f.path, s.start_offset, s.end_offset, s.line_start, s.column_start, s.line_end, s.name_line, s.name_column";

/// Selects a node with its primary span.
pub(super) const SELECT_NODE: &str = "SELECT n.id, n.parent_id, (SELECT path FROM projects WHERE id = n.project), n.name, n.qualified_name, n.node_type, n.kind, n.language, n.access, \
    n.flags, n.type_parameters, n.parameter_signature, n.parameter_count, n.return_type, n.doc, \
    f.path, s.start_offset, s.end_offset, s.line_start, s.column_start, s.line_end, s.name_line, s.name_column \
    FROM nodes n LEFT JOIN spans s ON s.node_id = n.id AND s.position = 0 LEFT JOIN files f ON f.id = s.file_id";

fn span_columns(row: &Row<'_>, from: usize) -> Result<NodeSpan, StoreError> {
    let start = Position {
        offset: row.get(from + 1)?,
        line: row.get(from + 3)?,
        column: row.get(from + 4)?,
    };
    Ok(NodeSpan {
        path: row.get(from)?,
        span: Span {
            start,
            end_offset: row.get(from + 2)?,
            end_line: row.get(from + 5)?,
        },
        name_line: row.get(from + 6)?,
        name_column: row.get(from + 7)?,
    })
}

/// Reads the node in a row of [`SELECT_NODE`].
pub(super) fn node_row(row: &Row<'_>) -> Result<Node, StoreError> {
    let access = match row.get::<_, Option<u8>>(8)? {
        Some(code) => Some(Access::from_code(code).ok_or_else(|| bad_value("access"))?),
        None => None,
    };

    let has_span = row.get_ref(15)? != rusqlite::types::ValueRef::Null;

    Ok(Node {
        id: id_column(row, 0)?,
        parent: row.get::<_, Option<i64>>(1)?.map(|id| NodeId(id as u64)),
        project_id: row.get(2)?,
        name: row.get(3)?,
        qualified_name: row.get(4)?,
        node_type: word_column(row, 5, NodeType::from_code)?,
        kind: word_column(row, 6, NodeKind::from_code)?,
        language: word_column(row, 7, Language::from_code)?,
        access,
        flags: NodeFlags(row.get(9)?),
        type_parameters: row.get(10)?,
        parameter_signature: row.get(11)?,
        parameter_count: row.get(12)?,
        return_type: row.get(13)?,
        doc: row.get(14)?,
        spans: if has_span {
            vec![span_columns(row, 15)?]
        } else {
            Vec::new()
        },
    })
}

/// Returns the nodes of [`SELECT_NODE`] followed by `rest`.
pub(super) fn select_nodes(
    connection: &Connection,
    rest: &str,
    parameters: &[&dyn ToSql],
) -> Result<Vec<Node>, StoreError> {
    let mut statement = connection.prepare_cached(&format!("{SELECT_NODE} {rest}"))?;
    let mut rows = statement.query(parameters)?;
    let mut nodes = Vec::new();
    while let Some(row) = rows.next()? {
        nodes.push(node_row(row)?);
    }
    Ok(nodes)
}

/// Returns a node with its primary span.
pub fn node(snapshot: &Snapshot, id: NodeId) -> Result<Option<Node>, StoreError> {
    Ok(select_nodes(snapshot.connection(), "WHERE n.id = ?1", &[&stored_id(id)])?.pop())
}

pub fn by_qualified_name(
    snapshot: &Snapshot,
    qualified_name: &str,
) -> Result<Vec<Node>, StoreError> {
    select_nodes(
        snapshot.connection(),
        "WHERE n.qualified_name = ?1 ORDER BY n.id",
        &[&qualified_name],
    )
}

/// Returns at most `limit` nodes with this name, ignoring case.
pub fn by_name(snapshot: &Snapshot, name: &str, limit: usize) -> Result<Vec<Node>, StoreError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    select_nodes(
        snapshot.connection(),
        "WHERE n.name = ?1 COLLATE NOCASE ORDER BY n.id LIMIT ?2",
        &[&name, &limit],
    )
}

/// Returns at most `limit` nodes with this name, ignoring case, whose qualified name ends with
/// `suffix`; functions in functions and object literals only if there is room.
pub fn by_name_within(
    snapshot: &Snapshot,
    name: &str,
    suffix: &str,
    limit: usize,
) -> Result<Vec<Node>, StoreError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rest = "WHERE n.name = ?1 COLLATE NOCASE AND substr(n.qualified_name, -length(?2)) = ?2 \
        ORDER BY n.flags & ?4, n.id LIMIT ?3";
    let local = NodeFlags::LOCAL.0;
    select_nodes(
        snapshot.connection(),
        rest,
        &[&name, &suffix, &limit, &local],
    )
}

/// Returns at most `limit` nodes whose qualified name ends with these segments, ignoring case.
pub fn by_name_end(snapshot: &Snapshot, end: &str, limit: usize) -> Result<Vec<Node>, StoreError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let name = end.rsplit(['.', '#']).next().unwrap_or(end);
    let rest = "WHERE n.name = ?1 COLLATE NOCASE AND substr('.' || n.qualified_name, -length(?2) - 1) \
        COLLATE NOCASE IN ('.' || ?2, '#' || ?2, '/' || ?2) ORDER BY n.id LIMIT ?3";
    select_nodes(snapshot.connection(), rest, &[&name, &end, &limit])
}

/// Returns the nodes declared in a file, in text order. A node declared there several times has one
/// entry per span.
pub fn nodes_of_file(snapshot: &Snapshot, file: FileKey) -> Result<Vec<Node>, StoreError> {
    let sql = SELECT_NODE.replace(
        "FROM nodes n LEFT JOIN spans s ON s.node_id = n.id AND s.position = 0",
        "FROM spans s JOIN nodes n ON n.id = s.node_id",
    );
    let mut statement = snapshot.connection().prepare_cached(&format!(
        "{sql} WHERE s.file_id = ?1 ORDER BY s.start_offset, s.end_offset DESC, s.name_line, s.name_column, n.id"
    ))?;
    let mut rows = statement.query([file.0])?;
    let mut nodes = Vec::new();
    while let Some(row) = rows.next()? {
        nodes.push(node_row(row)?);
    }
    Ok(nodes)
}

/// Returns the nodes whose names are on a line of a file, each with its span there; without the
/// file's own node.
pub fn nodes_named_on_line(
    snapshot: &Snapshot,
    file: FileKey,
    line: u32,
) -> Result<Vec<Node>, StoreError> {
    let sql = SELECT_NODE.replace(
        "FROM nodes n LEFT JOIN spans s ON s.node_id = n.id AND s.position = 0",
        "FROM spans s JOIN nodes n ON n.id = s.node_id",
    );
    let mut statement = snapshot.connection().prepare_cached(&format!(
        "{sql} WHERE s.file_id = ?1 AND s.name_line = ?2 AND n.node_type <> ?3 ORDER BY s.name_column, s.start_offset, n.id"
    ))?;
    let mut rows = statement.query(rusqlite::params![file.0, line, NodeType::File as u8])?;

    let mut nodes = Vec::new();
    while let Some(row) = rows.next()? {
        nodes.push(node_row(row)?);
    }
    Ok(nodes)
}

const NODE_IDS_OF_FILE: &str =
    "SELECT DISTINCT node_id FROM spans WHERE file_id = ?1 ORDER BY node_id";

pub fn node_ids_of_file(snapshot: &Snapshot, file: FileKey) -> Result<Vec<NodeId>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(NODE_IDS_OF_FILE)?;
    let rows = statement.query_map([file.0], |row| Ok(NodeId(row.get::<_, i64>(0)? as u64)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const SPANS_OF_FILE: &str = "SELECT node_id, line_start, line_end FROM spans WHERE file_id = ?1 \
    ORDER BY line_end - line_start, start_offset DESC, end_offset, node_id";

/// Returns the nodes declared in a file with their first and last lines, innermost first.
pub fn line_spans(
    snapshot: &Snapshot,
    file: FileKey,
) -> Result<Vec<(NodeId, RangeInclusive<u32>)>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(SPANS_OF_FILE)?;
    let rows = statement.query_map([file.0], |row| {
        let id = NodeId(row.get::<_, i64>(0)? as u64);
        Ok((id, row.get(1)?..=row.get(2)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns all declaration sites of a node, primary first.
pub fn spans_of(snapshot: &Snapshot, id: NodeId) -> Result<Vec<NodeSpan>, StoreError> {
    let sql = format!(
        "SELECT {SPAN_COLUMNS} FROM spans s JOIN files f ON f.id = s.file_id WHERE s.node_id = ?1 ORDER BY s.position"
    );
    let mut statement = snapshot.connection().prepare_cached(&sql)?;
    let mut rows = statement.query([stored_id(id)])?;
    let mut spans = Vec::new();
    while let Some(row) = rows.next()? {
        spans.push(span_columns(row, 0)?);
    }
    Ok(spans)
}

/// Hashes everything that is stored about a node. `buffer` is scratch space, reused between calls.
#[must_use]
pub fn node_hash(node: &Node, buffer: &mut Vec<u8>) -> i64 {
    buffer.clear();
    *buffer = postcard::to_extend(node, std::mem::take(buffer))
        .expect("nodes have no values that postcard refuses");
    content_hash(buffer)
}

/// Hashes an encoded node.
pub(super) fn content_hash(encoded: &[u8]) -> i64 {
    i64::from_le_bytes(
        blake3::hash(encoded).as_bytes()[..8]
            .try_into()
            .expect("a hash has 32 bytes"),
    )
}

const STORED_HASHES: &str = "SELECT id, hash FROM nodes WHERE flags & ?1 = 0 ORDER BY id";

/// Returns ids and content hashes of the nodes made from sources, by id.
pub(super) fn stored_hashes(connection: &Connection) -> Result<Vec<(NodeId, i64)>, StoreError> {
    let mut statement = connection.prepare_cached(STORED_HASHES)?;
    let rows = statement.query_map([NodeFlags::IMPORTED.0], |row| {
        Ok((NodeId(row.get::<_, i64>(0)? as u64), row.get(1)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns a stored node without its secondary spans.
pub(super) fn stored_node(connection: &Connection, id: NodeId) -> Result<Option<Node>, StoreError> {
    Ok(select_nodes(connection, "WHERE n.id = ?1", &[&stored_id(id)])?.pop())
}

/// Inserts new nodes and their spans. `keys` are the file keys by path.
pub(super) fn insert<'n>(
    connection: &Connection,
    nodes: impl Iterator<Item = (i64, &'n Node)> + Clone,
    keys: &FxHashMap<String, FileKey>,
) -> Result<(), StoreError> {
    let projects = write_projects(connection, nodes.clone().map(|(_, node)| node))?;
    bulk::insert(
        connection,
        ("nodes", 16),
        nodes.clone(),
        |(hash, node), row| push_node(node, projects[node.project_id.as_str()], *hash, row),
    )?;

    let spans = nodes.flat_map(|(_, node)| {
        let known = node
            .spans
            .iter()
            .filter_map(|span| Some((span, *keys.get(&span.path)?)));
        known
            .enumerate()
            .map(move |(position, (span, file))| (node.id, position, span, file))
    });

    bulk::insert(
        connection,
        ("spans", 10),
        spans,
        |(node, position, span, file), row| {
            row.push(stored_id(*node))?;
            row.push(*position as i64)?;
            row.push(file.0)?;
            push_span(span, row)
        },
    )
}

const PROJECT: &str = "SELECT id FROM projects WHERE path = ?1";
const INSERT_PROJECT: &str = "INSERT INTO projects (path) VALUES (?1) RETURNING id";

/// Returns the rows of the nodes' projects, by their paths, and inserts those that are new.
fn write_projects<'n>(
    connection: &Connection,
    nodes: impl Iterator<Item = &'n Node>,
) -> Result<FxHashMap<&'n str, i64>, StoreError> {
    let mut rows: FxHashMap<&str, i64> = FxHashMap::default();

    for node in nodes {
        if rows.contains_key(node.project_id.as_str()) {
            continue;
        }

        let path = [node.project_id.as_str()];
        let mut select = connection.prepare_cached(PROJECT)?;
        let row = match select.query_row(path, |row| row.get(0)).optional()? {
            Some(row) => row,
            None => connection
                .prepare_cached(INSERT_PROJECT)?
                .query_row(path, |row| row.get(0))?,
        };

        rows.insert(&node.project_id, row);
    }

    Ok(rows)
}

fn push_node(
    node: &Node,
    project: i64,
    hash: i64,
    row: &mut Values<'_, '_>,
) -> Result<(), StoreError> {
    row.push(stored_id(node.id))?;
    row.push(node.parent.map(stored_id))?;
    row.push(project)?;
    row.push(node.name.as_str())?;
    row.push(node.qualified_name.as_str())?;

    row.push(node.node_type as u8)?;
    row.push(node.kind as u8)?;
    row.push(node.language as u8)?;
    row.push(node.access.map(|access| access as u8))?;
    row.push(node.flags.0)?;

    row.push(node.parameter_signature.as_deref())?;
    row.push(node.parameter_count)?;
    row.push(node.return_type.as_deref())?;
    row.push(node.doc.as_deref())?;
    row.push(hash)?;
    row.push(node.type_parameters.as_deref())
}

fn push_span(of: &NodeSpan, row: &mut Values<'_, '_>) -> Result<(), StoreError> {
    let Span {
        start,
        end_offset,
        end_line,
    } = of.span;

    for number in [
        start.offset,
        end_offset,
        start.line,
        start.column,
        end_line,
        of.name_line,
        of.name_column,
    ] {
        row.push(number)?;
    }
    Ok(())
}

const MOVE_SPAN: &str = "UPDATE spans SET start_offset = ?3, end_offset = ?4, line_start = ?5, column_start = ?6, line_end = ?7, name_line = ?8, \
    name_column = ?9 WHERE node_id = ?1 AND position = ?2";
const SET_HASH: &str = "UPDATE nodes SET hash = ?2 WHERE id = ?1";

/// Updates moved declaration sites and the hashes of their nodes.
pub(super) fn move_spans(
    connection: &Connection,
    moved: &[SpanUpdate],
    hashes: &[(NodeId, i64)],
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(MOVE_SPAN)?;
    for SpanUpdate {
        node,
        position,
        span,
        name,
    } in moved
    {
        let Span {
            start,
            end_offset,
            end_line,
        } = *span;

        let id = stored_id(*node);
        statement.execute(params![
            id,
            position,
            start.offset,
            end_offset,
            start.line,
            start.column,
            end_line,
            name.0,
            name.1
        ])?;
    }

    let mut statement = connection.prepare_cached(SET_HASH)?;
    for (node, hash) in hashes {
        statement.execute(params![stored_id(*node), hash])?;
    }

    Ok(())
}

const DELETE: &str = "DELETE FROM nodes WHERE id = ?1";
const DELETE_SPANS: &str = "DELETE FROM spans WHERE node_id = ?1";

pub(super) fn delete_node(connection: &Connection, id: NodeId) -> Result<(), StoreError> {
    connection
        .prepare_cached(DELETE)?
        .execute([stored_id(id)])?;
    connection
        .prepare_cached(DELETE_SPANS)?
        .execute([stored_id(id)])?;
    Ok(())
}
