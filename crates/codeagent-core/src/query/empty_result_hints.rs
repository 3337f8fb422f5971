//! Notes on lists of related symbols: why one is empty, and which other query has more.
//!
//! A call through an interface is a call of the interface's member, a class is called through its
//! constructors, a base class outside the repository is not a symbol. A reader who does not know
//! this takes an empty list for the whole truth. Queries are named as tool calls, with the
//! qualified name as argument: `get_callers Shop.IOrder.Place`.
//!
//! **Limits.** Says what the graph knows; reflection, markup and configuration are not in it.

use std::collections::BTreeSet;

use crate::model::graph::{EdgeDirection, EdgeType, Node, NodeFlags, NodeId, NodeType};
use crate::query::{self, Neighbors, QueryError, Relation, Sources};

/// Most symbols named in one hint.
const MAX_NAMED: usize = 3;

/// Most members looked at for constructors.
const MAX_MEMBERS: usize = 200;

/// What a member stands for.
const STANDS_FOR: Relation<'_> = Relation {
    direction: EdgeDirection::Outgoing,
    edge_types: &[EdgeType::Overrides, EdgeType::Implements],
};

/// Most symbols looked at for what stands for them in turn.
const MAX_LOOKED_AT: usize = 1_000;

const THROUGH: &str = "calls through an interface or base class are listed under its member: ";

const BELOW: &str = "calls of implementations and overrides are listed under them: ";

const STANDING: &[EdgeType] = &[
    EdgeType::Implements,
    EdgeType::Overrides,
    EdgeType::Inherits,
    EdgeType::Extends,
];

/// What stands for a type or member.
const STANDING_FOR: Relation<'_> = Relation {
    direction: EdgeDirection::Incoming,
    edge_types: STANDING,
};

/// What a type implements or derives from.
const BASES: Relation<'_> = Relation {
    direction: EdgeDirection::Outgoing,
    edge_types: STANDING,
};

/// What is declared in a type.
const MEMBERS: Relation<'_> = Relation {
    direction: EdgeDirection::Outgoing,
    edge_types: &[EdgeType::Contains],
};

/// Why nothing is related to `node` in this way, one note each.
pub fn why_empty(
    sources: &mut Sources<'_>,
    node: &Node,
    relation: Relation<'_>,
) -> Result<Vec<String>, QueryError> {
    let hints = match (relation.direction, relation.edge_types) {
        (EdgeDirection::Incoming, [EdgeType::Calls]) => no_callers(sources, node)?,
        (EdgeDirection::Outgoing, [EdgeType::Calls]) => no_callees(sources, node)?,
        (EdgeDirection::Incoming, verbs)
            if verbs.contains(&EdgeType::Overrides) && !verbs.contains(&EdgeType::Calls) =>
        {
            no_implementations(sources, node)?
        }
        (direction, [edge_type]) => no_such_edges(sources, node, direction, *edge_type)?,
        (EdgeDirection::Incoming, _) => no_references(sources, node)?,
        (EdgeDirection::Outgoing, _) => vec![
            match query::unresolved_calls_in(sources, &[node], 0)?.count {
                0 => format!(
                    "{} uses nothing that is declared in this repository",
                    node.qualified_name
                ),
                open => no_known_target("use", node, open),
            },
        ],
    };
    let mut hints: Vec<String> = hints.into_iter().filter(|hint| !hint.is_empty()).collect();
    let unresolved = query::unresolved_sites(sources.snapshot(), &node.name)?;
    if relation.direction == EdgeDirection::Incoming && unresolved > 0 {
        hints.push(format!(
            "{} of the name {} could not be resolved and may belong to this symbol",
            count(unresolved, "use"),
            node.name
        ));
    }
    Ok(hints)
}

