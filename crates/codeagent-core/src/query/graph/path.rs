//! Paths: the cheapest chain of uses that leads from one symbol to another.
//!
//! A call costs 1; a dispatch to an implementation or override, or through a container, mediator,
//! event or route, 2; a reference 4. Creating an object may run its overrides later, and a function
//! those in it, which costs 4. A symbol with many uses costs extra: the logarithm of their number.
//! The search starts at both ends and expands all symbols of one cost by one statement. `nameof(x)` runs
//! nothing, so a path with such a reference is searched again without it.
//!
//! Limitations: a path has at most [`MAX_STEPS`] steps and costs at most [`MAX_COST`]. A cheap path
//! with too many steps can hide a more expensive one with few. The search ends after
//! [`MAX_VISITED`] symbols.

mod messages;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::dispatch::DispatchKind;
use crate::model::graph::{EdgeDirection, EdgeType, NodeFlags, NodeId, NodeType};
use crate::query::labels::Labels;
use crate::query::{DispatchStep, QueryError, Sources, dispatched_from, dispatched_to};
use crate::store::{self, FileKey, IncidentEdge, Snapshot, SymbolBrief};

use self::messages::MessageHandlers;

/// Maximum number of steps in a path.
pub const MAX_STEPS: usize = 8;

/// Maximum cost of a path.
const MAX_COST: u32 = 28;

/// Maximum number of symbols visited per search.
const MAX_VISITED: usize = 20_000;

/// Maximum number of uses counted per symbol.
const MAX_COUNTED: usize = 4_096;

/// Maximum number of paths that are left because they only name a symbol.
const MAX_RETRIES: usize = 8;

/// Maximum number of other paths that are looked for.
const MAX_OTHERS: usize = 4;

/// Binary logarithm of the number of uses from which a symbol costs extra.
const HUB_BITS: u32 = 4;

const USES: [EdgeType; 4] = [
    EdgeType::Calls,
    EdgeType::References,
    EdgeType::Imports,
    EdgeType::Accepts,
];
const DISPATCH: [EdgeType; 4] = [
    EdgeType::Overrides,
    EdgeType::Implements,
    EdgeType::Inherits,
    EdgeType::Extends,
];

/// How one symbol of a path leads to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// It calls the next.
    Call,
    /// A call of it may run the next, which implements or overrides it.
    Dispatch,
    /// It creates an object whose override, or a function whose inner function, may run later.
    Later,
    /// It refers to the next.
    Reference,
    /// A container, mediator, event or route leads to it.
    Dispatched(DispatchKind),
}

impl Link {
    fn of(edge_type: EdgeType) -> Self {
        match edge_type {
            EdgeType::Calls => Self::Call,
            EdgeType::Overrides | EdgeType::Implements | EdgeType::Inherits | EdgeType::Extends => {
                Self::Dispatch
            }
            EdgeType::References | EdgeType::Imports | EdgeType::Accepts | EdgeType::Contains => {
                Self::Reference
            }
        }
    }

    fn cost(self) -> u32 {
        match self {
            Self::Call => 1,
            Self::Dispatch | Self::Dispatched(_) => 2,
            Self::Later | Self::Reference => 4,
        }
    }
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// Source of the step.
    pub from: NodeId,
    /// Target of the step.
    pub to: NodeId,
    /// How the source leads to the target.
    pub link: Link,
    /// Repo-relative path of the use, or of the declaration of the override.
    pub path: String,
    /// Line of the use or declaration.
    pub line: u32,
}

/// The result of [`find_path`].
#[derive(Clone, Debug, Default)]
pub struct PathSearch {
    /// The steps of the cheapest path; `None` if there is none. Empty if the two ends share a
    /// symbol.
    pub steps: Option<Vec<PathStep>>,
    /// Whether the path leads from the second end to the first.
    pub is_reversed: bool,
    /// Whether the search ended before everything within the limits was visited.
    pub is_cut: bool,
    /// Names of the symbols on the path.
    pub labels: Labels,
}

