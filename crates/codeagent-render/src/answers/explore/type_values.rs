//! Values of a type that are no instances of a class: object literals, results of functions, and what they are
//! assigned to.

use codeagent_core::model::graph::{EdgeType, Language, Node, NodeId, NodeType};
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::literal::regex;
use super::member::own_lines;
use super::type_symbol::add_arguments;
use super::{Subject, object_literal};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum characters of the calls that may pass a value of a type.
const MAX_PASSED: usize = 1_200;

/// Maximum number of members, and of uses of each, by which the object literals of a type are found.
const MAX_KEYS: usize = 12;
const MAX_KEY_USES: usize = 400;

/// Maximum number of types below one whose object literals are listed.
const MAX_BELOW: usize = 60;

/// Maximum number of members of an interface whose names are searched as keys, of characters of these, and of lines from
/// the start of a known literal to its key.
const MAX_TEXT_KEYS: usize = 4;
const MAX_KEY_CHARS: usize = 1_500;
const NEAR: u32 = 3;

/// Maximum number of lines of a conditional value.
const MAX_CONDITIONAL: u32 = 20;

/// Adds the uses that make a value of the type, the object literals that are given where one is expected or are assigned
/// to properties of the type, and returns the other uses.
pub(super) fn values(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (mut used, members): (Vec<Occurrence>, &[Node]),
) -> Result<Vec<Occurrence>, AnswerError> {
    let name = subject.first().name.as_str();
    for place in &mut used {
        add_conditional(occurrences, place, name)?;
    }
    let (mut literals, rest): (Vec<_>, Vec<_>) =
        used.into_iter().partition(|place| makes_value(place, name));
    literals.extend(values_of_types_below(subject, occurrences)?);
    for literal in literals_by_keys(subject, occurrences, members)? {
        let is_same = |known: &Occurrence| known.path == literal.path && known.line == literal.line;
        if !literals.iter().any(is_same) {
            literals.push(literal);
        }
    }
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
    let title = "object literals and values of this type";
    let section = Section::occurrence_rows("object literals", title, literals.clone());
    document.section(subject.wants.weigh(section, true, 0));
    held_values(subject, document, occurrences, &literals)?;
    let keys = keys_by_text(subject, occurrences, (members, &literals))?;
    let title = "object literals with a key of its members, matched by text";
    let section = Section::occurrence_rows("keys", title, keys);
    document.section(subject.wants.weigh(section, true, 0).at_most(MAX_KEY_CHARS));
    Ok(rest)
}

/// Returns the object literals of the interfaces and type aliases below a type.
fn values_of_types_below(
    subject: &Subject<'_>,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<Vec<Occurrence>, AnswerError> {
    let mut literals = Vec::new();
    let below = query::implementations_of(occurrences.sources.snapshot(), &subject.ids())?;
    for (id, _) in below.into_iter().take(MAX_BELOW) {
        let Some(symbol) = query::get_node(occurrences.sources.snapshot(), id)? else {
            continue;
        };

        let Node {
            name, node_type, ..
        } = &symbol.node;
        if matches!(node_type, NodeType::Interface | NodeType::Type) {
            let mut uses = occurrences.uses_of(&[id], &[EdgeType::References])?;
            uses.retain(|place| makes_value(place, name));
            literals.extend(uses);
        }
    }

    Ok(literals)
}

/// Returns the lines that begin with, or have behind `{`, the name of a member as a key, besides those of the
/// `known` literals: the type of such an object may be given by a call.
fn keys_by_text(
    subject: &Subject<'_>,
    occurrences: &mut Occurrences<'_, '_>,
    (members, known): (&[Node], &[Occurrence]),
) -> Result<Vec<Occurrence>, AnswerError> {
    let first = subject.first();
    let is_interface = first.node_type == NodeType::Interface;
    if !is_interface || first.language != Language::TypeScript || members.len() > MAX_TEXT_KEYS {
        return Ok(Vec::new());
    }

    let inside = own_lines(subject);
    let mut keys = Vec::new();
    for member in members
        .iter()
        .filter(|member| query::is_compound(&member.name))
    {
        let name = query::escaped_text(&member.name);
        let pattern = format!(r"(?:^\s*|\{{\s*){name}:\s");
        let found = query::search_text(occurrences, &regex(&pattern))?;
        keys.extend([found.code, found.tests].concat());
    }

    // A literal is known by its first line or that of a key.
    let is_known = |place: &Occurrence| {
        let near = |known: &Occurrence| {
            known.path == place.path && (known.line..=known.line + NEAR).contains(&place.line)
        };
        known.iter().any(near)
    };

    keys.retain(|place| !inside(place) && !is_known(place));
    keys.sort_unstable();
    keys.dedup();
    Ok(keys)
}

