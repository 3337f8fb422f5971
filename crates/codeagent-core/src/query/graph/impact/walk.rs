//! Breadth-first walk of `impact` against the direction of uses. A step takes a few SQL statements,
//! however many symbols it starts from.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{AffectedUse, DISPATCH, FOLLOWED, Impact, ImpactStep, ReachingTest, SUBTYPES};
use crate::model::graph::{EdgeDirection, EdgeType, NodeFlags, NodeId, NodeType};
use crate::query::QueryError;
use crate::store::{self, FileKey, IncidentEdge, Snapshot, SymbolClass};

/// Maximum number of visited symbols.
pub(super) const MAX_REACHED: usize = 20_000;

/// A symbol that the walk reached.
struct Reached {
    distance: usize,
    is_certain: bool,
    /// The first site at which it uses what is one step nearer.
    site: SiteKey,
    class: SymbolClass,
}

/// File, line and column.
type SiteKey = (FileKey, u32, u32);

/// Symbols that use some, each with the first of its sites.
#[derive(Default)]
pub(super) struct Reaching {
    first: FxHashMap<NodeId, SiteKey>,
    /// Sites in other files than the first: those of types and namespaces with several parts.
    elsewhere: Vec<(NodeId, SiteKey)>,
}

impl Reaching {
    /// An import is not followed.
    pub fn by(uses: &[AffectedUse]) -> Self {
        let mut reaching = Self::default();
        for each in uses
            .iter()
            .filter(|each| each.edge_type != EdgeType::Imports)
        {
            reaching.add(each.source, (each.file, each.line, each.column));
        }
        reaching
    }

    fn add(&mut self, source: NodeId, site: SiteKey) {
        let first = self.first.entry(source).or_insert(site);
        if first.0 == site.0 {
            *first = site.min(*first);
        } else {
            self.elsewhere.push((source, site));
        }
    }
}

/// A breadth-first walk against the direction of uses.
pub(super) struct ImpactWalk<'a> {
    snapshot: &'a Snapshot,
    inside: FxHashSet<NodeId>,
    paths: FxHashMap<FileKey, Arc<str>>,
    reached: FxHashMap<NodeId, Reached>,
    /// Members that the reached ones implement or override, which were followed too.
    dispatched: FxHashSet<NodeId>,
    is_cut: bool,
}

impl<'a> ImpactWalk<'a> {
    pub fn new(snapshot: &'a Snapshot, inside: FxHashSet<NodeId>) -> Self {
        Self {
            snapshot,
            inside,
            paths: FxHashMap::default(),
            reached: FxHashMap::default(),
            dispatched: FxHashSet::default(),
            is_cut: false,
        }
    }

    /// Returns the uses of some nodes from outside the changed symbols, by path and position.
    pub fn uses(
        &mut self,
        nodes: &[NodeId],
        edge_types: &[EdgeType],
    ) -> Result<Vec<AffectedUse>, QueryError> {
        let mut edges: Vec<(NodeId, IncidentEdge)> = Vec::new();
        let inside = &self.inside;
        store::each_use(
            self.snapshot,
            nodes,
            edge_types,
            EdgeDirection::Incoming,
            |of, edge| {
                if !inside.contains(&edge.other) {
                    edges.push((of, edge));
                }
            },
        )?;

        let ranks = self.ranks(edges.iter().map(|(_, edge)| edge.file))?;
        edges.sort_by_key(|(_, edge)| (ranks[&edge.file], edge.line, edge.column, edge.edge_type));
        edges.dedup_by_key(|(_, edge)| (edge.file, edge.line, edge.column, edge.other));
        let mut uses = Vec::with_capacity(edges.len());
        for (target, edge) in edges {
            uses.push(AffectedUse {
                source: edge.other,
                edge_type: edge.edge_type,
                confidence: edge.confidence,
                path: self.path(edge.file)?,
                file: edge.file,
                line: edge.line,
                column: edge.column,
                target,
            });
        }
        Ok(uses)
    }

