//! `codeagent status`: the index's content, the share of resolved calls, and the files that failed.

use clap::Args;
use codeagent_core::engine::IndexReader;
use codeagent_core::packs::{PackError, PackInfo, packs};
use codeagent_core::query::{self, ImportRow};
use codeagent_core::service::ipc::{self, WriterConnection, WriterInfo};
use codeagent_core::service::vector_progress;
use codeagent_render::{LanguageQuality, StatusReport, partially_parsed_text, staleness_text};
use serde::{Serialize, Serializer};

use crate::commands::snapshot::pack_text;
use crate::commands::{Root, import, index, indexes, model};
use crate::output::{self, count};

/// Number of files listed of each kind without `--files`.
const SHOWN: usize = 5;

/// Number of packages that a note names.
const SHOWN_PACKAGES: usize = 3;

/// The built-in model, which compares words and letters.
const LEXICAL: &str = "lexhash-384";

#[derive(Debug, Args)]
pub struct Arguments {
    /// Compare with a fresh index and rebuild it if they differ
    #[arg(long)]
    verify: bool,
    /// List all files that failed or have parse errors
    #[arg(long)]
    files: bool,
    /// List the indexes of all repositories with their state
    #[arg(long, conflicts_with_all = ["verify", "files"])]
    all: bool,
}

impl Arguments {
    /// Reports whether the command is about all repositories.
    pub fn is_about_all(&self) -> bool {
        self.all
    }
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.all {
        return indexes::run(root);
    }
    if arguments.verify {
        verify(root)?;
    }

    let (answers, staleness) = root.reader()?;
    let mut report = collect_report(&answers)?;
    report
        .notes
        .extend((!staleness.is_none()).then(|| staleness_text(&staleness)));
    report.notes.extend(vector_note(&answers)?);
    report.notes.extend(absent_note(&answers)?);
    for import in &report.imports {
        report.notes.extend(import::left_out(import));
    }
    report.notes.extend(model::model_problem());

    if root.json {
        return output::json(&report);
    }

    let watcher = ipc::writer_info(answers.data()).ok();
    let mut lines = content_lines(&report.report, watcher.as_ref());
    lines.extend(report.imports.iter().map(import::line));
    lines.extend(report.packs.iter().cloned());
    lines.extend(file_lines(&report, arguments.files));
    output::lines(lines)?;
    report.notes.iter().for_each(|note| output::note(note));

    Ok(())
}

/// Reads the index's content, its files with problems and the notes of the settings.
fn collect_report(answers: &IndexReader) -> anyhow::Result<Report> {
    let snapshot = answers.snapshot()?;
    let status = query::status(&snapshot, answers.vectors())?;
    let report = StatusReport {
        watcher_active: WriterConnection::open(answers.data()).is_ok(),
        ..StatusReport::new(&status, true)
    };

    // The walk skips these files, for example because their names are not UTF-8, so they have no
    // path.
    let skipped = answers.workspace().walk().skipped;
    let skipped = skipped
        .into_iter()
        .map(|reason| DirListing::new("", reason));

    Ok(Report {
        report: report.with_coverage(answers.coverage(&status.counts)),
        failed: listed(query::failed_files(&snapshot)?)
            .into_iter()
            .chain(skipped)
            .collect(),
        partial: query::partially_parsed_files(&snapshot)?
            .iter()
            .map(|file| DirListing::new(&file.path, partially_parsed_text(file)))
            .collect(),
        given_up: status
            .budget_exceeded
            .iter()
            .map(|(path, sites)| DirListing::new(path, too_costly(*sites)))
            .collect(),
        imports: query::imports(&snapshot)?,
        packs: pack_lines(answers),
        notes: answers.workspace().config().notes.clone(),
    })
}

/// Returns a line about each interface pack.
fn pack_lines(answers: &IndexReader) -> Vec<String> {
    let line = |pack: Result<PackInfo, PackError>| match pack {
        Ok(pack) if pack.commit.is_empty() => pack_text(&pack),
        Ok(pack) => format!("{} of {}", pack_text(&pack), pack.commit),
        Err(error) => error.to_string(),
    };
    packs(answers.data()).into_iter().map(line).collect()
}

