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

/// How many further candidates of a use are shown.
const MAX_CANDIDATES: usize = 3;

/// Longest list of parameters shown of a candidate, in bytes.
const MAX_PARAMETERS: usize = 120;

/// A place where a use stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UseSite {
    /// Repo-relative path.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based UTF-16 column.
    pub column: u32,
    /// How sure.
    pub confidence: Confidence,
    /// The trimmed source line; `None` if the file was changed since it was indexed or is gone.
    pub text: Option<String>,
    /// What else may be used here, if that is not sure: the best first, each with its parameters.
    pub candidates: Vec<String>,
    /// The innermost callback around the site, if it has no name: `router.post "documents.archive"`.
    pub callback: Option<String>,
}

/// A related symbol.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Neighbor {
    /// The symbol with its primary span.
    pub node: Node,
    /// The verb: read "source verb target".
    pub edge_type: EdgeType,
    /// The surest of the sites.
    pub confidence: Confidence,
    /// Number of sites.
    pub count: usize,
    /// The first sites by path and position. Empty for `contains`.
    pub sites: Vec<UseSite>,
}

/// What makes something an implementation.
const IMPLEMENTING: &[EdgeType] = &[
    EdgeType::Implements,
    EdgeType::Extends,
    EdgeType::Inherits,
    EdgeType::Overrides,
];

/// Every edge type, those that have sites first.
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

/// How something is related to a symbol: by which types of edges, in the order in which they are
/// listed, and at which end of them it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation<'a> {
    /// Incoming: what uses the symbol; outgoing: what it uses.
    pub direction: EdgeDirection,
    /// Never empty.
    pub edge_types: &'a [EdgeType],
}

impl Relation<'static> {
    /// Who calls it.
    pub const CALLERS: Self = Self {
        direction: EdgeDirection::Incoming,
        edge_types: &[EdgeType::Calls],
    };
    /// What it calls.
    pub const CALLEES: Self = Self {
        direction: EdgeDirection::Outgoing,
        edge_types: &[EdgeType::Calls],
    };
    /// What implements, extends, inherits or overrides it.
    pub const IMPLEMENTATIONS: Self = Self {
        direction: EdgeDirection::Incoming,
        edge_types: IMPLEMENTING,
    };
    /// Everything that uses it at some place.
    pub const REFERENCES: Self = Self {
        direction: EdgeDirection::Incoming,
        edge_types: ALL.split_at(8).0,
    };

    /// Everything in one direction, containment last.
    #[must_use]
    pub const fn all(direction: EdgeDirection) -> Self {
        Self {
            direction,
            edge_types: &ALL,
        }
    }
}

/// The symbols related to one, or to some that count as one, in order, not yet looked up.
pub struct Neighbors {
    direction: EdgeDirection,
    related: Vec<Related>,
    /// The edges of each in a run, by path and position, with the end that was asked about.
    edges: Vec<(NodeId, IncidentEdge)>,
    paths: Paths,
}

struct Related {
    edge_type: EdgeType,
    other: NodeId,
    /// Its edges; none for `contains`.
    edges: Range<usize>,
    /// Path, line and column of the first site, or of the declaration.
    place: (u32, u32, u32),
}

impl Neighbors {
    /// Finds the symbols related to `node` by some verbs: in the order of these, then by path and
    /// position of their first site.
    ///
    /// `contains` comes from the lexical structure and has no sites.
    pub fn find(
        snapshot: &Snapshot,
        node: NodeId,
        relation: Relation<'_>,
    ) -> Result<Self, QueryError> {
        Self::of_any(snapshot, &[node], relation, &Filter::default(), None)
    }

    /// The same for symbols that count as one: overloads. What is related to several of them is one
    /// neighbour. `within` restricts the uses to the lines of a callback.
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
        for verb in relation.edge_types {
            for node in nodes {
                match verb {
                    EdgeType::Contains if within.is_some() => {}
                    EdgeType::Contains => {
                        contained.extend(store::contained(snapshot, *node, direction)?)
                    }
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
        let mut found = Self::in_order(snapshot, edges, &contained, relation)?;
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

    /// Those that are none of some symbols.
    #[must_use]
    pub fn outside(mut self, inside: &[NodeId]) -> Self {
        let inside: FxHashSet<NodeId> = inside.iter().copied().collect();
        self.related
            .retain(|related| !inside.contains(&related.other));
        self
    }

    /// Counts the symbols by folder, most first: incoming ones by the folder of their first use,
    /// outgoing ones by the folder they are declared in. Contained symbols are not counted.
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

    /// Returns the ids of all, in order.
    #[must_use]
    pub fn ids(&self) -> Vec<NodeId> {
        let mut ids: Vec<NodeId> = self.related.iter().map(|related| related.other).collect();
        let mut seen = FxHashSet::default();
        ids.retain(|id| seen.insert(*id));
        ids
    }

    /// Returns the asked symbol that one of them is related to by its first use.
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
        let mut related: Vec<Related> = contained
            .iter()
            .map(|child| Related::contained(child, &paths))
            .collect();
        let mut start = 0;
        for group in
            edges.chunk_by_mut(|(_, a), (_, b)| (a.edge_type, a.other) == (b.edge_type, b.other))
        {
            group.sort_unstable_by_key(|(_, edge)| paths.place(edge));
            let (edges, first) = (start..start + group.len(), &group[0].1);
            related.push(Related {
                edge_type: first.edge_type,
                other: first.other,
                edges,
                place: paths.place(first),
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

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.related.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.related.is_empty()
    }

    /// What tells one from the others.
    #[must_use]
    pub fn key(&self, index: usize) -> (EdgeType, NodeId) {
        let related = &self.related[index];
        (related.edge_type, related.other)
    }

    /// One of them with the first `sites` of its sites; `None` if the index does not hold it.
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

impl Related {
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

/// What [`get_neighbors`] is asked.
#[derive(Clone, Copy, Debug)]
pub struct NeighborQuery {
    /// The symbol.
    pub node: NodeId,
    /// By which type of edges; `None` for all.
    pub edge_type: Option<EdgeType>,
    /// Incoming: what uses the symbol; outgoing: what it uses.
    pub direction: EdgeDirection,
    /// Most sites of each neighbour.
    pub sites: usize,
}

/// All symbols related to one.
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

/// Paths of the files of some edges, and their order.
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

    fn place(&self, edge: &IncidentEdge) -> (u32, u32, u32) {
        (self.rank(edge.file), edge.line, edge.column)
    }
}
