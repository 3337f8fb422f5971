//! Checks of the sources that neither the compiler nor the manifests make: module layers inside a
//! crate, file heads, file sizes, and which folder may use which library.
//!
//! Each check is a function from sources to problems. One test runs it on the real sources, others
//! on sources with seeded violations.
//!
//! Limitations: checks work on tokens. They see a path however it is imported, but not names in the
//! expansion of another crate's macro.

mod checker_layers;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;

use codeagent_workspace::{RepoPath, Workspace};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The modules of `codeagent-core` and what each may use, lowest first.
const LAYERS: &[(&str, &[&str])] = &[
    ("languages", &[]),
    ("versions", &[]),
    ("embed", &["model"]),
    ("store", &["model", "embed", "versions"]),
    (
        "ingest",
        &["model", "languages", "versions", "embed", "store"],
    ),
    ("query", &["model", "languages", "embed", "store"]),
    (
        "engine",
        &["model", "languages", "embed", "store", "ingest", "query"],
    ),
    ("service", &["embed", "store", "ingest", "engine"]),
];

/// Modules of the resolvers and the higher modules that they must not name.
const FLOORS: &[(&str, &[&str])] = &[
    (
        "codeagent-csharp/src/resolve/global_index/",
        &["types", "expressions", "edges"],
    ),
    (
        "codeagent-csharp/src/resolve/types/",
        &["expressions", "edges"],
    ),
    ("codeagent-csharp/src/resolve/expressions/", &["edges"]),
    (
        "codeagent-typescript/src/resolve/global_index/",
        &["arena", "queries", "symbols"],
    ),
    (
        "codeagent-typescript/src/resolve/arena.rs",
        &["queries", "symbols"],
    ),
    ("codeagent-typescript/src/resolve/queries.rs", &["symbols"]),
    ("codeagent-typescript/src/resolve/global_index/", CHECKER),
    ("codeagent-typescript/src/resolve/arena.rs", CHECKER),
    ("codeagent-typescript/src/resolve/queries.rs", CHECKER),
    ("codeagent-typescript/src/resolve/symbols/", CHECKER),
    (
        "codeagent-typescript/src/resolve/checker.rs",
        &["names", "types", "expressions", "edges"],
    ),
    // The modules of the checker. Their calls are checked by `checker_layers`; these are their
    // types.
    (
        "codeagent-typescript/src/resolve/names/",
        &["types", "expressions", "edges"],
    ),
    (
        "codeagent-typescript/src/resolve/types/",
        &["expressions", "edges"],
    ),
    ("codeagent-typescript/src/resolve/expressions/", &["edges"]),
];

/// Modules above TypeScript's `symbols`.
const CHECKER: &[&str] = &["checker", "names", "types", "expressions", "edges"];

/// Where the crate of one language may be named.
const LANGUAGES: &[&str] = &[
    "crates/codeagent-core/src/ingest/packages/",
    "crates/codeagent-core/src/languages.rs",
    "crates/codeagent-externals/",
    "benches/",
];

