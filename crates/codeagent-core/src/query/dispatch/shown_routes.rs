//! Routes of a client whose lists are loaded by other routes: `{ path: "carts", loadChildren: () =>
//! import("./carts.routes").then((it) => it.routes) }` and `{ path: ":id", component: Cart }` show
//! `/carts/:id`. In one list, a text precedes a parameter, and that precedes `**`.

use rustc_hash::FxHashSet;

use crate::model::dispatch::{DispatchKind, route_key};
use crate::model::graph::{EdgeDirection, NodeId};
use crate::query::QueryError;
use crate::store::{self, DispatchRow, Snapshot};

/// Maximum number of lists that are loaded by each other.
const MAX_DEPTH: usize = 6;

/// Number of first segments that may belong to a server or a locale.
const MAX_BASE: usize = 2;

/// A list of routes, and how many were followed to it.
#[derive(Clone, Copy)]
struct List {
    id: NodeId,
    depth: usize,
}

/// Returns the routes that show a path through lists of routes, with the whole path as label.
pub(in crate::query) fn shown_routes(
    snapshot: &Snapshot,
    path: &str,
) -> Result<Vec<DispatchRow>, QueryError> {
    let key = route_key(path);
    let segments: Vec<&str> = key.split('/').collect();

    let mut walk = ShownWalk {
        snapshot,
        visited: FxHashSet::default(),
        shown: Vec::new(),
    };
    for base in 0..segments.len().min(MAX_BASE + 1) {
        let rest = &segments[base..];
        for count in 1..=rest.len() {
            let (first, rest) = rest.split_at(count);
            let key = DispatchKind::Shows.key(&first.join("/"));
            for row in store::dispatch_with_key(snapshot, DispatchKind::Shows, &key)? {
                let list = row.target.map(|id| List { id, depth: 0 });
                if let Some(list) = list.filter(|list| row.source != Some(list.id)) {
                    walk.enter(list, rest)?;
                }
            }
        }
        if !walk.shown.is_empty() {
            break;
        }
    }

    for row in &mut walk.shown {
        row.label = path.to_owned();
    }
    Ok(walk.shown)
}

/// A search for what lists of routes show at the rest of a path.
struct ShownWalk<'s> {
    snapshot: &'s Snapshot,
    /// Lists that were entered, each with the number of segments left.
    visited: FxHashSet<(NodeId, usize)>,
    shown: Vec<DispatchRow>,
}

impl ShownWalk<'_> {
    /// Adds what a list of routes shows at the rest of a path.
    fn enter(&mut self, list: List, rest: &[&str]) -> Result<(), QueryError> {
        if !self.visited.insert((list.id, rest.len())) {
            return Ok(());
        }
        let mut rows = routes_of_list(self.snapshot, list.id)?;
        rows.retain(|row| without_route(rest, &row.label).is_some());
        let named = rows.iter().filter(|row| !row.label.is_empty());
        let best = named.map(|row| precedence(&row.label)).min();
        rows.retain(|row| row.label.is_empty() || Some(precedence(&row.label)) == best);

        for row in rows {
            let Some(rest) = without_route(rest, &row.label) else {
                continue;
            };
            let inner = row.target.filter(|target| *target != list.id);
            let is_list = match inner {
                Some(inner) => !routes_of_list(self.snapshot, inner)?.is_empty(),
                None => false,
            };
            match inner.filter(|_| is_list && list.depth < MAX_DEPTH) {
                Some(id) => {
                    let depth = list.depth + 1;
                    self.enter(List { id, depth }, rest)?;
                }
                None if rest.is_empty() && !is_list => self.shown.push(row),
                None => {}
            }
        }
        Ok(())
    }
}

/// Returns 0 for a route without parameters, 1 for one with, and 2 for one that matches anything.
fn precedence(route: &str) -> u8 {
    if route.contains('*') {
        2
    } else {
        u8::from(route.contains([':', '$']))
    }
}

/// Returns the rest of a path behind a route; `None` if the path does not begin with it.
fn without_route<'p, 's>(path: &'p [&'s str], route: &str) -> Option<&'p [&'s str]> {
    let route: Vec<&str> = route.split('/').filter(|part| !part.is_empty()).collect();
    let (first, rest) = path.split_at_checked(route.len())?;
    let fits = |(segment, own): (&&str, &&str)| {
        segment.eq_ignore_ascii_case(own) || own.starts_with([':', '$', '*'])
    };
    first.iter().zip(&route).all(fits).then_some(rest)
}

fn routes_of_list(snapshot: &Snapshot, list: NodeId) -> Result<Vec<DispatchRow>, QueryError> {
    let mut rows = store::dispatch_at(snapshot, list, EdgeDirection::Outgoing)?;
    rows.retain(|row| row.kind == DispatchKind::Shows);
    Ok(rows)
}
