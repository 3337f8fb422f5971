//! Impact: the direct and transitive effects of a change to some symbols.
//!
//! The uses, overrides and implementations of the symbols, also under the names of their wrappers,
//! must change with them. Callers of a member that they override or implement may be affected. From
//! there the walk follows calls, references and overrides; a member reached is also reached through
//! what it implements, which is possible, not certain. A function in a function or object literal
//! that nothing uses by name leads to what contains it.
//!
//! Limitations: a type is followed to its subtypes, not to everything that names it. Code at module
//! level belongs to its file, which is not followed further. At most [`MAX_REACHED`] symbols are
//! visited.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::graph::{Confidence, EdgeDirection, EdgeType, NodeFlags, NodeId, NodeType};
use crate::query::labels::Labels;
use crate::query::{DispatchStep, QueryError, Sources, dispatched_to, wrappers_of};
use crate::store::{self, FileKey, IncidentEdge, Snapshot, SymbolBrief};

/// Most symbols visited.
const MAX_REACHED: usize = 20_000;

/// Maximum depth.
pub const MAX_IMPACT_DEPTH: usize = 5;

/// Types of edges whose sources must change with a symbol.
const DIRECT: [EdgeType; 8] = [
    EdgeType::Calls,
    EdgeType::Inherits,
    EdgeType::Implements,
    EdgeType::Imports,
    EdgeType::Overrides,
    EdgeType::References,
    EdgeType::Accepts,
    EdgeType::Extends,
];

/// Types of edges that the walk follows from a member.
const FOLLOWED: [EdgeType; 4] = [
    EdgeType::Calls,
    EdgeType::References,
    EdgeType::Overrides,
    EdgeType::Implements,
];

/// Types of edges that the walk follows from a type.
const SUBTYPES: [EdgeType; 3] = [EdgeType::Inherits, EdgeType::Implements, EdgeType::Extends];

/// Types of edges from a member to its base member.
const DISPATCH: [EdgeType; 2] = [EdgeType::Overrides, EdgeType::Implements];

/// A query for [`impact`].
#[derive(Clone, Copy, Debug)]
pub struct ImpactQuery<'a> {
    /// The symbols that change. A file or namespace stands for everything in it.
    pub targets: &'a [NodeId],
    /// Number of steps to follow, at most [`MAX_IMPACT_DEPTH`].
    pub depth: usize,
}

/// A use that a change affects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AffectedUse {
    /// The symbol that contains the use; the file for code at module level.
    pub source: NodeId,
    /// How the symbol is used.
    pub edge_type: EdgeType,
    /// Confidence of the use.
    pub confidence: Confidence,
    /// Repo-relative path.
    pub path: Arc<str>,
    /// Line.
    pub line: u32,
    /// UTF-16 column.
    pub column: u32,
    /// The used symbol: a changed symbol, a wrapper of it, or a base member.
    pub target: NodeId,
}

/// The symbols at one distance, without tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImpactStep {
    /// Number of steps.
    pub distance: usize,
    /// Number of symbols first reached at this distance.
    pub symbols: usize,
    /// Number of files with these symbols.
    pub files: usize,
    /// Number of symbols reached only through a base member.
    pub possible: usize,
}

/// A test that reaches the changed symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReachingTest {
    /// The test's symbol; its file for code in callbacks.
    pub source: NodeId,
    /// Path of the test file.
    pub path: Arc<str>,
    /// Line of the test's first use of a symbol that is one step nearer.
    pub line: u32,
    /// Number of steps.
    pub distance: usize,
}

/// The effects of a change.
#[derive(Clone, Debug, Default)]
pub struct Impact {
    /// The changed symbols.
    pub targets: Vec<NodeId>,
    /// Uses that must change, without tests, by path and position.
    pub direct: Vec<AffectedUse>,
    /// Declarations that wrap one of the symbols. Some uses refer to them.
    pub wrappers: Vec<NodeId>,
    /// The members and types that the symbols implement or override.
    pub bases: Vec<NodeId>,
    /// Uses of `bases`, which may refer to the symbols.
    pub possible: Vec<AffectedUse>,
    /// What leads to the symbols without a call.
    pub dispatched: Vec<DispatchStep>,
    /// Uses of the members of a changed type, which are not among `direct`, and files they are in.
    pub member_uses: (usize, usize),
    /// Symbols two and more steps away.
    pub steps: Vec<ImpactStep>,
    /// Tests that reach the symbols, nearest first.
    pub tests: Vec<ReachingTest>,
    /// Public symbols reached outside tests, nearest first, with their distance.
    pub public: Vec<(NodeId, usize)>,
    /// Whether some symbols were not visited.
    pub is_cut: bool,
    /// Names of all symbols above.
    pub labels: Labels,
}

