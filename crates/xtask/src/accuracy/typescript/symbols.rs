//! Compares our symbols with the TypeScript compiler's declarations.

use std::collections::HashSet;

use crate::accuracy::score::{Scored, Tables};
use crate::accuracy::tables::Declared;
use crate::accuracy::typescript::declarations::TypescriptGold;

pub fn score(gold: &TypescriptGold<'_>, actual: &Tables<'_>) -> Scored {
    let mut score = Scored::new("symbols");
    let mut seen = HashSet::new();

    let rows = actual.table("symbols").rows();
    for row in rows.filter(|row| gold.covers(row.text("file"))) {
        let ours = row.symbol();
        let Some(id) = gold.find(&ours).filter(|id| *id != 0) else {
            let declares = format!("declares {}", row.text("kind"));
            score.wrong("", &ours.to_string(), &declares, "nothing");
            continue;
        };

        let Some(id) = unseen_part(gold, &ours, id, &seen) else {
            continue;
        };

        seen.insert(id);
        if gold.is_required(id) {
            score.right("");
        }
    }

    for id in gold.required() {
        let kind = gold.symbols[id].kind;
        score.expect(seen.contains(&id), &gold.show(id), "nothing", kind);
    }

    score
}

/// Returns the declaration, or another with its name on that line if it was seen before: a pair of
/// accessors or a merged declaration has several spans.
fn unseen_part(
    gold: &TypescriptGold<'_>,
    ours: &Declared<'_>,
    id: usize,
    seen: &HashSet<usize>,
) -> Option<usize> {
    if !seen.contains(&id) {
        return Some(id);
    }

    gold.named(ours.file, gold.symbols[id].name)
        .iter()
        .copied()
        .find(|id| gold.symbols[*id].spans(ours.line) && !seen.contains(id))
}
