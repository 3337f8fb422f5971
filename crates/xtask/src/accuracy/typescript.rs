//! Compares our tables with the TypeScript compiler's results.
//!
//! * A declaration is identified by any line from its first line to the line of its name.
//!   Declarations of modules and members are required; local functions and members of object
//!   literals and unnamed types are optional.
//! * A call site is right if its target is any declaration that the compiler accepts there
//!   (overloads, merged declarations, class and constructor). Sites with a receiver of type `any`
//!   are skipped.
//! * Files without gold data are skipped.
//!
//! Limitations: callers are not compared; the row hashes cover them.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::accuracy::score::{Report, Scored, Sources, Tables, location};
use crate::accuracy::tables::{Row, Table};

/// Names that a constructor may have.
const CONSTRUCTOR_NAMES: [&str; 5] = ["constructor", ".ctor", "ctor", "__init__", "new"];

struct TypescriptSymbol<'t> {
    file: &'t str,
    kind: &'t str,
    name: &'t str,
    first_line: usize,
    name_line: usize,
    parent: usize,
    scope: &'t str,
    optional: bool,
}

/// The compiler's declarations. Symbols are numbered from 1; 0 is a file as a whole.
struct TypescriptGold<'t> {
    symbols: Vec<TypescriptSymbol<'t>>,
    by_name: HashMap<(&'t str, &'t str), Vec<usize>>,
    constructors: HashMap<&'t str, Vec<usize>>,
    files: HashSet<&'t str>,
}

/// Returns all figures and disagreements of one repository.
pub fn score(actual: &Tables<'_>, gold: &Tables<'_>, sources: &mut Sources) -> Report {
    let facts = TypescriptGold::new(gold);
    let mut report = Report::default();
    symbols(&facts, actual, &mut report);
    calls(&facts, actual, gold, sources, &mut report);
    references(&facts, actual, gold, &mut report);
    inheritance(&facts, actual, gold, &mut report);
    report
}

impl<'t> TypescriptGold<'t> {
    fn new(gold: &Tables<'t>) -> Self {
        let none = TypescriptSymbol {
            file: "",
            kind: "",
            name: "",
            first_line: 0,
            name_line: 0,
            parent: 0,
            scope: "",
            optional: true,
        };

        let mut facts = Self {
            symbols: vec![none],
            by_name: HashMap::new(),
            constructors: HashMap::new(),
            files: HashSet::new(),
        };

        facts
            .files
            .extend(gold.table("files").rows().map(|row| row.text("file")));

        for row in gold.table("symbols").rows() {
            let id = facts.symbols.len();

            let symbol = TypescriptSymbol {
                file: row.text("file"),
                kind: row.text("kind"),
                name: row.text("name"),
                first_line: row.number("line_start"),
                name_line: row.number("name_line"),
                parent: row.number("parent_sid"),
                scope: row.text("scope"),
                optional: row.text("opt") == "1",
            };

            facts
                .by_name
                .entry((symbol.file, symbol.name))
                .or_default()
                .push(id);

            if symbol.kind == "constructor" {
                facts.constructors.entry(symbol.file).or_default().push(id);
            }
            facts.symbols.push(symbol);
        }

        facts
    }

    fn covers(&self, file: &str) -> bool {
        self.files.contains(file)
    }