/// Returns the effects of a change to some symbols.
pub fn impact(sources: &mut Sources<'_>, query: &ImpactQuery<'_>) -> Result<Impact, QueryError> {
    let snapshot = sources.snapshot();
    let changed = Changed::of(sources, query.targets)?;
    let mut walk = Walk::new(snapshot, changed.inside.clone());
    let mut found = Impact {
        targets: query.targets.to_vec(),
        wrappers: changed.wrappers.clone(),
        ..Impact::default()
    };

    let direct = walk.uses(&changed.roots, &DIRECT)?;
    walk.reach(&direct, 1, true)?;
    let containers = walk.containers(&changed.roots, &direct)?;
    walk.reach(&containers, 1, true)?;
    found.bases = walk.bases(&changed.roots)?;
    let possible = walk.uses(&found.bases, &FOLLOWED)?;
    let possible: Vec<AffectedUse> = possible
        .into_iter()
        .filter(|each| !DISPATCH.contains(&each.edge_type))
        .collect();
    walk.reach(&possible, 1, false)?;
    found.dispatched = dispatched_to(snapshot, &changed.with_members())?;
    found.member_uses = member_uses(&mut walk, &changed)?;

    for distance in 2..=query.depth.clamp(1, MAX_IMPACT_DEPTH) {
        if !walk.step(distance)? {
            break;
        }
    }

    let is_test = |each: &AffectedUse| store::is_test_path(&each.path);
    found.direct = without_imports(direct.into_iter().filter(|each| !is_test(each)).collect());
    found.possible = possible.into_iter().filter(|each| !is_test(each)).collect();
    walk.summarize(&mut found);
    let shown = found
        .direct
        .iter()
        .chain(&found.possible)
        .map(|each| each.source);
    let shown = shown
        .chain(found.targets.iter().copied())
        .chain(found.bases.iter().copied())
        .chain(found.public.iter().map(|(id, _)| *id))
        .chain(found.tests.iter().map(|test| test.source));
    let shown: Vec<NodeId> = shown.collect();
    found.labels.load(snapshot, shown)?;
    Ok(found)
}

/// Drops the imports in files that also use the imported symbol.
fn without_imports(mut uses: Vec<AffectedUse>) -> Vec<AffectedUse> {
    let using: FxHashSet<Arc<str>> = uses
        .iter()
        .filter(|each| each.edge_type != EdgeType::Imports)
        .map(|each| Arc::clone(&each.path))
        .collect();
    uses.retain(|each| each.edge_type != EdgeType::Imports || !using.contains(&each.path));
    uses
}

/// Counts the uses of a changed type's members outside of the changed symbols, and their files.
fn member_uses(walk: &mut Walk<'_>, changed: &Changed) -> Result<(usize, usize), QueryError> {
    if changed.members.is_empty() {
        return Ok((0, 0));
    }
    let uses = walk.uses(&changed.members, &[EdgeType::Calls, EdgeType::References])?;
    let files: FxHashSet<&str> = uses.iter().map(|each| &*each.path).collect();
    Ok((uses.len(), files.len()))
}

/// The changed symbols with related symbols.
struct Changed {
    /// Targets, their constructors and wrappers, and everything inside target files.
    roots: Vec<NodeId>,
    /// Members of target types, except constructors.
    members: Vec<NodeId>,
    /// Roots and everything inside them. Uses from there do not count.
    inside: FxHashSet<NodeId>,
    wrappers: Vec<NodeId>,
}

