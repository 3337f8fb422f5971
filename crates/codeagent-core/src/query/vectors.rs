//! Finds symbols similar to a symbol or to a question. Estimates over the signs of all of them,
//! then the vectors of the best.
//!
//! The signs are kept in memory until the index changes. A model answers once it has seen nearly
//! all symbols; until then letters and words do. The two are never mixed in one answer.
//!
//! Limitations: nearest by estimate: of the exact nearest ten, one in a hundred may be missing.
//! With a filter more are missing.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicBool, Ordering as AtomicOrdering};
use std::sync::{Arc, Mutex};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::embed::{
    Block, Embedder, HashingEmbedder, LANES, LEXHASH, MAX_DIFFERENCE, ModelHandle, QuerySignature,
    Vector, cosine, question_text,
};
use crate::model::graph::{EdgeDirection, Node, NodeId, NodeType};
use crate::query::{QueryError, unpoisoned};
use crate::store::{self, EMBEDDING_MODEL, SYMBOLS_TOTAL, Snapshot, StoreError, VectorSource};

/// Symbols whose signs are kept in memory, 56 bytes each; of more, they are read every time.
const MAX_KEPT: usize = 1 << 20;
/// Symbols whose vectors are looked at, by the estimate the nearest, for a question: few words are
/// estimated less well than a symbol.
pub(super) const LOOKED_AT: usize = 300;
/// Among more symbols than this more are as near as the nearest, so more are looked at: with the
/// square root of how many there are.
const FEW_ENOUGH: f64 = 32_768.0;
/// The same for a symbol.
const LOOKED_AT_FOR_SYMBOL: usize = 300;
/// Symbols whose vectors are in memory together where all are compared.
const COMPARED_AT_ONCE: usize = 2048;
/// One symbol in so many may lack a vector of a model that answers.
const LACKING: u64 = 20;

/// What answers questions of similarity about one index; shared by all who read it.
#[derive(Default)]
pub struct Vectors {
    kept: Mutex<[Option<Arc<Kept>>; 2]>,
    serving: Mutex<Option<(String, VectorSource, u64)>>,
    model: ModelHandle,
    /// The model was open and gave no vector the last time.
    has_failed: AtomicBool,
}

/// The signs of a source's vectors.
struct Kept {
    /// What the index was when they were read.
    mark: String,
    ids: Vec<NodeId>,
    blocks: Vec<Block>,
}

/// What makes the vectors that answers rest on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Embedding {
    /// `lexhash-384`, or the name of a model.
    pub model: String,
    /// Symbols that have a vector of it.
    pub count: u64,
}

impl Vectors {
    /// Has questions answered with a model, once the index has vectors of it. It is not opened
    /// before.
    #[must_use]
    pub fn new(model: ModelHandle) -> Self {
        Self {
            model,
            ..Self::default()
        }
    }

    /// Whether there is a model that cannot be used, as far as is known.
    #[must_use]
    pub fn is_model_broken(&self) -> bool {
        self.model.is_broken() || self.has_failed.load(AtomicOrdering::Relaxed)
    }

    /// What makes the vectors that answers rest on now.
    pub fn embedding(&self, snapshot: &Snapshot) -> Result<Embedding, QueryError> {
        let (source, count) = self.counted(snapshot)?;
        let model = match source {
            VectorSource::Lexical => LEXHASH.to_owned(),
            VectorSource::Model => store::metadata(snapshot, EMBEDDING_MODEL)?.unwrap_or_default(),
        };
        Ok(Embedding { model, count })
    }

    /// Which vectors answer.
    fn serving(&self, snapshot: &Snapshot) -> Result<VectorSource, StoreError> {
        Ok(self.counted(snapshot)?.0)
    }

    /// Which vectors answer, those of a model if nearly all symbols have one, and how many there
    /// are; counted once until they change.
    fn counted(&self, snapshot: &Snapshot) -> Result<(VectorSource, u64), StoreError> {
        let mark = store::vectors_mark(snapshot)?;
        if let Some((of, source, count)) = &*unpoisoned(&self.serving)
            && *of == mark
        {
            return Ok((*source, *count));
        }
        let symbols: u64 = store::metadata(snapshot, SYMBOLS_TOTAL)?
            .and_then(|text| text.parse().ok())
            .unwrap_or(0);
        let of_model = match store::metadata(snapshot, EMBEDDING_MODEL)? {
            Some(_) => Some(store::model_vector_count(snapshot)?),
            None => None,
        };
        let (source, count) =
            match of_model.filter(|count| symbols.saturating_sub(*count) * LACKING <= symbols) {
                Some(count) => (VectorSource::Model, count),
                None => (VectorSource::Lexical, symbols),
            };
        *unpoisoned(&self.serving) = Some((mark, source, count));
        Ok((source, count))
    }

