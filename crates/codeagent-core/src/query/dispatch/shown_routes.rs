//! Routes of a client whose lists are loaded or shown by other routes: `{ path: "carts",
//! loadChildren: () => import("./carts.routes").then((it) => it.routes) }` and `{ path: ":id",
//! component: Cart }` show `/carts/:id`, and so do `<Route path="carts/*" element={<Carts />} />`
//! and `<Route path=":id" ..>` in the component `Carts`, or in one that it renders.
//!
//! In one list, a text precedes a parameter, and that precedes `*`. If no route shows a whole path,
//! those that show the longest beginning of it are returned.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::dispatch::{DispatchKind, route_key};
use crate::model::graph::{EdgeDirection, EdgeType, NodeId, NodeType};
use crate::query::dispatch::routes::parameter_keys;
use crate::query::{DispatchStep, QueryError};
use crate::store::{self, DispatchRow, Snapshot};

/// Maximum number of lists that are loaded by each other.
const MAX_DEPTH: usize = 6;

/// Number of first segments that may belong to a server or a locale.
const MAX_BASE: usize = 2;

/// Maximum number of components that render each other before one with routes.
const MAX_RENDERED: usize = 2;

/// Maximum number of components that one renders and that are looked at for routes.
const MAX_CHILDREN: usize = 64;

/// The routes found for a path.
#[derive(Default)]
pub(in crate::query) struct ShownRoutes {
    /// Routes that show the whole path, which is their label.
    pub whole: Vec<DispatchStep>,
    /// If there are none, routes that show the longest beginning of it, which is their label.
    pub beginning: Vec<DispatchStep>,
}

/// Returns the routes that show a path through lists of routes.
pub(in crate::query) fn shown_routes(
    snapshot: &Snapshot,
    path: &str,
) -> Result<ShownRoutes, QueryError> {
    let rows = store::dispatch_of_kind(snapshot, DispatchKind::Shows)?;
    if rows.is_empty() {
        return Ok(ShownRoutes::default());
    }
    let key = route_key(path);
    let segments: Vec<&str> = key.split('/').collect();

    let mut walk = ShownWalk {
        snapshot,
        routes: ShowRows::of(rows),
        visited: FxHashSet::default(),
        shown: Vec::new(),
        left: segments.len(),
        beginnings: Vec::new(),
    };
    for base in 0..segments.len().min(MAX_BASE + 1) {
        let rest = &segments[base..];
        let roots = walk.roots(rest);
        walk.follow_best(None, roots)?;
        if !walk.shown.is_empty() || !walk.beginnings.is_empty() {
            break;
        }
    }

    let step = |row: DispatchRow, label: String, rest: String| DispatchStep {
        label,
        rest,
        ..DispatchStep::of(row)
    };
    let whole = walk.shown.into_iter();
    let whole: Vec<DispatchStep> = whole
        .map(|row| step(row, path.to_owned(), String::new()))
        .collect();
    let mut beginning = Vec::new();
    if whole.is_empty() {
        let asked: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (shown, rest) = asked.split_at(asked.len().saturating_sub(walk.left));
        let (label, rest) = (format!("/{}", shown.join("/")), rest.join("/"));
        let rows = walk.beginnings.into_iter();
        beginning.extend(rows.map(|row| step(row, label.clone(), rest.clone())));
    }
    Ok(ShownRoutes { whole, beginning })
}

/// A list of routes, and how many were followed to it.
#[derive(Clone, Copy)]
struct List {
    id: NodeId,
    depth: usize,
}

/// A route that shows a beginning of a path, and the rest.
struct Fitting<'p, 's> {
    row: DispatchRow,
    rest: &'p [&'s str],
}

/// All routes that show something.
#[derive(Default)]
struct ShowRows {
    by_key: FxHashMap<String, Vec<DispatchRow>>,
    by_list: FxHashMap<NodeId, Vec<DispatchRow>>,
}

