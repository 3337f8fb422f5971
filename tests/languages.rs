//! Is everything that tells languages apart asked for when a language is added? Part of `tidy`.
//!
//! Languages are told apart by matches that name all of them, so that the compiler asks for a
//! further one, and the places of these matches stand in `docs/CONTRIBUTING.md`. What no compiler
//! can ask for (folders of tests, texts that name the languages) is looked for here.
//!
//! **Limits.** A variant is known by its path; imported by itself it is not seen. A language's own
//! folder may ask whether something is its own.

use std::collections::BTreeSet;

use codeagent_core::model::graph::{Dialect, Language};
use codeagent_workspace::RepoPath;
use proc_macro2::{Spacing, TokenStream, TokenTree};

use crate::{Source, assert_none, ends_item, is_colons, marks_tests, sources, workspace};

/// Where a text may stand that is the word of a language: words are read and written in these.
const WORDS: &[&str] = &[
    "crates/codeagent-core/src/model/graph.rs",
    "crates/codeagent-workspace/src/config/keys.rs",
    "crates/xtask/src/",
];

/// What there is for every language beside the sources that the compiler asks for; `*` is the
/// language's word.
const FOLDERS: &[&str] = &[
    "crates/codeagent-core/src/extract/*/mod.rs",
    "crates/codeagent-core/src/resolve/*/mod.rs",
    "crates/codeagent-core/src/model/language/*.rs",
    "tests/rules/*",
    "tests/fixtures/*",
    "tests/neighbours/*.txt",
    "tests/relinking/*.md",
    "crates/codeagent-cli/tests/it/hostile_inputs/*.rs",
];

/// Texts that name every language to who reads them.
const TEXTS: &[&str] = &["README.md", "crates/codeagent-mcp/src/server.rs"];

/// Tests that run what lies in these folders, each language by its word.
const TESTS: &[&str] = &[
    "tests/rules.rs",
    "tests/fixtures.rs",
    "tests/neighbours.rs",
    "crates/codeagent-cli/tests/it/hostile_inputs/mod.rs",
];

/// How a source tells languages apart.
#[derive(Default)]
struct Told {
    /// It has a match that names variants.
    matches: bool,
    /// Lines on which a match that names variants takes what is left without naming it.
    catch_alls: Vec<usize>,
    /// Lines on which something is compared with one variant.
    comparisons: Vec<usize>,
    /// Lines with the word of a language as a text.
    words: Vec<usize>,
}

/// The names of all languages and dialects as variants.
fn variants() -> BTreeSet<String> {
    let languages = Language::NAMES
        .iter()
        .map(|(_, language)| format!("{language:?}"));
    languages
        .chain(
            Dialect::NAMES
                .iter()
                .map(|(_, dialect)| format!("{dialect:?}")),
        )
        .collect()
}

fn told(source: &Source) -> Told {
    let mut told = Told::default();
    let tokens: TokenStream = source.text.parse().unwrap();
    look(
        &tokens.into_iter().collect::<Vec<_>>(),
        &variants(),
        &mut told,
    );
    told
}

/// Whether a variant stands here: the type, `::` and its name. Whatever the type, a language's own
/// name says enough.
fn is_variant(tokens: &[TokenTree], variants: &BTreeSet<String>) -> bool {
    let [TokenTree::Ident(of), colons @ ..] = tokens else {
        return false;
    };
    let Some(TokenTree::Ident(name)) = colons.get(2).filter(|_| is_colons(colons)) else {
        return false;
    };
    let (of, name) = (of.to_string(), name.to_string());
    let is_language = Language::NAMES
        .iter()
        .any(|(_, language)| format!("{language:?}") == name);
    is_language || (matches!(of.as_str(), "Language" | "Dialect") && variants.contains(&name))
}

fn names_variant(tokens: &[TokenTree], variants: &BTreeSet<String>) -> bool {
    (0..tokens.len()).any(|at| is_variant(&tokens[at..], variants))
        || tokens.iter().any(
            |token| matches!(token, TokenTree::Group(group) if names_variant(&of(group), variants)),
        )
}

fn of(group: &proc_macro2::Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

fn is_joint(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted && punct.spacing() == Spacing::Joint)
}