    /// The vector of a question; a model that fails is replaced by letters and words.
    pub(super) fn of_question(
        &self,
        snapshot: &Snapshot,
        question: &str,
    ) -> Result<(VectorSource, Vector), StoreError> {
        let question = question_text(question);
        if self.serving(snapshot)? == VectorSource::Model
            && let Some(vector) =
                self.by_model(store::metadata(snapshot, EMBEDDING_MODEL)?, &question)
        {
            return Ok((VectorSource::Model, vector));
        }
        let vector = HashingEmbedder
            .embed(&[&question])
            .ok()
            .and_then(|mut vectors| vectors.pop());
        Ok((
            VectorSource::Lexical,
            vector.unwrap_or([0.0; crate::embed::DIMENSIONS]),
        ))
    }

    /// What the model says whose vectors the index has.
    fn by_model(&self, kept: Option<String>, question: &str) -> Option<Vector> {
        let model = match self.model.model() {
            Ok(model) => model.filter(|model| kept.is_some_and(|kept| kept == model.name()))?,
            Err(error) => {
                tracing::warn!(%error, "the model cannot be opened");
                return None;
            }
        };
        let embedded = model
            .embed(&[question])
            .inspect_err(|error| tracing::warn!(%error, "the model gave no vector"));
        self.has_failed
            .store(embedded.is_err(), AtomicOrdering::Relaxed);
        embedded.ok()?.pop()
    }

    /// The symbols nearest to a vector with their cosines, nearest first, of those nearest by
    /// estimate: `count`, in large indexes more.
    pub fn nearest(
        &self,
        snapshot: &Snapshot,
        source: VectorSource,
        vector: &Vector,
        count: usize,
    ) -> Result<Vec<(NodeId, f32)>, StoreError> {
        let ids = self.estimated(snapshot, source, vector, count)?;
        snapshot.check()?;
        let vectors = store::vectors_of(snapshot, source, &ids)?;
        let scored = ids
            .into_iter()
            .zip(vectors)
            .filter_map(|(id, other)| Some((id, cosine(vector, &other?))));
        let mut scored: Vec<(NodeId, f32)> = scored.collect();
        scored.sort_unstable_by(nearest_first);
        Ok(scored)
    }

