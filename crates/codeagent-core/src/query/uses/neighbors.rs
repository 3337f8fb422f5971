//! Callers, callees, implementations and references of a symbol, each with its sites.
//!
//! [`Neighbors`] finds and orders them. Names and source lines are read only for the entries that
//! are shown, so ten thousand callers cost no more than ten.
//!
//! Limitations: source lines of a file that changed after it was indexed are not shown.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::graph::{Confidence, EdgeDirection, EdgeType, Node, NodeId};
use crate::query::{CallbackLines, Filter, QueryError, Sources};
use crate::store::{self, FileKey, IncidentEdge, Snapshot, StoreError};

/// Maximum number of other candidates shown for a use.
const MAX_CANDIDATES: usize = 3;

/// Maximum length of a candidate's parameter list, in bytes.
const MAX_PARAMETERS: usize = 120;

/// The location of a use.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UseSite {
    /// Repo-relative path.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based UTF-16 column.
    pub column: u32,
    /// Confidence of the use.
    pub confidence: Confidence,
    /// The trimmed source line; `None` if the file has changed or is gone.
    pub text: Option<String>,
    /// Other candidates for the used symbol, best first, each with its parameters.
    pub candidates: Vec<String>,
    /// The innermost nameless callback that encloses the site: `router.post "documents.archive"`.
    pub callback: Option<String>,
}

/// A related symbol.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Neighbor {
    /// The symbol with its primary span.
    pub node: Node,
    /// Type of the edge; read as "source type target".
    pub edge_type: EdgeType,
    /// Highest confidence of the sites.
    pub confidence: Confidence,
    /// Number of sites.
    pub count: usize,
    /// The first sites, by path and position. Empty for `contains`.
    pub sites: Vec<UseSite>,
}

/// Symbols whose edges are read one by one; of more, those of all are read together.
const ONE_BY_ONE: usize = 8;

/// Types of edges from an implementation.
const IMPLEMENTING: &[EdgeType] = &[
    EdgeType::Implements,
    EdgeType::Extends,
    EdgeType::Inherits,
    EdgeType::Overrides,
];

/// All edge types; those with sites come first.
const ALL: [EdgeType; 9] = [
    EdgeType::Calls,
    EdgeType::Inherits,
    EdgeType::Implements,
    EdgeType::Imports,
    EdgeType::Overrides,
    EdgeType::References,
    EdgeType::Accepts,
    EdgeType::Extends,
    EdgeType::Contains,
];

/// A relation to a symbol: the direction and types of its edges, in the order in which results are
/// listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation<'a> {
    /// Incoming for the users of the symbol, outgoing for the symbols that it uses.
    pub direction: EdgeDirection,
    /// Types of edges; never empty.
    pub edge_types: &'a [EdgeType],
}

impl Relation<'static> {
    /// The callers of a symbol.
    pub const CALLERS: Self = Self {
        direction: EdgeDirection::Incoming,
        edge_types: &[EdgeType::Calls],
    };
    /// The symbols that a symbol calls.
    pub const CALLEES: Self = Self {
        direction: EdgeDirection::Outgoing,
        edge_types: &[EdgeType::Calls],
    };
    /// The symbols that implement, extend, inherit or override a symbol.
    pub const IMPLEMENTATIONS: Self = Self {
        direction: EdgeDirection::Incoming,
        edge_types: IMPLEMENTING,
    };
    /// All users of a symbol with a site.
    pub const REFERENCES: Self = Self {
        direction: EdgeDirection::Incoming,
        edge_types: ALL.split_at(8).0,
    };

    /// Returns the relation of all edges in one direction; containment comes last.
    #[must_use]
    pub const fn all(direction: EdgeDirection) -> Self {
        Self {
            direction,
            edge_types: &ALL,
        }
    }
}

/// The symbols related to one symbol or to a group of overloads, in order. Details are loaded by
/// [`Self::get`].
pub struct Neighbors {
    direction: EdgeDirection,
    related: Vec<NeighborEntry>,
    /// The edges, adjacent per related symbol and sorted by path and position; each with its end
    /// among the given symbols.
    edges: Vec<(NodeId, IncidentEdge)>,
    paths: Paths,
}

struct NeighborEntry {
    edge_type: EdgeType,
    other: NodeId,
    /// Range of its edges; empty for `contains`.
    edges: Range<usize>,
    /// Path order, line and column of the first site, or of the declaration.
    place: (u32, u32, u32),
}

