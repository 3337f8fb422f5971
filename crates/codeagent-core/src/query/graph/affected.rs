//! The test files that changes may affect: changed test files, tests next to a changed file, and
//! tests that reach a changed symbol.
//!
//! The graph is followed backwards, through interfaces and base classes, without a limit of steps.
//! A file counts as a test file if its path says so and it contains tests.
//!
//! Limitations: connections through strings (routes, module names in mocks, reflection) are not
//! followed. A changed project file or test configuration selects every test file.

use std::collections::{BTreeMap, VecDeque};

use codeagent_workspace::RepoPath;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::graph::{Dialect, EdgeDirection, EdgeType, Node, NodeFlags, NodeId, NodeType};
use crate::query::uses::importers::importing_files;
use crate::query::{Changes, QueryError, Sources};
use crate::store::{self, FileKey};

/// Maximum number of followed symbols.
const MAX_VISITED: usize = 200_000;

/// Maximum number of changed files in other languages whose names are searched in tests.
const MAX_NAMED_FILES: usize = 200;

/// Why a test file is selected; nearer reasons come first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AffectedBy {
    /// The test file itself changed.
    Itself,
    /// It is named after a changed file.
    Beside(String),
    /// It contains the name of a changed file in another language.
    Names(String),
    /// It reaches a changed symbol.
    Reaches {
        /// Number of steps.
        steps: usize,
        /// The changed symbol or file.
        symbol: String,
    },
}

/// The test files that changes may affect.
#[derive(Clone, Debug, Default)]
pub struct Affected {
    /// Affected test files by path, with the nearest reason. Empty if all are affected.
    pub tests: BTreeMap<String, AffectedBy>,
    /// The changed file that affects all test files, if any.
    pub all_because: Option<String>,
    /// Every test file of the repository.
    pub all: Vec<String>,
}

impl Affected {
    /// Returns the paths of the affected test files, sorted.
    #[must_use]
    pub fn paths(&self) -> Vec<&str> {
        if self.all_because.is_some() {
            self.all.iter().map(String::as_str).collect()
        } else {
            self.tests.keys().map(String::as_str).collect()
        }
    }
}

/// Finds the test files that changes may affect.
pub fn affected(sources: &Sources<'_>, changes: &Changes) -> Result<Affected, QueryError> {
    let paths = store::file_keys(sources.snapshot())?;
    let paths = paths.into_iter().map(|(path, key)| (key, path)).collect();
    let mut search = AffectedSearch {
        sources,
        files: paths,
        is_test: FxHashMap::default(),
        reached: FxHashMap::default(),
        queue: VecDeque::new(),
        found: BTreeMap::new(),
    };
    let paths: Vec<String> = search.files.values().cloned().collect();
    let mut all: Vec<String> = paths
        .into_iter()
        .filter(|path| search.is_test(path))
        .collect();
    all.sort_unstable();

    let all_because = changes.other_files().find(|path| concerns_all_tests(path));
    if let Some(path) = all_because {
        return Ok(Affected {
            tests: BTreeMap::new(),
            all_because: Some(path.to_owned()),
            all,
        });
    }

    search.changed_files(changes, &all)?;
    search.roots(changes)?;
    Ok(Affected {
        tests: search.found,
        all_because: None,
        all,
    })
}

/// Reports whether a file determines how code is built or tests are run.
fn concerns_all_tests(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_named = [
        "package.json",
        "package-lock.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "bun.lockb",
        "global.json",
        "nuget.config",
        "packages.lock.json",
        ".babelrc",
        ".swcrc",
        ".mocharc.json",
        ".mocharc.yml",
        "jest.config.json",
        ".runsettings",
    ];

    let ends = [
        ".csproj",
        ".props",
        ".targets",
        ".sln",
        ".slnx",
        ".runsettings",
    ];

    let is_tsconfig = name.starts_with("tsconfig") && name.ends_with(".json");
    is_named.contains(&&*name) || is_tsconfig || ends.iter().any(|end| name.ends_with(end))
}

struct AffectedSearch<'s, 'a> {
    sources: &'s Sources<'a>,
    files: FxHashMap<FileKey, String>,
    is_test: FxHashMap<String, bool>,
    /// Distance to the nearest changed symbol, and the index of that symbol.
    reached: FxHashMap<NodeId, (usize, usize)>,
    /// Symbols whose users have yet to be visited.
    queue: VecDeque<NodeId>,
    found: BTreeMap<String, AffectedBy>,
}

