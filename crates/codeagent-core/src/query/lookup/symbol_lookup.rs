//! Resolves a name to symbols and ranks them.
//!
//! A name is a node id, a qualified name, the end of one (`Cart.Total`, `Total`), one with
//! parameters (`Cart.Add(int)`), or a location (`src/Cart.cs:12`). `Cart.*` is the type together
//! with its members. Symbols of one qualified name form one [`SymbolGroup`]: overloads, or a type
//! and the declarations merged with it. Types come before methods, methods before properties,
//! functions in functions and in object literals last; a declared member comes before its
//! implementations and overrides, written code before generated code, sources before tests,
//! frequently used symbols before others. If a name matches more than [`MAX_GROUPS`] groups, the
//! best classes that fit are answered and the others are only listed.
//!
//! Limitations: case is ignored only if no symbol has the name as written; bases are followed only
//! for `Type.member`.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::graph::{EdgeDirection, EdgeType, Language, Node, NodeFlags, NodeId, NodeType};
use crate::query::lookup::not_found::not_found;
use crate::query::lookup::parameters::{
    overloads, split_parameters, without_arity, without_type_arguments,
};
use crate::query::lookup::position;
use crate::query::uses::hierarchy::bases_of;
use crate::query::{
    CallbackLines, Note, QueryError, SymbolLabel, get_node_by_qualified_name, is_compound,
    is_in_place,
};
use crate::store::{self, Snapshot};

/// Maximum number of groups answered at once.
pub const MAX_GROUPS: usize = 20;

/// Maximum number of candidates listed in an error.
const MAX_LISTED: usize = 40;

/// Maximum number of symbols ranked by their bases and uses.
const MAX_RANKED: usize = 2_000;

/// Maximum number of members for `Type.*`.
const MAX_MEMBERS: usize = 5_000;

/// Maximum number of bases searched for a member.
const MAX_BASES: usize = 200;

const BASES: [EdgeType; 3] = [EdgeType::Inherits, EdgeType::Implements, EdgeType::Extends];

/// Symbols that are answered as one.
#[derive(Clone, Debug)]
pub struct SymbolGroup {
    /// Symbols with the same qualified name: overloads or merged declarations. Each has its primary
    /// span; sorted by path and line; never empty.
    pub nodes: Vec<Node>,
    /// Their direct and indirect members, if the name ended with `.*`.
    pub members: Vec<NodeId>,
    /// The nameless callback that encloses the location, if the name is a location. Then only the
    /// callback's uses are listed, not all of its symbol's.
    pub callback: Option<CallbackLines>,
    /// The folder that the symbols are all of, if a folder was asked about.
    pub folder: Option<String>,
}

/// The symbols that a name matches.
#[derive(Clone, Debug)]
pub struct SymbolMatches {
    /// Groups to answer, best first; never empty.
    pub answered: Vec<SymbolGroup>,
    /// Other groups with the name, which are only listed, best first.
    pub listed: Vec<SymbolGroup>,
    /// How the name was resolved, if not as written.
    pub note: Option<Note>,
}

impl SymbolGroup {
    pub(super) fn of(node: Node) -> Self {
        Self {
            nodes: vec![node],
            members: Vec::new(),
            callback: None,
            folder: None,
        }
    }

    /// Returns the first symbol.
    #[must_use]
    pub fn first(&self) -> &Node {
        &self.nodes[0]
    }

    /// Returns the ids of all symbols.
    #[must_use]
    pub fn ids(&self) -> Vec<NodeId> {
        self.nodes
            .iter()
            .map(|node| node.id)
            .chain(self.members.iter().copied())
            .collect()
    }

    /// Labels the group with its first symbol.
    #[must_use]
    pub fn label(&self) -> SymbolLabel {
        let label = SymbolLabel {
            overloads: self.nodes.len() - 1,
            members: self.members.len(),
            ..self.first().into()
        };
        match &self.folder {
            Some(folder) => SymbolLabel {
                name: folder.clone(),
                location: None,
                ..label
            },
            None => label,
        }
    }
}

