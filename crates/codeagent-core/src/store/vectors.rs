//! Where do vectors lie? `vec_nodes` holds the signs of each symbol's vectors, `vec_texts` the vectors that a model made.
//!
//! What letters and words give is written with the node and made again from it when it is asked for: keeping it would make an index larger by
//! a third and spare a few milliseconds. A model's vectors are written when they are there, under the hash of their text: a symbol that is
//! named, moved or indexed anew and has a known text gets its vector back.
//!
//! **Limits.** A vector of a model is dropped from `vec_nodes` with the text it was made of, so no answer rests on an old name.

use rusqlite::{Connection, OptionalExtension, Row, params};
use rustc_hash::FxHashMap;

use crate::embed::{Block, Hasher, LANES, Quantised, Signs, Vector, symbol_text, text_hash};
use crate::model::graph::{Node, NodeId, NodeType};
use crate::store::batch::HashedNode;
use crate::store::codec::stored_id;
use crate::store::nodes::{select_nodes, stored_node};
use crate::store::{EMBEDDING_MODEL, Snapshot, StoreError, VECTORS_GENERATION, bad_value, bulk};

/// Ids have 60 bits.
const SOURCE_SHIFT: u32 = 60;

/// What made a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VectorSource {
    /// `lexhash-384`.
    Lexical,
    /// The model that [`EMBEDDING_MODEL`] names.
    Model,
}

impl VectorSource {
    fn row(self, id: NodeId) -> i64 {
        (i64::from(self as u8) << SOURCE_SHIFT) | stored_id(id)
    }

    /// The first row and the first after them.
    fn rows(self) -> (i64, i64) {
        let first = i64::from(self as u8) << SOURCE_SHIFT;
        (first, first + (1 << SOURCE_SHIFT))
    }
}

/// Whether a node has vectors: files are found by their paths.
fn is_embedded(node: &Node) -> bool {
    node.node_type != NodeType::File
}

const TABLE: (&str, usize) = ("vec_nodes", 3);

/// Adds what letters and words give to nodes that have no such row.
pub(super) fn insert_lexical<'n>(connection: &Connection, nodes: impl Iterator<Item = &'n Node>) -> Result<(), StoreError> {
    let hasher = std::cell::RefCell::new(Hasher::default());
    bulk::insert(connection, TABLE, nodes.filter(|node| is_embedded(node)), |node, row| {
        let signs = Signs::of(&hasher.borrow_mut().vector(&symbol_text(node)));
        row.push(VectorSource::Lexical.row(node.id))?;
        row.push(rusqlite::types::Null)?;
        row.push(signs.to_bytes())
    })
}

const DELETE: &str = "DELETE FROM vec_nodes WHERE row = ?1";
const TEXT_OF: &str = "SELECT text_hash FROM vec_nodes WHERE row = ?1";

/// Takes a changed or new node in: a model's vector stays if it is of the text that the node has now.
pub(super) fn renew(connection: &Connection, node: &Node) -> Result<(), StoreError> {
    connection.prepare_cached(DELETE)?.execute([VectorSource::Lexical.row(node.id)])?;
    insert_lexical(connection, std::iter::once(node))?;
    let row = VectorSource::Model.row(node.id);
    let known: Option<i64> = connection.prepare_cached(TEXT_OF)?.query_row([row], |row| row.get(0)).optional()?.flatten();
    if known.is_some_and(|known| known != text_hash(&symbol_text(node))) {
        connection.prepare_cached(DELETE)?.execute([row])?;
    }
    Ok(())
}

/// Removes the rows of a node.
pub(super) fn delete(connection: &Connection, id: NodeId) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(DELETE)?;
    for source in [VectorSource::Lexical, VectorSource::Model] {
        statement.execute([source.row(id)])?;
    }
    Ok(())
}

const DELETE_ROWS: &str = "DELETE FROM vec_nodes WHERE row >= ?1 AND row < ?2";
const MODEL_TEXTS: &str = "SELECT row, text_hash FROM vec_nodes WHERE row >= ?1 AND row < ?2";

