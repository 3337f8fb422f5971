//! All nodes of an index in packed form, which takes less memory than [`Node`]s with their strings. A first
//! index holds all of them until they are written in the order of their ids.

use crate::model::graph::{Node, NodeId};
use crate::store::delta::NodeWithHash;
use crate::store::nodes::content_hash;

/// Packed nodes, each with its hash. A new value has them in the order in which they were given;
/// [`Self::merge`] sorts them by id.
#[derive(Debug, Default)]
pub struct PackedNodes {
    entries: Vec<Entry>,
    /// The nodes, encoded with `postcard`.
    chunks: Vec<Box<[u8]>>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    id: NodeId,
    hash: i64,
    /// Index of the chunk that holds the node.
    chunk: u32,
    /// Offset of the node's first byte in the chunk.
    start: u32,
}

impl PackedNodes {
    /// Packs nodes.
    #[must_use]
    pub fn of(nodes: &[Node]) -> Self {
        let mut entries = Vec::with_capacity(nodes.len());
        let mut bytes = Vec::new();
        for node in nodes {
            let start = bytes.len();
            bytes = postcard::to_extend(node, bytes)
                .expect("nodes have no values that postcard refuses");
            entries.push(Entry {
                id: node.id,
                hash: content_hash(&bytes[start..]),
                chunk: 0,
                start: u32::try_from(start).expect("a work item has less than 4 GiB of nodes"),
            });
        }

        Self {
            entries,
            chunks: vec![bytes.into_boxed_slice()],
        }
    }

    /// Joins all parts and sorts their nodes by id.
    #[must_use]
    pub fn merge(parts: Vec<Self>) -> Self {
        let nodes = parts.iter().map(Self::len).sum();
        let mut entries = Vec::with_capacity(nodes);
        let mut chunks = Vec::with_capacity(parts.len());
        for part in parts {
            let base = chunks.len() as u32;
            entries.extend(part.entries.iter().map(|entry| Entry {
                chunk: base + entry.chunk,
                ..*entry
            }));
            chunks.extend(part.chunks);
        }
        entries.sort_unstable_by_key(|entry| entry.id);

        Self { entries, chunks }
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Reports whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the ids and the hashes of the nodes, in their order.
    pub fn hashes(&self) -> impl Iterator<Item = (NodeId, i64)> + '_ {
        self.entries.iter().map(|entry| (entry.id, entry.hash))
    }

    /// Returns the nodes, in their order.
    pub fn iter(&self) -> impl Iterator<Item = Node> + '_ {
        self.entries.iter().map(|entry| self.unpack(entry))
    }

    /// Returns the nodes with their hashes, in their order, `count` at a time.
    pub fn parts(&self, count: usize) -> impl Iterator<Item = Vec<NodeWithHash>> + '_ {
        let unpacked = |entry: &Entry| (entry.hash, self.unpack(entry));
        let parts = self.entries.chunks(count);
        parts.map(move |part| part.iter().map(unpacked).collect())
    }

    /// Returns the node at an index.
    #[must_use]
    pub fn node(&self, at: usize) -> Node {
        self.unpack(&self.entries[at])
    }

    fn unpack(&self, entry: &Entry) -> Node {
        let bytes = &self.chunks[entry.chunk as usize][entry.start as usize..];
        postcard::from_bytes(bytes).expect("packed by `of`")
    }
}