impl ShowRows {
    fn of(rows: Vec<DispatchRow>) -> Self {
        let mut routes = Self::default();
        for row in rows {
            if let Some(list) = row.source {
                routes.by_list.entry(list).or_default().push(row.clone());
            }
            let key = row.kind.key(&row.label);
            routes.by_key.entry(key).or_default().push(row);
        }
        routes
    }
}

/// A search for what lists of routes show at the rest of a path.
struct ShownWalk<'s> {
    snapshot: &'s Snapshot,
    routes: ShowRows,
    /// Lists that were entered, each with the number of segments left.
    visited: FxHashSet<(NodeId, usize)>,
    shown: Vec<DispatchRow>,
    /// Number of segments that the routes in `beginnings` do not show.
    left: usize,
    beginnings: Vec<DispatchRow>,
}

impl ShownWalk<'_> {
    /// Returns the routes that begin like a path, also with a parameter where the path has a value.
    fn roots<'p, 't>(&self, path: &'p [&'t str]) -> Vec<Fitting<'p, 't>> {
        let mut found = Vec::new();
        for count in 1..=path.len() {
            let key = DispatchKind::Shows.key(&path[..count].join("/"));
            let mut keys = parameter_keys(&key);
            keys.push(key);

            for key in keys.iter().filter(|key| !key.is_empty()) {
                for (key, has_splat) in [(key.clone(), false), (format!("{key}/*"), true)] {
                    for row in self.routes.by_key.get(&key).into_iter().flatten() {
                        if has_splat == is_splat(&row.label) {
                            let (row, rest) = (row.clone(), &path[count..]);
                            found.push(Fitting { row, rest });
                        }
                    }
                }
            }
        }

        found
    }

    /// Adds what a list of routes shows at the rest of a path, and reports whether there is
    /// anything.
    fn enter(&mut self, list: List, rest: &[&str]) -> Result<bool, QueryError> {
        if !self.visited.insert((list.id, rest.len())) {
            return Ok(false);
        }
        let mut fitting = Vec::new();
        for row in self.routes_in(list.id)? {
            if let Some(rest) = without_route(rest, &row.label) {
                fitting.push(Fitting { row, rest });
            }
        }
        self.follow_best(Some(list), fitting)
    }

    /// Follows the routes of one list, the more specific ones first, until some show something.
    fn follow_best(
        &mut self,
        list: Option<List>,
        mut fitting: Vec<Fitting<'_, '_>>,
    ) -> Result<bool, QueryError> {
        fitting.sort_by_key(|route| Reverse(specificity(&route.row.label)));

        for routes in
            fitting.chunk_by(|a, b| specificity(&a.row.label) == specificity(&b.row.label))
        {
            let mut is_shown = false;
            for route in routes {
                is_shown |= self.follow(list, route)?;
            }
            if is_shown {
                return Ok(true);
            }
        }

        Ok(false)
    }

    /// Follows a route, and reports whether it shows the rest of the path.
    fn follow(&mut self, list: Option<List>, route: &Fitting<'_, '_>) -> Result<bool, QueryError> {
        let Fitting { row, rest } = route;
        let depth = list.map_or(0, |list| list.depth + 1);
        let registers = list.map(|list| list.id).or(row.source);
        let inner = row.target.filter(|target| Some(*target) != registers);
        let has_routes = match inner {
            Some(inner) => !self.routes_in(inner)?.is_empty(),
            None => false,
        };
        if let Some(id) = inner.filter(|_| has_routes && depth <= MAX_DEPTH)
            && self.enter(List { id, depth }, rest)?
        {
            return Ok(true);
        }

        let (is_splat, is_outside) = (is_splat(&row.label), row.target.is_none());
        let catches_all = is_splat && without_splat(&row.label).is_empty();
        let is_list = has_routes && !self.is_component(inner)?;
        if is_list || is_outside && !is_splat && !rest.is_empty() {
            return Ok(false);
        }
        // What is outside the repository may show or redirect everything below it.
        if rest.is_empty() || catches_all && !has_routes || is_outside {
            // A route with the whole path is found without lists.
            if list.is_some() || is_splat {
                self.shown.push(row.clone());
            }
            return Ok(true);
        }
        if rest.len() < self.left {
            self.left = rest.len();
            self.beginnings.clear();
        }
        let is_known = self.beginnings.contains(row);
        if rest.len() == self.left && !is_known && !catches_all {
            self.beginnings.push(row.clone());
        }
        Ok(false)
    }

    /// Returns the routes of a list, or of the components that a component renders if it has none.
    fn routes_in(&self, list: NodeId) -> Result<Vec<DispatchRow>, QueryError> {
        let mut around = vec![list];
        let mut seen = FxHashSet::default();

        for _ in 0..=MAX_RENDERED {
            let mut rows = Vec::new();
            for id in &around {
                rows.extend(self.routes.by_list.get(id).into_iter().flatten().cloned());
            }
            if !rows.is_empty() {
                return Ok(rows);
            }

            let mut rendered = Vec::new();
            for id in around {
                rendered.extend(self.rendered(id)?.into_iter().filter(|id| seen.insert(*id)));
            }
            rendered.truncate(MAX_CHILDREN);
            around = rendered;
        }

        Ok(Vec::new())
    }

    /// Returns the components that a component renders.
    fn rendered(&self, component: NodeId) -> Result<Vec<NodeId>, QueryError> {
        let mut rendered = Vec::new();
        if !self.is_component(Some(component))? {
            return Ok(rendered);
        }

        let calls = store::incident_edges(
            self.snapshot,
            component,
            Some(EdgeType::Calls),
            EdgeDirection::Outgoing,
        )?;
        for edge in calls {
            if self.is_component(Some(edge.other))? {
                rendered.push(edge.other);
            }
        }

        Ok(rendered)
    }

    fn is_component(&self, id: Option<NodeId>) -> Result<bool, QueryError> {
        let node = id.map_or(Ok(None), |id| store::node(self.snapshot, id))?;
        Ok(node.is_some_and(|node| node.node_type == NodeType::Component))
    }
}

