//! Indirect callers, and the tests that reach a symbol.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::dispatch::{DispatchKind, route_key, verb_and_path, verbs_agree};
use crate::model::graph::{
    Dialect, EdgeDirection, EdgeType, Language, NodeFlags, NodeId, NodeType,
};
use crate::query::graph::mocks::Mocks;
use crate::query::{
    DispatchStep, Labels, Occurrence, Occurrences, QueryError, bases_of, dispatched_to,
    is_compound, requests_of_files,
};
use crate::store::{self, DispatchRow, FileKey, IncidentEdge, Snapshot, SymbolBrief};

/// Maximum number of symbols per level whose callers are searched.
const MAX_LEVEL: usize = 300;

/// A symbol with a use of it.
type Use = (NodeId, IncidentEdge);

/// The symbols that call others.
struct Callers {
    ids: Vec<NodeId>,
    /// Whether some only forward to another one of the same name.
    has_forwarding: bool,
}

/// The uses of the symbols that call others.
#[derive(Clone, Debug, Default)]
pub struct CallersOfCallers {
    /// Calls of these symbols, and places that pass them on.
    pub certain: Vec<Occurrence>,
    /// Calls of what these symbols implement or override, which may run them.
    pub through_bases: Vec<Occurrence>,
    /// Steps that lead to these symbols without a call, such as the events that they handle.
    pub dispatched: Vec<DispatchStep>,
    /// Whether overloads that forward to callers count as these.
    pub has_forwarding: bool,
    /// The names of these symbols that unresolved uses have, each with their number.
    pub unresolved: Vec<(String, u64)>,
}

/// Returns the uses of the symbols that call `nodes`, except those by `nodes` and these callers.
pub fn callers_of_callers(
    occurrences: &mut Occurrences<'_, '_>,
    nodes: &[NodeId],
) -> Result<CallersOfCallers, QueryError> {
    let Callers {
        ids: callers,
        has_forwarding,
    } = callers(occurrences, nodes)?;
    let unresolved = unresolved_of(occurrences.sources.snapshot(), &callers)?;
    let bases = bases_of(occurrences.sources.snapshot(), &callers)?;
    let bases: Vec<NodeId> = bases.into_iter().map(|(id, _)| id).collect();

    let snapshot = occurrences.sources.snapshot();
    let classes = store::classes(snapshot, &callers)?;
    // A function that is passed on may be called; a constant holds what its value calls: `schema.refine(() => check())`.
    let is_function = |id: &&NodeId| {
        let class = classes.get(id);
        class.is_some_and(|class| matches!(class.node_type, NodeType::Method | NodeType::Property))
    };
    let functions: Vec<NodeId> = callers.iter().filter(is_function).copied().collect();

    let mut calls = Vec::new();
    for (callers, edge_type) in [
        (&callers, EdgeType::Calls),
        (&functions, EdgeType::References),
    ] {
        let direction = EdgeDirection::Incoming;
        store::each_use(snapshot, callers, &[edge_type], direction, |of, edge| {
            if of != edge.other {
                calls.push(edge);
            }
        })?;
    }
    let mut of_bases = occurrences.incoming(&bases, &[EdgeType::Calls])?;
    of_bases.retain(|edge| !callers.contains(&edge.other));
    for edges in [&mut calls, &mut of_bases] {
        edges.retain(|edge| !nodes.contains(&edge.other));
    }
    let snapshot = occurrences.sources.snapshot();
    let mut dispatched = dispatched_to(snapshot, &callers)?;
    dispatched.extend(requests_of_files(snapshot, &callers)?);
    Ok(CallersOfCallers {
        certain: occurrences.of_edges(&calls)?,
        through_bases: occurrences.of_edges(&of_bases)?,
        dispatched,
        has_forwarding,
        unresolved,
    })
}

