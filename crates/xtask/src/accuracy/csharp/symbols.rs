//! Compares our symbols with the C# compiler's declarations.

use std::collections::HashSet;

use crate::accuracy::csharp::declarations::CsharpGold;
use crate::accuracy::score::{Scored, Tables};
use crate::accuracy::tables::Declared;

/// Prefixes that a name may have in a table if the compiler's symbol has a fixed name.
const SPELLINGS: [&str; 9] = [
    ".ctor",
    "constructor",
    "operator",
    "this",
    "~",
    "implicit",
    "explicit",
    "op_",
    "finalizer",
];

pub fn score(gold: &CsharpGold<'_>, actual: &Tables<'_>) -> Scored {
    let mut score = Scored::new("symbols");
    let mut seen = HashSet::new();

    let rows = actual.table("symbols").rows();
    for row in rows.filter(|row| gold.covers(row.text("file"))) {
        let (ours, kind) = (row.symbol(), row.text("kind"));
        if matches!(kind, "file" | "namespace" | "module" | "parameter") {
            continue;
        }

        let matched = matching(gold, &ours);
        if matched.is_empty() {
            let declares = format!("declares {kind}");
            score.wrong("", &ours.to_string(), &declares, "nothing");
            continue;
        }

        let free = matched.into_iter().filter(|id| !seen.contains(id));
        let Some(id) = free.min_by_key(|id| gold.distance(*id, ours.line)) else {
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

/// Returns the declarations on a line with this name, or else with a fixed name that it may spell.
fn matching(gold: &CsharpGold<'_>, ours: &Declared<'_>) -> Vec<usize> {
    let all = gold.at(ours.file, ours.line).iter().copied();
    let named: Vec<usize> = all
        .clone()
        .filter(|id| gold.symbols[*id].is_named(ours.name))
        .collect();

    let has_fixed_name = SPELLINGS.iter().any(|start| ours.name.starts_with(start));
    if named.is_empty() && has_fixed_name {
        all.filter(|id| gold.symbols[*id].is_unnamed()).collect()
    } else {
        named
    }
}
