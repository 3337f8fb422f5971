//! Handlers: callbacks registered under a string that other code uses.
//!
//! `client.post("/documents.archive")` leads to `router.post("documents.archive", ..)`, because the
//! literals have the same key. So does the key of a property whose value is a call with a callback, and a
//! path leads to its routes.
//! Such a step is a guess from equal strings, not an edge.
//!
//! Limitations: literals in more than [`MAX_FILES`] files connect nothing.

use crate::model::dispatch::{DispatchKind, verbs_agree};
use crate::model::facts::Callback;
use crate::model::graph::{EdgeDirection, Node};
use crate::query::graph::flow::flow_of_lines;
use crate::query::lookup::target::is_request_method;
use crate::query::{Occurrences, QueryError, literal_files, literal_sites, literals_of, routes_of};
use crate::store::{self, Snapshot};

/// Maximum number of files with a literal that connects code.
const MAX_FILES: u64 = 12;

/// Maximum number of a symbol's literals that are followed, and of handlers for each.
const MAX_LITERALS: usize = 4;
const MAX_HANDLERS: usize = 4;

/// Number of routes of a path up to which their calls are followed, and how deep.
const FEW: usize = 2;
const SERVED_DEPTH: usize = 1;

/// Returns the callbacks registered under the strings in a symbol, each with its calls, and the functions that
/// serve the paths among them.
pub fn handlers_named_in(
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
) -> Result<Vec<String>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let mut lines = Vec::new();

    let mut followed = Vec::new();
    for literal in literals_of(snapshot, node.id)? {
        if followed.len() >= MAX_LITERALS || followed.contains(&literal.text) {
            continue;
        }
        let mut handlers = handlers(occurrences, &literal.text, None, 0)?;
        if handlers.is_empty() && !is_cache_key(occurrences, node, literal.line)? {
            handlers = served(occurrences, node, &literal.text)?;
        }
        if !handlers.is_empty() {
            lines.push(format!("{} \"{}\"", literal.line, literal.text));
            lines.extend(handlers.iter().map(|line| format!("  {line}")));
            followed.push(literal.text);
        }
    }

    Ok(lines)
}

/// Reports whether a line of a symbol names a cached answer: `invalidateQueries({ queryKey: ["/carts"] })`.
fn is_cache_key(
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
    line: u32,
) -> Result<bool, QueryError> {
    let Some(span) = node.spans.first() else {
        return Ok(false);
    };
    let source = occurrences.sources.line(&span.path, line)?;
    let names_cache = |line: String| line.contains("queryKey") || line.contains("invalidate");
    Ok(source.is_some_and(names_cache))
}

/// Returns the functions that serve a path, unless it is known that the symbol requests it.
fn served(
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
    path: &str,
) -> Result<Vec<String>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let requested = store::dispatch_at(snapshot, node.id, EdgeDirection::Outgoing)?;
    if !path.contains('/') || requested.iter().any(|row| row.label.ends_with(path)) {
        return Ok(Vec::new());
    }

    let mut routes = routes_of(snapshot, path)?;
    routes.retain(|route| route.kind == DispatchKind::Serves);
    let depth = if routes.len() <= FEW { SERVED_DEPTH } else { 0 };
    let mut lines = Vec::new();
    let mut routes_left = MAX_HANDLERS;
    for route in routes {
        let function = route.to.map(|id| store::node(snapshot, id)).transpose()?;
        let Some(function) = function.flatten() else {
            continue;
        };
        if routes_left > 0 {
            routes_left -= 1;
            let place = location(&function);
            let name = occurrences.short_name(&function)?;
            lines.push(format!("route {} runs {name}  {place}", route.label));
            lines.extend(calls_of(occurrences, &function, depth)?);
        }
    }
    Ok(lines)
}

