//! Compares our inheritance edges with the C# compiler's.

use std::collections::{BTreeSet, HashSet};

use crate::accuracy::csharp::declarations::CsharpGold;
use crate::accuracy::score::{Scored, Tables};
use crate::accuracy::tables::Table;

/// Scores the edges of one kind, such as `extends`.
pub fn score(
    gold: &CsharpGold<'_>,
    actual: &Tables<'_>,
    tables: &Tables<'_>,
    kind: &'static str,
) -> Scored {
    let expected = expected_pairs(gold, tables.table("inherits"), kind);
    let mut score = Scored::new(kind);
    let (mut seen, mut found) = (HashSet::new(), HashSet::new());

    for row in actual.table("inherits").rows() {
        let (child, parent) = (row.declared("child"), row.declared("parent"));
        if row.text("kind") != kind || !gold.covers(child.file) {
            continue;
        }

        let (child_id, parent_id) = (gold.find_whole(&child), gold.find_whole(&parent));
        let unknown = parent.line_unless(parent_id.is_some());
        if !seen.insert((child_id, parent_id, unknown)) {
            continue;
        }

        let pair = child_id.zip(parent_id);
        if let Some(pair) = pair.filter(|pair| expected.contains(pair)) {
            found.insert(pair);
            score.right(row.text("confidence"));
        } else {
            let (child, parent) = (child.to_string(), parent.to_string());
            score.wrong(row.text("confidence"), &child, &parent, "no");
        }
    }

    for pair in &expected {
        let (child, parent) = (gold.show(pair.0), gold.show(pair.1));
        score.expect(found.contains(pair), &child, "nothing", &parent);
    }

    score
}

/// Returns the compiler's pairs of child and parent, each as the first part of its type.
fn expected_pairs(
    gold: &CsharpGold<'_>,
    table: &Table<'_>,
    kind: &str,
) -> BTreeSet<(usize, usize)> {
    let whole = |id: usize| gold.symbols[id].whole;
    let mut pairs = BTreeSet::new();

    for row in table.rows() {
        let stated = match row.text("kind") {
            "impl_member" | "impl_explicit" => "implements_member",
            other => other,
        };

        if stated == kind && row.text("status") == "repo" && gold.covers(row.text("child_file")) {
            let (child, parent) = (row.number("child_sid"), row.number("parent_sid"));
            pairs.insert((whole(child), whole(parent)));
        }
    }

    pairs
}