impl SymbolMatches {
    /// Returns the symbols to answer.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.answered.iter().flat_map(|group| &group.nodes)
    }

    /// Returns a note if a location refers to a callback instead of the symbol that encloses it.
    #[must_use]
    pub fn callback_note(&self) -> Option<Note> {
        let group = self.answered.first()?;
        let callback = &group.callback.as_ref()?.callback;
        Some(Note::InCallback {
            label: callback.label.clone(),
            lines: (callback.start, callback.end),
            symbol: group.label(),
        })
    }

    /// Reports whether the name matches exactly one symbol.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.answered.len() == 1 && self.answered[0].ids().len() == 1 && self.listed.is_empty()
    }
}

/// Resolves a name to symbols. `file` restricts them to symbols declared there; it is a path, the
/// end of a path, a folder, or a pattern with `*`.
pub fn resolve_symbols(
    snapshot: &Snapshot,
    asked: &str,
    file: Option<&str>,
) -> Result<SymbolMatches, QueryError> {
    let asked = asked.trim();
    let text = asked.strip_suffix(".*").unwrap_or(asked);
    let (found, note) = find_candidates(snapshot, text)?;

    let found = match file {
        Some(file) => declared_in(snapshot, text, found, file)?,
        None => found,
    };

    let ranks = MatchRanks::of(snapshot, &found)?;
    let ranked = ranked(found, &ranks);
    let mut fit = 0;
    for class in ranked.chunk_by(|a, b| a.0 == b.0) {
        if fit + class.len() > MAX_GROUPS {
            break;
        }
        fit += class.len();
    }

    let mut answered: Vec<SymbolGroup> = ranked.into_iter().map(|(_, group)| group).collect();
    if fit == 0 {
        return Err(ambiguous(text, &answered));
    }
    let listed = answered.split_off(fit);

    if let Some(at) = position::parse(text) {
        for group in &mut answered {
            group.callback = position::callback_at(snapshot, &at, group.first())?;
        }
    }
    if text != asked {
        for group in &mut answered {
            group.members = members(snapshot, &group.nodes)?;
        }
    }
    Ok(SymbolMatches {
        answered,
        listed,
        note,
    })
}

/// Returns the direct and indirect members of symbols, nearest first.
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

/// Resolves a name to the only symbol it matches.
pub fn resolve_symbol(snapshot: &Snapshot, asked: &str) -> Result<Node, QueryError> {
    let mut matches = resolve_symbols(snapshot, asked, None)?;
    if matches.answered.len() > 1 || matches.answered[0].nodes.len() > 1 {
        let each = matches
            .answered
            .into_iter()
            .flat_map(|group| group.nodes)
            .map(SymbolGroup::of);
        return Err(ambiguous(asked, &each.collect::<Vec<_>>()));
    }
    Ok(matches.answered.swap_remove(0).nodes.swap_remove(0))
}

fn ambiguous(asked: &str, groups: &[SymbolGroup]) -> QueryError {
    QueryError::Ambiguous {
        asked: asked.to_owned(),
        count: groups.len(),
        candidates: groups
            .iter()
            .take(MAX_LISTED)
            .map(SymbolGroup::label)
            .collect(),
    }
}