/// Counts the unresolved uses that have the names of some symbols, of names that are no common words.
fn unresolved_of(
    snapshot: &Snapshot,
    symbols: &[NodeId],
) -> Result<Vec<(String, u64)>, QueryError> {
    let mut counts = BTreeMap::new();
    for brief in store::briefs(snapshot, symbols)?.into_values() {
        if is_compound(&brief.name) {
            let count = store::unresolved_with_name(snapshot, &brief.name)?;
            counts.insert(brief.name, count);
        }
    }
    Ok(counts.into_iter().filter(|(_, count)| *count > 0).collect())
}

/// The tests that reach some symbols.
#[derive(Clone, Debug, Default)]
pub struct ReachingTests {
    /// Uses of the symbols in tests, also in their helpers.
    pub direct: Vec<Occurrence>,
    /// Uses in other tests of what leads to the symbols, such as their callers and helpers of tests.
    pub indirect: Vec<Occurrence>,
    /// The short names of what these use.
    pub through: Vec<String>,
    /// Requests in tests for routes of the symbols or of their callers.
    pub requests: Vec<Occurrence>,
}

impl ReachingTests {
    /// Returns all uses.
    #[must_use]
    pub fn all(self) -> Vec<Occurrence> {
        let mut all = self.direct;
        all.extend(self.indirect);
        all
    }
}

/// Returns the uses of symbols in tests, and the nearest ones through at most this number of other
/// symbols. A call of a member that one of them implements or overrides may run it, too.
pub fn tests_reaching(
    occurrences: &mut Occurrences<'_, '_>,
    nodes: &[NodeId],
    steps: u32,
) -> Result<ReachingTests, QueryError> {
    let mut seen: FxHashSet<NodeId> = nodes.iter().copied().collect();
    let mut level = nodes.to_vec();
    let mut found = ReachingTests::default();
    let mut modules = Modules::of(occurrences, nodes)?;
    for step in 0..=steps {
        level.extend(base_members(occurrences.sources.snapshot(), &level)?);
        let (in_tests, mut next) = users(occurrences, &level, &mut seen)?;
        let testing = in_tests.iter().map(|(_, edge)| edge.other).collect();
        if step == 0 {
            let edges: Vec<IncidentEdge> = in_tests.into_iter().map(|(_, edge)| edge).collect();
            found.direct = occurrences.of_edges(&edges)?;
        } else {
            add_indirect(occurrences, &mut found, (in_tests, &mut modules))?;
        }
        if !found.indirect.is_empty() {
            // What uses a helper of tests is a test, too.
            let helpers = without_files(occurrences.sources.snapshot(), testing)?;
            let (of_helpers, _) = users(occurrences, &helpers, &mut seen)?;
            add_indirect(occurrences, &mut found, (of_helpers, &mut modules))?;
            break;
        }

        let snapshot = occurrences.sources.snapshot();
        let containers = passing_on(snapshot, &level)?;
        next.extend(containers.into_iter().filter(|id| seen.insert(*id)));
        level = without_files(snapshot, next)?;
        level.extend(forwarding(snapshot, (nodes, &level), &mut seen)?);
    }
    found.requests = requesting_tests(occurrences, nodes)?;
    Ok(found)
}

/// Returns the callers at all levels of some symbols that only forward to them under the name of one of `nodes`:
/// `Shop.total` calls `Cart.total`, which calls `Item.total`.
fn forwarding(
    snapshot: &Snapshot,
    (nodes, callers): (&[NodeId], &[NodeId]),
    seen: &mut FxHashSet<NodeId>,
) -> Result<Vec<NodeId>, QueryError> {
    let briefs = store::briefs(snapshot, nodes)?;
    let names: FxHashSet<&str> = briefs.values().map(|brief| brief.name.as_str()).collect();
    let of_name = |ids: &[NodeId]| -> Result<Vec<NodeId>, QueryError> {
        let briefs = store::briefs(snapshot, ids)?;
        let mut ids = ids.to_vec();
        ids.retain(|id| {
            briefs
                .get(id)
                .is_some_and(|brief| names.contains(&*brief.name))
        });
        Ok(ids)
    };

    let mut found = Vec::new();
    let mut level = of_name(callers)?;
    while !level.is_empty() && found.len() < MAX_LEVEL {
        let mut next = Vec::new();
        let direction = EdgeDirection::Incoming;
        store::each_use(
            snapshot,
            &level,
            &[EdgeType::Calls],
            direction,
            |_, edge| {
                next.push(edge.other);
            },
        )?;
        level = of_name(&next)?;
        level.retain(|id| seen.insert(*id));
        found.extend(&level);
    }
    Ok(found)
}

