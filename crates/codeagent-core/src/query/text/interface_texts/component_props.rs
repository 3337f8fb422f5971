//! Handlers that stand elsewhere: those that a component gets as a property, and those that markup names.

use std::collections::BTreeSet;
use std::ops::{Range, RangeInclusive};

use codeagent_lang::project::paths::{file_name, folder_of};
use codeagent_lang::surroundings::AroundKind;

use super::TextPlace;
use super::reactions::{names, value_of};
use super::search::{read, surroundings};
use super::targets::{flows, functions_in, functions_of_value, is_function};
use crate::model::graph::{Dialect, EdgeType, Node, NodeKind, NodeType};
use crate::query::dispatch::key_path::{flow_of_keys, keys_of_procedure};
use crate::query::dispatch::object_keys::is_of_name;
use crate::query::graph::flow::flow_of_lines;
use crate::query::{Occurrence, Occurrences, QueryError};
use crate::store::{self, is_test_path};

/// Maximum number of places that give a component a handler.
const MAX_GIVEN: usize = 4;

/// Maximum number of uses of a component that are read.
const MAX_USES: usize = 64;

/// Maximum number of handlers near a text that are shown.
const MAX_NEARBY: usize = 6;

/// Maximum number of handlers near a text whose flow is shown.
const MAX_FLOWS: usize = 3;

/// Maximum number of symbols of one name that are looked at.
const MAX_NAMED: usize = 40;

/// Maximum length of what a declaration takes from a result, in bytes.
const MAX_PATTERN_BYTES: usize = 400;

/// Maximum number of functions that markup may name.
const MAX_FUNCTIONS: usize = 2;

/// Returns the name that an attribute gives as it is: `close` of `onClick={close}`.
pub(super) fn is_prop(source: &str) -> Option<&str> {
    let (_, value) = source.split_once('=')?;
    let value = value.trim().strip_prefix('{')?.strip_suffix('}')?.trim();
    let value = value.strip_prefix("props.").unwrap_or(value);
    value.chars().all(is_of_name).then_some(value)
}

/// Returns what the users of a component give it as a property: for `onClick={close}` in a component, the
/// handlers of `<Component close={..}>`.
pub(super) fn handlers_given(
    occurrences: &mut Occurrences<'_, '_>,
    (path, line): (&str, usize),
    prop: &str,
) -> Result<Vec<String>, QueryError> {
    let Some(component) = component_at(occurrences, path, line as u32)? else {
        return Ok(Vec::new());
    };

    let mut lines = Vec::new();
    let mut given = 0;
    let uses = occurrences.incoming(&[component.id], &[EdgeType::Calls, EdgeType::References])?;
    for used in uses.into_iter().take(MAX_USES) {
        if given == MAX_GIVEN {
            break;
        }
        let path = occurrences.path(used.file)?;
        if is_test_path(&path) {
            continue;
        }

        let Some((span, source)) =
            attribute_of(occurrences, (&path, used.line, used.column), prop)?
        else {
            continue;
        };

        given += 1;
        lines.push(format!("given by {path}:{} {source}", used.line));
        let functions = functions_in(occurrences, &path, &span)?;
        let inner = flows(occurrences, &functions)?;
        lines.extend(inner.into_iter().map(|line| format!("  {line}")));
    }

    Ok(lines)
}

/// Returns the flow of the only function with a name outside tests, for a value that is taken out of the result of
/// a call: `const { close } = useDialog()`.
pub(super) fn only_function(
    occurrences: &mut Occurrences<'_, '_>,
    name: &str,
) -> Result<Vec<String>, QueryError> {
    let named = store::by_name(occurrences.sources.snapshot(), name, MAX_NAMED)?;
    let is_meant = |node: &Node| {
        let mut spans = node.spans.iter();
        node.name == name && is_function(node) && !spans.any(|span| is_test_path(&span.path))
    };
    let named: Vec<Node> = named.into_iter().filter(is_meant).collect();
    if named.len() != 1 {
        return Ok(Vec::new());
    }
    let mut lines = vec!["the only function of that name:".to_owned()];
    lines.extend(flows(occurrences, &named)?);
    Ok(lines)
}

/// Returns the component around a text.
pub fn component_around(
    occurrences: &Occurrences<'_, '_>,
    place: &TextPlace,
) -> Result<Option<Node>, QueryError> {
    let around = component_at(occurrences, &place.at.path, place.at.line)?;
    Ok(around.filter(|node| node.node_type == NodeType::Component))
}

