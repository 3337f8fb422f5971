//! Counts the uses between files, for pictures of the whole repository.

use rustc_hash::FxHashMap;

use crate::model::graph::{Dialect, Language, NodeKind};
use crate::store::codec::word_column;
use crate::store::edges::sites_column;
use crate::store::status::external_calls;
use crate::store::{FileKey, Snapshot, StoreError};

// Both are read in the order of their keys, so that they are joined in one pass. A C# namespace is in
// many files.
const DECLARED: &str = "SELECT node_id, file_id FROM spans JOIN nodes ON id = node_id \
    WHERE position = 0 AND NOT (kind = ?1 AND language = ?2) ORDER BY node_id";
const USED: &str = "SELECT target, file_id, sites FROM edges_incoming ORDER BY target";

/// Counts the uses of symbols by pairs of files: the file of the use, and the file of the symbol's
/// primary declaration.
pub fn uses_between_files(
    snapshot: &Snapshot,
) -> Result<FxHashMap<(FileKey, FileKey), u32>, StoreError> {
    let connection = snapshot.connection();
    let (mut declared, mut used) = (connection.prepare(DECLARED)?, connection.prepare(USED)?);
    let namespace = (NodeKind::Namespace as u8, Language::CSharp as u8);
    let (mut declared, mut used) = (declared.query(namespace)?, used.query([])?);

    let mut counts = FxHashMap::default();
    let mut symbol: Option<(i64, FileKey)> = None;
    while let Some(row) = used.next()? {
        let target: i64 = row.get(0)?;
        while symbol.is_none_or(|(id, _)| id < target) {
            let Some(row) = declared.next()? else {
                return Ok(counts);
            };
            symbol = Some((row.get(0)?, FileKey(row.get(1)?)));
        }
        if let Some((id, file)) = symbol
            && id == target
        {
            *counts.entry((FileKey(row.get(1)?), file)).or_default() +=
                sites_column(row, 2)?.len() as u32;
        }
    }
    Ok(counts)
}

/// Counts, for each file, the unresolved calls of names that no callable symbol of the repository
/// has.
pub fn external_calls_by_file(snapshot: &Snapshot) -> Result<FxHashMap<FileKey, u64>, StoreError> {
    let mut counts = FxHashMap::default();
    let of_sources = Language::NAMES
        .iter()
        .filter(|(_, language)| *language != Language::Imported);
    for (_, language) in of_sources {
        external_calls(snapshot.connection(), *language, |row| {
            if word_column(row, 1, Dialect::from_code)?.language() == *language {
                *counts.entry(FileKey(row.get(0)?)).or_default() += row.get::<_, i64>(2)? as u64;
            }
            Ok(())
        })?;
    }
    Ok(counts)
}
