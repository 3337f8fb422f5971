//! Section about where a program starts.

use codeagent_core::query::{self, Occurrences, Target, Targets};

use crate::answers::{AnswerError, overview};
use crate::text::Document;

/// Adds the entry points of the program in a folder that a question names or describes, or else all if it
/// names nothing; reports whether there are any.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    targets: &Targets,
) -> Result<bool, AnswerError> {
    let mut found = query::overview(occurrences.sources, query::Scope::Whole)?;
    if targets.has_written_name {
        let missing = targets.missing.iter().map(|(name, _)| name.as_str());
        let found_names = targets.found.iter().map(Target::requested_text);
        let names: Vec<&str> = missing.chain(found_names).collect();
        found
            .entry_points
            .retain(|entry| names.iter().any(|name| is_below_folder(&entry.path, name)));
    }

    let words = |path: &str| described(path, &targets.words);
    let most = found.entry_points.iter().map(|entry| words(&entry.path));
    let most = most.max().unwrap_or_default();
    found
        .entry_points
        .retain(|entry| words(&entry.path) == most);

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

/// Counts the words that are parts of the names of a file's folders: `desktop` for `app-desktop/main.ts`.
fn described(path: &str, words: &[String]) -> usize {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_part = |word: &&String| {
        let mut parts = folder.split(|c: char| !c.is_alphanumeric());
        parts.any(|part| part.eq_ignore_ascii_case(word))
    };
    words.iter().filter(is_part).count()
}