/// Returns the constant on the line of a text that holds it: `const CONFIRM = "RESET"`.
pub fn constant_around(
    occurrences: &Occurrences<'_, '_>,
    place: &TextPlace,
) -> Result<Option<Node>, QueryError> {
    let around = symbols_around(occurrences, &place.at.path, place.at.line)?;
    let innermost = around.into_iter().next();
    let is_constant = |node: &Node| {
        let mut spans = node.spans.iter().map(|span| span.span);
        let is_value = node.kind == NodeKind::Variable || node.kind == NodeKind::Field;
        is_value && spans.all(|span| span.start.line == span.end_line)
    };
    Ok(innermost.filter(is_constant))
}

/// Returns the type that has an attribute or decorator on a line before its name.
pub fn type_with_attribute(
    occurrences: &Occurrences<'_, '_>,
    at: &Occurrence,
) -> Result<Option<Node>, QueryError> {
    let around = symbols_around(occurrences, &at.path, at.line)?;
    let innermost = around.into_iter().next();
    let is_before_name = |node: &Node| {
        let mut spans = node.spans.iter().filter(|span| span.path == at.path);
        spans.any(|span| (span.span.start.line..span.name_line).contains(&at.line))
    };
    Ok(innermost.filter(|node| node.node_type.is_type() && is_before_name(node)))
}

/// Returns what the procedures of a typed API run that some code names by the variables of its file:
/// `const { mutateAsync: close } = api.cart.close.useMutation()`.
pub(super) fn procedures_named(
    occurrences: &mut Occurrences<'_, '_>,
    text: &str,
    source: &str,
) -> Result<Vec<String>, QueryError> {
    let mut lines = Vec::new();
    let mut seen: Vec<&str> = Vec::new();

    for name in names(source) {
        let Some(callee) = callee_behind(text, name).filter(|callee| !seen.contains(callee)) else {
            continue;
        };
        seen.push(callee);
        let Some(keys) = keys_of_procedure(callee) else {
            continue;
        };

        let inner = flow_of_keys(occurrences, keys, usize::MAX)?;
        if !inner.is_empty() {
            lines.push(format!("{name} is {callee} -> (matched by key names)"));
            lines.extend(inner.into_iter().map(|line| format!("  {line}")));
        }
    }

    Ok(lines)
}

/// Returns the flow of the functions that some code names by variables which hold them wrapped:
/// `const close = useCallback(() => ..)`.
pub(super) fn wrapped_functions(
    occurrences: &mut Occurrences<'_, '_>,
    (path, text): (&str, &str),
    source: &str,
) -> Result<Vec<String>, QueryError> {
    let mut lines = Vec::new();
    let distinct: BTreeSet<&str> = names(source).collect();

    for name in distinct {
        let Some(span) = wrapped_function(text, name) else {
            continue;
        };

        let line = |offset: usize| text[..offset].matches('\n').count() as u32 + 1;
        let within = line(span.start)..=line(span.end);
        lines.push(format!("{name}  {path}:{}", within.start()));
        let inner = flow_of_lines(occurrences, (path, &within), usize::MAX)?;
        lines.extend(inner.into_iter().map(|line| format!("  {line}")));
    }

    Ok(lines)
}

