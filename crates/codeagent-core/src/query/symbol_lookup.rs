//! Which symbols does a name mean, and which of them first?
//!
//! A name is a node id, a qualified name, the end of one (`Cart.Total`, `Total`), one with
//! parameters (`Cart.Add(int)`), or a place (`src/Cart.cs:12`). `Cart.*` is the type with all in
//! it, as one. Symbols of one qualified name are one meaning: overloads, a type and what is merged
//! with it. Types come before methods, methods before properties; what declares a member comes
//! before what implements or overrides it, sources before tests, much used symbols before others.
//! If a name means more than [`MAX_MEANINGS`], the classes of meanings that fit are answered for
//! and the others told.
//!
//! **Limits.** Case is ignored only if nothing bears the name as it is written; bases are followed
//! only for `Type.member`.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::graph::{EdgeDirection, EdgeType, Language, Node, NodeId, NodeType};
use crate::query::parameters::{overloads, split_parameters, without_type_arguments};
use crate::query::{
    QueryError, beginning, get_node_by_qualified_name, is_in_place, nearest, place, unread_like,
    unread_note,
};
use crate::store::{self, Snapshot};

/// How many meanings are answered for at once.
pub const MAX_MEANINGS: usize = 20;

/// How many meanings a list to choose from names.
const MAX_LISTED: usize = 40;

/// How many symbols are looked at for what they implement.
const MAX_WEIGHED: usize = 2_000;

/// How many symbols a type stands for together with all in it.
const MAX_MEMBERS: usize = 5_000;

/// How many bases are looked at for a member.
const MAX_BASES: usize = 200;

const BASES: [EdgeType; 3] = [EdgeType::Inherits, EdgeType::Implements, EdgeType::Extends];

/// Symbols that count as one.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// Those of one qualified name: overloads, or what is merged. Each with its primary span, by
    /// path and line; never empty.
    pub nodes: Vec<Node>,
    /// All that is declared in them, if they were asked for with that.
    pub members: Vec<NodeId>,
}

/// What a name means.
#[derive(Clone, Debug)]
pub struct Meant {
    /// What is answered for, best first; never empty.
    pub answered: Vec<Meaning>,
    /// What bears the name too and is told only, best first.
    pub told: Vec<Meaning>,
    /// How the name was understood, if not as it was written.
    pub remark: Option<String>,
}

impl Meaning {
    fn of(node: Node) -> Self {
        Self {
            nodes: vec![node],
            members: Vec::new(),
        }
    }

    /// The first of its symbols.
    #[must_use]
    pub fn first(&self) -> &Node {
        &self.nodes[0]
    }

    /// The ids of its symbols.
    #[must_use]
    pub fn ids(&self) -> Vec<NodeId> {
        self.nodes
            .iter()
            .map(|node| node.id)
            .chain(self.members.iter().copied())
            .collect()
    }

    /// `node_id qualified_name(signature) path:line`, with the number of overloads.
    #[must_use]
    pub fn label(&self) -> String {
        let node = self.first();
        let more = match self.nodes.len() {
            _ if !self.members.is_empty() => format!(" with {} members", self.members.len()),
            1 => String::new(),
            count => format!(" and {} more of that name", count - 1),
        };
        format!("{}{more}{}", with_id(node), place_of(node))
    }
}

/// `node_id qualified_name(signature) path:line` of one symbol.
#[must_use]
pub fn label(node: &Node) -> String {
    format!("{}{}", with_id(node), place_of(node))
}

fn with_id(node: &Node) -> String {
    format!(
        "{} {}{}",
        node.id,
        node.qualified_name,
        node.parameter_signature.as_deref().unwrap_or_default()
    )
}

fn place_of(node: &Node) -> String {
    node.spans
        .first()
        .map(|span| format!(" {}:{}", span.path, span.name_line))
        .unwrap_or_default()
}

impl Meant {
    /// All symbols that are answered for.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.answered.iter().flat_map(|meaning| &meaning.nodes)
    }

    /// Whether the name means one symbol and nothing else.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.answered.len() == 1 && self.answered[0].ids().len() == 1 && self.told.is_empty()
    }
}

