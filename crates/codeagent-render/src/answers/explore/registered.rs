//! Section about callbacks registered under strings in a file or folder: `ipcMain.handle "save"`.

use codeagent_core::model::facts::Callback;
use codeagent_core::query::{self, Occurrences, Snapshot, Targets};

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
/// Commands, with what stands inside, have a section of their own.
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
    let files = files_at(snapshot, path)?;

    let mut lines = Vec::new();
    for path in files.iter().take(MAX_FILES) {
        let registered = outside_commands(snapshot, path)?;
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

/// Returns the file at a path or the files below it, outside tests.
pub(super) fn files_at(snapshot: &Snapshot, path: &str) -> Result<Vec<String>, AnswerError> {
    let mut files = query::files_below(snapshot, path)?;
    if files.is_empty() {
        files.push(path.to_owned());
    }
    files.retain(|path| !query::is_test_path(path));
    Ok(files)
}

/// Returns what a file registers under strings, without its commands.
fn outside_commands(snapshot: &Snapshot, path: &str) -> Result<Vec<Callback>, AnswerError> {
    let mut registered = query::registered_in(snapshot, path)?;
    let commands = query::commands_in(snapshot, path)?;
    let is_command = |one: &&Callback| commands.iter().any(|command| command.site.1 == one.start);
    let of_commands: Vec<Callback> = registered.iter().filter(is_command).cloned().collect();
    let is_in_command = |one: &Callback| {
        let mut around = of_commands.iter();
        around.any(|whole| whole.start <= one.start && one.end <= whole.end)
    };
    registered.retain(|one| !is_in_command(one));
    Ok(registered)
}