/// Returns the symbols with a name, unordered, and a note if the name was not resolved as written.
fn find_candidates(
    snapshot: &Snapshot,
    text: &str,
) -> Result<(Vec<Node>, Option<Note>), QueryError> {
    if let Some(id) = NodeId::parse(text)
        && let Some(node) = store::node(snapshot, id)?
    {
        return Ok((vec![node], None));
    }

    let named = named(snapshot, text)?;
    if !named.is_empty() {
        return Ok((prefer_types(named), None));
    }
    if let Some(at) = position::parse(text) {
        return Ok((position::symbols_at(snapshot, &at)?, None));
    }

    if let Some((name, parameters)) = split_parameters(text) {
        let named = self::named(snapshot, name)?;
        if !named.is_empty() {
            return Ok((overloads(named, parameters)?, None));
        }
    }

    let other_case = store::by_name_end(snapshot, text, MAX_RANKED)?;
    if !other_case.is_empty() {
        let note = Note::MatchedIgnoringCase {
            asked: text.to_owned(),
        };
        return Ok((prefer_types(other_case), Some(note)));
    }

    if let Some((member, is_inherited)) = members_of_chain(snapshot, text)? {
        let note = Note::MatchedMember {
            asked: text.to_owned(),
            declared_as: member[0].qualified_name.clone(),
            is_inherited,
        };
        return Ok((member, Some(note)));
    }
    let extensions = extensions_of_type(snapshot, text)?;
    if let Some(first) = extensions.first() {
        let note = Note::MatchedMember {
            asked: text.to_owned(),
            declared_as: first.qualified_name.clone(),
            is_inherited: false,
        };
        return Ok((extensions, Some(note)));
    }

    if let Some(member) = only_member(snapshot, text)? {
        let note = Note::MatchedMember {
            asked: text.to_owned(),
            declared_as: member.qualified_name.clone(),
            is_inherited: false,
        };
        return Ok((vec![member], Some(note)));
    }

    if let Some(spelled) = respelled(text) {
        return find_candidates(snapshot, &spelled);
    }

    Err(QueryError::NoSymbol(Box::new(not_found(snapshot, text)?)))
}

/// Rewrites a name from another notation: `Cart::total` to `Cart.total`, ``List`1`` to `List`,
/// `Cart..ctor` to `Cart.Cart`.
fn respelled(text: &str) -> Option<String> {
    let spelled = without_arity(&text.replace("::", "."));
    let spelled = match spelled.strip_suffix("..ctor") {
        Some(container) => format!(
            "{container}.{}",
            container.rsplit(['.', '#']).next().unwrap_or(container)
        ),
        None => spelled,
    };
    (spelled != text).then_some(spelled)
}