    fn named<'s>(&'s self, file: &'s str, name: &'s str) -> &'s [usize] {
        self.by_name
            .get(&(file, name))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Returns the number of the declaration with this file, line and name; 0 is the file as a
    /// whole.
    fn find(&self, file: &str, line: usize, name: &str) -> Option<usize> {
        if line == 0 || name.is_empty() || name == file {
            return Some(0);
        }
        let last = if self.named(file, name).is_empty() {
            last_segment(name)
        } else {
            name
        };

        let around = |id: &&usize| {
            self.symbols[**id].first_line <= line && line <= self.symbols[**id].name_line
        };

        let best = self
            .named(file, last)
            .iter()
            .filter(around)
            .min_by_key(|id| {
                (
                    self.symbols[**id].optional,
                    self.symbols[**id].name_line - line,
                )
            });

        best.or_else(|| {
            // A constructor may have the name of its class.
            let is_named = |id: &&usize| {
                CONSTRUCTOR_NAMES.contains(&last) || {
                    let parent = self.symbols[**id].parent;
                    parent != 0 && self.symbols[parent].name == last
                }
            };
            self.constructors
                .get(file)?
                .iter()
                .filter(around)
                .find(is_named)
        })
        .copied()
    }

    /// Reports whether a declaration belongs to a module or is a member, and is not inside a body
    /// or an unnamed type.
    fn is_core(&self, id: usize) -> bool {
        let symbol = &self.symbols[id];
        matches!(symbol.scope, "module" | "member")
            && !matches!(
                symbol.kind,
                "call-signature" | "construct-signature" | "export-default"
            )
    }

    fn is_required(&self, id: usize) -> bool {
        let symbol = &self.symbols[id];
        !symbol.optional && matches!(symbol.scope, "module" | "member") && self.covers(symbol.file)
    }

    fn show(&self, id: usize) -> String {
        let symbol = &self.symbols[id];
        location(symbol.file, symbol.name_line, symbol.name)
    }
}

/// Returns `name` of `A.B#name()`.
fn last_segment(name: &str) -> &str {
    name.trim_end_matches(['(', ')'])
        .rsplit(['.', '#', ':'])
        .next()
        .unwrap_or_default()
}

fn symbols(facts: &TypescriptGold<'_>, actual: &Tables<'_>, report: &mut Report) {
    let mut score = Scored::new("symbols");
    let mut seen = HashSet::new();

    for row in actual
        .table("symbols")
        .rows()
        .filter(|row| facts.covers(row.text("file")))
    {
        let (file, line, name) = (row.text("file"), row.number("line_start"), row.text("name"));
        let Some(id) = facts.find(file, line, name).filter(|id| *id != 0) else {
            score.wrong(
                "",
                &location(file, line, name),
                &format!("declares {}", row.text("kind")),
                "nothing",
            );
            continue;
        };

        // A pair of accessors or a merged declaration has several spans.
        let again = || {
            let all = facts.by_name.get(&(file, facts.symbols[id].name))?;
            all.iter().copied().find(|id| {
                let symbol = &facts.symbols[*id];
                symbol.first_line <= line && line <= symbol.name_line && !seen.contains(id)
            })
        };

        let Some(id) = (if seen.contains(&id) {
            again()
        } else {
            Some(id)
        }) else {
            continue;
        };

        seen.insert(id);
        if facts.is_required(id) {
            score.right("");
        }
    }

    for id in (1..facts.symbols.len()).filter(|id| facts.is_required(*id)) {
        score.expect(
            seen.contains(&id),
            &facts.show(id),
            "nothing",
            facts.symbols[id].kind,
        );
    }

    report.push(score);
}

struct GoldSite<'t> {
    file: &'t str,
    line: usize,
    column: usize,
    name: &'t str,
    expression: (usize, usize),
    status: &'t str,
    targets: Vec<usize>,
    is_core: bool,
    found: bool,
}

struct GoldSites<'t> {
    all: Vec<GoldSite<'t>>,
    by_name: HashMap<(&'t str, usize, &'t str), Vec<usize>>,
    by_line: HashMap<(&'t str, usize), Vec<usize>>,
}

impl<'t> GoldSites<'t> {
    fn new(facts: &TypescriptGold<'t>, table: &Table<'t>) -> Self {
        let mut sites = Self {
            all: Vec::new(),
            by_name: HashMap::new(),
            by_line: HashMap::new(),
        };

        for row in table
            .rows()
            .filter(|row| facts.covers(row.text("caller_file")))
        {
            let targets = row.numbers("callee_sids");
            let status = row.text("status");

            let site = GoldSite {
                file: row.text("caller_file"),
                line: row.number("site_line"),
                column: row.number("site_col"),
                name: row.text("site_name"),
                expression: (row.number("expr_line"), row.number("expr_col")),
                status,
                is_core: status == "repo"
                    && targets
                        .first()
                        .is_some_and(|id| *id != 0 && facts.is_core(*id)),
                targets,
                found: false,
            };

            let at = sites.all.len();
            sites
                .by_name
                .entry((site.file, site.line, site.name))
                .or_default()
                .push(at);
            sites
                .by_line
                .entry((site.file, site.line))
                .or_default()
                .push(at);
            sites.all.push(site);
        }

        sites
    }

