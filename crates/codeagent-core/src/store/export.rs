//! Reads the whole graph, for `codeagent export`.

use rustc_hash::FxHashMap;

use crate::model::graph::{Access, Confidence, EdgeType, Language, NodeFlags, NodeId, NodeKind};
use crate::store::codec::{id_column, stored_id, word_column};
use crate::store::{EdgeRow, FileKey, Snapshot, StoreError, edges, files};

/// One declaration site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportSymbol {
    /// The declared node.
    pub id: NodeId,
    /// The containing node.
    pub parent: Option<NodeId>,
    pub kind: NodeKind,
    /// Bare name.
    pub name: String,
    /// File of the declaration.
    pub file: FileKey,
    /// First line.
    pub line_start: u32,
    /// UTF-16 column where it begins.
    pub column_start: u32,
    /// Last line.
    pub line_end: u32,
    /// Line of the name token.
    pub name_line: u32,
    /// UTF-16 column of the name token.
    pub name_column: u32,
    /// Offsets of the declaration in the text, in bytes.
    pub offsets: (u32, u32),
    pub flags: NodeFlags,
    /// The whole name of a namespace.
    pub namespace: Option<String>,
}

/// One use of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportEdge {
    /// The node whose declaration contains the site.
    pub source: NodeId,
    /// The node that is used.
    pub target: NodeId,
    pub edge_type: EdgeType,
    pub confidence: Confidence,
    pub file: FileKey,
    pub line: u32,
    pub column: u32,
}

const SYMBOLS: &str = "SELECT n.id, n.parent_id, n.kind, n.name, s.file_id, s.line_start, s.line_end, s.name_line, \
    s.name_column, s.start_offset, s.end_offset, n.flags, CASE n.kind WHEN ?1 THEN n.qualified_name END, s.column_start FROM spans s \
    JOIN nodes n ON n.id = s.node_id ORDER BY s.node_id, s.position";

/// Returns all declaration sites, grouped by node, primary first.
pub fn export_symbols(snapshot: &Snapshot) -> Result<Vec<ExportSymbol>, StoreError> {
    let mut statement = snapshot.connection().prepare(SYMBOLS)?;
    let mut rows = statement.query([NodeKind::Namespace as u8])?;
    let mut symbols = Vec::new();

    while let Some(row) = rows.next()? {
        symbols.push(ExportSymbol {
            id: id_column(row, 0)?,
            parent: row.get::<_, Option<i64>>(1)?.map(|id| NodeId(id as u64)),
            kind: word_column(row, 2, NodeKind::from_code)?,
            name: row.get(3)?,
            file: FileKey(row.get(4)?),
            line_start: row.get(5)?,
            line_end: row.get(6)?,
            name_line: row.get(7)?,
            name_column: row.get(8)?,
            offsets: (row.get(9)?, row.get(10)?),
            flags: NodeFlags(row.get(11)?),
            namespace: row.get(12)?,
            column_start: row.get(13)?,
        });
    }

    Ok(symbols)
}

const EDGES: &str = "SELECT source, target, edge_type, file_id, sites FROM edges";

/// Calls `visit` with every edge, ordered by source.
pub fn export_edges(
    snapshot: &Snapshot,
    mut visit: impl FnMut(ExportEdge),
) -> Result<(), StoreError> {
    let mut statement = snapshot.connection().prepare(EDGES)?;
    let mut rows = statement.query([])?;

    while let Some(row) = rows.next()? {
        let source = id_column(row, 0)?;
        edges::edge_columns(row, 1)?.for_each(|edge| {
            visit(ExportEdge {
                source,
                target: edge.other,
                edge_type: edge.edge_type,
                confidence: edge.confidence,
                file: edge.file,
                line: edge.line,
                column: edge.column,
            });
        });
    }
    Ok(())
}

/// Returns the edges whose sites are in a file, in no particular order.
pub fn edges_of_file(snapshot: &Snapshot, file: FileKey) -> Result<Vec<EdgeRow>, StoreError> {
    let connection = snapshot.connection();
    let mut found = Vec::new();
    for source in files::sources_of(connection, file)? {
        edges::of_source_in_file(connection, source, file, &mut found)?;
    }
    Ok(found)
}

/// What a declared symbol is, without its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportNode {
    pub qualified_name: String,
    pub language: Language,
    pub access: Option<Access>,
    /// Parameter list as written.
    pub parameters: Option<String>,
    /// Declared type as written.
    pub return_type: Option<String>,
    /// Summary of the doc comment.
    pub doc: Option<String>,
}

const NODE: &str = "SELECT qualified_name, language, access, parameter_signature, return_type, doc \
    FROM nodes WHERE id = ?1";

/// Returns what a symbol is.
pub fn export_node(snapshot: &Snapshot, id: NodeId) -> Result<Option<ExportNode>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(NODE)?;
    let mut rows = statement.query([stored_id(id)])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };

    let access = match row.get::<_, Option<u8>>(2)? {
        Some(_) => Some(word_column(row, 2, Access::from_code)?),
        None => None,
    };

    Ok(Some(ExportNode {
        qualified_name: row.get(0)?,
        language: word_column(row, 1, Language::from_code)?,
        access,
        parameters: row.get(3)?,
        return_type: row.get(4)?,
        doc: row.get(5)?,
    }))
}

/// Inverts a map of file keys.
#[must_use]
pub fn paths_by_key(keys: &FxHashMap<String, FileKey>) -> FxHashMap<FileKey, &str> {
    keys.iter()
        .map(|(path, key)| (*key, path.as_str()))
        .collect()
}
