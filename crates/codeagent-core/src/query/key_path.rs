//! Paths of keys through object literals: `document.send` for `router({ document: documents })` and
//! `documents = router({ send: procedure.mutation(..) })`.
//!
//! A client of a typed API names a procedure by such a path (`api.document.send.useMutation`). The step
//! from one object to the next is the name of its value, so the result is a guess from equal text.
//!
//! Limitations: each key begins its line, and two keys at least must be found.

use std::ops::RangeInclusive;

use crate::model::graph::{Node, NodeType};
use crate::query::flow::{flow, flow_of_lines};
use crate::query::{Occurrences, QueryError, TextSearchQuery, search_text};
use crate::store::{self, is_test_path};

/// Maximum number of lines with the first key that are followed.
const MAX_STARTS: usize = 12;

/// Maximum number of symbols of one name that are looked at.
const MAX_NAMED: usize = 40;

/// Lines of a file.
type Lines = (String, RangeInclusive<u32>);

/// What a key has.
enum Value {
    /// The name of a symbol.
    Name(String),
    /// An expression on these lines.
    Lines(Lines),
}

/// What the last key of a path has.
enum End {
    Symbol(Node),
    Lines(Lines),
}

/// Returns the flow of what a path of keys leads to; empty if the objects are not known. The last part may be
/// the name of a hook.
pub fn flow_of_keys(
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
    depth: usize,
) -> Result<Vec<String>, QueryError> {
    let keys: Vec<&str> = path.split('.').collect();
    for first in 0..keys.len().saturating_sub(1) {
        for symbol in values_of(occurrences, keys[first])? {
            let Some(end) = follow(occurrences, symbol, &keys[first + 1..])? else {
                continue;
            };
            return match end {
                End::Symbol(node) => flow(occurrences, &node),
                End::Lines((path, lines)) => {
                    let calls = flow_of_lines(occurrences, (&path, &lines), depth)?;
                    let place = format!("{path}:{}-{}", lines.start(), lines.end());
                    let calls = calls.into_iter().map(|call| format!("  {call}"));
                    Ok([place].into_iter().chain(calls).collect())
                }
            };
        }
    }
    Ok(Vec::new())
}

/// Returns the symbols that are the value of a key somewhere.
fn values_of(occurrences: &mut Occurrences<'_, '_>, key: &str) -> Result<Vec<Node>, QueryError> {
    let pattern = format!("{key}: ");
    let query = TextSearchQuery {
        pattern: &pattern,
        is_regex: false,
        ignore_case: false,
        path: None,
        literals: false,
    };
    let mut symbols: Vec<Node> = Vec::new();
    let lines = search_text(occurrences, &query)?.code;
    let values = lines.iter().filter_map(|line| {
        let value = after_key(line.source.as_deref()?, key)?;
        name_of(value).map(str::to_owned)
    });
    for name in values.take(MAX_STARTS) {
        let symbol = symbol(occurrences, &name)?;
        symbols.extend(symbol.filter(|new| symbols.iter().all(|known| known.id != new.id)));
    }
    Ok(symbols)
}

/// Follows keys through the object literals of a symbol; `None` if its first one is missing.
fn follow(
    occurrences: &mut Occurrences<'_, '_>,
    start: Node,
    keys: &[&str],
) -> Result<Option<End>, QueryError> {
    let Some(mut within) = lines_of(&start) else {
        return Ok(None);
    };
    let mut end = None;
    for key in keys {
        match value(occurrences, &within, key)? {
            Some(Value::Name(name)) => {
                let Some(node) = symbol(occurrences, &name)? else {
                    break;
                };
                let Some(lines) = lines_of(&node) else { break };
                within = lines;
                end = Some(End::Symbol(node));
            }
            Some(Value::Lines(lines)) => {
                within = lines.clone();
                end = Some(End::Lines(lines));
            }
            None => break,
        }
    }
    Ok(end)
}

/// Returns the value of a key on some lines, the least indented one.
fn value(
    occurrences: &mut Occurrences<'_, '_>,
    (path, lines): &Lines,
    key: &str,
) -> Result<Option<Value>, QueryError> {
    let source = occurrences
        .sources
        .lines(path, *lines.start(), *lines.end())?;
    let source = source.unwrap_or_default();
    let keyed = source.iter().enumerate();
    let keyed = keyed.filter(|(_, line)| after_key(line, key).is_some());
    let Some((at, line)) = keyed.min_by_key(|(_, line)| indentation(line)) else {
        return Ok(None);
    };

    if let Some(name) = after_key(line, key).and_then(name_of) {
        return Ok(Some(Value::Name(name.to_owned())));
    }
    let is_deeper =
        |inner: &&String| inner.trim().is_empty() || indentation(inner) > indentation(line);
    let deeper = source[at + 1..].iter().take_while(is_deeper).count();
    let first = lines.start() + u32::try_from(at).unwrap_or_default();
    let last = first + u32::try_from(deeper).unwrap_or_default();
    Ok(Some(Value::Lines((path.clone(), first..=last))))
}

/// Returns the only symbol outside tests with a name that may hold an object or procedure.
fn symbol(occurrences: &Occurrences<'_, '_>, name: &str) -> Result<Option<Node>, QueryError> {
    let mut named = store::by_name(occurrences.sources.snapshot(), name, MAX_NAMED)?;
    named.retain(|node| {
        let is_value = matches!(node.node_type, NodeType::Property | NodeType::Method);
        let mut spans = node.spans.iter();
        node.name == name && is_value && spans.all(|span| !is_test_path(&span.path))
    });
    Ok(if named.len() == 1 { named.pop() } else { None })
}

fn lines_of(node: &Node) -> Option<Lines> {
    let span = node.spans.first()?;
    Some((span.path.clone(), span.span.start.line..=span.span.end_line))
}

/// Returns what follows a key that begins a line.
fn after_key<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix(key)?;
    Some(rest.strip_prefix(':')?.trim())
}

/// Returns a value that is a name.
fn name_of(value: &str) -> Option<&str> {
    let name = value.trim_end_matches(',');
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    (!name.is_empty() && name.chars().all(is_part)).then_some(name)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
