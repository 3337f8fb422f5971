//! Benefit of vectors for search, and speed and recall of nearest-neighbour search.
//!
//! `xtask ranking` searches the published repositories for what their doc comments describe, with
//! and without vectors, and prints the gain with its confidence interval. `CODEAGENT_TEST_MODEL`
//! names a model's folder, as for `xtask model-check`. `--symbols N` instead searches for similar
//! symbols in an index of N symbols, made from those of all repositories with mixed names, and
//! compares the results with exact ones.
//!
//! Limitations: times are CPU times of one thread in this build, so use `cargo run --release -p
//! xtask -- ranking`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use codeagent_core::embed::{Embedder, HashingEmbedder, ModelHandle, Vector};
use codeagent_core::engine::{Engine, EngineOptions};
use codeagent_core::model::graph::{Node, NodeId, NodeType};
use codeagent_core::query::{self, Snapshot, VectorSource, Vectors};
use codeagent_embed::{MiniLm, ModelLocations};
use cpu_time::ThreadTime;

use crate::corpora::{self, CORPORA, FOLDER};
use crate::sentences;

/// Number of similarity queries of each kind.
const QUERIES: usize = 100;
/// Number of nearest symbols compared with the exact ones.
const NEAREST: usize = 10;
/// Number of bootstrap samples for the confidence interval.
const DRAWS: usize = 2_000;

/// Measures what vectors add to search
#[derive(clap::Args)]
pub struct Options {
    /// Repositories instead of the published ones
    roots: Vec<PathBuf>,
    /// Look for near symbols among so many instead
    #[arg(long)]
    symbols: Option<usize>,
}

/// Prints the figures.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let mut roots = options.roots.clone();
    if roots.is_empty() {
        for corpus in CORPORA
            .iter()
            .filter(|corpus| !corpus.is_optional() || corpus.root(Path::new(FOLDER)).exists())
        {
            roots.push(corpus.fetched_root(Path::new(FOLDER))?);
        }
    }

    let model = model()?;
    let mut all = Vec::new();
    let mut gains = Vec::new();

    for root in roots {
        let engine = Engine::open(
            &root,
            EngineOptions {
                home: corpora::data_root(),
                ..EngineOptions::default()
            },
        )?;
        engine.index(&|_| ())?;

        let snapshot = engine.reader().snapshot()?;
        if options.symbols.is_some() {
            all.extend(sentences::symbols(&snapshot)?);
            continue;
        }

        let ranks = sentences::measure(&snapshot, &model)?;
        let [words, hybrid] = ranks.reciprocal_ranks();
        let (low, high) = interval(&ranks);
        let name = root.file_name().unwrap_or_default().display().to_string();
        let asked = ranks.words.len();

        println!(
            "{name:24} {asked:5} sentences  MRR@10 {words:.3} -> {hybrid:.3}  {:+.3} [{low:+.3}, {high:+.3}]",
            hybrid - words
        );

        if asked >= sentences::MIN_SENTENCES {
            gains.push(hybrid - words);
        }
    }

    match options.symbols {
        Some(count) => near(all, count)?,
        None => println!(
            "mean of {} with at least {}: {:+.4}",
            gains.len(),
            sentences::MIN_SENTENCES,
            mean(&gains)
        ),
    }

    Ok(())
}

/// Returns the model in the folder that `CODEAGENT_TEST_MODEL` names, or the built-in lexical model
/// if it is not set.
fn model() -> anyhow::Result<ModelHandle> {
    let Some(folder) = std::env::var_os("CODEAGENT_TEST_MODEL") else {
        return Ok(ModelHandle::default());
    };
    let found = ModelLocations::only(folder.into())
        .find()?
        .context("no model in $CODEAGENT_TEST_MODEL")?;
    let model: Arc<dyn Embedder> = Arc::new(MiniLm::open(&found)?);
    Ok(ModelHandle::new(move || Ok(Some(Arc::clone(&model)))))
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// Returns the 95 % confidence interval of the gain, by bootstrap.
fn interval(ranks: &sentences::SentenceRanks) -> (f64, f64) {
    let gains: Vec<f64> = ranks
        .words
        .iter()
        .zip(&ranks.hybrid)
        .map(|(words, hybrid)| hybrid.worth() - words.worth())
        .collect();

    let mut draw = Random(88_172_645_463_325_252);
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| {
            gains
                .iter()
                .map(|_| gains[draw.below(gains.len())])
                .sum::<f64>()
                / gains.len().max(1) as f64
        })
        .collect();

    means.sort_unstable_by(f64::total_cmp);
    (means[DRAWS / 40], means[DRAWS - 1 - DRAWS / 40])
}

