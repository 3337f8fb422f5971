//! Section about methods that a framework of tests runs before the tests of their class: what they use, these tests use,
//! too.

use codeagent_core::model::graph::{Language, Node, NodeId, NodeType};
use codeagent_core::query::{self, Occurrence, Occurrences};

use crate::answers::AnswerError;
use crate::text::{NameRow, Section};

/// Beginnings of the attributes of such methods, in NUnit and MSTest. In xUnit it is the constructor.
const BEFORE: [&str; 4] = [
    "[SetUp",
    "[OneTimeSetUp",
    "[TestInitialize",
    "[ClassInitialize",
];

/// Beginnings of the attributes of tests.
const TESTS: [&str; 5] = ["[Test]", "[TestCase", "[TestMethod", "[Fact", "[Theory"];

/// Maximum number of places whose functions are looked at.
const MAX_PLACES: usize = 100;

/// Returns a section with the tests before which the functions around some places run.
pub(super) fn section(
    occurrences: &mut Occurrences<'_, '_>,
    places: &[Occurrence],
) -> Result<Section, AnswerError> {
    let mut seen: Vec<NodeId> = Vec::new();
    let mut rows = Vec::new();
    for place in places.iter().take(MAX_PLACES) {
        let Some(function) = query::function_around(occurrences, place)? else {
            continue;
        };

        let is_new = !seen.contains(&function.id);
        seen.push(function.id);
        if is_new && runs_before_tests(occurrences, &function)? {
            rows.extend(row(occurrences, &function)?);
        }
    }

    let title = "tests before which one of these runs";
    Ok(Section::names("fixtures", title, rows))
}

/// Returns a row with the tests of the class of a method; `None` if it has none.
fn row(
    occurrences: &mut Occurrences<'_, '_>,
    method: &Node,
) -> Result<Option<NameRow>, AnswerError> {
    let Some(class) = method.parent else {
        return Ok(None);
    };

    let mut names = Vec::new();
    for member in query::members_of(occurrences.sources.snapshot(), class)? {
        if has_attribute(occurrences, &member, &TESTS)? {
            let line = member.spans.first().map_or(0, |span| span.name_line);
            names.push((line, member.name));
        }
    }

    names.sort_unstable();
    if names.is_empty() {
        return Ok(None);
    }

    let tests: Vec<String> = names
        .iter()
        .map(|(line, name)| format!("{line} {name}"))
        .collect();
    let short = occurrences.short_name(method)?;
    let path = method.spans.first().map_or("", |span| span.path.as_str());
    Ok(Some(NameRow {
        full: format!("{short} before {path}: {}", tests.join(", ")),
        short: format!("{short} before {} tests", tests.len()),
    }))
}

fn runs_before_tests(
    occurrences: &mut Occurrences<'_, '_>,
    method: &Node,
) -> Result<bool, AnswerError> {
    let is_constructor = method.node_type == NodeType::Constructor;
    let is_of_csharp = method.language == Language::CSharp;
    Ok(is_of_csharp && (is_constructor || has_attribute(occurrences, method, &BEFORE)?))
}

/// Reports whether the lines above a member's name have one of these attributes.
fn has_attribute(
    occurrences: &mut Occurrences<'_, '_>,
    member: &Node,
    attributes: &[&str],
) -> Result<bool, AnswerError> {
    let Some(span) = member.spans.first() else {
        return Ok(false);
    };

    let first = span.span.start.line;
    let lines = occurrences
        .sources
        .lines(&span.path, first, span.name_line)?;

    let is_attribute = |line: &String| {
        let line = line.trim_start();
        attributes
            .iter()
            .any(|attribute| line.starts_with(attribute))
    };
    Ok(lines.iter().flatten().any(is_attribute))
}
