//! Compares our call edges with the C# compiler's call sites, exactly and by method group.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::accuracy::csharp::declarations::CsharpGold;
use crate::accuracy::score::{Scored, Tables};
use crate::accuracy::tables::{Declared, Row, Site};

/// Returns the scores of exact targets and of method groups.
pub fn score(gold: &CsharpGold<'_>, actual: &Tables<'_>, tables: &Tables<'_>) -> [Scored; 2] {
    let predictions = predictions(gold, actual);
    let mut calls = CsharpCallScorer {
        gold,
        exact: Scored::new("calls"),
        group: Scored::new("calls, method group"),
    };
    let mut known = HashSet::new();

    let rows = tables.table("calls").rows();
    for row in rows.filter(|row| gold.covers(row.text("caller_file"))) {
        let site = row.call_site();
        known.insert(site);
        if !matches!(row.text("call_kind"), "call" | "new") {
            continue;
        }

        let given = predictions.get(&site).map(Vec::as_slice);
        let given = given.unwrap_or_default();
        match row.text("status") {
            "ext" => calls.add_wrong(&site, given, "outside"),
            "repo" => calls.add_site(&row, &site, given),
            _ => {}
        }
    }

    let sites: BTreeSet<_> = predictions.keys().collect();
    for site in sites.into_iter().filter(|site| !known.contains(*site)) {
        calls.add_wrong(site, &predictions[site], "no call");
    }

    [calls.exact, calls.group]
}

/// A target of ours.
struct Prediction<'t> {
    callee: Declared<'t>,
    confidence: &'t str,
}

fn predictions<'t>(
    gold: &CsharpGold<'_>,
    actual: &Tables<'t>,
) -> HashMap<Site<'t>, Vec<Prediction<'t>>> {
    let mut predictions: HashMap<_, Vec<_>> = HashMap::new();

    let rows = actual.table("calls").rows();
    for row in rows.filter(|row| gold.covers(row.text("caller_file"))) {
        let at_site = predictions.entry(row.call_site()).or_default();
        at_site.push(Prediction {
            callee: row.declared("callee"),
            confidence: row.text("confidence"),
        });
    }

    predictions
}

struct CsharpCallScorer<'a, 't> {
    gold: &'a CsharpGold<'t>,
    exact: Scored,
    group: Scored,
}

impl CsharpCallScorer<'_, '_> {
    /// Adds a site that has no target in the repository.
    fn add_wrong(&mut self, site: &Site<'_>, given: &[Prediction<'_>], expected: &str) {
        let site = site.to_string();
        for actual in given {
            let callee = actual.callee.to_string();
            self.exact
                .wrong(actual.confidence, &site, &callee, expected);
            self.group.wrong_unlisted(actual.confidence);
        }
    }

    /// Adds a site whose target is in the repository. At most one of several rows at one site
    /// counts as right.
    fn add_site(&mut self, row: &Row<'_, '_>, site: &Site<'_>, given: &[Prediction<'_>]) {
        let symbols = &self.gold.symbols;
        let target = &symbols[row.number("callee_sid")];
        let is_it = |id: &usize| symbols[*id].whole == target.whole;
        let is_like_it = |id: &usize| is_it(id) || symbols[*id].is_overload_of(target);

        let (site, expected) = (site.to_string(), self.gold.show(row.number("callee_sid")));
        let (mut exact_found, mut group_found) = (false, false);

        for actual in given {
            let declared = self.gold.at(actual.callee.file, actual.callee.line);

            if !exact_found && declared.iter().any(is_it) {
                exact_found = true;
                self.exact.right(actual.confidence);
            } else {
                let callee = actual.callee.to_string();
                self.exact
                    .wrong(actual.confidence, &site, &callee, &expected);
            }

            if !group_found && declared.iter().any(is_like_it) {
                group_found = true;
                self.group.right(actual.confidence);
            } else {
                self.group.wrong_unlisted(actual.confidence);
            }
        }

        let first = given.first().map(|actual| actual.callee.to_string());
        let actual = first.as_deref().unwrap_or("nothing");
        self.exact.expect(exact_found, &site, actual, &expected);
        self.group.expect_unlisted(group_found);
    }
}
