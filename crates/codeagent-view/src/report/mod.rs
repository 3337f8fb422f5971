//! `codeagent report`: what was understood and what changed, as one HTML file for CI.
//!
//! The file has no script and loads nothing.

mod html;

use codeagent_core::IndexReader;
use codeagent_core::model::graph::NodeId;
use codeagent_core::query::{
    self, Affected, ChangeKind, Changes, FolderPart, Overview, Scope, Sources, SymbolChange,
};
use codeagent_render::answers::{AnswerError, affected_json, break_text};

use crate::api::file_problem;
use crate::assets;
use html::Html;

/// Maximum number of rows of each list.
const MAX_ROWS: usize = 100;

/// Maximum number of folders of a matrix whose cycles are listed.
const MAX_FOLDERS: usize = 200;

/// What a report is about.
#[derive(Clone, Copy, Debug)]
pub struct ReportOptions<'a> {
    /// The heading.
    pub title: &'a str,
    /// The commit or range to compare with; `None` leaves the changes out.
    pub base: Option<&'a str>,
}

/// Returns the report of a repository as HTML.
pub fn html_report(
    index: &IndexReader,
    options: &ReportOptions<'_>,
) -> Result<String, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    let mut html = Html::default();
    html.element("h1", options.title);

    if let Some(base) = options.base {
        let changes = query::changes(&mut sources, base)?;
        let affected = query::affected(&sources, &changes)?;
        write_changes(&mut html, base, &changes, &affected);
    }
    write_health(&mut html, &sources)?;
    let overview = query::overview(&mut sources, Scope::Whole)?;
    write_overview(&mut html, &overview);
    Ok(html.page(options.title, assets::style_text()))
}

fn write_changes(html: &mut Html, base: &str, changes: &Changes, affected: &Affected) {
    html.element("h2", format!("Changes since {base}"));
    let (files, symbols) = (changes.git.files.len(), changes.symbols.len());
    html.element("p", format!("Files: {files}; symbols: {symbols}."));
    if changes.is_cut {
        html.element("p", "Only the first files were compared by symbol.");
    }

    let breaks: Vec<_> = changes
        .breaks
        .iter()
        .map(|each| {
            let doubt = if each.is_certain { "" } else { "possibly " };
            let place = format!("{}:{}", each.place.path, each.place.line);
            (place, format!("{doubt}{}", break_text(each)))
        })
        .collect();
    section(html, "Uses that no longer fit", &breaks);
    let symbols: Vec<_> = changes.symbols.iter().map(change_row).collect();
    section(html, "Changed symbols", &symbols);

    let tests = affected_json(affected);
    let rows = tests["tests"].as_array().into_iter().flatten();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let rows: Vec<_> = rows
        .map(|row| (text(&row["path"]), text(&row["reason"])))
        .collect();
    section(html, "Tests to run", &rows);
}

fn change_row(change: &SymbolChange) -> (String, String) {
    let declared = change.declared();
    let place = format!("{}:{}", declared.path, declared.line);
    let how = match change.kind {
        ChangeKind::Added => "added",
        ChangeKind::Removed => "removed",
        ChangeKind::Renamed => "renamed or moved",
        ChangeKind::Signature => "changed in signature",
        ChangeKind::Body => "changed in body",
    };
    (declared.shown(), format!("{how}, {place}"))
}

fn write_health(html: &mut Html, sources: &Sources<'_>) -> Result<(), AnswerError> {
    let files = query::file_uses(sources.snapshot())?;
    let health = files.health("");
    html.element("h2", "What was understood");
    html.table(
        &[
            "Folder",
            "Files",
            "Lines",
            "Failed",
            "In part",
            "Calls resolved",
        ],
        &std::iter::once(&health.total)
            .chain(health.parts.iter().take(MAX_ROWS))
            .map(health_row)
            .collect::<Vec<_>>(),
    );
    let problems: Vec<_> = health
        .problems
        .iter()
        .map(|file| (file.path.clone(), file_problem(file)))
        .collect();
    section(html, "Files with problems", &problems);

    let matrix = files.matrix("", MAX_FOLDERS);
    let name = |index: &usize| matrix.parts[*index].path.as_str();
    let cycles: Vec<_> = matrix
        .cycles
        .iter()
        .map(|members| {
            let members: Vec<&str> = members.iter().map(name).collect();
            (members.join(", "), String::new())
        })
        .collect();
    section(html, "Cycles between the largest folders", &cycles);
    Ok(())
}

fn health_row(part: &FolderPart) -> Vec<String> {
    let percent = part.calls.resolved_percent();
    let name = match part.path.as_str() {
        "" => "all",
        "." => "files at the top",
        path => path,
    };
    vec![
        name.to_owned(),
        part.files.to_string(),
        part.lines.to_string(),
        part.failed.to_string(),
        part.partial.to_string(),
        percent.map_or("no calls".to_owned(), |percent| format!("{percent:.1} %")),
    ]
}

fn write_overview(html: &mut Html, found: &Overview) {
    let place = |id: NodeId| {
        let known = found.places.get(&id);
        known.map_or(String::new(), |(path, line)| format!("{path}:{line}"))
    };
    let cycles = found.project_cycles.iter().chain(&found.folder_cycles);
    let cycles: Vec<_> = cycles
        .map(|cycle| {
            let pair = cycle.pairs.first();
            let pair = pair.map_or(String::new(), |pair| {
                format!(
                    "{} uses {} ({}, back {}), first at {}:{}",
                    pair.from, pair.to, pair.uses, pair.back, pair.site.0, pair.site.1
                )
            });
            (cycle.members.join(", "), pair)
        })
        .collect();
    section(html, "Cycles between projects and folders", &cycles);

    let hubs: Vec<_> = found
        .hubs
        .iter()
        .map(|hub| {
            let uses = format!(
                "{}, {} uses in {} files",
                place(hub.id),
                hub.uses,
                hub.files
            );
            (found.labels.short(hub.id), uses)
        })
        .collect();
    section(html, "Most used from other files", &hubs);

    let unused = found.unused.iter().filter(|each| each.doubts.is_empty());
    let unused: Vec<_> = unused
        .map(|each| (found.labels.short(each.id), place(each.id)))
        .collect();
    section(html, "Not used", &unused);
}

/// Writes a list with its heading, unless it is empty.
fn section(html: &mut Html, title: &str, rows: &[(String, String)]) {
    if !rows.is_empty() {
        html.heading(title, rows.len());
        html.list(rows, MAX_ROWS);
    }
}