/// Paths, and the only folders and files that may use them.
const CONFINED: &[(&str, &[&str])] = &[
    ("rusqlite", &["crates/codeagent-core/src/store/"]),
    ("r2d2", &["crates/codeagent-core/src/store/"]),
    ("r2d2_sqlite", &["crates/codeagent-core/src/store/"]),
    // Code that works on `Facts` must not parse text. The bench compares with a bare parse.
    (
        "tree_sitter",
        &[
            "crates/codeagent-lang/src/lower/",
            "crates/codeagent-csharp/src/lib.rs",
            "crates/codeagent-csharp/src/lower/",
            "crates/codeagent-csharp/src/syntax/",
            "crates/codeagent-typescript/src/javascript/",
            "crates/codeagent-typescript/src/lib.rs",
            "crates/codeagent-typescript/src/lower/",
            "crates/codeagent-typescript/src/syntax/",
            "benches/",
        ],
    ),
    // What holds for every language asks the registry.
    ("codeagent_csharp", LANGUAGES),
    ("codeagent_typescript", LANGUAGES),
    (
        "oxc_resolver",
        &["crates/codeagent-typescript/src/resolve/global_index/module_resolution"],
    ),
    // Models, and the settings and commands of clients, are outside of any repository.
    (
        "std::fs",
        &[
            "crates/codeagent-workspace/src/",
            // The sandbox creates its own root.
            "crates/codeagent-files/src/exec/",
            "crates/codeagent-testkit/src/",
            "crates/codeagent-embed/src/",
            "crates/codeagent-core/build.rs",
            "crates/codeagent-cli/build.rs",
            "crates/codeagent-cli/src/clients/",
            // Writes the example repository.
            "crates/codeagent-cli/src/commands/demo.rs",
            "crates/codeagent-externals/src/main.rs",
            "crates/xtask/src/",
            "benches/",
        ],
    ),
    // Only the sandbox runs other programs, except pip and the commands of clients when the user
    // requests it.
    (
        "std::process::Command",
        &[
            "crates/codeagent-embed/src/packages.rs",
            "crates/codeagent-files/src/exec/",
            "crates/codeagent-workspace/src/detach.rs",
            "crates/codeagent-cli/src/clients/",
            // Runs this program.
            "crates/codeagent-cli/src/commands/demo.rs",
            "crates/xtask/src/",
            "benches/",
        ],
    ),
    // Facts and edges must not depend on the speed of the machine.
    (
        "std::time",
        &[
            "crates/codeagent-core/src/store/",
            "crates/codeagent-core/src/ingest/",
            "crates/codeagent-core/src/query/text/text_search.rs",
            "crates/codeagent-core/src/engine",
            "crates/codeagent-core/src/service",
            "crates/codeagent-workspace/",
            "crates/codeagent-files/",
            "crates/codeagent-http/",
            "crates/codeagent-lsp/",
            "crates/codeagent-mcp/",
            "crates/codeagent-cli/",
            "crates/codeagent-share/",
            "crates/codeagent-testkit/src/",
            "crates/xtask/",
            "benches/",
            "tests/",
        ],
    ),
    (
        "rmcp",
        &["crates/codeagent-files/", "crates/codeagent-mcp/"],
    ),
    (
        "axum",
        &[
            "crates/codeagent-http/",
            "crates/codeagent-mcp/",
            "crates/codeagent-view/src/",
        ],
    ),
    ("fastembed", &["crates/codeagent-embed/src/"]),
    ("ort", &["crates/codeagent-embed/src/"]),
    (
        "anyhow",
        &[
            "crates/codeagent-cli/src/",
            "crates/codeagent-externals/src/",
            "crates/xtask/src/",
        ],
    ),
    (
        "clrmeta",
        &[
            "crates/codeagent-csharp/src/stdlib/metadata/",
            "crates/codeagent-testkit/src/",
        ],
    ),
    // Library users should need only the crate's root.
    ("codeagent_core::store", &["crates/xtask/src/"]),
    ("codeagent_core::ingest", &["crates/xtask/src/"]),
];

/// Maximum number of lines of a file, without tests.
const MAX_LINES: usize = 750;

/// A source file, with the lines of its test code.
struct Source {
    path: String,
    text: String,
    /// Lines of items under `#[cfg(test)]`.
    tests: Vec<RangeInclusive<usize>>,
    /// Every path in the code with the line it ends on; `crate` and `super` are resolved from the
    /// crate's root.
    paths: Vec<(usize, String)>,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        let tokens: TokenStream = text
            .parse()
            .unwrap_or_else(|error| panic!("{path}: {error}"));
        let (mut tests, mut paths) = (Vec::new(), Vec::new());
        scan(tokens, &[], &mut tests, &mut paths);
        let module = module_of(path);
        let paths = paths
            .into_iter()
            .map(|(line, segments)| (line, from_root(&segments, &module).join("::")))
            .collect();
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            tests,
            paths,
        }
    }

    fn is_test(&self) -> bool {
        self.path.contains("/tests/")
            || self.path.ends_with("/tests.rs")
            || self.path.starts_with("tests/")
    }

    /// Returns the number of lines outside test code.
    fn code_lines(&self) -> usize {
        let lines = 1..=self.text.lines().count();
        lines
            .filter(|line| !self.tests.iter().any(|tests| tests.contains(line)))
            .count()
    }

    /// Returns the module of `codeagent-core` that the file belongs to.
    fn layer(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("crates/codeagent-core/src/")?;
        inside
            .split(['/', '.'])
            .next()
            .filter(|layer| *layer != "lib")
    }
}

