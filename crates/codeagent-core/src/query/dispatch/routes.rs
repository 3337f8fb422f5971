//! The routes that a path may reach.

use crate::model::dispatch::{ANY_VERB, DispatchKind, mounted_keys, verb_and_path};
use crate::model::graph::{Access, Confidence, Language, Node, NodeType};
use crate::query::dispatch::mapped_groups::MappedGroups;
use crate::query::dispatch::mounted_routes::mounted_routes;
use crate::query::dispatch::shown_routes::{is_splat, shown_routes};
use crate::query::dispatch::steps::{MAX_JOINED, doubt};
use crate::query::{DispatchStep, QueryError, members_of};
use crate::store::{self, DispatchRow, Snapshot};

/// Maximum number of segments of a path whose parameters are not marked.
const MAX_SEGMENTS: usize = 8;

/// Returns the routes with a path, also of mounted routers and loaded lists; else those with a path that ends with it, or
/// with its end, because a server may have a path of its own (`/v1`); else those with a parameter where the
/// path has a value: `/users/:id` for `/users/7`; else the actions with its names; else those that show the
/// longest beginning of it.
pub fn routes_of(snapshot: &Snapshot, path: &str) -> Result<Vec<DispatchStep>, QueryError> {
    let mut mounted = mounted_routes(snapshot, path)?;
    mounted.extend(MappedGroups::new(snapshot).routes_with_path(path, None)?);
    let mut routes: Vec<DispatchStep> = mounted.into_iter().map(DispatchStep::of).collect();
    let shown = shown_routes(snapshot, path)?;
    for kind in [DispatchKind::Serves, DispatchKind::Shows] {
        let key = kind.key(path);
        let mut rows = match key.as_str() {
            "" => store::dispatch_without_key(snapshot, kind, path)?,
            _ => store::dispatch_with_key(snapshot, kind, &key)?,
        };
        if kind == DispatchKind::Shows {
            routes.extend(shown.whole.iter().cloned());
        }
        if rows.is_empty() && routes.is_empty() && !key.is_empty() {
            rows = store::dispatch_below(snapshot, kind, &key)?;
        }
        let is_known = !routes.is_empty() || !shown.whole.is_empty();
        if rows.is_empty() && !is_known {
            rows = ending_alike(snapshot, kind, &key)?;
        }
        if rows.is_empty() && !is_known {
            rows = with_parameters(snapshot, kind, &key)?;
        }
        // What is below `carts/*` is found by `shown_routes`.
        let is_whole = |row: &DispatchRow| {
            row.kind != DispatchKind::Shows || !is_splat(&row.label) || is_splat(path)
        };
        for row in rows.into_iter().filter(is_whole).take(MAX_JOINED) {
            let is_known = |route: &DispatchStep| {
                route.site == (row.file, row.line) && route.to == row.target && route.kind == kind
            };
            if !routes.iter().any(is_known) {
                routes.push(DispatchStep::of(row));
            }
        }
    }

    if routes.is_empty() {
        routes = conventional_routes(snapshot, path)?;
    }
    if routes.is_empty() {
        routes = shown.beginning;
    }
    Ok(routes)
}

/// Returns the actions that ASP.NET's default route finds by their names: `CartController.Edit` for
/// `/Cart/Edit` and `/Admin/Cart/Edit`, `CartController.Index` for `/Cart`.
fn conventional_routes(snapshot: &Snapshot, path: &str) -> Result<Vec<DispatchStep>, QueryError> {
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    let (controller, action) = match segments.as_slice() {
        [controller] => (controller, &"Index"),
        [controller, action] | [_, controller, action] => (controller, action),
        _ => return Ok(Vec::new()),
    };
    let is_action = |node: &Node| {
        let name = node.name.strip_suffix("Async").unwrap_or(&node.name);
        let is_public = node.access == Some(Access::Public) && node.node_type == NodeType::Method;
        is_public && name.eq_ignore_ascii_case(action)
    };

    let mut routes = Vec::new();
    for class in store::by_name(snapshot, &format!("{controller}Controller"), MAX_JOINED)? {
        if class.language != Language::CSharp || class.node_type != NodeType::Class {
            continue;
        }
        for action in members_of(snapshot, class.id)?
            .into_iter()
            .filter(is_action)
        {
            let Some(span) = action.spans.first() else {
                continue;
            };
            let Some(file) = store::file_by_path(snapshot, &span.path)? else {
                continue;
            };
            routes.push(DispatchStep {
                kind: DispatchKind::Serves,
                from: Some(class.id),
                to: Some(action.id),
                message: None,
                label: format!("{ANY_VERB} /{}", path.trim_matches('/')),
                rest: String::new(),
                site: (file.id, span.name_line),
                registered: None,
                confidence: Confidence::Inferred,
            });
        }
    }
    Ok(routes)
}