    /// Numbers files in the order of their paths.
    fn ranks(
        &mut self,
        files: impl Iterator<Item = FileKey>,
    ) -> Result<FxHashMap<FileKey, usize>, QueryError> {
        let files: FxHashSet<FileKey> = files.collect();
        let mut by_path = Vec::with_capacity(files.len());
        for file in files {
            by_path.push((self.path(file)?, file));
        }
        by_path.sort_unstable();
        let ranked = by_path.into_iter().enumerate();
        Ok(ranked.map(|(rank, (_, file))| (file, rank)).collect())
    }

    fn path(&mut self, file: FileKey) -> Result<Arc<str>, QueryError> {
        if let Some(path) = self.paths.get(&file) {
            return Ok(Arc::clone(path));
        }
        let path: Arc<str> = store::file_path(self.snapshot, file)?
            .unwrap_or_default()
            .into();
        self.paths.insert(file, Arc::clone(&path));
        Ok(path)
    }

    /// Returns the containers of functions in functions and object literals that nothing uses by
    /// name: such a container passes the function on to code that calls it.
    pub fn containers(
        &mut self,
        nodes: &[NodeId],
        used: &FxHashSet<NodeId>,
    ) -> Result<Reaching, QueryError> {
        let classes = store::classes(self.snapshot, nodes)?;
        let is_local = |id: &&NodeId| {
            classes
                .get(id)
                .is_some_and(|c| c.flags.has(NodeFlags::LOCAL))
        };
        let unused = nodes
            .iter()
            .filter(|id| !used.contains(id))
            .filter(is_local);
        let unused: Vec<NodeId> = unused.copied().collect();

        let mut containers = Reaching::default();
        for brief in store::briefs(self.snapshot, &unused)?.into_values() {
            let (Some(parent), Some(file)) = (brief.parent, brief.file) else {
                continue;
            };
            if !self.inside.contains(&parent) {
                containers.add(parent, (file, brief.name_line, 1));
            }
        }
        Ok(containers)
    }

    /// Returns what some members implement or override, at any level.
    pub fn bases(&mut self, members: &[NodeId]) -> Result<Vec<NodeId>, QueryError> {
        let (mut bases, mut level) = (Vec::new(), members.to_vec());
        while !level.is_empty() {
            let mut next = Vec::new();
            let (inside, known) = (&self.inside, &mut self.dispatched);
            store::each_use(
                self.snapshot,
                &level,
                &DISPATCH,
                EdgeDirection::Outgoing,
                |_, edge| {
                    if !inside.contains(&edge.other) && known.insert(edge.other) {
                        next.push(edge.other);
                    }
                },
            )?;

            let classes = store::classes(self.snapshot, &next)?;
            next.retain(|id| {
                let class = classes.get(id);
                class.is_some_and(|class| !class.node_type.is_type())
            });
            next.sort_unstable();
            bases.extend(&next);
            level = next;
        }

        Ok(bases)
    }

    /// Notes the symbols that use some nodes from outside, at a distance, unless they are known.
    /// Returns the nodes that are used.
    fn follow(
        &mut self,
        nodes: &[NodeId],
        edge_types: &[EdgeType],
        (distance, is_certain): (usize, bool),
    ) -> Result<FxHashSet<NodeId>, QueryError> {
        let (mut reaching, mut used) = (Reaching::default(), FxHashSet::default());
        let (inside, reached) = (&self.inside, &self.reached);
        store::each_use(
            self.snapshot,
            nodes,
            edge_types,
            EdgeDirection::Incoming,
            |of, edge| {
                if inside.contains(&edge.other) {
                    return;
                }
                used.insert(of);
                if !reached.contains_key(&edge.other) {
                    reaching.add(edge.other, (edge.file, edge.line, edge.column));
                }
            },
        )?;
        self.reach(reaching, distance, is_certain)?;

        Ok(used)
    }