fn look(tokens: &[TokenTree], variants: &BTreeSet<String>, told: &mut Told) {
    let mut at = 0;
    while at < tokens.len() {
        let line = tokens[at].span().start().line;
        if marks_tests(&tokens[at..]) {
            at += 2;
            while at < tokens.len() && !ends_item(&tokens[at]) {
                at += 1;
            }
            at += 1;
            continue;
        }
        match tokens.get(at) {
            Some(TokenTree::Ident(word)) if word == "match" => {
                let body = tokens[at..].iter().find_map(|token| match token {
                    TokenTree::Group(group)
                        if group.delimiter() == proc_macro2::Delimiter::Brace =>
                    {
                        Some(of(group))
                    }
                    _ => None,
                });
                let patterns = body.map(|body| patterns(&body)).unwrap_or_default();
                if patterns
                    .iter()
                    .any(|pattern| names_variant(pattern, variants))
                {
                    told.matches = true;
                    told.catch_alls.extend(
                        patterns
                            .iter()
                            .filter(|pattern| takes_all(pattern))
                            .map(|_| line),
                    );
                }
            }
            Some(TokenTree::Ident(word))
                if word == "matches" && is_punct(tokens.get(at + 1), '!') =>
            {
                if matches!(tokens.get(at + 2), Some(TokenTree::Group(group)) if names_variant(&of(group), variants))
                {
                    told.comparisons.push(line);
                }
            }
            Some(TokenTree::Ident(word)) if word == "let" => {
                let end = tokens[at..]
                    .iter()
                    .position(|token| is_punct(Some(token), '='))
                    .map_or(tokens.len(), |end| at + end);
                if names_variant(&tokens[at..end], variants) {
                    told.comparisons.push(line);
                }
            }
            Some(TokenTree::Punct(_))
                if is_joint(tokens.get(at), '=') || is_joint(tokens.get(at), '!') =>
            {
                let is_before = at >= 4 && is_variant(&tokens[at - 4..], variants);
                let path = tokens[at..].iter().skip(2).take_while(|token| {
                    matches!(token, TokenTree::Ident(_)) || is_punct(Some(token), ':')
                });
                let is_comparison = is_punct(tokens.get(at + 1), '=');
                if is_comparison
                    && (is_before || names_variant(&path.cloned().collect::<Vec<_>>(), variants))
                {
                    told.comparisons.push(line);
                }
            }
            Some(TokenTree::Literal(text)) => {
                let text = text.to_string();
                if Language::NAMES
                    .iter()
                    .any(|(word, _)| text == format!("\"{word}\""))
                {
                    told.words.push(line);
                }
            }
            Some(TokenTree::Group(group)) => look(&of(group), variants, told),
            _ => {}
        }
        at += 1;
    }
}

/// The patterns of a match, guards included.
fn patterns(body: &[TokenTree]) -> Vec<Vec<TokenTree>> {
    let mut patterns = Vec::new();
    let mut at = 0;
    while at < body.len() {
        let Some(arrow) = (at..body.len())
            .find(|at| is_joint(body.get(*at), '=') && is_punct(body.get(at + 1), '>'))
        else {
            break;
        };
        patterns.push(body[at..arrow].to_vec());
        at = arrow + 2;
        // A body in braces needs no comma.
        if matches!(body.get(at), Some(TokenTree::Group(group)) if group.delimiter() == proc_macro2::Delimiter::Brace)
        {
            at += 1 + usize::from(is_punct(body.get(at + 1), ','));
            continue;
        }
        at = (at..body.len())
            .find(|at| is_punct(body.get(*at), ','))
            .map_or(body.len(), |comma| comma + 1);
    }
    patterns
}

/// Whether a pattern is `_`, a name, or either with a guard.
fn takes_all(pattern: &[TokenTree]) -> bool {
    let of_one = match pattern {
        [TokenTree::Ident(_)] => true,
        [TokenTree::Ident(_), TokenTree::Ident(word), ..] => word == "if",
        _ => false,
    };
    of_one
        && pattern[0]
            .to_string()
            .starts_with(|first: char| first == '_' || first.is_lowercase())
}

fn is_of_one_language(path: &str) -> bool {
    path.split(['/', '.'])
        .any(|part| Language::parse(part).is_some())
}

