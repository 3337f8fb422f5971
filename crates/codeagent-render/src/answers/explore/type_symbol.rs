//! Sections about types: members, implementations, constructions and other uses.

use codeagent_core::model::graph::{Access, EdgeType, Node, NodeFlags, NodeId, NodeType};
use codeagent_core::query::{self, Occurrence, Occurrences, Snapshot};

use super::Subject;
use super::heading::signature;
use super::member::own_lines;
use crate::answers::{AnswerError, dispatch};
use crate::text::{Document, NameRow, Section};

/// Maximum lines of a type whose declaration is shown in place of its members.
const SHORT: u32 = 12;

pub(super) fn sections(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let wants = subject.wants;
    if wants.dependencies {
        dependencies(subject, document, occurrences)?;
    }

    let members = members(subject, occurrences.sources.snapshot())?;
    let is_short = subject
        .first()
        .spans
        .first()
        .is_some_and(|span| span.span.end_line - span.span.start.line <= SHORT);
    if members.is_empty() || is_short {
        declaration(subject, document, occurrences)?;
    }
    if !members.is_empty() && !is_short {
        document.section(
            members_section(occurrences.sources.snapshot(), &members)?
                .weighing(wants.weight(wants.members, 12)),
        );
    }

    let found = query::implementations_of(occurrences.sources.snapshot(), &subject.ids())?;
    let derived: Vec<NodeId> = found.into_iter().map(|(id, _)| id).collect();
    let derived = occurrences.of_declarations(&derived)?;
    let (tests, derived): (Vec<_>, Vec<_>) = derived.into_iter().partition(Occurrence::is_test);
    let title = "implemented, extended or derived by, at all levels";
    let weight = wants.weight(wants.implementations, 20);
    document.section(Section::places("implementations", title, derived).weighing(weight));
    document
        .section(Section::places("test implementations", "the same in tests", tests).weighing(3));

    let mut ids = subject.ids();
    document.section(dispatch::from(occurrences, &ids)?.weighing(weight.min(30)));
    ids.extend(members.iter().map(|member| member.id));
    document.section(dispatch::to(occurrences, &ids)?.weighing(weight.min(30)));
    uses(subject, document, occurrences, &members)
}

/// Returns the members of a type by line, including private ones.
fn members(subject: &Subject<'_>, snapshot: &Snapshot) -> Result<Vec<Node>, AnswerError> {
    let mut members = Vec::new();
    for node in subject.nodes {
        for child in query::members_of(snapshot, node.id)? {
            if !members.iter().any(|known: &Node| known.id == child.id) {
                members.push(child);
            }
        }
    }
    members.sort_by_key(|member| {
        let span = member.spans.first();
        span.map(|span| (span.path.clone(), span.name_line, span.name_column))
    });
    Ok(members)
}

fn is_visible(member: &Node) -> bool {
    !matches!(member.access, Some(Access::Private))
}

fn members_section(snapshot: &Snapshot, members: &[Node]) -> Result<Section, AnswerError> {
    let visible: Vec<&Node> = members.iter().filter(|member| is_visible(member)).collect();
    let hidden = members.len() - visible.len();
    let several_files = visible
        .windows(2)
        .any(|pair| path(pair[0]) != path(pair[1]));
    let mut rows = Vec::with_capacity(visible.len());
    for member in visible {
        let uses = query::reference_count(snapshot, member.id)?;
        rows.push(member_row(member, several_files, uses));
    }
    let title = match hidden {
        0 => "members".to_owned(),
        hidden => format!("members, without {hidden} private ones"),
    };
    Ok(Section::names("members", title, rows))
}

fn path(node: &Node) -> &str {
    node.spans.first().map_or("", |span| span.path.as_str())
}

fn member_row(member: &Node, with_file: bool, uses: u64) -> NameRow {
    let line = member.spans.first().map_or(0, |span| span.name_line);
    let file = path(member).rsplit('/').next().unwrap_or_default();
    let place = if with_file {
        format!("{file}:{line}")
    } else {
        line.to_string()
    };
    let mut words = String::new();
    if let Some(access) = member.access.filter(|access| *access != Access::Public) {
        words += &format!("{access} ");
    }
    for (flag, word) in [
        (NodeFlags::STATIC, "static "),
        (NodeFlags::ABSTRACT, "abstract "),
        (NodeFlags::OVERRIDE, "override "),
    ] {
        if member.flags.has(flag) {
            words += word;
        }
    }
    let brackets = if member.parameter_signature.is_some() {
        "()"
    } else {
        ""
    };
    NameRow {
        full: format!(
            "{place} {words}{}{} ({uses} uses)",
            member.name,
            signature(member)
        ),
        short: format!("{}{brackets}", member.name),
    }
}

