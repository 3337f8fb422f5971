//! The section about what the symbols of a folder depend on outside of it, by project.

use std::collections::{BTreeMap, BTreeSet};

use codeagent_core::model::graph::Node;
use codeagent_core::query::{self, Occurrences};

use super::type_symbol::path;
use crate::answers::AnswerError;
use crate::text::{NameRow, Section};

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
