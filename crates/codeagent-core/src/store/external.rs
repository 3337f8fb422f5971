//! The tables `external_symbols` and `external_uses`: symbols of packages, and where the repository
//! uses them.

use std::sync::Arc;

use rusqlite::{Connection, Row, params};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::model::external::{ExternalSymbol, PackageManager};
use crate::model::graph::{Confidence, EdgeType, NodeId};
use crate::store::codec::{id_column, push_number, stored_id, take_number, word_column};
use crate::store::{FileKey, RowList, Snapshot, StoreError, bulk};

/// One use of an external symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExternalSite {
    /// 1-based line.
    pub line: u32,
    /// 1-based UTF-16 column.
    pub column: u32,
    /// Relation of the code at the site to the symbol.
    pub edge_type: EdgeType,
    /// Confidence of the symbol.
    pub confidence: Confidence,
}

/// The uses of a symbol in one file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExternalRow {
    /// The symbol.
    pub symbol: NodeId,
    /// The file.
    pub file: FileKey,
    /// The uses in text order.
    pub sites: Vec<ExternalSite>,
}

/// A stored symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredExternal {
    /// Its id.
    pub id: NodeId,
    /// The symbol.
    pub symbol: ExternalSymbol,
}

const INSERT_SYMBOL: &str =
    "INSERT OR IGNORE INTO external_symbols VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

/// Writes rows, each with another file or symbol, and their symbols.
pub(super) fn insert(
    connection: &Connection,
    rows: RowList<ExternalRow>,
    symbols: &FxHashMap<NodeId, Arc<ExternalSymbol>>,
) -> Result<(), StoreError> {
    let mut symbols: Vec<(&NodeId, &Arc<ExternalSymbol>)> = symbols.iter().collect();
    symbols.sort_unstable_by_key(|(id, _)| **id);
    let mut statement = connection.prepare_cached(INSERT_SYMBOL)?;
    for (id, symbol) in symbols {
        statement.execute(params![
            stored_id(*id),
            symbol.manager as u8,
            symbol.package,
            symbol.descriptor,
            symbol.path(),
            symbol.name(),
        ])?;
    }

    let mut sorted: Vec<ExternalRow> = rows.into_rows().collect::<Result<_, _>>()?;
    sorted.sort_unstable();
    bulk::insert(
        connection,
        ("external_uses", 3),
        sorted.into_iter(),
        |row, values| {
            values.push(stored_id(row.symbol))?;
            values.push(row.file.0)?;
            values.push(pack(&row.sites))
        },
    )
}

const SYMBOLS_OF_FILE: &str = "SELECT symbol_id FROM external_uses WHERE file_id = ?1";
const DELETE_USES: &str = "DELETE FROM external_uses WHERE symbol_id = ?1 AND file_id = ?2";

/// Deletes the uses in a file and returns their symbols.
pub(super) fn delete(connection: &Connection, file: FileKey) -> Result<Vec<NodeId>, StoreError> {
    let symbols: Vec<NodeId> = connection
        .prepare_cached(SYMBOLS_OF_FILE)?
        .query_map([file.0], |row| row.get::<_, i64>(0))?
        .map(|id| Ok(NodeId(id? as u64)))
        .collect::<Result<_, StoreError>>()?;

    let mut delete = connection.prepare_cached(DELETE_USES)?;
    for symbol in &symbols {
        delete.execute(params![stored_id(*symbol), file.0])?;
    }
    Ok(symbols)
}

const DELETE_UNUSED: &str = "DELETE FROM external_symbols WHERE id = ?1 \
    AND NOT EXISTS (SELECT 1 FROM external_uses WHERE symbol_id = ?1)";

/// Deletes those of these symbols that no file uses any more.
pub(super) fn delete_unused(connection: &Connection, symbols: &[NodeId]) -> Result<(), StoreError> {
    let mut delete = connection.prepare_cached(DELETE_UNUSED)?;
    for symbol in symbols {
        delete.execute([stored_id(*symbol)])?;
    }
    Ok(())
}