    /// Notes symbols at a distance, unless they are known.
    pub fn reach(
        &mut self,
        reaching: Reaching,
        distance: usize,
        is_certain: bool,
    ) -> Result<(), QueryError> {
        let Reaching {
            mut first,
            elsewhere,
        } = reaching;
        first.retain(|id, _| !self.reached.contains_key(id));
        for (id, site) in elsewhere {
            let Some(known) = first.get(&id).copied() else {
                continue;
            };
            let (path, known_path) = (self.path(site.0)?, self.path(known.0)?);
            if (path, site.1, site.2) < (known_path, known.1, known.2) {
                first.insert(id, site);
            }
        }

        let mut new: Vec<NodeId> = first.keys().copied().collect();
        new.sort_unstable();
        if self.reached.len() + new.len() > MAX_REACHED {
            self.is_cut = true;
            new.truncate(MAX_REACHED.saturating_sub(self.reached.len()));
        }
        for (id, class) in store::classes(self.snapshot, &new)? {
            let reached = Reached {
                distance,
                is_certain,
                site: first[&id],
                class,
            };
            self.reached.insert(id, reached);
        }
        Ok(())
    }

    /// Reaches what is one step from the symbols at the previous distance; returns whether there
    /// were any.
    pub fn step(&mut self, distance: usize) -> Result<bool, QueryError> {
        self.snapshot.check()?;
        for is_certain in [true, false] {
            let (mut types, mut members) = (Vec::new(), Vec::new());
            for (id, reached) in &self.reached {
                let is_last = reached.distance == distance - 1 && reached.is_certain == is_certain;
                match reached.class.node_type {
                    NodeType::File => {}
                    node_type if is_last && node_type.is_type() => types.push(*id),
                    _ if is_last => members.push(*id),
                    _ => {}
                }
            }

            let used = self.follow(&members, &FOLLOWED, (distance, is_certain))?;
            let containers = self.containers(&members, &used)?;
            self.reach(containers, distance, is_certain)?;
            self.follow(&types, &SUBTYPES, (distance, is_certain))?;

            let bases = self.bases(&members)?;
            let uses = [EdgeType::Calls, EdgeType::References];
            self.follow(&bases, &uses, (distance, false))?;
        }

        let mut last = self.reached.values();
        Ok(!self.is_cut && last.any(|reached| reached.distance == distance))
    }

    /// Counts the steps and sorts out tests and public symbols.
    pub fn summarize(mut self, found: &mut Impact) -> Result<(), QueryError> {
        let mut steps: Vec<(ImpactStep, FxHashSet<FileKey>)> = Vec::new();
        let mut is_test: FxHashMap<FileKey, bool> = FxHashMap::default();
        for (id, reached) in std::mem::take(&mut self.reached) {
            let Reached {
                distance,
                is_certain,
                site: (file, line, _),
                class,
            } = reached;
            let path = self.path(file)?;
            let is_test = is_test.entry(file);
            if *is_test.or_insert_with(|| store::is_test_path(&path)) {
                found.tests.push(ReachingTest {
                    source: id,
                    path,
                    line,
                    distance,
                });
                continue;
            }
            if steps.len() < distance {
                steps.resize_with(distance, Default::default);
            }
            let (step, files) = &mut steps[distance - 1];
            step.symbols += 1;
            step.possible += usize::from(!is_certain);
            files.insert(file);
            if class.flags.has(NodeFlags::PUBLIC_API) && class.node_type != NodeType::File {
                found.public.push((id, distance));
            }
        }

        found.steps = (1..)
            .zip(steps)
            .skip(1)
            .map(|(distance, (step, files))| ImpactStep {
                distance,
                files: files.len(),
                ..step
            })
            .collect();
        found.tests.sort_by(|a, b| {
            (a.distance, &a.path, a.line, a.source).cmp(&(b.distance, &b.path, b.line, b.source))
        });
        found
            .public
            .sort_unstable_by_key(|(id, distance)| (*distance, *id));
        found.is_cut = self.is_cut;
        Ok(())
    }
}
