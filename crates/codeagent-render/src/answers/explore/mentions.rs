//! Sections about places that name a symbol without using it.

use codeagent_core::query::{self, Occurrence, Occurrences};

use super::Subject;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of strings that are listed.
const MAX_STRINGS: usize = 100;

/// Adds the places that name a symbol without using it: strings equal to its name, and lines of files in
/// other languages, such as templates. If code uses it, only if the question asks for uses and the name is
/// compound.
pub(super) fn sections(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    is_unused: bool,
) -> Result<(), AnswerError> {
    let name = subject.first().name.as_str();
    let wants = subject.wants;
    let asks_for_uses = wants.callers || wants.impact;
    let is_compound = query::is_compound(name);
    if !(is_unused || asks_for_uses && is_compound) {
        return Ok(());
    }

    if is_compound {
        let strings = named_in_strings(occurrences, name)?;
        let title = "named in strings, matched by equal text";
        let section = Section::occurrence_rows("strings", title, strings);
        document.section(wants.weigh(section, asks_for_uses, 10));
    }

    let found = query::text_mentions(occurrences.sources, &[name])?;
    let places = found.lines.into_iter().map(|mention| Occurrence {
        path: mention.path,
        line: mention.line,
        source: Some(mention.text),
        ..Occurrence::default()
    });
    let title = "named in files of other languages, matched by equal text";
    let section = Section::occurrence_rows("mentions", title, places.collect());
    document.section(wants.weigh(section, asks_for_uses, 10));
    Ok(())
}

/// Returns the places of strings that are a symbol's name.
fn named_in_strings(
    occurrences: &mut Occurrences<'_, '_>,
    name: &str,
) -> Result<Vec<Occurrence>, AnswerError> {
    let mut places = Vec::new();
    for (path, line) in query::literal_lines(occurrences.sources, name, MAX_STRINGS)? {
        places.push(occurrences.at(&path, line)?);
    }
    Ok(places)
}