impl AffectedSearch<'_, '_> {
    /// Reports whether a file is a test file.
    fn is_test(&mut self, path: &str) -> bool {
        if let Some(known) = self.is_test.get(path) {
            return *known;
        }

        let stem = stem(path);
        let has_end = |ends: &[&str]| ends.iter().any(|end| stem.ends_with(end));
        let is_declared = has_end(&[".test", ".spec"]);
        let is_named = has_end(&[
            "Test", "Tests", "Tester", "Spec", "Specs", "_test", "_spec", "-test", "-spec",
        ]);
        let is_test = is_declared
            || (is_named || store::is_test_path(path))
                && RepoPath::new(path)
                    .ok()
                    .and_then(|path| self.sources.workspace().read(&path).ok())
                    .is_some_and(|file| holds_tests(&file.text));

        self.is_test.insert(path.to_owned(), is_test);
        is_test
    }

    fn select(&mut self, path: &str, reason: AffectedBy) {
        if !self.is_test(path) {
            return;
        }
        let known = self.found.get(path);
        if known.is_none_or(|known| reason < *known) {
            self.found.insert(path.to_owned(), reason);
        }
    }

    /// Selects tests by the names of changed files.
    fn changed_files(&mut self, changes: &Changes, all: &[String]) -> Result<(), QueryError> {
        let mut by_stem: FxHashMap<String, Vec<&str>> = FxHashMap::default();
        for path in all {
            by_stem.entry(tested(path)).or_default().push(path);
        }

        let mut others = Vec::new();
        for file in &changes.git.files {
            let path = file.path.as_str();
            if file.new.is_some() {
                self.select(path, AffectedBy::Itself);
            }
            let name = file.path.file_name();
            let snapshot_of = name.strip_suffix(".snap").map(tested);
            if Dialect::of_path(path).is_none() && snapshot_of.is_none() {
                others.push((path, name));
                continue;
            }
            let key = snapshot_of.unwrap_or_else(|| stem(path).to_lowercase());
            // A common name such as `index` selects nothing.
            let beside = by_stem.get(&key).filter(|tests| tests.len() <= 3);
            for test in beside.into_iter().flatten() {
                self.select(test, AffectedBy::Beside(path.to_owned()));
            }
        }

        others.retain(|(_, name)| name.len() > 5 && !name.ends_with(".md"));
        others.truncate(MAX_NAMED_FILES);
        if others.is_empty() {
            return Ok(());
        }
        for test in all {
            self.sources.snapshot().check()?;
            let text = RepoPath::new(test)
                .ok()
                .and_then(|path| self.sources.workspace().read(&path).ok());
            let Some(text) = text else { continue };
            if let Some((path, _)) = others.iter().find(|(_, name)| text.text.contains(name)) {
                self.select(test, AffectedBy::Names((*path).to_owned()));
            }
        }
        Ok(())
    }

    /// Starts at the changed symbols, and at the containers of removed ones.
    fn roots(&mut self, changes: &Changes) -> Result<(), QueryError> {
        let snapshot = self.sources.snapshot();
        for (number, change) in changes.symbols.iter().enumerate() {
            match change.id {
                Some(id) => self.reach(id, (0, number)),
                None => {
                    let container = &change.declared().container;
                    let nodes = store::by_qualified_name(snapshot, container)?;
                    for node in nodes.iter().filter(|_| !container.is_empty()) {
                        self.reach(node.id, (0, number));
                    }
                }
            }
        }
        for (at, path) in changes.module_code.iter().enumerate() {
            for node in store::by_qualified_name(snapshot, path)? {
                let number = changes.symbols.len() + at;
                self.reach(node.id, (0, number));
            }
        }

        self.follow_all(changes)
    }

    fn reach(&mut self, id: NodeId, from: (usize, usize)) {
        if self.reached.len() < MAX_VISITED && !self.reached.contains_key(&id) {
            self.reached.insert(id, from);
            self.queue.push_back(id);
        }
    }

    /// Follows all reached symbols, nearest first.
    fn follow_all(&mut self, changes: &Changes) -> Result<(), QueryError> {
        let name = |number: usize| match changes.symbols.get(number) {
            Some(change) => change.declared().name.clone(),
            None => changes.module_code[number - changes.symbols.len()].clone(),
        };
        while let Some(id) = self.queue.pop_front() {
            self.sources.snapshot().check()?;
            let Some(node) = store::node(self.sources.snapshot(), id)? else {
                continue;
            };

            let (steps, number) = self.reached[&id];
            let mut tests = FxHashSet::default();
            self.users(&node, (steps, number), &mut tests)?;

            for path in tests {
                let reason = AffectedBy::Reaches {
                    steps: steps + 1,
                    symbol: name(number),
                };
                self.select(&path, reason);
            }
        }

        Ok(())
    }