/// Returns the bytes of a variable's value that is a call with a function as its first argument.
fn wrapped_function(text: &str, name: &str) -> Option<Range<usize>> {
    let declaration = format!("const {name} = ");
    let start = text.find(&declaration)?;
    let value = start + declaration.len();
    let (callee, arguments) = text[value..].split_once('(')?;
    let is_callee = callee.chars().all(|c| is_of_name(c) || c == '.');
    let first = arguments.trim_start();
    let is_function = ["(", "async ", "function"]
        .iter()
        .any(|word| first.starts_with(word));
    if !is_callee || !is_function {
        return None;
    }

    let mut depth = 0_usize;
    for (at, c) in text[value..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(start..value + at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Returns the callee whose result a declaration takes a name from: `api.cart.close.useMutation`; of
/// `useMutation(api.cart.close.mutationOptions())` the inner one.
pub(in crate::query) fn callee_behind<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let mut declarations = text.split("const ").skip(1);
    declarations.find_map(|declaration| {
        let (names_given, value) = declaration.split_once(" = ")?;
        let is_given =
            names_given.len() < MAX_PATTERN_BYTES && names(names_given).any(|given| given == name);
        let (callee, arguments) = value.split_once('(').filter(|_| is_given)?;
        let inner = arguments.trim_start().split_once('(');
        let is_path = |callee: &&str| callee.chars().all(|c| is_of_name(c) || c == '.');
        let procedure = inner.map(|(inner, _)| inner).filter(is_path);
        let procedure = procedure.filter(|inner| keys_of_procedure(inner).is_some());
        procedure.or(Some(callee).filter(is_path))
    })
}

/// Returns the innermost function with a name around a line of code, unless it is a component.
pub fn function_around(
    occurrences: &Occurrences<'_, '_>,
    at: &Occurrence,
) -> Result<Option<Node>, QueryError> {
    let around = symbols_around(occurrences, &at.path, at.line)?;
    let is_callable = |node: &Node| is_function(node) || node.node_type == NodeType::Constructor;
    Ok(around.into_iter().find(is_callable))
}

/// Returns the property whose getter a line of code is part of.
pub fn property_around(
    occurrences: &Occurrences<'_, '_>,
    at: &Occurrence,
) -> Result<Option<Node>, QueryError> {
    let around = symbols_around(occurrences, &at.path, at.line)?;
    let innermost = around.into_iter().next();
    Ok(innermost.filter(|node| node.kind == NodeKind::Property))
}

/// Returns the innermost type around a line of code.
pub fn type_around(
    occurrences: &Occurrences<'_, '_>,
    at: &Occurrence,
) -> Result<Option<Node>, QueryError> {
    let around = symbols_around(occurrences, &at.path, at.line)?;
    Ok(around.into_iter().find(|node| node.node_type.is_type()))
}

/// Returns the handlers in the component around a text that has none itself, such as those of the dialog that a
/// button opens.
pub fn handlers_nearby(
    occurrences: &mut Occurrences<'_, '_>,
    place: &TextPlace,
) -> Result<Vec<String>, QueryError> {
    let path = place.at.path.as_str();
    let Some(component) = component_at(occurrences, path, place.at.line)? else {
        return Ok(Vec::new());
    };
    let Some(text) = read(occurrences, path)? else {
        return Ok(Vec::new());
    };
    let span = component.spans.iter().find(|span| span.path == path);
    let lines = span.map_or(0..=0, |span| span.span.start.line..=span.span.end_line);
    handlers_on_lines(occurrences, (path, &text), &lines)
}

/// Returns the handlers on some lines of a file, with the flow of a few.
pub(super) fn handlers_on_lines(
    occurrences: &mut Occurrences<'_, '_>,
    (path, text): (&str, &str),
    lines: &RangeInclusive<u32>,
) -> Result<Vec<String>, QueryError> {
    let mut found = Vec::new();
    let mut flows_of: Vec<Vec<String>> = Vec::new();
    let mut start = 0;

    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let span = start..start + line.len();
        start = span.end;
        if !lines.contains(&number) || !has_handler(line) || found.len() == MAX_NEARBY {
            continue;
        }

        found.push(format!("{number} {}", line.trim()));
        let mut functions = functions_in(occurrences, path, &span)?;
        functions.retain(|function| function.node_type != NodeType::Component);
        let inner = match functions.is_empty() {
            true => {
                let mut inner = wrapped_functions(occurrences, (path, text), line)?;
                inner.extend(procedures_named(occurrences, text, line)?);
                inner
            }
            false => flows(occurrences, &functions)?,
        };

        if !inner.is_empty() && !flows_of.contains(&inner) {
            flows_of.push(inner);
        }
    }

    // What leads to another program tells most.
    let requests = |lines: &Vec<String>| lines.iter().any(|line| line.contains(" requests "));
    flows_of.sort_by_key(|lines| !requests(lines));
    let inner = flows_of.iter().take(MAX_FLOWS).flatten();
    found.extend(inner.map(|line| format!("  {line}")));
    Ok(found)
}

/// Reports whether a line gives an element a handler: `onClick={save}`.
fn has_handler(line: &str) -> bool {
    line.match_indices("={").any(|(at, _)| {
        let name = line[..at].rsplit(|c| !is_of_name(c)).next();
        let event = name.and_then(|name| name.strip_prefix("on"));
        event.is_some_and(|event| event.starts_with(char::is_uppercase))
    })
}

/// Returns the outermost function around a line, which may be a component.
fn component_at(
    occurrences: &Occurrences<'_, '_>,
    path: &str,
    line: u32,
) -> Result<Option<Node>, QueryError> {
    Ok(symbols_around(occurrences, path, line)?.pop())
}

/// Returns the symbols around a line, innermost first, without files and modules.
fn symbols_around(
    occurrences: &Occurrences<'_, '_>,
    path: &str,
    line: u32,
) -> Result<Vec<Node>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let Some(file) = store::file_by_path(snapshot, path)? else {
        return Ok(Vec::new());
    };

    let mut around = Vec::new();
    for (id, lines) in store::line_spans(snapshot, file.id)? {
        if lines.contains(&line) {
            around.extend(store::node(snapshot, id)?);
        }
    }

    around.retain(|node| !matches!(node.node_type, NodeType::File | NodeType::Module));
    Ok(around)
}