    /// Returns the compiler's sites that a row may refer to: by name (as in the source, if known),
    /// then by column.
    fn matching_sites(
        &self,
        file: &str,
        (line, column): (usize, usize),
        names: &[&str],
    ) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for name in names {
            let same = self.by_name.get(&(file, line, *name)).into_iter().flatten();
            found.extend(
                same.filter(|at| !found.contains(at))
                    .copied()
                    .collect::<Vec<_>>(),
            );
        }
        let is_declared_there = |at: &usize| {
            self.all[*at].column == column || self.all[*at].expression == (line, column)
        };
        let exact: Vec<usize> = found.iter().copied().filter(is_declared_there).collect();
        if exact.is_empty() { found } else { exact }
    }
}

fn calls(
    facts: &TypescriptGold<'_>,
    actual: &Tables<'_>,
    gold: &Tables<'_>,
    sources: &mut Sources,
    report: &mut Report,
) {
    let mut sites = GoldSites::new(facts, gold.table("calls"));
    let mut score = Scored::new("calls");
    let mut seen = BTreeSet::new();
    let mut given: HashMap<usize, String> = HashMap::new();

    for row in actual.table("calls").rows() {
        let file = row.text("caller_file");
        if !facts.covers(file) || row.text("callee_file").is_empty() {
            continue;
        }

        let position = (row.number("site_line"), row.number("site_col"));
        let callee = facts.find(
            row.text("callee_file"),
            row.number("callee_line"),
            row.text("callee_name"),
        );

        if !seen.insert((
            file,
            position,
            callee.map_or_else(|| row.text("callee_name").to_owned(), |id| id.to_string()),
        )) {
            continue;
        }

        let callee = callee.filter(|id| *id != 0);
        let (token, before) = sources.token(file, position);
        let names = site_names(facts, callee, row.text("callee_name"));
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();

        if !token.is_empty()
            && sites
                .by_name
                .contains_key(&(file, position.0, token.as_str()))
        {
            names = vec![&token];
        }

        let mut matched = sites.matching_sites(file, position, &names);
        let accepts = |site: &GoldSite<'_>| {
            site.status == "repo" && callee.is_some_and(|id| site.targets.contains(&id))
        };

        if matched.is_empty() {
            // Renamed by an import: take any site of the line that accepts the target.
            let line = sites.by_line.get(&(file, position.0)).into_iter().flatten();
            matched = line
                .copied()
                .filter(|at| accepts(&sites.all[*at]))
                .collect();
        }

        let confidence = row.text("confidence");
        let what = location(
            row.text("callee_file"),
            row.number("callee_line"),
            row.text("callee_name"),
        );
        let site = format!("{file}:{}:{}", position.0, position.1);

        let good: Vec<usize> = matched
            .iter()
            .copied()
            .filter(|at| accepts(&sites.all[*at]))
            .collect();

        if matched.is_empty() {
            // The compiler lists only decorators with arguments.
            if !ends_in_decorator(&before) {
                score.wrong(confidence, &site, &what, "no call");
            }
        } else if !good.is_empty() {
            if good.iter().any(|at| sites.all[*at].is_core) {
                score.right(confidence);
            }
            good.iter().for_each(|at| sites.all[*at].found = true);
        } else if !matched.iter().any(|at| sites.all[*at].status == "unres") {
            let first = &sites.all[matched[0]];
            let says = if first.status == "repo" {
                first
                    .targets
                    .first()
                    .map(|id| facts.show(*id))
                    .unwrap_or_default()
            } else {
                first.status.to_owned()
            };
            score.wrong(confidence, &site, &what, &says);
            given.insert(matched[0], what);
        }
    }

    for (at, site) in sites
        .all
        .iter()
        .enumerate()
        .filter(|(_, site)| site.is_core)
    {
        let actual = given.get(&at).map_or("nothing", String::as_str);
        score.expect(
            site.found,
            &format!("{}:{}:{}", site.file, site.line, site.column),
            actual,
            &facts.show(site.targets[0]),
        );
    }

    report.push(score);
}