/// Returns the calls in a function, indented, which are followed to a depth of at most `depth`.
fn calls_of(
    occurrences: &mut Occurrences<'_, '_>,
    function: &Node,
    depth: usize,
) -> Result<Vec<String>, QueryError> {
    let Some(span) = function.spans.first() else {
        return Ok(Vec::new());
    };
    let lines = span.name_line..=span.span.end_line;
    let calls = flow_of_lines(occurrences, (&span.path, &lines), depth)?;
    Ok(calls.into_iter().map(|call| format!("  {call}")).collect())
}

fn location(node: &Node) -> String {
    let span = node.spans.first();
    span.map_or_else(String::new, |span| {
        format!("{}:{}", span.path, span.name_line)
    })
}

/// Returns the callbacks registered under a string, each with its calls, which are followed to a depth
/// of at most `depth`. Callbacks of other HTTP methods than `method` are left out: `router.get "/users"`
/// does not handle `POST /users`.
pub fn handlers(
    occurrences: &mut Occurrences<'_, '_>,
    literal: &str,
    method: Option<&str>,
    depth: usize,
) -> Result<Vec<String>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let files = literal_files(snapshot, literal)?;
    if files == 0 || files > MAX_FILES {
        return Ok(Vec::new());
    }

    let mut lines = Vec::new();
    let mut count = 0;
    for site in literal_sites(snapshot, literal, 60)? {
        let Some(callback) = site.enclosing.callback else {
            continue;
        };
        let registers =
            callback.label == site.text || callback.label.contains(&format!("\"{}\"", site.text));
        let other_method = method
            .zip(method_of_label(&callback.label))
            .is_some_and(|(asked, own)| !verbs_agree(asked, &own));
        if !registers || other_method || store::is_test_path(&site.path) || count >= MAX_HANDLERS {
            continue;
        }
        count += 1;
        lines.extend(callback_lines(occurrences, &site.path, &callback, depth)?);
    }

    Ok(lines)
}

/// Returns the callbacks without a name that are registered on a line, each with its calls, which are followed to a
/// depth of at most `depth`.
pub fn handlers_at(
    occurrences: &mut Occurrences<'_, '_>,
    (path, line): (&str, u32),
    depth: usize,
) -> Result<Vec<String>, QueryError> {
    let mut lines = Vec::new();
    for callback in registered_in(occurrences.sources.snapshot(), path)? {
        if callback.start == line {
            lines.extend(callback_lines(occurrences, path, &callback, depth)?);
        }
    }
    Ok(lines)
}

/// Returns the label and place of a callback, and its calls.
fn callback_lines(
    occurrences: &mut Occurrences<'_, '_>,
    path: &str,
    callback: &Callback,
    depth: usize,
) -> Result<Vec<String>, QueryError> {
    let (start, end) = (callback.start, callback.end);
    let mut lines = vec![format!("{}  {path}:{start}-{end}", callback.label)];
    let calls = flow_of_lines(occurrences, (path, &(start..=end)), depth)?;
    lines.extend(calls.into_iter().map(|call| format!("  {call}")));
    Ok(lines)
}

/// Returns the callbacks of a file that are registered under a string, by position: `ipcMain.handle
/// "save"`.
pub fn registered_in(snapshot: &Snapshot, path: &str) -> Result<Vec<Callback>, QueryError> {
    let Some(file) = store::file_by_path(snapshot, path)? else {
        return Ok(Vec::new());
    };
    let mut callbacks = store::callbacks_of(snapshot, file.id)?;
    callbacks.retain(|callback| callback.label.contains('"'));
    Ok(callbacks)
}

/// Returns the HTTP method that registers a callback: `POST` for `router.post "/users"` and for
/// `app.MapPost "/users"`.
fn method_of_label(label: &str) -> Option<String> {
    let (callee, _) = label.split_once(" \"")?;
    let name = callee.rsplit('.').next()?;
    let method = name.strip_prefix("Map").unwrap_or(name).to_uppercase();
    is_request_method(&method).then_some(method)
}
