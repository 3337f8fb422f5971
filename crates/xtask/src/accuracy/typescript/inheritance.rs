//! Compares our inheritance edges with the TypeScript compiler's.

use std::collections::HashSet;

use crate::accuracy::score::{Scored, Tables};
use crate::accuracy::tables::Table;
use crate::accuracy::typescript::declarations::TypescriptGold;

/// Scores the edges of one kind, such as `extends`.
pub fn score(
    gold: &TypescriptGold<'_>,
    actual: &Tables<'_>,
    tables: &Tables<'_>,
    kind: &'static str,
) -> Scored {
    let mut bases = GoldBases::new(gold, tables.table("inherits"), kind);
    let mut score = Scored::new(kind);
    let mut seen = HashSet::new();

    for row in actual.table("inherits").rows() {
        let (child, parent) = (row.declared("child"), row.declared("parent"));
        if row.text("kind") != kind || !gold.covers(child.file) || parent.file.is_empty() {
            continue;
        }

        let (child_id, parent_id) = (gold.find(&child), gold.find(&parent));
        let unknown = parent.name_unless(parent_id.is_some());
        if !seen.insert((child_id, parent_id, unknown)) {
            continue;
        }

        let parent_name = parent_id
            .filter(|id| *id != 0)
            .map_or(unknown, |id| gold.symbols[id].name);

        if bases.accept(child_id, parent_id) {
            score.right(row.text("confidence"));
        } else if !bases.are_incomplete_for(gold, child_id, parent_name) {
            let (child, parent) = (child.to_string(), parent.to_string());
            score.wrong(row.text("confidence"), &child, &parent, "no");
        }
    }

    for base in &bases.expected {
        let parent = base.parents.first().map(|id| gold.show(*id));
        let child = gold.show(base.child);
        score.expect(base.found, &child, "nothing", &parent.unwrap_or_default());
    }

    score
}

/// An edge to one of several declarations of a base.
struct GoldBase {
    child: usize,
    parents: Vec<usize>,
    found: bool,
}

/// The compiler's edges of one kind.
struct GoldBases<'t> {
    kind: &'static str,
    expected: Vec<GoldBase>,
    /// External bases of all kinds: child and the base's name.
    external: HashSet<(usize, &'t str)>,
}

impl<'t> GoldBases<'t> {
    fn new(gold: &TypescriptGold<'t>, table: &Table<'t>, kind: &'static str) -> Self {
        let mut bases = Self {
            kind,
            expected: Vec::new(),
            external: HashSet::new(),
        };

        let rows = table.rows();
        for row in rows.filter(|row| gold.covers(row.text("child_file"))) {
            let child = row.number("child_sid");
            if row.text("status") != "repo" {
                bases.external.insert((child, row.text("parent_name")));
            } else if row.text("kind") == kind {
                bases.expected.push(GoldBase {
                    child,
                    parents: row.numbers("parent_sids"),
                    found: false,
                });
            }
        }

        bases
    }

    /// Marks the edges between two declarations as found and reports whether there is one.
    fn accept(&mut self, child: Option<usize>, parent: Option<usize>) -> bool {
        let mut is_expected = false;
        for base in &mut self.expected {
            if Some(base.child) == child && parent.is_some_and(|id| base.parents.contains(&id)) {
                base.found = true;
                is_expected = true;
            }
        }

        is_expected
    }

    /// Reports whether the compiler's output leaves out what a child inherits from this base:
    /// external bases, and members that are parameter properties or have computed names.
    fn are_incomplete_for(
        &self,
        gold: &TypescriptGold<'_>,
        child: Option<usize>,
        parent_name: &str,
    ) -> bool {
        let Some(id) = child.filter(|id| *id != 0) else {
            return false;
        };

        let symbol = &gold.symbols[id];
        let is_member = matches!(self.kind, "overrides" | "implements_member");
        let is_unlisted = symbol.kind == "parameter-property" || symbol.name.starts_with('[');
        self.external.contains(&(id, parent_name)) || (is_member && is_unlisted)
    }
}
