//! Compares our references with the TypeScript compiler's uses of names.

use std::collections::{HashMap, HashSet};

use crate::accuracy::score::{Scored, Tables};
use crate::accuracy::tables::{Declared, Row, Site, Table};
use crate::accuracy::typescript::declarations::TypescriptGold;

pub fn score(gold: &TypescriptGold<'_>, actual: &Tables<'_>, tables: &Tables<'_>) -> Scored {
    let mut references = ReferenceScorer {
        gold,
        uses: GoldUses::new(gold, tables.table("refs")),
        score: Scored::new("references"),
    };
    let mut seen = HashSet::new();

    for row in actual.table("refs").rows() {
        let ours = OurReference::new(gold, &row);
        if !gold.covers(ours.site.file) || ours.declared.file.is_empty() {
            continue;
        }

        let unknown = ours.declared.line_unless(ours.target.is_some());
        if seen.insert((ours.site, ours.name, ours.target, unknown)) {
            references.add(&ours);
        }
    }

    references.finish()
}

/// A reference of ours.
struct OurReference<'t> {
    site: Site<'t>,
    name: &'t str,
    declared: Declared<'t>,
    /// The compiler's declaration at that location; 0 is a file.
    target: Option<usize>,
    confidence: &'t str,
}

impl<'t> OurReference<'t> {
    fn new(gold: &TypescriptGold<'_>, row: &Row<'_, 't>) -> Self {
        let declared = row.declared("decl");
        Self {
            site: row.site(),
            name: row.text("name"),
            target: gold.find(&declared),
            declared,
            confidence: row.text("confidence"),
        }
    }

    /// Returns file, line and name.
    fn key(&self) -> UseKey<'t> {
        (self.site.file, self.site.line, self.name)
    }
}

struct ReferenceScorer<'a, 't> {
    gold: &'a TypescriptGold<'t>,
    uses: GoldUses<'t>,
    score: Scored,
}

impl ReferenceScorer<'_, '_> {
    fn add(&mut self, ours: &OurReference<'_>) {
        let matched = self.uses.matching(ours);
        let accepting: Vec<usize> = matched
            .iter()
            .copied()
            .filter(|at| self.uses.all[*at].accepts(ours.target))
            .collect();

        if !accepting.is_empty() {
            if accepting.iter().any(|at| self.uses.all[*at].is_core) {
                self.score.right(ours.confidence);
            }
            for at in accepting {
                self.uses.all[at].found = true;
            }
        } else if !self.uses.unknown.contains(&ours.key())
            && (ours.target.is_some() || !matched.is_empty())
        {
            let expected = matched.first().map_or_else(
                || "no use".to_owned(),
                |at| self.gold.show(self.uses.all[*at].targets[0]),
            );
            let (site, declared) = (ours.site.to_string(), ours.declared.to_string());
            self.score
                .wrong(ours.confidence, &site, &declared, &expected);
        }
    }

    fn finish(mut self) -> Scored {
        for gold_use in self.uses.all.iter().filter(|one| one.is_core) {
            let expected = self.gold.show(gold_use.targets[0]);
            let site = gold_use.site.to_string();
            self.score
                .expect(gold_use.found, &site, "nothing", &expected);
        }

        self.score
    }
}

/// File, line and name of a use.
type UseKey<'t> = (&'t str, usize, &'t str);

/// A use with known targets.
struct GoldUse<'t> {
    site: Site<'t>,
    targets: Vec<usize>,
    is_core: bool,
    found: bool,
}

impl GoldUse<'_> {
    fn accepts(&self, target: Option<usize>) -> bool {
        target.is_some_and(|id| id != 0 && self.targets.contains(&id))
    }
}

/// All uses of names that the compiler lists.
struct GoldUses<'t> {
    all: Vec<GoldUse<'t>>,
    by_key: HashMap<UseKey<'t>, Vec<usize>>,
    /// Uses without a target.
    unknown: HashSet<UseKey<'t>>,
}

impl<'t> GoldUses<'t> {
    fn new(gold: &TypescriptGold<'t>, table: &Table<'t>) -> Self {
        let constructors = gold.constructors_by_class();
        let mut uses = Self {
            all: Vec::new(),
            by_key: HashMap::new(),
            unknown: HashSet::new(),
        };

        for row in table.rows().filter(|row| gold.covers(row.text("file"))) {
            let site = row.site();
            let key = (site.file, site.line, row.text("name"));

            let mut targets = row.numbers("decl_sids");
            let Some(first) = targets.first().copied() else {
                uses.unknown.insert(key);
                continue;
            };

            if matches!(row.text("sub"), "new" | "member-new") {
                let of_targets = targets.iter().filter_map(|id| constructors.get(id));
                let created: Vec<usize> = of_targets.flatten().copied().collect();
                targets.extend(created);
            }

            uses.by_key.entry(key).or_default().push(uses.all.len());
            uses.all.push(GoldUse {
                site,
                targets,
                is_core: gold.is_core(first),
                found: false,
            });
        }

        uses
    }

    /// Returns the uses of a name on its line; only those at the column, if any is.
    fn matching(&self, ours: &OurReference<'_>) -> Vec<usize> {
        let named = self
            .by_key
            .get(&ours.key())
            .map(Vec::as_slice)
            .unwrap_or_default();

        let exact: Vec<usize> = named
            .iter()
            .copied()
            .filter(|at| self.all[*at].site.column == ours.site.column)
            .collect();
        if exact.is_empty() {
            named.to_vec()
        } else {
            exact
        }
    }
}
