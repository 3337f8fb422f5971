//! `codeagent import`: adds the symbols of a SCIP index to the graph, or removes them.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use codeagent_core::engine::IndexReader;
use codeagent_core::imports::{ImportRequest, add_import, remove_import};
use codeagent_core::query::{self, ImportRow};
use codeagent_workspace::DataRoot;

use crate::commands::{Root, index};
use crate::error::Usage;
use crate::output::{self, count};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The SCIP index
    #[arg(value_name = "FILE", required_unless_present = "remove")]
    file: Option<PathBuf>,
    /// Folder of the repository that the paths in FILE are relative to [default: the one in FILE,
    /// or the root]
    #[arg(long, value_name = "SUB", conflicts_with = "remove")]
    folder: Option<String>,
    /// Name of the import; replaces one with the same name [default: FILE without its extension]
    #[arg(long, conflicts_with = "remove")]
    name: Option<String>,
    /// Remove an import
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    remove: Option<String>,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    root.check()?;
    match (&arguments.remove, &arguments.file) {
        (Some(name), _) => remove(root, name),
        (None, Some(file)) => add(root, arguments, file),
        (None, None) => bail!(Usage("pass a SCIP index".to_owned())),
    }
}

fn add(root: &Root, arguments: &Arguments, file: &PathBuf) -> anyhow::Result<()> {
    let name = match &arguments.name {
        Some(name) => name.clone(),
        None => file
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default(),
    };
    let folder = arguments
        .folder
        .as_deref()
        .map(|folder| root.path(folder))
        .transpose()?;

    // What the sources have is known once they are indexed.
    index::update(root)?;
    let reader = reader(root)?;
    let own = query::source_paths(&reader.snapshot()?)?;
    let request = ImportRequest {
        path: file,
        name: &name,
        folder: folder.as_deref(),
    };
    add_import(reader.workspace(), reader.data(), &request, &own)?;
    drop(reader);

    index::update(root)?;
    let imports = query::imports(&self::reader(root)?.snapshot()?)?;
    let Some(import) = imports.iter().find(|import| import.name == name) else {
        bail!("{name} is not in the index; run `codeagent index`");
    };
    if import.files == 0 {
        remove_import(&root.data()?, &name)?;
        index::update(root)?;
        let reason = import.problem.clone();
        bail!(
            "nothing was imported: {}",
            reason.unwrap_or_else(|| left_out(import).join("; "))
        );
    }

    let notes = left_out(import);
    if root.json {
        return output::json(&serde_json::json!({ "results": [line(import)], "notes": notes }));
    }
    output::lines([line(import)])?;
    notes.iter().for_each(|note| output::note(note));
    Ok(())
}

fn remove(root: &Root, name: &str) -> anyhow::Result<()> {
    let imports = query::imports(&reader(root)?.snapshot()?)?;
    let has_removed = remove_import(&root.data()?, name)?;
    if !has_removed {
        let names: Vec<&str> = imports.iter().map(|import| import.name.as_str()).collect();
        let known = match names.as_slice() {
            [] => "nothing is imported".to_owned(),
            names => format!("the imports are {}", names.join(", ")),
        };
        bail!(Usage(format!("no import is named {name:?}; {known}")));
    }
    index::update(root)?;
    if root.json {
        return output::json(&serde_json::json!({ "results": [format!("removed {name}")] }));
    }
    output::lines([format!("removed {name}")])
}

fn reader(root: &Root) -> anyhow::Result<IndexReader> {
    Ok(IndexReader::open(&root.folder, &DataRoot::default())?)
}

/// Returns the line about an import.
pub fn line(import: &ImportRow) -> String {
    let folder = match import.folder.as_str() {
        "" | "." => String::new(),
        folder => format!(" in {folder}"),
    };
    format!(
        "imported {} ({}){folder}: {}, {}, {}",
        import.name,
        import.tool,
        count(import.files, "file"),
        count(import.symbols, "symbol"),
        count(import.uses, "use")
    )
}

/// Returns what an import leaves out, and why.
pub fn left_out(import: &ImportRow) -> Vec<String> {
    let name = &import.name;
    let mut notes = Vec::new();
    if let Some(problem) = &import.problem {
        notes.push(format!(
            "{name}: the import cannot be read ({problem}); import it again"
        ));
    }

    for (files, why) in [
        (
            import.changed_files,
            "changed since the import; make the SCIP index again and import it",
        ),
        (
            import.misplaced_files,
            "the SCIP index was made from another text; make it again",
        ),
        (import.own_files, "codeagent indexes them itself"),
    ] {
        if files > 0 {
            notes.push(format!("{name}: {} left out, {why}", count(files, "file")));
        }
    }

    if import.external_uses > 0 {
        notes.push(format!(
            "{name}: {} of symbols outside the import are not listed",
            count(import.external_uses, "use")
        ));
    }

    notes
}
