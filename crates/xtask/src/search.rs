//! Quality and speed of search.
//!
//! Draws a fixed set of symbols from an index and searches for each by its name, its words, a
//! prefix and its initials. `xtask search ROOT..` prints figures with times for any repositories;
//! `xtask accuracy` records the figures without times.
//!
//! Limitations: calls the engine directly, without a protocol. Times are CPU times, because
//! machines are busy.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use codeagent_core::embed::ModelHandle;
use codeagent_core::engine::{Engine, EngineOptions};
use codeagent_core::model::graph::{Language, NodeId, NodeKind, NodeType};
use codeagent_core::query::{SearchFilter, Searched, Snapshot, Vectors, filter_nodes};
use codeagent_core::store::export_symbols;
use cpu_time::ThreadTime;

use crate::sentences;

/// Symbols drawn from each repository.
pub const DRAWN: usize = 200;
/// Seed of the draw: the symbols with the smallest hashes under it are taken.
pub const SEED: u64 = 8;
/// Number of requested results, the tool's default.
pub const LIMIT: usize = 20;
/// Depths at which a result counts as found.
const DEPTHS: [usize; 3] = [1, 5, 10];
/// Words that occur in most repositories.
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
const EXPRESSIONS: [&str; 5] = [
    "name:get OR name:set",
    "\"get value\"",
    "get NOT string",
    "signature:string AND name:get*",
    "container:test*",
];

/// How well and how fast search answers
#[derive(clap::Args)]
pub struct Options {
    /// Repositories; their indexes are brought up to date, where `CODEAGENT_DATA_DIR` says
    #[arg(required = true)]
    roots: Vec<PathBuf>,
    /// List symbols that were not among the first five
    #[arg(long)]
    misses: bool,
}

/// Prints the figures with times.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let mut all = Tally::default();
    for root in &options.roots {
        let engine = Engine::open(root, EngineOptions::default())?;
        engine.index(&|_| ())?;
        let snapshot = engine.reader().snapshot()?;

        let mut asking = QueryRun {
            snapshot: &snapshot,
            vectors: Vectors::default(),
            show_misses: options.misses,
            tally: Tally::default(),
        };

        asking.time("(warming up)", "warm", &SearchFilter::default())?;
        asking.tally = Tally::default();
        asking.for_drawn()?;
        asking.common()?;

        println!(
            "{}\n{}",
            root.file_name().unwrap_or_default().display(),
            asking.tally.table(true)
        );

        all.add(asking.tally);
    }
    println!("all\n{}", all.table(true));
    Ok(())
}

/// Searches for the drawn symbols.
pub fn measure(snapshot: &Snapshot) -> anyhow::Result<Tally> {
    let mut asking = QueryRun {
        snapshot,
        vectors: Vectors::default(),
        show_misses: false,
        tally: Tally::default(),
    };
    asking.for_drawn()?;

    let ranks = sentences::measure(snapshot, &ModelHandle::default())?;
    if ranks.words.len() >= sentences::MIN_SENTENCES {
        for (name, ranks) in [
            ("doc, words only", ranks.words),
            ("doc sentence", ranks.hybrid),
        ] {
            let class = asking.tally.class(name);
            class.total += ranks.len();
            for place in ranks {
                class.name_found.count(place.name);
                class.node_found.count(place.symbol);
            }
        }
    }

    Ok(asking.tally)
}

/// Number of queries that found something at each depth, and the sum of their reciprocal ranks.
#[derive(Clone, Copy, Default)]
struct RankCounts {
    within: [usize; DEPTHS.len()],
    reciprocal: f64,
}

impl RankCounts {
    fn count(&mut self, at: Option<usize>) {
        let Some(at) = at else { return };
        for (count, depth) in self.within.iter_mut().zip(DEPTHS) {
            *count += usize::from(at < depth);
        }
        self.reciprocal += 1.0 / (at + 1) as f64;
    }

    fn add(&mut self, other: Self) {
        for (count, more) in self.within.iter_mut().zip(other.within) {
            *count += more;
        }
        self.reciprocal += other.reciprocal;
    }

