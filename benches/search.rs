//! How often search finds what somebody means, and how long it takes.
//!
//! `cargo bench --bench search -- ROOT..` brings the index of each repository up to date (set `CODEAGENT_DATA_DIR` to keep it elsewhere), draws
//! 200 symbols from it, the same ones each time, and asks for each by its name, its words, a beginning and its initials. `--misses` lists
//! those that were not among the first five.
//!
//! **Limits.** Asks the engine, without a protocol around it. Times are of the processor: machines are busy.

#![allow(clippy::print_stdout, reason = "the figures are the result")]

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use codeagent_core::engine::{Engine, EngineOptions};
use codeagent_core::model::graph::{Language, NodeId, NodeKind, NodeType};
use codeagent_core::query::{SearchFilter, Snapshot, filter_nodes};
use codeagent_core::store::export_symbols;
use cpu_time::ThreadTime;

/// Symbols drawn from each repository.
const DRAWN: usize = 200;
/// Results asked for, as the tool does if nothing else is said.
const LIMIT: usize = 20;
/// Words that occur everywhere.
const COMMON: [&str; 16] = [
    "get",
    "string",
    "system",
    "name",
    "id",
    "type",
    "test",
    "value",
    "list",
    "create",
    "object",
    "options",
    "async",
    "data",
    "is",
    "get string",
];
const EXPRESSIONS: [&str; 5] =
    ["name:get OR name:set", "\"get value\"", "get NOT string", "signature:string AND name:get*", "container:test*"];

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let show_misses = arguments.iter().any(|argument| argument == "--misses");
    let roots: Vec<PathBuf> = arguments.iter().filter(|argument| !argument.starts_with("--")).map(PathBuf::from).collect();
    if roots.is_empty() {
        println!("no repositories: name folders as arguments");
    }
    let mut all = Tally::default();
    for root in roots {
        let tally = measure(&root, show_misses);
        println!("{}", root.file_name().unwrap_or_default().to_string_lossy());
        tally.print();
        all.add(tally);
    }
    println!("all");
    all.print();
}

/// One way of asking.
#[derive(Default)]
struct Class {
    name: &'static str,
    asked: usize,
    /// A symbol of the name, and the symbol itself, among the first and the first five.
    name_in: [usize; 2],
    node_in: [usize; 2],
    times: Vec<Duration>,
}

#[derive(Default)]
struct Tally(Vec<Class>);

