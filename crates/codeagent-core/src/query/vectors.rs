//! Finds symbols similar to a symbol or to a query in natural language. Sign bits of all symbols
//! give an estimate; then the vectors of the best are compared.
//!
//! Sign bits are cached until the index changes. Vectors of a model are used once nearly all
//! symbols have one; until then, lexical vectors are used. The two are never mixed in one answer.
//!
//! Limitations: the estimate may miss one in a hundred of the exact nearest ten; with a filter it
//! misses more.

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

/// Maximum number of symbols whose sign bits are cached, at 56 bytes each. For more symbols, they
/// are read each time.
const MAX_KEPT: usize = 1 << 20;
/// Number of symbols whose vectors are compared with a natural-language query. The estimate is less
/// accurate for the few words of a query than for a symbol.
pub(super) const LOOKED_AT: usize = 300;
/// Number of symbols from which more of them are compared, because more are about as near as the
/// nearest; grows with the square root of the number of symbols.
const FEW_ENOUGH: f64 = 32_768.0;
/// Number of symbols whose vectors are compared with a symbol.
const LOOKED_AT_FOR_SYMBOL: usize = 300;
/// Number of vectors in memory at a time when all symbols are compared.
const COMPARED_AT_ONCE: usize = 2048;
/// One in this many symbols may lack a model vector while the model is in use.
const LACKING: u64 = 20;

/// Similarity search over one index; shared by all readers.
#[derive(Default)]
pub struct Vectors {
    kept: Mutex<[Option<Arc<CachedVectors>>; 2]>,
    serving: Mutex<Option<(String, VectorSource, u64)>>,
    model: ModelHandle,
    /// Whether the last call of the open model failed.
    has_failed: AtomicBool,
}

/// The cached sign bits of a vector source.
struct CachedVectors {
    /// `vectors_mark` of the index when they were read.
    mark: String,
    ids: Vec<NodeId>,
    blocks: Vec<Block>,
}

/// The model whose vectors are used for similarity, and their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Embedding {
    /// `lexhash-384`, or the name of a model.
    pub model: String,
    /// Number of symbols with such a vector.
    pub count: u64,
}

impl Vectors {
    /// Creates a search that uses a model as soon as the index has vectors of it. The model is not
    /// opened before.
    #[must_use]
    pub fn new(model: ModelHandle) -> Self {
        Self {
            model,
            ..Self::default()
        }
    }

    /// Reports whether the model is known to be unusable.
    #[must_use]
    pub fn is_model_broken(&self) -> bool {
        self.model.is_broken() || self.has_failed.load(AtomicOrdering::Relaxed)
    }

    /// Returns the model whose vectors are in use, and their number.
    pub fn embedding(&self, snapshot: &Snapshot) -> Result<Embedding, QueryError> {
        let (source, count) = self.counted(snapshot)?;
        let model = match source {
            VectorSource::Lexical => LEXHASH.to_owned(),
            VectorSource::Model => store::metadata(snapshot, EMBEDDING_MODEL)?.unwrap_or_default(),
        };
        Ok(Embedding { model, count })
    }

    /// Returns the source of the vectors in use.
    fn serving(&self, snapshot: &Snapshot) -> Result<VectorSource, StoreError> {
        Ok(self.counted(snapshot)?.0)
    }

    /// Returns the source of the vectors in use, and their number. A model is used if nearly all
    /// symbols have a vector of it. The result is cached until the vectors change.
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

    /// Returns the vector of a natural-language query. If the model fails, the lexical embedder is
    /// used.
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

    /// Returns the vector of a query, if the model is the one whose vectors the index has.
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

    /// Returns the symbols nearest to a vector with their cosines, nearest first. Compares the
    /// `count` symbols with the best estimates, in large indexes more.
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

    /// Returns the symbols with the nearest sign bits.
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
            (ids.len() <= MAX_KEPT).then(|| Arc::new(CachedVectors { mark, ids, blocks }));
        Ok(best)
    }
}

/// Returns the number of symbols to compare in an index of this size.
fn looked_at(count: usize, among: usize) -> usize {
    (count as f64 * (among as f64 / FEW_ENOUGH).sqrt().max(1.0)) as usize
}

/// Returns the ids with the smallest differences, in no particular order.
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
    // Fills up with symbols of the next difference, the first by id.
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

/// Returns the symbols most similar to any of these symbols, with their cosines, most similar
/// first.
pub fn find_similar(
    snapshot: &Snapshot,
    vectors: &Vectors,
    ids: &[NodeId],
    limit: usize,
) -> Result<Similar, QueryError> {
    let mut source = vectors.serving(snapshot)?;
    let mut own = store::vectors_of(snapshot, source, ids)?;
    if source == VectorSource::Model && own.iter().any(Option::is_none) {
        // A symbol has changed since the model embedded it.
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

/// Returns the node types of these symbols. Only symbols of these types count as similar.
fn kinds_of(snapshot: &Snapshot, ids: &[NodeId]) -> Result<Vec<NodeType>, StoreError> {
    let mut kinds = Vec::new();
    for id in ids {
        kinds.extend(store::node(snapshot, *id)?.map(|node| node.node_type));
    }
    Ok(kinds)
}

/// Returns all containers of these symbols.
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

/// Similar symbols.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Similar {
    /// Symbols with the cosine of their vectors, most similar first.
    pub symbols: Vec<(Node, f32)>,
    /// Source of the vectors.
    pub source: VectorSource,
}

fn nearest_first((a, near): &(NodeId, f32), (b, far): &(NodeId, f32)) -> Ordering {
    far.total_cmp(near).then(a.cmp(b))
}

/// Returns the exact nearest symbols of each vector, by comparing all vectors; used to measure the
/// estimates.
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
    fn larger_indexes_examine_more_candidates() {
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
