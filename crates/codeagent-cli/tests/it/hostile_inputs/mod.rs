//! Hostile repositories: none may crash the indexer or exceed its limits.
//!
//! Each row of the tables describes a small repository and the expected outcome. The command runs
//! in its own process for every row, because a crash must be observable. It must end by itself,
//! within the row's time and memory, with the expected outcome. `CODEAGENT_HOSTILE=word` runs the
//! rows whose names contain the word.
//!
//! Limitations: CPU time and memory are read from `/proc`, so Linux only.

mod clients;
mod csharp;
mod disk;
mod names;
mod projects;
mod resolution;
mod stopping;
mod typescript;

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Maximum CPU seconds for a hostile file; a build with little optimisation gets five times as
/// much.
const SECONDS: f64 = if cfg!(debug_assertions) { 10.0 } else { 2.0 };

/// Maximum memory for a hostile file of at most a megabyte, plus that of the process itself.
const MEGABYTES: u64 = 340 + 16;

/// Additional memory per byte above the first megabyte.
const BYTES_PER_BYTE: u64 = 250;

/// Time after which a running attack counts as a hang.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Expected outcome of an attack.
#[derive(Clone, Copy, Debug)]
pub enum Expected {
    /// Indexed without errors.
    Full,
    /// Indexed, perhaps with parse errors.
    Indexed,
    /// Reported as failed with these words.
    Failed(&'static str),
    /// Indexed or reported as failed; the exact limit does not matter.
    Either,
}

pub struct Row {
    pub name: String,
    /// Its files: path and content.
    pub files: Vec<(String, Vec<u8>)>,
    pub expected: Expected,
    /// Maximum CPU time.
    pub seconds: f64,
    /// Maximum ratio of the database's size to that of the files plus a megabyte.
    pub growth: u64,
}

impl Row {
    /// Returns the total size of its files.
    fn bytes(&self) -> u64 {
        self.files
            .iter()
            .map(|(_, content)| content.len() as u64)
            .sum()
    }
}

/// Creates an attack of one file.
pub fn row(name: &str, path: &str, text: impl Into<Vec<u8>>, expected: Expected) -> Row {
    rows(name, vec![(path.to_owned(), text.into())], expected)
}

/// Creates an attack of several files.
pub fn rows(name: &str, files: Vec<(String, Vec<u8>)>, expected: Expected) -> Row {
    Row {
        name: name.to_owned(),
        files,
        expected,
        seconds: SECONDS,
        growth: u64::MAX,
    }
}

/// Repeats `unit` n times, with line endings, so that the file is not skipped for its long lines.
pub fn many(unit: &str, n: usize) -> String {
    let mut text = String::with_capacity((unit.len() + 1) * n);
    let per_line = (2000 / unit.len().max(1)).max(1);
    for index in 0..n {
        text.push_str(unit);
        if index % per_line == per_line - 1 {
            text.push('\n');
        }
    }
    text
}

/// Concatenates n different texts.
pub fn each(n: usize, unit: impl Fn(usize) -> String) -> String {
    (0..n).map(|index| unit(index) + "\n").collect()
}

/// Nests `inner` in n pairs.
pub fn nested(open: &str, inner: &str, close: &str, n: usize) -> String {
    [many(open, n).as_str(), inner, &many(close, n)].concat()
}

struct Observed {
    status: Option<ExitStatus>,
    output: String,
    seconds: f64,
    megabytes: u64,
}

fn index(root: &Path, data: &Path) -> Observed {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codeagent"));
    command
        .args(["index", "--strict", "--verbose", "--root"])
        .arg(root)
        .env("CODEAGENT_DATA_DIR", data)
        .env_remove("CODEAGENT_LOG");
    let printed = std::fs::File::create(data.join("said.txt")).unwrap();
    command
        .stdin(Stdio::null())
        .stdout(printed.try_clone().unwrap())
        .stderr(printed);
    let mut child = command.spawn().unwrap();
    let started = Instant::now();
    let (mut seconds, mut megabytes) = (0.0, 0);
    let status = loop {
        if let Some((now_seconds, now_megabytes)) = figures(&child) {
            (seconds, megabytes) = (now_seconds, now_megabytes);
        }
        if let Some(status) = child.try_wait().unwrap() {
            break Some(status);
        }
        if started.elapsed() > TIMEOUT || megabytes > 10 * MEGABYTES {
            child.kill().unwrap();
            child.wait().unwrap();
            break None;
        }
        std::thread::sleep(Duration::from_millis(3));
    };
    let output =
        String::from_utf8_lossy(&std::fs::read(data.join("said.txt")).unwrap()).into_owned();
    Observed {
        status,
        output,
        seconds,
        megabytes,
    }
}

/// Returns CPU time and peak memory of a process so far.
fn figures(child: &Child) -> Option<(f64, u64)> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let most = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some((
        ticks / 100.0,
        most.trim()
            .trim_end_matches(" kB")
            .trim()
            .parse::<u64>()
            .ok()?
            / 1024,
    ))
}

