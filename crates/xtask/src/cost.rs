//! Cost of indexing, in counts that do not depend on the machine's load.
//!
//! `tests/golden/cost.txt` records instructions, allocations, memory and index size of fixed
//! repositories with one thread, the program's size and its number of packages. The check fails if
//! a figure rises by more than [`TOLERANCE`], until it is recorded again with a reason.
//!
//! Limitations: measures the build that the tests use, not the release, because it exists already
//! and changes show in both. Instructions and allocations are those of an indexer in this program
//! under valgrind; they also depend on the compiler and the C library. Peak memory is the kernel's
//! figure. Peak memory, allocations and peak heap are the minimum of [`RUNS`] runs.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use codeagent_core::engine::{Engine, EngineOptions};
use codeagent_core::ingest::IngestOptions;
use codeagent_workspace::{DataRoot, RepoPath, Workspace};

use crate::corpora;

/// The recorded figures.
const GOLDEN: &str = "tests/golden/cost.txt";
/// Percentage by which a figure may rise. Two runs differ by far less.
const TOLERANCE: f64 = 3.0;
/// Repositories indexed under valgrind, and whether allocations are counted as well as
/// instructions. They are small because valgrind takes fifty times as long; only instructions are
/// counted for the slower one, because the two run in parallel.
const COUNTED: [(&str, bool); 2] = [("mobx", true), ("pythonnet", false)];
/// Name of the repository with installed packages, indexed under valgrind twice: with packages that
/// no index has seen, and with known ones.
const INSTALLED: &str = "reduxjs-toolkit";
/// Number of runs; the minimum counts for memory, because the writer thread may fall behind the
/// resolver.
const RUNS: usize = 3;
/// Repositories indexed without valgrind.
const MEASURED: [&str; 2] = ["rxjs", "pythonnet"];
/// Options of valgrind's tools. They write no files.
const INSTRUCTIONS: [&str; 3] = [
    "--tool=cachegrind",
    "--cache-sim=no",
    "--cachegrind-out-file=/dev/null",
];
const ALLOCATIONS: [&str; 2] = ["--tool=dhat", "--dhat-out-file=/dev/null"];

const HEAD: &str = "\
# What `cargo xtask cost` measures. Do not edit: --reason \"..\" says why a figure rose.
";
/// Prefix of each recorded reason.
const REASON: &str = "# rose: ";

/// Measures the cost of indexing and compares it with the recorded one
#[derive(clap::Args)]
pub struct Options {
    /// Fail if a figure rose, instead of writing it
    #[arg(long)]
    check: bool,
    /// Why a figure rose
    #[arg(long)]
    reason: Option<String>,
}

/// Index a repository from scratch with one thread and report the memory used
#[derive(clap::Args)]
pub struct IndexOptions {
    root: PathBuf,
    /// Where the index is put
    #[arg(long)]
    data_root: Option<PathBuf>,
}

/// Runs the indexer to be measured.
pub fn index(options: &IndexOptions) -> anyhow::Result<()> {
    let ingest = IngestOptions {
        threads: 1,
        ..IngestOptions::default()
    };

    let measured = EngineOptions {
        ingest,
        home: match &options.data_root {
            Some(path) => DataRoot::at(path),
            None => corpora::data_root(),
        },
        rebuild: true,
        ..EngineOptions::default()
    };

    let engine = Engine::open(&options.root, measured)?;
    let summary = engine.index(&|_| ())?;

    if let Some(problem) = summary.problems.first() {
        bail!(
            "{} was aborted, so the count is incomplete: {}",
            problem.path,
            problem.message
        );
    }

    engine.close()?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .context("the kernel reports no peak memory")?;

    println!("{}", peak.trim().trim_end_matches(" kB"));
    Ok(())
}

/// A recorded figure, which may not rise.
struct Figure {
    name: String,
    value: u64,
}

/// Compares with the recorded figures, or writes them.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let recorded = std::fs::read_to_string(GOLDEN).unwrap_or_default();
    let figures = measure()?;

    let (mut rose, mut fell) = (Vec::new(), Vec::new());
    for Figure { name, value } in &figures {
        let before = recorded_value(&recorded, name);
        let change = before.map_or(0.0, |before| (*value as f64 / before as f64 - 1.0) * 100.0);

        println!("{name:46} {value:15} {change:+7.2} %");
        let line = format!(
            "{name}: {} -> {value}, {change:+.1} %",
            before.unwrap_or_default()
        );

        if change > TOLERANCE {
            rose.push(line);
        } else if change < -TOLERANCE {
            fell.push(line);
        }
    }

    if options.check {
        ensure!(!recorded.is_empty(), "{GOLDEN} is not there");
        fell.iter()
            .for_each(|line| println!("less, worth writing down: {line}"));
        if !rose.is_empty() {
            bail!(
                "more than {TOLERANCE} % more:\n  {}\nIf it is worth it: cargo xtask cost --reason \"..\", and commit {GOLDEN}",
                rose.join("\n  ")
            );
        }
        return Ok(());
    }

    ensure!(
        rose.is_empty() || options.reason.is_some(),
        "--reason is missing; more than {TOLERANCE} % more:\n  {}",
        rose.join("\n  ")
    );

    let reasons = rose.iter().map(|line| {
        format!(
            "{REASON}{line}: {}",
            options.reason.as_deref().unwrap_or_default()
        )
    });

    std::fs::write(GOLDEN, text(&figures, &recorded, reasons))?;
    Ok(())
}

