//! Handlers of the control that code gives a text: `saveButton.Text = "Save"` and `saveButton.Click += OnSave` in the same
//! file or in the part of the class that names its bases.

use codeagent_core::query::{self, Occurrences, TextPlace};

use super::environment_settings::used_on_line;
use super::member::is_callable;
use crate::answers::AnswerError;

/// Properties that hold the text of a control.
const TEXTS: [&str; 6] = ["Caption", "Content", "Header", "Label", "Text", "Title"];

/// Maximum number of lines of a file that are read.
const MAX_LINES: u32 = 20_000;

/// Returns the places that add handlers to the controls whose texts stand at some places, each with what the handler does.
pub(super) fn handlers(
    occurrences: &mut Occurrences<'_, '_>,
    places: &[&TextPlace],
) -> Result<Vec<String>, AnswerError> {
    let mut found = Vec::new();
    for place in places {
        let source = place.at.source.clone().unwrap_or_default();
        let Some(control) = control_of(&source) else {
            continue;
        };
        let Some(class) = query::type_around(occurrences, &place.at)? else {
            continue;
        };

        // The part of a designer, and the one with the bases.
        let mut paths = vec![place.at.path.clone()];
        for part in occurrences.of_declarations(&[class.id])? {
            if !paths.contains(&part.path) {
                paths.push(part.path);
            }
        }

        for path in &paths {
            let lines = occurrences.sources.lines(path, 1, MAX_LINES)?;
            for (number, line) in (1..).zip(lines.iter().flatten()) {
                if !adds_handler(line, control) {
                    continue;
                }

                found.push(format!("{path}:{number} {}", line.trim()));
                let at = occurrences.at(path, number)?;
                for node in used_on_line(occurrences, &at)?
                    .iter()
                    .filter(|node| is_callable(node))
                {
                    let flow = query::flow(occurrences, node)?;
                    found.extend(flow.into_iter().map(|line| format!("  {line}")));
                }
            }
        }
    }

    Ok(found)
}

/// Returns the control that a line gives a text: `saveButton` of `this.saveButton.Text = "Save";`.
fn control_of(line: &str) -> Option<&str> {
    let (target, _) = line.split_once(" = ")?;
    let target = target.trim();
    let target = target.strip_prefix("this.").unwrap_or(target);
    let (control, property) = target.split_once('.')?;
    let is_name = control.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && TEXTS.contains(&property)).then_some(control)
}

/// Reports whether a line adds a handler to an event of a control: `this.saveButton.Click += OnSave;`.
fn adds_handler(line: &str, control: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("this.").unwrap_or(line);
    let rest = line
        .strip_prefix(control)
        .and_then(|rest| rest.strip_prefix('.'));
    let event = rest.and_then(|rest| rest.split_once(" += "));
    event.is_some_and(|(event, _)| event.chars().all(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_has_a_text_and_handlers() {
        let control = control_of("this.saveButton.Text = \"Save\";");
        assert_eq!(control, Some("saveButton"));
        assert_eq!(control_of("Text = \"Save\";"), None);
        assert_eq!(control_of("cart.Total = \"1\";"), None);
        assert!(adds_handler("  saveButton.Click += OnSave;", "saveButton"));
        assert!(!adds_handler("saveButton.Width += 2.Of(a);", "save"));
    }
}