/// Measures similarity search in an index of `count` symbols.
fn near(nodes: Vec<Node>, count: usize) -> anyhow::Result<()> {
    let sentences: Vec<String> = sentences::sentences(&nodes)
        .into_iter()
        .map(|sentence| sentence.text)
        .collect();
    ensure!(
        sentences.len() >= QUERIES,
        "the repositories have {} sentences, too few",
        sentences.len()
    );

    let nodes = grown(nodes, count);
    let asked_symbols: Vec<NodeId> = drawn(&nodes).map(|node| node.id).collect();
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("index.db");
    let start = ThreadTime::now();
    let reader = sentences::index_of(nodes, None, &path)?;
    println!(
        "{count} symbols written in {:.1} CPU s, {} MB",
        start.elapsed().as_secs_f64(),
        std::fs::metadata(&path)?.len() >> 20
    );

    let snapshot = reader.snapshot()?;
    let cached = Vectors::default();
    let mut times = time_queries(&snapshot, &cached, &asked_symbols)?;

    let symbols = symbol_vectors(&snapshot, &asked_symbols)?;
    let of_symbols = recall(&snapshot, &cached, &symbols, 100)?;
    let sentences = sentence_vectors(&sentences)?;
    let of_sentences = recall(&snapshot, &cached, &sentences, 300)?;

    println!(
        "find_similar, signs in memory  {}",
        percentiles(&mut times.warm)
    );
    println!(
        "find_similar, signs read       {}",
        percentiles(&mut times.cold)
    );
    println!("recall@{NEAREST}: of symbols {of_symbols:.4}, of sentences {of_sentences:.4}");

    Ok(())
}

/// Draws the items that are queried, evenly.
fn drawn<T>(items: &[T]) -> impl Iterator<Item = &T> {
    let step = (items.len() / QUERIES).max(1);
    items.iter().step_by(step).take(QUERIES)
}

/// CPU times of the same queries.
struct QueryTimes {
    /// With sign bits read from the index.
    cold: Vec<Duration>,
    /// With sign bits in memory.
    warm: Vec<Duration>,
}

fn time_queries(
    snapshot: &Snapshot,
    cached: &Vectors,
    ids: &[NodeId],
) -> anyhow::Result<QueryTimes> {
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    let find = |vectors: &Vectors, id: NodeId| {
        query::find_similar(snapshot, vectors, &[id], NEAREST).map(drop)
    };

    for id in ids {
        let fresh = Vectors::default();
        cold.push(timed(|| find(&fresh, *id))?);

        find(cached, *id)?;
        warm.push(timed(|| find(cached, *id))?);
    }

    Ok(QueryTimes { cold, warm })
}

/// Returns the share of the exactly nearest symbols that are among the first of `candidates` found.
fn recall(
    snapshot: &Snapshot,
    cached: &Vectors,
    vectors: &[Vector],
    candidates: usize,
) -> anyhow::Result<f64> {
    let exact = query::exactly_nearest(snapshot, VectorSource::Lexical, vectors, NEAREST)?;
    let mut recall = 0.0;

    for (vector, exact) in vectors.iter().zip(exact) {
        let found = cached.nearest(snapshot, VectorSource::Lexical, vector, candidates)?;

        // A symbol as near as the tenth is as good a result.
        let least = exact.last().map_or(0.0, |(_, cosine)| cosine - 1e-5);
        let right = found
            .iter()
            .take(NEAREST)
            .filter(|(_, cosine)| *cosine >= least)
            .count();

        recall += right as f64 / exact.len().max(1) as f64 / vectors.len() as f64;
    }

    Ok(recall)
}

fn symbol_vectors(snapshot: &Snapshot, ids: &[NodeId]) -> anyhow::Result<Vec<Vector>> {
    Ok(
        codeagent_core::store::vectors_of(snapshot, VectorSource::Lexical, ids)?
            .into_iter()
            .flatten()
            .collect(),
    )
}

fn sentence_vectors(sentences: &[String]) -> anyhow::Result<Vec<Vector>> {
    let texts: Vec<&str> = drawn(sentences).map(String::as_str).collect();
    Ok(HashingEmbedder.embed(&texts)?)
}

fn timed<E>(work: impl FnOnce() -> Result<(), E>) -> Result<Duration, E> {
    let start = ThreadTime::now();
    work()?;
    Ok(start.elapsed())
}

fn percentiles(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |percent: usize| {
        times[(times.len() * percent / 100).min(times.len() - 1)].as_secs_f64() * 1e3
    };
    format!(
        "p50 {:.2} ms, p95 {:.2} ms, max {:.2} ms",
        at(50),
        at(95),
        at(100)
    )
}

/// Grows a set of symbols to `count`, repeating them with mixed names and containers.
fn grown(nodes: Vec<Node>, count: usize) -> Vec<Node> {
    let nodes: Vec<Node> = nodes
        .into_iter()
        .filter(|node| node.node_type != NodeType::File)
        .collect();

    let mut draw = Random(0x9e37_79b9_7f4a_7c15);
    let mut all = Vec::with_capacity(count);
    for round in 0.. {
        for node in &nodes {
            if all.len() == count {
                return all;
            }

            let mut node = node.clone();
            if round > 0 {
                let (other, third) = (
                    &nodes[draw.below(nodes.len())],
                    &nodes[draw.below(nodes.len())],
                );
                let name = format!("{}{}", node.name, other.name);
                node.qualified_name = format!("{}.{}.{name}", third.qualified_name, node.name);
                node.name = name;
            }

            node.id = NodeId::derive(&[
                "grown",
                &round.to_string(),
                &node.qualified_name,
                &all.len().to_string(),
            ]);
            all.push(node);
        }
    }

    all
}