/// Formats the figures, then old and new reasons.
fn text(figures: &[Figure], recorded: &str, reasons: impl Iterator<Item = String>) -> String {
    let mut text = HEAD.to_owned();
    for Figure { name, value } in figures {
        let _ = writeln!(text, "{name:46} {value:15}");
    }
    let old = recorded
        .lines()
        .filter(|line| line.starts_with(REASON))
        .map(str::to_owned);
    old.chain(reasons)
        .for_each(|line| text += &format!("{line}\n"));
    text
}

fn recorded_value(recorded: &str, name: &str) -> Option<u64> {
    let line = recorded
        .lines()
        .find_map(|line| line.strip_prefix(name).filter(|rest| rest.starts_with(' ')))?;
    line.trim().parse().ok()
}

fn measure() -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();

    let roots = COUNTED
        .iter()
        .map(|(name, _)| corpora::fetched_root(name))
        .collect::<Result<Vec<_>, _>>()?;

    let installed = corpora::bring_with_packages()?;

    let counted: Vec<anyhow::Result<Vec<Figure>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = COUNTED
            .iter()
            .zip(&roots)
            .map(|((name, whole), root)| scope.spawn(move || count(name, root, *whole)))
            .chain([scope.spawn(|| count_with_packages(&installed))])
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| bail!("counting panicked")))
            .collect()
    });

    for counts in counted {
        figures.extend(counts?);
    }

    let mut add = |name: String, value: u64| figures.push(Figure { name, value });
    for name in MEASURED {
        let root = corpora::fetched_root(name)?;

        let mut peaks = Vec::new();
        for _ in 0..RUNS {
            peaks.push(indexer(&root, &[])?.trim().parse()?);
        }

        add(
            format!("{name}: peak memory, KiB"),
            peaks.into_iter().min().unwrap_or_default(),
        );

        let database = corpora::data_root()
            .data_dir(&root.canonicalize()?)?
            .database()?;

        let thousand_lines = lines(&root)? / 1000;
        add(
            format!("{name}: database bytes per 1000 lines"),
            database.metadata()?.len() / thousand_lines.max(1),
        );
    }

    add(
        "codeagent: bytes of the program".to_owned(),
        program_bytes()?,
    );
    add("codeagent: packages".to_owned(), packages()?);

    Ok(figures)
}

/// Counts one repository's instructions with valgrind, and also its allocations if `whole`.
fn count(name: &str, root: &Path, whole: bool) -> anyhow::Result<Vec<Figure>> {
    let mut figures = vec![(
        "instructions",
        number_after(&indexer(root, &INSTRUCTIONS)?, "refs:")?,
    )];

    if whole {
        let runs = (0..RUNS)
            .map(|_| indexer(root, &ALLOCATIONS))
            .collect::<anyhow::Result<Vec<_>>>()?;

        let least = |number: &dyn Fn(&str) -> anyhow::Result<u64>| -> anyhow::Result<u64> {
            let numbers = runs
                .iter()
                .map(|run| number(run))
                .collect::<anyhow::Result<Vec<_>>>()?;
            numbers.into_iter().min().context("nothing was counted")
        };

        figures.push((
            "bytes allocated",
            least(&|run| number_after(run, "Total:"))?,
        ));
        figures.push((
            "allocations",
            least(&|run| number_after(after(run, "Total:")?, " in "))?,
        ));
        figures.push((
            "peak heap bytes",
            least(&|run| number_after(run, "At t-gmax:"))?,
        ));
    }

    Ok(figures
        .into_iter()
        .map(|(what, value)| Figure {
            name: format!("{name}: {what}"),
            value,
        })
        .collect())
}

/// Counts the instructions for a repository with installed packages: before and after their facts
/// are known.
fn count_with_packages(root: &Path) -> anyhow::Result<Vec<Figure>> {
    let home = Path::new("target/golden/with-packages");
    if home.exists() {
        std::fs::remove_dir_all(home)?;
    }

    let figure = |what: &str| -> anyhow::Result<Figure> {
        let run = indexer_at(root, &INSTRUCTIONS, Some(home))?;
        Ok(Figure {
            name: format!("{INSTALLED}, packages {what}: instructions"),
            value: number_after(&run, "refs:")?,
        })
    };
    Ok(vec![figure("new")?, figure("known")?])
}

