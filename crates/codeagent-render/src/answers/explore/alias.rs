//! Sections about a type of TypeScript without code of its own: the types in an alias, and the functions of its file that
//! take or return it.

use codeagent_core::model::graph::{EdgeType, Language, Node, NodeId, NodeKind};
use codeagent_core::query::{Occurrence, Occurrences};

use super::environment_settings::used_on_line;
use super::file_folder::declared;
use super::heading::signature;
use super::member::{is_callable, source_lines};
use super::value_lines::has_name;
use super::wants::says;
use super::{Subject, WANTED};
use crate::answers::AnswerError;
use crate::text::{Document, NameRow, Section};

/// Maximum characters of the types in an alias, and number of these.
const MAX_PARTS_CHARS: usize = 800;
const MAX_PARTS: usize = 12;

/// Beginnings of words for what is done with a value.
const OPERATIONS: [&str; 4] = ["function", "helper", "operat", "work"];

/// Adds the lines of the type aliases and enums that an alias names, whose values are its own: those of `A` and `B` for
/// `type Either = A | B`, and those that these name.
pub(super) fn types_in_it(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let mut lines = Vec::new();
    for node in all_parts(occurrences, subject.first())? {
        lines.extend(source_lines(occurrences, &node)?);
    }
    let section = Section::lines("types in it", "types in it", lines);
    let wants = subject.wants;
    let section = wants.weigh(section, wants.members, 10);
    document.section(section.at_most(MAX_PARTS_CHARS));
    Ok(())
}

/// Returns the types in an alias, and those in these.
fn all_parts(occurrences: &Occurrences<'_, '_>, alias: &Node) -> Result<Vec<Node>, AnswerError> {
    let mut types = parts(occurrences, alias)?;
    let mut at = 0;
    while at < types.len().min(MAX_PARTS) {
        for node in parts(occurrences, &types[at])? {
            if node.id != alias.id && types.iter().all(|known| known.id != node.id) {
                types.push(node);
            }
        }
        at += 1;
    }
    Ok(types)
}

/// Returns the type aliases and enums on the first line of an alias.
fn parts(occurrences: &Occurrences<'_, '_>, alias: &Node) -> Result<Vec<Node>, AnswerError> {
    let Some(span) = alias.spans.first() else {
        return Ok(Vec::new());
    };
    let place = Occurrence {
        path: span.path.clone(),
        line: span.span.start.line,
        ..Occurrence::default()
    };
    let mut used = used_on_line(occurrences, &place)?;
    used.retain(|node| matches!(node.kind, NodeKind::TypeAlias | NodeKind::Enum));
    Ok(used)
}

/// Adds the functions in the file of a type whose parameters or result name it, if a question asks what operates on it.
pub(super) fn functions_on_it(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let node = subject.first();
    let is_plain = node.language == Language::TypeScript && node.kind != NodeKind::Class;
    let Some(span) = node.spans.first().filter(|_| is_plain) else {
        return Ok(());
    };
    if !says(subject.words, &OPERATIONS) {
        return Ok(());
    }
    let mut types = all_parts(occurrences, node)?;
    types.push(node.clone());
    let ids: Vec<NodeId> = types.iter().map(|part| part.id).collect();
    let uses = occurrences.incoming(&ids, &[EdgeType::References, EdgeType::Accepts])?;

    let (mut functions, _) = declared(occurrences, &span.path)?;
    functions.retain(|function| {
        let signature = signature(function);
        let line = function.spans.first().map(|span| span.name_line);
        // `<T extends Role>(roles: T[])` has it on its line, but not in its signature.
        let is_on_line = uses
            .iter()
            .any(|used| used.other == function.id && Some(used.line) == line);
        let is_named = || types.iter().any(|part| has_name(&signature, &part.name));
        is_callable(function) && (is_on_line || is_named())
    });
    let row = |function: &Node| NameRow {
        full: format!(
            "{} {}{}",
            function.spans.first().map_or(0, |span| span.name_line),
            function.name,
            signature(function)
        ),
        short: function.name.clone(),
    };
    let rows = functions.iter().map(row).collect();
    let title = "exported functions of its file that take or return it";
    document.section(Section::names("functions", title, rows).weighing(WANTED));
    Ok(())
}