impl Changed {
    fn of(sources: &mut Sources<'_>, targets: &[NodeId]) -> Result<Self, QueryError> {
        let snapshot = sources.snapshot();
        let mut roots: Vec<SymbolBrief> = store::briefs(snapshot, targets)?.into_values().collect();
        roots.sort_by_key(|root| root.id);
        let wholes: FxHashSet<NodeId> = roots
            .iter()
            .filter(|root| matches!(root.node_type, NodeType::File | NodeType::Module))
            .map(|root| root.id)
            .collect();

        let mut inside: FxHashSet<NodeId> = roots.iter().map(|root| root.id).collect();
        let mut whole = wholes;
        let types: FxHashSet<NodeId> = roots
            .iter()
            .filter(|root| is_type(root.node_type))
            .map(|root| root.id)
            .collect();
        let (mut members, mut level) = (Vec::new(), inside.iter().copied().collect::<Vec<_>>());
        while !level.is_empty() {
            let children = store::children_of(snapshot, &level)?;
            level.clear();
            for child in children.into_iter().filter(|child| inside.insert(child.id)) {
                level.push(child.id);
                let is_of =
                    |set: &FxHashSet<NodeId>| child.parent.is_some_and(|id| set.contains(&id));
                if is_of(&whole) {
                    whole.insert(child.id);
                    roots.push(child);
                } else if is_of(&types) && child.node_type == NodeType::Constructor {
                    roots.push(child);
                } else if is_of(&types) {
                    members.push(child.id);
                }
            }
        }

        let mut wrappers = Vec::new();
        for target in targets {
            if let Some(node) = store::node(snapshot, *target)? {
                wrappers.extend(wrappers_of(sources, &node)?.into_iter().map(|node| node.id));
            }
        }
        wrappers.retain(|id| !inside.contains(id));
        inside.extend(&wrappers);
        let mut roots: Vec<NodeId> = roots.iter().map(|root| root.id).collect();
        roots.extend(&wrappers);
        roots.sort_unstable();
        roots.dedup();
        Ok(Self {
            roots,
            members,
            inside,
            wrappers,
        })
    }
}

impl Changed {
    fn with_members(&self) -> Vec<NodeId> {
        self.roots.iter().chain(&self.members).copied().collect()
    }
}

fn is_type(node_type: NodeType) -> bool {
    matches!(
        node_type,
        NodeType::Class | NodeType::Interface | NodeType::Type
    )
}

/// A symbol that the walk reached.
struct Reached {
    distance: usize,
    is_certain: bool,
    path: Arc<str>,
    line: u32,
    brief: SymbolBrief,
}

/// A breadth-first walk against the direction of uses.
struct Walk<'a> {
    snapshot: &'a Snapshot,
    inside: FxHashSet<NodeId>,
    paths: FxHashMap<FileKey, Arc<str>>,
    reached: FxHashMap<NodeId, Reached>,
    /// Members that the reached ones implement or override, which were followed too.
    dispatched: FxHashSet<NodeId>,
    is_cut: bool,
}