impl Tally {
    fn class(&mut self, name: &'static str) -> &mut Class {
        let at = self.0.iter().position(|class| class.name == name).unwrap_or_else(|| {
            self.0.push(Class { name, ..Class::default() });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    fn add(&mut self, other: Self) {
        for class in other.0 {
            let sum = self.class(class.name);
            sum.asked += class.asked;
            for at in 0..2 {
                sum.name_in[at] += class.name_in[at];
                sum.node_in[at] += class.node_in[at];
            }
            sum.times.extend(class.times);
        }
    }

    fn print(&self) {
        println!("  class            asked  name@1  name@5  node@1  node@5     p50 ms  p95 ms  max ms");
        for class in &self.0 {
            let mut times = class.times.clone();
            times.sort_unstable();
            let share =
                |count: usize| if class.asked == 0 { "     -".to_owned() } else { format!("{:6.3}", count as f64 / class.asked as f64) };
            let at =
                |percent: usize| times.get((times.len() * percent / 100).min(times.len() - 1)).map_or(0.0, |time| time.as_secs_f64() * 1e3);
            println!(
                "  {:16} {:5}  {}  {}  {}  {}    {:7.2} {:7.2} {:7.2}",
                class.name,
                class.asked,
                share(class.name_in[0]),
                share(class.name_in[1]),
                share(class.node_in[0]),
                share(class.node_in[1]),
                at(50),
                at(95),
                at(100)
            );
        }
    }
}

struct Drawn {
    id: NodeId,
    name: String,
    kind: NodeKind,
}

struct Bench<'s> {
    snapshot: &'s Snapshot,
    show_misses: bool,
    tally: Tally,
}

fn measure(root: &Path, show_misses: bool) -> Tally {
    let engine = Engine::open(root, EngineOptions::default()).expect("the engine opens");
    engine.index(&|_| ()).expect("the index can be brought up to date");
    let snapshot = engine.answers().snapshot().expect("a snapshot");
    let mut bench = Bench { snapshot: &snapshot, show_misses, tally: Tally::default() };
    bench.time("(warming up)", "warm", &SearchFilter::default());
    bench.tally = Tally::default();
    for symbol in draw(&snapshot) {
        bench.ask_for(&symbol);
    }
    bench.common();
    bench.tally
}

/// Symbols with a letter in their name, drawn by steps through all of them in the order of their ids, which are hashes.
fn draw(snapshot: &Snapshot) -> Vec<Drawn> {
    let mut symbols = export_symbols(snapshot).expect("the symbols can be read");
    symbols.dedup_by_key(|symbol| symbol.id);
    symbols.retain(|symbol| symbol.kind != NodeKind::File && symbol.name.chars().any(char::is_alphabetic));
    let step = (symbols.len() / DRAWN).max(1);
    let drawn = symbols.into_iter().step_by(step).take(DRAWN);
    drawn.map(|symbol| Drawn { id: symbol.id, name: symbol.name, kind: symbol.kind }).collect()
}

impl Bench<'_> {
    fn ask_for(&mut self, symbol: &Drawn) {
        let words = words(&symbol.name);
        self.ask("name", &symbol.name, symbol);
        self.ask("words", &words.join(" "), symbol);
        self.ask("joined", &words.concat(), symbol);
        let length = symbol.name.chars().count();
        let prefix: String = symbol.name.chars().take((length * 3).div_ceil(5).max(3)).collect();
        self.ask("prefix*", &format!("{prefix}*"), symbol);
        self.ask("prefix", &prefix, symbol);
        if let [first @ .., last] = words.as_slice()
            && first.len() >= 2
        {
            let letters: String = words.iter().filter_map(|word| word.chars().next()).collect();
            self.ask("initials", &letters.to_uppercase(), symbol);
            let rest: String = last.chars().take(3).collect();
            self.ask(
                "initials + rest",
                &format!("{}{rest}", &letters[..letters.len() - last.chars().next().map_or(0, char::len_utf8)]),
                symbol,
            );
        }
        let filter = SearchFilter { node_type: Some(symbol.kind.node_type()), ..SearchFilter::default() };
        self.time("filtered", &words.join(" "), &filter);
    }

    fn common(&mut self) {
        for letter in 'a'..='z' {
            self.time("one letter*", &format!("{letter}*"), &SearchFilter::default());
            self.time("one letter", &letter.to_string(), &SearchFilter::default());
        }
        for word in COMMON {
            self.time("common word", word, &SearchFilter::default());
            for (_, language) in Language::NAMES {
                self.time("common, language", word, &SearchFilter { language: Some(*language), ..SearchFilter::default() });
            }
            for (_, node_type) in NodeType::NAMES {
                self.time("common, type", word, &SearchFilter { node_type: Some(*node_type), ..SearchFilter::default() });
            }
            self.time("common, project", word, &SearchFilter { project: Some(".".to_owned()), ..SearchFilter::default() });
        }
        for expression in EXPRESSIONS {
            self.time("expression", expression, &SearchFilter::default());
        }
        for nothing in ["qzxv", "qzxv wkjq", "zzzz*", "xqzw get"] {
            self.time("nothing", nothing, &SearchFilter::default());
        }
    }

    fn time(&mut self, class: &'static str, query: &str, filter: &SearchFilter) {
        let start = ThreadTime::now();
        filter_nodes(self.snapshot, query, filter, LIMIT).expect("a search");
        self.tally.class(class).times.push(start.elapsed());
    }

    fn ask(&mut self, class: &'static str, query: &str, symbol: &Drawn) {
        let start = ThreadTime::now();
        let found = filter_nodes(self.snapshot, query, &SearchFilter::default(), LIMIT).expect("a search").hits;
        let elapsed = start.elapsed();
        let by_name = found.iter().position(|(node, _)| node.name == symbol.name);
        let by_node = found.iter().position(|(node, _)| node.id == symbol.id);
        let within = |at: Option<usize>| [1, 5].map(|count| usize::from(at.is_some_and(|at| at < count)));
        let tally = self.tally.class(class);
        tally.asked += 1;
        tally.times.push(elapsed);
        for (at, (name, node)) in within(by_name).into_iter().zip(within(by_node)).enumerate() {
            tally.name_in[at] += name;
            tally.node_in[at] += node;
        }
        if self.show_misses && within(by_name)[1] == 0 {
            let first: Vec<String> = found.iter().take(6).map(|(node, rank)| format!("{} {rank:.1}", node.name)).collect();
            println!("    {class}: {query:?} for {} ({}): {}", symbol.name, symbol.kind, first.join(", "));
        }
    }
}

/// The words of a name as somebody types them: `getHTTPUrl` is `get`, `http`, `url`.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = vec![String::new()];
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let after_lower = before.is_some_and(|before| !before.is_uppercase());
        let before_lower = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        if !letter.is_alphanumeric() || (letter.is_uppercase() && (after_lower || before_lower)) {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