/// Returns the attribute of the element at a use of a component.
fn attribute_of(
    occurrences: &mut Occurrences<'_, '_>,
    (path, line, column): (&str, u32, u32),
    name: &str,
) -> Result<Option<(Range<usize>, String)>, QueryError> {
    let Some(text) = read(occurrences, path)? else {
        return Ok(None);
    };
    let Some(before) = occurrences.sources.text(path)? else {
        return Ok(None);
    };

    let offset = before.split_at(line, column).0.len();
    let found = surroundings(path, &text, &[offset]);
    let innermost = found.first().and_then(|found| found.around.first());
    let element = innermost.filter(|one| one.kind == AroundKind::Element);
    let part = element.and_then(|one| one.parts.iter().find(|part| part.name == name));

    Ok(part.map(|part| {
        let source = text.get(part.span.clone()).unwrap_or_default();
        let source = source.split_whitespace().collect::<Vec<_>>().join(" ");
        (value_of(part), source.chars().take(160).collect())
    }))
}

/// Returns the functions that the value of an attribute of markup names: methods of the class behind the file or
/// of the one whose template it is, or the commands of a binding.
pub(super) fn functions_named(
    occurrences: &mut Occurrences<'_, '_>,
    (path, text): (&str, &str),
    (value, is_command): (&str, bool),
) -> Result<Vec<Node>, QueryError> {
    if is_command {
        let command = value
            .trim_end_matches('}')
            .split(',')
            .next()
            .unwrap_or_default();
        let command = command
            .rsplit(|c| !is_of_name(c))
            .find(|part| !part.is_empty());
        if let Some(method) = bound_method(text, value) {
            return functions_named(occurrences, (path, text), (method, false));
        }
        return command.map_or(Ok(Vec::new()), |command| {
            of_command(occurrences, path, command)
        });
    }

    let behind = format!("{path}.");
    let class = class_of(text);
    let mut found = Vec::new();
    for name in names(value) {
        for node in store::by_name(occurrences.sources.snapshot(), name, MAX_NAMED)? {
            if node.name != name || !is_function(&node) || found.len() == MAX_FUNCTIONS {
                continue;
            }
            let mut spans = node.spans.iter();
            let is_behind = spans.any(|span| span.path.starts_with(&behind));
            let is_member = is_behind || class.is_some_and(|class| is_of(&node, class));
            if is_member || has_template(occurrences, &node, path)? {
                found.push(node);
            }
        }
    }
    Ok(found)
}

/// Returns the method that a `CommandBinding` of a XAML file gives a command as written:
/// `Executed="OnSave"`.
fn bound_method<'t>(text: &'t str, command: &str) -> Option<&'t str> {
    text.match_indices(command).find_map(|(at, _)| {
        let start = text[..at].rfind('<')?;
        let tag = &text[start..at + text[at..].find('>')?];
        let (_, method) = tag.split_once("Executed=\"")?;
        method.split('"').next()
    })
}

/// Returns the class of a XAML file: `MainWindow` of `x:Class="App.MainWindow"`.
fn class_of(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("x:Class=\"")?;
    let (name, _) = rest.split_once('"')?;
    name.rsplit('.').next()
}

