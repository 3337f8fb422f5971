//! Benchmark of the server's latency, as a client sees it: a child process, one request after the
//! other, from writing the request to having read the answer.
//!
//! `cargo bench --bench latency -- ROOT..` measures the given repositories, which are only read;
//! without arguments, those that `benches/corpora.sh` fetched to `target/corpora`. Arguments of the
//! calls are drawn with a fixed seed from the tools' own answers, so two runs over one index send
//! the same requests. `CODEAGENT_BINARY` names another binary to measure.
//!
//! Limitations: latency is wall time, so on a busy machine the high percentiles mean little; the
//! server's processor time (mean over the calls of a row, Linux only) is reliable. A small
//! repository allows fewer than 1,000 different calls; column `calls` has their number.

#![allow(
    clippy::disallowed_methods,
    reason = "the system says what a process costs, and corpora are found, in files"
)]
#![allow(clippy::print_stdout, reason = "the figures are the result")]

mod corpora;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use codeagent_core::model::graph::Dialect;
use serde_json::{Value, json};

/// Number of calls of each kind.
const CALLS: usize = 1_000;
/// Number of most referenced symbols that are queried individually.
const HUBS: usize = 100;
const STARTS: usize = 20;

fn main() {
    for root in corpora::roots() {
        measure(&root);
    }
}

fn measure(root: &Path) {
    let data = tempfile::tempdir().expect("a temporary folder");
    let place = Place {
        root,
        data: data.path(),
    };
    let status = place
        .command("index")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the binary runs");
    assert!(
        matches!(status.code(), Some(0 | 1)),
        "{} cannot be indexed: {status}",
        root.display()
    );
    let starts = Series::of(
        "start to tools/list",
        60.0,
        (0..STARTS).map(|_| start(&place)).collect(),
    );
    let mut server = Server::start(&place);
    server.open_session();
    let drawn = Drawn::from(&mut server);
    println!(
        "{}: {} files, {} symbols",
        root.file_name().unwrap_or_default().to_string_lossy(),
        drawn.files.len(),
        drawn.symbols.len()
    );
    println!(
        "{:28} {:>6} {:>8} {:>8} {:>8} {:>8} {:>10} {:>10}",
        "", "calls", "p50 ms", "p95 ms", "max ms", "CPU ms", "p50 chars", "max chars"
    );
    for (name, calls) in drawn.calls() {
        server.timed_calls(name, 3.0, calls).print();
    }
    let mut all = Series::of("search_symbols, all", 5.0, Vec::new());
    all.cpu = Some(Duration::ZERO);
    for (name, queries) in drawn.searches() {
        let series = server.timed_calls(
            name,
            5.0,
            queries
                .into_iter()
                .map(|arguments| ("search_symbols", arguments))
                .collect(),
        );
        series.print();
        all.cpu = all.cpu.zip(series.cpu).map(|(sum, cpu)| sum + cpu);
        all.answers.extend(series.answers);
    }
    all.print();
    starts.print();
}

/// Measures the time from starting the process to its list of tools, and the list's length.
fn start(place: &Place<'_>) -> Answered {
    let begin = Instant::now();
    let mut server = Server::start(place);
    server.open_session();
    let (_, line) = server.request("tools/list", &json!({}));
    Answered {
        took: begin.elapsed(),
        characters: line.chars().count(),
        failed: !line.contains("get_status"),
    }
}

/// A repository and the location of its index.
struct Place<'a> {
    root: &'a Path,
    data: &'a Path,
}

impl Place<'_> {
    fn command(&self, name: &str) -> Command {
        let binary = env::var_os("CODEAGENT_BINARY")
            .unwrap_or_else(|| env!("CARGO_BIN_EXE_codeagent").into());
        let mut command = Command::new(binary);
        command
            .arg(name)
            .arg("--root")
            .arg(self.root)
            .env("CODEAGENT_DATA_DIR", self.data)
            .env_remove("CODEAGENT_LOG");
        command
    }
}

/// A server process and the client's ends of its pipes.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u64,
}