/// Returns the names that a call of `callee` may have at its site.
fn site_names(facts: &TypescriptGold<'_>, callee: Option<usize>, name: &str) -> Vec<String> {
    let mut names = vec![callee.map_or(name, |id| facts.symbols[id].name).to_owned()];
    if let Some(id) = callee {
        let symbol = &facts.symbols[id];
        if symbol.kind == "constructor" && symbol.parent != 0 {
            names.push(facts.symbols[symbol.parent].name.to_owned());
        }
        if matches!(symbol.kind, "constructor" | "class") {
            names.push("super".to_owned());
        }
    }
    names.push("default".to_owned());
    names
}

fn ends_in_decorator(before: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    before.trim_end_matches(word).ends_with('@')
}

struct GoldUse<'t> {
    row: (&'t str, usize, usize, &'t str),
    targets: Vec<usize>,
    is_core: bool,
    found: bool,
}

fn gold_uses<'t>(
    facts: &TypescriptGold<'t>,
    table: &Table<'t>,
) -> (Vec<GoldUse<'t>>, HashSet<(&'t str, usize, &'t str)>) {
    let mut constructors: HashMap<usize, Vec<usize>> = HashMap::new();
    for (id, symbol) in facts
        .symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| symbol.kind == "constructor")
    {
        constructors.entry(symbol.parent).or_default().push(id);
    }

    let (mut uses, mut unknown) = (Vec::new(), HashSet::new());
    for row in table.rows().filter(|row| facts.covers(row.text("file"))) {
        let mut targets = row.numbers("decl_sids");
        if targets.is_empty() {
            unknown.insert((row.text("file"), row.number("line"), row.text("name")));
            continue;
        }

        let is_core = targets[0] != 0 && facts.is_core(targets[0]);

        if matches!(row.text("sub"), "new" | "member-new") {
            let made: Vec<usize> = targets
                .iter()
                .filter_map(|id| constructors.get(id))
                .flatten()
                .copied()
                .collect();
            targets.extend(made);
        }

        let row = (
            row.text("file"),
            row.number("line"),
            row.number("col"),
            row.text("name"),
        );

        uses.push(GoldUse {
            row,
            targets,
            is_core,
            found: false,
        });
    }

    (uses, unknown)
}

fn references(
    facts: &TypescriptGold<'_>,
    actual: &Tables<'_>,
    gold: &Tables<'_>,
    report: &mut Report,
) {
    let (mut uses, unknown) = gold_uses(facts, gold.table("refs"));
    let mut by_name: HashMap<(&str, usize, &str), Vec<usize>> = HashMap::new();
    for (at, gold) in uses.iter().enumerate() {
        by_name
            .entry((gold.row.0, gold.row.1, gold.row.3))
            .or_default()
            .push(at);
    }

    let mut score = Scored::new("references");
    let mut seen = HashSet::new();

    for row in actual.table("refs").rows() {
        let file = row.text("file");
        if !facts.covers(file) || row.text("decl_file").is_empty() {
            continue;
        }

        let target = facts.find(
            row.text("decl_file"),
            row.number("decl_line"),
            row.text("decl_name"),
        );

        let key = (file, row.number("line"), row.text("name"));
        let column = row.number("col");
        let other = if target.is_none() {
            (row.text("decl_file"), row.number("decl_line"))
        } else {
            ("", 0)
        };

        if !seen.insert((key, column, target, other)) {
            continue;
        }

        let named = by_name.get(&key).map(Vec::as_slice).unwrap_or_default();
        let exact: Vec<usize> = named
            .iter()
            .copied()
            .filter(|at| uses[*at].row.2 == column)
            .collect();

        let matched = if exact.is_empty() { named } else { &exact };
        let accepts =
            |at: &usize| target.is_some_and(|id| id != 0 && uses[*at].targets.contains(&id));

        let good: Vec<usize> = matched.iter().copied().filter(accepts).collect();

        if !good.is_empty() {
            if good.iter().any(|at| uses[*at].is_core) {
                score.right(row.text("confidence"));
            }
            good.iter().for_each(|at| uses[*at].found = true);
        } else if !unknown.contains(&key) && (target.is_some() || !matched.is_empty()) {
            let says = matched.first().map_or_else(
                || "no use".to_owned(),
                |at| facts.show(uses[*at].targets[0]),
            );
            let what = location(
                row.text("decl_file"),
                row.number("decl_line"),
                row.text("decl_name"),
            );
            score.wrong(
                row.text("confidence"),
                &format!("{file}:{}:{column}", key.1),
                &what,
                &says,
            );
        }
    }

    for gold in uses.iter().filter(|gold| gold.is_core) {
        let (file, line, column, _) = gold.row;
        score.expect(
            gold.found,
            &format!("{file}:{line}:{column}"),
            "nothing",
            &facts.show(gold.targets[0]),
        );
    }

    report.push(score);
}

