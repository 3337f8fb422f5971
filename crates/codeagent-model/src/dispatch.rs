//! Dispatch: code that runs without a call that names it, through a container, a mediator, an event
//! or a route.
//!
//! A relation has a source, a target and a label. If one site names both ends, it is complete.
//! Otherwise two sites share a key: a route and its requests, an event's listeners and its emitters.
//! Each site is stored by itself, and a query joins them, so no stored row depends on two files that
//! do not name each other.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::facts::literal_key;
use crate::graph::words;

words! {
    /// Kind of a relation.
    DispatchKind {
        /// A container provides the target for the source.
        Provides = "provides",
        /// The target handles messages of the type that is the source.
        Handles = "handles",
        /// The source sends a message of the type that is the target.
        Sends = "sends",
        /// The target runs when the source, an event, is raised.
        Subscribes = "subscribes",
        /// The target runs when the source, an emitter, emits the label.
        Listens = "listens",
        /// The source emits the label on the target, an emitter.
        Emits = "emits",
        /// The target answers requests of the label; the source registers it.
        Serves = "serves",
        /// The source requests the label.
        Requests = "requests",
        /// The target is shown at the label, a route of the client; the source registers it.
        Shows = "shows",
        /// The source opens the label, a route of the client.
        Opens = "opens",
        /// The target maps its routes below the label, a path; the source calls it.
        Mounts = "mounts",
        /// The target runs on the label, a command of a command line; the source registers it.
        Runs = "runs",
    }
}

/// Segments of a path on which a router may be mounted.
const MAX_MOUNTED: usize = 2;

/// The methods of HTTP requests, which are the verbs of routes.
pub const VERBS: [&str; 7] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"];

/// The verb of a route or request that may be any.
pub const ANY_VERB: &str = "*";

impl DispatchKind {
    /// Returns the kind at the other sites of a key.
    #[must_use]
    pub fn counterpart(self) -> Option<Self> {
        match self {
            Self::Listens => Some(Self::Emits),
            Self::Emits => Some(Self::Listens),
            Self::Serves => Some(Self::Requests),
            Self::Requests => Some(Self::Serves),
            Self::Shows => Some(Self::Opens),
            Self::Opens => Some(Self::Shows),
            Self::Handles => Some(Self::Sends),
            Self::Sends => Some(Self::Handles),
            Self::Provides | Self::Subscribes | Self::Mounts | Self::Runs => None,
        }
    }

    /// Returns the key that sites with this label share; empty if the kind is not joined by one.
    #[must_use]
    pub fn key(self, label: &str) -> String {
        match self {
            Self::Serves | Self::Requests => route_key(verb_and_path(label).1),
            Self::Shows | Self::Opens | Self::Mounts => route_key(label),
            Self::Listens | Self::Emits => label.to_owned(),
            Self::Provides | Self::Handles | Self::Sends | Self::Subscribes | Self::Runs => {
                String::new()
            }
        }
    }
}

/// Splits the label of a route or request, such as `GET /users/:id`.
#[must_use]
pub fn verb_and_path(label: &str) -> (&str, &str) {
    label.split_once(' ').unwrap_or((ANY_VERB, label))
}

/// Reports whether a request with one verb reaches a route with another.
#[must_use]
pub fn verbs_agree(one: &str, other: &str) -> bool {
    one == other || one == ANY_VERB || other == ANY_VERB
}

/// Returns the form in which a route and its requests are equal: without host, query and slashes
/// around it, in lower case, with `*` for each placeholder.
#[must_use]
pub fn route_key(path: &str) -> String {
    let path = match path.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]),
        None => path,
    };
    let path = &path[..end_of_path(path)];

    let is_parameter = |path: &str| path.starts_with(':') && !path.contains('/');
    if is_parameter(path.trim_matches('/')) {
        return String::new();
    }

    let key = literal_key(path.trim_start_matches("~/"));
    // The base address of the client stands first, with or without its last slash.
    let has_base = path.starts_with("${");
    let key = match key.strip_prefix('*') {
        Some(rest) if has_base || rest.starts_with('/') => rest,
        _ => &key,
    };
    let key = key.trim_matches('/');

    // Placeholders alone are the route of nothing in particular.
    if key.contains(char::is_alphanumeric) {
        key.to_owned()
    } else {
        String::new()
    }
}

/// Returns where the query or fragment of a path begins. In a placeholder, `?` means that it may be
/// missing: `/users/:id?/posts`, `{id?}`.
fn end_of_path(path: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in path.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '#' if depth == 0 => return at,
            '?' if depth == 0 && !matches!(path[at + 1..].chars().next(), None | Some('/')) => {
                return at;
            }
            _ => {}
        }
    }
    path.len()
}

/// Returns the shorter keys under which the route of a request may be known, where a router is
/// mounted on a path: without its first segments.
pub fn mounted_keys(key: &str) -> impl Iterator<Item = &str> {
    key.match_indices('/')
        .take(MAX_MOUNTED)
        .map(|(at, _)| &key[at + 1..])
        .filter(|rest| rest.contains(char::is_alphanumeric) && !rest.starts_with('*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_key_of_its_route() {
        for path in [
            "/api/Users/{id:int}",
            "api/users/:id",
            "http://localhost:5000/api/users/${user.id}",
            "${base}/api/users/${id}",
            "~/api/users/{id?}",
            "${baseUrl}api/users/${id}",
            "/api/users/${id}?page=${page}",
        ] {
            assert_eq!(route_key(path), "api/users/*", "{path}");
        }

        assert_eq!(route_key("/users?page=1"), "users");
        assert_eq!(route_key("/"), "");
        assert_eq!(route_key("/:id"), "");
        assert_ne!(route_key("/s/:id.:format"), route_key("/s/:id"));

        let mounted: Vec<&str> = mounted_keys("api/v1/users/*/posts").collect();
        assert_eq!(mounted, ["v1/users/*/posts", "users/*/posts"]);
    }

    #[test]
    fn verbs_agree_if_they_are_equal_or_unknown() {
        assert!(verbs_agree("GET", "GET") && verbs_agree("GET", ANY_VERB));
        assert!(!verbs_agree("GET", "POST"));
        assert_eq!(verb_and_path("GET /a b"), ("GET", "/a b"));
    }
}