/// Where more of the same is, one note each. Of callers of a member: calls through what it
/// implements or overrides are not calls of it. Of implementations: what stands for those listed.
pub fn elsewhere(
    sources: &mut Sources<'_>,
    node: &Node,
    relation: Relation<'_>,
) -> Result<Vec<String>, QueryError> {
    if relation == Relation::IMPLEMENTATIONS {
        let further = further(sources, node)?;
        return Ok(literals(node).into_iter().chain(further).collect());
    }
    if matches!(
        node.node_type,
        NodeType::Class | NodeType::Interface | NodeType::Component
    ) {
        let is_all = relation.direction == EdgeDirection::Outgoing && relation.edge_types.len() > 1;
        return Ok(is_all
            .then(|| members("get_dependencies", node))
            .into_iter()
            .collect());
    }
    if relation.direction != EdgeDirection::Incoming
        || relation.edge_types.first() != Some(&EdgeType::Calls)
    {
        return Ok(Vec::new());
    }
    let tool = if relation.edge_types.len() == 1 {
        "get_callers"
    } else {
        "get_references"
    };
    let above = related(sources, node, STANDS_FOR)?;
    let below = related(sources, node, STANDING_FOR)?;
    Ok([
        hint(THROUGH, &above.calls_of(tool)),
        hint(BELOW, &below.calls_of(tool)),
    ]
    .into_iter()
    .filter(|hint| !hint.is_empty())
    .collect())
}

/// The query about a type as a whole.
fn members(tool: &str, node: &Node) -> String {
    format!(
        "for its members: {}",
        call(tool, &format!("{}.*", node.qualified_name))
    )
}

/// A query as it is written in a note.
fn call(tool: &str, name: &str) -> String {
    format!("`{tool} {name}`")
}

/// How many more implement, extend or override those that do so directly.
fn further(sources: &Sources<'_>, node: &Node) -> Result<Option<String>, QueryError> {
    let direct = standing_for(sources, node.id)?;
    let mut seen: BTreeSet<NodeId> = direct.iter().copied().chain([node.id]).collect();
    let listed = seen.len();
    let (mut looked_at, mut above) = (0, Vec::new());
    for id in direct {
        let before = seen.len();
        let mut open = vec![id];
        while let Some(next) = open.pop().filter(|_| looked_at < MAX_LOOKED_AT) {
            looked_at += 1;
            open.extend(
                standing_for(sources, next)?
                    .into_iter()
                    .filter(|below| seen.insert(*below)),
            );
        }
        if seen.len() > before {
            above.push(id);
        }
    }
    let more = seen.len() - listed;
    if more == 0 {
        return Ok(None);
    }
    let mut named = Named {
        names: Vec::new(),
        count: above.len(),
    };
    for id in above.iter().take(MAX_NAMED) {
        named.names.extend(
            query::get_node(sources.snapshot(), *id)?.map(|symbol| symbol.node.qualified_name),
        );
    }
    let at_least = if looked_at < MAX_LOOKED_AT {
        ""
    } else {
        "at least "
    };
    let words = format!("only direct ones are listed; {at_least}{more} more below: ");
    Ok(Some(hint(&words, &named.calls_of("get_implementations"))))
}

fn standing_for(sources: &Sources<'_>, id: NodeId) -> Result<Vec<NodeId>, QueryError> {
    let found = Neighbors::find(sources.snapshot(), id, STANDING_FOR)?;
    Ok((0..found.len()).map(|index| found.key(index).1).collect())
}

fn no_known_target(what: &str, node: &Node, open: u64) -> String {
    let calls = count(open, "call");
    format!(
        "no {what} in {} resolves to this repository; {calls} could not be resolved",
        node.qualified_name
    )
}