/// Returns the modules from the crate's root to a file.
fn module_of(path: &str) -> Vec<&str> {
    let inside = path.split_once("/src/").map_or("", |(_, inside)| inside);
    let modules = inside
        .trim_end_matches(".rs")
        .split('/')
        .filter(|name| !matches!(*name, "" | "mod" | "lib" | "main"));
    modules.collect()
}

/// Rewrites a path with `self` or `super` as one from the crate's root.
fn from_root(segments: &[String], module: &[&str]) -> Vec<String> {
    let here = usize::from(segments.first().is_some_and(|segment| segment == "self"));
    let climbs = segments[here..]
        .iter()
        .take_while(|segment| *segment == "super")
        .count();
    let is_relative = here + climbs > 0 && segments.len() > here + climbs;
    match module.len().checked_sub(climbs).filter(|_| is_relative) {
        Some(left) => {
            let around = std::iter::once("crate")
                .chain(module[..left].iter().copied())
                .map(str::to_owned);
            around
                .chain(segments[here + climbs..].iter().cloned())
                .collect()
        }
        None => segments.to_vec(),
    }
}

/// Collects test items, and the paths outside of them; `prefix` precedes a group of imports.
fn scan(
    tokens: TokenStream,
    prefix: &[String],
    tests: &mut Vec<RangeInclusive<usize>>,
    paths: &mut Vec<(usize, Vec<String>)>,
) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        if marks_tests(&tokens[at..]) {
            let first = tokens[at].span().start().line;
            at += 2;
            while at < tokens.len() && !ends_item(&tokens[at]) {
                at += 1;
            }
            tests.push(first..=tokens.get(at).map_or(first, |last| last.span().end().line));
            at += 1;
            continue;
        }
        match &tokens[at] {
            TokenTree::Ident(name) => {
                let mut path = prefix.to_vec();
                path.push(name.to_string());
                at += 1;
                while let Some(TokenTree::Ident(next)) =
                    tokens.get(at + 2).filter(|_| is_colons(&tokens[at..]))
                {
                    path.push(next.to_string());
                    at += 3;
                }
                match tokens.get(at + 2).filter(|_| is_colons(&tokens[at..])) {
                    Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                        scan(group.stream(), &path, tests, paths);
                        at += 3;
                    }
                    _ => paths.push((tokens[at - 1].span().end().line, path)),
                }
            }
            TokenTree::Group(group) => {
                scan(group.stream(), &[], tests, paths);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

fn is_colons(tokens: &[TokenTree]) -> bool {
    let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    is_colon(tokens.first()) && is_colon(tokens.get(1))
}

/// Reports whether the tokens start with `#[cfg(test)]`.
fn marks_tests(tokens: &[TokenTree]) -> bool {
    match tokens {
        [TokenTree::Punct(hash), TokenTree::Group(attribute), ..] => {
            hash.as_char() == '#' && attribute.stream().to_string().replace(' ', "") == "cfg(test)"
        }
        _ => false,
    }
}

/// Reports whether a token ends an item: its body, or a semicolon.
fn ends_item(token: &TokenTree) -> bool {
    match token {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    }
}

fn workspace() -> Workspace {
    Workspace::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap()
}

fn sources() -> Vec<Source> {
    let workspace = workspace();
    let entries = workspace.walk().entries;
    let rust = entries
        .iter()
        .map(|entry| &entry.path)
        .filter(|path| path.as_str().ends_with(".rs"));
    let sources: Vec<Source> = rust
        .map(|path| Source::new(path.as_str(), &workspace.read(path).unwrap().text))
        .collect();
    assert!(
        sources.len() > 30,
        "only {} source files found",
        sources.len()
    );
    sources
}

fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn imports_point_downwards() {
    assert_none(&upward_imports(&sources()));
}

fn upward_imports(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let Some(layer) = source.layer() else {
            continue;
        };
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == layer) else {
            problems.push(format!(
                "{}: `{layer}` is not in the table of layers",
                source.path
            ));
            continue;
        };
        for (line, path) in &source.paths {
            let used = path
                .strip_prefix("crate::")
                .and_then(|rest| rest.split("::").next());
            if let Some(used) = used.filter(|used| *used != layer && !allowed.contains(used)) {
                problems.push(format!(
                    "{}:{line}: `{layer}` may not use `{used}`",
                    source.path
                ));
            }
        }
    }
    problems
}

