//! Routes of routers that are mounted on a path: `app.route("/carts", carts)` and
//! `carts.post("/:id")` serve `/carts/:id`.
//!
//! Limitations: the path and the router are on one line.

use crate::model::dispatch::{DispatchKind, verb_and_path};
use crate::model::facts::literal_key;
use crate::model::graph::{EdgeDirection, EdgeType, Node, NodeId};
use crate::query::dispatch::mapped_groups::joined;
use crate::query::{DispatchStep, QueryError, literal_sites, literals_in};
use crate::store::{self, DispatchRow, IncidentEdge, Snapshot};

/// Maximum number of routers mounted on each other.
const MAX_DEPTH: usize = 4;

/// Maximum number of routers whose routes are listed.
const MAX_ROUTERS: usize = 100;

/// Maximum number of places with a string that are looked at.
const MAX_SITES: usize = 100;

/// Number of first segments that may belong to a server or proxy.
const MAX_BASE: usize = 2;

/// Returns the routes that serve a path through mounted routers.
pub(in crate::query) fn mounted_routes(
    snapshot: &Snapshot,
    path: &str,
) -> Result<Vec<DispatchRow>, QueryError> {
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    for base in 0..segments.len().min(MAX_BASE + 1) {
        let mut routes = Vec::new();
        mounted_below(snapshot, None, &segments[base..], &mut routes)?;
        if !routes.is_empty() {
            return Ok(routes);
        }
    }
    Ok(Vec::new())
}

/// Returns the routes of the routers that are mounted on a path, and of those mounted on these, with their whole
/// paths.
pub fn routes_below(snapshot: &Snapshot, path: &str) -> Result<Vec<DispatchStep>, QueryError> {
    let prefix = format!("/{}", path.trim_matches('/'));
    let routers = routers_at(snapshot, None, &prefix)?;
    let mut known: Vec<NodeId> = routers.iter().map(|router| router.id).collect();
    let mut open: Vec<(Node, String)> = routers
        .into_iter()
        .map(|router| (router, prefix.clone()))
        .collect();

    let mut found = Vec::new();
    while let Some((router, prefix)) = open.pop() {
        for row in own_routes(snapshot, router.id, |_| true)? {
            let (verb, path) = verb_and_path(&row.label);
            let label = format!("{verb} {}", joined(&prefix, path));
            found.push(DispatchStep::of(DispatchRow { label, ..row }));
        }
        for (inner, path) in mounted_on(snapshot, &router)? {
            if known.len() < MAX_ROUTERS && !known.contains(&inner.id) {
                known.push(inner.id);
                open.push((inner, joined(&prefix, &path)));
            }
        }
    }
    found.sort_by(|a, b| (&a.label, a.site).cmp(&(&b.label, b.site)));
    Ok(found)
}

/// Returns the routers that statements of a router's file mount on it, with their paths; that of a router without a
/// path of its own is empty.
fn mounted_on(snapshot: &Snapshot, router: &Node) -> Result<Vec<(Node, String)>, QueryError> {
    let (Some(file), Some(span)) = (router.parent, router.spans.first()) else {
        return Ok(Vec::new());
    };
    let mut lines: Vec<u32> = references(snapshot, file)?
        .iter()
        .filter(|edge| edge.other == router.id)
        .map(|edge| edge.line)
        .collect();
    lines.dedup();

    let mut found = Vec::new();
    for line in lines {
        let [first, others @ ..] = &*named_on(snapshot, file, line)? else {
            continue;
        };
        if *first != router.id {
            continue;
        }
        let literals = literals_in(snapshot, &span.path, &(line..=line))?;
        let mut texts = literals.into_iter().map(|literal| literal.text);
        let path = texts.find(|text| text.starts_with('/'));
        for inner in others {
            let inner = store::node(snapshot, *inner)?;
            found.extend(inner.map(|inner| (inner, path.clone().unwrap_or_default())));
        }
    }
    Ok(found)
}

/// Adds the routes that serve the rest of a path, through the routers that another one mounts.
fn mounted_below(
    snapshot: &Snapshot,
    outer: Option<(NodeId, usize)>,
    rest: &[&str],
    routes: &mut Vec<DispatchRow>,
) -> Result<(), QueryError> {
    let depth = outer.map_or(0, |(_, depth)| depth);
    if let Some((router, _)) = outer {
        let key = literal_key(&rest.join("/"));
        let has_path = |row: &DispatchRow| literal_key(verb_and_path(&row.label).1) == key;
        routes.extend(own_routes(snapshot, router, has_path)?);
    }
    if depth == MAX_DEPTH {
        return Ok(());
    }

    for count in 1..=rest.len() {
        let (prefix, rest) = rest.split_at(count);
        let prefix = format!("/{}", prefix.join("/"));
        for router in routers_at(snapshot, outer.map(|(id, _)| id), &prefix)? {
            if outer.is_none_or(|(id, _)| id != router.id) {
                mounted_below(snapshot, Some((router.id, depth + 1)), rest, routes)?;
            }
        }
    }
    Ok(())
}

/// Returns some of the routes that a router serves.
fn own_routes(
    snapshot: &Snapshot,
    router: NodeId,
    is_meant: impl Fn(&DispatchRow) -> bool,
) -> Result<Vec<DispatchRow>, QueryError> {
    let is_served = |row: &DispatchRow| row.kind == DispatchKind::Serves && is_meant(row);
    let mut rows = store::dispatch_at(snapshot, router, EdgeDirection::Outgoing)?;
    rows.retain(is_served);

    // Routes that statements of the file add to the router.
    let file = store::node(snapshot, router)?.and_then(|router| router.parent);
    if let Some(file) = file {
        for row in store::dispatch_at(snapshot, file, EdgeDirection::Outgoing)? {
            if is_served(&row) && named_on(snapshot, file, row.line)?.first() == Some(&router) {
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

/// Returns what is mounted on a path, by a router or by any.
fn routers_at(
    snapshot: &Snapshot,
    outer: Option<NodeId>,
    path: &str,
) -> Result<Vec<Node>, QueryError> {
    let mut routers: Vec<Node> = Vec::new();
    for site in literal_sites(snapshot, path, MAX_SITES)? {
        if !site.text.starts_with('/') {
            continue;
        }
        let enclosing = site.enclosing.node.id;
        let mut named = named_on(snapshot, enclosing, site.line)?;
        let is_mounting =
            outer.is_none_or(|outer| outer == enclosing || named.first() == Some(&outer));
        if !is_mounting {
            continue;
        }
        // In `app.use("/carts", carts)`, the first name is that of the outer router.
        if named.len() > 1 {
            named.remove(0);
        }
        for router in named {
            if !routers.iter().any(|known| known.id == router) {
                routers.extend(store::node(snapshot, router)?);
            }
        }
    }

    Ok(routers)
}

/// Returns what a symbol names on one line, in order.
fn named_on(snapshot: &Snapshot, symbol: NodeId, line: u32) -> Result<Vec<NodeId>, QueryError> {
    let mut edges = references(snapshot, symbol)?;
    edges.retain(|edge| edge.line == line);
    edges.sort_by_key(|edge| edge.column);
    Ok(edges.iter().map(|edge| edge.other).collect())
}

fn references(snapshot: &Snapshot, symbol: NodeId) -> Result<Vec<IncidentEdge>, QueryError> {
    let references = Some(EdgeType::References);
    let direction = EdgeDirection::Outgoing;
    Ok(store::incident_edges(
        snapshot, symbol, references, direction,
    )?)
}
