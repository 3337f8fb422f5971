//! Language rules: each page in `tests/rules/<language>/` covers clauses of the standard or the
//! handbook, with code that distinguishes a rule from its neighbours and the edges it yields.
//!
//! A heading with code blocks under it is a case: a repository of its own, in which every call is
//! annotated. The info string of a block names its language and, if there are several files, its
//! path:
//!
//! ````text
//! ## §12.6.4.3 The normal form is better than the expanded form
//!
//! ```cs Printer.cs
//! class Printer
//! {
//!     void Print(int value) { }
//!     void Print(params int[] values) { }
//!     void All() => Print(1);
//!     //            ^^^^^ calls: Printer.Print(int value)
//! }
//! ```
//! ````
//!
//! A block without a path is `main.cs`, `main.ts` and so on. A case without a project file gets
//! that of its language in `PROJECTS`, if there is one. The verbs are described in `rule_case.rs`.
//! `todo` before a verb states an edge that is missing; the case fails once the edge exists.
//! `RULE=words` runs only the cases whose heading contains the words.
//!
//! `cargo xtask mutants` runs selected cases: `RULES_LIST=FILE` writes the names of a language's
//! cases instead of running them. `RULES_CASES=FILE` runs those of its lines `SECONDS<tab>NAME`, in
//! that order, up to the first that fails or exceeds its CPU time.
//!
//! Limitations: those of `rule_case.rs`. Whether a case compiles is not checked.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use codeagent_workspace::{RepoPath, Workspace};
use cpu_time::ProcessTime;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::rule_case::Case;

const RULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/rules");

/// Project files for cases without one, by extension of the case's files.
const PROJECTS: &[(&str, &str, &str)] = &[
    (
        ".cs",
        "Rules.csproj",
        "<Project Sdk=\"Microsoft.NET.Sdk\"><PropertyGroup><TargetFramework>net9.0</TargetFramework><Nullable>enable</Nullable></PropertyGroup></Project>",
    ),
    (
        ".ts",
        "tsconfig.json",
        "{ \"compilerOptions\": { \"strict\": true, \"target\": \"ES2022\", \"jsx\": \"preserve\", \"allowJs\": true } }",
    ),
];

#[test]
fn csharp() {
    run("csharp", ".cs");
}

#[test]
fn typescript() {
    run("typescript", ".ts");
}

#[test]
fn every_folder_of_rules_has_a_test() {
    let folders = Workspace::open(Path::new(RULES)).unwrap();
    let entries = folders.list(&RepoPath::root()).unwrap().entries;
    let names: Vec<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(
        names,
        ["csharp", "typescript"],
        "add a test of the language"
    );
}

#[test]
fn relinking_csharp() {
    assert_relinked("csharp", ".cs");
}

#[test]
fn relinking_typescript() {
    assert_relinked("typescript", ".ts");
}

