//! The table `dispatch`: code that runs without a call that names it.

use rusqlite::{Connection, Row};

use crate::model::dispatch::{DispatchKind, verb_and_path};
use crate::model::graph::{Confidence, EdgeDirection, NodeId};
use crate::store::bulk;
use crate::store::codec::{id_column, stored_id, word_column};
use crate::store::{FileKey, Snapshot, StoreError};

/// The id in place of an end that only the label tells.
const NO_NODE: NodeId = NodeId(0);

/// A relation, or one site of a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DispatchRow {
    /// File of the site.
    pub file: FileKey,
    /// Line of the site.
    pub line: u32,
    /// UTF-16 column of the site.
    pub column: u32,
    /// Kind of the relation.
    pub kind: DispatchKind,
    /// Its source; `None` if only the label tells.
    pub source: Option<NodeId>,
    /// Its target; `None` if only the label tells.
    pub target: Option<NodeId>,
    /// The route, request or event as written.
    pub label: String,
    /// Confidence of the relation.
    pub confidence: Confidence,
}

impl DispatchRow {
    /// Returns what tells rows apart.
    #[must_use]
    pub fn key(
        &self,
    ) -> (
        FileKey,
        u32,
        u32,
        DispatchKind,
        Option<NodeId>,
        Option<NodeId>,
        &str,
    ) {
        (
            self.file,
            self.line,
            self.column,
            self.kind,
            self.source,
            self.target,
            &self.label,
        )
    }
}

/// Writes rows with distinct keys.
pub(super) fn insert(connection: &Connection, rows: &[DispatchRow]) -> Result<(), StoreError> {
    bulk::insert(connection, ("dispatch", 9), rows.iter(), |row, values| {
        values.push(row.file.0)?;
        values.push(row.line)?;
        values.push(row.column)?;
        values.push(row.kind as u8)?;
        values.push(stored_id(row.source.unwrap_or(NO_NODE)))?;
        values.push(stored_id(row.target.unwrap_or(NO_NODE)))?;
        values.push(row.label.as_str())?;
        values.push(row.kind.key(&row.label))?;
        values.push(row.confidence as u8)
    })
}

const COLUMNS: &str =
    "file_id, line, \"column\", kind, source, target, label, confidence FROM dispatch";

fn read(row: &Row<'_>) -> Result<DispatchRow, StoreError> {
    let end = |id: NodeId| Some(id).filter(|id| *id != NO_NODE);
    Ok(DispatchRow {
        file: FileKey(row.get(0)?),
        line: row.get(1)?,
        column: row.get(2)?,
        kind: word_column(row, 3, DispatchKind::from_code)?,
        source: end(id_column(row, 4)?),
        target: end(id_column(row, 5)?),
        label: row.get(6)?,
        confidence: word_column(row, 7, Confidence::from_code)?,
    })
}

/// Returns the rows that begin or end at a node, by site.
pub fn dispatch_at(
    snapshot: &Snapshot,
    node: NodeId,
    direction: EdgeDirection,
) -> Result<Vec<DispatchRow>, StoreError> {
    let end = match direction {
        EdgeDirection::Outgoing => "source",
        EdgeDirection::Incoming => "target",
    };
    let sql = format!(
        "SELECT {COLUMNS} WHERE {end} = ?1 ORDER BY file_id, line, \"column\", kind, label"
    );
    select(snapshot, &sql, [stored_id(node)])
}

/// Returns the rows of a line.
pub fn dispatch_on_line(
    snapshot: &Snapshot,
    file: FileKey,
    line: u32,
) -> Result<Vec<DispatchRow>, StoreError> {
    let sql =
        format!("SELECT {COLUMNS} WHERE file_id = ?1 AND line = ?2 ORDER BY \"column\", kind");
    select(snapshot, &sql, (file.0, line))
}

/// Returns the rows of a kind in a file, by site.
pub fn dispatch_in_file(
    snapshot: &Snapshot,
    file: FileKey,
    kind: DispatchKind,
) -> Result<Vec<DispatchRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} WHERE file_id = ?1 AND kind = ?2 ORDER BY line, \"column\", label"
    );
    select(snapshot, &sql, (file.0, kind as u8))
}

/// Returns the rows of a kind with a key, by site.
pub fn dispatch_with_key(
    snapshot: &Snapshot,
    kind: DispatchKind,
    key: &str,
) -> Result<Vec<DispatchRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} WHERE key = ?1 AND key <> '' ORDER BY file_id, line, \"column\", label"
    );
    let mut rows = select(snapshot, &sql, [key])?;
    rows.retain(|row| row.kind == kind);
    Ok(rows)
}

/// Returns all rows of a kind, by site.
pub fn dispatch_of_kind(
    snapshot: &Snapshot,
    kind: DispatchKind,
) -> Result<Vec<DispatchRow>, StoreError> {
    let sql = format!("SELECT {COLUMNS} WHERE kind = ?1 ORDER BY file_id, line, \"column\", label");
    select(snapshot, &sql, [kind as u8])
}

/// Returns the rows of a kind that have a path but no key, by site: the path is one parameter.
pub fn dispatch_without_key(
    snapshot: &Snapshot,
    kind: DispatchKind,
    path: &str,
) -> Result<Vec<DispatchRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} WHERE key = ?1 AND label <> '' ORDER BY file_id, line, \"column\", label"
    );
    let mut rows = select(snapshot, &sql, [""])?;
    rows.retain(|row| row.kind == kind && verb_and_path(&row.label).1 == path);
    Ok(rows)
}

/// Returns the rows of a kind whose keys end with a slash and a key, by site.
pub fn dispatch_below(
    snapshot: &Snapshot,
    kind: DispatchKind,
    key: &str,
) -> Result<Vec<DispatchRow>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} WHERE substr(key, -length(?1)) = ?1 ORDER BY file_id, line, \"column\", label"
    );
    let mut rows = select(snapshot, &sql, [format!("/{key}")])?;
    rows.retain(|row| row.kind == kind);
    Ok(rows)
}

const TARGETS: &str = "SELECT DISTINCT kind, target FROM dispatch WHERE target <> 0";

/// Returns all targets, each with how it is reached.
pub fn dispatch_targets(snapshot: &Snapshot) -> Result<Vec<(DispatchKind, NodeId)>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(TARGETS)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((
            word_column(row, 0, DispatchKind::from_code)?,
            id_column(row, 1)?,
        ));
    }
    Ok(found)
}

fn select(
    snapshot: &Snapshot,
    sql: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<DispatchRow>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(sql)?;
    let mut rows = statement.query(values)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}