    fn columns(&self, total: usize) -> String {
        let share = |count: f64| {
            if total == 0 {
                "      -".to_owned()
            } else {
                format!("{:7.3}", count / total as f64)
            }
        };
        self.within
            .iter()
            .map(|count| share(*count as f64))
            .collect::<String>()
            + &share(self.reciprocal)
    }
}

/// One kind of query.
#[derive(Default)]
struct Class {
    name: &'static str,
    total: usize,
    /// Ranks of the first result that has the name.
    name_found: RankCounts,
    /// Ranks of the symbol itself.
    node_found: RankCounts,
    times: Vec<Duration>,
}

/// All kinds of queries.
#[derive(Default)]
pub struct Tally(Vec<Class>);

impl Tally {
    fn class(&mut self, name: &'static str) -> &mut Class {
        let at = self
            .0
            .iter()
            .position(|class| class.name == name)
            .unwrap_or_else(|| {
                self.0.push(Class {
                    name,
                    ..Class::default()
                });
                self.0.len() - 1
            });
        &mut self.0[at]
    }

    /// Adds the counts of another tally.
    pub fn add(&mut self, other: Self) {
        for class in other.0 {
            let sum = self.class(class.name);
            sum.total += class.total;
            sum.name_found.add(class.name_found);
            sum.node_found.add(class.node_found);
            sum.times.extend(class.times);
        }
    }

    /// Returns one line per kind of query: recall at 1, 5 and 10 and the mean reciprocal rank, for
    /// any symbol with the name and for the symbol itself.
    pub fn table(&self, with_times: bool) -> String {
        let times_head = if with_times {
            "    p50 ms  p95 ms  max ms"
        } else {
            ""
        };

        let mut text = format!(
            "  class            asked  name@1     @5    @10    MRR  node@1     @5    @10    MRR{times_head}\n"
        );

        for class in self.0.iter().filter(|class| with_times || class.total > 0) {
            let (names, nodes) = (
                class.name_found.columns(class.total),
                class.node_found.columns(class.total),
            );

            let times = if with_times {
                percentiles(&class.times)
            } else {
                String::new()
            };

            let _ = writeln!(
                text,
                "  {:16} {:5} {names} {nodes}{times}",
                class.name, class.total
            );
        }
        text
    }
}

fn percentiles(times: &[Duration]) -> String {
    let mut times = times.to_vec();
    times.sort_unstable();
    let at = |percent: usize| {
        times
            .get((times.len() * percent / 100).min(times.len() - 1))
            .map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    format!("   {:7.2} {:7.2} {:7.2}", at(50), at(95), at(100))
}

struct Sample {
    id: NodeId,
    name: String,
    kind: NodeKind,
}

/// Draws symbols with a letter in their name.
fn draw(snapshot: &Snapshot) -> anyhow::Result<Vec<Sample>> {
    let mut symbols = export_symbols(snapshot)?;
    symbols.dedup_by_key(|symbol| symbol.id);
    symbols.retain(|symbol| {
        symbol.kind != NodeKind::File && symbol.name.chars().any(char::is_alphabetic)
    });

    symbols.sort_by_cached_key(|symbol| {
        let mut hasher = blake3::Hasher::new();
        *hasher
            .update(&SEED.to_le_bytes())
            .update(&symbol.id.0.to_le_bytes())
            .finalize()
            .as_bytes()
    });

    symbols.truncate(DRAWN);
    Ok(symbols
        .into_iter()
        .map(|symbol| Sample {
            id: symbol.id,
            name: symbol.name,
            kind: symbol.kind,
        })
        .collect())
}

/// Returns the queries for a symbol, by kind.
fn queries(name: &str) -> Vec<(&'static str, String)> {
    let words = words(name);
    let length = name.chars().count();
    let prefix: String = name.chars().take((length * 3).div_ceil(5).max(3)).collect();

    let mut queries = vec![
        ("name", name.to_owned()),
        ("words", words.join(" ")),
        ("joined", words.concat()),
        ("prefix*", format!("{prefix}*")),
        ("prefix", prefix),
    ];

    if let [first @ .., last] = words.as_slice()
        && first.len() >= 2
    {
        let initials = |words: &[String]| {
            words
                .iter()
                .filter_map(|word| word.chars().next())
                .collect::<String>()
        };

        queries.push(("initials", initials(&words).to_uppercase()));
        queries.push((
            "initials + rest",
            initials(first) + &last.chars().take(3).collect::<String>(),
        ));
    }
    queries
}

struct QueryRun<'s> {
    snapshot: &'s Snapshot,
    vectors: Vectors,
    show_misses: bool,
    tally: Tally,
}

