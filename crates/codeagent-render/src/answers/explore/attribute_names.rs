//! Section about the tests that use a class by the name that an attribute gives it: `<rare/>` in a text, for
//! `[Filter("rare")] class RareFilter`.

use codeagent_core::model::graph::{Language, Node};
use codeagent_core::query::{self, Occurrences};

use super::literal::regex;
use super::wants::WANTED;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Minimum length of a name, in bytes; shorter ones are words of any text.
const MIN_NAME: usize = 6;

/// Maximum number of lines with a name.
const MAX_LINES: usize = 100;

/// Adds the lines of tests that have a name which an attribute gives to a class; reports whether there are any.
pub(super) fn tests(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    class: &Node,
) -> Result<bool, AnswerError> {
    let mut is_found = false;
    for name in names(occurrences, class)? {
        let pattern = format!(r"\b{}\b", query::escaped_text(&name));
        let mut places = query::search_text(occurrences, &regex(&pattern))?.tests;
        if places.len() > MAX_LINES {
            continue;
        }

        is_found |= !places.is_empty();
        places.sort_unstable();
        let title = format!("in tests, by the name {name:?} that its attribute gives it");
        document.section(Section::occurrence_rows("named tests", title, places).weighing(WANTED));
    }

    Ok(is_found)
}

/// Returns the strings with which the attributes above a class begin.
fn names(occurrences: &mut Occurrences<'_, '_>, class: &Node) -> Result<Vec<String>, AnswerError> {
    let Some(span) = class
        .spans
        .first()
        .filter(|_| class.language == Language::CSharp)
    else {
        return Ok(Vec::new());
    };

    let lines = occurrences
        .sources
        .lines(&span.path, span.span.start.line, span.name_line)?;
    let lines = lines.unwrap_or_default();

    let name = |line: &String| {
        let (_, argument) = line.trim_start().strip_prefix('[')?.split_once("(\"")?;
        let (name, _) = argument.split_once('"')?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        (name.len() >= MIN_NAME && name.chars().all(is_name)).then(|| name.to_owned())
    };

    Ok(lines.iter().filter_map(name).collect())
}
