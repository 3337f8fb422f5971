//! Paths of keys through object literals: `document.send` for `router({ document: documents })` and
//! `documents = router({ send: procedure.mutation(..) })`.
//!
//! A client of a typed API names a procedure by such a path (`api.document.send.useMutation`). The step
//! from one object to the next is the name of its value, so the result is a guess from equal names.
//!
//! Limitations: each key begins its line, and two keys at least must be found.

use std::ops::RangeInclusive;

use rustc_hash::FxHashSet;

use crate::model::graph::{EdgeType, Node, NodeId, NodeType};
use crate::query::dispatch::object_keys::is_of_name;
use crate::query::graph::flow::{flow, flow_of_lines};
use crate::query::text::indented::indentation;
use crate::query::text::literals::innermost_symbols;
use crate::query::{Occurrences, QueryError, TextSearchQuery, search_text};
use crate::store::{self, is_test_path};

/// Last names of calls that clients of typed APIs make on a procedure, besides those of hooks (`use..`).
const CLIENT_CALLS: [&str; 8] = [
    "fetch",
    "infiniteQueryOptions",
    "mutate",
    "mutateAsync",
    "mutationOptions",
    "query",
    "queryOptions",
    "subscriptionOptions",
];

/// Maximum number of values of the first key that are followed.
const MAX_STARTS: usize = 40;

/// Maximum number of symbols of one name that are looked at.
const MAX_NAMED: usize = 40;

/// Lines of a file.
type Lines = (String, RangeInclusive<u32>);

/// What a key has.
enum Value {
    /// The name of a symbol, and the line of the key.
    Name(String, u32),
    /// An expression on these lines.
    Lines(Lines),
}

/// What the last key of a path has.
pub(in crate::query) enum KeyedValue {
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
    match keyed_value(occurrences, path, false)? {
        None => Ok(Vec::new()),
        Some(KeyedValue::Symbol(node)) => flow(occurrences, &node),
        Some(KeyedValue::Lines((path, lines))) => {
            let calls = flow_of_lines(occurrences, (&path, &lines), depth)?;
            let place = format!("{path}:{}-{}", lines.start(), lines.end());
            let calls = calls.into_iter().map(|call| format!("  {call}"));
            Ok([place].into_iter().chain(calls).collect())
        }
    }
}

/// Returns the keys in a callee, as written, that may be a client's call of a procedure:
/// `cart.close` of `api.cart.close.useMutation`.
pub(in crate::query) fn keys_of_procedure(callee: &str) -> Option<&str> {
    let (path, last) = callee.rsplit_once('.')?;
    let path = path.strip_prefix("this.").unwrap_or(path);
    let (client, keys) = path.split_once('.')?;
    let is_call = last.starts_with("use") || CLIENT_CALLS.contains(&last);
    (is_call && !client.is_empty() && keys.contains('.')).then_some(keys)
}

/// Returns what a path of keys leads to. The first keys may be missing, and unless `is_whole`, the last
/// ones.
pub(in crate::query) fn keyed_value(
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
    is_whole: bool,
) -> Result<Option<KeyedValue>, QueryError> {
    let keys: Vec<&str> = path.split('.').collect();
    for first in 0..keys.len().saturating_sub(1) {
        for symbol in values_of(occurrences, keys[first])? {
            let end = follow(occurrences, symbol, (&keys[first + 1..], is_whole))?;
            if end.is_some() {
                return Ok(end);
            }
        }
    }
    Ok(None)
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
    let mut seen = FxHashSet::default();

    for line in &lines {
        let value = line.source.as_deref();
        let value = value.and_then(|source| name_of(after_key(source, key)?));
        let Some(name) = value.filter(|name| seen.insert(name.to_string())) else {
            continue;
        };

        let symbol = symbol(occurrences, (&line.path, line.line), name)?;
        symbols.extend(symbol.filter(|new| symbols.iter().all(|known| known.id != new.id)));
        if seen.len() == MAX_STARTS {
            break;
        }
    }

    Ok(symbols)
}