/// Adds the lines that declare a short type.
fn declaration(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let Some(span) = subject.first().spans.first() else {
        return Ok(());
    };
    let first = span.span.start.line;
    let last = span.span.end_line.min(first + 60);
    if let Some(lines) = occurrences.sources.lines(&span.path, first, last)? {
        let lines = (first..)
            .zip(lines)
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(number, line)| format!("{number} {}", crate::text::cut(&line, 200)));
        let weight = subject.wants.weight(subject.wants.members, 12);
        document.section(Section::lines("source", "", lines.collect()).weighing(weight));
    }
    Ok(())
}

fn dependencies(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let found = query::type_dependencies(snapshot, subject.first().id)?;
    let rows = found.iter().map(|dependency| {
        let name = &dependency.node.name;
        let members = match dependency.members.as_slice() {
            [] => String::new(),
            members => format!(": {}", members.join(", ")),
        };
        let folder = path(&dependency.node);
        let folder = folder.rsplit_once('/').map_or(".", |(folder, _)| folder);
        NameRow {
            full: format!("{name} {}{members}  {folder}/", dependency.count),
            short: format!("{name} {}", dependency.count),
        }
    });
    let title = "depends on types and functions, with the number of uses";
    document.section(Section::names("dependencies", title, rows.collect()).weighing(60));
    Ok(())
}

/// Adds the places that construct a type, and those that use it otherwise.
fn uses(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    members: &[Node],
) -> Result<(), AnswerError> {
    let wants = subject.wants;
    let ids = subject.ids();
    let mut constructors: Vec<NodeId> = members
        .iter()
        .filter(|member| member.node_type == NodeType::Constructor)
        .map(|member| member.id)
        .collect();
    constructors.extend(&ids);
    let constructed = occurrences.uses_of(&constructors, &[EdgeType::Calls])?;
    let mut others: Vec<EdgeType> = vec![EdgeType::References, EdgeType::Accepts];
    if wants.imports {
        others.push(EdgeType::Imports);
    }
    let mut ids_with_wrappers = ids.clone();
    for node in subject.nodes {
        for wrapper in query::wrappers_of(occurrences.sources, node)? {
            let line = wrapper.spans.first().map_or(0, |span| span.name_line);
            document.line(format!(
                "uses of `{}` (line {line}), which wraps it, are listed with its own",
                wrapper.name
            ));
            ids_with_wrappers.push(wrapper.id);
            others.push(EdgeType::Calls);
        }
    }
    // A static class is used through its members, for example by extension methods without its
    // name.
    if subject.first().flags.has(NodeFlags::STATIC) {
        ids_with_wrappers.extend(members.iter().map(|member| member.id));
        others.push(EdgeType::Calls);
    }
    let used = occurrences.uses_of(&ids_with_wrappers, &others)?;

    let weight = wants.weight(wants.callers || wants.impact, 15);
    let inside = own_lines(subject);
    let mut in_tests = Vec::new();
    for (key, title, places, weight) in [
        (
            "constructed",
            "constructed or called at",
            constructed,
            weight,
        ),
        ("uses", "used by", used, weight.min(40)),
    ] {
        let outside = places.into_iter().filter(|place| !inside(place));
        let (tests, code): (Vec<_>, Vec<_>) = outside.partition(Occurrence::is_test);
        in_tests.extend(tests);
        document.section(Section::places(key, title, code).weighing(weight));
    }
    if !wants.no_tests {
        let mut title = "in tests";
        if in_tests.is_empty() && wants.tests {
            let snapshot = occurrences.sources.snapshot();
            let all = query::tree(snapshot, subject.first().id)?;
            in_tests = query::tests_reaching(occurrences, &all, 1)?;
            title = "tests that reach it through its callers";
        }
        let weight = wants.weight(wants.tests, 8);
        document.section(Section::places("tests", title, in_tests).weighing(weight));
    }
    Ok(())
}
