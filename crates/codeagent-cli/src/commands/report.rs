//! `codeagent doctor --report`: what a bug report needs, and nothing that identifies a repository.
//!
//! Every line consists of words of this file and of numbers, versions and names of languages.
//! Errors are named by their kind, because their texts contain paths.

use std::time::Instant;

use codeagent_core::engine::{self, ErrorKind};
use codeagent_core::query;
use codeagent_core::service::{ipc, quick_check};
use codeagent_render::{LanguageQuality, StatusReport};
use codeagent_workspace::{DataRoot, Entry, EntryKind, Workspace};

use crate::clients::{CLIENTS, EntryState};
use crate::commands::{Root, model};
use crate::error;
use crate::output::count;

/// Returns the lines of the report.
pub fn lines(root: &Root) -> Vec<String> {
    let processors = std::thread::available_parallelism().map_or(0, usize::from) as u64;
    let mut lines = vec![
        super::doctor::versions(),
        format!(
            "system: {} {}, {}",
            std::env::consts::OS,
            std::env::consts::ARCH,
            count(processors, "processor")
        ),
    ];

    lines.extend(repository(root));
    lines.extend(index(root));
    lines.push(match model::test_model() {
        Ok(Some(_)) => "model: works".to_owned(),
        Ok(None) => "model: none".to_owned(),
        Err(_) => "model: cannot be used".to_owned(),
    });
    lines.push(clients());
    lines
}

fn repository(root: &Root) -> Vec<String> {
    let Ok(workspace) = Workspace::open(&root.folder) else {
        return vec!["repository: cannot be opened".to_owned()];
    };
    if root.check().is_err() {
        return vec!["repository: not a folder to index".to_owned()];
    }

    let started = Instant::now();
    let walk = workspace.walk();
    let is_file = |entry: &&Entry| entry.kind == EntryKind::File;
    let files = walk.entries.iter().filter(is_file).count() as u64;
    let folders = walk.folders.len() as u64;
    let mut lines = vec![format!(
        "repository: {} and {} in {}",
        count(files, "file"),
        count(folders, "folder"),
        since(started)
    )];
    lines.push(match workspace.configured(false) {
        Ok(workspace) if workspace.config().notes.is_empty() => "settings: valid".to_owned(),
        Ok(workspace) => format!(
            "settings: {}",
            count(workspace.config().notes.len() as u64, "note")
        ),
        Err(_) => "settings: invalid".to_owned(),
    });
    lines
}

fn index(root: &Root) -> Vec<String> {
    let started = Instant::now();
    match figures(root, started) {
        Ok(lines) => lines,
        Err(error) => {
            let kind = error.chain().find_map(error::kind);
            vec![format!("index: {}", kind.map_or("cannot be read", named))]
        }
    }
}

fn figures(root: &Root, started: Instant) -> anyhow::Result<Vec<String>> {
    let answers = root.answers()?;
    let snapshot = answers.snapshot()?;
    let opened = since(started);

    let started = Instant::now();
    let status = query::status(&snapshot, answers.vectors())?;
    let failed = query::failed_files(&snapshot)?.len() as u64;
    let counted = since(started);

    let started = Instant::now();
    let staleness = quick_check(&answers);
    let compared = since(started);

    let report = StatusReport::new(&status, true);
    let mut lines = vec![
        format!(
            "index: {}, {}, {}, {} that failed",
            count(report.indexed_files, "file"),
            count(report.indexed_symbols, "symbol"),
            count(report.edges, "edge"),
            count(failed, "file")
        ),
        format!(
            "times: opened in {opened}, counted in {counted}, compared with the files in {compared}"
        ),
        format!(
            "up to date: {}",
            if staleness.is_none() { "yes" } else { "no" }
        ),
    ];
    lines.extend(report.quality.iter().map(language));

    let writer = ipc::writer_info(answers.data()).ok();
    lines.push(format!(
        "watched by: {}",
        writer.map_or("no process", |writer| writer.role.as_str())
    ));
    lines.extend(database(root));
    Ok(lines)
}

/// Returns the size of the database, and whether it is consistent.
fn database(root: &Root) -> Option<String> {
    let workspace = Workspace::open(&root.folder).ok()?;
    let data = DataRoot::default().data_dir(workspace.root()).ok()?;
    let path = data.database().ok()?;
    let size = path.metadata().ok()?.len() / 1024;
    let started = Instant::now();
    let state = if engine::check_database(&path).is_ok() {
        "consistent"
    } else {
        "damaged"
    };
    Some(format!(
        "database: {size} KiB, {state}, checked in {}",
        since(started)
    ))
}

fn language(quality: &LanguageQuality) -> String {
    let resolved = quality
        .calls_resolved_percent
        .map_or("no calls".to_owned(), |percent| {
            format!("{percent}% of calls resolved")
        });
    format!(
        "{}: {}, {}, {} with parse errors, {} failed, {resolved}",
        quality.language,
        count(quality.files, "file"),
        count(quality.lines, "line"),
        quality.files_with_errors,
        quality.files_failed
    )
}

fn clients() -> String {
    let program = std::env::current_exe().ok();
    let program = program
        .as_deref()
        .and_then(std::path::Path::to_str)
        .unwrap_or_default();

    let present = CLIENTS.iter().filter(|client| client.is_present());
    let states: Vec<String> = present
        .map(|client| {
            let state = match client.state(program) {
                Ok(EntryState::Known) => "set up",
                Ok(EntryState::Unknown) => "not set up",
                Ok(EntryState::Other) => "set up for another program",
                Err(_) => "settings cannot be read",
            };
            format!("{} {state}", client.name)
        })
        .collect();

    if states.is_empty() {
        "clients: none found".to_owned()
    } else {
        format!("clients: {}", states.join(", "))
    }
}

fn named(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Usage => "wrong arguments or settings",
        ErrorKind::NotIndexed => "there is none yet",
        ErrorKind::Locked => "another process is writing it",
        ErrorKind::Corrupt => "damaged",
        ErrorKind::Interrupted => "interrupted",
        ErrorKind::Other => "cannot be read",
    }
}

fn since(started: Instant) -> String {
    format!("{} ms", started.elapsed().as_millis())
}
