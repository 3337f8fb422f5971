//! Routes that follow from where a file is, as Next.js, React Router (flat routes), Remix, Nuxt,
//! SvelteKit and Expo have it: `app/users/[id]/page.tsx` serves `/users/:id`.
//!
//! A route is found by its key ([`literal_key`]), in which every parameter is `*`.
//!
//! Limitations: base paths and rewrites of a framework's configuration are not applied, and routes
//! that a program adds are not known.

use crate::model::facts::literal_key;
use crate::model::graph::Dialect;
use crate::query::QueryError;
use crate::store::{self, Snapshot};

/// Folders whose files are routes.
const ROOTS: [&str; 3] = ["app", "pages", "routes"];

/// Names of files that serve the route of their folder.
const SERVING: [&str; 5] = ["index", "page", "route", "+page", "+server"];

/// Names of files in a folder of routes that serve none.
const ASIDE: [&str; 12] = [
    "+error",
    "+layout",
    "_app",
    "_document",
    "_layout",
    "default",
    "error",
    "layout",
    "loading",
    "middleware",
    "not-found",
    "template",
];

/// Maximum number of files for one route.
const MAX_FILES: usize = 8;

/// Returns the paths of the files that serve a route, by path.
pub fn files_of_route(snapshot: &Snapshot, route: &str) -> Result<Vec<String>, QueryError> {
    if !route.starts_with('/') {
        return Ok(Vec::new());
    }
    let asked = literal_key(route);
    let files = store::files_in_folder(snapshot, ".")?;
    let serving = files
        .into_iter()
        .map(|(path, _)| path)
        .filter(|path| !store::is_test_path(path))
        .filter(|path| route_of_file(path).is_some_and(|key| is_served(&asked, &key)));
    Ok(serving.take(MAX_FILES).collect())
}

/// Reports whether a route's key covers the key that was asked for. A number may stand for a
/// parameter, and a parameter for the language may be left out: `[locale]/about`.
fn is_served(asked: &str, key: &str) -> bool {
    covers(asked, key) || key.strip_prefix("*/").is_some_and(|key| covers(asked, key))
}

fn covers(asked: &str, key: &str) -> bool {
    let mut pairs = asked.split('/').zip(key.split('/'));
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    asked.split('/').count() == key.split('/').count()
        && pairs.all(|(asked, own)| asked == own || own == "*" && is_number(asked))
}

/// Returns the key of the route that a file serves: `users/*` for `app/users/[id]/page.tsx`.
fn route_of_file(path: &str) -> Option<String> {
    Dialect::of_path(path)?;
    let (folders, name) = path.rsplit_once('/')?;
    let folders: Vec<&str> = folders.split('/').collect();
    let root = folders.iter().rposition(|folder| ROOTS.contains(folder))?;
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    // `page.server.ts` of SvelteKit is `+page.server.ts`.
    let stem = stem.strip_suffix(".server").unwrap_or(stem);
    if ASIDE.contains(&stem) {
        return None;
    }

    let is_flat = folders[root] == "routes";
    let mut parts: Vec<&str> = Vec::new();
    for folder in &folders[root + 1..] {
        parts.extend(split(folder.trim_end_matches('+'), is_flat));
    }
    let is_serving = SERVING.contains(&stem) || stem == "_index";
    if folders[root] == "app" && !is_serving {
        return None;
    }
    if !is_serving {
        parts.extend(split(stem, is_flat).filter(|part| !SERVING.contains(part)));
    }

    let segments: Vec<String> = parts.into_iter().filter_map(segment).collect();
    Some(segments.join("/"))
}

/// Splits the name of a file or folder at the dots by which flat routes nest.
fn split(name: &str, is_flat: bool) -> impl Iterator<Item = &str> {
    let is_nested = is_flat && !name.contains('[');
    name.split(move |c| is_nested && c == '.')
}

/// Returns the segment that a part of a path stands for; `None` for groups and layouts.
fn segment(part: &str) -> Option<String> {
    let is_group = part.starts_with('(') && part.ends_with(')');
    if is_group || part.starts_with(['_', '@']) || part.is_empty() {
        return None;
    }
    if part.starts_with(['$', '[', ':']) {
        return Some("*".to_owned());
    }
    Some(part.trim_end_matches('_').to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routes_follow_from_paths() {
        for (path, expected) in [
            ("web/app/users/[id]/page.tsx", Some("users/*")),
            ("web/app/(shop)/cart/route.ts", Some("cart")),
            ("web/app/page.tsx", Some("")),
            ("web/app/cart/Cart.tsx", None),
            ("web/app/cart/layout.tsx", None),
            ("pages/api/users/[...rest].ts", Some("api/users/*")),
            ("pages/_app.tsx", None),
            ("pages/about.tsx", Some("about")),
            ("app/routes/_recipient+/report.$token.tsx", Some("report/*")),
            (
                "app/routes/_recipient+/sign.$token+/_index.tsx",
                Some("sign/*"),
            ),
            (
                "app/routes/_recipient+/sign.$token+/complete.tsx",
                Some("sign/*/complete"),
            ),
            ("app/routes/users_.$id.tsx", Some("users/*")),
            ("src/routes/blog/[slug]/+page.server.ts", Some("blog/*")),
            ("src/routes/blog/+layout.ts", None),
            ("src/cart.ts", None),
            ("pages/readme.md", None),
        ] {
            assert_eq!(route_of_file(path).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn a_number_may_stand_for_a_parameter() {
        assert!(is_served("users/12", "users/*"));
        assert!(is_served("users/*", "users/*"));
        assert!(!is_served("users/me", "users/*"));
        assert!(!is_served("users", "users/*"));
        assert!(is_served("users", "*/users"));
    }
}
