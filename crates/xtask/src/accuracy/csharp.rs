//! Compares our tables with the C# compiler's results.
//!
//! * A declaration is identified by any line from its first line to the line of its name. Every
//!   declaration except local functions is required.
//! * A call site is right if one of our targets is the declaration that the compiler binds
//!   (`calls`), or has that declaration's container and name (`calls, method group`). An external
//!   call must have no target. Sites that the compiler could not bind, because a package is
//!   missing, are skipped.
//! * References are uses of types only; the gold has no others.
//! * Files without gold data are skipped.
//!
//! Limitations: callers are not compared; the row hashes cover them.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::accuracy::score::{Report, Scored, Tables, location};
use crate::accuracy::tables::Row;

/// Kinds of symbols with a fixed name, which tools may spell differently.
const UNNAMED: [&str; 5] = [
    "constructor",
    "operator",
    "conversion",
    "indexer",
    "destructor",
];
/// Prefixes that such a name may have in a table.
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

struct CsharpSymbol<'t> {
    file: &'t str,
    kind: &'t str,
    name: &'t str,
    container: &'t str,
    name_line: usize,
    parent: usize,
    /// The symbol number of a partial type's first part.
    whole: usize,
}

/// The compiler's declarations. Symbols are numbered from 1.
struct CsharpGold<'t> {
    symbols: Vec<CsharpSymbol<'t>>,
    at: HashMap<(&'t str, usize), Vec<usize>>,
    files: HashSet<&'t str>,
}

/// Returns all figures and disagreements of one repository.
pub fn score(actual: &Tables<'_>, gold: &Tables<'_>) -> Report {
    let facts = CsharpGold::new(gold);
    let mut report = Report::default();
    symbols(&facts, actual, &mut report);
    calls(&facts, actual, gold, &mut report);
    references(&facts, actual, gold, &mut report);
    inheritance(&facts, actual, gold, &mut report);
    report
}

impl<'t> CsharpGold<'t> {
    fn new(gold: &Tables<'t>) -> Self {
        let none = CsharpSymbol {
            file: "",
            kind: "",
            name: "",
            container: "",
            name_line: 0,
            parent: 0,
            whole: 0,
        };

        let mut facts = Self {
            symbols: vec![none],
            at: HashMap::new(),
            files: HashSet::new(),
        };

        facts
            .files
            .extend(gold.table("files").rows().map(|row| row.text("file")));

        for row in gold.table("symbols").rows() {
            let symbol = CsharpSymbol {
                file: row.text("file"),
                kind: row.text("kind"),
                name: row.text("name"),
                container: row.text("container"),
                name_line: row.number("name_line"),
                parent: row.number("parent_sid"),
                whole: row.number("canon_sid"),
            };

            for line in row.number("line_start")..=symbol.name_line {
                facts
                    .at
                    .entry((symbol.file, line))
                    .or_default()
                    .push(facts.symbols.len());
            }
            facts.symbols.push(symbol);
        }

        facts
    }

    fn covers(&self, file: &str) -> bool {
        self.files.contains(file)
    }

    fn at<'s>(&'s self, file: &'s str, line: usize) -> &'s [usize] {
        self.at
            .get(&(file, line))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Finds the declaration with this name on a line, or else one on it that has no name of its
    /// own.
    fn find(&self, file: &str, line: usize, name: &str) -> Option<usize> {
        let last = last_segment(name);
        let named =
            |id: &&usize| self.symbols[**id].name == last || self.symbols[**id].name == name;

        let nearest = |ids: Vec<&usize>| {
            ids.into_iter()
                .min_by_key(|id| self.symbols[**id].name_line.abs_diff(line))
                .copied()
        };

        let all = self.at(file, line);
        nearest(all.iter().filter(named).collect()).or_else(|| {
            nearest(
                all.iter()
                    .filter(|id| UNNAMED.contains(&self.symbols[**id].kind))
                    .collect(),
            )
        })
    }

    fn show(&self, id: usize) -> String {
        let symbol = &self.symbols[id];
        location(symbol.file, symbol.name_line, symbol.name)
    }
}

/// Returns `Name` of `A.B.Name<T>(int)`; names of operators are returned unchanged.
fn last_segment(name: &str) -> &str {
    let name = name.split('(').next().unwrap_or_default();
    if ["op", "implicit", "explicit", "~", "this"]
        .iter()
        .any(|start| name.starts_with(start))
    {
        return name;
    }
    name.split('<')
        .next()
        .unwrap_or_default()
        .rsplit('.')
        .next()
        .unwrap_or_default()
}

fn symbols(facts: &CsharpGold<'_>, actual: &Tables<'_>, report: &mut Report) {
    let mut score = Scored::new("symbols");
    let mut seen = HashSet::new();

    let is_required = |id: usize| {
        facts.symbols[id].kind != "local_function" && facts.covers(facts.symbols[id].file)
    };

    for row in actual
        .table("symbols")
        .rows()
        .filter(|row| facts.covers(row.text("file")))
    {
        let (file, line, name, kind) = (
            row.text("file"),
            row.number("line_start"),
            row.text("name"),
            row.text("kind"),
        );

        if matches!(kind, "file" | "namespace" | "module" | "parameter") {
            continue;
        }

        let all = facts.at(file, line);
        let named = |id: &&usize| {
            facts.symbols[**id].name == name || facts.symbols[**id].name == last_segment(name)
        };

        let mut matched: Vec<usize> = all.iter().filter(named).copied().collect();
        if matched.is_empty() && SPELLINGS.iter().any(|start| name.starts_with(start)) {
            matched = all
                .iter()
                .filter(|id| UNNAMED.contains(&facts.symbols[**id].kind))
                .copied()
                .collect();
        }

        if matched.is_empty() {
            score.wrong(
                "",
                &location(file, line, name),
                &format!("declares {kind}"),
                "nothing",
            );
            continue;
        }

        let free = matched
            .into_iter()
            .filter(|id| !seen.contains(id))
            .min_by_key(|id| facts.symbols[*id].name_line.abs_diff(line));
        let Some(id) = free else { continue };

        seen.insert(id);
        if is_required(id) {
            score.right("");
        }
    }

    for id in (1..facts.symbols.len()).filter(|id| is_required(*id)) {
        score.expect(
            seen.contains(&id),
            &facts.show(id),
            "nothing",
            facts.symbols[id].kind,
        );
    }

    report.push(score);
}

struct Prediction<'t> {
    file: &'t str,
    line: usize,
    name: &'t str,
    confidence: &'t str,
}