#[test]
fn an_upward_import_is_found_in_every_form() {
    let problems = |path: &str, text: &str| upward_imports(&[Source::new(path, text)]).len();
    let extract = "crates/codeagent-core/src/embed/mod.rs";
    assert_eq!(problems(extract, "use crate::store::Writer;"), 1);
    assert_eq!(
        problems(
            extract,
            "use crate::{model::Facts, store, query::{self, x}};"
        ),
        3
    );
    assert_eq!(
        problems(extract, "fn f() { g(crate::query::f(crate::model::g())); }"),
        1
    );
    assert_eq!(
        problems(extract, "fn f() { matches!(x, crate::store::Y) }"),
        1
    );
    assert_eq!(problems(extract, "use super::store::Writer;"), 1);
    assert_eq!(
        problems(
            "crates/codeagent-core/src/embed/a/b.rs",
            "use super::super::super::store::Writer;"
        ),
        1
    );
    assert_eq!(
        problems(
            "crates/codeagent-core/src/embed/a/b.rs",
            "use super::super::store::Writer;"
        ),
        0
    );
    assert_eq!(
        problems(
            extract,
            "#[cfg(test)]\nmod tests;\n\nuse crate::store::Writer;"
        ),
        1,
        "after the declaration of tests"
    );
    assert_eq!(
        problems(
            extract,
            "#[cfg(test)]\nmod print { use crate::store::Writer; }\nfn f() { crate::store::g() }"
        ),
        1
    );
    assert_eq!(
        problems(
            extract,
            "#[cfg(test)]\nuse crate::store::Writer;\n/// `crate::store`\nfn f() { \"crate::store\"; }"
        ),
        0
    );
    assert_eq!(
        problems("crates/codeagent-core/src/extras/mod.rs", ""),
        1,
        "an unknown layer"
    );
}

#[test]
fn resolver_modules_do_not_import_higher_ones() {
    assert_none(&climbs(&sources()));
}

fn climbs(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let inside = source.path.strip_prefix("crates/").unwrap_or_default();
        for (floor, above) in FLOORS.iter().filter(|(floor, _)| inside.starts_with(floor)) {
            let is_above = |path: &str| {
                let wanted = path.strip_prefix("crate::resolve::").unwrap_or_default();
                above.iter().any(|above| {
                    wanted
                        .strip_prefix(above)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
                })
            };
            let found = source.paths.iter().filter(|(_, path)| is_above(path));
            problems.extend(found.map(|(line, path)| {
                format!("{}:{line}: `{path}` lies above {floor}", source.path)
            }));
        }
    }
    problems
}

