//! Whole paths of routes that a method maps on a group it is given: `app.MapGroup("/carts").MapCarts()`
//! and `group.MapGet("/{id}", ..)` in `MapCarts` serve `/carts/{id}`.
//!
//! Limitations: of a method that is given a group, all routes without a known beginning are below it.

use crate::model::dispatch::{DispatchKind, verb_and_path};
use crate::model::graph::{Confidence, EdgeDirection, NodeId};
use crate::query::QueryError;
use crate::query::dispatch::routes::parameter_keys;
use crate::store::{self, DispatchRow, Snapshot};

/// Maximum number of groups within each other.
const MAX_DEPTH: usize = 4;

/// Maximum number of groups that a method maps its routes on.
const MAX_GROUPS: usize = 16;

/// Returns a route with its path below the groups that its method is given, one row for each; the row
/// itself if there is none.
pub(in crate::query) fn below_groups(
    snapshot: &Snapshot,
    route: DispatchRow,
) -> Result<Vec<DispatchRow>, QueryError> {
    let mut whole = Vec::new();
    let (verb, path) = verb_and_path(&route.label);
    let is_open = route.kind == DispatchKind::Serves
        && route.confidence != Confidence::Exact
        && path.starts_with('/');
    if let Some(method) = route.source.filter(|_| is_open) {
        add_prefixes(snapshot, (method, path), 0, &mut |path| {
            whole.push(DispatchRow {
                label: format!("{verb} {path}"),
                confidence: Confidence::Exact,
                ..route.clone()
            });
        })?;
    }
    if whole.is_empty() {
        whole.push(route);
    }
    Ok(whole)
}

/// Calls a function with each path that a path of a method's routes has below its groups.
fn add_prefixes(
    snapshot: &Snapshot,
    (method, path): (NodeId, &str),
    depth: usize,
    add: &mut dyn FnMut(&str),
) -> Result<(), QueryError> {
    let mut mounts = store::dispatch_at(snapshot, method, EdgeDirection::Incoming)?;
    mounts.retain(|row| row.kind == DispatchKind::Mounts);
    if depth > 0 && (mounts.is_empty() || depth == MAX_DEPTH) {
        add(path);
        return Ok(());
    }

    for mount in mounts.iter().take(MAX_GROUPS) {
        let whole = joined(&mount.label, path);
        match mount.source.filter(|outer| *outer != method) {
            Some(outer) => add_prefixes(snapshot, (outer, &whole), depth + 1, add)?,
            None => add(&whole),
        }
    }
    Ok(())
}

/// Returns the routes that serve a path below groups, with their whole paths.
pub(in crate::query) fn routes_below_groups(
    snapshot: &Snapshot,
    path: &str,
) -> Result<Vec<DispatchRow>, QueryError> {
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    let mut found: Vec<(usize, DispatchRow)> = Vec::new();
    for count in 1..=segments.len() {
        let key = DispatchKind::Mounts.key(&segments[..count].join("/"));
        for key in std::iter::once(key.clone()).chain(parameter_keys(&key)) {
            for mount in store::dispatch_with_key(snapshot, DispatchKind::Mounts, &key)? {
                let Some(method) = mount.target else {
                    continue;
                };
                add_routes(snapshot, (method, &segments), 0, &mut found)?;
            }
        }
    }

    // `/carts/new` precedes `/carts/{id}`.
    let fewest = found.iter().map(|(parameters, _)| *parameters).min();
    let mut rows: Vec<DispatchRow> = Vec::new();
    for (parameters, row) in found {
        if Some(parameters) == fewest && !rows.contains(&row) {
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Adds the routes of a method, and of the methods to which it gives groups, that serve a path.
fn add_routes(
    snapshot: &Snapshot,
    (method, path): (NodeId, &[&str]),
    depth: usize,
    found: &mut Vec<(usize, DispatchRow)>,
) -> Result<(), QueryError> {
    for row in store::dispatch_at(snapshot, method, EdgeDirection::Outgoing)? {
        match (row.kind, row.target) {
            (DispatchKind::Serves, _) => {
                for whole in below_groups(snapshot, row)? {
                    let own = verb_and_path(&whole.label).1;
                    let own: Vec<&str> = own.trim_matches('/').split('/').collect();
                    if serves(&own, path) {
                        let parameters = own.iter().filter(|part| part.contains('{')).count();
                        found.push((parameters, whole));
                    }
                }
            }
            (DispatchKind::Mounts, Some(inner)) if depth < MAX_DEPTH && inner != method => {
                add_routes(snapshot, (inner, path), depth + 1, found)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reports whether a route answers a path, by their segments.
fn serves(route: &[&str], path: &[&str]) -> bool {
    let fits = |(own, asked): (&&str, &&str)| {
        own.eq_ignore_ascii_case(asked) || own.contains('{') && !asked.is_empty()
    };
    route.len() == path.len() && route.iter().zip(path).all(fits)
}

/// Reports whether a method maps routes on the group that a row gives it.
pub(in crate::query) fn maps_routes(
    snapshot: &Snapshot,
    mount: &DispatchRow,
) -> Result<bool, QueryError> {
    let Some(method) = mount.target else {
        return Ok(false);
    };
    let rows = store::dispatch_at(snapshot, method, EdgeDirection::Outgoing)?;
    let is_route =
        |row: &DispatchRow| matches!(row.kind, DispatchKind::Serves | DispatchKind::Mounts);
    Ok(rows.iter().any(is_route))
}

fn joined(group: &str, path: &str) -> String {
    match path.trim_matches('/') {
        "" => group.to_owned(),
        path => format!("{}/{path}", group.trim_end_matches('/')),
    }
}