/// Finds the cheapest path from a symbol in `from` to one in `to`, or in the opposite direction if
/// there is none. A type, file or namespace stands for everything inside it.
pub fn find_path(
    sources: &mut Sources<'_>,
    from: &[NodeId],
    to: &[NodeId],
) -> Result<PathSearch, QueryError> {
    let snapshot = sources.snapshot();
    let (from, to) = (with_members(snapshot, from)?, with_members(snapshot, to)?);
    let mut found = running_path(sources, &from, &to)?;
    if found.steps.is_none() {
        let back = running_path(sources, &to, &from)?;
        if back.steps.is_some() {
            found = PathSearch {
                is_reversed: true,
                ..back
            };
        }
    }

    let ends = found
        .steps
        .iter()
        .flatten()
        .flat_map(|step| [step.from, step.to]);

    let ends: Vec<NodeId> = ends.collect();
    found.labels.load(snapshot, ends)?;
    Ok(found)
}

/// Returns the first steps of other paths between the same ends that have as many steps of the same costs as a path, at
/// most four.
pub fn others_as_short(
    sources: &mut Sources<'_>,
    (from, to): (&[NodeId], &[NodeId]),
    steps: &[PathStep],
) -> Result<Vec<PathStep>, QueryError> {
    let [first, _, ..] = steps else {
        return Ok(Vec::new());
    };
    let snapshot = sources.snapshot();
    let (from, to) = (with_members(snapshot, from)?, with_members(snapshot, to)?);
    let cost = |steps: &[PathStep]| steps.iter().map(|step| step.link.cost()).sum::<u32>();

    let mut avoided = FxHashSet::from_iter([first.to]);
    let mut others = Vec::new();
    while others.len() < MAX_OTHERS {
        let found = path_around(sources, (&from, &to), &avoided)?;
        let is_as_short = |other: &Vec<PathStep>| {
            other.len() == steps.len() && cost(other) == cost(steps) && other[0].from == first.from
        };
        let Some(mut other) = found.steps.filter(is_as_short) else {
            break;
        };
        let other = other.swap_remove(0);
        avoided.insert(other.to);
        others.push(other);
    }
    Ok(others)
}

/// Finds the cheapest path in one direction whose steps may all run.
fn running_path(
    sources: &mut Sources<'_>,
    from: &FxHashSet<NodeId>,
    to: &FxHashSet<NodeId>,
) -> Result<PathSearch, QueryError> {
    path_around(sources, (from, to), &FxHashSet::default())
}

/// Finds the cheapest path in one direction whose steps may all run and that avoids some symbols.
fn path_around(
    sources: &mut Sources<'_>,
    (from, to): (&FxHashSet<NodeId>, &FxHashSet<NodeId>),
    avoided: &FxHashSet<NodeId>,
) -> Result<PathSearch, QueryError> {
    let mut naming = FxHashSet::default();
    for _ in 0..MAX_RETRIES {
        let without = (&naming, avoided);
        let search = ShortestPath::new(sources.snapshot(), from, to, without)?;
        let found = search.run()?;
        let known = naming.len();

        for step in found.steps.iter().flatten() {
            if step.link == Link::Reference
                && let Some(line) = sources.line(&step.path, step.line)?
                && line.contains("nameof(")
                && let Some(file) = store::file_by_path(sources.snapshot(), &step.path)?
            {
                naming.insert((file.id, step.line));
            }
        }

        if naming.len() == known {
            return Ok(found);
        }
    }

    Ok(PathSearch::default())
}

/// Returns the symbols, together with everything inside those that are not functions.
fn with_members(snapshot: &Snapshot, symbols: &[NodeId]) -> Result<FxHashSet<NodeId>, QueryError> {
    let mut all: FxHashSet<NodeId> = symbols.iter().copied().collect();
    let mut level: Vec<NodeId> = store::briefs(snapshot, symbols)?
        .into_values()
        .filter(|symbol| !matches!(symbol.node_type, NodeType::Method | NodeType::Constructor))
        .map(|symbol| symbol.id)
        .collect();
    while !level.is_empty() && all.len() < MAX_VISITED {
        let children = store::children_of(snapshot, &level)?;
        level = children
            .into_iter()
            .map(|child| child.id)
            .filter(|id| all.insert(*id))
            .collect();
    }
    Ok(all)
}