fn count(number: u64, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// The kind with its article.
fn a_kind(node: &Node) -> String {
    let kind = node.kind.to_string();
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {kind}")
}

fn no_callers(sources: &mut Sources<'_>, node: &Node) -> Result<Vec<String>, QueryError> {
    let name = &node.qualified_name;
    let mut hints = match node.node_type {
        NodeType::Class | NodeType::Component => {
            let (constructors, constructed) = constructors(sources, node)?;
            let by_itself = if constructors.count == 0 {
                ", and nothing constructs or calls it directly"
            } else {
                ""
            };
            vec![
                format!("{name} is {}{by_itself}", a_kind(node)),
                hint(
                    &format!(
                        "its constructors have {}: ",
                        count(constructed as u64, "caller")
                    ),
                    &constructors.calls_of("get_callers"),
                ),
                members("get_callers", node),
            ]
        }
        NodeType::Method | NodeType::Constructor => {
            vec![format!("nothing in the repository calls {name} directly")]
        }
        NodeType::Property => vec![format!(
            "{name} is {}, which is read and written rather than called",
            a_kind(node)
        )],
        _ => vec![
            format!("{name} is {}, which is not called", a_kind(node)),
            members("get_callers", node),
        ],
    };
    hints.extend(through_others(sources, node)?);
    hints.push(other_uses(sources, node)?);
    if hints.iter().skip(1).all(String::is_empty) && node.flags.has(NodeFlags::PUBLIC_API) {
        hints.push("it is public, so code outside the repository, a framework or a test runner may call it".to_owned());
    }
    Ok(hints)
}

/// Calls may go to what the symbol stands for, or to what stands for it.
fn through_others(sources: &mut Sources<'_>, node: &Node) -> Result<Vec<String>, QueryError> {
    let above = related(sources, node, STANDS_FOR)?;
    let below = related(sources, node, STANDING_FOR)?;
    let is_member = matches!(node.node_type, NodeType::Method | NodeType::Property);
    Ok(match is_member {
        true => vec![
            hint(THROUGH, &above.calls_of("get_callers")),
            hint("it is implemented or overridden by ", &below),
        ],
        false => vec![
            hint("it may be used through ", &above),
            hint("it is implemented or extended by ", &below),
        ],
    })
}

fn other_uses(sources: &Sources<'_>, node: &Node) -> Result<String, QueryError> {
    let uses = query::reference_count(sources.snapshot(), node.id)?;
    Ok(if uses == 0 {
        String::new()
    } else {
        format!(
            "it has {}: {}",
            count(uses, "other use"),
            call("get_references", &node.qualified_name)
        )
    })
}

fn no_callees(sources: &mut Sources<'_>, node: &Node) -> Result<Vec<String>, QueryError> {
    let name = &node.qualified_name;
    if !matches!(
        node.node_type,
        NodeType::Method | NodeType::Constructor | NodeType::Property | NodeType::Component
    ) {
        return Ok(vec![
            format!("{name} is {}, which calls nothing itself", a_kind(node)),
            members("get_callees", node),
        ]);
    }
    let below = related(sources, node, STANDING_FOR)?;
    let open = query::unresolved_calls_in(sources, &[node], 0)?.count;
    let itself = match open {
        0 if node.flags.has(NodeFlags::ABSTRACT) || below.count > 0 => {
            format!("{name} itself calls nothing in this repository")
        }
        0 => {
            format!("{name} calls nothing in this repository; calls into libraries are not listed")
        }
        open => no_known_target("call", node, open),
    };
    Ok(vec![
        itself,
        hint("it is implemented or overridden by ", &below),
    ])
}

fn no_implementations(sources: &mut Sources<'_>, node: &Node) -> Result<Vec<String>, QueryError> {
    let name = &node.qualified_name;
    Ok(match node.node_type {
        NodeType::Class | NodeType::Interface | NodeType::Component => {
            let above = related(sources, node, BASES)?;
            let literals = literals(node).unwrap_or_default();
            vec![
                format!("nothing in the repository implements or derives from {name}"),
                literals,
                hint("it implements or derives from ", &above),
            ]
        }
        NodeType::Method | NodeType::Property => {
            let above = related(sources, node, STANDS_FOR)?;
            vec![
                format!("nothing in the repository implements or overrides {name}"),
                hint(
                    "it implements or overrides a member whose other implementations may be what you want: ",
                    &above.calls_of("get_implementations"),
                ),
            ]
        }
        _ => vec![format!(
            "{name} is {}; only types and their members have implementations. For its uses: {}",
            a_kind(node),
            call("get_references", name)
        )],
    })
}

fn no_references(sources: &mut Sources<'_>, node: &Node) -> Result<Vec<String>, QueryError> {
    let mut hints = vec![format!(
        "nothing in the repository uses {} by name",
        node.qualified_name
    )];
    hints.extend(through_others(sources, node)?);
    Ok(hints)
}

fn no_such_edges(
    sources: &mut Sources<'_>,
    node: &Node,
    direction: EdgeDirection,
    edge_type: EdgeType,
) -> Result<Vec<String>, QueryError> {
    let name = &node.qualified_name;
    let mut hints = vec![match direction {
        EdgeDirection::Outgoing => format!("{name} has no outgoing `{edge_type}`"),
        EdgeDirection::Incoming => format!("{name} has no incoming `{edge_type}`"),
    }];
    let is_base = matches!(
        edge_type,
        EdgeType::Inherits | EdgeType::Implements | EdgeType::Extends
    );
    if direction == EdgeDirection::Outgoing
        && is_base
        && let Some(span) = node.spans.first()
        && let Some(line) = sources.line(&span.path, span.name_line)?
    {
        hints.push(format!(
            "bases outside the repository are not listed; it is declared as `{line}`"
        ));
    }
    let mut others = Vec::new();
    for (word, other) in EdgeType::NAMES {
        let count = Neighbors::find(
            sources.snapshot(),
            node.id,
            Relation {
                direction,
                edge_types: &[*other],
            },
        )?
        .len();
        if count > 0 {
            others.push(format!("{count} `{word}`"));
        }
    }
    hints.push(if others.is_empty() {
        String::new()
    } else {
        format!("it has {}", others.join(", "))
    });
    Ok(hints)
}

/// The names of some of a number of symbols.
struct Named {
    names: Vec<String>,
    count: usize,
}

impl Named {
    /// The queries about them; overloads share one.
    fn calls_of(mut self, tool: &str) -> Self {
        let (before, all) = (self.names.len(), self.count);
        self.names.dedup();
        let count = all - (before - self.names.len());
        Self {
            names: self.names.iter().map(|name| call(tool, name)).collect(),
            count,
        }
    }
}

fn related(
    sources: &mut Sources<'_>,
    node: &Node,
    relation: Relation<'_>,
) -> Result<Named, QueryError> {
    let found = Neighbors::find(sources.snapshot(), node.id, relation)?;
    let mut named = Named {
        names: Vec::new(),
        count: found.len(),
    };
    for index in 0..found.len().min(MAX_NAMED) {
        named.names.extend(
            found
                .get(index, sources, 0)?
                .map(|neighbor| neighbor.node.qualified_name),
        );
    }
    Ok(named)
}

/// What implements an interface without saying so.
fn literals(node: &Node) -> Option<String> {
    let is_shape =
        node.language.rules().has_structural_types && node.node_type == NodeType::Interface;
    is_shape.then(|| {
        format!(
            "object literals and classes that only have its shape are not listed; for its uses: {}",
            call("get_references", &node.qualified_name)
        )
    })
}

/// The constructors of a type, and how many call one.
fn constructors(sources: &mut Sources<'_>, node: &Node) -> Result<(Named, usize), QueryError> {
    let mut callers = 0;
    let members = Neighbors::find(sources.snapshot(), node.id, MEMBERS)?;
    let mut named = Named {
        names: Vec::new(),
        count: 0,
    };
    for index in 0..members.len().min(MAX_MEMBERS) {
        let Some(member) = members
            .get(index, sources, 0)?
            .filter(|member| member.node.node_type == NodeType::Constructor)
        else {
            continue;
        };
        callers += Neighbors::find(sources.snapshot(), member.node.id, Relation::CALLERS)?.len();
        named.count += 1;
        named.names.push(member.node.qualified_name);
    }
    named.names.truncate(MAX_NAMED);
    Ok((named, callers))
}

/// A note that names symbols, empty if there are none.
fn hint(words: &str, named: &Named) -> String {
    let more = named.count.saturating_sub(named.names.len());
    match (named.names.join(", "), more) {
        (names, _) if names.is_empty() => names,
        (names, 0) => format!("{words}{names}"),
        (names, more) => format!("{words}{names} and {more} more"),
    }
}