#[test]
fn an_import_of_a_higher_resolver_module_is_found_in_every_form() {
    let problems = |path: &str, text: &str| {
        climbs(&[Source::new(
            &format!("crates/codeagent-csharp/src/resolve/{path}"),
            text,
        )])
        .len()
    };
    assert_eq!(
        problems(
            "types/names.rs",
            "use crate::resolve::expressions::Checker;"
        ),
        1
    );
    assert_eq!(
        problems(
            "types/names.rs",
            "use crate::resolve::{global_index::Tables, expressions::Checker, edges};"
        ),
        2
    );
    assert_eq!(
        problems(
            "types/names.rs",
            "use super::super::expressions::calls::CallResult;"
        ),
        1
    );
    assert_eq!(
        problems("types/mod.rs", "fn f(x: &super::expressions::Checker) {}"),
        1
    );
    assert_eq!(
        problems(
            "types/mod.rs",
            "use self::names::Found;\nuse super::global_index::Tables;"
        ),
        0
    );
    assert_eq!(
        problems("global_index/tables.rs", "use crate::resolve::types::Ty;"),
        1
    );
    assert_eq!(
        problems(
            "expressions/calls.rs",
            "fn f() { crate::resolve::edges::link() }"
        ),
        1
    );
    assert_eq!(
        problems(
            "edges/site_targets.rs",
            "use crate::resolve::expressions::Checker;"
        ),
        0
    );
}

/// Modules with the state of a syntax tree walk.
const WALKS: &[(&str, &str)] = &[
    ("codeagent-csharp", "lowering"),
    ("codeagent-typescript", "lowering"),
];

#[test]
fn lowering_and_its_visitors_have_no_cyclic_imports() {
    assert_none(&import_cycles(&sources()));
}

/// Finds modules that a walk imports and that import the walk; shared items belong in a third
/// module.
fn import_cycles(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    let file = |krate: &str, module: &str| {
        let path = format!("crates/{krate}/src/lower/{module}.rs");
        sources.iter().find(|source| source.path == path)
    };
    for (krate, walk) in WALKS {
        let Some(source) = file(krate, walk) else {
            continue;
        };
        let siblings = source.paths.iter().filter_map(|(_, path)| {
            let inside = path.strip_prefix("crate::lower::")?;
            inside.split("::").next()
        });
        for sibling in siblings.collect::<BTreeSet<_>>() {
            let is_walk = |path: &str| path.starts_with(&format!("crate::lower::{walk}::"));
            let room = file(krate, sibling)
                .filter(|room| room.paths.iter().any(|(_, path)| is_walk(path)));
            problems.extend(room.map(|room| {
                format!(
                    "{} names `{sibling}`, and {} names it",
                    source.path, room.path
                )
            }));
        }
    }
    problems
}

#[test]
fn a_cyclic_import_in_lowering_is_found() {
    let extract = |file: &str, text: &str| {
        Source::new(
            &format!("crates/codeagent-typescript/src/lower/{file}"),
            text,
        )
    };
    let walker = || {
        extract(
            "lowering.rs",
            "use crate::lower::{calls::Link, syntax::Child};",
        )
    };
    let room = |text: &str| {
        import_cycles(&[
            walker(),
            extract("calls.rs", text),
            extract("syntax.rs", ""),
        ])
        .len()
    };
    assert_eq!(room("use crate::lower::lowering::Lowering;"), 1);
    assert_eq!(room("use super::lowering::Lowering;"), 1);
    assert_eq!(room("use crate::lower::syntax::Child;"), 0);
}

#[test]
fn libraries_are_used_only_where_allowed() {
    assert_none(&misplaced_items(&sources()));
}

fn misplaced_items(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        for (wanted, places) in CONFINED {
            if places.iter().any(|place| source.path.starts_with(place)) {
                continue;
            }
            let is_in = |path: &str| {
                path.strip_prefix(wanted)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            };
            let found = source.paths.iter().filter(|(_, path)| is_in(path));
            problems.extend(found.map(|(line, _)| {
                format!(
                    "{}:{line}: `{wanted}` belongs to {}",
                    source.path,
                    places.join(", ")
                )
            }));
        }
    }
    problems
}

