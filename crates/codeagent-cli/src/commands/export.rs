//! `codeagent export`: the whole graph as TSV tables, as a SCIP index or as Parquet tables.

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
use codeagent_share::Remote;
use codeagent_share::tables::{TablesOptions, export_tables};
use codeagent_workspace::file_uri;

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
    /// PREFIX.refs.tsv. SCIP: the output file. Parquet: a folder, or the URL of an object store
    #[arg(long, value_name = "PATH|URL")]
    out: PathBuf,
    /// Parquet: name of the repository in the tables [default: the name of its folder]
    #[arg(long, value_name = "NAME")]
    repo: Option<String>,
    /// Parquet: id of the commit in the tables [default: HEAD]
    #[arg(long, value_name = "ID")]
    commit: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tab-separated, with a header line
    Tsv,
    /// A SCIP index
    Scip,
    /// Tables for DuckDB, DataFusion, ClickHouse and Spark: a file TABLE/NAME.parquet for each. Files
    /// of an earlier export of the repository are replaced
    Parquet,
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
        Format::Parquet => write_parquet(root, &answers, arguments)?,
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
    if arguments.format != Format::Scip && arguments.scheme != Scheme::Codeagent {
        bail!(Usage("--scheme needs --format scip".to_owned()));
    }

    if arguments.format == Format::Parquet {
        return check_tables(arguments);
    }

    if arguments.repo.is_some() || arguments.commit.is_some() {
        bail!(Usage(
            "--repo and --commit need --format parquet".to_owned()
        ));
    }

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

    Ok(())
}

fn check_tables(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.out.is_file() {
        bail!(Usage(format!(
            "--out: {} is a file; pass a folder or a URL",
            arguments.out.display()
        )));
    }
    Ok(())
}

/// Writes the tables and returns their names.
fn write_parquet(
    root: &Root,
    answers: &IndexReader,
    arguments: &Arguments,
) -> anyhow::Result<Vec<String>> {
    let out = arguments.out.display().to_string();
    let remote = if out.contains("://") {
        Remote::open(&out)?
    } else {
        let folder = std::path::absolute(&arguments.out)?;
        let url = file_uri(&folder).context("--out: the path is not UTF-8")?;
        Remote::open(&url)?
    };

    let commit = match &arguments.commit {
        Some(commit) => commit.clone(),
        None => head(answers).unwrap_or_default(),
    };
    let options = TablesOptions {
        repository: root.repository_name(arguments.repo.as_deref())?,
        commit,
    };
    let tables = export_tables(&remote, answers, &options)?.into_iter();
    let place = out.trim_end_matches('/');
    Ok(tables
        .map(|table| format!("{place}/{}", table.name))
        .collect())
}

/// Returns the id of the commit of the work tree, if it is in git.
fn head(answers: &IndexReader) -> Option<String> {
    let git = answers.workspace().git().ok()?;
    git.history(1).ok()?.pop()
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
