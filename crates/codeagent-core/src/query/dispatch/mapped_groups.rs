//! Whole paths of routes that a method maps on a group it is given:
//! `app.MapGroup("/carts").MapCarts()` and `group.MapGet("/{id}", ..)` in `MapCarts` serve
//! `/carts/{id}`.
//!
//! A whole path is exact if every prefix of it is known, up to the application. It is inferred if
//! the outermost method is never given a group, or if the prefix of a group is not a literal, which
//! is a `?` in the label of the mount.
//!
//! Limitations: if a method is given a group, all its routes without a known beginning are below
//! it.

use std::cell::{OnceCell, RefCell};
use std::cmp::Ordering;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::dispatch::{ANY_VERB, DispatchKind, route_key, verb_and_path, verbs_agree};
use crate::model::graph::{Confidence, EdgeDirection, NodeId};
use crate::query::QueryError;
use crate::store::{self, DispatchRow, Snapshot};

/// Maximum number of groups within each other.
const MAX_DEPTH: usize = 4;

/// Maximum number of groups that a method maps its routes on.
const MAX_GROUPS: usize = 16;

/// Maximum number of mounts that are followed from a method to its prefixes.
const MAX_STEPS: usize = 256;

/// A prefix of a method's routes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GroupPrefix {
    path: String,
    confidence: Confidence,
}

/// A prefix whose outer groups are still to be found.
struct OpenPrefix {
    path: String,
    /// The methods from the one with the routes to the outermost one.
    methods: Vec<NodeId>,
}

/// The groups of one query, which reads each row once.
pub(in crate::query) struct MappedGroups<'s> {
    snapshot: &'s Snapshot,
    /// The mounts of each method that was looked at.
    mounts: RefCell<FxHashMap<NodeId, Rc<[DispatchRow]>>>,
    /// The prefixes of each method that was looked at.
    prefixes: RefCell<FxHashMap<NodeId, Rc<[GroupPrefix]>>>,
    /// All routes below groups, with their whole paths.
    routes: OnceCell<Vec<DispatchRow>>,
}

impl<'s> MappedGroups<'s> {
    pub(in crate::query) fn new(snapshot: &'s Snapshot) -> Self {
        Self {
            snapshot,
            mounts: RefCell::default(),
            prefixes: RefCell::default(),
            routes: OnceCell::new(),
        }
    }

