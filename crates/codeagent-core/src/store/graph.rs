//! Batch reads of symbols, for queries that walk the graph.
//!
//! A set of node ids is bound as one array, so each step of a walk is one statement, however
//! many symbols it starts from.

use std::rc::Rc;

use rusqlite::Row;
use rusqlite::types::Value;
use rusqlite::vtab::array::Array;
use rustc_hash::FxHashMap;

use crate::model::graph::{
    Access, EdgeDirection, EdgeType, Language, NodeFlags, NodeId, NodeKind, NodeType,
};
use crate::store::codec::{id_column, stored_id, word_column};
use crate::store::edges::{edge_columns, sites_column};
use crate::store::{FileKey, IncidentEdge, Snapshot, StoreError, bad_value};

/// Maximum number of ids bound to one statement.
const BATCH: usize = 4_000;

/// A symbol without its texts, as walks and their labels need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolBrief {
    /// Id of the symbol.
    pub id: NodeId,
    /// The containing node.
    pub parent: Option<NodeId>,
    /// Bare name.
    pub name: String,
    pub node_type: NodeType,
    pub kind: NodeKind,
    pub language: Language,
    pub access: Option<Access>,
    pub flags: NodeFlags,
    /// File of the primary declaration, if there is one.
    pub file: Option<FileKey>,
    /// First line of the declaration.
    pub line_start: u32,
    /// Last line of the declaration.
    pub line_end: u32,
    /// Line of the name token.
    pub name_line: u32,
}

/// Calls `visit` with each edge of these types at `nodes`, and with the node it is at.
pub fn each_use(
    snapshot: &Snapshot,
    nodes: &[NodeId],
    edge_types: &[EdgeType],
    direction: EdgeDirection,
    mut visit: impl FnMut(NodeId, IncidentEdge),
) -> Result<(), StoreError> {
    let (table, own, other) = match direction {
        EdgeDirection::Outgoing => ("edges", "source", "target"),
        EdgeDirection::Incoming => ("edges_incoming", "target", "source"),
    };
    let codes: Vec<String> = edge_types
        .iter()
        .map(|each| (*each as u8).to_string())
        .collect();
    let sql = format!(
        "SELECT {own}, {other}, edge_type, file_id, sites FROM {table} \
        WHERE {own} IN rarray(?1) AND edge_type IN ({})",
        codes.join(",")
    );

    for batch in nodes.chunks(BATCH) {
        let mut statement = snapshot.connection().prepare_cached(&sql)?;
        let mut rows = statement.query([id_array(batch)])?;
        while let Some(row) = rows.next()? {
            let own = id_column(row, 0)?;
            edge_columns(row, 1)?.for_each(|edge| visit(own, edge));
        }
    }
    Ok(())
}

const ROWS_AT_TARGET: &str = "SELECT sites FROM edges_incoming WHERE target = ?1 LIMIT ?2";

/// Counts the incoming edges of each node, up to `limit`.
pub fn use_counts(
    snapshot: &Snapshot,
    nodes: &[NodeId],
    limit: usize,
) -> Result<FxHashMap<NodeId, usize>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(ROWS_AT_TARGET)?;
    let rows_at_most = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut counts = FxHashMap::default();

    for node in nodes {
        let mut rows = statement.query(rusqlite::params![stored_id(*node), rows_at_most])?;
        let mut count = 0;
        while count < limit
            && let Some(row) = rows.next()?
        {
            count += sites_column(row, 0)?.len();
        }

        counts.insert(*node, count.min(limit));
    }

    Ok(counts)
}

/// The properties of a symbol that a walk needs on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolClass {
    pub node_type: NodeType,
    pub flags: NodeFlags,
}

const CLASSES: &str = "SELECT id, node_type, flags FROM nodes WHERE id IN rarray(?1)";

/// Returns the types and flags of the symbols with these ids.
pub fn classes(
    snapshot: &Snapshot,
    ids: &[NodeId],
) -> Result<FxHashMap<NodeId, SymbolClass>, StoreError> {
    let mut found = FxHashMap::default();
    for batch in ids.chunks(BATCH) {
        let mut statement = snapshot.connection().prepare_cached(CLASSES)?;
        let mut rows = statement.query([id_array(batch)])?;
        while let Some(row) = rows.next()? {
            let class = SymbolClass {
                node_type: word_column(row, 1, NodeType::from_code)?,
                flags: NodeFlags(row.get(2)?),
            };
            found.insert(id_column(row, 0)?, class);
        }
    }

    Ok(found)
}

const BRIEF: &str = "SELECT n.id, n.parent_id, n.name, n.node_type, n.kind, n.language, n.access, n.flags, \
    s.file_id, s.line_start, s.line_end, s.name_line \
    FROM nodes n LEFT JOIN spans s ON s.node_id = n.id AND s.position = 0";

