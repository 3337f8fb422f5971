//! Explains empty lists of related symbols, and points to other queries that have more results.
//!
//! A call through an interface is a call of the interface's member, a class is called through its
//! constructors, and a base class outside the repository is not a symbol. Without these notes an
//! empty list looks complete.
//!
//! Limitations: the notes are based on the graph, which lacks reflection, markup and configuration.

use std::collections::BTreeSet;

use crate::model::graph::{EdgeDirection, EdgeType, Language, Node, NodeFlags, NodeId, NodeType};
use crate::query::{
    self, EmptyList, FollowUp, Neighbors, Note, QueryError, RelatedResults, Relation, Sources,
    SymbolSample,
};

/// Maximum number of symbols named in one note.
const MAX_NAMED: usize = 3;

/// Maximum number of members searched for constructors.
const MAX_MEMBERS: usize = 200;

/// Maximum number of implementations whose own implementations are counted.
const MAX_VISITED: usize = 1_000;

/// The members that a member implements or overrides.
const IMPLEMENTED: Relation<'_> = Relation {
    direction: EdgeDirection::Outgoing,
    edge_types: &[EdgeType::Overrides, EdgeType::Implements],
};

const DERIVING: &[EdgeType] = &[
    EdgeType::Implements,
    EdgeType::Overrides,
    EdgeType::Inherits,
    EdgeType::Extends,
];

/// The symbols that implement, override or derive from a symbol.
const IMPLEMENTATIONS: Relation<'_> = Relation {
    direction: EdgeDirection::Incoming,
    edge_types: DERIVING,
};

/// The types that a type implements or derives from.
const BASES: Relation<'_> = Relation {
    direction: EdgeDirection::Outgoing,
    edge_types: DERIVING,
};

const MEMBERS: Relation<'_> = Relation {
    direction: EdgeDirection::Outgoing,
    edge_types: &[EdgeType::Contains],
};

/// Explains why no symbols have this relation to a symbol.
pub fn explain_empty(
    sources: &mut Sources<'_>,
    node: &Node,
    relation: Relation<'_>,
) -> Result<Vec<Note>, QueryError> {
    let mut notes = match (relation.direction, relation.edge_types) {
        (EdgeDirection::Incoming, [EdgeType::Calls]) => no_callers(sources, node)?,
        (EdgeDirection::Outgoing, [EdgeType::Calls]) => no_callees(sources, node)?,
        (EdgeDirection::Incoming, verbs)
            if verbs.contains(&EdgeType::Overrides) && !verbs.contains(&EdgeType::Calls) =>
        {
            no_implementations(sources, node)?
        }
        (direction, [edge_type]) => no_such_edges(sources, node, direction, *edge_type)?,
        (EdgeDirection::Incoming, _) => no_references(sources, node)?,
        (EdgeDirection::Outgoing, _) => {
            let reason = EmptyList::NoDependencies {
                name: node.qualified_name.clone(),
                unresolved: query::unresolved_calls_in(sources, &[node], 0)?.count,
            };
            vec![reason.into()]
        }
    };

    let unresolved = query::unresolved_sites(sources.snapshot(), &node.name)?;
    if relation.direction == EdgeDirection::Incoming && unresolved > 0 {
        let uses = EmptyList::UnresolvedUses {
            count: unresolved,
            name: node.name.clone(),
        };
        notes.push(uses.into());
    }
    Ok(notes)
}

/// Points to related results outside of a list: for the callers of a member, uses through its bases
/// or implementations; for implementations, indirect ones, unless the list has deeper levels.
pub fn related_results_hint(
    sources: &mut Sources<'_>,
    node: &Node,
    relation: Relation<'_>,
    has_deeper_levels: bool,
) -> Result<Vec<Note>, QueryError> {
    if relation == Relation::IMPLEMENTATIONS {
        let indirect = if has_deeper_levels {
            None
        } else {
            indirect_implementations(sources, node)?
        };
        return Ok(unlisted_implementations(node)
            .into_iter()
            .chain(indirect)
            .collect());
    }
    if matches!(
        node.node_type,
        NodeType::Class | NodeType::Interface | NodeType::Component
    ) {
        let is_all = relation.direction == EdgeDirection::Outgoing && relation.edge_types.len() > 1;
        return Ok(is_all
            .then(|| members(FollowUp::Dependencies, node))
            .into_iter()
            .collect());
    }
    if relation.direction != EdgeDirection::Incoming
        || relation.edge_types.first() != Some(&EdgeType::Calls)
    {
        return Ok(Vec::new());
    }

    let query = if relation.edge_types.len() == 1 {
        FollowUp::Callers
    } else {
        FollowUp::References
    };
    let above = uses_of_base(sources, node, query)?;
    let below =
        related(sources, node, IMPLEMENTATIONS)?.map(|below| RelatedResults::UsesOfOverrides {
            query,
            members: below.by_name(),
        });
    Ok(above.into_iter().chain(below.map(Note::from)).collect())
}

