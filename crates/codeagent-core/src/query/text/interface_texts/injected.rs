//! Calls of the services that a Razor component asks for: `@inject ICart Cart` and `Cart.Add(..)`.
//!
//! Limitations: types and members are found by name, overloads are not told apart.

use super::reactions::names;
use super::targets::is_function;
use crate::model::graph::Node;
use crate::query::dispatch::object_keys::is_of_name;
use crate::query::{QueryError, resolve_symbols};
use crate::store::Snapshot;

/// Returns the members of injected services that some code of a component calls, in order, each
/// once.
pub(super) fn injected_calls(
    snapshot: &Snapshot,
    component: &str,
    code: &str,
) -> Result<Vec<Node>, QueryError> {
    let services = services(component);
    let mut called: Vec<Node> = Vec::new();

    for (at, _) in code.match_indices('.') {
        let (before, after) = (&code[..at], &code[at + 1..]);
        let start = before.trim_end_matches(is_of_name).len();
        let Some(service) = services.iter().find(|one| one.name == &before[start..]) else {
            continue;
        };
        let member = names(after).next().filter(|name| after.starts_with(name));
        let Some(member) = member else { continue };
        let Ok(found) = resolve_symbols(snapshot, &format!("{}.{member}", service.ty), None) else {
            continue;
        };

        let nodes = found.answered.into_iter().flat_map(|group| group.nodes);
        let is_new =
            |node: &Node| is_function(node) && called.iter().all(|known| known.id != node.id);
        let nodes: Vec<Node> = nodes.filter(is_new).collect();
        called.extend(nodes);
    }

    Ok(called)
}

/// A service with the name under which a component knows it.
#[derive(Debug, PartialEq, Eq)]
struct Service<'t> {
    ty: &'t str,
    name: &'t str,
}

/// Returns the services that `@inject` and `[Inject]` name.
fn services(component: &str) -> Vec<Service<'_>> {
    let directives = component.lines().filter_map(|line| {
        let rest = line.trim().strip_prefix("@inject ")?;
        service(rest.trim_end_matches(';'))
    });
    let properties = component
        .split("[Inject]")
        .skip(1)
        .filter_map(|rest| service(rest.split_once('{')?.0));
    directives.chain(properties).collect()
}

/// Splits a declaration into the type, without its namespace and type arguments, and the name.
fn service(declaration: &str) -> Option<Service<'_>> {
    let (before, name) = declaration.trim().rsplit_once(char::is_whitespace)?;
    let ty = before.trim().trim_end_matches('?');
    let ty = ty.split('<').next()?;
    let ty = ty.rsplit(|c: char| c == '.' || c.is_whitespace()).next()?;
    (!ty.is_empty() && name.chars().all(is_of_name)).then_some(Service { ty, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_read_from_directives_and_properties() {
        let component = "@page \"/cart\"\n@inject Shop.ICart Cart\n<p>[Inject] is an attribute</p>\n\
            @code {\n  [Inject] private ILogger<Edit> Log { get; set; } = default!;\n\
            [Inject]\n  public required IClock? Clock { get; set; }\n}";
        let found: Vec<(&str, &str)> = services(component)
            .iter()
            .map(|service| (service.ty, service.name))
            .collect();
        let expected = [("ICart", "Cart"), ("ILogger", "Log"), ("IClock", "Clock")];
        assert_eq!(found, expected);
    }
}
