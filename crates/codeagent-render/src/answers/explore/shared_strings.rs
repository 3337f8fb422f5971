//! Section about the strings of a function that stand elsewhere, too: the name of a message or channel connects code of
//! two processes.

use codeagent_core::query::{self, Occurrence, Occurrences};

use super::Subject;
use super::member::own_lines;
use super::wants::says;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Beginnings of words for what connects processes.
const MESSAGES: [&str; 7] = [
    "border", "channel", "messag", "process", "publish", "receiv", "sen",
];

/// Minimum length of such a string, in bytes, maximum number of its other places, and number of places that are read.
const MIN_LENGTH: usize = 4;
const MAX_PLACES: usize = 6;
const MAX_READ: usize = 40;

/// Adds the other places outside tests of the rare strings of a function, if a question is about messages.
pub(super) fn section(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    if !says(subject.words, &MESSAGES) {
        return Ok(());
    }

    let is_own = own_lines(subject);
    let mut places: Vec<Occurrence> = Vec::new();
    for node in subject.nodes {
        let snapshot = occurrences.sources.snapshot();
        for literal in query::literals_of(snapshot, node.id)? {
            if literal.text.len() < MIN_LENGTH || literal.text.contains(' ') {
                continue;
            }
            let snapshot = occurrences.sources.snapshot();
            let mut found = Vec::new();
            for site in query::literal_sites(snapshot, &literal.text, MAX_READ)? {
                found.push(occurrences.at(&site.path, site.line)?);
            }

            found.retain(|place| !is_own(place) && !place.is_test());
            if found.len() <= MAX_PLACES {
                places.extend(found);
            }
        }
    }
    let title = "its strings elsewhere, which may connect it, matched by equal text";
    document.section(Section::occurrence_rows("strings", title, places).weighing(30));
    Ok(())
}