/// Returns the symbols with these ids.
pub fn briefs(
    snapshot: &Snapshot,
    ids: &[NodeId],
) -> Result<FxHashMap<NodeId, SymbolBrief>, StoreError> {
    let sql = format!("{BRIEF} WHERE n.id IN rarray(?1)");
    let mut found = FxHashMap::default();
    for batch in ids.chunks(BATCH) {
        let mut statement = snapshot.connection().prepare_cached(&sql)?;
        let mut rows = statement.query([id_array(batch)])?;
        while let Some(row) = rows.next()? {
            let brief = brief_row(row)?;
            found.insert(brief.id, brief);
        }
    }
    Ok(found)
}

/// Returns the symbols that these nodes lexically contain.
pub fn children_of(snapshot: &Snapshot, ids: &[NodeId]) -> Result<Vec<SymbolBrief>, StoreError> {
    let sql = format!("{BRIEF} WHERE n.parent_id IN rarray(?1)");
    let mut found = Vec::new();
    for batch in ids.chunks(BATCH) {
        let mut statement = snapshot.connection().prepare_cached(&sql)?;
        let mut rows = statement.query([id_array(batch)])?;
        while let Some(row) = rows.next()? {
            found.push(brief_row(row)?);
        }
    }
    Ok(found)
}

const FILES_OF_NAMESPACE: &str = "SELECT DISTINCT f.path FROM nodes n \
    JOIN spans s ON s.node_id = n.id JOIN files f ON f.id = s.file_id \
    WHERE n.qualified_name >= ?1 AND n.qualified_name < ?2";

/// Returns the paths of the files that declare something in a namespace or in one below it.
pub fn files_of_namespace(snapshot: &Snapshot, name: &str) -> Result<Vec<String>, StoreError> {
    // '/' is the character after '.'.
    let (from, to) = (format!("{name}."), format!("{name}/"));
    let mut statement = snapshot.connection().prepare_cached(FILES_OF_NAMESPACE)?;
    let paths = statement.query_map([from, to], |row| row.get(0))?;
    Ok(paths.collect::<Result<_, _>>()?)
}

const FILES_BELOW: &str =
    "SELECT id FROM nodes WHERE qualified_name >= ?1 AND qualified_name < ?2 AND node_type = ?3";

/// Returns the file nodes below a folder; `.` is the whole repository.
pub fn file_nodes_below(snapshot: &Snapshot, folder: &str) -> Result<Vec<NodeId>, StoreError> {
    // '0' is the character after '/'.
    let (from, to) = match folder {
        "." => (String::new(), "\u{10ffff}".to_owned()),
        folder => (format!("{folder}/"), format!("{folder}0")),
    };
    let mut statement = snapshot.connection().prepare_cached(FILES_BELOW)?;
    let parameters = rusqlite::params![from, to, NodeType::File as u8];
    let rows = statement.query_map(parameters, |row| Ok(NodeId(row.get::<_, i64>(0)? as u64)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns all symbols, by id.
pub fn all_briefs(snapshot: &Snapshot) -> Result<Vec<SymbolBrief>, StoreError> {
    let mut statement = snapshot
        .connection()
        .prepare_cached(&format!("{BRIEF} ORDER BY n.id"))?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(brief_row(row)?);
    }
    Ok(found)
}

fn brief_row(row: &Row<'_>) -> Result<SymbolBrief, StoreError> {
    let access = match row.get::<_, Option<u8>>(6)? {
        Some(code) => Some(Access::from_code(code).ok_or_else(|| bad_value("access"))?),
        None => None,
    };
    let number = |index| {
        row.get::<_, Option<u32>>(index)
            .map(Option::unwrap_or_default)
    };

    Ok(SymbolBrief {
        id: id_column(row, 0)?,
        parent: row.get::<_, Option<i64>>(1)?.map(|id| NodeId(id as u64)),
        name: row.get(2)?,
        node_type: word_column(row, 3, NodeType::from_code)?,
        kind: word_column(row, 4, NodeKind::from_code)?,
        language: word_column(row, 5, Language::from_code)?,
        access,
        flags: NodeFlags(row.get(7)?),
        file: row.get::<_, Option<_>>(8)?.map(FileKey),
        line_start: number(9)?,
        line_end: number(10)?,
        name_line: number(11)?,
    })
}

/// Makes the parameter of a query for some ids, sorted, so that pages are read in their order.
fn id_array(ids: &[NodeId]) -> Array {
    let mut sorted: Vec<NodeId> = ids.to_vec();
    sorted.sort_unstable();
    let value = |id| Value::Integer(stored_id(id));
    Rc::new(sorted.into_iter().map(value).collect())
}
