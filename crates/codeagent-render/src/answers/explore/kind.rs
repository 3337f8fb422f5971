//! The answer to a question for everything of a kind: `which commands exist?`

use codeagent_core::model::graph::Node;
use codeagent_core::query::{self, Kind, Occurrences, Selection, Target, Targets};

use super::heading::{heading, short};
use super::{Subject, Wants};
use crate::answers::AnswerError;
use crate::text::{Document, NameRow, Section};

/// Adds everything of a kind, or what the question selects of it.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    kind: &Kind,
    wants: Wants,
) -> Result<(), AnswerError> {
    if let Some(selection) = &kind.selection {
        let title = format!("of the kind `{}`, {}", kind.words, condition(selection));
        if selection.nodes.is_empty() {
            document.line(format!("nothing is {title}; all of the kind:"));
        } else {
            let rows = rows(occurrences, &selection.nodes)?;
            document.section(Section::names("found", title, rows).weighing(60));
            return Ok(());
        }
    }

    if let Some(base) = &kind.base {
        document.line(heading(occurrences, base)?);
        let subject = Subject {
            nodes: std::slice::from_ref(base),
            words: &[],
            wants: Wants {
                implementations: true,
                ..wants
            },
        };
        subject.sections(document, occurrences)?;
    }

    let title = format!(
        "types that inherit a type `{}` outside the repository",
        kind.words
    );
    let rows_of_types = rows(occurrences, &kind.inheriting)?;
    document.section(Section::names("inheriting", title, rows_of_types).weighing(60));
    let title = format!("with an attribute or decorator `{}`", kind.words);
    let decorated = rows(occurrences, &kind.decorated)?;
    document.section(Section::names("decorated", title, decorated).weighing(60));
    let title = format!("symbols whose names end with `{}`", kind.words);
    let rows = rows(occurrences, &kind.named)?;
    document.section(Section::names("found", title, rows).weighing(60));
    let title = "files of folders that are named so";
    document.section(Section::list("files", title, kind.files.clone()).weighing(60));
    Ok(())
}

/// Returns what is true of the selected symbols.
fn condition(selection: &Selection) -> String {
    let words: Vec<String> = selection
        .words
        .iter()
        .map(|word| format!("`{word}`"))
        .collect();
    let with =
        (!words.is_empty()).then(|| format!("with {} in its name or path", words.join(", ")));
    let inside = selection
        .folder
        .as_ref()
        .map(|folder| format!("in a folder `{folder}`"));
    with.into_iter()
        .chain(inside)
        .collect::<Vec<_>>()
        .join(", ")
}

fn rows(
    occurrences: &mut Occurrences<'_, '_>,
    nodes: &[Node],
) -> Result<Vec<NameRow>, AnswerError> {
    let mut rows = Vec::with_capacity(nodes.len());
    for node in nodes {
        rows.push(NameRow {
            full: short(occurrences, node)?,
            short: occurrences.short_name(node)?,
        });
    }
    Ok(rows)
}

/// Reports whether a text writes a name of a symbol that is more than a word in capitals, such as `URL`.
pub(super) fn names_symbols(targets: &Targets) -> bool {
    let missing = targets.missing.iter().map(|(name, _)| name.as_str());
    let mut names = targets
        .found
        .iter()
        .filter(|target| !matches!(target, Target::Folder { .. }))
        .map(Target::requested_text)
        .chain(missing);
    targets.has_written_name && names.any(|name| !query::is_all_capitals(name))
}
