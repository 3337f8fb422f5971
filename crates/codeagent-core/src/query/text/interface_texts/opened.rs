//! Dialogs that a handler opens by setting their state, with the handlers in them.
//!
//! `setOpen(true)` leads to the functions that are given to the hook which returned the setter, to the elements
//! that read the state (`const [open, setOpen] = useState(false)`), or else to the handlers in the file of the
//! hook.

use std::collections::BTreeSet;
use std::ops::Range;

use codeagent_lang::surroundings::{Around, AroundKind, Part};

use super::component_props::{handlers_on_lines, wrapped_functions};
use super::reactions::{File, is_event, names};
use super::search::{read, surroundings};
use super::targets::{flows, functions_in, used_in};
use crate::model::graph::{Node, NodeType};
use crate::query::dispatch::object_keys::is_of_name;
use crate::query::{Occurrences, QueryError};

/// Maximum length of what a declaration takes from a result, in bytes.
const MAX_PATTERN_BYTES: usize = 400;

/// Maximum number of places that read a state.
const MAX_READS: usize = 3;

/// A declaration that takes names from the result of a call: `const [open, setOpen] = useState(false)`.
#[derive(Debug, PartialEq, Eq)]
struct Taken<'t> {
    /// The bytes of the whole declaration.
    span: Range<usize>,
    /// The bytes of the arguments.
    arguments: Range<usize>,
    /// The name of the state that the asked name sets.
    state: Option<&'t str>,
}

/// Returns what some code opens by the setters that it calls, as a tree of lines.
pub(super) fn opened(
    occurrences: &mut Occurrences<'_, '_>,
    file: File<'_>,
    source: &str,
) -> Result<Vec<String>, QueryError> {
    // A dialog may set its own state.
    let file = File {
        follows_opened: false,
        ..file
    };

    let mut lines = Vec::new();
    let distinct: BTreeSet<&str> = names(source).collect();

    for name in distinct {
        let Some(taken) = taken(file.text, name) else {
            continue;
        };

        let mut inner = given_functions(occurrences, file, &taken)?;
        if inner.is_empty()
            && let Some(state) = taken.state
        {
            inner = readers(occurrences, file, (state, &taken.span))?;
        }
        if inner.is_empty() {
            inner = handlers_of_hook(occurrences, file, &taken)?;
        }
        if !inner.is_empty() {
            lines.push(format!("{name} is set by"));
            lines.extend(inner);
        }
    }

    Ok(lines)
}

/// Returns the functions that a hook is given, with what they run.
fn given_functions(
    occurrences: &mut Occurrences<'_, '_>,
    file: File<'_>,
    taken: &Taken<'_>,
) -> Result<Vec<String>, QueryError> {
    let arguments = file.at(&taken.arguments);
    if !arguments.contains("=>") {
        return Ok(Vec::new());
    }
    let mut lines = Vec::new();
    let mut start = taken.arguments.start;
    for line in arguments.split_inclusive('\n') {
        let span = start..start + line.len();
        start = span.end;
        if line.contains("=>") {
            lines.extend(file.numbered(&span));
        }
    }

    let mut functions = functions_in(occurrences, file.path, &taken.arguments)?;
    // A function that another hook has returned runs what that one is given.
    for name in names(arguments) {
        if let Some(other) = self::taken(file.text, name).filter(|other| other != taken) {
            let values = used_in(occurrences, file.path, &other.arguments)?;
            functions.extend(values.into_iter().filter(is_value));
        }
    }
    functions.retain(|node| node.node_type != NodeType::Component);
    let mut inner = flows(occurrences, &functions)?;
    if inner.is_empty() {
        inner = wrapped_functions(occurrences, (file.path, file.text), arguments)?;
    }
    lines.extend(inner.into_iter().map(|line| format!("  {line}")));
    Ok(lines)
}

/// Reports whether a symbol is a function, or a value that may hold one.
fn is_value(node: &Node) -> bool {
    matches!(node.node_type, NodeType::Method | NodeType::Property)
}

/// Returns the elements that read a state, with their handlers.
fn readers(
    occurrences: &mut Occurrences<'_, '_>,
    file: File<'_>,
    (state, declared): (&str, &Range<usize>),
) -> Result<Vec<String>, QueryError> {
    let mut lines = Vec::new();
    let mut seen: Vec<Range<usize>> = Vec::new();

    for at in words(file.text, state).filter(|at| !declared.contains(at)) {
        let found = surroundings(
            file.path,
            file.text,
            &[element_behind(file.text, at, state)],
        );
        let around = found.into_iter().next().map(|found| found.around);
        let element = around.into_iter().flatten().next();
        let Some(element) = element.filter(|one| one.kind == AroundKind::Element) else {
            continue;
        };
        if seen.len() == MAX_READS || seen.contains(&element.span) {
            continue;
        }

        let inner = handlers_of_element(occurrences, file, &element)?;
        if !inner.is_empty() {
            let number = file.line(element.span.start);
            lines.push(format!("{number} <{}>", element.name));
            lines.extend(inner.into_iter().map(|line| format!("  {line}")));
        }
        seen.push(element.span);
    }

    Ok(lines)
}

/// Returns the handlers of an element or, if it has none but those that set the state, of the component that it
/// shows.
fn handlers_of_element(
    occurrences: &mut Occurrences<'_, '_>,
    file: File<'_>,
    element: &Around,
) -> Result<Vec<String>, QueryError> {
    let parts = element.parts.iter().filter(|part| is_event(&part.name));
    let parts: Vec<&Part> = parts.collect();
    let mut lines = file.reactions_of(occurrences, element, &parts)?;
    for component in used_in(occurrences, file.path, &element.span)? {
        if component.node_type == NodeType::Component && component.name == element.name {
            lines.extend(handlers_in(occurrences, &component)?);
        }
    }
    Ok(lines)
}

