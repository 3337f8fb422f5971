//! Embedding vectors: sign bits of all vectors in `vec_signs`, a model's vectors in `vec_texts`,
//! and the text hash of each node in `vec_nodes`.
//!
//! Lexical vectors are recomputed from the node on demand: storing them would enlarge an index by a
//! third and save a few milliseconds. A model's vectors are stored under the hash of their text. A
//! symbol that is renamed, moved or indexed again gets its vector back if its text is known.
//!
//! Limitations: a node loses its model vector as soon as its text changes, so no result is based on
//! an outdated name.

use rusqlite::{Connection, OptionalExtension, Row, params};
use rustc_hash::FxHashMap;

use crate::embed::{
    Hasher, Int8Vector, SignBits, Vector, model_text, symbol_text, text_hash, text_of_parts,
};
use crate::model::graph::{Node, NodeId, NodeType};
use crate::store::codec::{stored_id, word_column};
use crate::store::nodes::{select_nodes, stored_node};
use crate::store::{
    EMBEDDING_MODEL, Snapshot, StoreError, VECTORS_GENERATION, bad_value, sign_bits,
};

/// Origin of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VectorSource {
    /// The built-in model `lexhash-384`.
    Lexical,
    /// The model named by [`EMBEDDING_MODEL`].
    Model,
}

/// Reports whether a node has vectors. Files do not, because they are found by path.
fn is_embedded(node_type: NodeType) -> bool {
    node_type != NodeType::File
}

const DELETE: &str = "DELETE FROM vec_nodes WHERE node_id = ?1";
const TEXT_OF: &str = "SELECT text_hash FROM vec_nodes WHERE node_id = ?1";

/// Vector changes of one transaction.
#[derive(Default)]
pub(super) struct VectorUpdates {
    hasher: Hasher,
    lexical: Vec<(NodeId, Option<SignBits>)>,
    /// Symbols that lose their model vector.
    lost: Vec<NodeId>,
}