/// Returns what members among some symbols implement or override. What uses a base type need not use a type below it.
fn base_members(snapshot: &Snapshot, nodes: &[NodeId]) -> Result<Vec<NodeId>, QueryError> {
    let bases: Vec<NodeId> = bases_of(snapshot, nodes)?
        .into_iter()
        .map(|(id, _)| id)
        .collect();
    let classes = store::classes(snapshot, &bases)?;
    let is_member = |id: &NodeId| {
        let class = classes.get(id);
        class.is_some_and(|class| !class.node_type.is_type())
    };
    Ok(bases.into_iter().filter(is_member).collect())
}

/// Returns the requests in tests for routes that run symbols or their callers.
fn requesting_tests(
    occurrences: &mut Occurrences<'_, '_>,
    nodes: &[NodeId],
) -> Result<Vec<Occurrence>, QueryError> {
    let mut running = callers(occurrences, nodes)?.ids;
    running.extend(nodes);
    let snapshot = occurrences.sources.snapshot();
    let mut sites = Vec::new();
    for step in dispatched_to(snapshot, &running)? {
        match step.kind {
            DispatchKind::Requests => sites.push(step.site),
            DispatchKind::Serves => sites.extend(requests_with_values(snapshot, &step.label)?),
            _ => {}
        }
    }

    let mut requests = Vec::new();
    for (file, line) in sites {
        let path = occurrences.path(file)?;
        if store::is_test_path(&path) {
            requests.push(occurrences.at(&path, line)?);
        }
    }
    requests.sort_unstable();
    requests.dedup();
    Ok(requests)
}

/// Returns the sites of requests that have values where a route has parameters.
fn requests_with_values(
    snapshot: &Snapshot,
    route: &str,
) -> Result<Vec<(FileKey, u32)>, QueryError> {
    let (verb, path) = verb_and_path(route);
    let key = route_key(path);
    if !key.contains('*') {
        return Ok(Vec::new());
    }

    let fits = |row: &DispatchRow| {
        let (other_verb, other) = verb_and_path(&row.label);
        let other = route_key(other);
        let mut pairs = key.split('/').zip(other.split('/'));
        verbs_agree(verb, other_verb)
            && key.split('/').count() == other.split('/').count()
            && pairs.all(|(own, other)| has_form(other, own))
    };

    let mut rows = store::dispatch_of_kind(snapshot, DispatchKind::Requests)?;
    rows.retain(fits);
    Ok(rows.iter().map(|row| (row.file, row.line)).collect())
}

/// Reports whether a segment of a path has the form of a route's: `v2` of `v*`.
fn has_form(segment: &str, form: &str) -> bool {
    match form.split_once('*') {
        Some((start, end)) => {
            let rest = segment.strip_prefix(start);
            rest.is_some_and(|rest| rest.ends_with(end))
        }
        None => segment == form,
    }
}

/// Returns the uses of symbols in tests, and the users that are not `seen` yet: those of a helper in a
/// file of tests are tests, too.
fn users(
    occurrences: &Occurrences<'_, '_>,
    nodes: &[NodeId],
    seen: &mut FxHashSet<NodeId>,
) -> Result<(Vec<Use>, Vec<NodeId>), QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let mut uses = derivations(snapshot, nodes)?;
    let edge_types = [EdgeType::Calls, EdgeType::References];
    let direction = EdgeDirection::Incoming;
    store::each_use(snapshot, nodes, &edge_types, direction, |of, edge| {
        uses.push((of, edge));
    })?;

    let mut tests = FxHashSet::default();
    for file in uses
        .iter()
        .map(|(_, edge)| edge.file)
        .collect::<FxHashSet<_>>()
    {
        if store::file_path(snapshot, file)?.is_some_and(|path| store::is_test_path(&path)) {
            tests.insert(file);
        }
    }

    uses.sort_by_key(|(_, edge)| tests.contains(&edge.file));
    let mut next = Vec::new();
    for (_, edge) in &uses {
        if next.len() < MAX_LEVEL && seen.insert(edge.other) {
            next.push(edge.other);
        }
    }
    uses.retain(|(_, edge)| tests.contains(&edge.file));
    Ok((uses, next))
}

