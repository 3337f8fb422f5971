//! Compares our call edges with the TypeScript compiler's call sites.

use std::collections::{HashMap, HashSet};

use crate::accuracy::score::{Scored, Sources, Tables};
use crate::accuracy::tables::{Declared, Row, Site, Table};
use crate::accuracy::typescript::declarations::TypescriptGold;

pub fn score(
    gold: &TypescriptGold<'_>,
    actual: &Tables<'_>,
    tables: &Tables<'_>,
    sources: &mut Sources,
) -> Scored {
    let mut calls = TypescriptCallScorer {
        gold,
        sources,
        sites: GoldSites::new(gold, tables.table("calls")),
        score: Scored::new("calls"),
        given: HashMap::new(),
    };
    let mut seen = HashSet::new();

    for row in actual.table("calls").rows() {
        let call = OurCall::new(gold, &row);
        if !gold.covers(call.site.file) || call.callee.file.is_empty() {
            continue;
        }

        let unknown = call.callee.name_unless(call.found.is_some());
        if seen.insert((call.site, call.found, unknown)) {
            calls.add(&call);
        }
    }

    calls.finish()
}

/// A call edge of ours.
struct OurCall<'t> {
    site: Site<'t>,
    callee: Declared<'t>,
    /// The compiler's declaration at the callee's location; 0 is a file.
    found: Option<usize>,
    confidence: &'t str,
}

impl<'t> OurCall<'t> {
    fn new(gold: &TypescriptGold<'_>, row: &Row<'_, 't>) -> Self {
        let callee = row.declared("callee");
        Self {
            site: row.call_site(),
            found: gold.find(&callee),
            callee,
            confidence: row.text("confidence"),
        }
    }

    /// Returns the callee unless it is unknown or a file.
    fn target(&self) -> Option<usize> {
        self.found.filter(|id| *id != 0)
    }

    /// Returns the names that the callee may have at its site.
    fn site_names(&self, gold: &TypescriptGold<'_>) -> Vec<String> {
        let Some(id) = self.target() else {
            return vec![self.callee.name.to_owned(), "default".to_owned()];
        };

        let symbol = &gold.symbols[id];
        let mut names = vec![symbol.name.to_owned()];
        if symbol.kind == "constructor" && symbol.parent != 0 {
            names.push(gold.symbols[symbol.parent].name.to_owned());
        }
        if matches!(symbol.kind, "constructor" | "class") {
            names.push("super".to_owned());
        }

        names.push("default".to_owned());
        names
    }
}

struct TypescriptCallScorer<'a, 't> {
    gold: &'a TypescriptGold<'t>,
    sources: &'a mut Sources,
    sites: GoldSites<'t>,
    score: Scored,
    /// Our wrong callee by the compiler's site.
    given: HashMap<usize, String>,
}

impl TypescriptCallScorer<'_, '_> {
    fn add(&mut self, call: &OurCall<'_>) {
        let matched = self.matched_sites(call);
        if matched.is_empty() {
            self.add_unmatched(call);
            return;
        }

        let target = call.target();
        let accepting: Vec<usize> = matched
            .iter()
            .copied()
            .filter(|at| self.sites.all[*at].accepts(target))
            .collect();

        if !accepting.is_empty() {
            self.add_right(call, &accepting);
        } else if !matched
            .iter()
            .any(|at| self.sites.all[*at].status == "unres")
        {
            self.add_wrong(call, matched[0]);
        }
    }

    /// Returns the compiler's sites that a call may be at.
    fn matched_sites(&mut self, call: &OurCall<'_>) -> Vec<usize> {
        let (token, _) = self.sources.token(&call.site);
        let names = if !token.is_empty() && self.sites.has_name(&call.site, &token) {
            vec![token]
        } else {
            call.site_names(self.gold)
        };

        let matched = self.sites.named_sites(&call.site, &names);
        if !matched.is_empty() {
            return matched;
        }

        // Renamed by an import: take any site of the line that accepts the target.
        self.sites
            .sites_of_line(&call.site)
            .iter()
            .copied()
            .filter(|at| self.sites.all[*at].accepts(call.target()))
            .collect()
    }

    fn add_unmatched(&mut self, call: &OurCall<'_>) {
        let (_, before) = self.sources.token(&call.site);

        // The compiler lists only decorators with arguments.
        if !ends_in_decorator(&before) {
            let (site, callee) = (call.site.to_string(), call.callee.to_string());
            self.score.wrong(call.confidence, &site, &callee, "no call");
        }
    }