fn members(query: FollowUp, node: &Node) -> Note {
    let members = RelatedResults::Members {
        query,
        name: node.qualified_name.clone(),
    };
    members.into()
}

fn uses_of_base(
    sources: &mut Sources<'_>,
    node: &Node,
    query: FollowUp,
) -> Result<Option<Note>, QueryError> {
    let above = related(sources, node, IMPLEMENTED)?;
    let note = above.map(|above| RelatedResults::UsesOfBase {
        query,
        members: above.by_name(),
    });
    Ok(note.map(Note::from))
}

/// Counts the implementations below the direct ones.
fn indirect_implementations(
    sources: &Sources<'_>,
    node: &Node,
) -> Result<Option<Note>, QueryError> {
    let direct = implementation_ids(sources, node.id)?;
    let mut seen: BTreeSet<NodeId> = direct.iter().copied().chain([node.id]).collect();
    let listed = seen.len();
    let (mut visited, mut above) = (0, Vec::new());
    for id in direct {
        let before = seen.len();
        let mut open = vec![id];
        while let Some(next) = open.pop().filter(|_| visited < MAX_VISITED) {
            visited += 1;
            open.extend(
                implementation_ids(sources, next)?
                    .into_iter()
                    .filter(|below| seen.insert(*below)),
            );
        }
        if seen.len() > before {
            above.push(id);
        }
    }
    if seen.len() == listed {
        return Ok(None);
    }

    let mut through = SymbolSample {
        names: Vec::new(),
        count: above.len(),
    };
    for id in above.iter().take(MAX_NAMED) {
        through.names.extend(
            query::get_node(sources.snapshot(), *id)?.map(|symbol| symbol.node.qualified_name),
        );
    }
    let below = RelatedResults::IndirectImplementations {
        count: seen.len() - listed,
        is_lower_bound: visited >= MAX_VISITED,
        through: through.by_name(),
    };
    Ok(Some(below.into()))
}

fn implementation_ids(sources: &Sources<'_>, id: NodeId) -> Result<Vec<NodeId>, QueryError> {
    let found = Neighbors::find(sources.snapshot(), id, IMPLEMENTATIONS)?;
    Ok((0..found.len()).map(|index| found.key(index).1).collect())
}

fn no_callers(sources: &mut Sources<'_>, node: &Node) -> Result<Vec<Note>, QueryError> {
    let mut notes = match node.node_type {
        NodeType::Class | NodeType::Component => {
            let constructors = constructors(sources, node)?;
            let reason = EmptyList::TypeNotCalled {
                symbol: node.into(),
                has_constructors: constructors.is_some(),
            };
            let mut notes = vec![reason.into()];
            notes.extend(constructors);
            notes.push(members(FollowUp::Callers, node));
            notes
        }
        NodeType::Method | NodeType::Constructor => {
            let name = node.qualified_name.clone();
            vec![EmptyList::NoCallers { name }.into()]
        }
        NodeType::Property => vec![EmptyList::PropertyNotCalled(node.into()).into()],
        _ => vec![
            EmptyList::NotCallable(node.into()).into(),
            members(FollowUp::Callers, node),
        ],
    };

    notes.extend(through_others(sources, node)?);
    notes.extend(other_uses(sources, node)?);
    if notes.len() == 1 && node.flags.has(NodeFlags::PUBLIC_API) {
        notes.push(EmptyList::PublicApi.into());
    }

    Ok(notes)
}

/// Notes that uses may go through a member that the symbol implements, or through its own
/// implementations.
fn through_others(sources: &mut Sources<'_>, node: &Node) -> Result<Vec<Note>, QueryError> {
    let is_member = matches!(node.node_type, NodeType::Method | NodeType::Property);
    let below = related(sources, node, IMPLEMENTATIONS)?;
    let (above, below) = if is_member {
        (
            uses_of_base(sources, node, FollowUp::Callers)?,
            below.map(RelatedResults::ImplementedBy),
        )
    } else {
        let above = related(sources, node, IMPLEMENTED)?.map(RelatedResults::UsedThrough);
        (above.map(Note::from), below.map(RelatedResults::ExtendedBy))
    };
    Ok(above.into_iter().chain(below.map(Note::from)).collect())
}

fn other_uses(sources: &Sources<'_>, node: &Node) -> Result<Option<Note>, QueryError> {
    let count = query::reference_count(sources.snapshot(), node.id)?;
    let name = node.qualified_name.clone();
    Ok((count > 0).then(|| EmptyList::OtherUses { count, name }.into()))
}

fn no_callees(sources: &mut Sources<'_>, node: &Node) -> Result<Vec<Note>, QueryError> {
    if !matches!(
        node.node_type,
        NodeType::Method | NodeType::Constructor | NodeType::Property | NodeType::Component
    ) {
        return Ok(vec![
            EmptyList::CallsNothing(node.into()).into(),
            members(FollowUp::Callees, node),
        ]);
    }

    let below = related(sources, node, IMPLEMENTATIONS)?;
    let reason = EmptyList::NoCallees {
        name: node.qualified_name.clone(),
        unresolved: query::unresolved_calls_in(sources, &[node], 0)?.count,
        is_implemented: node.flags.has(NodeFlags::ABSTRACT) || below.is_some(),
    };

    let below = below.map(RelatedResults::ImplementedBy);
    Ok([reason.into()]
        .into_iter()
        .chain(below.map(Note::from))
        .collect())
}