/// Returns the note about packages that are not installed.
fn absent_note(answers: &IndexReader) -> anyhow::Result<Option<String>> {
    let absent = query::absent_packages(&answers.snapshot()?)?;
    if absent.is_empty() {
        return Ok(None);
    }

    let named = absent[..absent.len().min(SHOWN_PACKAGES)].join(", ");
    let more = match absent.len().saturating_sub(SHOWN_PACKAGES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Ok(Some(format!(
        "npm packages that code uses are not installed ({named}{more}), so the types of their values \
         are unknown: more calls have targets after `npm install` and `codeagent index`"
    )))
}

/// Returns the note about vectors that are not computed yet.
fn vector_note(answers: &IndexReader) -> anyhow::Result<Option<String>> {
    let progress = vector_progress(&answers.snapshot()?)?;
    let unfinished = progress.filter(|progress| progress.done < progress.total);
    Ok(unfinished.map(|progress| {
        format!("{progress}; a server, daemon or `codeagent watch` computes the others")
    }))
}

/// Returns the lines about the index as a whole.
fn content_lines(report: &StatusReport, watcher: Option<&WriterInfo>) -> Vec<String> {
    let mut lines = vec![
        format!(
            "{}, {}, {}",
            count(report.indexed_files, "file"),
            count(report.indexed_symbols, "symbol"),
            count(report.edges, "edge")
        ),
        format!(
            "last update: {}",
            report.last_batch_at.as_deref().unwrap_or("never")
        ),
    ];

    lines.push(match watcher {
        Some(watcher) => format!(
            "watched by process {} (codeagent {})",
            watcher.process,
            watcher.role.as_str()
        ),
        None => "not watching for changes (run `codeagent watch` or `codeagent daemon start`)"
            .to_owned(),
    });
    lines.extend(report.quality.iter().map(language));

    let vectors = count(report.embeddings_count, "vector");
    lines.extend(report.embedding_model.as_deref().map(|model| match model {
        LEXICAL => format!("semantic search: off, words and letters only ({vectors} of {LEXICAL})"),
        model => format!("semantic search: on ({vectors} of {model})"),
    }));
    lines.extend(
        report
            .text_of_no_language_percent
            .filter(|share| *share > 0.0)
            .map(|share| {
                format!("{share}% of the source text is in languages that are not indexed")
            }),
    );

    lines
}

/// Returns the lines about files with problems.
fn file_lines(report: &Report, lists_all: bool) -> Vec<String> {
    let most = if lists_all { usize::MAX } else { SHOWN };
    // Parse errors in parts of files are common and matter little.
    let most_partial = if report.partial.len() > most { 0 } else { most };

    let mut lines = some("failed", "failed", &report.failed, most);
    lines.extend(some(
        "parse errors",
        "parse errors",
        &report.partial,
        most_partial,
    ));
    lines.extend(some("skipped uses", "skipped uses", &report.given_up, most));
    lines
}

/// Lists at most `most` files with their reasons, and the number of the others.
fn some(word: &str, what: &str, files: &[DirListing], most: usize) -> Vec<String> {
    let line = |file: &DirListing| match file.path.as_str() {
        "" => format!("{word} {}", file.reason),
        path => format!("{word} {path}: {}", file.reason),
    };
    let mut lines: Vec<String> = files.iter().take(most).map(line).collect();
    let rest = files.len().saturating_sub(most) as u64;
    if rest > 0 {
        let more = if most == 0 { "" } else { "more " };
        lines.push(format!(
            "{what} in {rest} {more}file{} (--files lists them)",
            if rest == 1 { "" } else { "s" }
        ));
    }
    lines
}

fn verify(root: &Root) -> anyhow::Result<()> {
    let engine = index::open_alone(root, false)?;
    let bar = index::progress_bar()?;
    let differing = engine.verify(&|progress| index::show(&bar, progress));
    bar.finish_and_clear();
    index::say_healed(&engine);
    if differing? == 0 {
        output::note("verified: identical to a fresh index");
    }
    Ok(engine.close()?)
}

/// The output of `--json`.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    report: StatusReport,
    failed: Vec<DirListing>,
    /// Files with bytes that could not be parsed.
    partial: Vec<DirListing>,
    /// Files with uses whose resolution exceeded the budget.
    given_up: Vec<DirListing>,
    #[serde(serialize_with = "imports")]
    imports: Vec<ImportRow>,
    packs: Vec<String>,
    notes: Vec<String>,
}

/// Writes the imports with their counts.
fn imports<S: Serializer>(imports: &[ImportRow], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(imports.iter().map(|import| {
        serde_json::json!({
            "name": import.name,
            "tool": import.tool,
            "folder": import.folder,
            "files": import.files,
            "symbols": import.symbols,
            "uses": import.uses,
        })
    }))
}

#[derive(Serialize)]
struct DirListing {
    path: String,
    reason: String,
}

impl DirListing {
    fn new(path: &str, reason: String) -> Self {
        Self {
            path: path.to_owned(),
            reason,
        }
    }
}

fn listed(files: Vec<(String, String)>) -> Vec<DirListing> {
    files
        .into_iter()
        .map(|(path, reason)| DirListing { path, reason })
        .collect()
}

fn too_costly(sites: u64) -> String {
    format!(
        "{} not resolved (the file's budget was exceeded)",
        count(sites, "use")
    )
}

fn language(quality: &LanguageQuality) -> String {
    let resolved = quality
        .calls_resolved_percent
        .map(|percent| format!(", {percent}% of calls resolved"))
        .unwrap_or_default();
    format!(
        "{}: {}, {}, {} with parse errors ({}% of bytes), {} failed{resolved}",
        quality.language,
        count(quality.files, "file"),
        count(quality.lines, "line"),
        quality.files_with_errors,
        quality.error_percent,
        quality.files_failed
    )
}