/// How the search reached a symbol.
#[derive(Clone, Copy)]
struct Hop {
    /// The previous symbol, one step nearer to the start of this side.
    nearer: NodeId,
    link: Link,
    file: Option<FileKey>,
    line: u32,
}

#[derive(Clone, Copy)]
struct Visit {
    cost: u32,
    steps: usize,
    hop: Option<Hop>,
}

/// The search from one end.
struct Frontier {
    direction: EdgeDirection,
    visits: FxHashMap<NodeId, Visit>,
    /// Symbols to expand, by cost.
    queue: BTreeMap<u32, Vec<NodeId>>,
}

impl Frontier {
    fn new(direction: EdgeDirection, start: &FxHashSet<NodeId>) -> Self {
        let visit = Visit {
            cost: 0,
            steps: 0,
            hop: None,
        };
        let mut first: Vec<NodeId> = start.iter().copied().collect();
        first.sort_unstable();
        Self {
            direction,
            visits: first.iter().map(|id| (*id, visit)).collect(),
            queue: BTreeMap::from([(0, first)]),
        }
    }

    /// Returns the smallest cost of a symbol to expand, and the number of symbols with it.
    fn next(&self) -> Option<(u32, usize)> {
        self.queue
            .first_key_value()
            .map(|(cost, ids)| (*cost, ids.len()))
    }

    /// Takes the symbols of the smallest cost that can be expanded further.
    fn take(&mut self) -> Vec<NodeId> {
        let Some((cost, mut ids)) = self.queue.pop_first() else {
            return Vec::new();
        };
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| {
            self.visits
                .get(id)
                .is_some_and(|visit| visit.cost == cost && visit.steps < MAX_STEPS)
        });
        ids
    }
}

struct ShortestPath<'a> {
    snapshot: &'a Snapshot,
    forward: Frontier,
    backward: Frontier,
    goal: FxHashSet<NodeId>,
    /// Extra costs of symbols.
    hubs: FxHashMap<NodeId, u32>,
    /// Places of references that are not followed.
    naming: &'a FxHashSet<(FileKey, u32)>,
    /// Symbols that are not entered.
    avoided: &'a FxHashSet<NodeId>,
    handlers: MessageHandlers,
    /// Cost of the best path, and the symbol where its halves meet.
    best: Option<(u32, NodeId)>,
}

/// A step that one side can take.
#[derive(Clone, Copy)]
struct Offer {
    of: NodeId,
    other: NodeId,
    hop: Hop,
}

impl Offer {
    /// The step along an edge of `of`.
    fn along(edge: &IncidentEdge, of: NodeId, link: Link) -> Self {
        let hop = Hop {
            nearer: of,
            link,
            file: Some(edge.file),
            line: edge.line,
        };
        Self {
            of,
            other: edge.other,
            hop,
        }
    }
}

impl<'a> ShortestPath<'a> {
    fn new(
        snapshot: &'a Snapshot,
        from: &FxHashSet<NodeId>,
        to: &FxHashSet<NodeId>,
        (naming, avoided): (&'a FxHashSet<(FileKey, u32)>, &'a FxHashSet<NodeId>),
    ) -> Result<Self, QueryError> {
        let shared = from.iter().filter(|id| to.contains(id)).min();

        Ok(Self {
            snapshot,
            handlers: MessageHandlers::load(snapshot)?,
            forward: Frontier::new(EdgeDirection::Outgoing, from),
            backward: Frontier::new(EdgeDirection::Incoming, to),
            goal: to.clone(),
            hubs: FxHashMap::default(),
            naming,
            avoided,
            best: shared.map(|id| (0, *id)),
        })
    }