impl Neighbors {
    /// Returns the symbols related to `node`, by edge type in the order of the relation, then by
    /// path and position of the first site.
    ///
    /// `contains` comes from the lexical structure and has no sites.
    pub fn find(
        snapshot: &Snapshot,
        node: NodeId,
        relation: Relation<'_>,
    ) -> Result<Self, QueryError> {
        Self::of_any(snapshot, &[node], relation, &Filter::default(), None)
    }

    /// Like [`Self::find`], for symbols that are treated as one, such as overloads. A symbol
    /// related to several of them is one neighbour. `within` restricts the uses to the lines of a
    /// callback.
    pub fn of_any(
        snapshot: &Snapshot,
        nodes: &[NodeId],
        relation: Relation<'_>,
        filter: &Filter,
        within: Option<&CallbackLines>,
    ) -> Result<Self, QueryError> {
        let direction = relation.direction;
        let mut edges = Vec::new();
        let mut contained: Vec<store::Contained> = Vec::new();
        let is_many = nodes.len() > ONE_BY_ONE;

        if is_many {
            store::each_use(
                snapshot,
                nodes,
                relation.edge_types,
                direction,
                |node, edge| {
                    let is_wanted = filter.takes_use(edge.confidence)
                        && within.is_none_or(|within| within.has(edge.file, edge.line));
                    if is_wanted {
                        edges.push((node, edge));
                    }
                },
            )?;
        }

        for verb in relation.edge_types {
            for node in nodes {
                match verb {
                    EdgeType::Contains if within.is_some() => {}
                    EdgeType::Contains => {
                        contained.extend(store::contained(snapshot, *node, direction)?)
                    }
                    _ if is_many => {}
                    verb => {
                        let incident =
                            store::incident_edges(snapshot, *node, Some(*verb), direction)?;
                        let wanted = incident.into_iter().filter(|edge| {
                            filter.takes_use(edge.confidence)
                                && within.is_none_or(|within| within.has(edge.file, edge.line))
                        });
                        edges.extend(wanted.map(|edge| (*node, edge)));
                    }
                }
            }
        }

        if nodes.len() > 1 {
            edges.sort_by_key(|(_, edge)| (edge.edge_type as u8, edge.other));
            contained.sort_by_key(|child| child.id);
            contained.dedup_by_key(|child| child.id);
        }

        Self::in_order(snapshot, edges, &contained, relation)?.filtered(snapshot, filter)
    }

    /// Returns the symbols at the other ends of edges in any order, each with its own end.
    pub(in crate::query) fn of_edges(
        snapshot: &Snapshot,
        mut edges: Vec<(NodeId, IncidentEdge)>,
        relation: Relation<'_>,
        filter: &Filter,
    ) -> Result<Self, QueryError> {
        edges.sort_by_key(|(_, edge)| (edge.edge_type as u8, edge.other));
        Self::in_order(snapshot, edges, &[], relation)?.filtered(snapshot, filter)
    }

    fn filtered(self, snapshot: &Snapshot, filter: &Filter) -> Result<Self, QueryError> {
        let mut found = self;
        if filter.looks_at_symbols() {
            let mut wanted = Vec::new();
            for related in found.related {
                if store::node(snapshot, related.other)?.is_some_and(|node| filter.takes(&node)) {
                    wanted.push(related);
                }
            }
            found.related = wanted;
        }

        Ok(found)
    }

    /// Drops the neighbours that are in `inside`.
    #[must_use]
    pub fn outside(mut self, inside: &[NodeId]) -> Self {
        let inside: FxHashSet<NodeId> = inside.iter().copied().collect();
        self.related
            .retain(|related| !inside.contains(&related.other));
        self
    }

    /// Counts the neighbours per folder, most first. Incoming ones count for the folder of their
    /// first use, outgoing ones for the folder of their declaration. Contained symbols are not
    /// counted.
    pub fn folders(&self, snapshot: &Snapshot) -> Result<Vec<(String, usize)>, QueryError> {
        let counted = || {
            self.related
                .iter()
                .filter(|related| !related.edges.is_empty())
        };

        let mut counts: FxHashMap<String, usize> = FxHashMap::default();
        let mut add = |path: &str| {
            let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
            *counts.entry(folder.to_owned()).or_default() += 1;
        };
        if self.direction == EdgeDirection::Incoming {
            counted().for_each(|related| {
                add(self.paths.path(self.edges[related.edges.start].1.file));
            });
        } else {
            let ids: Vec<NodeId> = counted().map(|related| related.other).collect();
            let declared = store::briefs(snapshot, &ids)?;
            let files = counted().filter_map(|related| declared.get(&related.other)?.file);
            let files: Vec<FileKey> = files.collect();
            let paths = Paths::of(snapshot, files.iter().copied())?;
            files.iter().for_each(|file| add(paths.path(*file)));
        }

        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(counts)
    }

