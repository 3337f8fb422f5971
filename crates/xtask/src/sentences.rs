//! Does search find what a sentence describes? Doc comments as questions, of an index that does not
//! hold them.
//!
//! Each first sentence of a doc comment asks for the symbol it was written for, once with vectors
//! and once without. The index that is asked is made of the same symbols with all documentation
//! left out.
//!
//! **Limits.** A sentence that several names have is not asked. Doc comments say more than most
//! questions do, and name what they describe.

use std::collections::BTreeMap;
use std::path::Path;

use codeagent_core::embed::{Embedder, Source};
use codeagent_core::model::graph::{Node, NodeType};
use codeagent_core::query::{SearchFilter, Snapshot, Vectors, filter_nodes};
use codeagent_core::service::embedded;
use codeagent_core::store::{
    self, Delta, DependencyRow, FullGraph, Reader, SYMBOLS_TOTAL, Write, Writer, lexical_signs,
    node_hash,
};

/// Fewer words are a name.
const MIN_WORDS: usize = 4;
/// Of fewer sentences the figures would be chance: one of them more or less is a hundredth.
pub const MIN_SENTENCES: usize = 100;
/// So many different symbols are looked at, as many results as that takes.
const DEPTH: usize = 10;
const LIMIT: usize = 50;
/// So many texts are embedded together.
const TOGETHER: usize = 16;

/// A sentence, and name and qualified names of the symbols it was written for.
pub struct Sentence {
    /// Its words.
    pub text: String,
    name: String,
    names: Vec<String>,
}

/// All symbols of an index, each once.
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

/// The first sentences of doc comments that are of one name.
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

/// A sentence without signs that mean something in a query.
fn plain(text: &str) -> String {
    let is_kept = |c: char| c.is_alphanumeric() || matches!(c, '_' | ',' | '.' | '\'' | '-');
    let text: String = text
        .chars()
        .map(|c| if is_kept(c) { c } else { ' ' })
        .collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An index of symbols at `path`, which is not there yet; their places are in the files of an
/// index, or nowhere.
pub fn index_of(nodes: Vec<Node>, of: Option<&Snapshot>, path: &Path) -> anyhow::Result<Reader> {
    let files = of
        .map_or(Ok(Vec::new()), store::files)?
        .into_iter()
        .map(|file| (file, DependencyRow::default()))
        .collect::<Vec<_>>();
    let keys = files
        .iter()
        .map(|(file, _)| (file.path.clone(), file.id))
        .collect();
    let mut buffer = Vec::new();
    let mut nodes: Vec<_> = nodes
        .into_iter()
        .map(|node| (node_hash(&node, &mut buffer), node))
        .collect();
    nodes.sort_unstable_by_key(|(_, node)| node.id);
    let symbols = nodes
        .iter()
        .filter(|(_, node)| node.node_type != NodeType::File)
        .count();
    let metadata = vec![(SYMBOLS_TOTAL, symbols.to_string())];
    let signs = lexical_signs(&nodes);
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

/// Makes the vectors of all symbols.
fn embed(reader: &Reader, writer: &mut Writer, model: &dyn Embedder) -> anyhow::Result<()> {
    let mut pending = store::pending_vectors(&reader.snapshot()?, None, usize::MAX >> 1)?;
    pending.sort_by_key(|pending| pending.text.len());
    for few in pending.chunks(TOGETHER) {
        writer.put_vectors(model.name(), &embedded(model, few)?)?;
    }
    Ok(())
}

/// At which place an answer has a symbol, first place 0.
#[derive(Clone, Copy)]
pub struct Place {
    /// One of the name.
    pub name: Option<usize>,
    /// The symbol itself; overloads are one.
    pub symbol: Option<usize>,
}

/// Where the symbols of sentences were found.
pub struct Places {
    /// By words alone.
    pub words: Vec<Place>,
    /// By words and vectors.
    pub hybrid: Vec<Place>,
}

/// Asks for all sentences of an index, with the vectors of a model if there is one.
pub fn measure(snapshot: &Snapshot, model: &Source) -> anyhow::Result<Places> {
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
    let place = |sentence: &Sentence, vectors: Option<&Vectors>| -> anyhow::Result<Place> {
        let hits = filter_nodes(
            &asked,
            vectors,
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
        Ok(Place {
            name: found.iter().position(|node| node.name == sentence.name),
            symbol,
        })
    };
    let mut places = Places {
        words: Vec::new(),
        hybrid: Vec::new(),
    };
    for sentence in &sentences {
        places.words.push(place(sentence, None)?);
        places.hybrid.push(place(sentence, Some(vectors))?);
    }
    Ok(places)
}

impl Place {
    /// The reciprocal rank of the symbol.
    pub fn worth(&self) -> f64 {
        self.symbol.map_or(0.0, |at| 1.0 / (at + 1) as f64)
    }
}

impl Places {
    /// Mean reciprocal ranks: without vectors and with them.
    pub fn reciprocal_ranks(&self) -> [f64; 2] {
        [&self.words, &self.hybrid]
            .map(|places| places.iter().map(Place::worth).sum::<f64>() / places.len().max(1) as f64)
    }
}
