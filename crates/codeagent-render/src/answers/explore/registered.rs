//! Section about callbacks registered under strings in a file or folder: `ipcMain.handle "save"`.

use codeagent_core::query::{self, Occurrences, Targets};

use super::wants::WANTED;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Beginnings of words for what is registered under a string.
const REGISTERED: &[&str] = &[
    "channel", "event", "handle", "hook", "listen", "regist", "subscri",
];

/// Maximum number of files that are read.
const MAX_FILES: usize = 300;

/// Adds what the files at a path register, outside tests, if a question asks for such things.
pub(super) fn section(
    document: &mut Document,
    occurrences: &Occurrences<'_, '_>,
    path: &str,
    targets: &Targets,
) -> Result<(), AnswerError> {
    if !targets.mentions(REGISTERED) {
        return Ok(());
    }
    let snapshot = occurrences.sources.snapshot();
    let mut files = query::files_below(snapshot, path)?;
    if files.is_empty() {
        files.push(path.to_owned());
    }
    files.retain(|path| !query::is_test_path(path));

    let mut lines = Vec::new();
    for path in files.iter().take(MAX_FILES) {
        let registered = query::registered_in(snapshot, path)?;
        if !registered.is_empty() {
            lines.push(path.clone());
        }
        lines.extend(
            registered
                .iter()
                .map(|one| format!("  {} {}", one.start, one.label)),
        );
    }
    let title = "callbacks registered under a string";
    document.section(Section::lines("registered", title, lines).weighing(WANTED));
    Ok(())
}