    /// Returns the lines of the `inferred` uses.
    pub(in crate::query) fn inferred_lines(&self) -> impl Iterator<Item = (FileKey, u32)> {
        let ranges = self.related.iter().map(|related| related.edges.clone());
        let edges = ranges.flat_map(|range| &self.edges[range]);
        edges
            .filter(|(_, edge)| edge.confidence == Confidence::Inferred)
            .map(|(_, edge)| (edge.file, edge.line))
    }

    /// Returns the ids of the neighbours in order, each once.
    #[must_use]
    pub fn ids(&self) -> Vec<NodeId> {
        let mut ids: Vec<NodeId> = self.related.iter().map(|related| related.other).collect();
        let mut seen = FxHashSet::default();
        ids.retain(|id| seen.insert(*id));
        ids
    }

    /// Returns the given symbol that a neighbour's first edge belongs to.
    #[must_use]
    pub fn own(&self, index: usize) -> Option<NodeId> {
        let edges = &self.related[index].edges;
        self.edges[edges.clone()].first().map(|(own, _)| *own)
    }

    fn in_order(
        snapshot: &Snapshot,
        mut edges: Vec<(NodeId, IncidentEdge)>,
        contained: &[store::Contained],
        relation: Relation<'_>,
    ) -> Result<Self, QueryError> {
        let files = edges
            .iter()
            .map(|(_, edge)| edge.file)
            .chain(contained.iter().filter_map(|child| child.file));
        let paths = Paths::of(snapshot, files)?;
        let mut related: Vec<NeighborEntry> = contained
            .iter()
            .map(|child| NeighborEntry::contained(child, &paths))
            .collect();

        let mut start = 0;
        for group in
            edges.chunk_by_mut(|(_, a), (_, b)| (a.edge_type, a.other) == (b.edge_type, b.other))
        {
            group.sort_unstable_by_key(|(_, edge)| paths.sort_key(edge));
            let (edges, first) = (start..start + group.len(), &group[0].1);
            related.push(NeighborEntry {
                edge_type: first.edge_type,
                other: first.other,
                edges,
                place: paths.sort_key(first),
            });
            start += group.len();
        }

        let rank = |edge_type| {
            relation
                .edge_types
                .iter()
                .position(|verb| *verb == edge_type)
        };

        related.sort_unstable_by_key(|each| (rank(each.edge_type), each.place, each.other));
        Ok(Self {
            direction: relation.direction,
            related,
            edges,
            paths,
        })
    }

    /// Returns the number of neighbours.
    #[must_use]
    pub fn len(&self) -> usize {
        self.related.len()
    }

    /// Reports whether there are no neighbours.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.related.is_empty()
    }

    /// Returns the type and symbol that identify a neighbour.
    #[must_use]
    pub fn key(&self, index: usize) -> (EdgeType, NodeId) {
        let related = &self.related[index];
        (related.edge_type, related.other)
    }

    /// Loads a neighbour with its first `sites` sites; `None` if its node is missing.
    pub fn get(
        &self,
        index: usize,
        sources: &mut Sources<'_>,
        sites: usize,
    ) -> Result<Option<Neighbor>, QueryError> {
        let related = &self.related[index];
        let edges = &self.edges[related.edges.clone()];
        let Some(node) = store::node(sources.snapshot(), related.other)? else {
            return Ok(None);
        };

        let shown = edges
            .iter()
            .take(sites)
            .map(|(own, edge)| self.site((*own, edge), sources))
            .collect::<Result<_, StoreError>>()?;

        let confidence = edges
            .iter()
            .map(|(_, edge)| edge.confidence)
            .max()
            .unwrap_or(Confidence::Exact);

        Ok(Some(Neighbor {
            node,
            edge_type: related.edge_type,
            confidence,
            count: edges.len().max(1),
            sites: shown,
        }))
    }

    fn site(
        &self,
        (own, edge): (NodeId, &IncidentEdge),
        sources: &mut Sources<'_>,
    ) -> Result<UseSite, StoreError> {
        let path = self.paths.path(edge.file);
        let text = sources.line(path, edge.line)?;
        let source = match self.direction {
            EdgeDirection::Outgoing => own,
            EdgeDirection::Incoming => edge.other,
        };
        let callback = sources.callback(source, (edge.file, path, edge.line))?;
        let candidates = match edge.confidence {
            Confidence::Inferred => self.candidates((own, edge), sources.snapshot())?,
            _ => Vec::new(),
        };

        Ok(UseSite {
            path: path.to_owned(),
            line: edge.line,
            column: edge.column,
            confidence: edge.confidence,
            text,
            candidates,
            callback,
        })
    }

    fn candidates(
        &self,
        (own, edge): (NodeId, &IncidentEdge),
        snapshot: &Snapshot,
    ) -> Result<Vec<String>, StoreError> {
        let (source, target) = match self.direction {
            EdgeDirection::Outgoing => (own, edge.other),
            EdgeDirection::Incoming => (edge.other, own),
        };
        let others = store::candidates_of(snapshot, source, target, edge)?;
        let nodes = others
            .iter()
            .take(MAX_CANDIDATES)
            .filter_map(|id| store::node(snapshot, *id).transpose());

        nodes
            .map(|node| node.map(|node| with_parameters(&node)))
            .collect()
    }
}