#[test]
fn a_misplaced_library_is_found_in_every_form() {
    let problems = |path: &str, text: &str| misplaced_items(&[Source::new(path, text)]).len();
    let extract = "crates/codeagent-core/src/query/mod.rs";
    assert_eq!(problems(extract, "use rusqlite::Connection;"), 1);
    assert_eq!(
        problems(
            extract,
            "#[cfg(test)]\nmod print;\nfn f() { std::fs::read(x) }"
        ),
        1,
        "after the declaration of tests"
    );
    assert_eq!(problems(extract, "use std::{env, fs::{self, File}};"), 2);
    assert_eq!(problems(extract, "fn f(x: ::rusqlite::Row<'_>) {}"), 1);
    assert_eq!(problems(extract, "use rusqlite as r;"), 1);
    assert_eq!(
        problems(extract, "fn f() { vec![std::process::Command::new(x)] }"),
        1
    );
    assert_eq!(
        problems(
            extract,
            "use std::fmt; // std::fs\nfn f() { \"rusqlite\"; x.anyhow_y() }"
        ),
        0
    );
    assert_eq!(
        problems(
            "crates/codeagent-core/src/store/mod.rs",
            "use rusqlite::Connection;"
        ),
        0
    );
}

#[test]
fn files_have_a_head_and_stay_small() {
    assert_none(&bad_module_heads(&sources()));
}

fn bad_module_heads(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for source in sources
        .iter()
        .filter(|source| !source.path.ends_with("/tests.rs"))
    {
        let lines = source.code_lines();
        if !source.text.starts_with("//! ") {
            problems.push(format!(
                "{}: does not begin with a `//!` sentence",
                source.path
            ));
        }
        if lines > MAX_LINES && !source.is_test() {
            problems.push(format!(
                "{}: {lines} lines, more than {MAX_LINES}",
                source.path
            ));
        }
    }
    problems
}

#[test]
fn a_long_file_is_found_wherever_its_tests_are() {
    let problems = |text: &str| {
        bad_module_heads(&[Source::new(
            "crates/codeagent-core/src/store/search/mod.rs",
            text,
        )])
        .len()
    };
    let long = "fn f() {}\n".repeat(MAX_LINES);
    assert_eq!(
        problems(&format!("//! What?\n#[cfg(test)]\nmod tests;\n{long}")),
        1
    );
    assert_eq!(
        problems(&format!("//! What?\n#[cfg(test)]\nmod tests {{\n{long}}}")),
        0
    );
    assert_eq!(problems("use std::fmt;\n"), 1, "no header");
}

#[test]
fn no_code_is_unfinished_and_no_test_is_ignored() {
    assert_none(&undone(&sources()));
}

fn undone(sources: &[Source]) -> Vec<String> {
    let marks = [
        concat!("todo", "!("),
        concat!("unimple", "mented!("),
        concat!("#[ign", "ore"),
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
    ];
    let found = sources.iter().flat_map(|source| {
        let lines = (1..)
            .zip(source.text.lines())
            .filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)));
        lines.map(|(number, line): (usize, &str)| {
            format!("{}:{number}: {}", source.path, line.trim())
        })
    });
    found.collect()
}

#[test]
fn unfinished_code_is_found_in_tests_too() {
    let problems =
        |text: &str| undone(&[Source::new("crates/codeagent-core/src/store/mod.rs", text)]).len();
    assert_eq!(
        problems(concat!(
            "#[cfg(test)]\nmod tests {\n    #[test]\n    #[ign",
            "ore]\n    fn f() {}\n}"
        )),
        1
    );
    assert_eq!(
        problems(concat!("fn f() { todo", "!() }\n// TO", "DO: more")),
        2
    );
    assert_eq!(problems("fn todo() {}"), 0);
}

/// The graph of crates in `docs/ARCHITECTURE.md`; `UPDATE_EXPECT=1` redraws it.
#[test]
fn crates_depend_as_drawn() {
    const PAGE: &str = "docs/ARCHITECTURE.md";
    const FENCE: &str = "```mermaid\n";
    let workspace = workspace();
    let text = workspace.read(&RepoPath::new(PAGE).unwrap()).unwrap().text;
    let (before, rest) = text.split_once(FENCE).expect("a picture of the crates");
    let (_, after) = rest.split_once("```").expect("the end of the picture");

    let picture = crate_graph(&workspace);
    let page = format!("{before}{FENCE}{picture}```{after}");
    expect_test::expect_file!["../../../../docs/ARCHITECTURE.md"].assert_eq(&page);
}

