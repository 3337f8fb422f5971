//! The answer to a question for everything of a kind: `which commands exist?`

use codeagent_core::model::graph::Node;
use codeagent_core::query::{self, Kind, Occurrences, Selection, Target, Targets};

use super::heading::{heading, short};
use super::wants::WANTED;
use super::{Subject, Wants};
use crate::answers::{AnswerError, dispatch};
use crate::text::{Document, NameRow, Section};

/// Adds everything of a kind, or what the question selects of it.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    kind: &Kind,
    wants: Wants,
) -> Result<(), AnswerError> {
    if let Some(folder) = &kind.unknown_folder {
        document.line(format!(
            "no folder is named {folder}; each `{}` of the repository:",
            kind.words
        ));
    }
    if kind.asked != kind.selection {
        let asked = condition(&kind.asked);
        document.line(format!("no `{}` is known {asked}; others:", kind.words));
    }
    if kind.selection != Selection::default() {
        let selected = condition(&kind.selection);
        document.line(format!("each `{}` {selected}:", kind.words));
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

    let words = &kind.words;
    let named = format!("symbols named like `{words}`");
    let outside = format!("types that inherit a type `{words}` outside the repository");
    for (key, title, nodes) in [
        (
            "implementing",
            "implementing or deriving",
            &kind.implementing,
        ),
        ("inheriting", outside.as_str(), &kind.inheriting),
        (
            "decorated",
            "with an attribute or decorator of that name",
            &kind.decorated,
        ),
        ("found", named.as_str(), &kind.named),
    ] {
        let rows = rows(occurrences, nodes)?;
        document.section(Section::names(key, title, rows).weighing(WANTED));
    }

    let title = "files of folders that are named so";
    document.section(Section::list("files", title, kind.files.clone()).weighing(WANTED));
    document.section(dispatch::routes(occurrences, "routes", &kind.routes)?.weighing(WANTED));
    let commands = super::commands::listed(occurrences, &kind.commands)?;
    document.section(commands.weighing(WANTED));
    let of_file = |(route, path): &(String, String)| format!("{route}  {path}");
    let lines = kind.file_routes.iter().map(of_file).collect();
    let title = "routes that follow from where files are";
    document.section(Section::lines("file routes", title, lines).weighing(WANTED));
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

/// Reports whether a text writes a name that is more than a word in capitals, such as `URL`, and is
/// neither that of a folder with some of the kind nor a word that selects of it: `Cart` of `which
/// operators does Cart have?` may be a type.
pub(super) fn names_symbols(targets: &Targets, kind: &Kind) -> bool {
    let folder = kind.selection.folder.as_deref();
    // A name of no folder and no symbol may be that of the product.
    let product = kind.unknown_folder.as_deref();
    let is_string = |target: &&Target| matches!(target, Target::Literal(_));
    let (strings, found): (Vec<_>, Vec<_>) = targets.found.iter().partition(is_string);
    let missing = targets.missing.iter().map(|(name, _)| name.as_str());
    let missing = missing.chain(strings.into_iter().map(Target::requested_text));
    let missing = missing.filter(|name| Some(*name) != product);

    let selects = |name: &str| kind.asked.words.contains(&name.to_lowercase());
    let is_asked = |name: &str| kind.clause.contains(name) && Some(name) != folder;
    let mut names = found.into_iter().map(Target::requested_text).chain(missing);
    targets.has_written_name
        && names.any(|name| !query::is_all_capitals(name) && is_asked(name) && !selects(name))
}
