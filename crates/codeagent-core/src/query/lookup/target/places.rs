//! Files and folders that a sentence means by a name that no code of the repository has: the module around `Sentry` is
//! `helpers/sentry.ee.js`, the `text` action of the formatter is `apps/formatter/actions/text`.

use super::{MAX_FILES, Target, Targets, Token, files, folder, is_common, name_words};
use crate::query::QueryError;
use crate::store::{self, Snapshot};

/// Maximum number of files that one name stands for.
const MAX_NAMED: usize = 2;

/// Replaces symbols outside the repository by the folder of their name whose path has other words of the sentence, and
/// names of nothing by files.
pub(super) fn add(
    snapshot: &Snapshot,
    targets: &mut Targets,
    tokens: &[Token<'_>],
) -> Result<(), QueryError> {
    for target in &mut targets.found {
        if let Target::External { asked, .. } = target
            && asked.chars().all(|c| c.is_ascii_lowercase())
            && let Some(path) = folder_of(snapshot, asked, tokens)?
        {
            *target = folder(asked, path);
        }
    }

    for (name, error) in std::mem::take(&mut targets.missing) {
        let named = files_of(snapshot, &name)?;
        if named.is_empty() {
            targets.missing.push((name, error));
        }
        targets.found.extend(named);
    }
    Ok(())
}

/// Returns the folder of a name whose path has most other words of a sentence.
fn folder_of(
    snapshot: &Snapshot,
    name: &str,
    tokens: &[Token<'_>],
) -> Result<Option<String>, QueryError> {
    let others = tokens
        .iter()
        .map(|token| token.text)
        .filter(|text| *text != name && !is_common(text));
    let words: Vec<String> = others.flat_map(name_words).map(singular).collect();
    let shared = |path: &String| {
        let mut parts: Vec<String> = name_words(path).into_iter().map(singular).collect();
        parts.sort_unstable();
        parts.dedup();
        parts.iter().filter(|part| words.contains(part)).count()
    };
    let mut folders = store::folders_named(snapshot, name, MAX_FILES)?;
    folders.retain(|path| !store::is_test_path(&format!("{path}/x")) && shared(path) > 0);
    // Of several with as many words, the first.
    folders.reverse();
    Ok(folders.into_iter().max_by_key(shared))
}

/// Returns the few files outside of tests whose names begin with a name.
fn files_of(snapshot: &Snapshot, name: &str) -> Result<Vec<Target>, QueryError> {
    if !name.chars().all(char::is_alphanumeric) {
        return Ok(Vec::new());
    }
    let mut paths = store::files_with_stem(snapshot, &name.to_lowercase())?;
    paths.retain(|path| !store::is_test_path(path));
    if paths.len() > MAX_NAMED {
        return Ok(Vec::new());
    }
    let mut named = Vec::new();
    for path in paths {
        named.extend(files(snapshot, &path)?);
    }
    Ok(named)
}

fn singular(word: String) -> String {
    word.trim_end_matches('s').to_owned()
}