impl NeighborEntry {
    fn contained(child: &store::Contained, paths: &Paths) -> Self {
        let place = (
            child.file.map_or(0, |file| paths.rank(file)),
            child.line,
            child.column,
        );
        Self {
            edge_type: EdgeType::Contains,
            other: child.id,
            edges: 0..0,
            place,
        }
    }
}

/// A query for [`get_neighbors`].
#[derive(Clone, Copy, Debug)]
pub struct NeighborQuery {
    /// The symbol.
    pub node: NodeId,
    /// Type of edges, or `None` for all.
    pub edge_type: Option<EdgeType>,
    /// Incoming for the users of the symbol, outgoing for the symbols that it uses.
    pub direction: EdgeDirection,
    /// Maximum number of sites per neighbour.
    pub sites: usize,
}

/// Returns all symbols related to a symbol.
pub fn get_neighbors(
    sources: &mut Sources<'_>,
    query: &NeighborQuery,
) -> Result<Vec<Neighbor>, QueryError> {
    let all: Vec<EdgeType> = EdgeType::NAMES.iter().map(|(_, verb)| *verb).collect();
    let edge_types = query
        .edge_type
        .as_ref()
        .map_or(all.as_slice(), std::slice::from_ref);
    let found = Neighbors::find(
        sources.snapshot(),
        query.node,
        Relation {
            direction: query.direction,
            edge_types,
        },
    )?;

    (0..found.len())
        .filter_map(|index| found.get(index, sources, query.sites).transpose())
        .collect()
}

fn with_parameters(node: &Node) -> String {
    let parameters = node
        .parameter_signature
        .as_deref()
        .filter(|signature| signature.len() <= MAX_PARAMETERS);
    format!("{}{}", node.qualified_name, parameters.unwrap_or_default())
}

/// Paths of files, and their sort order.
struct Paths {
    paths: Vec<String>,
    ranks: FxHashMap<FileKey, u32>,
}

impl Paths {
    fn of(snapshot: &Snapshot, files: impl Iterator<Item = FileKey>) -> Result<Self, StoreError> {
        let mut ranks: FxHashMap<FileKey, u32> = files.map(|file| (file, 0)).collect();
        let mut found = Vec::with_capacity(ranks.len());
        for file in ranks.keys() {
            found.push((
                store::file_path(snapshot, *file)?.unwrap_or_default(),
                *file,
            ));
        }

        found.sort_unstable();
        for (rank, (_, file)) in (0..).zip(&found) {
            ranks.insert(*file, rank);
        }

        Ok(Self {
            paths: found.into_iter().map(|(path, _)| path).collect(),
            ranks,
        })
    }

    fn rank(&self, file: FileKey) -> u32 {
        self.ranks.get(&file).copied().unwrap_or_default()
    }

    fn path(&self, file: FileKey) -> &str {
        self.paths
            .get(self.rank(file) as usize)
            .map_or("", String::as_str)
    }

    fn sort_key(&self, edge: &IncidentEdge) -> (u32, u32, u32) {
        (self.rank(edge.file), edge.line, edge.column)
    }
}