impl QueryRun<'_> {
    fn for_drawn(&mut self) -> anyhow::Result<()> {
        for symbol in draw(self.snapshot)? {
            for (class, query) in queries(&symbol.name) {
                self.run_query(class, &query, &symbol)?;
            }
            let filter = SearchFilter {
                node_type: Some(symbol.kind.node_type()),
                ..SearchFilter::default()
            };
            self.time("filtered", &words(&symbol.name).join(" "), &filter)?;
        }
        Ok(())
    }

    fn common(&mut self) -> anyhow::Result<()> {
        for letter in 'a'..='z' {
            self.time(
                "one letter*",
                &format!("{letter}*"),
                &SearchFilter::default(),
            )?;
            self.time("one letter", &letter.to_string(), &SearchFilter::default())?;
        }

        for word in COMMON {
            self.time("common word", word, &SearchFilter::default())?;
            for (_, language) in Language::NAMES {
                self.time(
                    "common, language",
                    word,
                    &SearchFilter {
                        language: Some(*language),
                        ..SearchFilter::default()
                    },
                )?;
            }

            for (_, node_type) in NodeType::NAMES {
                self.time(
                    "common, type",
                    word,
                    &SearchFilter {
                        node_type: Some(*node_type),
                        ..SearchFilter::default()
                    },
                )?;
            }

            self.time(
                "common, project",
                word,
                &SearchFilter {
                    project: Some(".".to_owned()),
                    ..SearchFilter::default()
                },
            )?;
        }

        for expression in EXPRESSIONS {
            self.time("expression", expression, &SearchFilter::default())?;
        }

        for nothing in ["qzxv", "qzxv wkjq", "zzzz*", "xqzw get"] {
            self.time("nothing", nothing, &SearchFilter::default())?;
        }
        Ok(())
    }

    fn time(
        &mut self,
        class: &'static str,
        query: &str,
        filter: &SearchFilter,
    ) -> anyhow::Result<()> {
        let start = ThreadTime::now();
        filter_nodes(self.snapshot, self.searched(), query, filter, LIMIT)?;
        self.tally.class(class).times.push(start.elapsed());
        Ok(())
    }

    /// Returns what a sentence searches: names, documentation and vectors, as the tables compare these.
    fn searched(&self) -> Searched<'_> {
        Searched::without_source(Some(&self.vectors))
    }

    fn run_query(
        &mut self,
        class: &'static str,
        query: &str,
        symbol: &Sample,
    ) -> anyhow::Result<()> {
        let start = ThreadTime::now();
        let found = filter_nodes(
            self.snapshot,
            self.searched(),
            query,
            &SearchFilter::default(),
            LIMIT,
        )?
        .hits;
        let elapsed = start.elapsed();

        let by_name = found.iter().position(|hit| hit.node.name == symbol.name);
        let tally = self.tally.class(class);
        tally.total += 1;
        tally.times.push(elapsed);
        tally.name_found.count(by_name);
        tally
            .node_found
            .count(found.iter().position(|hit| hit.node.id == symbol.id));

        if self.show_misses && by_name.is_none_or(|at| at >= 5) {
            let first: Vec<String> = found
                .iter()
                .take(6)
                .map(|hit| format!("{} {:.1}", hit.node.name, hit.rank))
                .collect();

            println!(
                "    {class}: {query:?} for {} ({}): {}",
                symbol.name,
                symbol.kind,
                first.join(", ")
            );
        }
        Ok(())
    }
}

/// Splits a name into typed words: `getHTTPUrl` is `get`, `http`, `url`.
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
