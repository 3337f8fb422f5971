//! The section about the calls that send what a string names: `send({ event: "cart.closed" })`.

use codeagent_core::query::{self, Occurrence, Occurrences};

use super::wants::WANTED;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Beginnings of the names of functions that send something.
const SENDING: [&str; 12] = [
    "dispatch",
    "emit",
    "enqueue",
    "fire",
    "notify",
    "postmessage",
    "publish",
    "push",
    "queue",
    "raise",
    "send",
    "trigger",
];

/// Maximum number of lines between an object and the call that sends it.
const MAX_LINES: u32 = 30;

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
        let mut callee = query::call_around(occurrences, &place, text)?;
        if callee.is_none()
            && let Some((call, name)) = call_with_object(occurrences, &place)?
        {
            (place, callee) = (call, Some(name));
        }

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

/// Returns the call that sends the object which a line declares with a string in it, and its callee:
/// `port.postMessage(message)` behind `const message = { type: "cart.closed" };`.
fn call_with_object(
    occurrences: &mut Occurrences<'_, '_>,
    place: &Occurrence,
) -> Result<Option<(Occurrence, String)>, AnswerError> {
    let source = place.source.as_deref().unwrap_or_default();
    let Some(object) = declared_object(source).map(str::to_owned) else {
        return Ok(None);
    };

    let (first, last) = (place.line + 1, place.line + MAX_LINES);
    let lines = occurrences.sources.lines(&place.path, first, last)?;
    for (line, text) in (first..).zip(lines.unwrap_or_default()) {
        if let Some(callee) = callee_with(&text, &object)
            && sends(callee)
        {
            let call = occurrences.at(&place.path, line)?;
            return Ok(Some((call, callee.to_owned())));
        }
    }

    Ok(None)
}

/// Returns the name of the local that a line declares as an object literal: `const message = { type: "a" };`.
fn declared_object(line: &str) -> Option<&str> {
    let (target, value) = line.trim().split_once(" = ")?;
    let (keyword, name) = target.split_once(' ')?;
    let is_declared = ["const", "let", "var"].contains(&keyword) && value.starts_with('{');
    is_declared.then(|| name.split(':').next().unwrap_or(name).trim())
}

/// Returns the callee of the call on a line whose first argument is a name.
fn callee_with<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    let (before, after) = line.split_once(&format!("({name}"))?;
    let is_part = |c: char| c.is_alphanumeric() || "_$.?!".contains(c);
    let callee = before.rsplit(|c| !is_part(c)).next()?;
    (!callee.is_empty() && after.starts_with([')', ','])).then_some(callee)
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

    #[test]
    fn a_declared_object_is_sent_by_a_later_call() {
        let object = declared_object("const message = { type: \"a\" };");
        assert_eq!(object, Some("message"));
        assert_eq!(declared_object("message = { type: \"a\" };"), None);
        let callee = callee_with(
            "frame.contentWindow?.postMessage(message, \"*\");",
            "message",
        );
        assert_eq!(callee, Some("frame.contentWindow?.postMessage"));
        assert_eq!(callee_with("send(messages)", "message"), None);
    }
}