/// What `asked` means, only symbols declared in `file` if that is given: a path, the end of one, a
/// folder, or a pattern with `*`.
pub fn symbols_meant(
    snapshot: &Snapshot,
    asked: &str,
    file: Option<&str>,
) -> Result<Meant, QueryError> {
    let asked = asked.trim();
    let text = asked.strip_suffix(".*").unwrap_or(asked);
    let (found, remark) = found(snapshot, text)?;
    let found = match file {
        Some(file) => declared_in(snapshot, text, found, file)?,
        None => found,
    };
    let weights = Weights::of(snapshot, &found)?;
    let ranked = ranked(found, &weights);
    let mut fit = 0;
    for class in ranked.chunk_by(|a, b| a.0 == b.0) {
        if fit + class.len() > MAX_MEANINGS {
            break;
        }
        fit += class.len();
    }
    let mut answered: Vec<Meaning> = ranked.into_iter().map(|(_, meaning)| meaning).collect();
    if fit == 0 {
        return Err(several(text, &answered));
    }
    let told = answered.split_off(fit);
    if text != asked {
        for meaning in &mut answered {
            meaning.members = members(snapshot, &meaning.nodes)?;
        }
    }
    Ok(Meant {
        answered,
        told,
        remark,
    })
}

/// All that is declared in symbols, nearest first.
fn members(snapshot: &Snapshot, nodes: &[Node]) -> Result<Vec<NodeId>, QueryError> {
    let mut all: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let mut seen: FxHashSet<NodeId> = all.iter().copied().collect();
    let mut next = 0;
    while next < all.len() && all.len() < MAX_MEMBERS {
        let inner = store::contained(snapshot, all[next], EdgeDirection::Outgoing)?;
        all.extend(
            inner
                .into_iter()
                .map(|child| child.id)
                .filter(|id| seen.insert(*id)),
        );
        next += 1;
    }
    Ok(all.split_off(nodes.len()))
}

/// The one symbol that `asked` means.
pub fn resolve_symbol(snapshot: &Snapshot, asked: &str) -> Result<Node, QueryError> {
    let mut meant = symbols_meant(snapshot, asked, None)?;
    if meant.answered.len() > 1 || meant.answered[0].nodes.len() > 1 {
        let each = meant
            .answered
            .into_iter()
            .flat_map(|meaning| meaning.nodes)
            .map(Meaning::of);
        return Err(several(asked, &each.collect::<Vec<_>>()));
    }
    Ok(meant.answered.swap_remove(0).nodes.swap_remove(0))
}

fn several(asked: &str, meanings: &[Meaning]) -> QueryError {
    let candidates = meanings
        .iter()
        .take(MAX_LISTED)
        .map(Meaning::label)
        .collect();
    QueryError::Ambiguous {
        asked: asked.to_owned(),
        count: meanings.len(),
        candidates,
    }
}

/// The symbols of a name, in no order, and how the name was understood.
fn found(snapshot: &Snapshot, text: &str) -> Result<(Vec<Node>, Option<String>), QueryError> {
    if let Some(id) = NodeId::parse(text)
        && let Some(node) = store::node(snapshot, id)?
    {
        return Ok((vec![node], None));
    }
    let named = named(snapshot, text)?;
    if !named.is_empty() {
        return Ok((prefer_types(named), None));
    }
    if let Some(at) = place::parse(text) {
        return Ok((place::symbols_at(snapshot, &at)?, None));
    }
    if let Some((name, parameters)) = split_parameters(text) {
        let named = self::named(snapshot, name)?;
        if !named.is_empty() {
            return Ok((overloads(named, parameters)?, None));
        }
    }
    let other_case = store::by_name_end(snapshot, text, MAX_WEIGHED)?;
    if !other_case.is_empty() {
        let remark = format!("no symbol is named {text}; these differ in upper and lower case");
        return Ok((prefer_types(other_case), Some(remark)));
    }
    if let Some((member, is_own)) = of_type(snapshot, text)? {
        let inherited = if is_own { "" } else { " inherited: it is" };
        let remark = format!(
            "{text} is{inherited} declared as {}",
            member[0].qualified_name
        );
        return Ok((member, Some(remark)));
    }
    if let Some(spelled) = respelled(text) {
        return found(snapshot, &spelled);
    }
    let unread = unread_like(snapshot, text)?;
    Err(QueryError::NoSymbol {
        asked: text.to_owned(),
        nearest: nearest(snapshot, text)?,
        beginning: beginning(snapshot, text)?,
        missing: if unread.is_empty() {
            unread_note(snapshot, None)?
        } else {
            None
        },
        unread,
    })
}