/// Follows keys through the object literals of a symbol; `None` if its first one is missing, or any one
/// if all are needed.
fn follow(
    occurrences: &mut Occurrences<'_, '_>,
    start: Node,
    (keys, is_whole): (&[&str], bool),
) -> Result<Option<KeyedValue>, QueryError> {
    let Some(mut within) = lines_of(&start) else {
        return Ok(None);
    };

    let mut end = None;
    for key in keys {
        let next = match value(occurrences, &within, key)? {
            Some(Value::Name(name, line)) => {
                let symbol = symbol(occurrences, (&within.0, line), &name)?;
                symbol.and_then(|node| Some((lines_of(&node)?, KeyedValue::Symbol(node))))
            }
            Some(Value::Lines(lines)) => Some((lines.clone(), KeyedValue::Lines(lines))),
            None => None,
        };
        let Some((lines, value)) = next else {
            return Ok(end.filter(|_| !is_whole));
        };

        within = lines;
        end = Some(value);
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

    let first = lines.start() + u32::try_from(at).unwrap_or_default();
    // A chain goes on: `procedure` before `.mutation(..)` on the next line.
    let is_chain = source
        .get(at + 1)
        .is_some_and(|next| next.trim_start().starts_with('.'));
    if let Some(name) = after_key(line, key).and_then(name_of)
        && !is_chain
    {
        return Ok(Some(Value::Name(name.to_owned(), first)));
    }
    let is_deeper =
        |inner: &&String| inner.trim().is_empty() || indentation(inner) > indentation(line);
    let deeper = source[at + 1..].iter().take_while(is_deeper).count();
    let last = first + u32::try_from(deeper).unwrap_or_default();
    Ok(Some(Value::Lines((path.clone(), first..=last))))
}

/// Returns the only symbol outside tests with a name that may hold an object or procedure; of several, the
/// one that the line uses.
fn symbol(
    occurrences: &Occurrences<'_, '_>,
    (path, line): (&str, u32),
    name: &str,
) -> Result<Option<Node>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let mut named = store::by_name(snapshot, name, MAX_NAMED)?;
    named.retain(|node| {
        let is_value = matches!(node.node_type, NodeType::Property | NodeType::Method);
        let mut spans = node.spans.iter();
        node.name == name && is_value && spans.all(|span| !is_test_path(&span.path))
    });
    if named.len() < 2 {
        return Ok(named.pop());
    }

    let Some(file) = store::file_by_path(snapshot, path)? else {
        return Ok(None);
    };
    let around: Vec<NodeId> = innermost_symbols(snapshot, file.id, [line])?
        .into_iter()
        .flatten()
        .collect();
    let uses = occurrences.outgoing(&around, &[EdgeType::References, EdgeType::Calls])?;
    let is_meant = |node: &Node| {
        let mut uses = uses.iter();
        uses.any(|used| used.other == node.id && (used.file, used.line) == (file.id, line))
    };
    Ok(named.into_iter().find(is_meant))
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

/// Returns a value that is a name, or the name in a module that it imports when needed:
/// `lazy(() => import("./cart").then((m) => m.cartRouter))`.
fn name_of(value: &str) -> Option<&str> {
    let value = value.trim_end_matches(',');
    let name = match value.contains("import(") {
        true => value.trim_end_matches(')').rsplit_once('.')?.1,
        false => value,
    };
    (!name.is_empty() && name.chars().all(is_of_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_a_name_or_one_in_an_imported_module() {
        for (value, expected) in [
            ("cartRouter,", Some("cartRouter")),
            (
                "lazy(() => import(\"./cart\").then((m) => m.cartRouter)),",
                Some("cartRouter"),
            ),
            ("router({", None),
        ] {
            assert_eq!(name_of(value), expected, "{value}");
        }
    }
}