/// Packs sites that are in text order.
fn pack(sites: &[ExternalSite]) -> Vec<u8> {
    let mut out = Vec::with_capacity(sites.len() * 3);
    let mut last = 0;
    for site in sites {
        push_number(&mut out, site.line.wrapping_sub(last));
        last = site.line;
        push_number(&mut out, site.column);
        push_number(
            &mut out,
            (site.edge_type as u32) << 1 | u32::from(site.confidence == Confidence::Exact),
        );
    }
    out
}

/// Reverses [`pack`]; ends at a site that cannot be read.
fn unpack(mut blob: &[u8]) -> Vec<ExternalSite> {
    let mut sites = Vec::with_capacity(blob.len() / 3);
    let mut line = 0u32;
    while let (Some(lines), Some(column), Some(code)) = (
        take_number(&mut blob),
        take_number(&mut blob),
        take_number(&mut blob),
    ) {
        line = line.wrapping_add(lines);
        let Some(edge_type) = u8::try_from(code >> 1).ok().and_then(EdgeType::from_code) else {
            break;
        };
        let confidence = if code & 1 == 1 {
            Confidence::Exact
        } else {
            Confidence::Inferred
        };
        sites.push(ExternalSite {
            line,
            column,
            edge_type,
            confidence,
        });
    }

    sites
}

fn symbol(row: &Row<'_>) -> Result<StoredExternal, StoreError> {
    Ok(StoredExternal {
        id: id_column(row, 0)?,
        symbol: ExternalSymbol {
            manager: word_column(row, 1, PackageManager::from_code)?,
            package: row.get::<_, String>(2)?.into(),
            descriptor: row.get::<_, String>(3)?.into(),
        },
    })
}

const NAMED: &str = "SELECT id, manager, package, descriptor FROM external_symbols \
    WHERE name = ?1 COLLATE NOCASE ORDER BY manager, package, descriptor LIMIT ?2";

/// Returns the symbols with a simple name, by package and descriptor; letter case is ignored.
pub fn external_symbols_named(
    snapshot: &Snapshot,
    name: &str,
    limit: usize,
) -> Result<Vec<StoredExternal>, StoreError> {
    select(snapshot, NAMED, params![name, limit as i64])
}

const WITHIN: &str = "SELECT id, manager, package, descriptor FROM external_symbols \
    WHERE instr('.' || path, '.' || ?1 || '.') > 0 ORDER BY manager, package, descriptor LIMIT ?2";

/// Returns the symbols inside those with a path that ends with a name, by package and descriptor.
pub fn external_symbols_within(
    snapshot: &Snapshot,
    name: &str,
    limit: usize,
) -> Result<Vec<StoredExternal>, StoreError> {
    select(snapshot, WITHIN, params![name, limit as i64])
}

const OF_PACKAGE: &str = "SELECT id, manager, package, descriptor FROM external_symbols \
    WHERE package = ?1 ORDER BY manager, descriptor LIMIT ?2";

/// Returns the symbols of a package, by descriptor.
pub fn external_symbols_of(
    snapshot: &Snapshot,
    package: &str,
    limit: usize,
) -> Result<Vec<StoredExternal>, StoreError> {
    select(snapshot, OF_PACKAGE, params![package, limit as i64])
}

fn select(
    snapshot: &Snapshot,
    sql: &str,
    values: impl rusqlite::Params,
) -> Result<Vec<StoredExternal>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(sql)?;
    let mut rows = statement.query(values)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(symbol(row)?);
    }
    Ok(found)
}

const USES: &str = "SELECT u.file_id, u.sites FROM external_uses u JOIN files f ON f.id = u.file_id \
    WHERE u.symbol_id = ?1 ORDER BY f.path";

/// Returns the uses of a symbol by file, in the order of the paths.
pub fn external_uses_of(
    snapshot: &Snapshot,
    symbol: NodeId,
) -> Result<Vec<(FileKey, Vec<ExternalSite>)>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(USES)?;
    let mut rows = statement.query([stored_id(symbol)])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((
            FileKey(row.get(0)?),
            unpack(row.get_ref(1)?.as_blob().unwrap_or_default()),
        ));
    }
    Ok(found)
}

const IN_FILE: &str = "SELECT s.id, s.manager, s.package, s.descriptor, u.sites \
    FROM external_uses u JOIN external_symbols s ON s.id = u.symbol_id \
    WHERE u.file_id = ?1 ORDER BY s.manager, s.package, s.descriptor";

