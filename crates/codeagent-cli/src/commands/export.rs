//! `codeagent export`: the whole graph as TSV tables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use codeagent_core::engine::IndexReader;
use codeagent_core::query;
use codeagent_core::service::Staleness;
use codeagent_render::staleness_text;

use crate::commands::Root;
use crate::error::Usage;
use crate::output;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Output format
    #[arg(long, value_enum, default_value_t = TableFormat::Tsv)]
    format: TableFormat,
    /// Prefix of the output files: PREFIX.symbols.tsv, PREFIX.calls.tsv, PREFIX.inherits.tsv,
    /// PREFIX.refs.tsv
    #[arg(long, value_name = "PREFIX")]
    out: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TableFormat {
    /// Tab-separated, with a header line
    Tsv,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let folder = arguments
        .out
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        bail!(Usage(format!(
            "--out: {} is not a folder",
            folder.display()
        )));
    }

    let (answers, staleness) = root.up_to_date_reader()?;
    let tables = query::export(&answers.snapshot()?, answers.workspace())?;
    let TableFormat::Tsv = arguments.format;

    let mut written = Vec::new();
    for (name, text) in [
        ("symbols", &tables.symbols),
        ("calls", &tables.calls),
        ("inherits", &tables.inherits),
        ("refs", &tables.refs),
    ] {
        let path = table_path(&arguments.out, name);
        codeagent_workspace::write_output(&path, text)
            .with_context(|| format!("cannot write {}", path.display()))?;
        written.push(path.display().to_string());
    }

    let notes = coverage_notes(&answers, &staleness)?;
    if root.json {
        return output::json(&serde_json::json!({ "results": written, "notes": notes }));
    }

    output::lines(written)?;
    notes.iter().for_each(|text| output::note(text));
    Ok(())
}

/// Returns notes about parts of the repository that the tables do not contain.
fn coverage_notes(answers: &IndexReader, staleness: &Staleness) -> anyhow::Result<Vec<String>> {
    let mut notes: Vec<String> = (!staleness.is_none())
        .then(|| staleness_text(staleness))
        .into_iter()
        .collect();
    let failed = query::failed_files(&answers.snapshot()?)?.len();
    if failed > 0 {
        notes.push(format!(
            "{} could not be indexed (`codeagent status` lists them)",
            output::count(failed as u64, "file")
        ));
    }
    Ok(notes)
}

fn table_path(prefix: &Path, name: &str) -> PathBuf {
    let mut path = OsString::from(prefix);
    path.push(format!(".{name}.tsv"));
    path.into()
}