    fn run(mut self) -> Result<PathSearch, QueryError> {
        let mut is_cut = false;
        while let (Some((ahead, width)), Some((behind, other_width))) =
            (self.forward.next(), self.backward.next())
        {
            let bound = self.best.map_or(MAX_COST + 1, |(cost, _)| cost);
            if ahead + behind >= bound {
                break;
            }
            if self.forward.visits.len() + self.backward.visits.len() > MAX_VISITED {
                is_cut = true;
                break;
            }

            self.snapshot.check()?;
            self.expand(width <= other_width)?;
        }

        let steps = match self.best {
            Some((_, meeting)) => Some(self.steps(meeting)?),
            None => None,
        };
        Ok(PathSearch {
            steps,
            is_cut,
            ..PathSearch::default()
        })
    }

    fn expand(&mut self, is_forward: bool) -> Result<(), QueryError> {
        let side = if is_forward {
            &mut self.forward
        } else {
            &mut self.backward
        };
        let ids = side.take();
        let direction = side.direction;
        let offers = self.offers(&ids, direction)?;

        // Entering a hub costs extra, but not if it is the end of the path.
        let entered = offers
            .iter()
            .map(|offer| if is_forward { offer.other } else { offer.of });
        let entered: Vec<NodeId> = entered.collect();
        self.weigh(&entered)?;
        for (offer, entered) in offers.into_iter().zip(entered) {
            let extra = if self.goal.contains(&entered) {
                0
            } else {
                self.hubs[&entered]
            };
            self.relax(is_forward, &offer, extra);
        }
        Ok(())
    }

    /// Returns the steps from these symbols in a direction.
    fn offers(&self, ids: &[NodeId], direction: EdgeDirection) -> Result<Vec<Offer>, QueryError> {
        let mut offers = Vec::new();
        let mut offer = |of: NodeId, edge: IncidentEdge| {
            let link = Link::of(edge.edge_type);
            if link == Link::Reference && self.naming.contains(&(edge.file, edge.line)) {
                return;
            }
            offers.push(Offer::along(&edge, of, link));
        };
        store::each_use(self.snapshot, ids, &USES, direction, &mut offer)?;
        self.drop_modules(&mut offers, direction)?;
        let handled = self.handled(ids, direction, &offers)?;
        offers.extend(handled);
        let mut offer = |of: NodeId, edge: IncidentEdge| {
            offers.push(Offer::along(&edge, of, Link::of(edge.edge_type)));
        };

        // A call of a member runs its overrides, so dispatch follows the edge backwards.
        let against = match direction {
            EdgeDirection::Outgoing => EdgeDirection::Incoming,
            EdgeDirection::Incoming => EdgeDirection::Outgoing,
        };
        store::each_use(self.snapshot, ids, &DISPATCH, against, &mut offer)?;
        offers.extend(self.later(ids, direction)?);
        offers.extend(self.dispatched(ids, direction)?);
        offers.extend(self.given(ids, direction)?);
        offers.retain(|offer| !self.avoided.contains(&offer.other));
        Ok(offers)
    }

    /// Removes the steps that only refer to a module before the end of the path: its name runs nothing in it.
    fn drop_modules(
        &self,
        offers: &mut Vec<Offer>,
        direction: EdgeDirection,
    ) -> Result<(), QueryError> {
        let target = |offer: &Offer| match direction {
            EdgeDirection::Outgoing => offer.other,
            EdgeDirection::Incoming => offer.of,
        };
        let is_open = |offer: &&Offer| {
            offer.hop.link == Link::Reference && !self.goal.contains(&target(offer))
        };
        let targets: Vec<NodeId> = offers.iter().filter(is_open).map(target).collect();
        let classes = store::classes(self.snapshot, &targets)?;
        offers.retain(|offer| {
            let class = classes.get(&target(offer)).filter(|_| is_open(&offer));
            class.is_none_or(|class| class.node_type != NodeType::File)
        });
        Ok(())
    }

