//! `packages.config`: the packages of a project that does not use `PackageReference`.

use roxmltree::{Document, Node, ParsingOptions};

use crate::project::nuget::PackageReference;

/// Largest number of nodes of a `packages.config`.
const MAX_NODES: u32 = 100_000;

/// Parses the file; `None` if it is not XML.
#[must_use]
pub fn packages_config(text: &str) -> Option<Vec<PackageReference>> {
    let options = ParsingOptions {
        nodes_limit: MAX_NODES,
        ..ParsingOptions::default()
    };
    let document =
        Document::parse_with_options(text.trim_start_matches('\u{feff}'), options).ok()?;

    let elements = document.root_element().children().filter(Node::is_element);
    let packages = elements.filter(|node| node.has_tag_name("package"));
    Some(packages.filter_map(|node| package(&node)).collect())
}

fn package(node: &Node<'_, '_>) -> Option<PackageReference> {
    let id = node.attribute("id").filter(|id| !id.is_empty())?;
    let is_private = node
        .attribute("developmentDependency")
        .is_some_and(|value| value.eq_ignore_ascii_case("true"));
    Some(PackageReference {
        id: id.to_owned(),
        version: node.attribute("version").unwrap_or_default().to_owned(),
        is_private,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_ids_and_versions() {
        let text = r#"<?xml version="1.0"?><packages>
            <package id="Dapper" version="1.50.2" targetFramework="net45" />
            <package id="Tool" version="2.0" developmentDependency="true" />
            <package version="3.0" /></packages>"#;
        let found = packages_config(text).expect("it is XML");
        let found: Vec<_> = found
            .iter()
            .map(|package| (&*package.id, &*package.version, package.is_private))
            .collect();
        assert_eq!(found, [("Dapper", "1.50.2", false), ("Tool", "2.0", true)]);
        assert_eq!(packages_config("<packages>"), None);
    }
}
