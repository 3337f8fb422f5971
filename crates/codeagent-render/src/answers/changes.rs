//! Answers of `get_changes` and `affected`: the differences between two sides of a git range, uses
//! that no longer match, and the tests to run.

use std::collections::BTreeMap;

use codeagent_core::engine::IndexReader;
use codeagent_core::model::graph::EdgeType;
use codeagent_core::query::{
    self, Affected, AffectedBy, Break, BreakReason, ChangeKind, Changes, ChangesError, Occurrence,
    Occurrences, Sources, SymbolChange,
};
use codeagent_workspace::{CommitName, GitChanges};
use serde_json::{Value, json};

use super::AnswerError;
use crate::text::{Document, Section};

/// Maximum characters of a signature.
const MAX_SIGNATURE: usize = 140;

impl From<ChangesError> for AnswerError {
    fn from(error: ChangesError) -> Self {
        match error {
            ChangesError::Git(error) => Self::Git(error),
            ChangesError::Query(error) => Self::Query(error),
        }
    }
}

/// Answers a query for the differences between two sides of a git range.
pub fn changes(index: &IndexReader, range: &str) -> Result<Document, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    let changes = query::changes(&mut sources, range)?;
    let affected = query::affected(&sources, &changes)?;

    let mut document = Document::default();
    document.line(headline(&changes.git));
    if changes.git.files.is_empty() {
        document.line("no differences");
        return Ok(document);
    }
    if !changes.git.is_checked_out {
        document.note("callers and tests come from the working tree, which is at another commit");
    }
    if changes.is_cut {
        document.note(
            "only the first files were compared by symbol; pass a more recent commit to \
             compare all",
        );
    }

    for (kind, key, title, weight) in [
        (
            ChangeKind::Signature,
            "signatures",
            "changed in signature",
            20,
        ),
        (ChangeKind::Removed, "removed", "removed", 12),
        (ChangeKind::Renamed, "renamed", "renamed or moved", 8),
        (ChangeKind::Body, "bodies", "changed in body", 12),
        (ChangeKind::Added, "added", "added", 12),
    ] {
        if kind == ChangeKind::Removed {
            mismatches(&mut document, &changes);
            callers(&mut document, &mut sources, &changes)?;
        }
        document.section(symbols(&changes, kind, (key, title)).weighing(weight));
    }

    let module_code = changes
        .module_code
        .iter()
        .map(|path| format!(" {path}"))
        .collect();
    document.section(Section::lines(
        "module",
        "code outside symbols changed in",
        module_code,
    ));
    document.section(Section::lines("other", "other files", other_files(&changes)).weighing(4));
    tests(&mut document, &affected);
    Ok(document)
}

/// Answers a query for the test files that changes since a commit may affect.
pub fn affected(index: &IndexReader, range: &str) -> Result<Affected, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    let changes = query::changes(&mut sources, range)?;
    Ok(query::affected(&sources, &changes)?)
}

/// Returns the affected test files as data.
#[must_use]
pub fn affected_json(affected: &Affected) -> Value {
    let test = |path: &str| {
        let reason = affected.tests.get(path).map(reason);
        json!({ "path": path, "reason": reason })
    };
    let tests: Vec<Value> = affected.paths().into_iter().map(test).collect();
    json!({
        "tests": tests,
        "test_files": affected.all.len(),
        "all_because": affected.all_because,
    })
}

fn headline(git: &GitChanges) -> String {
    let name = |commit: &CommitName| format!("{} ({})", commit.asked, commit.id);
    let base = match &git.merge_base_of {
        Some(named) => format!("{}, merge base with {}", git.base.id, name(named)),
        None => name(&git.base),
    };
    let end = git.end.as_ref().map_or("the working tree".to_owned(), name);
    let files = git.files.len();
    let files = if files == 1 {
        "1 file differs".to_owned()
    } else {
        format!("{files} files differ")
    };
    format!("{base} to {end}: {files}")
}