    /// Returns the steps through containers, mediators, events and routes. A message leads to its handlers
    /// from where it is created; see [`Self::handled`].
    fn dispatched(
        &self,
        ids: &[NodeId],
        direction: EdgeDirection,
    ) -> Result<Vec<Offer>, QueryError> {
        let is_outgoing = direction == EdgeDirection::Outgoing;
        let steps = if is_outgoing {
            dispatched_from(self.snapshot, ids)?
        } else {
            dispatched_to(self.snapshot, ids)?
        };

        let offer = |step: DispatchStep| {
            let (from, to) = (step.from?, step.to?);
            let (of, other) = if is_outgoing { (from, to) } else { (to, from) };
            let hop = Hop {
                nearer: of,
                link: Link::Dispatched(step.kind),
                file: Some(step.site.0),
                line: step.site.1,
            };
            Some(Offer { of, other, hop })
        };

        let is_step = |step: &DispatchStep| step.runs() && step.kind != DispatchKind::Handles;
        let steps = steps.into_iter().filter(is_step);
        Ok(steps.filter_map(offer).collect())
    }

    /// Returns the constructors of types.
    fn constructors_of(
        &self,
        types: &[NodeId],
    ) -> Result<FxHashMap<NodeId, Vec<NodeId>>, QueryError> {
        let mut makers: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
        for child in store::children_of(self.snapshot, types)? {
            if let (NodeType::Constructor, Some(owner)) = (child.node_type, child.parent) {
                makers.entry(owner).or_default().push(child.id);
            }
        }
        Ok(makers)
    }

    /// Returns the steps between a function and the functions in it or in its object literals, which
    /// it may pass on to code that calls them.
    fn given(&self, ids: &[NodeId], direction: EdgeDirection) -> Result<Vec<Offer>, QueryError> {
        let is_outgoing = direction == EdgeDirection::Outgoing;
        let symbols = if is_outgoing {
            store::children_of(self.snapshot, ids)?
        } else {
            store::briefs(self.snapshot, ids)?.into_values().collect()
        };
        let mut locals: Vec<SymbolBrief> = symbols
            .into_iter()
            .filter(|symbol| symbol.flags.has(NodeFlags::LOCAL))
            .collect();
        locals.sort_unstable_by_key(|local| local.id);

        let offers = locals.iter().filter_map(|local| {
            let parent = local.parent?;
            Some(if is_outgoing {
                later_offer(parent, local.id, local)
            } else {
                later_offer(local.id, parent, local)
            })
        });
        Ok(offers.collect())
    }

    /// Returns the steps between a type and its overrides.
    fn later(&self, ids: &[NodeId], direction: EdgeDirection) -> Result<Vec<Offer>, QueryError> {
        let symbols = store::briefs(self.snapshot, ids)?;
        let mut offers = Vec::new();
        if direction == EdgeDirection::Outgoing {
            let types = created_types(symbols.values());
            let owners: Vec<NodeId> = types.keys().copied().collect();
            let members = store::children_of(self.snapshot, &owners)?;
            for member in self.overriding(members)? {
                if let Some(of) = member.parent.and_then(|owner| types.get(&owner)) {
                    offers.push(later_offer(*of, member.id, &member));
                }
            }
        } else {
            let members = self.overriding(symbols.into_values().collect())?;
            let owners: Vec<NodeId> = members.iter().filter_map(|member| member.parent).collect();

            let makers = self.constructors_of(&owners)?;
            for member in members {
                let Some(owner) = member.parent else { continue };
                let makers = makers.get(&owner).into_iter().flatten().copied();
                offers.extend(
                    makers
                        .chain([owner])
                        .map(|maker| later_offer(member.id, maker, &member)),
                );
            }
        }

        Ok(offers)
    }

    /// Keeps the members that override or implement something.
    fn overriding(&self, symbols: Vec<SymbolBrief>) -> Result<Vec<SymbolBrief>, QueryError> {
        let members: Vec<SymbolBrief> = symbols
            .into_iter()
            .filter(|symbol| matches!(symbol.node_type, NodeType::Method | NodeType::Property))
            .collect();
        let ids: Vec<NodeId> = members.iter().map(|member| member.id).collect();
        let mut overriding: FxHashSet<NodeId> = FxHashSet::default();
        let verbs = [EdgeType::Overrides, EdgeType::Implements];

        store::each_use(
            self.snapshot,
            &ids,
            &verbs,
            EdgeDirection::Outgoing,
            |of, _| {
                overriding.insert(of);
            },
        )?;
        let keeps = |member: &SymbolBrief| {
            member.flags.has(NodeFlags::OVERRIDE) || overriding.contains(&member.id)
        };
        let mut kept: Vec<SymbolBrief> = members.into_iter().filter(keeps).collect();

        kept.sort_by_key(|member| member.id);
        Ok(kept)
    }