/// Returns the symbols that a file uses, with the uses.
pub fn external_uses_in(
    snapshot: &Snapshot,
    file: FileKey,
) -> Result<Vec<(StoredExternal, Vec<ExternalSite>)>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(IN_FILE)?;
    let mut rows = statement.query([file.0])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let sites = unpack(row.get_ref(4)?.as_blob().unwrap_or_default());
        found.push((symbol(row)?, sites));
    }
    Ok(found)
}

const PACKAGES_OF_FILE: &str = "SELECT DISTINCT s.package FROM external_uses u \
    JOIN external_symbols s ON s.id = u.symbol_id \
    WHERE u.file_id = ?1 AND s.manager = ?2 ORDER BY s.package";

/// Returns the packages of one kind that a file uses, by name.
pub fn packages_of_file(
    snapshot: &Snapshot,
    file: FileKey,
    manager: PackageManager,
) -> Result<Vec<String>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(PACKAGES_OF_FILE)?;
    let packages = statement.query_map((file.0, manager as u8), |row| row.get(0))?;
    Ok(packages.collect::<Result<_, _>>()?)
}

const PACKAGES: &str = "SELECT s.manager, s.package, count(DISTINCT s.id), count(DISTINCT u.file_id) AS files \
    FROM external_symbols s JOIN external_uses u ON u.symbol_id = s.id \
    GROUP BY s.manager, s.package ORDER BY files DESC, s.manager, s.package";

/// Returns each used package with the numbers of its used symbols and of the files that use it.
pub fn external_packages(
    snapshot: &Snapshot,
) -> Result<Vec<(PackageManager, String, u32, u32)>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(PACKAGES)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((
            word_column(row, 0, PackageManager::from_code)?,
            row.get(1)?,
            row.get(2)?,
            row.get(3)?,
        ));
    }
    Ok(found)
}

/// The uses of one package in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePackageUse {
    /// Path of the file.
    pub path: String,
    /// Project that owns the file; empty if none does.
    pub project: String,
    /// Who distributes the package.
    pub manager: PackageManager,
    /// Name of the package; empty if the manager has only one.
    pub package: String,
    /// Number of uses.
    pub uses: usize,
}

const BY_FILE: &str = "SELECT f.path, f.project_id, s.manager, s.package, u.sites \
    FROM external_uses u JOIN external_symbols s ON s.id = u.symbol_id JOIN files f ON f.id = u.file_id \
    ORDER BY f.path, s.manager, s.package";

/// Returns the uses of packages by path and package.
pub fn external_uses_by_file(snapshot: &Snapshot) -> Result<Vec<FilePackageUse>, StoreError> {
    let mut statement = snapshot.connection().prepare(BY_FILE)?;
    let mut rows = statement.query([])?;
    let mut found: Vec<FilePackageUse> = Vec::new();
    while let Some(row) = rows.next()? {
        let used = FilePackageUse {
            path: row.get(0)?,
            project: row.get(1)?,
            manager: word_column(row, 2, PackageManager::from_code)?,
            package: row.get(3)?,
            uses: unpack(row.get_ref(4)?.as_blob().unwrap_or_default()).len(),
        };
        let is_same = |last: &&mut FilePackageUse| {
            (&last.path, last.manager, &last.package) == (&used.path, used.manager, &used.package)
        };
        match found.last_mut().filter(is_same) {
            Some(last) => last.uses += used.uses,
            None => found.push(used),
        }
    }

    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_sites_round_trip() {
        let site = |line, column, edge_type, confidence| ExternalSite {
            line,
            column,
            edge_type,
            confidence,
        };
        let sites = vec![
            site(1, 300, EdgeType::Calls, Confidence::Exact),
            site(1, 310, EdgeType::References, Confidence::Inferred),
            site(70_000, 1, EdgeType::Imports, Confidence::Exact),
        ];
        assert_eq!(unpack(&pack(&sites)), sites);
    }

    #[test]
    fn damaged_sites_do_not_panic() {
        assert_eq!(unpack(&[0xff; 20]), []);
        assert_eq!(unpack(&[1, 2, 0xfe, 0x01]), []);
    }
}
