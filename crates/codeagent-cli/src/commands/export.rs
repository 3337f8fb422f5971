//! `codeagent export`: the whole graph as TSV tables or as a SCIP index.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use codeagent_core::engine::IndexReader;
use codeagent_core::inspect;
use codeagent_core::query::{self, ScipReport, SymbolScheme};
use codeagent_core::service::Staleness;
use codeagent_render::staleness_text;

use crate::commands::Root;
use crate::error::Usage;
use crate::output;

/// Number of files named in a note.
const SHOWN: usize = 5;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Tsv)]
    format: Format,
    /// How SCIP symbols are written
    #[arg(long, value_enum, default_value_t = Scheme::Codeagent)]
    scheme: Scheme,
    /// TSV: prefix of the output files PREFIX.symbols.tsv, PREFIX.calls.tsv, PREFIX.inherits.tsv,
    /// PREFIX.refs.tsv. SCIP: the output file
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tab-separated, with a header line
    Tsv,
    /// A SCIP index
    Scip,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scheme {
    /// Without versions, equal in all versions of a package
    Codeagent,
    /// As scip-typescript writes them
    ScipTypescript,
    /// As scip-dotnet writes them
    ScipDotnet,
}

impl Scheme {
    fn symbols(self) -> SymbolScheme {
        match self {
            Self::Codeagent => SymbolScheme::CodeAgent,
            Self::ScipTypescript => SymbolScheme::ScipTypeScript,
            Self::ScipDotnet => SymbolScheme::ScipDotNet,
        }
    }
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    check(arguments)?;
    let (answers, staleness) = root.up_to_date_reader()?;
    let mut notes = coverage_notes(&answers, &staleness)?;
    let written = match arguments.format {
        Format::Tsv => write_tables(&answers, &arguments.out)?,
        Format::Scip => {
            let report = write_scip(&answers, arguments)?;
            notes.extend(changed_note(&report));
            vec![arguments.out.display().to_string()]
        }
    };

    if root.json {
        return output::json(&serde_json::json!({ "results": written, "notes": notes }));
    }

    output::lines(written)?;
    notes.iter().for_each(|text| output::note(text));
    Ok(())
}

/// Checks the arguments before anything is read.
fn check(arguments: &Arguments) -> anyhow::Result<()> {
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
    if arguments.format == Format::Scip && arguments.out.is_dir() {
        bail!(Usage(format!(
            "--out: {} is a folder; pass a file, for example index.scip",
            arguments.out.display()
        )));
    }
    if arguments.format == Format::Tsv && arguments.scheme != Scheme::Codeagent {
        bail!(Usage("--scheme needs --format scip".to_owned()));
    }
    Ok(())
}

fn write_tables(answers: &IndexReader, prefix: &Path) -> anyhow::Result<Vec<String>> {
    let tables = query::export(&answers.snapshot()?, answers.workspace())?;
    let mut written = Vec::new();
    for (name, text) in [
        ("symbols", &tables.symbols),
        ("calls", &tables.calls),
        ("inherits", &tables.inherits),
        ("refs", &tables.refs),
    ] {
        let path = table_path(prefix, name);
        codeagent_workspace::write_output(&path, text)
            .with_context(|| format!("cannot write {}", path.display()))?;
        written.push(path.display().to_string());
    }
    Ok(written)
}

fn write_scip(answers: &IndexReader, arguments: &Arguments) -> anyhow::Result<ScipReport> {
    let packages = inspect::own_packages(answers.workspace())?;
    let cannot_write = || format!("cannot write {}", arguments.out.display());
    let mut out = codeagent_workspace::create_output(&arguments.out).with_context(cannot_write)?;
    let report = query::export_scip(
        &answers.snapshot()?,
        answers.workspace(),
        (arguments.scheme.symbols(), &packages),
        &mut out,
    )
    .with_context(cannot_write)?;
    out.flush().with_context(cannot_write)?;
    Ok(report)
}

/// Returns the note about files that a SCIP index leaves out.
fn changed_note(report: &ScipReport) -> Option<String> {
    let (first, rest) = report.changed.split_at(report.changed.len().min(SHOWN));
    let more = match rest.len() {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    (!first.is_empty()).then(|| {
        format!(
            "left out, because changed since they were indexed: {}{more}; run `codeagent index`",
            first.join(", ")
        )
    })
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
