//! The neighbourhood of a symbol, for a picture: its users and what it uses, some steps away.
//!
//! A type or file stands for everything inside it. One side is walked from users to their users, the
//! other from used symbols to those that they use. When there are more symbols than a picture can
//! show, the nearest are kept; of one level, those with the most certain and the most uses.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::graph::{Confidence, EdgeDirection, EdgeType, NodeId};
use crate::query::{Labels, QueryError, tree};
use crate::store::{self, IncidentEdge, Snapshot};

/// Types of edges that lead from a user to what it uses.
const USES: [EdgeType; 7] = [
    EdgeType::Calls,
    EdgeType::Inherits,
    EdgeType::Implements,
    EdgeType::Overrides,
    EdgeType::References,
    EdgeType::Accepts,
    EdgeType::Extends,
];

/// A query for [`neighborhood`].
#[derive(Clone, Copy, Debug)]
pub struct NeighborhoodQuery {
    /// The symbol in the middle.
    pub root: NodeId,
    /// Number of steps to follow.
    pub depth: usize,
    /// Maximum number of symbols, with the root.
    pub max: usize,
}

/// On which side of the root a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// It uses the root, directly or indirectly.
    Users,
    /// The root uses it, directly or indirectly.
    Used,
}

/// A symbol of a neighbourhood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearSymbol {
    /// The symbol.
    pub id: NodeId,
    /// Its side of the root.
    pub side: Side,
    /// Number of steps from the root; 0 is the root itself.
    pub distance: usize,
    /// The nearer symbol that led to it; `None` for the root.
    pub parent: Option<NodeId>,
}

/// The uses of one symbol of a neighbourhood by another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearRelation {
    /// The user.
    pub from: NodeId,
    /// The used symbol.
    pub to: NodeId,
    /// Type of the first edge.
    pub edge_type: EdgeType,
    /// Highest confidence of the uses.
    pub confidence: Confidence,
    /// Number of uses.
    pub uses: usize,
}

/// The neighbourhood of a symbol.
#[derive(Clone, Debug, Default)]
pub struct Neighborhood {
    /// The symbols, the root first, then by distance.
    pub symbols: Vec<NearSymbol>,
    /// The relations between them.
    pub relations: Vec<NearRelation>,
    /// Number of symbols of the visited levels that were left out.
    pub left_out: usize,
    /// Names of the symbols.
    pub labels: Labels,
}

/// Returns the neighbourhood of a symbol.
pub fn neighborhood(
    snapshot: &Snapshot,
    query: &NeighborhoodQuery,
) -> Result<Neighborhood, QueryError> {
    let mut walk = Walk::new(snapshot, query)?;
    for distance in 1..=query.depth {
        for side in [Side::Users, Side::Used] {
            walk.step(side, distance)?;
        }
    }
    walk.finish()
}

/// The uses that connect a level with a symbol of the next.
struct Candidate {
    parent: NodeId,
    confidence: Confidence,
    uses: usize,
}

struct Walk<'a> {
    snapshot: &'a Snapshot,
    root: NodeId,
    /// The root and everything inside it.
    inside: Vec<NodeId>,
    is_inside: FxHashSet<NodeId>,
    max: usize,
    depth: usize,
    seen: FxHashSet<NodeId>,
    levels: FxHashMap<Side, Vec<NodeId>>,
    /// Symbols that had no room on their level, nearest first.
    rest: Vec<NearSymbol>,
    found: Neighborhood,
}

impl<'a> Walk<'a> {
    fn new(snapshot: &'a Snapshot, query: &NeighborhoodQuery) -> Result<Self, QueryError> {
        let inside = tree(snapshot, query.root)?;
        let root = NearSymbol {
            id: query.root,
            side: Side::Used,
            distance: 0,
            parent: None,
        };

        Ok(Self {
            snapshot,
            root: query.root,
            is_inside: inside.iter().copied().collect(),
            levels: [Side::Users, Side::Used]
                .map(|side| (side, inside.clone()))
                .into_iter()
                .collect(),
            seen: inside.iter().copied().collect(),
            inside,
            rest: Vec::new(),
            max: query.max,
            depth: query.depth,
            found: Neighborhood {
                symbols: vec![root],
                ..Neighborhood::default()
            },
        })
    }

