//! The section about the calls that send what a string names: `send({ event: "cart.closed" })`.

use codeagent_core::query::{self, Occurrence, Occurrences};

use super::wants::WANTED;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Beginnings of the names of functions that send something.
const SENDING: [&str; 11] = [
    "dispatch", "emit", "enqueue", "fire", "notify", "publish", "push", "queue", "raise", "send",
    "trigger",
];

/// Maximum number of places whose calls are looked up.
const MAX_PLACES: usize = 60;

/// Adds the places of a string that are arguments of calls which send it, and removes them from the others.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    text: &str,
    places: &mut Vec<Occurrence>,
) -> Result<(), AnswerError> {
    if places.len() > MAX_PLACES {
        return Ok(());
    }
    let (mut sending, mut others) = (Vec::new(), Vec::new());
    for mut place in std::mem::take(places) {
        let callee = query::call_around(occurrences, &place, text)?;
        match callee.filter(|callee| sends(callee)) {
            Some(callee) => {
                place.symbol = format!("{} > {callee}(..)", place.symbol);
                sending.push(place);
            }
            None => others.push(place),
        }
    }
    *places = others;
    let title = "sent by, as an argument of a call";
    document.section(Section::occurrence_rows("sent", title, sending).weighing(WANTED));
    Ok(())
}

/// Reports whether a callee has the name of a function that sends something.
fn sends(callee: &str) -> bool {
    let name = callee.rsplit('.').next().unwrap_or(callee).to_lowercase();
    SENDING.iter().any(|verb| name.starts_with(verb))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callee_sends_by_its_verb() {
        assert!(sends("bus.publishAsync") && sends("SendMail"));
        assert!(!sends("z.literal") && !sends("on"));
    }
}
