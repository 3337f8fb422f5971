//! Targets outside the repository.

use super::{Target, Targets};
use crate::model::external::PackageManager;
use crate::query::QueryError;
use crate::query::uses::external::{members_below, resolve_external, types_below};
use crate::store::{Snapshot, StoredExternal};

/// Resolves a name to symbols outside the repository; `None` if the repository uses none of it.
pub(super) fn by_name(snapshot: &Snapshot, text: &str) -> Result<Option<Target>, QueryError> {
    Ok(target(text, resolve_external(snapshot, text)?))
}

/// Resolves the name of an external type's member that the repository only implements.
pub(super) fn by_member(snapshot: &Snapshot, text: &str) -> Result<Option<Target>, QueryError> {
    let Some((owner, member)) = text.rsplit_once('.') else {
        return Ok(None);
    };
    let symbols = resolve_external(snapshot, owner)?;
    if members_below(snapshot, &symbols, member)?.is_empty() {
        return Ok(None);
    }
    Ok(Some(Target::External {
        asked: text.to_owned(),
        symbols,
        member: Some(member.to_owned()),
    }))
}

/// Resolves a name to symbols outside the repository, all of which are spelled so.
pub(super) fn as_written(snapshot: &Snapshot, text: &str) -> Result<Option<Target>, QueryError> {
    let symbols = resolve_external(snapshot, text)?;
    let is_as_written = |found: &StoredExternal| found.symbol.path().ends_with(text);
    let all = symbols.iter().all(is_as_written);
    Ok(target(text, symbols).filter(|_| all))
}

/// Resolves a name to symbols outside the repository that are spelled so and that types of it inherit.
pub(super) fn extended(snapshot: &Snapshot, text: &str) -> Result<Option<Target>, QueryError> {
    let mut symbols = resolve_external(snapshot, text)?;
    symbols.retain(|found| found.symbol.path().ends_with(text));
    let is_extended = !types_below(snapshot, &symbols)?.is_empty();
    Ok(target(text, symbols).filter(|_| is_extended))
}

/// Resolves a name to what packages export under it, which the repository uses beside a symbol of its own.
pub(super) fn exported_by_package(
    snapshot: &Snapshot,
    text: &str,
) -> Result<Option<Target>, QueryError> {
    let mut symbols = resolve_external(snapshot, text)?;
    symbols
        .retain(|found| found.symbol.manager == PackageManager::Npm && found.symbol.path() == text);
    Ok(target(text, symbols))
}

/// Resolves a word of a sentence to the package that it names.
pub(super) fn package(
    snapshot: &Snapshot,
    targets: &Targets,
) -> Result<Option<Target>, QueryError> {
    for word in targets.uncommon_words() {
        let symbols = resolve_external(snapshot, &format!("npm:{word}"))?;
        if !symbols.is_empty() {
            return Ok(target(word, symbols));
        }
    }
    Ok(None)
}

fn target(text: &str, symbols: Vec<StoredExternal>) -> Option<Target> {
    (!symbols.is_empty()).then(|| Target::External {
        asked: text.to_owned(),
        symbols,
        member: None,
    })
}