    fn add_right(&mut self, call: &OurCall<'_>, accepting: &[usize]) {
        if accepting.iter().any(|at| self.sites.all[*at].is_core) {
            self.score.right(call.confidence);
        }

        for at in accepting {
            self.sites.all[*at].found = true;
        }
    }

    fn add_wrong(&mut self, call: &OurCall<'_>, at: usize) {
        let site = &self.sites.all[at];
        let expected = match (site.status, site.targets.first()) {
            ("repo", Some(id)) => self.gold.show(*id),
            ("repo", None) => String::new(),
            (status, _) => status.to_owned(),
        };

        let (site, callee) = (call.site.to_string(), call.callee.to_string());
        self.score.wrong(call.confidence, &site, &callee, &expected);
        self.given.insert(at, callee);
    }

    fn finish(mut self) -> Scored {
        for (at, site) in self.sites.all.iter().enumerate() {
            if !site.is_core {
                continue;
            }

            let actual = self.given.get(&at).map_or("nothing", String::as_str);
            let expected = self.gold.show(site.targets[0]);
            self.score
                .expect(site.found, &site.site.to_string(), actual, &expected);
        }

        self.score
    }
}

fn ends_in_decorator(before: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    before.trim_end_matches(word).ends_with('@')
}

/// A call site of the compiler.
struct GoldSite<'t> {
    site: Site<'t>,
    name: &'t str,
    /// Line and column of the called expression.
    expression: (usize, usize),
    /// `repo`, or why there is no target in the repository.
    status: &'t str,
    targets: Vec<usize>,
    is_core: bool,
    found: bool,
}

impl<'t> GoldSite<'t> {
    fn new(gold: &TypescriptGold<'_>, row: &Row<'_, 't>) -> Self {
        let targets = row.numbers("callee_sids");
        let status = row.text("status");

        Self {
            site: row.call_site(),
            name: row.text("site_name"),
            expression: (row.number("expr_line"), row.number("expr_col")),
            status,
            is_core: status == "repo" && targets.first().is_some_and(|id| gold.is_core(*id)),
            targets,
            found: false,
        }
    }

    fn accepts(&self, target: Option<usize>) -> bool {
        self.status == "repo" && target.is_some_and(|id| self.targets.contains(&id))
    }

    fn is_at(&self, site: &Site<'_>) -> bool {
        self.site.column == site.column || self.expression == (site.line, site.column)
    }
}

/// All call sites of the compiler, by line and name.
struct GoldSites<'t> {
    all: Vec<GoldSite<'t>>,
    by_name: HashMap<(&'t str, usize, &'t str), Vec<usize>>,
    by_line: HashMap<(&'t str, usize), Vec<usize>>,
}

impl<'t> GoldSites<'t> {
    fn new(gold: &TypescriptGold<'t>, table: &Table<'t>) -> Self {
        let mut sites = Self {
            all: Vec::new(),
            by_name: HashMap::new(),
            by_line: HashMap::new(),
        };

        for row in table.rows() {
            if gold.covers(row.text("caller_file")) {
                sites.push(GoldSite::new(gold, &row));
            }
        }

        sites
    }

    fn push(&mut self, site: GoldSite<'t>) {
        let (at, Site { file, line, .. }) = (self.all.len(), site.site);

        let named = self.by_name.entry((file, line, site.name));
        named.or_default().push(at);
        self.by_line.entry((file, line)).or_default().push(at);

        self.all.push(site);
    }

    fn has_name(&self, site: &Site<'_>, name: &str) -> bool {
        self.by_name.contains_key(&(site.file, site.line, name))
    }

    /// Returns the sites on a line with one of these names; only those at the column, if any is.
    fn named_sites(&self, site: &Site<'_>, names: &[String]) -> Vec<usize> {
        let mut named: Vec<usize> = Vec::new();
        for name in names {
            let same_name = self.by_name.get(&(site.file, site.line, name.as_str()));
            for at in same_name.into_iter().flatten() {
                if !named.contains(at) {
                    named.push(*at);
                }
            }
        }

        let exact: Vec<usize> = named
            .iter()
            .copied()
            .filter(|at| self.all[*at].is_at(site))
            .collect();
        if exact.is_empty() { named } else { exact }
    }

    fn sites_of_line<'s>(&'s self, site: &Site<'s>) -> &'s [usize] {
        self.by_line
            .get(&(site.file, site.line))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}