impl Server {
    fn start(place: &Place<'_>) -> Self {
        let mut child = place
            .command("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let input = child.stdin.take().expect("a pipe was asked for");
        let output = BufReader::new(child.stdout.take().expect("a pipe was asked for"));
        Self {
            child,
            input,
            output,
            requests: 0,
        }
    }

    fn open_session(&mut self) {
        let client = json!({ "name": "latency", "version": "1" });
        self.request(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
        );
        self.input
            .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
            .expect("the server reads");
    }

    /// Sends a request; returns the time until the answer, and its line.
    fn request(&mut self, method: &str, parameters: &Value) -> (Duration, String) {
        self.requests += 1;
        let request = format!(
            "{}\n",
            json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": parameters })
        );
        let mut line = String::new();
        let begin = Instant::now();
        self.input
            .write_all(request.as_bytes())
            .expect("the server reads");
        self.output
            .read_line(&mut line)
            .expect("the server answers in UTF-8");
        (begin.elapsed(), line)
    }

    fn timed_call(&mut self, tool: &str, arguments: Value) -> Answered {
        let (took, line) = self.request(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        let answer: Value = serde_json::from_str(&line).expect("an answer is JSON");
        let result = &answer["result"];
        let blocks = result["content"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let characters = blocks
            .iter()
            .filter_map(|block| block["text"].as_str())
            .map(|text| text.chars().count())
            .sum();
        Answered {
            took,
            characters,
            failed: blocks.is_empty() || result["isError"] == true,
        }
    }

    fn timed_calls(
        &mut self,
        name: &'static str,
        target: f64,
        calls: Vec<(&'static str, Value)>,
    ) -> Series {
        let before = self.cpu();
        let answers = calls
            .into_iter()
            .map(|(tool, arguments)| self.timed_call(tool, arguments))
            .collect();
        let mut series = Series::of(name, target, answers);
        series.cpu = self
            .cpu()
            .zip(before)
            .map(|(after, before)| after.saturating_sub(before));
        series
    }

    /// Returns the CPU time of the process so far, if the system reports it (fields 14 and 15, in
    /// hundredths of a second).
    fn cpu(&self) -> Option<Duration> {
        let line = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        let ticks = line
            .rsplit(") ")
            .next()?
            .split(' ')
            .skip(11)
            .take(2)
            .map(|field| field.parse::<u64>().ok());
        ticks
            .sum::<Option<u64>>()
            .map(|ticks| Duration::from_millis(10 * ticks))
    }

    /// Returns the structured answer of a call, or `None` if it failed.
    fn call(&mut self, tool: &str, arguments: &Value) -> Option<Value> {
        let (_, line) = self.request(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        );
        let mut answer: Value = serde_json::from_str(&line).expect("an answer is JSON");
        let result = answer["result"].take();
        (result["isError"] != true).then(|| result["structuredContent"].clone())
    }

    /// Returns the rows of all pages.
    fn rows(&mut self, tool: &str, mut arguments: Value) -> Vec<Value> {
        let mut rows = Vec::new();
        while let Some(mut page) = self.call(tool, &arguments) {
            if let Value::Array(found) = page["results"].take() {
                rows.extend(found);
            }
            match page["next_cursor"].take() {
                Value::Null => break,
                cursor => arguments["cursor"] = cursor,
            }
        }
        rows
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A measured answer.
#[derive(Clone, Copy)]
struct Answered {
    took: Duration,
    characters: usize,
    failed: bool,
}

/// The answers to calls of one kind.
struct Series {
    name: &'static str,
    /// Target for the 95th percentile, in milliseconds.
    target: f64,
    answers: Vec<Answered>,
    /// CPU time of the server for all of them.
    cpu: Option<Duration>,
}

impl Series {
    fn of(name: &'static str, target: f64, answers: Vec<Answered>) -> Self {
        Self {
            name,
            target,
            answers,
            cpu: None,
        }
    }

    fn print(&self) {
        let mut times: Vec<f64> = self
            .answers
            .iter()
            .map(|answer| answer.took.as_secs_f64() * 1e3)
            .collect();
        let mut characters: Vec<usize> = self
            .answers
            .iter()
            .map(|answer| answer.characters)
            .collect();
        times.sort_by(f64::total_cmp);
        characters.sort_unstable();
        let (Some(max), Some(longest)) = (times.last(), characters.last()) else {
            return;
        };
        let (p50, p95) = (
            times[percentile(times.len(), 50)],
            times[percentile(times.len(), 95)],
        );
        let failed = self.answers.iter().filter(|answer| answer.failed).count();
        let note = format!(
            "{}{}",
            if p95 > self.target {
                format!("  p95 over {} ms", self.target)
            } else {
                String::new()
            },
            if failed > 0 {
                format!("  {failed} failed")
            } else {
                String::new()
            },
        );
        let median = characters[percentile(characters.len(), 50)];
        let cpu = self.cpu.map_or_else(
            || "-".to_owned(),
            |cpu| format!("{:.2}", cpu.as_secs_f64() * 1e3 / times.len() as f64),
        );
        println!(
            "{:28} {:6} {p50:8.2} {p95:8.2} {max:8.2} {cpu:>8} {median:10} {longest:10}{note}",
            self.name,
            times.len()
        );
    }
}

/// Returns the index of a percentile among `count` sorted values.
fn percentile(count: usize, percent: usize) -> usize {
    (count * percent).div_ceil(100).saturating_sub(1)
}

struct Symbol {
    id: String,
    name: String,
    qualified_name: String,
    is_callable: bool,
    /// Number of incoming uses.
    references: u64,
}

/// Symbols of a repository from the tools' answers, in random order.
struct Drawn {
    files: Vec<String>,
    symbols: Vec<Symbol>,
}

impl Drawn {
    fn from(server: &mut Server) -> Self {
        let mut lot = Lot(20_260_615);
        let mut files = Vec::new();
        let tree = server
            .call("get_directory_tree", &json!({ "depth": 10 }))
            .expect("the root has a tree");
        collect_files(&tree, "", &mut files);
        files.retain(|path| Dialect::of_path(path).is_some());
        let mut symbols: BTreeMap<String, Symbol> = BTreeMap::new();
        for path in &files {
            for row in server.rows("get_file_outline", json!({ "path": path })) {
                let text = |field: &str| row[field].as_str().unwrap_or_default().to_owned();
                let symbol = Symbol {
                    id: text("node_id"),
                    name: text("name"),
                    qualified_name: text("qualified_name"),
                    is_callable: row["node_type"] == "method" || row["node_type"] == "constructor",
                    references: 0,
                };
                symbols.insert(text("node_id"), symbol);
            }
        }
        for symbol in symbols.values_mut() {
            let found = server
                .call("get_symbol", &json!({ "node_id": symbol.id }))
                .unwrap_or_default();
            symbol.references = found["reference_count"].as_u64().unwrap_or(0);
        }
        let mut symbols: Vec<Symbol> = symbols.into_values().collect();
        lot.shuffle(&mut files);
        lot.shuffle(&mut symbols);
        Self { files, symbols }
    }

    /// Returns calls of the tools by node, file and name.
    fn calls(&self) -> Vec<(&'static str, Vec<(&'static str, Value)>)> {
        let by_id = |tool, symbols: &[&Symbol]| {
            symbols
                .iter()
                .map(|symbol| (tool, json!({ "node_id": symbol.id })))
                .collect()
        };
        let any: Vec<&Symbol> = self.symbols.iter().take(CALLS).collect();
        let outlines = self
            .files
            .iter()
            .take(CALLS)
            .map(|path| ("get_file_outline", json!({ "path": path })));
        vec![
            ("get_callers", by_id("get_callers", &any)),
            (
                "get_callers, hubs",
                by_id("get_callers", &self.hubs(|symbol| symbol.is_callable)),
            ),
            ("get_references", by_id("get_references", &any)),
            (
                "get_references, hubs",
                by_id("get_references", &self.hubs(|_| true)),
            ),
            ("get_file_outline", outlines.collect()),
            (
                "lookup_symbol",
                self.names()
                    .map(|name| ("lookup_symbol", json!({ "qualified_name": name })))
                    .collect(),
            ),
            ("get_symbol", by_id("get_symbol", &any)),
        ]
    }

    /// Returns the most referenced symbols of a kind.
    fn hubs(&self, kind: impl Fn(&Symbol) -> bool) -> Vec<&Symbol> {
        let mut hubs: Vec<&Symbol> = self.symbols.iter().filter(|symbol| kind(symbol)).collect();
        hubs.sort_by_key(|symbol| std::cmp::Reverse(symbol.references));
        hubs.truncate(HUBS);
        hubs
    }

    /// Returns qualified names: of ten, seven are complete, two are the last segments, and one does
    /// not exist.
    fn names(&self) -> impl Iterator<Item = String> {
        let distinct: BTreeMap<&str, usize> = self
            .symbols
            .iter()
            .zip(0..)
            .map(|(symbol, at)| (symbol.qualified_name.as_str(), at))
            .collect();
        let mut places: Vec<usize> = distinct.into_values().collect();
        places.sort_unstable();
        places.into_iter().take(CALLS).zip(0..).map(|(at, turn)| {
            let name = &self.symbols[at].qualified_name;
            match turn % 10 {
                0..7 => name.clone(),
                7 | 8 => last_segments(name).to_owned(),
                _ => format!("{name}x"),
            }
        })
    }

    /// Returns searches as people type them.
    fn searches(&self) -> Vec<(&'static str, Vec<Value>)> {
        let names: Vec<String> = distinct(self.symbols.iter().map(|symbol| symbol.name.clone()));
        let split: Vec<Vec<String>> = names.iter().map(|name| words(name)).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for word in split.iter().flatten() {
            *counts.entry(word).or_default() += 1;
        }
        let mut common: Vec<&str> = counts.keys().copied().collect();
        common.sort_by_key(|word| std::cmp::Reverse(counts[word]));
        common.truncate(CALLS / 10);
        let is_common = |word: &String| common.contains(&word.as_str());
        let rare = distinct(
            split
                .iter()
                .filter_map(|words| words.iter().find(|word| !is_common(word)).cloned()),
        );
        let pairs = distinct(
            split
                .iter()
                .filter_map(|words| Some(format!("{} {}", words.first()?, words.get(1)?))),
        );
        let prefixes = distinct(
            names
                .iter()
                .map(|name| format!("{}*", name.chars().take(3).collect::<String>())),
        );
        let dotted = distinct(
            self.symbols
                .iter()
                .map(|symbol| last_segments(&symbol.qualified_name).to_owned()),
        );
        let plain = |queries: Vec<String>, count: usize| {
            queries
                .into_iter()
                .take(count)
                .map(|query| json!({ "query": query }))
                .collect()
        };
        vec![
            ("search_symbols, names", plain(names, CALLS / 4)),
            ("search_symbols, words", plain(rare, CALLS / 5)),
            ("search_symbols, two words", plain(pairs, CALLS / 10)),
            ("search_symbols, Type.member", plain(dotted, CALLS / 10)),
            ("search_symbols, prefixes", plain(prefixes, CALLS * 3 / 20)),
            ("search_symbols, a*", one_letter_prefixes()),
            (
                "search_symbols, common words",
                plain(common.into_iter().map(str::to_owned).collect(), CALLS / 10),
            ),
        ]
    }
}

/// Returns the widest possible queries: each letter, without and with filters.
fn one_letter_prefixes() -> Vec<Value> {
    let mut queries = Vec::new();
    for query in ('a'..='z').map(|letter| format!("{letter}*")) {
        queries.push(json!({ "query": query }));
        queries.push(json!({ "query": query, "limit": 50 }));
        queries.push(json!({ "query": query, "node_type": "method" }));
        queries.push(json!({ "query": query, "node_type": "interface" }));
    }
    queries
}

fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    texts.filter(|text| seen.insert(text.clone())).collect()
}

/// Returns the last two segments of a qualified name.
fn last_segments(name: &str) -> &str {
    name.rmatch_indices(['.', '#'])
        .nth(1)
        .map_or(name, |(at, _)| &name[at + 1..])
}

/// Returns the words of a camel-case name in lower case, with at least three letters each.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if !letter.is_alphanumeric() || letter.is_uppercase() {
            words.push(String::new());
        }
        words.last_mut().expect("there is one at least").extend(
            letter
                .to_lowercase()
                .filter(|letter| letter.is_alphanumeric()),
        );
    }
    words.retain(|word| word.chars().count() > 2);
    words
}

fn collect_files(directory: &Value, prefix: &str, files: &mut Vec<String>) {
    for child in directory["children"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default()
    {
        let path = format!("{prefix}{}", child["name"].as_str().unwrap_or_default());
        if child["type"] == "file" {
            files.push(path);
        } else {
            collect_files(child, &format!("{path}/"), files);
        }
    }
}

/// A deterministic random number generator (SplitMix64).
struct Lot(u64);

impl Lot {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % below as u64) as usize
    }

    fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.next(last + 1));
        }
    }
}