impl<'a> Walk<'a> {
    fn new(snapshot: &'a Snapshot, inside: FxHashSet<NodeId>) -> Self {
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
    fn uses(
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

        let mut uses = Vec::with_capacity(edges.len());
        for (target, edge) in edges {
            let path = self.path(edge.file)?;
            uses.push(AffectedUse {
                source: edge.other,
                edge_type: edge.edge_type,
                confidence: edge.confidence,
                path,
                line: edge.line,
                column: edge.column,
                target,
            });
        }
        uses.sort_by(|a, b| place(a).cmp(&place(b)));
        uses.dedup_by(|a, b| {
            (&a.path, a.line, a.column, a.source) == (&b.path, b.line, b.column, b.source)
        });
        Ok(uses)
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

    /// Returns the containers of those functions in functions and object literals that nothing uses
    /// by name: they give them to who calls them.
    fn containers(
        &mut self,
        nodes: &[NodeId],
        uses: &[AffectedUse],
    ) -> Result<Vec<AffectedUse>, QueryError> {
        let used: FxHashSet<NodeId> = uses.iter().map(|each| each.target).collect();
        let mut briefs: Vec<SymbolBrief> = store::briefs(self.snapshot, nodes)?
            .into_values()
            .filter(|brief| brief.flags.has(NodeFlags::LOCAL) && !used.contains(&brief.id))
            .collect();
        briefs.sort_unstable_by_key(|brief| brief.id);

        let mut containers = Vec::with_capacity(briefs.len());
        for brief in briefs {
            let (Some(parent), Some(file)) = (brief.parent, brief.file) else {
                continue;
            };
            if !self.inside.contains(&parent) {
                containers.push(AffectedUse {
                    source: parent,
                    edge_type: EdgeType::References,
                    confidence: Confidence::Inferred,
                    path: self.path(file)?,
                    line: brief.name_line,
                    column: 1,
                    target: brief.id,
                });
            }
        }
        Ok(containers)
    }

    /// Returns what some members implement or override, at any level.
    fn bases(&mut self, members: &[NodeId]) -> Result<Vec<NodeId>, QueryError> {
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
            let briefs = store::briefs(self.snapshot, &next)?;
            next.retain(|id| {
                briefs
                    .get(id)
                    .is_some_and(|brief| !is_type(brief.node_type))
            });
            next.sort_unstable();
            bases.extend(&next);
            level = next;
        }
        Ok(bases)
    }

    /// Notes the sources of some uses at a distance, unless they are known.
    fn reach(
        &mut self,
        uses: &[AffectedUse],
        distance: usize,
        is_certain: bool,
    ) -> Result<(), QueryError> {
        let mut new: Vec<NodeId> = uses
            .iter()
            .filter(|each| each.edge_type != EdgeType::Imports)
            .map(|each| each.source)
            .filter(|id| !self.reached.contains_key(id))
            .collect();
        new.sort_unstable();
        new.dedup();
        if self.reached.len() + new.len() > MAX_REACHED {
            self.is_cut = true;
            new.truncate(MAX_REACHED.saturating_sub(self.reached.len()));
        }

        let mut briefs = store::briefs(self.snapshot, &new)?;
        for each in uses
            .iter()
            .filter(|each| each.edge_type != EdgeType::Imports)
        {
            if let Some(brief) = briefs.remove(&each.source) {
                let (path, line) = (Arc::clone(&each.path), each.line);
                let reached = Reached {
                    distance,
                    is_certain,
                    path,
                    line,
                    brief,
                };
                self.reached.insert(each.source, reached);
            }
        }
        Ok(())
    }

    /// Reaches what is one step from the symbols at the previous distance; returns whether there
    /// were any.
    fn step(&mut self, distance: usize) -> Result<bool, QueryError> {
        self.snapshot.check()?;
        for is_certain in [true, false] {
            let last = |reached: &&Reached| {
                reached.distance == distance - 1 && reached.is_certain == is_certain
            };
            let frontier = self
                .reached
                .values()
                .filter(last)
                .map(|reached| &reached.brief);
            let (types, members): (Vec<_>, Vec<_>) = frontier
                .filter(|brief| brief.node_type != NodeType::File)
                .partition(|brief| is_type(brief.node_type));
            let types: Vec<NodeId> = types.iter().map(|brief| brief.id).collect();
            let members: Vec<NodeId> = members.iter().map(|brief| brief.id).collect();

            let mut uses = self.uses(&members, &FOLLOWED)?;
            uses.extend(self.containers(&members, &uses)?);
            uses.extend(self.uses(&types, &SUBTYPES)?);
            self.reach(&uses, distance, is_certain)?;
            let bases = self.bases(&members)?;
            let uses = self.uses(&bases, &[EdgeType::Calls, EdgeType::References])?;
            self.reach(&uses, distance, false)?;
        }
        Ok(self
            .reached
            .values()
            .any(|reached| reached.distance == distance)
            && !self.is_cut)
    }

    /// Counts the steps and sorts out tests and public symbols.
    fn summarize(self, found: &mut Impact) {
        let mut steps: Vec<(ImpactStep, FxHashSet<Arc<str>>)> = Vec::new();
        for (id, reached) in self.reached {
            if store::is_test_path(&reached.path) {
                let Reached {
                    distance,
                    path,
                    line,
                    ..
                } = reached;
                found.tests.push(ReachingTest {
                    source: id,
                    path,
                    line,
                    distance,
                });
                continue;
            }
            if steps.len() < reached.distance {
                steps.resize_with(reached.distance, Default::default);
            }
            let (step, files) = &mut steps[reached.distance - 1];
            step.symbols += 1;
            step.possible += usize::from(!reached.is_certain);
            files.insert(reached.path);
            if reached.brief.flags.has(NodeFlags::PUBLIC_API)
                && reached.brief.node_type != NodeType::File
            {
                found.public.push((id, reached.distance));
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
    }
}

fn place(site: &AffectedUse) -> (&str, u32, u32, EdgeType) {
    (&site.path, site.line, site.column, site.edge_type)
}
