//! Section about the objects that libraries for tests make instead of a type, or of one that implements it:
//! `Substitute.For<ICart>()`, `new Mock<ICart>()`, `mock<Cart>()`.

use codeagent_core::model::graph::{EdgeType, Node, NodeId, NodeType};
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::Subject;
use super::wants::says;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Parts of the names of what makes such objects.
const MAKERS: [&str; 5] = ["fake", "mock", "spy", "stub", "substitute"];

/// Words by which a question asks for such objects.
const ASKING: [&str; 6] = ["double", "fake", "mock", "stand-in", "stub", "substitute"];

/// Maximum number of types below a type for which such objects are looked for.
const MAX_DERIVED: usize = 60;

/// Adds where tests make objects that stand for a type that can be implemented, or for one of those `derived` from it.
pub(super) fn section(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    derived: &[NodeId],
) -> Result<(), AnswerError> {
    let is_type = |node: &Node| matches!(node.node_type, NodeType::Class | NodeType::Interface);
    if !subject.wants.implementations || !is_type(subject.first()) {
        return Ok(());
    }

    let mut places = stand_ins(occurrences, &subject.ids(), &subject.first().name)?;
    for id in derived.iter().take(MAX_DERIVED) {
        if let Some(symbol) = query::get_node(occurrences.sources.snapshot(), *id)? {
            places.extend(stand_ins(occurrences, &[*id], &symbol.node.name)?);
        }
    }

    let is_wanted = says(subject.words, &ASKING);
    let title = "objects that tests make in its place, or in that of a type below it";
    let section = Section::occurrence_rows("stand-ins", title, places);
    document.section(subject.wants.weigh(section, is_wanted, 6));
    Ok(())
}

/// Returns where tests make objects in the place of a type.
fn stand_ins(
    occurrences: &mut Occurrences<'_, '_>,
    ids: &[NodeId],
    name: &str,
) -> Result<Vec<Occurrence>, AnswerError> {
    let mut places = occurrences.uses_of(ids, &[EdgeType::References])?;
    places.retain(|place| {
        let source = place.source.as_deref().unwrap_or_default();
        place.is_test() && makes_stand_in(source, name)
    });
    Ok(places)
}

/// Reports whether a line makes an object in the place of a type: its name is the first type argument of a maker.
fn makes_stand_in(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    line.match_indices(&format!("<{name}")).any(|(at, text)| {
        let is_whole = !line[at + text.len()..].starts_with(is_part);
        let maker = line[..at].rsplit(|c| !is_part(c)).next();
        let maker = maker.unwrap_or_default().to_lowercase();
        is_whole && MAKERS.iter().any(|part| maker.contains(part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_makes_an_object_in_the_place_of_a_type() {
        for line in [
            "var cart = Substitute.For<ICart>();",
            "new Mock<ICart>(MockBehavior.Strict)",
            "const cart = mockDeep<ICart>();",
            "A.Fake<ICart>()",
        ] {
            assert!(makes_stand_in(line, "ICart"), "{line}");
        }
        for line in [
            "var carts = new List<ICart>();",
            "new Mock<ICarts>()",
            "Substitute.For<IStore<ICart>>()",
        ] {
            assert!(!makes_stand_in(line, "ICart"), "{line}");
        }
    }
}
