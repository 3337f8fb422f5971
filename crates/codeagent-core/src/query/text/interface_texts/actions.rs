//! Actions of ASP.NET that a Razor view belongs to or names: `asp-action="Save"`.
//!
//! The controller is that of `asp-controller`, or the one of the view's folder (`Views/Cart/`), or else the
//! nearest that has such an action.

use crate::model::graph::{Access, Node, NodeType};
use crate::query::{Occurrences, QueryError};
use crate::store;

/// Maximum number of symbols of one name that are looked at.
const MAX_NAMED: usize = 60;

/// The beginning of the names of a page's handlers.
const PAGE_HANDLERS: [&str; 4] = ["OnGet", "OnPost", "OnPut", "OnDelete"];

/// Returns the actions with a name: all of one controller, because its overloads answer different requests.
pub(super) fn actions_named(
    occurrences: &Occurrences<'_, '_>,
    view: &str,
    (action, controller): (&str, Option<&str>),
) -> Result<Vec<Node>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let mut actions: Vec<(Node, Node)> = Vec::new();
    for name in [action.to_owned(), format!("{action}Async")] {
        for method in store::by_name(snapshot, &name, MAX_NAMED)? {
            let owner = method
                .parent
                .map(|id| store::node(snapshot, id))
                .transpose()?;
            let is_action = method.node_type == NodeType::Method
                && method.access == Some(Access::Public)
                && method.name.eq_ignore_ascii_case(&name);
            if let Some(owner) = owner.flatten().filter(|_| is_action)
                && owner.name.ends_with("Controller")
            {
                actions.push((method, owner));
            }
        }
    }

    let named = controller.unwrap_or_else(|| folder(view));
    let is_named = |owner: &Node| {
        let stem = owner.name.strip_suffix("Controller").unwrap_or_default();
        stem.eq_ignore_ascii_case(named)
    };
    if actions.iter().any(|(_, owner)| is_named(owner)) {
        actions.retain(|(_, owner)| is_named(owner));
    }
    let distance = |owner: &Node| shared_folders(path(owner), view);
    let nearest = actions.iter().max_by_key(|(_, owner)| distance(owner));
    let nearest = nearest.map(|(_, owner)| owner.id);
    actions.retain(|(_, owner)| Some(owner.id) == nearest);
    Ok(actions.into_iter().map(|(method, _)| method).collect())
}

/// Returns the handlers of a Razor page with a name: `OnPostSaveAsync` for `asp-page-handler="Save"`.
pub(super) fn handlers_of_page(
    occurrences: &Occurrences<'_, '_>,
    page: &str,
    handler: &str,
) -> Result<Vec<Node>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let behind = format!("{page}.cs");
    let mut found = Vec::new();

    for beginning in PAGE_HANDLERS {
        for ending in ["", "Async"] {
            let name = format!("{beginning}{handler}{ending}");
            let mut named = store::by_name(snapshot, &name, MAX_NAMED)?;
            named.retain(|node| path(node) == behind);
            found.extend(named);
        }
    }

    Ok(found)
}

/// Returns the actions that show a view by its name, or the class of a view component.
pub fn behind_view(occurrences: &Occurrences<'_, '_>, view: &str) -> Result<Vec<Node>, QueryError> {
    let Some(stem) = view.strip_suffix(".cshtml") else {
        return Ok(Vec::new());
    };
    if let Some(name) = component_of_view(view) {
        return classes(occurrences, name);
    }
    let action = stem.rsplit('/').next().unwrap_or_default();
    actions_named(occurrences, view, (action, None))
}

/// Returns the name of the view component that a view belongs to: `Bell` of `Views/Shared/Components/Bell/Default.cshtml`.
#[must_use]
pub fn component_of_view(view: &str) -> Option<&str> {
    let (_, rest) = view.rsplit_once("/Components/")?;
    let (name, file) = rest.split_once('/')?;
    (!file.contains('/')).then_some(name)
}

/// Returns the classes of a view component.
fn classes(occurrences: &Occurrences<'_, '_>, name: &str) -> Result<Vec<Node>, QueryError> {
    let snapshot = occurrences.sources.snapshot();
    let mut classes = Vec::new();
    for name in [name.to_owned(), format!("{name}ViewComponent")] {
        let mut named = store::by_name(snapshot, &name, MAX_NAMED)?;
        named.retain(|node| node.node_type == NodeType::Class && node.name == name);
        classes.extend(named);
    }
    Ok(classes)
}

fn path(node: &Node) -> &str {
    node.spans.first().map_or("", |span| span.path.as_str())
}

/// Returns the name of a file's folder.
fn folder(path: &str) -> &str {
    path.rsplit('/').nth(1).unwrap_or_default()
}

/// Counts the folders that the paths of two files have in common.
fn shared_folders(one: &str, other: &str) -> usize {
    let mut pairs = one.split('/').zip(other.split('/'));
    pairs
        .position(|(one, other)| one != other)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_of_a_component_stands_in_its_folder() {
        for (view, expected) in [
            ("Views/Shared/Components/Bell/Default.cshtml", Some("Bell")),
            ("Views/Shared/Components/Bell/Old/Default.cshtml", None),
            ("Views/Cart/Index.cshtml", None),
        ] {
            assert_eq!(component_of_view(view), expected, "{view}");
        }
        assert_eq!(shared_folders("a/b/c.cs", "a/b/d/e.cshtml"), 2);
    }
}