/// Returns the places where types derive, at any level, from the types of the constructors among some
/// symbols: making an object of them runs the constructor.
fn derivations(snapshot: &Snapshot, nodes: &[NodeId]) -> Result<Vec<Use>, QueryError> {
    let briefs = store::briefs(snapshot, nodes)?;
    let mut found = Vec::new();
    for constructor in nodes {
        let is_constructor = |brief: &&SymbolBrief| brief.node_type == NodeType::Constructor;
        let brief = briefs.get(constructor).filter(is_constructor);
        let Some(parent) = brief.and_then(|brief| brief.parent) else {
            continue;
        };

        let mut types = FxHashSet::from_iter([parent]);
        let mut level = vec![parent];
        while !level.is_empty() && found.len() < MAX_LEVEL {
            let mut next = Vec::new();
            let edge_types = [EdgeType::Inherits];
            let direction = EdgeDirection::Incoming;
            store::each_use(snapshot, &level, &edge_types, direction, |_, edge| {
                if types.insert(edge.other) {
                    next.push(edge.other);
                    found.push((*constructor, edge));
                }
            })?;
            level = next;
        }
    }
    Ok(found)
}

/// The modules of the symbols that tests are to reach, some of which a test may replace.
struct Modules {
    paths: Vec<String>,
    /// The paths of the symbols by which tests may reach them.
    of_callers: FxHashMap<NodeId, Vec<String>>,
    mocks: Mocks,
}

impl Modules {
    fn of(occurrences: &Occurrences<'_, '_>, nodes: &[NodeId]) -> Result<Self, QueryError> {
        Ok(Self {
            paths: paths_of(occurrences.sources.snapshot(), nodes)?,
            of_callers: FxHashMap::default(),
            mocks: Mocks::default(),
        })
    }

    /// Reports whether a test replaces the module of the symbols, or that of the symbol by which it would reach them.
    fn are_replaced(
        &mut self,
        occurrences: &mut Occurrences<'_, '_>,
        (through, edge): (NodeId, &IncidentEdge),
    ) -> Result<bool, QueryError> {
        let test = occurrences.path(edge.file)?;
        if Dialect::of_path(&test).map(Dialect::language) != Some(Language::TypeScript) {
            return Ok(false);
        }

        if self.mocks.replaces(occurrences, &test, &self.paths)? {
            return Ok(true);
        }

        let paths = match self.of_callers.entry(through) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(paths_of(occurrences.sources.snapshot(), &[through])?),
        };
        self.mocks.replaces(occurrences, &test, paths)
    }
}

/// Returns the paths of the files that declare some symbols.
fn paths_of(snapshot: &Snapshot, nodes: &[NodeId]) -> Result<Vec<String>, QueryError> {
    let mut paths = Vec::new();
    for brief in store::briefs(snapshot, nodes)?.into_values() {
        let path = brief
            .file
            .map_or(Ok(None), |file| store::file_path(snapshot, file))?;
        paths.extend(path);
    }
    paths.sort_unstable();
    paths.dedup();
    Ok(paths)
}

