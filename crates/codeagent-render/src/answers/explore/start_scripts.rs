//! Sections about what starts a program beside its own files: scripts of packages, and the scripts that pages load.

use codeagent_core::query::{self, EntryKind, EntryPoint, Occurrences, RunScript, TextSearchQuery};

use super::literal::regex;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// A command with the names of the scripts that usually start a program.
const STARTING: &str = "npm start start:prod start:production start:server dev serve";

/// Scripts that a page loads from its own site.
const LOADED: &str = r#"<script\b[^>]*\bsrc=["'](/[\w@.]|\.|\w[\w.-]*[/.])"#;

/// Maximum number of entry points whose packages are read, and of pages.
const MAX_ENTRIES: usize = 8;
const MAX_PAGES: usize = 12;

/// Adds the scripts that start the packages of some entry points, and the pages in the folders of these packages that load
/// scripts.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    entries: &[EntryPoint],
) -> Result<(), AnswerError> {
    let is_of_package = |entry: &&EntryPoint| {
        matches!(
            entry.kind,
            EntryKind::Package { .. } | EntryKind::NotImported
        )
    };
    let mut scripts: Vec<RunScript> = Vec::new();
    for entry in entries.iter().filter(is_of_package).take(MAX_ENTRIES) {
        let run = query::scripts_run(occurrences.sources, &entry.path, STARTING)?;
        for script in run {
            if !scripts.contains(&script) {
                scripts.push(script);
            }
        }
    }

    let mut lines = Vec::new();
    let mut folders: Vec<String> = Vec::new();
    for script in &scripts {
        lines.push(row(script));
        let manifest = script.manifest.as_str();
        let folder = manifest.strip_suffix("package.json").unwrap_or(manifest);
        if !folders.iter().any(|known| known == folder) {
            folders.push(folder.to_owned());
        }
    }
    document.section(Section::lines("start scripts", "scripts that start it", lines).weighing(20));
    if folders.is_empty() {
        return Ok(());
    }

    let query = TextSearchQuery {
        path: Some("**/*.html"),
        ..regex(LOADED)
    };
    let mut places = query::search_text(occurrences, &query)?.others;
    places.retain(|place| {
        folders
            .iter()
            .any(|folder| place.path.starts_with(folder.as_str()))
    });
    if places.len() <= MAX_PAGES {
        let section = Section::occurrence_rows("pages", "scripts that its pages load", places);
        document.section(section.weighing(20));
    }
    Ok(())
}

/// Writes a script with its place, indented by the number of scripts before it.
pub(super) fn row(script: &RunScript) -> String {
    let RunScript {
        manifest,
        line,
        name,
        command,
        depth,
    } = script;
    let indent = "  ".repeat(*depth);
    format!("{indent}{manifest}:{line} {name}: {command}")
}
