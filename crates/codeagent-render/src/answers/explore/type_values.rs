//! Values of a type that are no instances of a class: object literals, results of functions, and what they are
//! assigned to.

use codeagent_core::model::graph::{EdgeType, Node, NodeId, NodeType};
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::Subject;
use super::type_symbol::add_arguments;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum characters of the calls that may pass a value of a type.
const MAX_PASSED: usize = 1_200;

/// Adds the uses that make a value of the type, and returns the others.
pub(super) fn values(
    subject: &Subject<'_>,
    document: &mut Document,
    used: Vec<Occurrence>,
) -> Vec<Occurrence> {
    let name = subject.first().name.as_str();
    let (literals, rest): (Vec<_>, Vec<_>) =
        used.into_iter().partition(|place| makes_value(place, name));
    let is_result = |place: &Occurrence| {
        place
            .source
            .as_deref()
            .is_some_and(|line| is_result(line, name))
    };
    let (results, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(is_result);

    let title = "functions that return it";
    let section = Section::occurrence_rows("results", title, results);
    document.section(subject.wants.weigh(section, true, 0));
    let title = "object literals and values declared with this type";
    let section = Section::occurrence_rows("object literals", title, literals);
    document.section(subject.wants.weigh(section, true, 0));
    rest
}

/// Reports whether a place makes a value of a type of this name.
pub(super) fn makes_value(place: &Occurrence, name: &str) -> bool {
    let line = place.source.as_deref().unwrap_or_default();
    is_object_literal(line, name)
}

/// Adds the object literals that are assigned to properties of the type: `{ bell: { ring() {} } }`
/// for `bell: Bell`.
pub(super) fn held_values(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let types = [EdgeType::References, EdgeType::Accepts];
    let uses = occurrences.incoming(&subject.ids(), &types)?;
    let mut holders: Vec<Node> = Vec::new();
    let mut takers: Vec<NodeId> = Vec::new();
    for used in uses {
        let holder = query::get_node(snapshot, used.other)?.map(|symbol| symbol.node);
        let is_new = |node: &Node| holders.iter().all(|known| known.id != node.id);
        let Some(holder) = holder else { continue };
        if takes(&holder, &subject.first().name) {
            takers.push(holder.id);
        } else if holder.node_type == NodeType::Property && is_new(&holder) {
            holders.push(holder);
        }
    }

    let mut assigned = Vec::new();
    for holder in &holders {
        let mut places = occurrences.uses_of(&[holder.id], &[EdgeType::References])?;
        places.retain(|place| {
            let source = place.source.as_deref().unwrap_or_default();
            let value = |assignment: &str| source.contains(&format!("{}{assignment}", holder.name));
            value(": {") || value(" = {")
        });
        assigned.extend(places);
    }
    assigned.sort_unstable();
    assigned.dedup();
    let title = "object literals assigned to properties of this type";
    let section = Section::occurrence_rows("assigned", title, assigned);
    document.section(subject.wants.weigh(section, true, 0));

    takers.sort_unstable();
    takers.dedup();
    if subject.first().node_type == NodeType::Interface {
        let mut calls = occurrences.uses_of(&takers, &[EdgeType::Calls])?;
        add_arguments(occurrences, &mut calls)?;
        let title = "calls of functions that take one, which may pass an object of another type";
        let section = Section::occurrence_rows("passed", title, calls);
        document.section(subject.wants.weigh(section, true, 0).at_most(MAX_PASSED));
    }
    Ok(())
}

/// Reports whether a function has a parameter of a type of this name.
fn takes(function: &Node, name: &str) -> bool {
    let signature = function.parameter_signature.as_deref().unwrap_or_default();
    signature.match_indices(name).any(|(at, _)| {
        let after = &signature[at + name.len()..];
        let is_end = |c: char| c.is_alphanumeric() || c == '_';
        signature[..at].ends_with(": ") && !after.starts_with(is_end)
    })
}

/// Reports whether a line begins a function with a body that returns a type: `make(): Bell {`.
fn is_result(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].trim_end();
        let after = line[at + name.len()..].trim();
        before.ends_with("):") && (after == "{" || after.starts_with("=>"))
    })
}

/// Reports whether a line ends a value that is taken for a type, or begins one that is declared to
/// be of it: `} as unknown as Bell`, `const bell: Bell = {`.
fn is_object_literal(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let is_qualifier = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let before = match line[..at].ends_with('.') {
            true => line[..at].trim_end_matches(is_qualifier).trim_end(),
            false => line[..at].trim_end(),
        };
        let after = line[at + name.len()..].trim_start();
        let is_cast = ["as", "satisfies"].iter().any(|word| {
            let value = before.strip_suffix(word).map(str::trim_end);
            value.is_some_and(|value| {
                value.ends_with(['}', ')'])
                    || value.ends_with("as unknown")
                    || value.ends_with("as const")
            })
        });
        let is_word = !after.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
        is_word && (is_cast || before.ends_with(':') && after.starts_with("= {"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_return_a_type_are_told_from_other_uses() {
        for (line, expected) in [
            ("private make(loud: boolean): Bell {", true),
            ("const make = (): Bell => ({", true),
            ("make(): Bell;", false),
            ("make(): BellTower {", false),
            ("constructor(bell: Bell) {", false),
        ] {
            assert_eq!(is_result(line, "Bell"), expected, "{line}");
        }
    }

    #[test]
    fn object_literals_are_told_from_other_uses() {
        for (line, expected) in [
            ("} as Bell;", true),
            ("} as unknown as Bell,", true),
            ("bell: { ring() {} } as Bell,", true),
            ("const bell: Bell = {", true),
            ("const bell: Bells.Bell = {", true),
            ("} satisfies Bell;", true),
            ("} as const satisfies Bell<Loud>;", true),
            ("} as BellTower;", false),
            ("constructor(bell: Bell) {", false),
            ("const bell: Bell = make();", false),
            ("import { Bell } from './bell';", false),
        ] {
            assert_eq!(is_object_literal(line, "Bell"), expected, "{line}");
        }
    }
}