/// Formats the dependencies between the workspace's crates, without transitive ones.
fn crate_graph(workspace: &Workspace) -> String {
    let crates = workspace.list(&RepoPath::new("crates").unwrap()).unwrap();
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in &crates.entries {
        let name = entry.path.file_name();
        let path = RepoPath::new(&format!("crates/{name}/Cargo.toml")).unwrap();
        let manifest = workspace.read(&path).unwrap().text;
        uses.insert(
            name.to_owned(),
            dependencies(&manifest).into_iter().collect(),
        );
    }

    let mut lines = vec!["graph TD".to_owned()];
    for (name, used) in &uses {
        let follows = |other: &String| {
            let mut between = used.iter().filter(|via| *via != other);
            between.any(|via| reaches(&uses, via, other))
        };
        let direct = used.iter().filter(|other| !follows(other));
        let short = |name: &str| name.trim_start_matches("codeagent-").to_owned();
        lines.extend(direct.map(|other| format!("    {} --> {}", short(name), short(other))));
    }
    lines.join("\n") + "\n"
}

fn reaches(uses: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    let mut next = uses.get(from).into_iter().flatten();
    next.any(|via| via == to || reaches(uses, via, to))
}

/// Returns the workspace crates that a manifest depends on, without dev-dependencies.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut counts = false;
    for line in manifest.lines() {
        if let Some(section) = line.trim().strip_prefix('[') {
            let section = section.split(']').next().unwrap_or_default();
            counts = section.contains("dependencies") && !section.contains("dev-dependencies");
            found.extend(
                section
                    .rsplit('.')
                    .next()
                    .filter(|name| counts && name.starts_with("codeagent-"))
                    .map(str::to_owned),
            );
        } else if counts {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '-');
            found.extend(
                words
                    .filter(|word| word.starts_with("codeagent-"))
                    .map(str::to_owned),
            );
        }
    }
    found
}

#[test]
fn a_dependency_is_found_in_every_form() {
    assert_eq!(
        dependencies("[dependencies]\ncodeagent-core.workspace = true\nserde = \"1\""),
        ["codeagent-core"]
    );
    assert_eq!(
        dependencies("[dependencies]\nengine = { package = \"codeagent-core\", version = \"0\" }"),
        ["codeagent-core"]
    );
    assert_eq!(
        dependencies("[target.'cfg(unix)'.dependencies]\ncodeagent-core = { path = \"x\" }"),
        ["codeagent-core",]
    );
    assert_eq!(
        dependencies("[dependencies.codeagent-mcp]\npath = \"x\""),
        ["codeagent-mcp"]
    );
    assert_eq!(
        dependencies("[build-dependencies]\ncodeagent-core.workspace = true"),
        ["codeagent-core"]
    );
    assert!(dependencies("[package]\nname = \"codeagent-x\"\n[dev-dependencies]\ncodeagent-testkit.workspace = true").is_empty());
}

#[test]
fn no_file_contains_a_machine_path() {
    let workspace = workspace();
    let texts = workspace.walk().entries.into_iter().filter_map(|entry| {
        Some((
            entry.path.to_string(),
            workspace.read(&entry.path).ok()?.text,
        ))
    });
    assert_none(&machine_paths(texts));
}

fn machine_paths(texts: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let homes = [
        concat!("/ro", "ot/"),
        concat!("/ho", "me/"),
        concat!("/wo", "rk/"),
    ];
    let mut problems = Vec::new();
    for (path, text) in texts {
        let lines = (1..)
            .zip(text.lines())
            .filter(|(_, line)| homes.iter().any(|home| line.contains(home)));
        problems.extend(
            lines.map(|(number, line): (usize, &str)| format!("{path}:{number}: {}", line.trim())),
        );
    }
    problems
}

#[test]
fn a_machine_path_is_found_in_any_text() {
    let seeded = [
        ("docs/a.md", concat!("a\nsee /ro", "ot/x")),
        ("b.toml", "see home/x"),
    ];
    let problems = machine_paths(
        seeded
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned())),
    );
    assert_eq!(problems, [concat!("docs/a.md:2: see /ro", "ot/x")]);
}