/// Puts the rows of all nodes in place of those that were there, but for what a model made of texts that nodes still have.
pub(super) fn replace(connection: &Connection, nodes: &[HashedNode]) -> Result<(), StoreError> {
    let (first, end) = VectorSource::Lexical.rows();
    connection.execute(DELETE_ROWS, [first, end])?;
    insert_lexical(connection, nodes.iter().map(|(_, node)| node))?;
    let mut statement = connection.prepare(MODEL_TEXTS)?;
    let (first, end) = VectorSource::Model.rows();
    let rows = statement.query_map([first, end], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?)))?;
    let mut stale = rows.collect::<Result<FxHashMap<i64, Option<i64>>, _>>()?;
    if stale.is_empty() {
        return Ok(());
    }
    for (_, node) in nodes {
        let row = VectorSource::Model.row(node.id);
        if stale.get(&row).is_some_and(|known| *known == Some(text_hash(&symbol_text(node)))) {
            stale.remove(&row);
        }
    }
    let mut delete = connection.prepare_cached(DELETE)?;
    stale.keys().try_for_each(|row| delete.execute([row]).map(drop))?;
    Ok(())
}

/// A vector that a model made of the text of a node.
#[derive(Clone, Debug)]
pub struct NodeVector {
    /// Whose.
    pub node: NodeId,
    /// Hash of the text.
    pub text_hash: i64,
    /// The vector; `None` if one of this text is known.
    pub vector: Option<Box<Vector>>,
}

const INSERT_TEXT: &str = "INSERT OR REPLACE INTO vec_texts VALUES (?1, ?2, ?3)";
const KNOWN_TEXT: &str = "SELECT scale, vector FROM vec_texts WHERE text_hash = ?1";
const INSERT_NODE: &str = "INSERT OR REPLACE INTO vec_nodes VALUES (?1, ?2, ?3)";

/// Writes vectors of a model, of those nodes whose text is still the one they were made of.
pub(super) fn put(connection: &Connection, vectors: &[NodeVector]) -> Result<(), StoreError> {
    for NodeVector { node, text_hash: hash, vector } in vectors {
        let kept = match vector {
            Some(vector) => {
                let kept = Quantised::of(vector);
                connection.prepare_cached(INSERT_TEXT)?.execute(params![hash, f64::from(kept.scale), kept.to_bytes()])?;
                Some(kept)
            }
            None => known_text(connection, *hash)?,
        };
        let is_present = stored_node(connection, *node)?.is_some_and(|node| text_hash(&symbol_text(&node)) == *hash);
        if let Some(kept) = kept.filter(|_| is_present) {
            let signs = Signs::of(&kept.vector());
            connection.prepare_cached(INSERT_NODE)?.execute(params![VectorSource::Model.row(*node), hash, signs.to_bytes()])?;
        }
    }
    Ok(())
}

fn known_text(connection: &Connection, hash: i64) -> Result<Option<Quantised>, StoreError> {
    let mut statement = connection.prepare_cached(KNOWN_TEXT)?;
    let mut rows = statement.query([hash])?;
    rows.next()?.map(kept_vector).transpose()
}

/// The vector in a row of scale and bytes.
fn kept_vector(row: &Row<'_>) -> Result<Quantised, StoreError> {
    let bytes = row.get_ref(1)?.as_blob().map_err(|_| bad_value("vector"))?;
    Quantised::from_bytes(row.get::<_, f64>(0)? as f32, bytes).ok_or_else(|| bad_value("vector"))
}

const COLLECT: &str =
    "DELETE FROM vec_texts WHERE text_hash NOT IN (SELECT text_hash FROM vec_nodes WHERE row >= ?1 AND row < ?2 AND text_hash NOT NULL)";
const DELETE_TEXTS: &str = "DELETE FROM vec_texts";

/// Removes the vectors of texts that no node has.
pub(super) fn collect_garbage(connection: &Connection) -> Result<(), StoreError> {
    let (first, end) = VectorSource::Model.rows();
    connection.execute(COLLECT, [first, end])?;
    Ok(())
}

/// Removes all that a model made.
pub(super) fn delete_model(connection: &Connection) -> Result<(), StoreError> {
    let (first, end) = VectorSource::Model.rows();
    connection.execute(DELETE_ROWS, [first, end])?;
    connection.execute(DELETE_TEXTS, [])?;
    Ok(())
}

/// Changes with every change of a source's rows.
pub fn vectors_mark(snapshot: &Snapshot) -> Result<String, StoreError> {
    let part = |key| super::metadata(snapshot, key).map(Option::unwrap_or_default);
    Ok(format!("{} {} {}", part(super::GENERATION)?, part(VECTORS_GENERATION)?, part(EMBEDDING_MODEL)?))
}

