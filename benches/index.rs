//! Benchmark of a first index: its cost compared with a bare parse of the same files, by phase,
//! with the size of the database and the peak memory.
//!
//! `cargo bench --bench index -- ROOT..` measures the given repositories; without arguments, those
//! that `benches/corpora.sh` fetched to `target/corpora`. Both sides are measured in one run, in
//! processor seconds, because machines differ and are busy: compare ratios.

#![allow(
    clippy::disallowed_methods,
    reason = "what is measured is compared with reading and parsing alone"
)]
#![allow(clippy::print_stdout, reason = "the figures are the result")]

mod corpora;

use std::fs;
use std::path::Path;
use std::time::Duration;

use codeagent_core::engine::{Engine, EngineOptions};
use codeagent_core::model::graph::{Dialect, Language};
use codeagent_core::{Phase, Summary};
use codeagent_workspace::{DataRoot, RepoPath, Workspace};
use cpu_time::{ProcessTime, ThreadTime};
use rayon::prelude::*;
use tree_sitter::Parser;

fn main() {
    let roots = corpora::roots();
    if roots.is_empty() {
        return;
    }

    println!(
        "CPU seconds; index / parse: a first index, opened, made and closed, against a bare parse of the same texts"
    );
    for root in roots {
        measure(&root);
    }
}

fn measure(root: &Path) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("copy");
    copy_tree(root, &copy);
    let parse = bare_parse(&copy);
    let (first, second) = (Indexed::run(&copy), Indexed::run(&copy));
    let data = home(&copy)
        .data_dir(&copy.canonicalize().expect("a root"))
        .expect("a data folder");
    let database = fs::metadata(data.path().join("index.db")).map_or(0, |data| data.len());
    print(root, parse, [&first, &second], database);
}

/// Puts the index of a copy inside the copy.
fn home(copy: &Path) -> DataRoot {
    DataRoot::at(copy.join(".codeagent"))
}

/// An index that was opened, updated and closed.
struct Indexed {
    summary: Summary,
    /// CPU time of the process for all of that.
    cpu: Duration,
}

impl Indexed {
    fn run(root: &Path) -> Self {
        let start = ProcessTime::now();
        let engine = Engine::open(
            root,
            EngineOptions {
                home: home(root),
                ..EngineOptions::default()
            },
        )
        .expect("the engine opens");
        let summary = engine.index(&|_| ()).expect("an index");
        engine.close().expect("the engine closes");
        Self {
            summary,
            cpu: start.elapsed(),
        }
    }
}

/// Parses every text that the index would read, on as many threads as the index uses; returns the
/// CPU time and the number of lines.
fn bare_parse(root: &Path) -> (Duration, usize) {
    let workspace = Workspace::open(root).expect("a workspace");
    let parsed: Vec<(Duration, usize)> = workspace
        .walk()
        .entries
        .par_iter()
        .filter_map(|entry| parse_one(&workspace, &entry.path))
        .collect();
    parsed
        .iter()
        .fold((Duration::ZERO, 0), |(cpu, lines), one| {
            (cpu + one.0, lines + one.1)
        })
}

fn parse_one(workspace: &Workspace, path: &RepoPath) -> Option<(Duration, usize)> {
    let dialect = Dialect::of_path(path.as_str())?;
    let file = workspace
        .read(path)
        .ok()
        .filter(|file| file.average_line_bytes() <= workspace.config().max_line_bytes)?;
    let start = ThreadTime::now();
    let mut parser = Parser::new();
    parser
        .set_language(&grammar(dialect))
        .expect("the grammar fits the library");
    drop(parser.parse(&file.text, None));
    Some((start.elapsed(), file.text.lines().count()))
}

fn grammar(dialect: Dialect) -> tree_sitter::Language {
    match dialect.language() {
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
        Language::TypeScript if dialect.has_jsx() => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        Language::Imported => unreachable!("no file on disk is of an imported language"),
    }
}

fn print(
    root: &Path,
    (parse, lines): (Duration, usize),
    [first, second]: [&Indexed; 2],
    database: u64,
) {
    let seconds = |duration: Duration| duration.as_secs_f64();
    let mloc = lines as f64 / 1e6;
    println!(
        "{}: {} files, {lines} lines, {} symbols, {} edges",
        root.file_name().unwrap_or_default().to_string_lossy(),
        first.summary.files(),
        first.summary.symbols,
        first.summary.edges
    );
    println!(
        "  bare parse {:.3}; index {:.3}; index / parse {:.2}",
        seconds(parse),
        seconds(first.cpu),
        seconds(first.cpu) / seconds(parse)
    );
    let mut phases: Vec<String> = first
        .summary
        .phases
        .iter()
        .map(|time| {
            format!(
                "{} {:.2} ({:.0} %)",
                name(time.phase),
                seconds(time.cpu),
                100.0 * seconds(time.cpu) / seconds(parse)
            )
        })
        .collect();
    let rest = seconds(first.cpu.saturating_sub(first.summary.cpu()));
    phases.push(format!(
        "opening, closing and what lies between {rest:.2} ({:.0} %)",
        100.0 * rest / seconds(parse)
    ));
    println!("  phases (share of the bare parse): {}", phases.join(", "));
    println!(
        "  second run: {:.3}, {:.1} % of the first; database {:.1} MB, {:.0} MB per MLOC; peak memory of this process {} MB",
        seconds(second.cpu),
        100.0 * seconds(second.cpu) / seconds(first.cpu),
        database as f64 / 1e6,
        database as f64 / 1e6 / mloc,
        peak_memory_mb()
    );
}

fn name(phase: Phase) -> &'static str {
    phase.as_str()
}

/// Returns the peak resident memory of the process so far, if the system reports it.
fn peak_memory_mb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap_or_default();
    line.split_whitespace()
        .nth(1)
        .and_then(|kilobytes| kilobytes.parse::<u64>().ok())
        .unwrap_or(0)
        / 1024
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from)
        .expect("a folder of the corpus")
        .flatten()
    {
        let (name, kind) = (entry.file_name(), entry.file_type().expect("a kind"));
        if kind.is_dir()
            && !matches!(
                name.to_string_lossy().as_ref(),
                ".git" | ".codeagent" | "node_modules"
            )
        {
            copy_tree(&entry.path(), &to.join(&name));
        } else if kind.is_file() {
            fs::copy(entry.path(), to.join(&name)).expect("a file can be copied");
        }
    }
}
