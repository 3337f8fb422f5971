//! The section about the types below a type and which of them override a member: `which classes derive from Base, and
//! which of them override Base.draw?`

use std::collections::HashMap;

use codeagent_core::model::graph::{Node, NodeId, NodeType};
use codeagent_core::query::{self, Occurrence, Occurrences, SymbolGroup, Target, Targets};

use super::heading::heading;
use super::{Context, meant};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Adds the section, if a question names a type and a member that the type has or inherits. Reports whether it does.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    targets: &Targets,
    context: Context<'_>,
) -> Result<bool, AnswerError> {
    let symbols = targets.found.iter().filter_map(|target| match target {
        Target::Symbols(symbols) => Some(symbols),
        _ => None,
    });
    let symbols: Vec<_> = symbols.collect();
    let [one, other] = symbols.as_slice() else {
        return Ok(false);
    };
    if !context.wants.overrides {
        return Ok(false);
    }
    let Some(base) = meant::best_group(occurrences, one, context)? else {
        return Ok(false);
    };
    if !base.first().node_type.is_type() {
        return Ok(false);
    }

    let snapshot = occurrences.sources.snapshot();
    let bases: Vec<NodeId> = base.nodes.iter().map(|node| node.id).collect();
    let mut owners = bases.clone();
    owners.extend(query::bases_of(snapshot, &bases)?.iter().map(|(id, _)| *id));
    let is_member = |group: &&SymbolGroup| {
        let is_overridable = matches!(
            group.first().node_type,
            NodeType::Method | NodeType::Property
        );
        let is_of = |node: &Node| node.parent.is_some_and(|owner| owners.contains(&owner));
        is_overridable && group.nodes.iter().any(is_of)
    };
    let mut groups = other.groups.iter().chain(&other.others);
    let below = query::implementations_of(snapshot, &bases)?;
    let Some(member) = groups.find(is_member).filter(|_| !below.is_empty()) else {
        return Ok(false);
    };

    document.line(heading(occurrences, base.first())?);
    document.line(heading(occurrences, member.first())?);
    add_types(document, occurrences, (base, member), &below, context)?;
    Ok(true)
}

/// Adds the types below one, each with the bases between and its override of the member.
fn add_types(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (base, member): (&SymbolGroup, &SymbolGroup),
    below: &[(NodeId, u32)],
    context: Context<'_>,
) -> Result<(), AnswerError> {
    let overrides = overrides_by_owner(occurrences, member)?;
    let name = &member.first().name;
    let mut rows = Vec::with_capacity(below.len());
    let mut overriding = 0;
    for (id, level) in below {
        let Some(symbol) = query::get_node(occurrences.sources.snapshot(), *id)? else {
            continue;
        };
        let Some(mut row) = occurrences.declaration(&symbol.node, false)? else {
            continue;
        };

        let mut words = Vec::new();
        if *level > 1 {
            words.extend(between(occurrences, *id, below)?);
        }
        if let Some(at) = overrides.get(id) {
            overriding += usize::from(!row.is_test());
            let at = at.strip_prefix(&format!("{}:", row.path)).unwrap_or(at);
            words.push(format!("overrides {name} ({at})"));
        }
        row.source = Some(words.join(", "));
        rows.push(row);
    }

    let (tests, rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(Occurrence::is_test);
    let base = &base.first().name;
    let title =
        format!("types below {base}, at all levels, {overriding} with an override of {name}");
    let wants = context.wants;
    document.section(wants.weigh(
        Section::occurrence_rows("implementations", title, rows),
        true,
        0,
    ));
    let title = format!("types below {base} in tests");
    let tests = Section::occurrence_rows("test implementations", title, tests);
    document.section(wants.weigh(tests, wants.tests, 3));
    Ok(())
}

/// Returns where a member is overridden, by the type that does so.
fn overrides_by_owner(
    occurrences: &Occurrences<'_, '_>,
    member: &SymbolGroup,
) -> Result<HashMap<NodeId, String>, AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let ids: Vec<NodeId> = member.nodes.iter().map(|node| node.id).collect();

    let mut found = HashMap::new();
    for (id, _) in query::implementations_of(snapshot, &ids)? {
        let Some(symbol) = query::get_node(snapshot, id)? else {
            continue;
        };

        if let (Some(owner), Some(span)) = (symbol.node.parent, symbol.node.spans.first()) {
            let at = format!("{}:{}", span.path, span.name_line);
            found.entry(owner).or_insert(at);
        }
    }

    Ok(found)
}

/// Returns `via Middle` for a type that inherits another one indirectly.
fn between(
    occurrences: &mut Occurrences<'_, '_>,
    id: NodeId,
    below: &[(NodeId, u32)],
) -> Result<Option<String>, AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let mut names = Vec::new();
    for (base, distance) in query::bases_of(snapshot, &[id])? {
        let is_between = distance == 1 && below.iter().any(|(other, _)| *other == base);
        let symbol = match is_between {
            true => query::get_node(snapshot, base)?,
            false => None,
        };
        names.extend(symbol.map(|symbol| symbol.node.name));
    }

    Ok(Some(names)
        .filter(|names| !names.is_empty())
        .map(|names| format!("via {}", names.join(" and "))))
}
