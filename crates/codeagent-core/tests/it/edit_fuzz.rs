//! Fuzzing with broken sources: fixtures with tokens removed, doubled, exchanged and overwritten
//! are parsed and resolved without a panic and in bounded time.
//!
//! `MUTATED_COUNT` sets the number of sources, `MUTATED_FROM` a folder to take them from,
//! `MUTATED_SEED` the seed. Every `MUTATED_LONG`th source is repeated up to a megabyte first.
//!
//! Limitations: each source is its own world; sources longer than a megabyte are truncated.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use codeagent_core::LANGUAGES;
use codeagent_core::model::graph::{Dialect, ParseStatus};
use codeagent_lang::nodes::NodeTable;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::{World, WorldFile, link};
use codeagent_workspace::Workspace;
use cpu_time::ThreadTime;

const MAX_BYTES: usize = 1 << 20;

/// Maximum CPU time for one source; unoptimised builds get more.
const MOST: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 2 });

/// Tokens that are written into sources.
const WORDS: &[&str] = &[
    "<",
    ">",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "=",
    ";",
    "=>",
    "\"",
    "'",
    "`",
    "/*",
    "*/",
    "//",
    "$\"",
    "@",
    "#if X\n",
    "#endif\n",
    "super",
    "this",
    "new",
    "async",
    "class",
    "namespace A.B;",
    "?.",
    "??",
    "\u{1F600}",
    "\0",
    "\r",
    "*",
    "&",
    "<T>",
    "..",
];

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

fn tokens(text: &str) -> Vec<&str> {
    let kind = |next: char| {
        if next.is_alphanumeric() || next == '_' {
            0
        } else {
            1 + u8::from(next.is_whitespace())
        }
    };
    let mut found = Vec::new();
    let (mut start, mut last) = (0, 1);
    for (at, next) in text.char_indices() {
        if at > start && (kind(next) != last || last == 1) {
            found.push(&text[start..at]);
            start = at;
        }
        last = kind(next);
    }
    found.push(&text[start..]);
    found
}

fn mutated(text: &str, other: &str, numbers: &mut Numbers) -> String {
    let mut parts = tokens(text);
    let others = tokens(other);
    let name = "a".repeat(1 + numbers.below(3000));
    for _ in 0..=numbers.below(12) {
        let most = if numbers.below(4) == 0 { 400 } else { 6 };
        let at = numbers.below(parts.len());
        let end = (at + 1 + numbers.below(most)).min(parts.len());
        match numbers.below(8) {
            0 => drop(parts.drain(at..end)),
            1 => {
                let copied = parts[at..end].to_vec();
                let times = if numbers.below(10) == 0 { 200 } else { 1 };
                parts.splice(at..at, std::iter::repeat_n(copied, times).flatten());
            }
            2 => {
                let there = numbers.below(parts.len());
                parts.swap(at, there);
            }
            3 => {
                let from = numbers.below(others.len());
                parts.splice(
                    at..at,
                    others[from..(from + end - at).min(others.len())]
                        .iter()
                        .copied(),
                );
            }
            4 => {
                let times = if numbers.below(12) == 0 { 1000 } else { 1 };
                parts.splice(
                    at..at,
                    std::iter::repeat_n(WORDS[numbers.below(WORDS.len())], times),
                );
            }
            5 => parts.truncate(end),
            6 => parts[at] = &name,
            _ => parts[at] = parts[numbers.below(parts.len())],
        }
        if parts.is_empty() {
            break;
        }
    }
    let mut text = parts.concat();
    text.truncate(text.floor_char_boundary(MAX_BYTES));
    text
}

/// Parses and resolves a source; returns true if it was refused as unparsable.
fn tried(text: &str, path: &str) -> bool {
    let facts = LANGUAGES.extract(text, Dialect::of_path(path).unwrap(), &[]);
    let given_up = facts.header.parse_status == ParseStatus::Failed;
    let projects = Arc::new(ProjectModel::build(
        LANGUAGES,
        &[path.to_owned()],
        Default::default(),
    ));
    let world = World::build(
        vec![WorldFile {
            path: path.into(),
            facts: Arc::new(facts).into(),
            external: false,
            package: None,
        }],
        projects,
    );
    let table = NodeTable::build(&world);
    for id in world.repository_files() {
        drop(table.edges(id, &link(id, &world)));
    }
    given_up
}

fn sources() -> Vec<(String, String)> {
    let root = std::env::var("MUTATED_FROM").map_or_else(
        |_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures"),
        PathBuf::from,
    );
    let workspace = Workspace::open(root).unwrap();
    let files = workspace.walk().entries.into_iter().filter(|entry| {
        Dialect::of_path(entry.path.as_str()).is_some() && entry.size < MAX_BYTES as u64
    });
    files
        .filter_map(|entry| {
            Some((
                entry.path.file_name().to_owned(),
                workspace.read(&entry.path).ok()?.text,
            ))
        })
        .collect()
}

/// Returns the peak memory of the process, including all sources, if the system reports it.
#[allow(
    clippy::disallowed_methods,
    reason = "asks the system about the test itself"
)]
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap_or_default()
        .to_owned()
}

/// Stack size of the engine's workers.
const STACK_BYTES: usize = 16 << 20;

#[test]
fn mutated_sources_neither_crash_nor_hang() {
    std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(survive)
        .unwrap()
        .join()
        .unwrap();
}

fn survive() {
    let number = |name: &str, or: u64| std::env::var(name).map_or(or, |text| text.parse().unwrap());
    let (count, long) = (number("MUTATED_COUNT", 400), number("MUTATED_LONG", 0));
    let mut numbers = Numbers(number("MUTATED_SEED", 1));
    let sources = sources();
    let (mut wrong, mut given_up, mut longest, mut bytes) = (Vec::new(), 0, Duration::ZERO, 0);
    for index in 0..count {
        let (name, text) = &sources[numbers.below(sources.len())];
        let times = if long > 0 && index % long == 0 {
            MAX_BYTES / text.len().max(1)
        } else {
            1
        };
        let text = mutated(
            &text.repeat(times),
            &sources[numbers.below(sources.len())].1,
            &mut numbers,
        );
        bytes += text.len();
        let start = ThreadTime::now();
        let result = catch_unwind(AssertUnwindSafe(|| tried(&text, name)));
        let took = start.elapsed();
        longest = longest.max(took);
        match result {
            Err(_) => wrong.push(format!("{index} ({name}) panics")),
            Ok(_) if took > MOST => wrong.push(format!(
                "{index} ({name}, {} bytes) takes {took:?}",
                text.len()
            )),
            Ok(failed) => given_up += u32::from(failed),
        }
    }
    println!(
        "{count} sources, {bytes} bytes: {} wrong, {given_up} given up, at most {longest:?}, {}",
        wrong.len(),
        memory()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