    fn weigh(&mut self, symbols: &[NodeId]) -> Result<(), QueryError> {
        let mut unknown: Vec<NodeId> = symbols
            .iter()
            .copied()
            .filter(|id| !self.hubs.contains_key(id))
            .collect();
        unknown.sort_unstable();
        unknown.dedup();
        for (id, uses) in store::use_counts(self.snapshot, &unknown, MAX_COUNTED)? {
            let bits = usize::BITS - uses.leading_zeros();
            self.hubs.insert(id, bits.saturating_sub(HUB_BITS + 1));
        }
        Ok(())
    }

    fn relax(&mut self, is_forward: bool, offer: &Offer, extra: u32) {
        let (side, opposite) = if is_forward {
            (&mut self.forward, &self.backward)
        } else {
            (&mut self.backward, &self.forward)
        };
        let Some(of) = side.visits.get(&offer.of) else {
            return;
        };
        let (cost, steps) = (of.cost + offer.hop.link.cost() + extra, of.steps + 1);
        if side
            .visits
            .get(&offer.other)
            .is_some_and(|known| known.cost <= cost)
        {
            return;
        }
        side.visits.insert(
            offer.other,
            Visit {
                cost,
                steps,
                hop: Some(offer.hop),
            },
        );
        side.queue.entry(cost).or_default().push(offer.other);

        if let Some(rest) = opposite.visits.get(&offer.other)
            && steps + rest.steps <= MAX_STEPS
            && cost + rest.cost <= MAX_COST
            && self.best.is_none_or(|(best, _)| cost + rest.cost < best)
        {
            self.best = Some((cost + rest.cost, offer.other));
        }
    }

    /// Returns the steps of the path through a symbol reached by both sides.
    fn steps(&self, meeting: NodeId) -> Result<Vec<PathStep>, QueryError> {
        let mut steps = Vec::new();
        let mut at = meeting;
        while let Some(hop) = self.forward.visits.get(&at).and_then(|visit| visit.hop) {
            steps.push(self.step(hop.nearer, at, hop)?);
            at = hop.nearer;
        }
        steps.reverse();
        at = meeting;
        while let Some(hop) = self.backward.visits.get(&at).and_then(|visit| visit.hop) {
            steps.push(self.step(at, hop.nearer, hop)?);
            at = hop.nearer;
        }
        Ok(steps)
    }

    fn step(&self, from: NodeId, to: NodeId, hop: Hop) -> Result<PathStep, QueryError> {
        let path = match hop.file {
            Some(file) => store::file_path(self.snapshot, file)?.unwrap_or_default(),
            None => String::new(),
        };
        Ok(PathStep {
            from,
            to,
            link: hop.link,
            path,
            line: hop.line,
        })
    }
}

/// Returns the classes among some symbols, and those of the constructors among them, each with the symbol.
fn created_types<'s>(symbols: impl Iterator<Item = &'s SymbolBrief>) -> FxHashMap<NodeId, NodeId> {
    let created = symbols.filter_map(|symbol| {
        let owner = match symbol.node_type {
            NodeType::Class => Some(symbol.id),
            NodeType::Constructor => symbol.parent,
            _ => None,
        };
        Some((owner?, symbol.id))
    });
    created.collect()
}

fn later_offer(of: NodeId, other: NodeId, member: &SymbolBrief) -> Offer {
    let hop = Hop {
        nearer: of,
        link: Link::Later,
        file: member.file,
        line: member.name_line,
    };
    Offer { of, other, hop }
}
