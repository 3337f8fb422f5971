//! Sections about the other members of a name that a question does not qualify: `who calls save?`

use codeagent_core::model::graph::{Node, NodeId, NodeKind};
use codeagent_core::query::{self, Occurrences};

use super::Subject;
use super::member::{USES, own_lines};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of other members; a name of more is too common to list them.
const MAX_OTHERS: usize = 24;

/// Adds the declarations or uses of the other members of a name, whichever the question asks for, if the
/// name is `asked` without a type.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    subject: &Subject<'_>,
    (asked, others): (&str, &[&Node]),
) -> Result<(), AnswerError> {
    let wants = subject.wants;
    let is_qualified = asked.contains(['.', '#', ':', '/']);
    let is_member =
        subject.first().parameter_signature.is_some() || subject.first().kind == NodeKind::Event;
    if is_qualified || !is_member || others.len() > MAX_OTHERS {
        return Ok(());
    }

    let ids = unrelated(occurrences, subject, others)?;
    if wants.implementations {
        let places = occurrences.of_declarations(&ids)?;
        let title = "others of that name";
        document.section(wants.weigh(Section::occurrence_rows("others", title, places), true, 0));
    }
    if wants.callers || wants.impact {
        let mut places = occurrences.uses_of(&ids, &USES[..3])?;
        let is_own = own_lines(subject);
        places.retain(|place| !is_own(place) && !place.is_test());
        let title = "uses of the others of that name";
        let section = Section::occurrence_rows("uses of others", title, places);
        document.section(wants.weigh(section, true, 0));
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
