//! Routes that follow from where a file is, as Next.js, React Router (flat routes), Remix, Nuxt,
//! SvelteKit, Expo and Razor Pages have it: `app/users/[id]/page.tsx` serves `/users/:id`.
//!
//! A route is found by its key ([`literal_key`]), in which every parameter is `*`.
//!
//! Limitations: base paths and rewrites of a framework's configuration are not applied, and routes
//! that a program adds are not known.

use crate::model::dispatch::{ANY_VERB, DispatchKind, verb_and_path, verbs_agree};
use crate::model::facts::literal_key;
use crate::model::graph::{Confidence, Dialect, NodeFlags, NodeId};
use crate::query::dispatch::steps::MAX_JOINED;
use crate::query::lookup::target::is_request_method;
use crate::query::text::text_files::TextFile;
use crate::query::{DispatchStep, QueryError, Sources};
use crate::store::{self, Snapshot};

/// Folders whose files are routes.
const ROOTS: [&str; 3] = ["app", "pages", "routes"];

/// Names of files that serve the route of their folder.
const SERVING: [&str; 5] = ["index", "page", "route", "+page", "+server"];

/// Endings of templates that serve a route.
const TEMPLATES: [&str; 4] = ["astro", "cshtml", "svelte", "vue"];

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

/// Returns the routes of files that are no pages, with the paths of the files: `/users/*` for
/// `app/users/[id]/route.ts`.
pub fn files_with_routes(sources: &Sources<'_>) -> Result<Vec<(String, String)>, QueryError> {
    let mut routes = Vec::new();
    for (path, _) in store::files_in_folder(sources.snapshot(), ".")? {
        let is_served = !store::is_test_path(&path) && is_endpoint(&path);
        if let Some(key) = route_of_file(&path).filter(|_| is_served) {
            routes.push((format!("/{key}"), path));
        }
    }
    routes.sort();
    Ok(routes)
}

/// Returns the requests for the routes that some functions serve because of where their files are, in the order of
/// their sites.
pub fn requests_of_files(
    snapshot: &Snapshot,
    functions: &[NodeId],
) -> Result<Vec<DispatchStep>, QueryError> {
    let mut steps = Vec::new();
    for id in functions {
        let Some(node) = store::node(snapshot, *id)? else {
            continue;
        };
        let path = node.spans.first().map_or("", |span| span.path.as_str());
        let is_exported = node.flags.has(NodeFlags::PUBLIC_API);
        let is_serving = is_exported && is_endpoint(path) && !store::is_test_path(path);
        let Some(key) = route_of_file(path).filter(|_| is_serving) else {
            continue;
        };

        // A handler of all methods has another name.
        let verb = match is_request_method(&node.name) {
            true => node.name.as_str(),
            false => ANY_VERB,
        };
        let mut rows = store::dispatch_with_key(snapshot, DispatchKind::Requests, &key)?;
        rows.retain(|row| verbs_agree(verb, verb_and_path(&row.label).0));
        steps.extend(rows.into_iter().take(MAX_JOINED).map(|row| DispatchStep {
            to: Some(*id),
            confidence: Confidence::Inferred,
            ..DispatchStep::of(row)
        }));
    }
    steps.sort_by_key(|step| step.site);
    Ok(steps)
}

/// Reports whether a file serves data rather than a page: `route.ts`, `+server.ts`, `pages/api/users.ts`.
fn is_endpoint(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or_default();
    stem == "route" || stem == "+server" || format!("{folders}/").contains("pages/api/")
}

/// Returns the paths of the files that serve a route, by path. A page serves only what is read.
pub(in crate::query) fn files_of_route(
    sources: &Sources<'_>,
    route: &str,
    method: Option<&str>,
) -> Result<Vec<String>, QueryError> {
    if !route.starts_with('/') {
        return Ok(Vec::new());
    }
    let asked = literal_key(route);
    let files = store::files_in_folder(sources.snapshot(), ".")?;
    let mut paths: Vec<String> = files.into_iter().map(|(path, _)| path).collect();
    if let Some((listing, _)) = sources.text_files() {
        let path = |text: &TextFile| text.path.as_str().to_owned();
        paths.extend(
            listing
                .files
                .iter()
                .map(path)
                .filter(|path| is_template(path)),
        );
    }

    paths.retain(|path| !store::is_test_path(path));
    paths.retain(|path| method.is_none_or(|method| method == "GET") || !is_page(path));

    let served_at = |asked: &str| {
        let is_serving = |path: &&String| {
            // The class of a Razor page stands beside its template.
            let page = path.strip_suffix(".cs").unwrap_or(path);
            route_of_file(page).is_some_and(|key| is_served(asked, &key))
        };
        let serving = paths.iter().filter(is_serving);
        serving.take(MAX_FILES).cloned().collect::<Vec<String>>()
    };
    let serving = served_at(&asked);
    // A client often has `/api` as its base address.
    Ok(if serving.is_empty() {
        served_at(&format!("api/{asked}"))
    } else {
        serving
    })
}