    /// Reaches the users of a symbol, and records the files of the uses.
    fn users(
        &mut self,
        node: &Node,
        (steps, number): (usize, usize),
        files: &mut FxHashSet<String>,
    ) -> Result<(), QueryError> {
        let snapshot = self.sources.snapshot();
        let from = (steps + 1, number);
        let is_type = node.node_type.is_type();
        let is_member = !is_type && !matches!(node.node_type, NodeType::File | NodeType::Module);

        let mut is_used = false;
        for edge in store::incident_edges(snapshot, node.id, None, EdgeDirection::Incoming)? {
            let is_dispatch = matches!(edge.edge_type, EdgeType::Overrides | EdgeType::Implements);
            // Another implementation of the same member does not run this one.
            if is_member && is_dispatch {
                continue;
            }
            is_used |= edge.other != node.id;
            files.extend(self.files.get(&edge.file).cloned());
            // An import alone does not run the imported symbol.
            if edge.edge_type != EdgeType::Imports {
                self.reach(edge.other, from);
            }
        }

        if is_member {
            let mut has_base = false;
            for edge_type in [EdgeType::Overrides, EdgeType::Implements] {
                for edge in store::incident_edges(
                    snapshot,
                    node.id,
                    Some(edge_type),
                    EdgeDirection::Outgoing,
                )? {
                    has_base = true;
                    self.reach(edge.other, from);
                }
            }
            // Code outside the repository calls it on an instance, so the users of its type may
            // reach it.
            let is_called_outside = node.flags.has(NodeFlags::OVERRIDE) && !has_base;
            if ((!is_used && !has_base) || is_called_outside)
                && let Some(id) = node.parent
            {
                self.reach(id, from);
            }
        }
        if node.node_type == NodeType::Class {
            for child in store::contained(snapshot, node.id, EdgeDirection::Outgoing)? {
                let child = store::node(snapshot, child.id)?;
                if let Some(child) = child.filter(|child| child.node_type == NodeType::Constructor)
                {
                    self.reach(child.id, from);
                }
            }
        }
        if node.node_type == NodeType::File {
            self.importers(&node.qualified_name, from, files)?;
        }
        Ok(())
    }

    /// Reaches the importers of a file, whose top-level code runs on import.
    fn importers(
        &mut self,
        path: &str,
        from: (usize, usize),
        files: &mut FxHashSet<String>,
    ) -> Result<(), QueryError> {
        let snapshot = self.sources.snapshot();
        files.insert(path.to_owned());
        let Some(file) = store::file_by_path(snapshot, path)? else {
            return Ok(());
        };
        if self.is_test(path) || from.0 > 2 {
            return Ok(());
        }

        let importing = importing_files(snapshot, file.id, usize::MAX)?;
        files.extend(
            importing
                .iter()
                .filter_map(|file| self.files.get(file).cloned()),
        );
        Ok(())
    }
}

/// Returns a file's name without its folder and last extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Returns the lower-case name of the file that a test file tests.
fn tested(path: &str) -> String {
    let mut name = stem(path).to_lowercase();
    for end in [
        ".tsx", ".ts", ".js", ".test", ".spec", "_test", "_spec", "-test", "-spec", "tests",
        "test", "spec",
    ] {
        if let Some(short) = name.strip_suffix(end) {
            name = short.to_owned();
        }
    }
    name
}

/// Reports whether a text contains tests of a common framework.
fn holds_tests(text: &str) -> bool {
    const SIGNS: [&str; 12] = [
        "[Fact",
        "[Theory",
        "[Test",
        "[TestMethod",
        "[TestCase",
        "[DataTestMethod",
        "it(",
        "test(",
        "describe(",
        "it.each",
        "test.each",
        "it.only",
    ];

    let is_at_word = |at: usize| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|before| !before.is_alphanumeric() && before != '_' && before != '.')
    };
    SIGNS
        .iter()
        .any(|sign| text.match_indices(sign).any(|(at, _)| is_at_word(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_are_recognised_by_their_content() {
        for (text, expected) in [
            ("it('adds', () => {})", true),
            ("public class T { [Fact] public void A() {} }", true),
            ("await(x); emit(y); /re/.test(z)", false),
            ("", false),
        ] {
            assert_eq!(holds_tests(text), expected, "{text}");
        }
    }

    #[test]
    fn a_test_file_covers_the_file_it_is_named_after() {
        assert_eq!(tested("a/Cart.test.ts"), "cart");
        assert_eq!(tested("Shop.Tests/CartTests.cs"), "cart");
        assert_eq!(tested("cart.test.ts.snap"), "cart");
    }
}