fn lumped(sources: &[Source]) -> Vec<String> {
    let mut problems = Vec::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let told = told(source);
        let mut say = |lines: Vec<usize>, why: &str| {
            problems.extend(
                lines
                    .iter()
                    .map(|line| format!("{}:{line}: {why}", source.path)),
            )
        };
        if !is_of_one_language(&source.path) {
            say(
                told.comparisons,
                "a comparison with one language says nothing of a further one: match on all, or ask `Language::rules`",
            );
            say(
                told.catch_alls,
                "a match on languages has to name all of them",
            );
        }
        if !WORDS.iter().any(|place| source.path.starts_with(place)) {
            say(
                told.words,
                "the word of a language stands in `model/graph.rs` alone: use `Language::as_str` or `parse`",
            );
        }
    }
    problems
}

#[test]
fn languages_are_told_apart_by_matches_that_name_all_of_them() {
    assert_none(&lumped(&sources()));
}

#[test]
fn a_lumped_language_is_seen_in_every_form() {
    let problems =
        |text: &str| lumped(&[Source::new("crates/codeagent-core/src/query/x.rs", text)]).len();
    assert_eq!(
        problems("fn f() { match l { Language::CSharp => 1, Language::TypeScript => 2 } }"),
        0
    );
    assert_eq!(
        problems("fn f() { match l { Language::CSharp => 1, _ => 2 } }"),
        1
    );
    assert_eq!(
        problems("fn f() { match l { Self::CSharp => { 1 } other => g(other) } }"),
        1
    );
    assert_eq!(
        problems("fn f() { match l { A::CSharp => 1, _ if g() => 2, A::TypeScript => 3 } }"),
        1
    );
    assert_eq!(
        problems("fn f() { if node.language == Language::CSharp { 1 } else { 2 } }"),
        1
    );
    assert_eq!(problems("fn f() { Language::CSharp != node.language }"), 1);
    assert_eq!(
        problems("fn f() { matches!(dialect, Dialect::Ts | Dialect::Tsx) }"),
        1
    );
    assert_eq!(
        problems("fn f() { if let Some(ProjectRef::TypeScript(at)) = owner { g(at) } }"),
        1
    );
    assert_eq!(
        problems("fn f() { let ProjectRef::CSharp(at) = owner else { return }; }"),
        1
    );
    assert_eq!(problems("fn f() { detail[\"language\"] == \"csharp\" }"), 1);
    assert_eq!(
        problems(
            "fn f() { g(Dialect::Ts); let x = Language::CSharp; match x { A::B => 1, _ => 2 } }"
        ),
        0
    );
    assert_eq!(
        problems(
            "#[cfg(test)]\nmod tests { fn f() { x == Language::CSharp } }\nfn g() { x == Language::CSharp }"
        ),
        1
    );
    let own = Source::new(
        "crates/codeagent-core/src/resolve/csharp/x.rs",
        "fn f() { x == Language::CSharp }",
    );
    assert_eq!(lumped(&[own]).len(), 0);
}

#[test]
fn the_places_that_a_language_fills_are_listed() {
    let found: BTreeSet<String> = sources()
        .iter()
        .filter(|source| {
            !source.is_test() && !is_of_one_language(&source.path) && told(source).matches
        })
        .map(|source| source.path.clone())
        .collect();
    let text = workspace()
        .read(&RepoPath::new("docs/CONTRIBUTING.md").unwrap())
        .unwrap()
        .text;
    let section = text
        .split("\n## ")
        .find(|section| section.starts_with("A new language"))
        .unwrap();
    let rows = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let listed: BTreeSet<String> = rows
        .filter(|path| path.ends_with(".rs"))
        .map(str::to_owned)
        .collect();
    assert_eq!(
        listed, found,
        "docs/CONTRIBUTING.md, \"A new language\", against the matches on languages that there are"
    );
}

#[test]
fn every_language_has_its_folders_and_is_named() {
    let workspace = workspace();
    let mut problems = Vec::new();
    for (word, language) in Language::NAMES {
        for pattern in FOLDERS {
            let path = pattern.replace('*', word);
            if workspace.stat(&RepoPath::new(&path).unwrap()).is_err() {
                problems.push(format!("{path} is not there"));
            }
        }
        for path in TESTS {
            if !workspace
                .read(&RepoPath::new(path).unwrap())
                .unwrap()
                .text
                .contains(word)
            {
                problems.push(format!("{path} does not run {word}"));
            }
        }
        for path in TEXTS {
            let text = workspace.read(&RepoPath::new(path).unwrap()).unwrap().text;
            let unnamed = language
                .rules()
                .names
                .iter()
                .filter(|name| !text.contains(**name));
            problems.extend(unnamed.map(|name| format!("{path} does not name {name}")));
        }
    }
    assert_none(&problems);
}