/// A name as it is written elsewhere, in our form: `Cart::total` is `Cart.total`, `Cart..ctor` is
/// `Cart.Cart`.
fn respelled(text: &str) -> Option<String> {
    let spelled = text.replace("::", ".");
    let spelled = match spelled.strip_suffix("..ctor") {
        Some(container) => format!(
            "{container}.{}",
            container.rsplit(['.', '#']).next().unwrap_or(container)
        ),
        None => spelled,
    };
    (spelled != text).then_some(spelled)
}

/// The symbols of a name or of the end of one. A bare name is the end of many names, also if it is
/// the whole of one.
fn named(snapshot: &Snapshot, name: &str) -> Result<Vec<Node>, QueryError> {
    let mut found: Vec<Node> = get_node_by_qualified_name(snapshot, name, None, None)?
        .into_iter()
        .map(|(node, _)| node)
        .collect();
    if !found.is_empty() && !name.contains(['.', '#', '/']) {
        let known: FxHashSet<NodeId> = found.iter().map(|node| node.id).collect();
        let others = store::by_name_within(snapshot, name, name, MAX_WEIGHED)?;
        found.extend(
            others
                .into_iter()
                .filter(|node| node.name == name && !known.contains(&node.id)),
        );
    }
    if found.is_empty() && name.contains('<') {
        let bare = get_node_by_qualified_name(snapshot, &without_type_arguments(name), None, None)?;
        found.extend(bare.into_iter().map(|(node, _)| node));
    }
    Ok(found)
}

/// A type and its constructors bear one name; whoever says it means the type.
fn prefer_types(mut found: Vec<Node>) -> Vec<Node> {
    let ids: FxHashSet<NodeId> = found.iter().map(|node| node.id).collect();
    found.retain(|node| {
        node.node_type != NodeType::Constructor
            || node.parent.is_none_or(|parent| !ids.contains(&parent))
    });
    found
}

/// The members of a type that are called so: its own, which implement an interface's explicitly, or
/// those of its nearest bases with such a member. Whether they are its own; `None` if there are
/// none.
fn of_type(snapshot: &Snapshot, text: &str) -> Result<Option<(Vec<Node>, bool)>, QueryError> {
    let Some((container, member)) = text.rsplit_once(['.', '#']) else {
        return Ok(None);
    };
    let mut level: Vec<NodeId> = named(snapshot, container)?
        .into_iter()
        .map(|node| node.id)
        .collect();
    let mut seen: FxHashSet<NodeId> = level.iter().copied().collect();
    let mut is_own = true;
    while !level.is_empty() && seen.len() <= MAX_BASES {
        let mut members = Vec::new();
        for id in &level {
            for child in store::contained(snapshot, *id, EdgeDirection::Outgoing)? {
                members.extend(store::node(snapshot, child.id)?.filter(|node| node.name == member));
            }
        }
        if !members.is_empty() {
            return Ok(Some((members, is_own)));
        }
        let mut bases = Vec::new();
        for id in level {
            for verb in BASES {
                let edges =
                    store::incident_edges(snapshot, id, Some(verb), EdgeDirection::Outgoing)?;
                bases.extend(
                    edges
                        .into_iter()
                        .map(|edge| edge.other)
                        .filter(|base| seen.insert(*base)),
                );
            }
        }
        (level, is_own) = (bases, false);
    }
    Ok(None)
}

fn declared_in(
    snapshot: &Snapshot,
    asked: &str,
    found: Vec<Node>,
    file: &str,
) -> Result<Vec<Node>, QueryError> {
    let mut inside = Vec::new();
    for node in &found {
        let spans = store::spans_of(snapshot, node.id)?;
        if spans.iter().any(|span| is_in_place(&span.path, file)) {
            inside.push(node.clone());
        }
    }
    if inside.is_empty() {
        let candidates = found.iter().take(MAX_LISTED).map(label).collect();
        return Err(QueryError::NotInFile {
            asked: asked.to_owned(),
            file: file.to_owned(),
            candidates,
        });
    }
    Ok(inside)
}