/// Returns how specific a route is, as React Router ranks the routes of one list.
fn specificity(route: &str) -> i32 {
    let segments = route.split('/').filter(|part| !part.is_empty());
    segments
        .map(|segment| match segment.chars().next() {
            Some('*') => -1,
            Some(':' | '$') => 4,
            _ => 11,
        })
        .sum()
}

/// Reports whether a route shows every path below its own: `carts/*`.
pub(in crate::query) fn is_splat(route: &str) -> bool {
    matches!(route.rsplit('/').next(), Some("*" | "**"))
}

fn without_splat(route: &str) -> &str {
    match is_splat(route) {
        true => route.trim_end_matches(['*', '/']),
        false => route,
    }
}

/// Returns the rest of a path behind a route; `None` if the path does not begin with it.
fn without_route<'p, 's>(path: &'p [&'s str], route: &str) -> Option<&'p [&'s str]> {
    let route = without_splat(route).split('/');
    let route: Vec<&str> = route.filter(|part| !part.is_empty()).collect();
    let (first, rest) = path.split_at_checked(route.len())?;
    let fits = |(segment, own): (&&str, &&str)| {
        segment.eq_ignore_ascii_case(own) || own.starts_with([':', '$', '*'])
    };
    first.iter().zip(&route).all(fits).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_splat_fits_any_rest() {
        let path = ["carts", "7", "edit"];
        assert_eq!(without_route(&path, "carts/*"), Some(&path[1..]));
        assert_eq!(without_route(&path, "*"), Some(&path[..]));
        assert_eq!(without_route(&path, "/carts/:id"), Some(&path[2..]));
        assert_eq!(without_route(&path, "tills/*"), None);
        assert!(specificity("carts") > specificity(":id"));
        assert!(specificity(":id") > specificity("*"));
        assert!(specificity("/a/:b/c/*") > specificity("/a/:b/*"));
    }
}
