//! `.nuspec` files: the dependencies of a package.
//!
//! Limitations: dependencies that are not compiled against (`exclude="Compile"`) are left out.

use roxmltree::{Document, Node, ParsingOptions};

use crate::project::nuget::{Range, nearest};

/// Largest number of nodes of a `.nuspec`.
const MAX_NODES: u32 = 100_000;

/// The dependencies of a package: id in lower case, and version range.
pub type Needs = Vec<(String, Range)>;

/// Returns the dependencies of a package for a framework. A text that is not a `.nuspec` has none.
#[must_use]
pub fn needs(nuspec: &str, framework: &str) -> Needs {
    let options = ParsingOptions {
        nodes_limit: MAX_NODES,
        ..ParsingOptions::default()
    };

    let Ok(document) = Document::parse_with_options(nuspec.trim_start_matches('\u{feff}'), options)
    else {
        return Vec::new();
    };
    let Some(dependencies) = child(document.root_element(), "metadata")
        .and_then(|metadata| child(metadata, "dependencies"))
    else {
        return Vec::new();
    };
    let groups: Vec<Node<'_, '_>> = children(dependencies, "group").collect();
    if groups.is_empty() {
        return all(dependencies);
    }

    let named: Vec<(Node<'_, '_>, &str)> = groups
        .iter()
        .filter_map(|group| {
            Some((
                *group,
                group
                    .attribute("targetFramework")
                    .filter(|name| !name.is_empty())?,
            ))
        })
        .collect();

    let frameworks: Vec<&str> = named.iter().map(|(_, name)| *name).collect();
    let chosen = nearest(framework, &frameworks).map(|at| named[at].0);
    let for_any = || {
        groups
            .iter()
            .find(|group| group.attribute("targetFramework").is_none_or(str::is_empty))
            .copied()
    };

    chosen.or_else(for_any).map(all).unwrap_or_default()
}

fn all(group: Node<'_, '_>) -> Needs {
    let has = |node: &Node<'_, '_>, name: &str| {
        let listed = node
            .attribute(name)
            .unwrap_or_default()
            .to_ascii_lowercase();
        listed
            .split(',')
            .any(|asset| matches!(asset.trim(), "compile" | "all"))
    };

    let is_compiled = |node: &Node<'_, '_>| {
        !has(node, "exclude") && (node.attribute("include").is_none() || has(node, "include"))
    };
    let needed = children(group, "dependency").filter(is_compiled);

    needed
        .filter_map(|node| {
            Some((
                node.attribute("id")?.to_ascii_lowercase(),
                Range::parse(node.attribute("version")?)?,
            ))
        })
        .collect()
}

fn child<'a, 'd>(node: Node<'a, 'd>, name: &'static str) -> Option<Node<'a, 'd>> {
    children(node, name).next()
}

fn children<'a, 'd>(node: Node<'a, 'd>, name: &'static str) -> impl Iterator<Item = Node<'a, 'd>> {
    node.children()
        .filter(move |child| child.is_element() && child.tag_name().name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(nuspec: &str, framework: &str) -> Vec<String> {
        needs(nuspec, framework)
            .into_iter()
            .map(|(id, _)| id)
            .collect()
    }

    #[test]
    fn the_dependency_group_of_the_nearest_framework_is_used() {
        let nuspec = r#"<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"><metadata><id>A</id><dependencies>
            <group targetFramework=".NETStandard2.0"><dependency id="Old" version="1.0" exclude="Build,Analyzers"/></group>
            <group targetFramework="net6.0"><dependency id="New" version="[2.0,3.0)"/><dependency id="Tool" version="1" exclude="Compile"/></group>
            <group><dependency id="Any" version="1"/></group></dependencies></metadata></package>"#;
        assert_eq!(ids(nuspec, "net8.0"), ["new"]);
        assert_eq!(ids(nuspec, "net48"), ["old"]);
        assert_eq!(ids(nuspec, "netstandard1.3"), ["any"]);
        let flat = r#"<package><metadata><dependencies><dependency id="Flat" version="1"/></dependencies></metadata></package>"#;
        assert_eq!(ids(flat, "net8.0"), ["flat"]);
    }

    #[test]
    fn an_invalid_nuspec_has_no_dependencies() {
        let deep = format!("{}{}", "<a>".repeat(50_000), "</a>".repeat(50_000));
        for text in [
            "",
            "no xml",
            "<package/>",
            "<package><metadata><dependencies><dependency id='x' version='?'/></dependencies></metadata>",
            &deep,
        ] {
            assert_eq!(
                needs(text, "net8.0"),
                [],
                "{}",
                text.get(..40).unwrap_or(text)
            );
        }
    }
}