fn assert_relinked(language: &str, project: &str) {
    let failures = crate::relinking::failures(language, project);
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Runs a language's cases, or those that the environment selects, and reports all failures at
/// once.
fn run(language: &str, project: &str) {
    let cases = language_cases(language, project);

    if let Some(list) = std::env::var_os("RULES_LIST") {
        let names: String = cases.iter().map(|(name, _)| format!("{name}\n")).collect();
        return std::fs::write(list, names).unwrap();
    }
    if let Some(list) = std::env::var_os("RULES_CASES") {
        return run_listed(
            cases.into_iter().collect(),
            &std::fs::read_to_string(list).unwrap(),
        );
    }

    let wanted = std::env::var("RULE").ok();
    let (mut failures, mut expectations) = (Vec::new(), 0);
    for (name, case) in cases {
        let heading = name.split_once(": ").map_or("", |(_, heading)| heading);
        if wanted
            .as_deref()
            .is_some_and(|wanted| !heading.contains(wanted))
        {
            continue;
        }
        let outcome = case.check();
        expectations += outcome.annotations;
        if outcome.annotations == 0 {
            failures.push(format!("{name}: states nothing"));
        }
        failures.extend(
            outcome
                .failures
                .into_iter()
                .map(|failure| format!("{name}: {failure}")),
        );
    }
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(
        expectations > 0,
        "no heading in tests/rules/{language} contains `{}`; run only the test of its language",
        wanted.unwrap_or_default()
    );
}

/// Runs the listed cases up to the first failure, each on its own thread: a mutant may loop
/// forever.
fn run_listed(mut cases: BTreeMap<String, Case>, list: &str) {
    for line in list.lines() {
        let (seconds, name) = line.split_once('\t').unwrap();
        let case = cases
            .remove(name)
            .unwrap_or_else(|| panic!("no case {name}"));
        let limit = Duration::from_secs_f64(seconds.parse().unwrap());

        let (sender, receiver) = mpsc::channel();
        let start = ProcessTime::now();
        std::thread::spawn(move || sender.send(case.check().failures));
        let failures = loop {
            match receiver.recv_timeout(Duration::from_millis(50)) {
                Ok(failures) => break failures,
                // CPU time, because a busy machine must not look like a loop.
                Err(RecvTimeoutError::Timeout) if start.elapsed() < limit => {}
                Err(error) => panic!("{name}: {error}"),
            }
        };
        assert!(failures.is_empty(), "{name}: {failures:?}");
    }
}

/// Returns a language's cases by page and heading.
fn language_cases(language: &str, project: &str) -> Vec<(String, Case)> {
    let root = Path::new(RULES).join(language);
    let workspace = Workspace::open(&root).unwrap();
    let mut found = Vec::new();
    for entry in workspace.list(&RepoPath::root()).unwrap().entries {
        let page = workspace.read(&entry.path).unwrap().text;
        for (heading, mut texts) in cases(&page) {
            add_project(&mut texts, project);
            found.push((
                format!("{}: {heading}", entry.path),
                Case::of(texts, &["calls"]),
            ));
        }
    }
    found
}

pub fn add_project(texts: &mut BTreeMap<String, Arc<str>>, ending: &str) {
    let Some((_, name, text)) = PROJECTS.iter().find(|(known, ..)| *known == ending) else {
        return;
    };
    let extension = name.rsplit_once('.').unwrap().1;
    if !texts.keys().any(|path| path.ends_with(extension)) {
        texts.insert((*name).to_owned(), (*text).into());
    }
}

/// Returns the headings with code under them, and the code by path.
fn cases(page: &str) -> Vec<(String, BTreeMap<String, Arc<str>>)> {
    let texts = |blocks: Vec<Block>| {
        let mut texts = BTreeMap::new();
        for block in blocks {
            let earlier = texts.insert(block.path, block.text);
            assert!(earlier.is_none(), "two blocks of one name");
        }
        texts
    };
    blocks(page)
        .into_iter()
        .map(|(heading, blocks)| (heading, texts(blocks)))
        .collect()
}

pub struct Block {
    pub path: String,
    /// The rest of its info string, after the path.
    pub rest: String,
    /// The code, padded so that lines have the numbers of the page.
    pub text: Arc<str>,
}

/// Returns the headings with code under them, and the blocks.
pub fn blocks(page: &str) -> Vec<(String, Vec<Block>)> {
    let mut cases: Vec<(String, Vec<Block>)> = vec![(String::new(), Vec::new())];
    let (mut in_heading, mut info_string) = (false, None);
    for (event, range) in Parser::new(page).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                cases.push((String::new(), Vec::new()));
                in_heading = true;
            }
            Event::End(TagEnd::Heading(_)) => in_heading = false,
            Event::Text(text) | Event::Code(text) if in_heading => {
                cases.last_mut().unwrap().0.push_str(&text)
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => info_string = Some(info),
            Event::Text(text) if info_string.is_some() => {
                let lines_above = page[..range.start].matches('\n').count();
                let whole = "\n".repeat(lines_above) + &text;
                let (path, rest) = path_of(&info_string.take().unwrap());
                cases.last_mut().unwrap().1.push(Block {
                    path,
                    rest,
                    text: whole.into(),
                });
            }
            Event::End(TagEnd::CodeBlock) => info_string = None,
            _ => {}
        }
    }
    cases.retain(|(_, blocks)| !blocks.is_empty());
    cases
}

/// Returns the path of an info string and what follows it: `cs Orders.cs`, or `cs` alone.
fn path_of(info: &str) -> (String, String) {
    let mut words = info.split_whitespace();
    let language = words.next().unwrap_or_default();
    let path = words
        .next()
        .map_or_else(|| format!("main.{language}"), str::to_owned);
    (path, words.collect::<Vec<_>>().join(" "))
}
