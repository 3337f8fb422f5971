//! Section about what a file imports.

use codeagent_core::model::graph::Node;
use codeagent_core::query::{self, FileImport, Occurrences};

use crate::answers::AnswerError;
use crate::text::{NameRow, Section};

/// Makes a section of what a file imports, by line: `6 createFolder, readFile  files/index.ts`.
pub(super) fn section(
    occurrences: &Occurrences<'_, '_>,
    file: &Node,
) -> Result<Section, AnswerError> {
    let imports = query::imports_of(occurrences.sources.snapshot(), file)?;
    let rows = imports.into_iter().map(row).collect();
    Ok(Section::names("imports", "imports", rows))
}

fn row(import: FileImport) -> NameRow {
    let FileImport {
        line,
        names,
        module,
    } = import;
    let names = names.join(", ");
    let gap = if names.is_empty() { "" } else { "  " };
    NameRow {
        full: format!("{line} {names}{gap}{module}"),
        short: module,
    }
}