impl Prediction<'_> {
    fn show(&self) -> String {
        location(self.file, self.line, self.name)
    }
}

type Sites<'t> = HashMap<(&'t str, usize, usize), Vec<Prediction<'t>>>;

fn predictions<'t>(facts: &CsharpGold<'_>, actual: &Tables<'t>) -> Sites<'t> {
    let mut sites = Sites::new();

    for row in actual
        .table("calls")
        .rows()
        .filter(|row| facts.covers(row.text("caller_file")))
    {
        sites
            .entry((
                row.text("caller_file"),
                row.number("site_line"),
                row.number("site_col"),
            ))
            .or_default()
            .push(Prediction {
                file: row.text("callee_file"),
                line: row.number("callee_line"),
                name: row.text("callee_name"),
                confidence: row.text("confidence"),
            });
    }

    sites
}

fn calls(facts: &CsharpGold<'_>, actual: &Tables<'_>, gold: &Tables<'_>, report: &mut Report) {
    let sites = predictions(facts, actual);
    let (mut exact, mut group) = (Scored::new("calls"), Scored::new("calls, method group"));
    let mut known = HashSet::new();

    for row in gold
        .table("calls")
        .rows()
        .filter(|row| facts.covers(row.text("caller_file")))
    {
        let key = (
            row.text("caller_file"),
            row.number("site_line"),
            row.number("site_col"),
        );
        known.insert(key);

        let site = format!("{}:{}:{}", key.0, key.1, key.2);
        let given = sites.get(&key).map(Vec::as_slice).unwrap_or_default();
        if !matches!(row.text("call_kind"), "call" | "new") {
            continue;
        }

        match row.text("status") {
            "ext" => {
                for actual in given {
                    exact.wrong(actual.confidence, &site, &actual.show(), "outside");
                    group.wrong_unlisted(actual.confidence);
                }
            }
            "repo" => call_site(facts, &row, &site, given, [&mut exact, &mut group]),
            _ => {}
        }
    }

    let unknown: BTreeSet<_> = sites.keys().filter(|key| !known.contains(*key)).collect();
    for key in unknown {
        for actual in &sites[key] {
            exact.wrong(
                actual.confidence,
                &format!("{}:{}:{}", key.0, key.1, key.2),
                &actual.show(),
                "no call",
            );
            group.wrong_unlisted(actual.confidence);
        }
    }

    report.push(exact);
    report.push(group);
}