/// Returns the handlers in the lines of a function.
fn handlers_in(
    occurrences: &mut Occurrences<'_, '_>,
    function: &Node,
) -> Result<Vec<String>, QueryError> {
    let Some(span) = function.spans.first() else {
        return Ok(Vec::new());
    };
    let Some(text) = read(occurrences, &span.path)? else {
        return Ok(Vec::new());
    };

    let lines = span.span.start.line..=span.span.end_line;
    let found = handlers_on_lines(occurrences, (&span.path, &text), &lines)?;

    Ok(match found.is_empty() {
        true => found,
        false => std::iter::once(format!("in {}:", span.path))
            .chain(found)
            .collect(),
    })
}

/// Returns the handlers in the file of the hook that has returned a setter.
fn handlers_of_hook(
    occurrences: &mut Occurrences<'_, '_>,
    file: File<'_>,
    taken: &Taken<'_>,
) -> Result<Vec<String>, QueryError> {
    let callee = taken.span.start..taken.arguments.start;
    let hook = functions_in(occurrences, file.path, &callee)?
        .into_iter()
        .next();
    let path = hook.and_then(|hook| Some(hook.spans.first()?.path.clone()));
    let Some(path) = path.filter(|path| path != file.path) else {
        return Ok(Vec::new());
    };

    let text = read(occurrences, &path)?.unwrap_or_default();
    let found = handlers_on_lines(occurrences, (&path, &text), &(1..=u32::MAX))?;

    Ok(match found.is_empty() {
        true => found,
        false => std::iter::once(format!("in {path}:"))
            .chain(found)
            .collect(),
    })
}

/// Returns the declaration that takes a name from the result of a call.
fn taken<'t>(text: &'t str, name: &str) -> Option<Taken<'t>> {
    let starts = text
        .match_indices("const ")
        .map(|(at, word)| (at, at + word.len()));
    for (start, pattern) in starts {
        let close = match text[pattern..].chars().next() {
            Some('[') => ']',
            Some('{') => '}',
            _ => continue,
        };
        let Some(end) = text[pattern..].find(close).map(|end| pattern + end) else {
            continue;
        };
        let given = &text[pattern..end];
        let Some(value) = text[end + 1..].strip_prefix(" = ") else {
            continue;
        };
        if given.len() > MAX_PATTERN_BYTES || !names(given).any(|one| one == name) {
            continue;
        }

        let value_at = text.len() - value.len();
        let callee = value.find(|c: char| !is_of_name(c) && c != '.')?;
        let open = value_at + callee + text[value_at + callee..].find('(')?;
        let is_type = text[value_at + callee..open].starts_with('<');
        if !is_type && open != value_at + callee {
            return None;
        }
        let arguments = open + 1..closing(text, open)?;
        return Some(Taken {
            span: start..arguments.end + 1,
            state: state_of(given, name),
            arguments,
        });
    }
    None
}

/// Returns the name of the state that a setter sets: the one beside it in a list, or that of its name.
fn state_of<'t>(given: &'t str, setter: &str) -> Option<&'t str> {
    if given.starts_with('[') {
        return names(given).next().filter(|state| *state != setter);
    }
    let stem = setter.strip_prefix("set")?;
    names(given).find(|name| *name != setter && name.eq_ignore_ascii_case(stem))
}

/// Returns the offset of the bracket that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text[open..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(open + at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the offsets of a name in a text.
fn words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let offsets = text.match_indices(name).map(|(at, _)| at);
    offsets.filter(move |at| {
        !text[..*at].ends_with(is_of_name) && !text[at + name.len()..].starts_with(is_of_name)
    })
}

/// Returns an offset in the element that a condition shows (`open && <Dialog />`), or else that of the condition.
fn element_behind(text: &str, at: usize, state: &str) -> usize {
    let behind = text[at + state.len()..].trim_start();
    let shown = behind
        .strip_prefix("&&")
        .or_else(|| behind.strip_prefix('?'));
    let is_open = |c: char| c == '(' || c.is_whitespace();
    let shown = shown.map(|shown| shown.trim_start_matches(is_open));
    match shown.and_then(|shown| shown.strip_prefix('<')) {
        Some(tag) => text.len() - tag.len(),
        None => at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setter_is_taken_from_the_result_of_a_hook() {
        let text = "const a = f(1);\nconst [open, setOpen] = useState<boolean>(g(false));\nconst { box: Box, setShow: show } = useBox({ onDone: () => go() });\nconst { shown, setShown } = useShown();";
        for (name, arguments, state) in [
            ("setOpen", "g(false)", Some("open")),
            ("show", "{ onDone: () => go() }", None),
            ("setShown", "", Some("shown")),
        ] {
            let found = taken(text, name).expect(name);
            assert_eq!(&text[found.arguments], arguments);
            assert_eq!(found.state, state, "{name}");
        }
        assert_eq!(taken(text, "a"), None);
    }

    #[test]
    fn a_condition_shows_the_element_behind_it() {
        let text = "{open && (\n  <Box />)} <A open={open} />";
        assert_eq!(&text[element_behind(text, 1, "open")..][..3], "Box");
        let second = text.rfind("open").unwrap_or_default();
        assert_eq!(element_behind(text, second, "open"), second);
    }
}
