//! Which names look like one that does not exist?
//!
//! **Limits.** Only names that begin with the same two letters, and the first thousands of those.

use crate::store::{Snapshot, StoreError};

const NEARBY: &str = "SELECT DISTINCT name FROM nodes WHERE name >= ?1 COLLATE NOCASE AND name < ?2 COLLATE NOCASE LIMIT 5000";

/// Names that look like `name`, nearest first.
pub fn nearest_names(snapshot: &Snapshot, name: &str, limit: usize) -> Result<Vec<String>, StoreError> {
    let stem: String = name.chars().take(2).collect();
    if stem.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = snapshot.connection().prepare_cached(NEARBY)?;
    let rows = statement.query_map([&stem, &format!("{stem}\u{10ffff}")], |row| row.get::<_, String>(0))?;
    let lower = name.to_lowercase();
    let mut near = Vec::new();
    for candidate in rows {
        let candidate = candidate?;
        let distance = edit_distance(&lower, &candidate.to_lowercase());
        if distance <= 1 + name.chars().count() / 4 {
            near.push((distance, candidate));
        }
    }
    near.sort();
    near.truncate(limit);
    Ok(near.into_iter().map(|(_, name)| name).collect())
}

fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let cost = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        assert_eq!(edit_distance("cart", "card"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
    }
}