impl VectorUpdates {
    /// Adds a new or changed node. Its model vector stays if the text is unchanged.
    pub(super) fn update_node(
        &mut self,
        connection: &Connection,
        node: &Node,
    ) -> Result<(), StoreError> {
        let signs = is_embedded(node.node_type)
            .then(|| SignBits::of(&self.hasher.vector(&symbol_text(node))));
        self.lexical.push((node.id, signs));

        let known: Option<i64> = connection
            .prepare_cached(TEXT_OF)?
            .query_row([stored_id(node.id)], |row| row.get(0))
            .optional()?;

        if known.is_some_and(|known| known != text_hash(&model_text(node))) {
            self.drop_model_vector(connection, node.id)?;
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, connection: &Connection, id: NodeId) -> Result<(), StoreError> {
        self.lexical.push((id, None));
        self.drop_model_vector(connection, id)
    }

    fn drop_model_vector(&mut self, connection: &Connection, id: NodeId) -> Result<(), StoreError> {
        if connection
            .prepare_cached(DELETE)?
            .execute([stored_id(id)])?
            > 0
        {
            self.lost.push(id);
        }
        Ok(())
    }

    /// Writes the changes; the last change of each node wins.
    pub(super) fn write(mut self, connection: &Connection) -> Result<(), StoreError> {
        self.lexical.reverse();
        self.lexical.sort_by_key(|(id, _)| *id);
        self.lexical.dedup_by_key(|(id, _)| *id);
        sign_bits::change(connection, VectorSource::Lexical, self.lexical.into_iter())?;

        self.lost.sort_unstable();
        sign_bits::change(
            connection,
            VectorSource::Model,
            self.lost.into_iter().map(|id| (id, None)),
        )
    }
}

const MODEL_TEXTS: &str = "SELECT node_id, text_hash FROM vec_nodes";

/// Computes the sign bits of the lexical vectors of all embedded nodes, in the order of the nodes.
#[must_use]
pub fn lexical_signs(nodes: &[Node]) -> Vec<(NodeId, SignBits)> {
    let mut hasher = Hasher::default();
    let embedded = nodes.iter().filter(|node| is_embedded(node.node_type));
    embedded
        .map(|node| (node.id, SignBits::of(&hasher.vector(&symbol_text(node)))))
        .collect()
}

/// Replaces the sign bits of all nodes by [`lexical_signs`], which must be sorted by id. A model's
/// vector stays if the node's text is unchanged.
pub(super) fn replace(
    connection: &Connection,
    nodes: impl Iterator<Item = Node>,
    lexical: &[(NodeId, SignBits)],
) -> Result<(), StoreError> {
    sign_bits::replace(connection, VectorSource::Lexical, lexical)?;

    let mut statement = connection.prepare(MODEL_TEXTS)?;
    let rows = statement.query_map([], |row| {
        Ok((NodeId(row.get::<_, i64>(0)? as u64), row.get::<_, i64>(1)?))
    })?;
    let mut stale = rows.collect::<Result<FxHashMap<NodeId, i64>, _>>()?;

    if stale.is_empty() {
        return Ok(());
    }

    for node in nodes {
        if stale
            .get(&node.id)
            .is_some_and(|known| *known == text_hash(&model_text(&node)))
        {
            stale.remove(&node.id);
        }
    }

    let mut stale: Vec<NodeId> = stale.into_keys().collect();
    stale.sort_unstable();
    let mut delete = connection.prepare_cached(DELETE)?;
    stale
        .iter()
        .try_for_each(|id| delete.execute([stored_id(*id)]).map(drop))?;

    sign_bits::change(
        connection,
        VectorSource::Model,
        stale.into_iter().map(|id| (id, None)),
    )
}

/// A model's vector for a node's text.
#[derive(Clone, Debug)]
pub struct NodeVector {
    pub node: NodeId,
    /// Hash of the text.
    pub text_hash: i64,
    /// The vector, or `None` if the store already has one for this text.
    pub vector: Option<Box<Vector>>,
}

const INSERT_TEXT: &str = "INSERT OR REPLACE INTO vec_texts VALUES (?1, ?2, ?3)";
const KNOWN_TEXT: &str = "SELECT scale, vector FROM vec_texts WHERE text_hash = ?1";
const INSERT_NODE: &str = "INSERT OR REPLACE INTO vec_nodes VALUES (?1, ?2)";

/// Writes a model's vectors for the nodes whose text has not changed since.
pub(super) fn put(connection: &Connection, vectors: &[NodeVector]) -> Result<(), StoreError> {
    let mut changes = Vec::with_capacity(vectors.len());
    for NodeVector {
        node,
        text_hash: hash,
        vector,
    } in vectors
    {
        let kept = match vector {
            Some(vector) => {
                let kept = Int8Vector::of(vector);
                connection.prepare_cached(INSERT_TEXT)?.execute(params![
                    hash,
                    f64::from(kept.scale),
                    kept.to_bytes()
                ])?;
                Some(kept)
            }
            None => known_text(connection, *hash)?,
        };

        let is_present = stored_node(connection, *node)?
            .is_some_and(|node| text_hash(&model_text(&node)) == *hash);

        if let Some(kept) = kept.filter(|_| is_present) {
            connection
                .prepare_cached(INSERT_NODE)?
                .execute(params![stored_id(*node), hash])?;
            changes.push((*node, Some(SignBits::of(&kept.vector()))));
        }
    }

    changes.sort_unstable_by_key(|(id, _)| *id);
    changes.dedup_by_key(|(id, _)| *id);
    sign_bits::change(connection, VectorSource::Model, changes.into_iter())
}

fn known_text(connection: &Connection, hash: i64) -> Result<Option<Int8Vector>, StoreError> {
    let mut statement = connection.prepare_cached(KNOWN_TEXT)?;
    let mut rows = statement.query([hash])?;
    rows.next()?.map(kept_vector).transpose()
}

/// Reads a vector from the columns scale and bytes.
fn kept_vector(row: &Row<'_>) -> Result<Int8Vector, StoreError> {
    let bytes = row.get_ref(1)?.as_blob().map_err(|_| bad_value("vector"))?;
    Int8Vector::from_bytes(row.get::<_, f64>(0)? as f32, bytes).ok_or_else(|| bad_value("vector"))
}

const COLLECT: &str =
    "DELETE FROM vec_texts WHERE text_hash NOT IN (SELECT text_hash FROM vec_nodes)";
const DELETE_NODES: &str = "DELETE FROM vec_nodes";
const DELETE_TEXTS: &str = "DELETE FROM vec_texts";

/// Removes the vectors of texts that no node has.
pub(super) fn collect_garbage(connection: &Connection) -> Result<(), StoreError> {
    connection.execute(COLLECT, [])?;
    Ok(())
}

/// Removes everything that a model computed.
pub(super) fn delete_model(connection: &Connection) -> Result<(), StoreError> {
    sign_bits::delete_all(connection, VectorSource::Model)?;
    connection.execute(DELETE_NODES, [])?;
    connection.execute(DELETE_TEXTS, [])?;
    Ok(())
}

/// Returns a string that changes whenever stored vectors change.
pub fn vectors_mark(snapshot: &Snapshot) -> Result<String, StoreError> {
    let part = |key| super::metadata(snapshot, key).map(Option::unwrap_or_default);
    Ok(format!(
        "{} {} {}",
        part(super::GENERATION)?,
        part(VECTORS_GENERATION)?,
        part(EMBEDDING_MODEL)?
    ))
}

const VECTOR: &str = "SELECT t.scale, t.vector FROM vec_nodes n JOIN vec_texts t ON t.text_hash = n.text_hash WHERE n.node_id = ?1";
const PARTS: &str = "SELECT n.node_type, n.name, n.qualified_name, f.path, n.parameter_signature, n.return_type FROM nodes n \
    LEFT JOIN spans s ON s.node_id = n.id AND s.position = 0 LEFT JOIN files f ON f.id = s.file_id WHERE n.id = ?1";

/// Returns the vectors of symbols; `None` for symbols without one. Model vectors have the stored
/// precision.
pub fn vectors_of(
    snapshot: &Snapshot,
    source: VectorSource,
    ids: &[NodeId],
) -> Result<Vec<Option<Vector>>, StoreError> {
    let connection = snapshot.connection();

    if source == VectorSource::Lexical {
        let (mut hasher, mut parts) = (Hasher::default(), connection.prepare_cached(PARTS)?);
        let mut vector = |id: &NodeId| {
            let mut rows = parts.query([stored_id(*id)])?;
            let text = rows.next()?.map(text_in_row).transpose()?.flatten();
            Ok(text.map(|text| hasher.vector(&text)))
        };
        return ids.iter().map(&mut vector).collect();
    }

    let mut of_model = connection.prepare_cached(VECTOR)?;

    let mut vector = |id: &NodeId| {
        let mut rows = of_model.query([stored_id(*id)])?;
        Ok(rows
            .next()?
            .map(kept_vector)
            .transpose()?
            .map(|kept| kept.vector()))
    };
    ids.iter().map(&mut vector).collect()
}

/// Returns the text of the symbol in a row of [`PARTS`]; `None` for a file.
fn text_in_row(row: &Row<'_>) -> Result<Option<String>, StoreError> {
    if !is_embedded(word_column(row, 0, NodeType::from_code)?) {
        return Ok(None);
    }
    let text = |column| {
        row.get_ref(column)?
            .as_str_or_null()
            .map(Option::unwrap_or_default)
            .map_err(|_| bad_value("text"))
    };
    Ok(Some(text_of_parts(
        text(1)?,
        text(2)?,
        text(3)?,
        [text(4)?, text(5)?],
    )))
}

const COUNT: &str = "SELECT count(*) FROM vec_nodes";

/// Counts the symbols with a model vector. All symbols have a lexical one.
pub fn model_vector_count(snapshot: &Snapshot) -> Result<u64, StoreError> {
    Ok(snapshot
        .connection()
        .prepare_cached(COUNT)?
        .query_row([], |row| row.get::<_, i64>(0))? as u64)
}

const PENDING: &str = "SELECT n.id FROM nodes n LEFT JOIN vec_nodes v ON v.node_id = n.id \
    WHERE n.id > ?1 AND n.node_type <> ?2 AND v.node_id IS NULL ORDER BY n.id LIMIT ?3";
const IS_KNOWN: &str = "SELECT 1 FROM vec_texts WHERE text_hash = ?1";

/// A symbol without a model vector.
#[derive(Clone, Debug)]
pub struct Pending {
    pub node: NodeId,
    /// The text to embed.
    pub text: String,
    pub text_hash: i64,
    /// Whether the store already has a vector of this text.
    pub is_known: bool,
}

/// Returns at most `limit` symbols without a model vector, ordered by id, starting after `after`.
pub fn pending_vectors(
    snapshot: &Snapshot,
    after: Option<NodeId>,
    limit: usize,
) -> Result<Vec<Pending>, StoreError> {
    let connection = snapshot.connection();
    let after = after.map_or(-1, stored_id);

    let mut statement = connection.prepare_cached(PENDING)?;
    let rows = statement.query_map(params![after, NodeType::File as u8, limit as i64], |row| {
        row.get::<_, i64>(0)
    })?;

    let mut is_known = connection.prepare_cached(IS_KNOWN)?;
    let mut pending = Vec::new();

    for id in rows {
        let Some(node) = select_nodes(connection, "WHERE n.id = ?1", &[&id?])?.pop() else {
            continue;
        };

        let text = model_text(&node);
        let hash = text_hash(&text);
        pending.push(Pending {
            node: node.id,
            text,
            text_hash: hash,
            is_known: is_known.exists([hash])?,
        });
    }

    Ok(pending)
}