/// Adds uses in tests that do not use the symbols directly, and names what they use. Uses in tests that replace the
/// modules are left out.
fn add_indirect(
    occurrences: &mut Occurrences<'_, '_>,
    found: &mut ReachingTests,
    (uses, modules): (Vec<Use>, &mut Modules),
) -> Result<(), QueryError> {
    let direct: FxHashSet<(&str, &str)> = found
        .direct
        .iter()
        .map(|place| (place.path.as_str(), place.symbol.as_str()))
        .collect();

    let (mut indirect, mut through) = (std::mem::take(&mut found.indirect), Vec::new());
    for (of, edge) in uses {
        if modules.are_replaced(occurrences, (of, &edge))? {
            continue;
        }
        let places = occurrences.of_edges(&[edge])?;
        let is_new = |place: &Occurrence| {
            place.symbol.is_empty() || !direct.contains(&(&place.path, &place.symbol))
        };
        if places.iter().any(is_new) {
            indirect.extend(places);
            through.push(of);
        }
    }
    indirect.sort_unstable();
    indirect.dedup_by(|a, b| (&a.path, a.line) == (&b.path, b.line));
    found.indirect = indirect;

    through.sort_unstable();
    through.dedup();
    let mut labels = Labels::default();
    labels.load(occurrences.sources.snapshot(), through.iter().copied())?;
    let names = through.iter().map(|id| labels.short(*id));
    found.through.extend(names);
    found.through.sort_unstable();
    found.through.dedup();
    Ok(())
}

/// Returns the containers of functions in functions and object literals that nothing uses by name:
/// such a container passes the function on to code that calls it.
fn passing_on(snapshot: &Snapshot, ids: &[NodeId]) -> Result<Vec<NodeId>, QueryError> {
    let briefs = store::briefs(snapshot, ids)?;
    let mut containers = Vec::new();
    for id in ids {
        let local = briefs
            .get(id)
            .filter(|brief| brief.flags.has(NodeFlags::LOCAL));
        let Some(container) = local.and_then(|brief| brief.parent) else {
            continue;
        };
        if store::incident_edges(snapshot, *id, None, EdgeDirection::Incoming)?.is_empty() {
            containers.push(container);
        }
    }
    Ok(containers)
}

/// Returns the callers of these symbols, and overloads of the same name that forward to them.
fn callers(occurrences: &Occurrences<'_, '_>, nodes: &[NodeId]) -> Result<Callers, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let mut seen: FxHashSet<NodeId> = nodes.iter().copied().collect();
    let calls = occurrences.incoming(nodes, &[EdgeType::Calls])?;
    let mut callers = calls.iter().map(|edge| edge.other).collect::<Vec<_>>();
    callers.retain(|id| seen.insert(*id));
    let mut callers = without_files(snapshot, callers)?;
    callers.truncate(MAX_LEVEL);

    let direct = callers.len();
    let mut level = callers.clone();
    while !level.is_empty() && callers.len() < MAX_LEVEL {
        level = forwarding_overloads(snapshot, &level)?;
        level.retain(|id| seen.insert(*id));
        callers.extend(&level);
    }
    Ok(Callers {
        has_forwarding: callers.len() > direct,
        ids: callers,
    })
}

/// Returns the overloads of some symbols that call them.
fn forwarding_overloads(snapshot: &Snapshot, nodes: &[NodeId]) -> Result<Vec<NodeId>, QueryError> {
    let mut calls: Vec<(NodeId, NodeId)> = Vec::new();
    let edge_types = [EdgeType::Calls];
    let direction = EdgeDirection::Incoming;
    store::each_use(snapshot, nodes, &edge_types, direction, |of, edge| {
        calls.push((of, edge.other));
    })?;
    let mut ids: Vec<NodeId> = nodes.to_vec();
    ids.extend(calls.iter().map(|(_, caller)| *caller));
    ids.sort_unstable();
    ids.dedup();
    let known = store::briefs(snapshot, &ids)?;

    let name = |id: &NodeId| known.get(id).map(|brief| (&brief.name, brief.parent));
    let is_overload =
        |(of, caller): &&(NodeId, NodeId)| name(of).is_some() && name(of) == name(caller);
    let found = calls.iter().filter(is_overload);
    Ok(found.map(|(_, caller)| *caller).collect())
}

/// Drops files: code at module level is called by nobody.
fn without_files(snapshot: &Snapshot, mut ids: Vec<NodeId>) -> Result<Vec<NodeId>, QueryError> {
    let classes = store::classes(snapshot, &ids)?;
    ids.retain(|id| {
        let class = classes.get(id);
        class.is_some_and(|class| class.node_type != NodeType::File)
    });
    Ok(ids)
}
