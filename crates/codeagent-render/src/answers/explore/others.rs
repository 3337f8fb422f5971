//! Sections about the other symbols of a name that a question does not qualify: `who calls save?`

use codeagent_core::model::graph::{EdgeType, Node, NodeFlags, NodeId, NodeKind, NodeType};
use codeagent_core::query::{self, Occurrences};

use super::Subject;
use super::member::{USES, own_lines, source_lines};
use super::type_values::makes_value;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of other symbols; a name of more is too common to list them.
const MAX_OTHERS: usize = 24;

/// Maximum number of other overriders.
const MAX_OVERRIDERS: usize = 200;

/// Maximum number of other properties; a name of more means something else in each type.
const MAX_VALUES: usize = 8;

/// Maximum number of other symbols whose source is shown, and its characters for each.
pub(super) const MAX_SOURCES: usize = 10;
const MAX_SOURCE_CHARS: usize = 400;

/// Adds what the question asks for of the other symbols of a name, if the name is `asked` without a type:
/// declarations or uses of members, and what implements types.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    subject: &Subject<'_>,
    (asked, others): (&str, &[&Node]),
) -> Result<(), AnswerError> {
    // A qualified name is that of others, too, if their names end with it.
    let is_qualified = asked.contains(['#', ':', '/']);
    let end = format!(".{asked}");
    let mut others = others.to_vec();
    others.retain(|other| {
        !asked.contains('.') || other.qualified_name.replace('#', ".").ends_with(&end)
    });
    let most = match are_overriders(subject) {
        true => MAX_OVERRIDERS,
        false => MAX_OTHERS,
    };
    if is_qualified || others.is_empty() || others.len() > most {
        return Ok(());
    }

    let ids = unrelated(occurrences, subject, &others)?;
    let first = subject.first();
    match first.node_type {
        NodeType::Class | NodeType::Interface | NodeType::Type => {
            of_types(document, occurrences, subject, &ids)
        }
        // A setting is often handed on under its name.
        NodeType::Property if wants_uses(subject) && others.len() <= MAX_VALUES => {
            of_members(document, occurrences, subject, &ids)
        }
        _ if first.parameter_signature.is_some() || may_share_name(first.kind) => {
            of_members(document, occurrences, subject, &ids)
        }
        _ => Ok(()),
    }
}

/// Reports whether the question is what overrides a member, which the section of the others tells.
pub(super) fn are_overriders(subject: &Subject<'_>) -> bool {
    let first = subject.first();
    let is_override = first.flags.has(NodeFlags::OVERRIDE) && first.parameter_signature.is_some();
    subject.wants.overrides && is_override
}

fn wants_uses(subject: &Subject<'_>) -> bool {
    let wants = subject.wants;
    wants.callers || wants.impact || !wants.asks()
}

/// Reports whether members of this kind are likely the same thing in several types or languages.
fn may_share_name(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Event | NodeKind::EnumMember)
}

fn of_types(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    subject: &Subject<'_>,
    others: &[NodeId],
) -> Result<(), AnswerError> {
    let wants = subject.wants;
    if !wants.implementations {
        return Ok(());
    }

    let found = query::implementations_of(occurrences.sources.snapshot(), others)?;
    let found: Vec<NodeId> = found.into_iter().map(|(id, _)| id).collect();
    let mut places = occurrences.of_declarations(&found)?;
    places.retain(|place| !place.is_test());

    let title = "implemented, extended or derived by, the others of that name";
    let section = Section::occurrence_rows("implementations of others", title, places);
    document.section(wants.weigh(section, true, 0));

    let types = [EdgeType::References, EdgeType::Accepts];
    let mut literals = occurrences.uses_of(others, &types)?;
    literals.retain(|place| makes_value(place, &subject.first().name) && !place.is_test());
    let title = "object literals and values declared with the others of that name";
    let section = Section::occurrence_rows("object literals of others", title, literals);
    document.section(wants.weigh(section, true, 0));
    Ok(())
}

fn of_members(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    subject: &Subject<'_>,
    others: &[NodeId],
) -> Result<(), AnswerError> {
    let wants = subject.wants;
    if wants.implementations {
        let places = occurrences.of_declarations(others)?;
        let title = match are_overriders(subject) {
            true => "others that override a member of that name",
            false => "others of that name",
        };
        document.section(wants.weigh(Section::occurrence_rows("others", title, places), true, 0));
        if asks_for_each(subject) && others.len() <= MAX_SOURCES {
            add_sources(document, occurrences, others)?;
        }
    }

    if wants_uses(subject) {
        let mut places = occurrences.uses_of(others, &USES[..3])?;
        let is_own = own_lines(subject);
        places.retain(|place| !is_own(place) && !place.is_test());
        let title = "uses of the others of that name";
        let section = Section::occurrence_rows("uses of others", title, places);
        document.section(wants.weigh(section, true, 0));
    }

    Ok(())
}

/// Reports whether a question asks what each of several symbols does.
pub(super) fn asks_for_each(subject: &Subject<'_>) -> bool {
    let mut words = subject.words.iter();
    let has_verb = words.any(|word| ["actually", "do", "each", "really"].contains(&word.as_str()));
    // `which implementations can merge?`
    let mut pairs = subject.words.windows(2);
    has_verb || pairs.any(|pair| pair[0].starts_with("implement") && pair[1] == "can")
}

/// Adds the source of some symbols.
pub(super) fn add_sources(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    ids: &[NodeId],
) -> Result<(), AnswerError> {
    for id in ids {
        let Some(symbol) = query::get_node(occurrences.sources.snapshot(), *id)? else {
            continue;
        };
        let title = occurrences.short_name(&symbol.node)?;
        let lines = source_lines(occurrences, &symbol.node)?;
        let section = Section::lines("source of others", title, lines);
        document.section(section.weighing(20).at_most(MAX_SOURCE_CHARS));
    }
    Ok(())
}

/// Returns the ids of the others that neither implement the subject nor are its bases: those have
/// sections of their own.
fn unrelated(
    occurrences: &Occurrences<'_, '_>,
    subject: &Subject<'_>,
    others: &[&Node],
) -> Result<Vec<NodeId>, AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let mut related = query::implementations_of(snapshot, &subject.ids())?;
    related.extend(query::bases_of(snapshot, &subject.ids())?);
    let is_related = |id: NodeId| related.iter().any(|(other, _)| *other == id);
    let ids = others.iter().map(|other| other.id);
    Ok(ids.filter(|id| !is_related(*id)).collect())
}