    /// The symbols that are nearest by their signs.
    fn estimated(
        &self,
        snapshot: &Snapshot,
        source: VectorSource,
        vector: &Vector,
        count: usize,
    ) -> Result<Vec<NodeId>, StoreError> {
        let probe = QuerySignature::of(vector);
        let mark = store::vectors_mark(snapshot)?;
        let kept = unpoisoned(&self.kept)[source as usize].clone();
        if let Some(kept) = kept.filter(|kept| kept.mark == mark) {
            let mut differences = Vec::with_capacity(kept.blocks.len() * LANES);
            kept.blocks
                .iter()
                .for_each(|block| differences.extend_from_slice(&probe.differences(block)));
            return Ok(best(
                &kept.ids,
                &differences,
                looked_at(count, kept.ids.len()),
            ));
        }
        let (mut ids, mut differences, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
        store::each_block(snapshot, source, |some, block| {
            ids.extend_from_slice(some);
            differences.extend_from_slice(&probe.differences(block)[..some.len()]);
            if blocks.len() * LANES < MAX_KEPT {
                blocks.push(*block);
            }
        })?;
        let best = best(&ids, &differences, looked_at(count, ids.len()));
        unpoisoned(&self.kept)[source as usize] =
            (ids.len() <= MAX_KEPT).then(|| Arc::new(Kept { mark, ids, blocks }));
        Ok(best)
    }
}

/// How many symbols to look at among so many.
fn looked_at(count: usize, among: usize) -> usize {
    (count as f64 * (among as f64 / FEW_ENOUGH).sqrt().max(1.0)) as usize
}

/// The ids with the smallest differences, in no order.
fn best(ids: &[NodeId], differences: &[u16], count: usize) -> Vec<NodeId> {
    let differences = &differences[..ids.len()];
    let mut with = [0_usize; MAX_DIFFERENCE + 1];
    differences
        .iter()
        .for_each(|difference| with[usize::from(*difference)] += 1);
    let mut left = count;
    let last = with.iter().position(|with| {
        let is_last = *with > left;
        left = left.saturating_sub(*with);
        is_last
    });
    let last = last.unwrap_or(MAX_DIFFERENCE + 1);
    // Of those that differ just as much, so many as there is room for: the first by id.
    let mut room = count.saturating_sub(with[..last].iter().sum());
    let mut best = Vec::with_capacity(count.min(ids.len()));
    for (id, difference) in ids.iter().zip(differences) {
        match usize::from(*difference).cmp(&last) {
            Ordering::Less => best.push(*id),
            Ordering::Equal if room > 0 => {
                room -= 1;
                best.push(*id);
            }
            _ => (),
        }
    }
    best
}

/// Symbols like some, most similar first, each with the cosine of its vector and the most similar
/// of theirs; and what made the vectors.
pub fn find_similar(
    snapshot: &Snapshot,
    vectors: &Vectors,
    ids: &[NodeId],
    limit: usize,
) -> Result<Similar, QueryError> {
    let mut source = vectors.serving(snapshot)?;
    let mut own = store::vectors_of(snapshot, source, ids)?;
    if source == VectorSource::Model && own.iter().any(Option::is_none) {
        // Changed since the model saw it.
        source = VectorSource::Lexical;
        own = store::vectors_of(snapshot, source, ids)?;
    }
    let mut best: FxHashMap<NodeId, f32> = FxHashMap::default();
    for vector in own.into_iter().flatten() {
        for (other, score) in vectors
            .nearest(
                snapshot,
                source,
                &vector,
                LOOKED_AT_FOR_SYMBOL.max(2 * limit),
            )?
            .into_iter()
            .filter(|(other, _)| !ids.contains(other))
        {
            best.entry(other)
                .and_modify(|known| *known = known.max(score))
                .or_insert(score);
        }
    }
    let mut best: Vec<(NodeId, f32)> = best.into_iter().collect();
    best.sort_unstable_by(nearest_first);
    let kinds = kinds_of(snapshot, ids)?;
    let around = around(snapshot, ids)?;
    let mut symbols = Vec::with_capacity(limit);
    for (other, score) in best {
        if symbols.len() == limit {
            break;
        }
        let Some(node) = store::node(snapshot, other)? else {
            continue;
        };
        let is_related = || {
            Ok::<_, StoreError>(
                around.contains(&other)
                    || self::around(snapshot, &[other])?
                        .iter()
                        .any(|id| ids.contains(id)),
            )
        };
        if kinds.contains(&node.node_type) && !is_related()? {
            symbols.push((node, score));
        }
    }
    Ok(Similar { symbols, source })
}

/// The types of some symbols: only symbols of these are like them.
fn kinds_of(snapshot: &Snapshot, ids: &[NodeId]) -> Result<Vec<NodeType>, StoreError> {
    let mut kinds = Vec::new();
    for id in ids {
        kinds.extend(store::node(snapshot, *id)?.map(|node| node.node_type));
    }
    Ok(kinds)
}

/// What some symbols are inside of.
fn around(snapshot: &Snapshot, ids: &[NodeId]) -> Result<FxHashSet<NodeId>, StoreError> {
    let (mut around, mut open) = (FxHashSet::default(), ids.to_vec());
    while let Some(id) = open.pop() {
        for container in store::contained(snapshot, id, EdgeDirection::Incoming)? {
            if around.insert(container.id) {
                open.push(container.id);
            }
        }
    }
    Ok(around)
}

/// Symbols like some.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Similar {
    /// Each with the cosine of the vectors, most similar first.
    pub symbols: Vec<(Node, f32)>,
    /// What made the vectors.
    pub source: VectorSource,
}

fn nearest_first((a, near): &(NodeId, f32), (b, far): &(NodeId, f32)) -> Ordering {
    far.total_cmp(near).then(a.cmp(b))
}

/// The exact nearest symbols of each vector, by the vectors of all symbols: what estimates are
/// measured with.
pub fn exactly_nearest(
    snapshot: &Snapshot,
    source: VectorSource,
    vectors: &[Vector],
    limit: usize,
) -> Result<Vec<Vec<(NodeId, f32)>>, QueryError> {
    let mut ids = Vec::new();
    store::each_block(snapshot, source, |some, _| ids.extend_from_slice(some))?;
    let mut nearest = vec![Vec::new(); vectors.len()];
    for some in ids.chunks(COMPARED_AT_ONCE) {
        let others = store::vectors_of(snapshot, source, some)?;
        for (vector, nearest) in vectors.iter().zip(&mut nearest) {
            nearest.extend(
                some.iter()
                    .zip(&others)
                    .filter_map(|(id, other)| Some((*id, cosine(vector, other.as_ref()?)))),
            );
            nearest.sort_unstable_by(nearest_first);
            nearest.truncate(limit);
        }
    }
    Ok(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_are_looked_at_among_many() {
        assert_eq!(
            [1, 20_000, 131_072, 524_288].map(|among| looked_at(100, among)),
            [100, 100, 200, 400]
        );
    }

    #[test]
    fn the_best_are_those_with_the_smallest_differences() {
        let known: Vec<NodeId> = (0..6).map(NodeId).collect();
        let found = |count: usize| {
            let mut ids: Vec<u64> = best(&known, &[3, 1, 2, 1152, 2, 0, 0, 0], count)
                .iter()
                .map(|id| id.0)
                .collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(found(1), [5]);
        assert_eq!(found(3), [1, 2, 5]);
        assert_eq!(found(4), [1, 2, 4, 5]);
        assert_eq!(found(10), [0, 1, 2, 3, 4, 5]);
        assert_eq!(found(0), Vec::<u64>::new());
    }
}