/// Reports whether a route's key covers the key that was asked for. A number may stand for a
/// parameter, and a parameter for the language or the name of a host may be left out: `[locale]/about`,
/// `app.example.com/about`.
fn is_served(asked: &str, key: &str) -> bool {
    let is_left_out = |first: &str| first == "*" || first.contains('.');
    let rest = key.split_once('/').filter(|(first, _)| is_left_out(first));
    covers(asked, key) || rest.is_some_and(|(_, key)| covers(asked, key))
}

fn covers(asked: &str, key: &str) -> bool {
    let mut pairs = asked.split('/').zip(key.split('/'));
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    asked.split('/').count() == key.split('/').count()
        && pairs.all(|(asked, own)| asked == own || own == "*" && is_number(asked))
}

/// Reports whether a file is a page, which is only shown: `login/page.tsx`.
fn is_page(path: &str) -> bool {
    path.rsplit('/')
        .next()
        .is_some_and(|name| name.starts_with("page."))
}

/// Reports whether a file is a template, which may serve a route.
fn is_template(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    TEMPLATES.contains(&ending)
}

/// Returns the key of the route that a file serves: `users/*` for `app/users/[id]/page.tsx`.
fn route_of_file(path: &str) -> Option<String> {
    // The pages of C# are templates.
    let is_page = Dialect::of_path(path).is_some() && !path.ends_with(".cs");
    if !is_page && !is_template(path) {
        return None;
    }
    let (folders, name) = path.rsplit_once('/')?;
    let folders: Vec<&str> = folders.split('/').collect();
    let is_root = |folder: &&str| ROOTS.iter().any(|root| root.eq_ignore_ascii_case(folder));
    let root = folders.iter().rposition(is_root);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    // `page.server.ts` of SvelteKit is `+page.server.ts`.
    let stem = stem.strip_suffix(".server").unwrap_or(stem);
    let lower = stem.to_lowercase();
    let stem = lower.as_str();
    if ASIDE.contains(&stem) {
        return None;
    }
    // `src/api/users/route.ts`, as Medusa has it.
    let is_api = |folder: &&str| *folder == "api" && stem == "route";
    let root = root.or_else(|| folders.iter().position(is_api))?;

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

    let is_vue = path.ends_with(".vue");
    let segments = parts.into_iter().filter_map(|part| segment(part, is_vue));
    let segments: Vec<String> = segments.collect();
    Some(segments.join("/"))
}

/// Splits the name of a file or folder at the dots by which flat routes nest.
fn split(name: &str, is_flat: bool) -> impl Iterator<Item = &str> {
    let is_nested = is_flat && !name.contains('[');
    name.split(move |c| is_nested && c == '.')
}

/// Returns the segment that a part of a path stands for; `None` for groups and layouts. In pages of
/// Vue, `_id` is a parameter.
fn segment(part: &str, is_vue: bool) -> Option<String> {
    if is_vue && part.starts_with('_') {
        return Some("*".to_owned());
    }
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
            ("src/api/carts/[id]/route.ts", Some("carts/*")),
            ("src/api/carts/helpers.ts", None),
            ("pages/readme.md", None),
            ("Web/Pages/Basket/Checkout.cshtml", Some("basket/checkout")),
            ("Web/Pages/Basket/Index.cshtml", Some("basket")),
            ("Web/Pages/Basket.cs", None),
            ("pages/view/_id/_version.vue", Some("view/*/*")),
            ("pages/r/_id.vue", Some("r/*")),
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
        assert!(is_served("*/users", "app.example.com/*/users"));
        assert!(!is_served("users", "admin/users"));
    }
}