/// Reports whether the file of a method names a file of its folder as a template: `templateUrl: "./cart.html"`.
fn has_template(
    occurrences: &Occurrences<'_, '_>,
    node: &Node,
    template: &str,
) -> Result<bool, QueryError> {
    let path = node.spans.first().map_or("", |span| &span.path);
    if folder_of(path) != folder_of(template) || Dialect::of_path(path).is_none() {
        return Ok(false);
    }
    let text = read(occurrences, path)?.unwrap_or_default();
    let mut named = text.match_indices(file_name(template));
    Ok(named.any(|(at, _)| text[..at].ends_with(['/', '"', '\'', '`'])))
}

fn is_of(node: &Node, class: &str) -> bool {
    let owner = node.qualified_name.rsplit_once('.').map(|(owner, _)| owner);
    owner.is_some_and(|owner| owner.rsplit('.').next() == Some(class))
}

/// Returns the functions behind a command: those of its value, or the method from which a tool generates it
/// (`SaveCommand` from `Save` or `SaveAsync`). Of several, the one whose class is named like the file comes first.
fn of_command(
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
    command: &str,
) -> Result<Vec<Node>, QueryError> {
    let stem = command.strip_suffix("Command").unwrap_or(command);
    let names = [command.to_owned(), stem.to_owned(), format!("{stem}Async")];
    for name in names {
        let named = store::by_name(occurrences.sources.snapshot(), &name, MAX_NAMED)?;
        let mut named: Vec<Node> = named.into_iter().filter(|node| node.name == name).collect();
        named.retain(|node| matches!(node.node_type, NodeType::Method | NodeType::Property));
        named.sort_by_key(|node| std::cmp::Reverse(shared_beginning(&owner(node), &view(path))));

        let mut functions = Vec::new();
        for node in named.iter().take(MAX_FUNCTIONS) {
            match is_function(node) {
                true => functions.push(node.clone()),
                false => functions.extend(functions_of_value(occurrences, node)?),
            }
        }

        if !functions.is_empty() {
            return Ok(functions);
        }
    }

    Ok(Vec::new())
}

fn owner(node: &Node) -> String {
    let mut parts = node.qualified_name.rsplit('.');
    parts.nth(1).unwrap_or_default().to_owned()
}

/// Returns the name of a file without its endings.
fn view(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split('.').next().unwrap_or_default().to_owned()
}

fn shared_beginning(a: &str, b: &str) -> usize {
    let mut pairs = a.chars().zip(b.chars());
    pairs
        .position(|(a, b)| a != b)
        .unwrap_or(a.len().min(b.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_gives_a_property_as_it_is() {
        assert_eq!(is_prop("onClick={close}"), Some("close"));
        assert_eq!(is_prop("onClick={props.onClose}"), Some("onClose"));
        assert_eq!(is_prop("onClick={() => close()}"), None);
        assert!(has_handler("<a b={c} onClick={save}>") && !has_handler("<a only={save}>"));
        assert_eq!(is_prop("label=\"close\""), None);
    }

    #[test]
    fn a_variable_is_taken_from_the_result_of_a_call() {
        let text = "const a = 1;\nconst { mutateAsync: close, error } = api.cart.close.useMutation({\n});\nconst b = f(close);";
        assert_eq!(
            callee_behind(text, "close"),
            Some("api.cart.close.useMutation")
        );
        assert_eq!(callee_behind(text, "b"), Some("f"));
        assert_eq!(callee_behind(text, "open"), None);
    }

    #[test]
    fn a_variable_may_hold_a_wrapped_function() {
        let text = "const a = 1;\nconst run = useCallback(async () => {\n  f(a);\n}, [a]);\nconst b = f(a);";
        let found = wrapped_function(text, "run").map(|span| &text[span]);
        assert_eq!(
            found,
            Some("const run = useCallback(async () => {\n  f(a);\n}, [a]")
        );
        assert_eq!(wrapped_function(text, "b"), None);
        assert_eq!(wrapped_function(text, "a"), None);
    }

    #[test]
    fn the_class_behind_markup_is_named_in_it() {
        assert_eq!(class_of("<Window x:Class=\"App.Main\">"), Some("Main"));
        assert_eq!(class_of("<Window>"), None);
        let text = "<A Command=\"{B C}\" /><CommandBinding Command=\"{B C}\" Executed=\"OnC\" />";
        assert_eq!(bound_method(text, "{B C}"), Some("OnC"));
        assert_eq!(bound_method(text, "{B D}"), None);
    }
}
