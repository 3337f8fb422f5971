//! Search quality for natural-language queries, with doc comments as queries.
//!
//! The first sentence of each doc comment is the query for the symbol it documents. It is searched
//! with and without vectors, in an index of the same symbols without documentation.
//!
//! Limitations: a sentence shared by several names is skipped. Doc comments are longer than most
//! queries and name what they describe.

use std::collections::BTreeMap;
use std::path::Path;

use codeagent_core::embed::{Embedder, ModelHandle};
use codeagent_core::model::graph::{Node, NodeType};
use codeagent_core::query::{SearchFilter, Searched, Snapshot, Vectors, filter_nodes};
use codeagent_core::service::embedded;
use codeagent_core::store::{
    self, Delta, FullGraph, PackedNodes, Reader, SYMBOLS_TOTAL, Write, Writer, lexical_signs,
};

/// Minimum words of a sentence; shorter ones look like names.
const MIN_WORDS: usize = 4;
/// Minimum sentences of a corpus. With fewer, one sentence would change the figures by a hundredth.
pub const MIN_SENTENCES: usize = 100;
/// Number of distinct symbols that are considered, within `LIMIT` results.
const DEPTH: usize = 10;
const LIMIT: usize = 50;
/// Texts per embedding batch.
const TOGETHER: usize = 16;

/// A sentence, with the name and qualified names of the symbols it documents.
pub struct Sentence {
    pub text: String,
    name: String,
    names: Vec<String>,
}

/// Returns all symbols of an index, each once.
pub fn symbols(snapshot: &Snapshot) -> anyhow::Result<Vec<Node>> {
    let mut ids: Vec<_> = store::export_symbols(snapshot)?
        .into_iter()
        .map(|symbol| symbol.id)
        .collect();
    ids.dedup();
    let nodes = ids.into_iter().map(|id| store::node(snapshot, id));
    Ok(nodes
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect())
}

/// Returns the first sentences of doc comments, without those shared by several names.
pub fn sentences(nodes: &[Node]) -> Vec<Sentence> {
    let mut written: BTreeMap<String, Vec<&Node>> = BTreeMap::new();

    for node in nodes {
        let text = plain(node.doc.as_deref().unwrap_or_default());
        if text.split(' ').count() >= MIN_WORDS {
            written.entry(text).or_default().push(node);
        }
    }

    written.retain(|_, nodes| nodes.iter().all(|node| node.name == nodes[0].name));

    let names = |nodes: &[&Node]| {
        nodes
            .iter()
            .map(|node| node.qualified_name.clone())
            .collect()
    };

    written
        .into_iter()
        .map(|(text, nodes)| Sentence {
            name: nodes[0].name.clone(),
            names: names(&nodes),
            text,
        })
        .collect()
}

/// Removes characters that have a meaning in a query.
fn plain(text: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '_' | ',' | '.' | '\'' | '-');
    let text: String = text
        .chars()
        .map(|c| if is_kept(c) { c } else { ' ' })
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Creates an index of symbols at `path`; files come from an existing index, if given.
pub fn index_of(nodes: Vec<Node>, of: Option<&Snapshot>, path: &Path) -> anyhow::Result<Reader> {
    let files = of.map_or(Ok(Vec::new()), store::files)?;
    let keys = files
        .iter()
        .map(|file| (file.path.clone(), file.id))
        .collect();

    let mut nodes: Vec<_> = nodes.into_iter().collect();
    nodes.sort_unstable_by_key(|node| node.id);

    let symbols = nodes
        .iter()
        .filter(|node| node.node_type != NodeType::File)
        .count();
    let metadata = vec![(SYMBOLS_TOTAL, symbols.to_string())];
    let signs = lexical_signs(&nodes);
    let nodes = PackedNodes::of(&nodes);
    let delta = Delta {
        write: Write::Replace(FullGraph { nodes, signs }),
        files,
        keys,
        metadata,
        ..Delta::default()
    };
    Writer::open(path)?.apply(delta)?;
    Ok(Reader::open(path, 1)?)
}

/// Computes the vectors of all symbols.
fn embed(reader: &Reader, writer: &mut Writer, model: &dyn Embedder) -> anyhow::Result<()> {
    let mut pending = store::pending_vectors(&reader.snapshot()?, None, usize::MAX >> 1)?;
    pending.sort_by_key(|pending| pending.text.len());
    for few in pending.chunks(TOGETHER) {
        writer.put_vectors(model.name(), &embedded(model, few)?)?;
    }
    Ok(())
}

/// The rank of a symbol in the results, from 0.
#[derive(Clone, Copy)]
pub struct SentenceRank {
    /// Rank of any symbol with the name.
    pub name: Option<usize>,
    /// Rank of the symbol itself; overloads count as one.
    pub symbol: Option<usize>,
}

/// The ranks of the documented symbols.
pub struct SentenceRanks {
    /// Ranks with word search only.
    pub words: Vec<SentenceRank>,
    /// Ranks with words and vectors.
    pub hybrid: Vec<SentenceRank>,
}

/// Searches for all sentences of an index, with and without the model's vectors.
pub fn measure(snapshot: &Snapshot, model: &ModelHandle) -> anyhow::Result<SentenceRanks> {
    let nodes = symbols(snapshot)?;
    let sentences = sentences(&nodes);
    let folder = tempfile::tempdir()?;

    let silent = nodes
        .into_iter()
        .map(|node| Node { doc: None, ..node })
        .collect();
    let path = folder.path().join("index.db");

    let reader = index_of(silent, Some(snapshot), &path)?;
    if let Some(model) = model.model()? {
        embed(&reader, &mut Writer::open(&path)?, &*model)?;
    }

    let asked = reader.snapshot()?;
    let vectors = &Vectors::new(model.clone());

    let place = |sentence: &Sentence, vectors: Option<&Vectors>| -> anyhow::Result<SentenceRank> {
        let hits = filter_nodes(
            &asked,
            Searched::without_source(vectors),
            &sentence.text,
            &SearchFilter::default(),
            LIMIT,
        )?
        .hits;

        let mut found: Vec<&Node> = Vec::new();
        for hit in &hits {
            if found
                .iter()
                .all(|known| known.qualified_name != hit.node.qualified_name)
            {
                found.push(&hit.node);
            }
        }

        found.truncate(DEPTH);
        let symbol = found
            .iter()
            .position(|node| sentence.names.contains(&node.qualified_name));

        Ok(SentenceRank {
            name: found.iter().position(|node| node.name == sentence.name),
            symbol,
        })
    };

    let mut places = SentenceRanks {
        words: Vec::new(),
        hybrid: Vec::new(),
    };

    for sentence in &sentences {
        places.words.push(place(sentence, None)?);
        places.hybrid.push(place(sentence, Some(vectors))?);
    }

    Ok(places)
}

impl SentenceRank {
    /// Returns the reciprocal rank of the symbol.
    pub fn worth(&self) -> f64 {
        self.symbol.map_or(0.0, |at| 1.0 / (at + 1) as f64)
    }
}

impl SentenceRanks {
    /// Returns the mean reciprocal ranks without and with vectors.
    pub fn reciprocal_ranks(&self) -> [f64; 2] {
        [&self.words, &self.hybrid].map(|places| {
            places.iter().map(SentenceRank::worth).sum::<f64>() / places.len().max(1) as f64
        })
    }
}