fn no_implementations(sources: &mut Sources<'_>, node: &Node) -> Result<Vec<Note>, QueryError> {
    let is_type = match node.node_type {
        NodeType::Class | NodeType::Interface | NodeType::Component => true,
        NodeType::Method | NodeType::Property => false,
        _ => return Ok(vec![EmptyList::NotImplementable(node.into()).into()]),
    };

    let name = node.qualified_name.clone();
    let mut notes = vec![EmptyList::NoImplementations { name, is_type }.into()];
    if is_type {
        notes.extend(unlisted_implementations(node));
        let bases = related(sources, node, BASES)?.map(RelatedResults::Bases);
        notes.extend(bases.map(Note::from));
    } else {
        let above = related(sources, node, IMPLEMENTED)?;
        let above = above.map(|above| RelatedResults::BaseImplementations(above.by_name()));
        notes.extend(above.map(Note::from));
    }

    Ok(notes)
}

fn no_references(sources: &mut Sources<'_>, node: &Node) -> Result<Vec<Note>, QueryError> {
    let name = node.qualified_name.clone();
    let mut notes = vec![EmptyList::NoReferences { name }.into()];
    notes.extend(through_others(sources, node)?);
    Ok(notes)
}

fn no_such_edges(
    sources: &mut Sources<'_>,
    node: &Node,
    direction: EdgeDirection,
    edge_type: EdgeType,
) -> Result<Vec<Note>, QueryError> {
    let reason = EmptyList::NoEdges {
        name: node.qualified_name.clone(),
        direction,
        edge_type,
    };
    let mut notes = vec![reason.into()];

    let is_base = matches!(
        edge_type,
        EdgeType::Inherits | EdgeType::Implements | EdgeType::Extends
    );
    if direction == EdgeDirection::Outgoing
        && is_base
        && let Some(span) = node.spans.first()
        && let Some(declaration) = sources.line(&span.path, span.name_line)?
    {
        notes.push(EmptyList::ExternalBases { declaration }.into());
    }

    let mut others = Vec::new();
    for (_, other) in EdgeType::NAMES {
        let relation = Relation {
            direction,
            edge_types: &[*other],
        };
        let count = Neighbors::find(sources.snapshot(), node.id, relation)?.len();
        if count > 0 {
            others.push((*other, count));
        }
    }
    if !others.is_empty() {
        notes.push(EmptyList::OtherEdges(others).into());
    }
    Ok(notes)
}

/// Returns a sample of the related symbols; `None` if there are none.
fn related(
    sources: &mut Sources<'_>,
    node: &Node,
    relation: Relation<'_>,
) -> Result<Option<SymbolSample>, QueryError> {
    let found = Neighbors::find(sources.snapshot(), node.id, relation)?;
    let mut sample = SymbolSample {
        names: Vec::new(),
        count: found.len(),
    };
    for index in 0..found.len().min(MAX_NAMED) {
        sample.names.extend(
            found
                .get(index, sources, 0)?
                .map(|neighbor| neighbor.node.qualified_name),
        );
    }

    Ok(Some(sample).filter(|sample| !sample.names.is_empty()))
}

/// Returns the note about implementations that cannot be listed.
fn unlisted_implementations(node: &Node) -> Option<Note> {
    let name = node.qualified_name.clone();
    if node.language == Language::Imported {
        return Some(RelatedResults::MayLackImplementations { name }.into());
    }
    let is_shape =
        node.language.rules().has_structural_types && node.node_type == NodeType::Interface;
    is_shape.then(|| RelatedResults::StructuralTyping { name }.into())
}

/// Counts the callers of a type's constructors; `None` if it declares none.
fn constructors(sources: &mut Sources<'_>, node: &Node) -> Result<Option<Note>, QueryError> {
    let mut callers = 0;
    let members = Neighbors::find(sources.snapshot(), node.id, MEMBERS)?;
    let mut constructors = SymbolSample::default();
    for index in 0..members.len().min(MAX_MEMBERS) {
        let Some(member) = members
            .get(index, sources, 0)?
            .filter(|member| member.node.node_type == NodeType::Constructor)
        else {
            continue;
        };
        callers += Neighbors::find(sources.snapshot(), member.node.id, Relation::CALLERS)?.len();
        constructors.count += 1;
        constructors.names.push(member.node.qualified_name);
    }

    constructors.names.truncate(MAX_NAMED);
    let constructors = Some(constructors).filter(|constructors| constructors.count > 0);
    Ok(constructors.map(|constructors| {
        let callers = EmptyList::ConstructorCallers {
            callers,
            constructors: constructors.by_name(),
        };
        callers.into()
    }))
}
