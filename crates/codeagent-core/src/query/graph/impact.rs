//! Impact: the direct and transitive effects of a change to some symbols.
//!
//! The uses, overrides and implementations of the symbols, also under the names of their wrappers,
//! must change with them. Callers of a member that they override or implement may be affected. From
//! there the walk follows calls, references and overrides; a member reached is also reached through
//! what it implements, which is possible, not certain. A function in a function or object literal
//! that nothing uses by name leads to what contains it.
//!
//! Limitations: a type is followed to its subtypes, not to everything that names it. Code at module
//! level belongs to its file, which is not followed further. At most [`walk::MAX_REACHED`] symbols are
//! visited.

mod walk;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::model::graph::{Confidence, EdgeType, NodeId, NodeType};
use crate::query::{DispatchStep, QueryError, Sources, dispatched_to, wrappers_of};
use crate::store::{self, FileKey, SymbolBrief};
use walk::{ImpactWalk, Reaching};

/// Maximum depth.
pub const MAX_IMPACT_DEPTH: usize = 5;

/// Types of edges whose sources must change with a symbol.
pub(in crate::query) const DIRECT: [EdgeType; 8] = [
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
    /// The key of that file.
    pub file: FileKey,
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
    /// Steps that lead to the symbols without a call.
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
}

/// Returns the effects of a change to some symbols.
pub fn impact(sources: &mut Sources<'_>, query: &ImpactQuery<'_>) -> Result<Impact, QueryError> {
    let snapshot = sources.snapshot();
    let changed = ImpactRoots::of(sources, query.targets)?;
    let mut walk = ImpactWalk::new(snapshot, changed.inside.clone());
    let mut found = Impact {
        targets: query.targets.to_vec(),
        wrappers: changed.wrappers.clone(),
        ..Impact::default()
    };

    let direct = walk.uses(&changed.roots, &DIRECT)?;
    let used = direct.iter().map(|each| each.target).collect();
    walk.reach(Reaching::by(&direct), 1, true)?;
    let containers = walk.containers(&changed.roots, &used)?;
    walk.reach(containers, 1, true)?;
    found.bases = walk.bases(&changed.roots)?;
    let possible = walk.uses(&found.bases, &FOLLOWED)?;
    let possible: Vec<AffectedUse> = possible
        .into_iter()
        .filter(|each| !DISPATCH.contains(&each.edge_type))
        .collect();
    walk.reach(Reaching::by(&possible), 1, false)?;
    found.dispatched = dispatched_to(snapshot, &changed.with_members())?;
    found.member_uses = member_uses(&mut walk, &changed)?;

    for distance in 2..=query.depth.clamp(1, MAX_IMPACT_DEPTH) {
        if !walk.step(distance)? {
            break;
        }
    }

    found.direct = without_imports(without_tests(direct));
    found.possible = without_tests(possible);
    walk.summarize(&mut found)?;
    Ok(found)
}

/// Drops the uses in tests. Uses in one file follow each other.
fn without_tests(mut uses: Vec<AffectedUse>) -> Vec<AffectedUse> {
    let (mut file, mut is_test) = (None, false);
    uses.retain(|each| {
        if file != Some(each.file) {
            (file, is_test) = (Some(each.file), store::is_test_path(&each.path));
        }
        !is_test
    });
    uses
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
fn member_uses(
    walk: &mut ImpactWalk<'_>,
    changed: &ImpactRoots,
) -> Result<(usize, usize), QueryError> {
    if changed.members.is_empty() {
        return Ok((0, 0));
    }
    let uses = walk.uses(&changed.members, &[EdgeType::Calls, EdgeType::References])?;
    let files: FxHashSet<&str> = uses.iter().map(|each| &*each.path).collect();
    Ok((uses.len(), files.len()))
}

/// The changed symbols with related symbols.
struct ImpactRoots {
    /// Targets, their constructors and wrappers, and everything inside target files.
    roots: Vec<NodeId>,
    /// Members of target types, except constructors.
    members: Vec<NodeId>,
    /// Roots and everything inside them. Uses from there do not count.
    inside: FxHashSet<NodeId>,
    wrappers: Vec<NodeId>,
}

impl ImpactRoots {
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
            .filter(|root| root.node_type.is_type())
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

impl ImpactRoots {
    fn with_members(&self) -> Vec<NodeId> {
        self.roots.iter().chain(&self.members).copied().collect()
    }
}