fn inheritance(
    facts: &TypescriptGold<'_>,
    actual: &Tables<'_>,
    gold: &Tables<'_>,
    report: &mut Report,
) {
    for kind in ["extends", "implements", "overrides", "implements_member"] {
        let mut score = Scored::new(kind);
        let mut expected: Vec<(usize, Vec<usize>, bool)> = Vec::new();

        // External bases, by name.
        let mut outside: HashSet<(usize, &str)> = HashSet::new();
        for row in gold
            .table("inherits")
            .rows()
            .filter(|row| facts.covers(row.text("child_file")))
        {
            let child = row.number("child_sid");
            if row.text("status") != "repo" {
                outside.insert((child, row.text("parent_name")));
            } else if row.text("kind") == kind {
                expected.push((child, row.numbers("parent_sids"), false));
            }
        }

        let mut seen = HashSet::new();
        for row in actual
            .table("inherits")
            .rows()
            .filter(|row| row.text("kind") == kind)
        {
            if !facts.covers(row.text("child_file")) || row.text("parent_file").is_empty() {
                continue;
            }

            let (child, parent) = (end(facts, &row, "child"), end(facts, &row, "parent"));
            let name = if parent.is_none() {
                row.text("parent_name")
            } else {
                ""
            };

            if !seen.insert((child, parent, name)) {
                continue;
            }

            let mut is_right = false;
            for (of, parents, found) in &mut expected {
                if Some(*of) == child && parent.is_some_and(|id| parents.contains(&id)) {
                    (is_right, *found) = (true, true);
                }
            }

            let parent_name = parent
                .filter(|id| *id != 0)
                .map_or(name, |id| facts.symbols[id].name);
            let is_member = matches!(kind, "overrides" | "implements_member");
            let left_out = child.filter(|id| *id != 0).is_some_and(|id| {
                let symbol = &facts.symbols[id];
                outside.contains(&(id, parent_name))
                    || (is_member
                        && (symbol.kind == "parameter-property" || symbol.name.starts_with('[')))
            });

            if is_right {
                score.right(row.text("confidence"));
            } else if !left_out {
                let child = location(
                    row.text("child_file"),
                    row.number("child_line"),
                    row.text("child_name"),
                );
                score.wrong(
                    row.text("confidence"),
                    &child,
                    &location(
                        row.text("parent_file"),
                        row.number("parent_line"),
                        row.text("parent_name"),
                    ),
                    "no",
                );
            }
        }

        for (child, parents, found) in &expected {
            score.expect(
                *found,
                &facts.show(*child),
                "nothing",
                &parents
                    .first()
                    .map(|id| facts.show(*id))
                    .unwrap_or_default(),
            );
        }

        report.push(score);
    }
}

fn end(facts: &TypescriptGold<'_>, row: &Row<'_, '_>, side: &str) -> Option<usize> {
    facts.find(
        row.text(&format!("{side}_file")),
        row.number(&format!("{side}_line")),
        row.text(&format!("{side}_name")),
    )
}
