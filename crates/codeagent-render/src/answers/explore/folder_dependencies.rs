//! Sections about what a folder depends on: the symbols outside of it that those in it use, by project, and what its
//! project files name.

use std::collections::{BTreeMap, BTreeSet};

use codeagent_core::model::graph::Node;
use codeagent_core::query::{self, Occurrences, TextSearchQuery};

use super::literal::regex;
use super::type_symbol::path;
use super::wants::WANTED;
use crate::answers::AnswerError;
use crate::text::{Document, NameRow, Section};

/// The lines of project files by which these depend on something: other projects, packages, assemblies, sources of other
/// folders and constants in csproj files, names with a version in package.json.
const DEPENDING: &str = r#"<(ProjectReference|PackageReference|Reference|Import|DefineConstants)\b|<Compile Include=|^\s*"[@\w./-]+":\s*"(workspace:|catalog:|npm:|file:|link:|latest|[\^~>=*0-9])"#;

/// Names with a version in package.json that are no packages.
const NO_PACKAGES: [&str; 4] = ["\"version\"", "\"node\"", "\"npm\"", "\"pnpm\""];

/// Maximum number of symbols whose dependencies are read.
const MAX_SYMBOLS: usize = 400;

/// Returns a section with the types and functions outside a folder that some symbols in it use, by the project or,
/// without one, the folder of these.
pub(super) fn section(
    occurrences: &Occurrences<'_, '_>,
    folder: &str,
    symbols: &[Node],
) -> Result<Section, AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for symbol in symbols.iter().take(MAX_SYMBOLS) {
        for dependency in query::type_dependencies(snapshot, symbol.id)? {
            let node = &dependency.node;
            if query::is_in_place(path(node), folder) {
                continue;
            }
            let owner = owner(node);
            found.entry(owner).or_default().insert(node.name.clone());
        }
    }

    let row = |(owner, names): (String, BTreeSet<String>)| {
        let names: Vec<String> = names.into_iter().collect();
        NameRow {
            full: format!("{owner}: {}", names.join(", ")),
            short: format!("{owner} {}", names.len()),
        }
    };
    let rows = found.into_iter().map(row).collect();
    let title = "depends on types and functions of";
    Ok(Section::names("dependencies", title, rows))
}

/// Adds the lines of the project files in a folder that name what the projects depend on.
pub(super) fn project_lines(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    folder: &str,
) -> Result<(), AnswerError> {
    let query = TextSearchQuery {
        path: Some(folder),
        ..regex(DEPENDING)
    };

    let mut places = query::search_text(occurrences, &query)?.others;
    places.retain(|place| {
        let file = place.path.strip_prefix(folder).unwrap_or(&place.path);
        let source = place.source.as_deref().unwrap_or_default().trim_start();
        match file.trim_start_matches('/') {
            "package.json" => !NO_PACKAGES.iter().any(|name| source.starts_with(name)),
            file => file.ends_with(".csproj"),
        }
    });

    let title = "project files that name what they depend on";
    document.section(Section::occurrence_rows("projects", title, places).weighing(WANTED));
    Ok(())
}

/// Returns the project of a symbol, or else its folder.
fn owner(node: &Node) -> String {
    let folder = path(node)
        .rsplit_once('/')
        .map_or(".", |(folder, _)| folder);
    match node.project_id.as_str() {
        "" => folder.to_owned(),
        project => project.to_owned(),
    }
}