/// Lists the symbols with one kind of change, by file.
fn symbols(changes: &Changes, kind: ChangeKind, (key, title): (&'static str, &str)) -> Section {
    let mut by_file: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for change in changes.symbols.iter().filter(|change| change.kind == kind) {
        let path = change.declared().path.as_str();
        by_file.entry(path).or_default().push(symbol_line(change));
    }
    let count: usize = by_file.values().map(Vec::len).sum();
    let lines = by_file
        .into_iter()
        .flat_map(|(path, lines)| std::iter::once(path.to_owned()).chain(lines))
        .collect();
    Section::lines(key, format!("{title} ({count})"), lines)
}

fn symbol_line(change: &SymbolChange) -> String {
    let declared = change.declared();
    let access = if declared.is_public { "public " } else { "" };

    let shown = cut(&declared.shown());
    let line = format!(
        " {} {access}{} {shown}",
        declared.line,
        declared.kind.as_str()
    );

    match (&change.old, change.kind) {
        (Some(old), ChangeKind::Signature) => {
            let before = cut(&old.shown());
            if before == shown {
                format!("{line} (modifiers or bases)")
            } else {
                format!("{line}, was {before}")
            }
        }
        (Some(old), ChangeKind::Renamed) => {
            format!("{line}, was {}:{} {}", old.path, old.line, old.name)
        }
        _ => line,
    }
}

/// Adds the uses that no longer match, certain ones first.
fn mismatches(document: &mut Document, changes: &Changes) {
    for (is_certain, key, title) in [
        (true, "mismatches", "no longer matches"),
        (false, "possible", "may no longer match"),
    ] {
        let mut by_file: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let found: Vec<_> = changes
            .breaks
            .iter()
            .filter(|one| one.is_certain == is_certain)
            .collect();

        for one in &found {
            let why = break_text(one);
            let source = cut(one.place.source.as_deref().unwrap_or_default());
            let line = format!(" {} {source}  ({})", one.place.line, cut(&why));
            by_file.entry(&one.place.path).or_default().push(line);
        }

        let lines = by_file
            .into_iter()
            .flat_map(|(path, lines)| std::iter::once(path.to_owned()).chain(lines))
            .collect();
        let title = format!("{title} ({})", found.len());
        document.section(Section::lines(key, title, lines).weighing(20));
    }
}

/// Says why a use or implementation no longer matches.
#[must_use]
pub fn break_text(found: &Break) -> String {
    match &found.reason {
        BreakReason::Gone => format!("uses {}, which was removed", found.symbol),
        BreakReason::NotImplemented => format!("lacks {}", found.symbol),
        BreakReason::Arguments {
            passes,
            takes: (fewest, most),
        } => {
            let takes = if fewest == most {
                most.to_string()
            } else {
                format!("{fewest} to {most}")
            };
            format!("passes {passes}, {} takes {takes}", found.symbol)
        }
    }
}

/// Adds the callers of symbols whose signature changed, except those in changed files and those
/// that no longer match.
fn callers(
    document: &mut Document,
    sources: &mut Sources<'_>,
    changes: &Changes,
) -> Result<(), AnswerError> {
    let is_asked = |change: &&SymbolChange| change.kind == ChangeKind::Signature;
    let ids: Vec<_> = changes
        .symbols
        .iter()
        .filter(is_asked)
        .filter_map(|change| change.id)
        .collect();

    let mut places = Occurrences::new(sources).uses_of(
        &ids,
        &[
            EdgeType::Calls,
            EdgeType::References,
            EdgeType::Implements,
            EdgeType::Overrides,
        ],
    )?;

    let changed: Vec<&str> = changes
        .git
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect();

    let is_break = |place: &Occurrence| {
        changes
            .breaks
            .iter()
            .any(|found| (&found.place.path, found.place.line) == (&place.path, place.line))
    };
    places.retain(|place| changed.binary_search(&place.path.as_str()).is_err() && !is_break(place));
    let title = "uses of changed signatures, in files that did not change";
    document.section(Section::occurrence_rows("uses", title, places).weighing(12));

    Ok(())
}

fn other_files(changes: &Changes) -> Vec<String> {
    let git = &changes.git;
    let files = git.files.iter().filter(|file| {
        changes
            .other_files()
            .any(|other| other == file.path.as_str())
    });

    let mut lines: Vec<String> = files
        .map(|file| match (file.old, file.new) {
            (None, _) => format!(" {} (new)", file.path),
            (_, None) => format!(" {} (removed)", file.path),
            _ => format!(" {}", file.path),
        })
        .collect();

    lines.extend(
        git.submodules
            .iter()
            .map(|path| format!(" {path} (submodule at another commit)")),
    );
    lines
}

fn tests(document: &mut Document, affected: &Affected) {
    let total = affected.all.len();
    if let Some(path) = &affected.all_because {
        document.line(format!(
            "tests to run: all {total} test files, because {path} differs"
        ));
        return;
    }

    if affected.tests.is_empty() {
        document.line(format!(
            "tests to run: none of {total} test files reaches the changes"
        ));
        return;
    }

    let mut nearest: Vec<(&String, &AffectedBy)> = affected.tests.iter().collect();
    nearest.sort_by_key(|(path, reason)| (*reason, *path));

    let lines = nearest
        .into_iter()
        .map(|(path, by)| format!(" {path}  {}", reason(by)))
        .collect();
    let title = format!(
        "tests to run ({} of {total} test files)",
        affected.tests.len()
    );
    document.section(Section::lines("tests", title, lines).weighing(12));
}

fn reason(by: &AffectedBy) -> String {
    match by {
        AffectedBy::Itself => "changed".to_owned(),
        AffectedBy::Beside(path) => format!("is named after {path}"),
        AffectedBy::Names(path) => format!("mentions {path}"),
        AffectedBy::Reaches { steps: 1, symbol } => format!("uses {symbol}"),
        AffectedBy::Reaches { steps, symbol } => format!("reaches {symbol} in {steps} steps"),
    }
}

fn cut(text: &str) -> String {
    crate::text::cut(text, MAX_SIGNATURE)
}