const COUNT: &str = "SELECT count(*) FROM vec_nodes WHERE row >= ?1 AND row < ?2";

/// How many symbols have a vector of a source.
pub fn vector_count(snapshot: &Snapshot, source: VectorSource) -> Result<u64, StoreError> {
    let (first, end) = source.rows();
    Ok(snapshot.connection().prepare_cached(COUNT)?.query_row([first, end], |row| row.get::<_, i64>(0))? as u64)
}

const SIGNS: &str = "SELECT row, signs FROM vec_nodes WHERE row >= ?1 AND row < ?2";

/// Hands the signs of all symbols over, some at a time, in the order of their ids. Lanes beyond the ids of a block mean nothing.
pub fn each_block(snapshot: &Snapshot, source: VectorSource, mut take: impl FnMut(&[NodeId], &Block)) -> Result<(), StoreError> {
    let (first, end) = source.rows();
    let mut statement = snapshot.connection().prepare_cached(SIGNS)?;
    let mut rows = statement.query([first, end])?;
    let (mut ids, mut block) = (Vec::with_capacity(LANES), Block::default());
    while let Some(row) = rows.next()? {
        let signs = row.get_ref(1)?.as_blob().ok().and_then(Signs::from_bytes).ok_or_else(|| bad_value("signs"))?;
        block.set(ids.len(), signs);
        ids.push(NodeId((row.get::<_, i64>(0)? - first) as u64));
        if ids.len() == LANES {
            take(&ids, &block);
            ids.clear();
        }
    }
    if !ids.is_empty() {
        take(&ids, &block);
    }
    Ok(())
}

const VECTOR: &str = "SELECT t.scale, t.vector FROM vec_nodes n JOIN vec_texts t ON t.text_hash = n.text_hash WHERE n.row = ?1";

/// Vectors of symbols, `None` for those that have none; of a model as exact as they are kept.
pub fn vectors_of(snapshot: &Snapshot, source: VectorSource, ids: &[NodeId]) -> Result<Vec<Option<Vector>>, StoreError> {
    let connection = snapshot.connection();
    let mut hasher = Hasher::default();
    let mut of_model = connection.prepare_cached(VECTOR)?;
    let mut vector = |id: &NodeId| {
        if source == VectorSource::Lexical {
            let node = select_nodes(connection, "WHERE n.id = ?1", &[&stored_id(*id)])?.pop();
            return Ok(node.filter(is_embedded).map(|node| hasher.vector(&symbol_text(&node))));
        }
        let mut rows = of_model.query([source.row(*id)])?;
        Ok(rows.next()?.map(kept_vector).transpose()?.map(|kept| kept.vector()))
    };
    ids.iter().map(&mut vector).collect()
}

const PENDING: &str = "SELECT n.id FROM nodes n LEFT JOIN vec_nodes v ON v.row = n.id + ?1 \
    WHERE n.id > ?2 AND n.node_type <> ?3 AND v.row IS NULL ORDER BY n.id LIMIT ?4";
const IS_KNOWN: &str = "SELECT 1 FROM vec_texts WHERE text_hash = ?1";

/// A symbol that has no vector of the model yet.
#[derive(Clone, Debug)]
pub struct Pending {
    /// Which.
    pub node: NodeId,
    /// Its text.
    pub text: String,
    /// The hash of the text.
    pub text_hash: i64,
    /// A vector of this text is there already.
    pub is_known: bool,
}

/// At most `limit` symbols without a vector of the model, those after a node, in the order of their ids.
pub fn pending_vectors(snapshot: &Snapshot, after: Option<NodeId>, limit: usize) -> Result<Vec<Pending>, StoreError> {
    let connection = snapshot.connection();
    let (first, _) = VectorSource::Model.rows();
    let after = after.map_or(-1, stored_id);
    let mut statement = connection.prepare_cached(PENDING)?;
    let rows = statement.query_map(params![first, after, NodeType::File as u8, limit as i64], |row| row.get::<_, i64>(0))?;
    let mut is_known = connection.prepare_cached(IS_KNOWN)?;
    let mut pending = Vec::new();
    for id in rows {
        let Some(node) = select_nodes(connection, "WHERE n.id = ?1", &[&id?])?.pop() else { continue };
        let text = symbol_text(&node);
        let hash = text_hash(&text);
        pending.push(Pending { node: node.id, text, text_hash: hash, is_known: is_known.exists([hash])? });
    }
    Ok(pending)
}
