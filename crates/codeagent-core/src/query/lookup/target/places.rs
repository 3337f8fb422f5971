//! Files and folders that a sentence means by a name that no code of the repository has: the module around `Sentry` is
//! `helpers/sentry.ee.js`, the `text` action of the formatter is `apps/formatter/actions/text`.

use super::prose::written_symbols;
use super::{MAX_FILES, Target, Targets, Token, files, folder, is_common, kind_words, name_words};
use crate::model::graph::NodeKind;
use crate::query::QueryError;
use crate::query::lookup::question::is_verb;
use crate::store::{self, Snapshot};

/// Words that put the name of a place behind them, which then limits what is asked for.
const BEFORE_PLACE: [&str; 5] = ["across", "in", "inside", "under", "within"];

/// Verbs of questions about tests: `which tests cover total in src/shop?`
const TEST_VERBS: [&str; 4] = ["cover", "covers", "exercise", "test"];

/// Words between these and the name.
const ARTICLES: [&str; 4] = ["all", "namespace", "of", "the"];

/// Maximum number of words that the name of a folder joins.
const MAX_JOINED: usize = 3;

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

    let is_string = |target: &Target| matches!(target, Target::Literal(_));
    if targets.found.iter().all(is_string)
        && let Some(folder) = joined_folder(snapshot, tokens)?
    {
        // `Shop's package of mail-helpers` does not ask for the string "Shop".
        targets.found = vec![folder];
        let is_prose = |name: &str| {
            let mut letters = name.chars();
            letters.next().is_some_and(char::is_uppercase) && letters.all(char::is_lowercase)
        };
        targets.missing.retain(|(name, _)| !is_prose(name));
    }

    if let Some((file, path)) = described_file(snapshot, tokens)? {
        let parts: Vec<String> = name_words(&path);
        targets.found.retain(|target| {
            let name = target.requested_text();
            !name_words(name).iter().all(|word| parts.contains(word))
        });
        targets.found.push(file);
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

/// Sets the files, folders and namespaces in which a sentence looks for something:
/// `which classes in Shop.Orders implement ICart?`
pub(super) fn limit(
    snapshot: &Snapshot,
    targets: &mut Targets,
    tokens: &[Token<'_>],
) -> Result<(), QueryError> {
    targets.limiting = limiting(targets, tokens);
    if !targets.found.is_empty() && targets.limiting.len() == targets.found.len() {
        targets.found.extend(name_before_place(snapshot, tokens)?);
    }
    Ok(())
}

/// Returns the names of the places that stand behind `in` or the like.
fn limiting(targets: &Targets, tokens: &[Token<'_>]) -> Vec<String> {
    let is_limit = |name: &str| {
        let Some(at) = tokens.iter().position(|token| token.text == name) else {
            return false;
        };
        let mut before = tokens[..at].iter().rev().map(|token| token.text);
        let word =
            before.find(|word| !ARTICLES.contains(word) && !kind_words::PLACES.contains(word));
        word.is_some_and(|word| BEFORE_PLACE.contains(&word))
    };

    let places = targets.found.iter().filter(|target| match target {
        Target::File { .. } | Target::Folder { .. } => true,
        Target::Symbols(symbols) => symbols.groups[0].first().kind == NodeKind::Namespace,
        Target::External { .. } | Target::Literal(_) => false,
    });
    let names = places.map(Target::requested_text);

    names
        .filter(|name| is_limit(name))
        .map(str::to_owned)
        .collect()
}

/// Returns the symbol of a lower-case word between a verb and a place: `who calls total in src/shop?`
fn name_before_place(
    snapshot: &Snapshot,
    tokens: &[Token<'_>],
) -> Result<Option<Target>, QueryError> {
    for words in tokens.windows(3) {
        let [verb, name, place] = words else { continue };
        let is_name = name.is_plain() && !is_common(name.text);
        if (is_verb(verb.text) || TEST_VERBS.contains(&verb.text))
            && is_name
            && BEFORE_PLACE.contains(&place.text)
            && let Some(symbols) = written_symbols(snapshot, name.text)?
        {
            return Ok(Some(Target::Symbols(symbols)));
        }
    }
    Ok(None)
}

/// Returns the folders that a sentence calls a project, module or the like by their name or its last part:
/// `the Server module` for `Shop.Server`; if there are none, the only file of the name.
pub(super) fn named(snapshot: &Snapshot, name: &str) -> Result<Vec<Target>, QueryError> {
    let named = folders_of_name(snapshot, name)?;
    if name.contains(['.', '/']) {
        return Ok(named);
    }

    let mut folders = store::folders_with_last_part(snapshot, name, MAX_FILES)?;
    let is_around = |folder: &String| {
        let mut inner = named.iter().map(|target| match target {
            Target::Folder { path, .. } => path.as_str(),
            _ => "",
        });
        inner.all(|inner| inner.starts_with(&format!("{folder}/")))
    };
    folders.retain(is_around);
    // Of several, the one without tests comes first.
    folders.sort_by_key(|path| store::is_test_path(&format!("{path}/x")));

    match folders.into_iter().next() {
        Some(path) => Ok(vec![folder(name, path)]),
        None if named.is_empty() => file_of_stem(snapshot, name),
        None => Ok(named),
    }
}

/// Returns the only file outside tests that has a name, without its extension.
fn file_of_stem(snapshot: &Snapshot, stem: &str) -> Result<Vec<Target>, QueryError> {
    let mut paths = store::files_with_stem(snapshot, &stem.to_lowercase())?;
    paths.retain(|path| !store::is_test_path(path));
    match paths.as_slice() {
        [path] => files(snapshot, path),
        _ => Ok(Vec::new()),
    }
}

/// Returns the folders with a name, such as that of a project: `Shop.Server`.
pub(super) fn folders_of_name(snapshot: &Snapshot, name: &str) -> Result<Vec<Target>, QueryError> {
    let is_name = name
        .chars()
        .all(|c| c.is_alphanumeric() || "._-@/".contains(c));
    if !is_name || name.trim_matches('.').is_empty() {
        return Ok(Vec::new());
    }
    let mut folders = store::folders_named(snapshot, name, MAX_FILES)?;
    if folders.is_empty() && name.contains('.') && !name.contains('/') {
        // The folders of a .NET project are often the parts of its name.
        folders = store::folders_named(snapshot, &name.replace('.', "/"), MAX_FILES)?;
    }
    Ok(folders.into_iter().map(|path| folder(name, path)).collect())
}

/// Returns the folder whose name is written as separate words beside a word for it: `packages/mail-helpers` for `the
/// package of mail helpers` and `the mail helpers package`.
fn joined_folder(snapshot: &Snapshot, tokens: &[Token<'_>]) -> Result<Option<Target>, QueryError> {
    let is_place = |token: &Token<'_>| kind_words::PLACES.contains(&token.text);

    for (at, _) in tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| is_place(token))
    {
        let behind = &tokens[at + 1..];
        let articles = behind
            .iter()
            .take_while(|token| ARTICLES.contains(&token.text));
        let behind = &behind[articles.count()..];

        for length in (1..=MAX_JOINED).rev() {
            let before = at.checked_sub(length).map(|start| &tokens[start..at]);
            for words in [behind.get(..length), before].into_iter().flatten() {
                let words: Vec<&str> = words.iter().map(|token| token.text).collect();
                let name = words.join("-").to_lowercase();
                if !name.contains('-') {
                    continue;
                }
                let mut folders = store::folders_named(snapshot, &name, MAX_FILES)?;
                folders.retain(|path| !store::is_test_path(&format!("{path}/x")));
                if let Some(path) = folders.into_iter().min_by_key(String::len) {
                    return Ok(Some(folder(&name, path)));
                }
            }
        }
    }

    Ok(None)
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

/// Returns the file that a sentence describes by its name and the folders around it, and its path: `the constants
/// file of the Cart components` is `components/Cart/constants.ts`.
fn described_file(
    snapshot: &Snapshot,
    tokens: &[Token<'_>],
) -> Result<Option<(Target, String)>, QueryError> {
    for words in tokens.windows(2) {
        let [name, noun] = words else { continue };
        if noun.text != "file" || !name.is_plain() || is_common(name.text) {
            continue;
        }

        let mut paths = store::files_with_stem(snapshot, &name.text.to_lowercase())?;
        paths.retain(|path| !store::is_test_path(path));
        let around = |path: &String| {
            let parts = name_words(path);
            let others = tokens.iter().map(|token| token.text);
            let others = others.filter(|text| *text != name.text && !is_common(text));
            let is_part = |text: &&str| name_words(text).iter().all(|word| parts.contains(word));
            others.filter(is_part).count()
        };

        let most = paths.iter().map(around).max().unwrap_or_default();
        paths.retain(|path| around(path) == most);

        // `the cart's file` may be any.
        if let [path] = paths.as_slice()
            && most > 0
            && let Some(file) = files(snapshot, path)?.pop()
        {
            return Ok(Some((file, path.clone())));
        }
    }

    Ok(None)
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