/// Returns all routes of web servers, by path and method.
pub fn all_routes(snapshot: &Snapshot) -> Result<Vec<DispatchStep>, QueryError> {
    let mut rows = store::dispatch_of_kind(snapshot, DispatchKind::Serves)?;
    rows.retain(|row| !row.label.is_empty());
    let groups = MappedGroups::new(snapshot);
    let mut whole = Vec::with_capacity(rows.len());
    for row in rows {
        whole.extend(groups.below_groups(row)?);
    }
    let mut rows = whole;
    rows.sort_by(|a, b| {
        let (verb, path) = verb_and_path(&a.label);
        let (other_verb, other_path) = verb_and_path(&b.label);
        (path, verb).cmp(&(other_path, other_verb))
    });
    Ok(rows.into_iter().map(DispatchStep::of).collect())
}

/// Returns the routes with the longest end of a path that has any.
fn ending_alike(
    snapshot: &Snapshot,
    kind: DispatchKind,
    key: &str,
) -> Result<Vec<DispatchRow>, QueryError> {
    for shorter in mounted_keys(key) {
        if !is_mounted(snapshot, key, shorter)? {
            continue;
        }

        let mut rows = store::dispatch_with_key(snapshot, kind, shorter)?;
        if rows.is_empty() {
            rows = store::dispatch_below(snapshot, kind, shorter)?;
            rows.retain(|row| has_open_prefix(row, shorter));
        }

        if !rows.is_empty() {
            rows.iter_mut().for_each(doubt);
            return Ok(rows);
        }
    }

    Ok(Vec::new())
}

/// Returns the routes that have a parameter for one or two segments of a path after the first, or for the
/// number of a version in it.
fn with_parameters(
    snapshot: &Snapshot,
    kind: DispatchKind,
    key: &str,
) -> Result<Vec<DispatchRow>, QueryError> {
    let versioned = version_key(key);
    let behind_version = versioned.iter().flat_map(|key| parameter_keys(key));
    let keys = versioned.iter().cloned().chain(parameter_keys(key));

    for key in keys.chain(behind_version) {
        let mut rows = store::dispatch_with_key(snapshot, kind, &key)?;
        if rows.is_empty() {
            rows = ending_alike(snapshot, kind, &key)?;
        }

        if !rows.is_empty() {
            rows.iter_mut().for_each(doubt);
            return Ok(rows);
        }
    }

    Ok(Vec::new())
}

/// Returns a key with a parameter for the number of its version: `api/v*/users` for `api/v2/users`.
fn version_key(key: &str) -> Option<String> {
    let is_version = |segment: &&str| {
        let number = segment.strip_prefix('v').unwrap_or_default();
        number.starts_with(|c: char| c.is_ascii_digit())
            && number.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    let mut segments: Vec<&str> = key.split('/').collect();
    let at = segments.iter().position(is_version)?;
    segments[at] = "v*";
    Some(segments.join("/"))
}

/// Returns a key with one or two of its segments, except the first, replaced by parameters.
pub(in crate::query) fn parameter_keys(key: &str) -> Vec<String> {
    let segments: Vec<&str> = key.split('/').collect();
    if segments.len() > MAX_SEGMENTS {
        return Vec::new();
    }

    let replaced = |(one, other): (usize, usize)| {
        let segment = |(at, segment)| {
            if at == one || at == other {
                "*"
            } else {
                segment
            }
        };
        let segments: Vec<&str> = segments.iter().copied().enumerate().map(segment).collect();
        segments.join("/")
    };
    let count = segments.len();
    let single = (1..count).map(|at| (at, at));
    let double = (1..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
    single.chain(double).map(replaced).collect()
}

/// Reports whether a placeholder stands before a key in that of a row: `api/v*/users` for `users`.
fn has_open_prefix(row: &DispatchRow, key: &str) -> bool {
    let own = row.kind.key(&row.label);
    own.strip_suffix(key)
        .is_some_and(|prefix| prefix.contains('*'))
}

/// Reports whether the end of a path may be that of a route below another path: it has several segments, or the
/// beginning is a string of the repository, such as `api`.
fn is_mounted(snapshot: &Snapshot, path: &str, end: &str) -> Result<bool, QueryError> {
    let beginning = path.strip_suffix(end).unwrap_or_default();
    let beginning = beginning.trim_end_matches('/');
    Ok(end.contains('/') || store::count_files_with_literal(snapshot, beginning)? > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_may_stand_for_a_parameter() {
        assert_eq!(parameter_keys("a/b/c"), ["a/*/c", "a/b/*", "a/*/*"]);
        assert!(parameter_keys("a").is_empty());
        assert_eq!(version_key("api/v1.0/b").as_deref(), Some("api/v*/b"));
        assert_eq!(version_key("api/video/b"), None);
        assert!(parameter_keys("a/b/c/d/e/f/g/h/i").is_empty());
    }
}
