//! Spelling suggestions for a name that does not exist.
//!
//! Limitations: considers only names that start with the same two letters, and the first 5,000 of
//! those.

use crate::store::{Snapshot, StoreError};

const NEARBY: &str = "SELECT DISTINCT name FROM nodes WHERE name >= ?1 COLLATE NOCASE AND name < ?2 COLLATE NOCASE LIMIT 5000";

/// Returns names similar to `name`, nearest first.
pub fn nearest_names(
    snapshot: &Snapshot,
    name: &str,
    limit: usize,
) -> Result<Vec<String>, StoreError> {
    let stem: String = name.chars().take(2).collect();
    if stem.is_empty() {
        return Ok(Vec::new());
    }

    let mut statement = snapshot.connection().prepare_cached(NEARBY)?;
    let rows = statement.query_map([&stem, &format!("{stem}\u{10ffff}")], |row| {
        row.get::<_, String>(0)
    })?;

    let wanted = name.to_lowercase();
    let length = wanted.chars().count();
    let at_most = 1 + name.chars().count() / 4;
    let mut near: Vec<(usize, String)> = Vec::new();

    for candidate in rows {
        let candidate = candidate?;
        if candidate.chars().count().abs_diff(length) > at_most {
            continue;
        }

        let distance = strsim::levenshtein(&wanted, &candidate.to_lowercase());
        if distance <= at_most {
            near.push((distance, candidate));
        }
    }

    near.sort();
    near.truncate(limit);
    Ok(near.into_iter().map(|(_, name)| name).collect())
}