    pub(in crate::query) fn snapshot(&self) -> &'s Snapshot {
        self.snapshot
    }

    /// Returns a route with its path below the groups that its method is given, one row for each;
    /// the row itself if there is none.
    pub(in crate::query) fn below_groups(
        &self,
        route: DispatchRow,
    ) -> Result<Vec<DispatchRow>, QueryError> {
        let (verb, path) = verb_and_path(&route.label);
        let is_open = route.kind == DispatchKind::Serves
            && route.confidence != Confidence::Exact
            && path.starts_with('/');
        let Some(method) = route.source.filter(|_| is_open) else {
            return Ok(vec![route]);
        };

        let prefixes = self.prefixes(method)?;
        if prefixes.is_empty() {
            return Ok(vec![route]);
        }

        let below = prefixes.iter().map(|prefix| DispatchRow {
            label: format!("{verb} {}", joined(&prefix.path, path)),
            confidence: prefix.confidence,
            ..route.clone()
        });
        Ok(below.collect())
    }

    /// Returns the prefixes that a method's routes have by its groups.
    fn prefixes(&self, method: NodeId) -> Result<Rc<[GroupPrefix]>, QueryError> {
        if let Some(known) = self.prefixes.borrow().get(&method) {
            return Ok(Rc::clone(known));
        }

        let mut found: Vec<GroupPrefix> = Vec::new();
        let mut add =
            |path: String, confidence| match found.iter_mut().find(|known| known.path == path) {
                Some(known) => known.confidence = known.confidence.max(confidence),
                None => found.push(GroupPrefix { path, confidence }),
            };
        let mut open = vec![OpenPrefix {
            path: String::new(),
            methods: vec![method],
        }];
        let mut steps = 0;
        while let Some(OpenPrefix { path, methods }) = open.pop() {
            let Some(&inner) = methods.last() else {
                continue;
            };
            let mounts = self.mounts(inner)?;
            let is_outermost = mounts.is_empty() || methods.len() > MAX_DEPTH;
            if is_outermost && methods.len() > 1 {
                add(path, Confidence::Inferred);
                continue;
            }

            for mount in mounts.iter().take(MAX_GROUPS).rev() {
                steps += 1;
                let path = joined(mount.label.trim_start_matches('?'), &path);
                let is_cut = mount.label.starts_with('?');
                match mount.source {
                    _ if mount.confidence == Confidence::Exact => add(path, Confidence::Exact),
                    Some(_) if is_cut || steps > MAX_STEPS => add(path, Confidence::Inferred),
                    // Methods that call each other have no outermost group.
                    Some(outer) if methods.contains(&outer) => {}
                    Some(outer) => open.push(OpenPrefix {
                        path,
                        methods: methods.iter().copied().chain([outer]).collect(),
                    }),
                    None => add(path, Confidence::Inferred),
                }
            }
        }

        found.sort_by(|a, b| a.path.cmp(&b.path));
        found.truncate(MAX_GROUPS);
        let found: Rc<[GroupPrefix]> = found.into();
        self.prefixes.borrow_mut().insert(method, Rc::clone(&found));
        Ok(found)
    }

    /// Returns the mounts that give a method a group.
    fn mounts(&self, method: NodeId) -> Result<Rc<[DispatchRow]>, QueryError> {
        if let Some(known) = self.mounts.borrow().get(&method) {
            return Ok(Rc::clone(known));
        }
        let mut mounts = store::dispatch_at(self.snapshot, method, EdgeDirection::Incoming)?;
        mounts.retain(|row| row.kind == DispatchKind::Mounts);
        let mounts: Rc<[DispatchRow]> = mounts.into();
        self.mounts.borrow_mut().insert(method, Rc::clone(&mounts));
        Ok(mounts)
    }

    /// Returns the routes that serve a path below groups, with their whole paths; those of any verb
    /// if none is given. Of the routes of one verb, only the most specific ones serve the path.
    pub(in crate::query) fn routes_with_path(
        &self,
        path: &str,
        verb: Option<&str>,
    ) -> Result<Vec<DispatchRow>, QueryError> {
        let key = route_key(path);
        let path = if key.is_empty() { path } else { &key };
        let asked: Vec<&str> = path.trim_matches('/').split('/').collect();
        let mut found: Vec<(Vec<u8>, &DispatchRow)> = Vec::new();
        for row in self.routes()? {
            let (own_verb, own) = verb_and_path(&row.label);
            let own: Vec<&str> = own.trim_matches('/').split('/').collect();
            if verb.is_none_or(|verb| verbs_agree(verb, own_verb)) && serves(&own, &asked) {
                found.push((rank(&own), row));
            }
        }

        let is_one_verb = verb.is_some_and(|verb| verb != ANY_VERB);
        let precedes = |one: &(Vec<u8>, &DispatchRow), other: &(Vec<u8>, &DispatchRow)| {
            let (verb, other_verb) = (
                verb_and_path(&one.1.label).0,
                verb_and_path(&other.1.label).0,
            );
            let covers = is_one_verb || verb == other_verb || verb == ANY_VERB;
            covers && one.0.cmp(&other.0) == Ordering::Less
        };
        let best = found
            .iter()
            .filter(|route| !found.iter().any(|other| precedes(other, route)));
        Ok(best.map(|(_, row)| (*row).clone()).collect())
    }

    /// Returns all routes below groups, with their whole paths.
    fn routes(&self) -> Result<&[DispatchRow], QueryError> {
        if let Some(known) = self.routes.get() {
            return Ok(known);
        }
        let mut routes = Vec::new();
        let mounts = store::dispatch_of_kind(self.snapshot, DispatchKind::Mounts)?;
        let mounted: FxHashSet<NodeId> = mounts.iter().filter_map(|row| row.target).collect();
        if !mounted.is_empty() {
            for row in store::dispatch_of_kind(self.snapshot, DispatchKind::Serves)? {
                if row.source.is_some_and(|method| mounted.contains(&method)) {
                    routes.extend(self.below_groups(row)?);
                }
            }
        }
        Ok(self.routes.get_or_init(|| routes))
    }

    /// Reports whether routes are mapped on the group that a row gives a method, by it or by the
    /// methods to which it passes the group on.
    pub(in crate::query) fn maps_routes(&self, mount: &DispatchRow) -> Result<bool, QueryError> {
        let mut visited: Vec<NodeId> = mount.target.into_iter().collect();
        let mut next = 0;
        while let Some(&method) = visited.get(next).filter(|_| next < MAX_STEPS) {
            next += 1;
            for row in store::dispatch_at(self.snapshot, method, EdgeDirection::Outgoing)? {
                match (row.kind, row.target) {
                    (DispatchKind::Serves, _) => return Ok(true),
                    (DispatchKind::Mounts, Some(inner)) if !visited.contains(&inner) => {
                        visited.push(inner);
                    }
                    _ => {}
                }
            }
        }
        Ok(false)
    }
}

/// Reports whether a route answers a path, by their segments.
fn serves(route: &[&str], path: &[&str]) -> bool {
    if let Some((last, first)) = route.split_last()
        && is_rest(last)
    {
        let Some((path, _)) = path.split_at_checked(first.len()) else {
            return false;
        };
        return serves(first, path);
    }
    let fits = |(own, asked): (&&str, &&str)| {
        own.eq_ignore_ascii_case(asked) || own.contains('{') && !asked.is_empty()
    };
    route.len() == path.len() && route.iter().zip(path).all(fits)
}

/// Returns what tells how specific a route is, lowest first: in each segment, a text precedes a
/// parameter, and that precedes the parameter of any rest.
fn rank(route: &[&str]) -> Vec<u8> {
    let segments = route.iter().map(|segment| match segment {
        segment if is_rest(segment) => 2,
        segment => u8::from(segment.contains('{')),
    });
    segments.collect()
}

/// Reports whether a segment is a parameter for any number of segments: `{*rest}`, `{**rest}`.
fn is_rest(segment: &str) -> bool {
    segment.starts_with("{*")
}

/// Returns a path below another one.
pub(super) fn joined(group: &str, path: &str) -> String {
    match path.trim_matches('/') {
        "" => group.to_owned(),
        path => format!("{}/{path}", group.trim_end_matches('/')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_parameter_fits_any_number_of_segments() {
        for path in [&["files"][..], &["files", "a"], &["files", "a", "b"]] {
            assert!(serves(&["files", "{**rest}"], path), "{path:?}");
        }
        assert!(!serves(&["files", "{**rest}"], &["carts", "a"]));
        assert!(!serves(&["files", "{id}"], &["files", "a", "b"]));
        assert!(rank(&["files", "new"]) < rank(&["files", "{id}"]));
        assert!(rank(&["files", "{id}"]) < rank(&["files", "{**rest}"]));
    }
}