/// Returns the symbols whose qualified name is `name`; if there are none, or if `name` is bare,
/// also those whose qualified name ends with it.
fn named(snapshot: &Snapshot, name: &str) -> Result<Vec<Node>, QueryError> {
    let mut found: Vec<Node> = get_node_by_qualified_name(snapshot, name, None, None)?
        .into_iter()
        .map(|(node, _)| node)
        .collect();
    if !found.is_empty() && !name.contains(['.', '#', '/']) {
        let known: FxHashSet<NodeId> = found.iter().map(|node| node.id).collect();
        let others = store::by_name_within(snapshot, name, name, MAX_RANKED)?;
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

/// Drops constructors if their type has the name too.
fn prefer_types(mut found: Vec<Node>) -> Vec<Node> {
    let ids: FxHashSet<NodeId> = found.iter().map(|node| node.id).collect();
    found.retain(|node| {
        node.node_type != NodeType::Constructor
            || node.parent.is_none_or(|parent| !ids.contains(&parent))
    });
    found
}

/// Returns the members that a chain refers to; see [`members_of_type`]. The type of its first values may be
/// unknown: `sdk.admin.orders.list` is found by the end `orders.list`.
fn members_of_chain(
    snapshot: &Snapshot,
    text: &str,
) -> Result<Option<(Vec<Node>, bool)>, QueryError> {
    let mut chain = text;
    loop {
        let found = members_of_type(snapshot, chain)?;
        let rest = chain.split_once('.').map(|(_, rest)| rest);
        match rest.filter(|rest| rest.contains('.')) {
            Some(rest) if found.is_none() => chain = rest,
            _ => return Ok(found),
        }
    }
}

/// Returns the symbol outside tests with the last name of a chain of three or more, if it is the only one:
/// `runByID` for `payload.jobs.runByID`.
fn only_member(snapshot: &Snapshot, text: &str) -> Result<Option<Node>, QueryError> {
    let is_name = |name: &str| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        !name.is_empty() && name.chars().all(is_part)
    };
    let names: Vec<&str> = text.split('.').collect();
    let last = names.last().copied().unwrap_or_default();
    if names.len() < 3 || !names.iter().all(|name| is_name(name)) || !is_compound(last) {
        return Ok(None);
    }

    let mut found = store::by_name(snapshot, last, MAX_RANKED)?;
    let is_test = |node: &Node| {
        let mut paths = node.spans.iter().map(|span| span.path.as_str());
        paths.any(store::is_test_path)
    };
    found.retain(|node| node.name == last && node.parent.is_some() && !is_test(node));
    Ok(if found.len() == 1 { found.pop() } else { None })
}

/// Returns the members that `Type.member` or `value.member` refers to: the type's own, including explicit
/// implementations, or those of the nearest bases that have such a member. The flag tells whether
/// they are inherited. Returns `None` if there are none.
fn members_of_type(
    snapshot: &Snapshot,
    text: &str,
) -> Result<Option<(Vec<Node>, bool)>, QueryError> {
    let Some((container, member)) = text.rsplit_once(['.', '#']) else {
        return Ok(None);
    };
    let mut containers = named(snapshot, container)?;
    if containers.is_empty() && container.contains('.') {
        let values = members_of_type(snapshot, container)?;
        containers = values.map(|(values, _)| values).unwrap_or_default();
    }
    // A member of a value's type: `Settings.All.Rate` for `static Settings All`.
    for at in 0..containers.len() {
        if let Some(name) = containers[at].return_type.as_deref().and_then(type_name) {
            containers.extend(named(snapshot, name)?);
        }
    }
    let mut level: Vec<NodeId> = containers.iter().map(|node| node.id).collect();
    let mut seen: FxHashSet<NodeId> = FxHashSet::default();
    level.retain(|id| seen.insert(*id));

    let mut is_inherited = false;
    while !level.is_empty() && seen.len() <= MAX_BASES {
        let mut members = Vec::new();
        for id in &level {
            for child in store::contained(snapshot, *id, EdgeDirection::Outgoing)? {
                members.extend(store::node(snapshot, child.id)?.filter(|node| node.name == member));
            }
        }
        if !members.is_empty() {
            return Ok(Some((members, is_inherited)));
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
        (level, is_inherited) = (bases, true);
    }

    Ok(None)
}

/// Returns the extension methods that `Type.member` refers to, whose first parameter is of the type
/// or of one that it derives from.
fn extensions_of_type(snapshot: &Snapshot, text: &str) -> Result<Vec<Node>, QueryError> {
    let Some((container, member)) = text.rsplit_once('.') else {
        return Ok(Vec::new());
    };
    let mut types = named(snapshot, container)?;
    types.retain(|node| node.node_type.is_type() && node.language == Language::CSharp);
    if types.is_empty() {
        return Ok(Vec::new());
    }

    let ids: Vec<NodeId> = types.iter().map(|node| node.id).collect();
    for (base, _) in bases_of(snapshot, &ids)? {
        types.extend(store::node(snapshot, base)?);
    }
    let mut methods = store::by_name(snapshot, member, MAX_RANKED)?;
    methods.retain(|method| {
        let extended = extended_type(method);
        method.name == member && types.iter().any(|ty| extended == Some(ty.name.as_str()))
    });
    Ok(methods)
}

/// Returns the name of the type that an extension method of C# extends.
pub(super) fn extended_type(method: &Node) -> Option<&str> {
    let signature = method.parameter_signature.as_deref()?;
    let receiver = signature.trim_start_matches('(').strip_prefix("this ")?;
    let is_type = |word: &&str| !matches!(*word, "in" | "ref" | "readonly" | "scoped");
    last_type_name(receiver.split_whitespace().find(is_type)?)
}

/// Returns the name of a written type without what contains it and type arguments: `Cart` for `Shop.Cart<T>`.
pub(super) fn last_type_name(written: &str) -> Option<&str> {
    type_name(written)?.rsplit('.').next()
}

/// Returns the name of a written type without type arguments: `Cart` for `Cart?` and `Cart<T>`.
fn type_name(written: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let end = written.find(|c| !is_part(c)).unwrap_or(written.len());
    let is_one = matches!(written[end..].chars().next(), None | Some('?' | '<'));
    (end > 0 && is_one && !written.contains('|')).then(|| &written[..end])
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
        let candidates = found
            .iter()
            .take(MAX_LISTED)
            .map(SymbolLabel::from)
            .collect();
        return Err(QueryError::NotInFile {
            asked: asked.to_owned(),
            file: file.to_owned(),
            candidates,
        });
    }

    Ok(inside)
}

/// Ranks of symbols; lower is better.
struct MatchRanks(FxHashMap<NodeId, MatchRank>);

/// Class, whether the symbol belongs to tests, and number of uses.
type MatchRank = (u8, bool, Reverse<u64>);

impl MatchRanks {
    fn of(snapshot: &Snapshot, found: &[Node]) -> Result<Self, QueryError> {
        let ids: FxHashSet<NodeId> = found.iter().map(|node| node.id).collect();
        let mut ranks = FxHashMap::default();
        for node in found.iter().take(MAX_RANKED) {
            let is_implementation = ids.len() > 1
                && (implements_another(snapshot, node, &ids)? || is_explicit(snapshot, node)?);
            let is_generated = node
                .spans
                .iter()
                .all(|span| store::is_generated_path(&span.path));
            let is_last = is_implementation || is_generated;
            let class = class_of(node) + if is_last { CLASSES } else { 0 };

            let is_test = node
                .spans
                .first()
                .is_some_and(|span| store::is_test_path(&span.path));
            ranks.insert(
                node.id,
                (
                    class,
                    is_test,
                    Reverse(store::reference_count(snapshot, node.id)?),
                ),
            );
        }

        Ok(Self(ranks))
    }

    fn rank(&self, node: &Node) -> MatchRank {
        self.0
            .get(&node.id)
            .copied()
            .unwrap_or((2 * CLASSES, true, Reverse(0)))
    }
}

/// Number of classes of [`class_of`].
const CLASSES: u8 = 6;

fn class_of(node: &Node) -> u8 {
    match node.node_type {
        _ if node.flags.has(NodeFlags::LOCAL) => 4,
        NodeType::Class | NodeType::Interface | NodeType::Type | NodeType::Component => 0,
        NodeType::Method => 1,
        NodeType::Module | NodeType::Property => 2,
        NodeType::Constructor => 3,
        NodeType::File => 5,
    }
}

/// Reports whether a symbol implements or overrides another match.
fn implements_another(
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

/// Reports whether a member is an explicit implementation: `Cart.IPriced.Total` is declared by
/// `Cart`, not by the `IPriced` in its name.
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

/// What the symbols of a group have in common.
#[derive(PartialEq, Eq, Hash)]
struct GroupKey {
    language: Language,
    project: String,
    qualified_name: String,
    /// In C#, types that differ in their type parameters are different types, and so are their members.
    type_parameters: Option<String>,
    parent: Option<NodeId>,
}

impl GroupKey {
    fn of(node: &Node) -> Self {
        let is_csharp = node.language == Language::CSharp;
        let is_type = node.node_type.is_type();
        Self {
            language: node.language,
            project: node.project_id.clone(),
            qualified_name: node.qualified_name.clone(),
            type_parameters: node
                .type_parameters
                .clone()
                .filter(|_| is_csharp && is_type),
            parent: node.parent.filter(|_| is_csharp && !is_type),
        }
    }
}

/// Groups symbols by qualified name, best group first; each group with its class.
fn ranked(found: Vec<Node>, ranks: &MatchRanks) -> Vec<(u8, SymbolGroup)> {
    let mut by_name: FxHashMap<GroupKey, Vec<Node>> = FxHashMap::default();
    for node in found {
        by_name.entry(GroupKey::of(&node)).or_default().push(node);
    }

    let at = |node: &Node| {
        node.spans
            .first()
            .map(|span| (span.path.clone(), span.name_line, span.name_column))
    };

    let mut ranked: Vec<_> = by_name.into_values().collect();
    for nodes in &mut ranked {
        nodes.sort_by_key(|node| (ranks.rank(node).0, at(node), node.id));
    }

    ranked.sort_by_cached_key(|nodes| {
        let best = nodes.iter().map(|node| ranks.rank(node)).min();
        (best, at(&nodes[0]), nodes[0].id)
    });
    ranked
        .into_iter()
        .map(|nodes| {
            (
                ranks.rank(&nodes[0]).0,
                SymbolGroup {
                    nodes,
                    members: Vec::new(),
                    callback: None,
                    folder: None,
                },
            )
        })
        .collect()
}