    /// Returns the root for everything inside it.
    fn shown(&self, id: NodeId) -> NodeId {
        if self.is_inside.contains(&id) {
            self.root
        } else {
            id
        }
    }

    /// Adds the symbols of the next level on one side.
    fn step(&mut self, side: Side, distance: usize) -> Result<(), QueryError> {
        let direction = match side {
            Side::Users => EdgeDirection::Incoming,
            Side::Used => EdgeDirection::Outgoing,
        };
        let level = self.levels.remove(&side).unwrap_or_default();
        let mut next: FxHashMap<NodeId, Candidate> = FxHashMap::default();
        store::each_use(self.snapshot, &level, &USES, direction, |own, edge| {
            if self.seen.contains(&edge.other) {
                return;
            }
            let candidate = next.entry(edge.other).or_insert(Candidate {
                parent: own,
                confidence: edge.confidence,
                uses: 0,
            });
            candidate.confidence = candidate.confidence.max(edge.confidence);
            candidate.parent = candidate.parent.min(own);
            candidate.uses += 1;
        })?;

        let mut ids: Vec<NodeId> = next.keys().copied().collect();
        ids.sort_by_key(|id| {
            let candidate = &next[id];
            (Reverse(candidate.confidence), Reverse(candidate.uses), *id)
        });
        self.seen.extend(&ids);
        let near = |id: &NodeId| NearSymbol {
            id: *id,
            side,
            distance,
            parent: Some(self.shown(next[id].parent)),
        };
        let mut symbols: Vec<NearSymbol> = ids.iter().map(near).collect();
        let room = self.room(side, distance).min(ids.len());
        ids.truncate(room);
        self.rest.extend(symbols.drain(room..));
        self.found.symbols.extend(symbols);
        self.levels.insert(side, ids);
        Ok(())
    }

    /// Returns how many symbols a level may add: half of what is left for users, so that used
    /// symbols have room too; a quarter is kept for the next level.
    fn room(&self, side: Side, distance: usize) -> usize {
        let left = self.max.saturating_sub(self.found.symbols.len());
        let left = if distance < self.depth {
            left * 3 / 4
        } else {
            left
        };
        match side {
            Side::Users => left.div_ceil(2),
            Side::Used => left,
        }
    }

    /// Fills the room that is left, adds the relations between the symbols, and their names.
    fn finish(mut self) -> Result<Neighborhood, QueryError> {
        let room = self.max.saturating_sub(self.found.symbols.len());
        let room = room.min(self.rest.len());
        self.found.symbols.extend(self.rest.drain(..room));
        self.found.symbols.sort_by_key(|symbol| symbol.distance);
        self.found.left_out = self.rest.len();

        let shown: FxHashSet<NodeId> = self.found.symbols.iter().map(|symbol| symbol.id).collect();
        let mut sources: Vec<NodeId> = shown.iter().copied().collect();
        sources.extend(&self.inside);
        sources.sort_unstable();
        sources.dedup();

        let mut relations: FxHashMap<(NodeId, NodeId), NearRelation> = FxHashMap::default();
        let direction = EdgeDirection::Outgoing;
        store::each_use(self.snapshot, &sources, &USES, direction, |own, edge| {
            let (from, to) = (self.shown(own), self.shown(edge.other));
            if from != to && shown.contains(&to) {
                add_use(relations.entry((from, to)), (from, to), &edge);
            }
        })?;

        self.found.relations = relations.into_values().collect();
        self.found
            .relations
            .sort_by_key(|relation| (relation.from, relation.to));
        self.found.labels.load(self.snapshot, shown)?;
        Ok(self.found)
    }
}

fn add_use(
    entry: std::collections::hash_map::Entry<'_, (NodeId, NodeId), NearRelation>,
    (from, to): (NodeId, NodeId),
    edge: &IncidentEdge,
) {
    let relation = entry.or_insert(NearRelation {
        from,
        to,
        edge_type: edge.edge_type,
        confidence: edge.confidence,
        uses: 0,
    });
    relation.confidence = relation.confidence.max(edge.confidence);
    relation.uses += 1;
}