/// Returns the output of an indexer of `root`, optionally under a valgrind tool.
fn indexer(root: &Path, tool: &[&str]) -> anyhow::Result<String> {
    indexer_at(root, tool, None)
}

/// Like [`indexer`], with another data root.
fn indexer_at(root: &Path, tool: &[&str], home: Option<&Path>) -> anyhow::Result<String> {
    let this = std::env::current_exe()?;
    let mut command = if tool.is_empty() {
        Command::new(&this)
    } else {
        let mut command = Command::new("valgrind");
        command.args(tool).arg(&this);
        command
    };
    command.arg("index").arg(root).env_remove("CODEAGENT_LOG");
    if let Some(home) = home {
        command.arg("--data-root").arg(home);
    }
    output(&mut command)
}

/// Returns the standard output, or the standard error if that is empty.
fn output(command: &mut Command) -> anyhow::Result<String> {
    let program = command.get_program().display().to_string();
    let output = command
        .output()
        .with_context(|| format!("cannot start {program}"))?;
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "{program} failed: {printed}");
    Ok(if printed.contains("==") {
        printed
    } else {
        String::from_utf8(output.stdout)?
    })
}

fn after<'t>(text: &'t str, words: &str) -> anyhow::Result<&'t str> {
    Ok(text
        .split_once(words)
        .with_context(|| format!("valgrind says nothing of {words:?}"))?
        .1)
}

/// Returns the first number after some words, with optional commas between digits.
fn number_after(text: &str, words: &str) -> anyhow::Result<u64> {
    let rest = after(text, words)?.trim_start();
    let digits: String = rest
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .filter(char::is_ascii_digit)
        .collect();
    digits
        .parse()
        .with_context(|| format!("no number behind {words:?}"))
}

/// Counts the lines of the indexed sources.
fn lines(root: &Path) -> anyhow::Result<u64> {
    let workspace = Workspace::open(root)?;

    let is_source = |path: &RepoPath| {
        [".cs", ".ts", ".tsx", ".mts", ".cts"]
            .iter()
            .any(|ending| path.as_str().ends_with(ending))
    };

    let mut count = 0;
    for entry in workspace
        .walk()
        .entries
        .iter()
        .filter(|entry| is_source(&entry.path))
    {
        count += workspace.read(&entry.path)?.text.lines().count() as u64;
    }

    Ok(count)
}

/// Returns the size of the built command without symbols.
fn program_bytes() -> anyhow::Result<u64> {
    let built = Command::new("cargo")
        .args(["build", "--quiet", "--locked", "--bin", "codeagent"])
        .status()?;
    ensure!(built.success(), "codeagent cannot be built");
    let program = std::env::current_exe()?.with_file_name("codeagent");
    let stripped = program.with_extension("stripped");
    output(
        Command::new("strip")
            .arg("--strip-all")
            .arg("-o")
            .arg(&stripped)
            .arg(&program),
    )?;
    Ok(stripped.metadata()?.len())
}

/// Counts the packages of the command, without tests and build scripts.
fn packages() -> anyhow::Result<u64> {
    let tree = output(Command::new("cargo").args([
        "tree",
        "--locked",
        "-p",
        "codeagent",
        "-e",
        "normal",
        "--prefix",
        "none",
        "--format",
        "{p}",
    ]))?;
    let names: BTreeSet<&str> = tree.lines().filter(|line| !line.is_empty()).collect();
    Ok(names.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_valgrind_output() {
        let report =
            "==1== Total:     1,234 bytes in 56 blocks\n==1== At t-gmax: 789 bytes in 5 blocks\n";
        assert_eq!(number_after(report, "Total:").unwrap(), 1234);
        assert_eq!(
            number_after(after(report, "Total:").unwrap(), " in ").unwrap(),
            56
        );
        assert_eq!(number_after(report, "At t-gmax:").unwrap(), 789);
        assert!(number_after(report, "refs:").is_err());
    }

    #[test]
    fn reasons_survive_rewriting_the_figures() {
        let figures = [Figure {
            name: "a: instructions".to_owned(),
            value: 12,
        }];
        let recorded = "a: instructions 10\n# rose: a: old\n";
        let written = text(
            &figures,
            recorded,
            ["# rose: a: new".to_owned()].into_iter(),
        );
        assert_eq!(recorded_value(&written, "a: instructions"), Some(12));
        assert!(written.ends_with("# rose: a: old\n# rose: a: new\n"));
        assert_eq!(recorded_value(&written, "a"), None);
    }
}
