//! Section about where a program starts.

use codeagent_core::query::{self, Occurrences, Target, Targets};

use crate::answers::{AnswerError, overview};
use crate::text::Document;

/// Adds the entry points of the programs in folders that a question names, or else all if it names nothing;
/// reports whether there are any.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    targets: &Targets,
) -> Result<bool, AnswerError> {
    let mut names: Vec<&str> = targets
        .missing
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    names.extend(targets.found.iter().map(Target::requested_text));
    let mut found = query::overview(occurrences.sources, query::Scope::Whole)?;
    if !names.is_empty() {
        found
            .entry_points
            .retain(|entry| names.iter().any(|name| is_below_folder(&entry.path, name)));
    }

    document.section(overview::entry_section(&found));
    Ok(!found.entry_points.is_empty())
}

/// Reports whether a file is below a folder with a name, or the last part of a dotted one: `Server` for
/// `src/Shop.Server/Program.cs`.
fn is_below_folder(path: &str, name: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    query::is_in_place(path, name)
        || folders.any(|folder| {
            let last = folder.rsplit('.').next().unwrap_or_default();
            folder.eq_ignore_ascii_case(name) || last.eq_ignore_ascii_case(name)
        })
}