/// Returns the outcome of an attack in one word, and why it is wrong, if it is.
fn judge(row: &Row, seen: &Observed) -> (String, Option<String>) {
    let Some(status) = seen.status else {
        return ("hangs".to_owned(), Some("does not end".to_owned()));
    };
    let Some(code @ 0..=1) = status.code() else {
        return (
            "crashes".to_owned(),
            Some(format!("{status}\n{}", seen.output)),
        );
    };
    let failed: Vec<&str> = seen
        .output
        .lines()
        .filter(|line| line.starts_with("failed "))
        .collect();
    let partial = seen
        .output
        .lines()
        .any(|line| line.starts_with("parse errors "));
    let word = match (code, partial) {
        (1, _) => failed.first().map_or("failed", |line| {
            line.split_once(": ").map_or(line, |(_, reason)| reason)
        }),
        (_, true) => "indexed, parse errors",
        (_, false) => "indexed",
    };
    let right = match row.expected {
        Expected::Full => code == 0 && !partial,
        Expected::Indexed => code == 0,
        Expected::Failed(reason) => code == 1 && failed.iter().any(|line| line.contains(reason)),
        Expected::Either => code == 0 || !failed.is_empty(),
    };
    let wrong = if !right {
        Some(format!("expected {:?}, got\n{}", row.expected, seen.output))
    } else if seen.seconds > row.seconds {
        Some(format!("takes {:.1} s\n{}", seen.seconds, seen.output))
    } else if seen.megabytes
        > MEGABYTES + ((row.bytes().saturating_sub(1 << 20) * BYTES_PER_BYTE) >> 20)
    {
        Some(format!("takes {} MB\n{}", seen.megabytes, seen.output))
    } else {
        None
    };
    (word.to_owned(), wrong)
}

fn attack(row: &Row) -> (String, Option<String>) {
    let root = tempfile::tempdir().unwrap();
    for (path, content) in &row.files {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let data = tempfile::tempdir().unwrap();
    let seen = index(root.path(), data.path());
    let (word, mut wrong) = judge(row, &seen);
    let bytes = row.bytes();
    let database = database_bytes(data.path());
    if database > (bytes.saturating_mul(row.growth)).saturating_add(1 << 20) {
        wrong = wrong.or(Some(format!("a database of {database} bytes for {bytes}")));
    }
    (
        format!(
            "| {} | {} | {:.2} | {} |",
            row.name,
            word.chars().take(60).collect::<String>(),
            seen.seconds,
            seen.megabytes
        ),
        wrong,
    )
}

/// Returns the size of the only index in a data folder.
fn database_bytes(data: &Path) -> u64 {
    let folders = std::fs::read_dir(data)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    folders
        .filter_map(|folder| std::fs::metadata(folder.join("index.db")).ok())
        .map(|data| data.len())
        .max()
        .unwrap()
}

/// Runs all rows, two at a time, and fails with all problems.
fn run(table: Vec<Row>) {
    let wanted = std::env::var("CODEAGENT_HOSTILE").unwrap_or_default();
    let table: Vec<Row> = table
        .into_iter()
        .filter(|row| row.name.contains(&wanted))
        .collect();
    let (next, problems) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(row) = table.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (line, wrong) = attack(row);
                    println!("{line}{}", if wrong.is_some() { " !!" } else { "" });
                    if let Some(wrong) = wrong {
                        let short: String = wrong.chars().take(600).collect();
                        problems
                            .lock()
                            .unwrap()
                            .push(format!("{}: {short}", row.name));
                    }
                }
            });
        }
    });
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn hostile_csharp_stays_within_limits() {
    run(csharp::table());
}

#[test]
fn hostile_typescript_stays_within_limits() {
    run(typescript::table());
}

#[test]
fn long_repeated_names_stay_within_limits() {
    run(names::table());
}

#[test]
fn sources_hard_to_resolve_stay_within_limits() {
    run(resolution::table());
}

#[test]
fn hostile_project_files_stay_within_limits() {
    run(projects::table());
}

#[test]
fn odd_bytes_and_encodings_stay_within_limits() {
    run(disk::table());
}