/// What decides the order of symbols, less is better.
struct Weights(FxHashMap<NodeId, Weight>);

/// The class, whether it belongs to tests, and how much it is used.
type Weight = (u8, bool, Reverse<u64>);

impl Weights {
    fn of(snapshot: &Snapshot, found: &[Node]) -> Result<Self, QueryError> {
        let ids: FxHashSet<NodeId> = found.iter().map(|node| node.id).collect();
        let mut weights = FxHashMap::default();
        for node in found.iter().take(MAX_WEIGHED) {
            let stands_for_another = ids.len() > 1
                && (stands_for(snapshot, node, &ids)? || is_explicit(snapshot, node)?);
            let class = class_of(node.node_type) + if stands_for_another { CLASSES } else { 0 };
            let is_test = node
                .spans
                .first()
                .is_some_and(|span| store::is_test_path(&span.path));
            weights.insert(
                node.id,
                (
                    class,
                    is_test,
                    Reverse(store::reference_count(snapshot, node.id)?),
                ),
            );
        }
        Ok(Self(weights))
    }

    fn weight(&self, node: &Node) -> Weight {
        self.0
            .get(&node.id)
            .copied()
            .unwrap_or((2 * CLASSES, true, Reverse(0)))
    }
}

/// Number of classes that [`class_of`] tells.
const CLASSES: u8 = 5;

fn class_of(node_type: NodeType) -> u8 {
    match node_type {
        NodeType::Class | NodeType::Interface | NodeType::Type | NodeType::Component => 0,
        NodeType::Method => 1,
        NodeType::Module | NodeType::Property => 2,
        NodeType::Constructor => 3,
        NodeType::File => 4,
    }
}

/// Whether a symbol implements or overrides another one that bears the name.
fn stands_for(
    snapshot: &Snapshot,
    node: &Node,
    ids: &FxHashSet<NodeId>,
) -> Result<bool, QueryError> {
    if !matches!(node.node_type, NodeType::Method | NodeType::Property) {
        return Ok(false);
    }
    for verb in [EdgeType::Overrides, EdgeType::Implements] {
        let edges = store::incident_edges(snapshot, node.id, Some(verb), EdgeDirection::Outgoing)?;
        if edges.iter().any(|edge| ids.contains(&edge.other)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a member says whose member it implements: `Cart.IPriced.Total` is not declared by the
/// `IPriced` it names.
fn is_explicit(snapshot: &Snapshot, node: &Node) -> Result<bool, QueryError> {
    let is_member = matches!(node.node_type, NodeType::Method | NodeType::Property);
    let is_member = is_member && node.language.rules().has_explicit_implementations;
    let Some(parent) = node.parent.filter(|_| is_member) else {
        return Ok(false);
    };
    let parent = store::node(snapshot, parent)?;
    let own = |parent: &Node| {
        node.qualified_name
            .strip_prefix(&parent.qualified_name)
            .is_some_and(|rest| rest == format!(".{}", node.name))
    };
    Ok(parent.is_some_and(|parent| !own(&parent)))
}

/// The meanings, best first, each with its class.
fn ranked(found: Vec<Node>, weights: &Weights) -> Vec<(u8, Meaning)> {
    let mut by_name: FxHashMap<(Language, String, String), Vec<Node>> = FxHashMap::default();
    for node in found {
        by_name
            .entry((
                node.language,
                node.project_id.clone(),
                node.qualified_name.clone(),
            ))
            .or_default()
            .push(node);
    }
    let at = |node: &Node| {
        node.spans
            .first()
            .map(|span| (span.path.clone(), span.name_line, span.name_column))
    };
    let mut ranked: Vec<_> = by_name.into_values().collect();
    for nodes in &mut ranked {
        nodes.sort_by_key(|node| (weights.weight(node).0, at(node), node.id));
    }
    ranked.sort_by_cached_key(|nodes| {
        let best = nodes.iter().map(|node| weights.weight(node)).min();
        (best, at(&nodes[0]), nodes[0].id)
    });
    ranked
        .into_iter()
        .map(|nodes| {
            (
                weights.weight(&nodes[0]).0,
                Meaning {
                    nodes,
                    members: Vec::new(),
                },
            )
        })
        .collect()
}
