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
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let at_most = 1 + name.chars().count() / 4;
    let mut near: Vec<(usize, String)> = Vec::new();
    for candidate in rows {
        let candidate = candidate?;
        if let Some(distance) = edit_distance(&wanted, &candidate, at_most) {
            near.push((distance, candidate));
        }
    }
    near.sort();
    near.truncate(limit);
    Ok(near.into_iter().map(|(_, name)| name).collect())
}

/// Edits that lead from a lower-case name to `candidate` in lower case, unless there are more than `at_most`.
pub fn edit_distance(wanted: &[char], candidate: &str, at_most: usize) -> Option<usize> {
    if candidate.chars().count().abs_diff(wanted.len()) > at_most {
        return None;
    }
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    for (i, found) in candidate.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, sought) in wanted.iter().enumerate() {
            let cost = diagonal + usize::from(found != *sought);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
        // What follows can only add.
        if row.iter().all(|distance| *distance > at_most) {
            return None;
        }
    }
    row.last().copied().filter(|distance| *distance <= at_most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        let distance = |wanted: &str, candidate: &str| edit_distance(&wanted.chars().collect::<Vec<_>>(), candidate, 3);
        assert_eq!(distance("cart", "Card"), Some(1));
        assert_eq!(distance("", "abc"), Some(3));
        assert_eq!(distance("cart", "trolley"), None);
        assert_eq!(distance("basket", "biscuit"), None);
        assert_eq!(distance("basket", "Backed"), Some(2));
    }
}
