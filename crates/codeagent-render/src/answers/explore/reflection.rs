//! The section about C# code that reads the members of a type without naming them:
//! `options.GetType().GetProperties()`.

use codeagent_core::model::graph::{EdgeType, Language, Node, NodeId};
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::Subject;
use super::literal::regex;
use super::wants::WANTED;
use crate::answers::AnswerError;
use crate::text::Section;

/// Calls that look up members.
const LOOKUPS: &str = r"\.Get(Field|Member|Property|Properties)s?\s*\(";

/// Uses of a type by which a file knows it.
const USES: [EdgeType; 5] = [
    EdgeType::Accepts,
    EdgeType::Calls,
    EdgeType::Implements,
    EdgeType::Inherits,
    EdgeType::References,
];

/// Returns the lines that look up members in the files that name the type of a member, or that of another
/// member with its name, if a question asks for reflection; empty otherwise.
pub(super) fn section(
    occurrences: &mut Occurrences<'_, '_>,
    subject: &Subject<'_>,
    others: &[&Node],
) -> Result<Section, AnswerError> {
    let title =
        "reflection in files that name its type or one with a member of this name, matched by text";
    let is_asked = subject.words.iter().any(|word| word.starts_with("reflect"));
    if !is_asked {
        return Ok(Section::occurrence_rows("reflection", title, Vec::new()));
    }
    let members = subject.nodes.iter().chain(others.iter().copied());
    let members: Vec<&Node> = members
        .filter(|node| node.language == Language::CSharp)
        .collect();
    let owners: Vec<NodeId> = members.iter().filter_map(|node| node.parent).collect();
    let mut paths: Vec<String> = occurrences
        .uses_of(&owners, &USES)?
        .into_iter()
        .map(|place| place.path)
        .collect();
    let spans = members.iter().flat_map(|node| &node.spans);
    paths.extend(spans.map(|span| span.path.clone()));

    let found = query::search_text(occurrences, &regex(LOOKUPS))?;
    let mut places: Vec<Occurrence> = found.code;
    places.retain(|place| paths.contains(&place.path));
    Ok(Section::occurrence_rows("reflection", title, places).weighing(WANTED))
}
