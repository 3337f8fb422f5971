//! Imported SCIP indexes: `imports`, and their rows in the tables of the graph.
//!
//! Files of an import have ids from [`FIRST_IMPORTED_FILE`] on, and nodes the flag
//! [`NodeFlags::IMPORTED`], so that rows made from sources and imported rows do not touch each
//! other.

use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use crate::model::graph::{NodeFlags, NodeId};
use crate::store::codec::id_column;
use crate::store::{EdgeRow, FileKey, FileRow, NodeWithHash, Snapshot, StoreError};

/// The first id of imported files; those of files indexed from their sources are lower.
pub const FIRST_IMPORTED_FILE: u32 = 1 << 31;

/// An imported index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportRow {
    /// Name of the import.
    pub name: String,
    /// Name and version of the tool that made the index.
    pub tool: String,
    /// Folder that the documents' paths are relative to; empty for the root.
    pub folder: String,
    /// Number of imported files.
    pub files: u64,
    /// Number of symbols that they declare.
    pub symbols: u64,
    /// Number of uses of symbols that an import declares.
    pub uses: u64,
    /// Number of uses of other symbols, which are not in the graph.
    pub external_uses: u64,
    /// Number of files left out because they are indexed from their sources.
    pub own_files: u64,
    /// Number of files left out because their text has changed since the import.
    pub changed_files: u64,
    /// Number of files left out because the index was made from another text.
    pub misplaced_files: u64,
    /// Why the whole import was left out.
    pub problem: Option<String>,
}

/// The rows of all imports.
#[derive(Debug, Default)]
pub struct ImportedGraph {
    /// The imports, by name.
    pub imports: Vec<ImportRow>,
    /// The imported files.
    pub files: Vec<FileRow>,
    /// The files' keys, by path.
    pub keys: FxHashMap<String, FileKey>,
    /// Nodes, by id.
    pub nodes: Vec<NodeWithHash>,
    /// Edges with distinct keys, in their order.
    pub edges: Vec<EdgeRow>,
}

const IMPORTS: &str = "SELECT name, tool, folder, files, symbols, uses, external_uses, own_files, changed_files, \
    misplaced_files, problem FROM imports ORDER BY name";

/// Returns the imports, by name.
pub fn imports(snapshot: &Snapshot) -> Result<Vec<ImportRow>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(IMPORTS)?;
    let rows = statement.query_map([], |row| {
        let number = |index| row.get::<_, i64>(index).map(|value| value as u64);
        Ok(ImportRow {
            name: row.get(0)?,
            tool: row.get(1)?,
            folder: row.get(2)?,
            files: number(3)?,
            symbols: number(4)?,
            uses: number(5)?,
            external_uses: number(6)?,
            own_files: number(7)?,
            changed_files: number(8)?,
            misplaced_files: number(9)?,
            problem: row.get(10)?,
        })
    })?;

    Ok(rows.collect::<Result<_, _>>()?)
}

const NODES: &str = "SELECT id FROM nodes WHERE flags & ?1 <> 0 ORDER BY id";

/// Returns the imported nodes.
pub(super) fn nodes(connection: &Connection) -> Result<Vec<NodeId>, StoreError> {
    let mut statement = connection.prepare(NODES)?;
    let mut rows = statement.query([NodeFlags::IMPORTED.0])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(id_column(row, 0)?);
    }
    Ok(found)
}

const DELETE: [&str; 4] = [
    "DELETE FROM files WHERE id >= ?1",
    "DELETE FROM file_links WHERE file_id >= ?1",
    "DELETE FROM edges WHERE file_id >= ?1",
    "DELETE FROM edges_incoming WHERE file_id >= ?1",
];

/// Deletes the imports with their files and edges.
pub(super) fn delete(connection: &Connection) -> Result<(), StoreError> {
    for sql in DELETE {
        connection.execute(sql, [FIRST_IMPORTED_FILE])?;
    }
    connection.execute("DELETE FROM imports", [])?;
    Ok(())
}

const INSERT: &str = "INSERT INTO imports VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

/// Inserts the rows about the imports themselves.
pub(super) fn insert(connection: &Connection, rows: &[ImportRow]) -> Result<(), StoreError> {
    let mut statement = connection.prepare(INSERT)?;
    for row in rows {
        statement.execute(params![
            row.name,
            row.tool,
            row.folder,
            row.files as i64,
            row.symbols as i64,
            row.uses as i64,
            row.external_uses as i64,
            row.own_files as i64,
            row.changed_files as i64,
            row.misplaced_files as i64,
            row.problem,
        ])?;
    }

    Ok(())
}