/// Adds the alternatives of a value to the line of a variable that is declared to be of the type:
/// `const bell: Bell = isLoud` becomes `const bell: Bell = isLoud ? { : quietBell;`.
fn add_conditional(
    occurrences: &mut Occurrences<'_, '_>,
    place: &mut Occurrence,
    name: &str,
) -> Result<(), AnswerError> {
    let declares = format!(": {name} = ");
    let Some(source) = place
        .source
        .as_mut()
        .filter(|line| line.contains(&declares))
    else {
        return Ok(());
    };
    if source.ends_with([';', '{', '(', ',']) {
        return Ok(());
    }

    let last = place.line + MAX_CONDITIONAL;
    let lines = occurrences
        .sources
        .lines(&place.path, place.line + 1, last)?;
    let lines = lines.unwrap_or_default();

    // The alternatives stand at the indentation of the first.
    let indent = |line: &str| line.len() - line.trim_start().len();
    let Some(first) = lines.first().map(|line| indent(line)) else {
        return Ok(());
    };

    let is_alternative = |line: &&str| line.starts_with("? ") || line.starts_with(": ");
    let inside = lines.iter().take_while(|line| indent(line) >= first);
    let inside = inside.filter(|line| indent(line) == first);
    for line in inside.map(|line| line.trim()).filter(is_alternative) {
        source.push(' ');
        source.push_str(line);
    }
    Ok(())
}

/// Returns where the object literals of a type begin: those that set one of its members.
fn literals_by_keys(
    subject: &Subject<'_>,
    occurrences: &mut Occurrences<'_, '_>,
    members: &[Node],
) -> Result<Vec<Occurrence>, AnswerError> {
    let has_literals = matches!(
        subject.first().node_type,
        NodeType::Interface | NodeType::Type
    );
    if !has_literals || subject.first().language == Language::CSharp {
        return Ok(Vec::new());
    }

    let mut literals: Vec<Occurrence> = Vec::new();
    for member in members.iter().take(MAX_KEYS) {
        let uses = occurrences.incoming(&[member.id], &[EdgeType::References])?;
        if uses.len() > MAX_KEY_USES {
            continue;
        }

        for key in occurrences.of_edges(&uses)? {
            literals.extend(literal_around(occurrences, &key, &member.name)?);
        }
    }

    // Stable: of several keys of a literal, the first member's stays.
    literals.sort_by(|one, other| (&one.path, one.line).cmp(&(&other.path, other.line)));
    literals.dedup_by(|one, other| one.path == other.path && one.line == other.line);
    Ok(literals)
}

/// Returns the beginning of the object literal around a key; `None` if the place is something else.
fn literal_around(
    occurrences: &mut Occurrences<'_, '_>,
    place: &Occurrence,
    key: &str,
) -> Result<Option<Occurrence>, AnswerError> {
    let (first, last) = (
        place.line.saturating_sub(object_literal::MAX_LINES).max(1),
        place.line + object_literal::MAX_LINES,
    );

    let lines = occurrences.sources.lines(&place.path, first, last)?;
    let lines = lines.unwrap_or_default();
    let at = (place.line - first) as usize;
    if lines.len() <= at || !object_literal::is_key(&lines[at..], key) {
        return Ok(None);
    }
    let Some(above) = object_literal::opening(&lines[..=at], key) else {
        return Ok(None);
    };

    let mut source = lines[above].trim().to_owned();
    if above < at {
        source = format!("{source} {}", lines[at].trim());
    }
    Ok(Some(Occurrence {
        line: first + above as u32,
        source: Some(source),
        ..place.clone()
    }))
}

/// Reports whether a place makes a value of a type of this name.
pub(super) fn makes_value(place: &Occurrence, name: &str) -> bool {
    let line = place.source.as_deref().unwrap_or_default();
    is_object_literal(line, name) || line.contains(&format!(": {name} = ")) && line.contains(" ? {")
}

/// Adds the object literals, other than known ones, that are assigned to properties of the type:
/// `{ bell: { ring() {} } }` for `bell: Bell`.
fn held_values(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    known: &[Occurrence],
) -> Result<(), AnswerError> {
    let Node {
        node_type,
        language,
        ..
    } = *subject.first();
    if language == Language::CSharp && node_type != NodeType::Interface {
        return Ok(());
    }
    let snapshot = occurrences.sources.snapshot();
    let types = [EdgeType::References, EdgeType::Accepts];
    let uses = occurrences.incoming(&subject.ids(), &types)?;
    let mut users: Vec<NodeId> = uses.into_iter().map(|used| used.other).collect();
    users.sort_unstable();
    users.dedup();
    let mut holders: Vec<Node> = Vec::new();
    let mut takers: Vec<NodeId> = Vec::new();
    for user in users {
        let holder = query::get_node(snapshot, user)?.map(|symbol| symbol.node);
        let Some(holder) = holder else { continue };
        if takes(&holder, &subject.first().name) {
            takers.push(holder.id);
        } else if holder.node_type == NodeType::Property {
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
    let is_known = |place: &Occurrence| {
        let mut known = known.iter();
        known.any(|known| known.path == place.path && known.line == place.line)
    };
    assigned.retain(|place| !is_known(place));
    assigned.sort_unstable();
    assigned.dedup();
    let title = "object literals assigned to properties of this type";
    let section = Section::occurrence_rows("assigned", title, assigned);
    document.section(subject.wants.weigh(section, true, 0));

    if node_type == NodeType::Interface {
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
        let is_generic = after.starts_with('<') && after.contains("> = {");
        let is_assigned = after.starts_with("= {") || is_generic;
        is_word && (is_cast || before.ends_with(':') && is_assigned)
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
            ("const bell: Bell<any, Loud> = {", true),
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