/// Scores a site whose target is in the repository. At most one of several rows at one site counts
/// as right.
fn call_site(
    facts: &CsharpGold<'_>,
    row: &Row<'_, '_>,
    site: &str,
    given: &[Prediction<'_>],
    [exact, group]: [&mut Scored; 2],
) {
    let target = &facts.symbols[row.number("callee_sid")];
    let is_it = |id: &usize| facts.symbols[*id].whole == target.whole;
    let is_like_it = |id: &usize| {
        is_it(id)
            || (facts.symbols[*id].container, facts.symbols[*id].name)
                == (target.container, target.name)
    };

    let says = facts.show(row.number("callee_sid"));
    let (mut exact_found, mut group_found) = (false, false);

    for actual in given {
        let declared = facts.at(actual.file, actual.line);
        if !exact_found && declared.iter().any(is_it) {
            exact_found = true;
            exact.right(actual.confidence);
        } else {
            exact.wrong(actual.confidence, site, &actual.show(), &says);
        }

        if !group_found && declared.iter().any(is_like_it) {
            group_found = true;
            group.right(actual.confidence);
        } else {
            group.wrong_unlisted(actual.confidence);
        }
    }

    let actual = given
        .first()
        .map_or_else(|| "nothing".to_owned(), Prediction::show);
    exact.expect(exact_found, site, &actual, &says);
    group.expect_unlisted(group_found);
}

fn references(facts: &CsharpGold<'_>, actual: &Tables<'_>, gold: &Tables<'_>, report: &mut Report) {
    let mut uses = HashMap::new();
    for row in gold
        .table("refs")
        .rows()
        .filter(|row| facts.covers(row.text("file")))
    {
        uses.insert(
            (row.text("file"), row.number("line"), row.number("col")),
            (row.text("status"), row.number("decl_sid")),
        );
    }

    let mut score = Scored::new("references to types");
    let mut found = HashSet::new();

    for row in actual.table("refs").rows() {
        let key = (row.text("file"), row.number("line"), row.number("col"));
        let Some((status, target)) = uses
            .get(&key)
            .filter(|(status, _)| *status != "unres" && !found.contains(&key))
        else {
            continue;
        };

        let named = facts.find(
            row.text("decl_file"),
            row.number("decl_line"),
            row.text("decl_name"),
        );

        // `new C()` may be recorded as a use of C or of its constructor.
        let named = named.map(|id| {
            if facts.symbols[id].kind == "constructor" {
                facts.symbols[id].parent
            } else {
                id
            }
        });

        if *status == "repo"
            && named.is_some_and(|id| facts.symbols[id].whole == facts.symbols[*target].whole)
        {
            found.insert(key);
            score.right(row.text("confidence"));
        } else {
            let says = if *status == "repo" {
                facts.show(*target)
            } else {
                "outside".to_owned()
            };
            let actual = location(
                row.text("decl_file"),
                row.number("decl_line"),
                row.text("decl_name"),
            );

            score.wrong(
                row.text("confidence"),
                &format!("{}:{}:{}", key.0, key.1, key.2),
                &actual,
                &says,
            );
        }
    }

    let mut expected: Vec<_> = uses
        .iter()
        .filter(|(_, (status, _))| *status == "repo")
        .collect();
    expected.sort_unstable();

    for (key, (_, target)) in expected {
        score.expect(
            found.contains(key),
            &format!("{}:{}:{}", key.0, key.1, key.2),
            "nothing",
            &facts.show(*target),
        );
    }

    report.push(score);
}

fn inheritance(
    facts: &CsharpGold<'_>,
    actual: &Tables<'_>,
    gold: &Tables<'_>,
    report: &mut Report,
) {
    let whole = |id: usize| facts.symbols[id].whole;
    for kind in ["extends", "implements", "overrides", "implements_member"] {
        let mut score = Scored::new(kind);

        let mut expected = BTreeSet::new();
        for row in gold
            .table("inherits")
            .rows()
            .filter(|row| row.text("status") == "repo" && facts.covers(row.text("child_file")))
        {
            let stated = match row.text("kind") {
                "impl_member" | "impl_explicit" => "implements_member",
                other => other,
            };

            if stated == kind {
                expected.insert((
                    whole(row.number("child_sid")),
                    whole(row.number("parent_sid")),
                ));
            }
        }

        let (mut seen, mut found) = (HashSet::new(), HashSet::new());
        for row in actual
            .table("inherits")
            .rows()
            .filter(|row| row.text("kind") == kind && facts.covers(row.text("child_file")))
        {
            let (child, parent) = (end(facts, &row, "child"), end(facts, &row, "parent"));
            let elsewhere = if parent.is_none() {
                (row.text("parent_file"), row.number("parent_line"))
            } else {
                ("", 0)
            };

            if !seen.insert((child, parent, elsewhere)) {
                continue;
            }

            match child.zip(parent).filter(|pair| expected.contains(pair)) {
                Some(pair) => {
                    found.insert(pair);
                    score.right(row.text("confidence"));
                }
                None => {
                    let site = location(
                        row.text("child_file"),
                        row.number("child_line"),
                        row.text("child_name"),
                    );
                    let actual = location(
                        row.text("parent_file"),
                        row.number("parent_line"),
                        row.text("parent_name"),
                    );
                    score.wrong(row.text("confidence"), &site, &actual, "no");
                }
            }
        }

        for pair in &expected {
            score.expect(
                found.contains(pair),
                &facts.show(pair.0),
                "nothing",
                &facts.show(pair.1),
            );
        }

        report.push(score);
    }
}

/// Returns one end of an inheritance row, as the first part of its type.
fn end(facts: &CsharpGold<'_>, row: &Row<'_, '_>, side: &str) -> Option<usize> {
    let found = facts.find(
        row.text(&format!("{side}_file")),
        row.number(&format!("{side}_line")),
        row.text(&format!("{side}_name")),
    );
    found.map(|id| facts.symbols[id].whole)
}
