//! Sections about types: members, implementations, constructions and other uses.

use std::collections::HashSet;

use codeagent_core::model::graph::{
    Access, EdgeType, Language, Node, NodeFlags, NodeId, NodeKind, NodeType,
};
use codeagent_core::query::{self, Occurrence, Occurrences, ReachingTests, Snapshot};

use super::dependencies::dependencies;
use super::derived_types::{add_bases, registered_types};
use super::heading::signature;
use super::member::{
    MAX_SOURCE_LINES, ROOTS, own_lines, reaching_tests, requesting_tests, source_lines,
};
use super::type_values::values;
use super::wants::{WANTED, Wants, says};
use super::{
    Subject, alias, attribute_names, by_shape, flow, made_of_functions, mentions, short_bodies,
    stand_ins, unresolved_bases,
};
use crate::answers::{AnswerError, dispatch};
use crate::note_text::counted;
use crate::text::{Document, NameRow, Section};

/// Beginnings of verbs, and of the names of methods, for what is given to a type that runs or holds
/// it.
const REGISTERING: [&str; 6] = ["add", "enqueue", "map", "register", "schedule", "subscribe"];

/// Maximum characters of the source of a type's operators or constructors.
const MAX_OPERATORS: usize = 2_000;

/// Maximum number of calls between what makes a message and what raises it.
const MAX_MAKERS: usize = 3;

/// Maximum number of members of a nested type that are named.
const MAX_NESTED: usize = 12;

/// Maximum number of uses of a type's members; if there are more, they are only counted.
const MAX_MEMBER_USES: usize = 40;

/// Maximum number of lines with the arguments of a call.
const ARGUMENT_LINES: u32 = 4;

/// Maximum characters of the source of a longer type.
const MAX_WHOLE: usize = 3_000;

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
    if wants.flow {
        flow::of_type(subject, document, occurrences)?;
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
    if subject.first().kind == NodeKind::TypeAlias {
        alias::types_in_it(subject, document, occurrences)?;
    }
    alias::functions_on_it(subject, document, occurrences)?;
    if !members.is_empty() && !is_short {
        let section = members_section(subject, occurrences.sources.snapshot(), &members)?;
        document.section(wants.weigh(section, wants.members, 12));
    }
    if wants.members {
        inherited(subject, document, occurrences, &members)?;
        if !is_short {
            whole(subject, document, occurrences)?;
        }
    }
    if subject
        .words
        .iter()
        .any(|word| word.starts_with("operator"))
    {
        operators(subject, document, occurrences, &members)?;
    }
    if says(subject.words, &["constructor"]) {
        constructors(document, occurrences, &members)?;
    }
    let asks_for_places = ["called", "use", "used", "uses"];
    let mut words = subject.words.iter();
    if wants.members && words.any(|word| asks_for_places.contains(&word.as_str())) {
        member_uses(subject, document, occurrences, &members)?;
    }
    registrations(subject, document, occurrences, &members)?;

    let found = query::implementations_of(occurrences.sources.snapshot(), &subject.ids())?;
    let derived: Vec<NodeId> = found.iter().map(|(id, _)| *id).collect();
    registered_types(subject, document, occurrences, &derived)?;
    let below = derived;
    let mut derived = occurrences.of_declarations(&below)?;
    for row in &mut derived {
        add_bases(occurrences, row)?;
    }
    let deeper: Vec<NodeId> = found
        .iter()
        .filter(|(_, level)| *level > 1)
        .map(|(id, _)| *id)
        .collect();
    let deeper = occurrences.of_declarations(&deeper)?;
    mark_deeper(&mut derived, &deeper);
    let (tests, derived): (Vec<_>, Vec<_>) = derived.into_iter().partition(Occurrence::is_test);
    let title = "implemented, extended or derived by, at all levels";
    let section = Section::occurrence_rows("implementations", title, derived);
    document.section(wants.weigh(section, wants.implementations, 20));
    let section = Section::occurrence_rows(
        "test implementations",
        "implemented, extended or derived in tests",
        tests,
    );
    let with_tests = wants.tests && wants.implementations;
    document.section(wants.weigh(section, with_tests, 3));
    unresolved_bases::section(subject, document, occurrences, &below)?;
    by_shape::section(subject, document, occurrences, (&members, &below))?;
    stand_ins::section(subject, document, occurrences, &below)?;
    made_of_functions::section(subject, document, occurrences, &below)?;
    if subject.words.iter().any(|word| word.starts_with("overrid")) {
        overridden_members(subject, document, occurrences, &members)?;
    }

    let mut ids = subject.ids();
    document.section(wants.weigh(
        dispatch::from(occurrences, &ids)?,
        wants.implementations,
        20,
    ));
    ids.extend(members.iter().map(|member| member.id));
    document.section(wants.weigh(dispatch::to(occurrences, &ids)?, wants.implementations, 20));
    uses(subject, document, occurrences, &members)
}

/// Says of the rows that stand for types below the direct ones that they do.
fn mark_deeper(rows: &mut [Occurrence], deeper: &[Occurrence]) {
    for row in rows {
        let is_it = |other: &Occurrence| (&other.path, other.line) == (&row.path, row.line);
        if let Some(source) = row.source.as_mut().filter(|_| deeper.iter().any(is_it)) {
            source.insert_str(0, "(indirectly) ");
        }
    }
}

/// Adds the members of other types that override or implement those of the type.
fn overridden_members(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    members: &[Node],
) -> Result<(), AnswerError> {
    let ids = without_constructors(members);
    let found = query::implementations_of(occurrences.sources.snapshot(), &ids)?;
    let found: Vec<NodeId> = found.into_iter().map(|(id, _)| id).collect();
    let mut places = occurrences.of_declarations(&found)?;
    places.retain(|place| !place.is_test());
    short_bodies::add(occurrences, &mut places)?;
    let title = "overrides of its members";
    let section = Section::occurrence_rows("overrides", title, places);
    document.section(subject.wants.weigh(section, true, 0));
    Ok(())
}

/// Returns the members of a type by line, including private ones.
pub(super) fn members(
    subject: &Subject<'_>,
    snapshot: &Snapshot,
) -> Result<Vec<Node>, AnswerError> {
    let mut members = Vec::new();
    for node in subject.nodes {
        for child in query::members_of(snapshot, node.id)? {
            let is_in_head = child.flags.has(NodeFlags::LOCAL);
            if !is_in_head && !members.iter().any(|known: &Node| known.id == child.id) {
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

/// Reports whether a member is listed: none that is private and, if the question is about what is
/// public, none that other projects cannot use.
fn is_listed(member: &Node, wants: Wants) -> bool {
    match member.access {
        Some(Access::Private) => false,
        Some(Access::Internal) => !wants.public,
        _ => true,
    }
}

fn members_section(
    subject: &Subject<'_>,
    snapshot: &Snapshot,
    members: &[Node],
) -> Result<Section, AnswerError> {
    let listed: Vec<&Node> = members
        .iter()
        .filter(|member| is_listed(member, subject.wants))
        .collect();
    let total = members.len();
    let several_files = listed.windows(2).any(|pair| path(pair[0]) != path(pair[1]));

    let mut rows = Vec::with_capacity(listed.len());
    for member in listed {
        let mut row = member_row(member, several_files, &uses_of(snapshot, member)?);
        row.full += &nested_members(snapshot, member, subject.wants)?;
        rows.push(row);
    }

    let title = if rows.len() == total {
        "members"
    } else if subject.wants.public {
        "members, without private and internal ones"
    } else {
        "members, without private ones"
    };

    Ok(Section::names("members", title, rows).of(total))
}

/// Returns the members of a nested type, for its row: `: State, Until`.
fn nested_members(snapshot: &Snapshot, nested: &Node, wants: Wants) -> Result<String, AnswerError> {
    if !nested.node_type.is_type() || !wants.members {
        return Ok(String::new());
    }

    let mut members = query::members_of(snapshot, nested.id)?;
    members.retain(|member| is_listed(member, wants));
    members.sort_by_key(|member| {
        let span = member.spans.first();
        span.map(|span| (span.name_line, span.name_column))
    });

    let more = members.len().saturating_sub(MAX_NESTED);
    let mut names: Vec<String> = members
        .into_iter()
        .take(MAX_NESTED)
        .map(|member| member.name)
        .collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }

    Ok(match names.as_slice() {
        [] => String::new(),
        names => format!(": {}", names.join(", ")),
    })
}

/// Adds the members that a type inherits from types of the repository, nearest first, without
/// private ones, constructors of C#, and those that it has itself.
fn inherited(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &Occurrences<'_, '_>,
    members: &[Node],
) -> Result<(), AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let is_interface = subject.first().node_type == NodeType::Interface;
    let has_constructor = members
        .iter()
        .any(|member| member.node_type == NodeType::Constructor);
    let mut known: HashSet<String> = members.iter().map(|member| member.name.clone()).collect();
    let mut rows = Vec::new();

    for (base, _) in query::bases_of(snapshot, &subject.ids())? {
        let Some(base) = query::get_node(snapshot, base)?.map(|symbol| symbol.node) else {
            continue;
        };
        // A class has the members of its interfaces itself.
        if (base.node_type == NodeType::Interface) != is_interface {
            continue;
        }

        let mut names: Vec<String> = Vec::new();
        let mut own = query::members_of(snapshot, base.id)?;
        own.retain(|member| !member.flags.has(NodeFlags::LOCAL));
        own.sort_by_key(|member| member.spans.first().map(|span| span.name_line));
        for member in own {
            // A class of TypeScript without a constructor has that of its base.
            let is_constructor = member.node_type == NodeType::Constructor
                && (has_constructor || member.language != Language::TypeScript);
            if is_constructor || !is_listed(&member, subject.wants) || known.contains(&member.name)
            {
                continue;
            }

            let row = member_row(&member, false, &uses_of(snapshot, &member)?);
            rows.push(NameRow {
                full: format!("{}:{}", base.name, row.full),
                short: row.short,
            });
            names.push(member.name);
        }
        known.extend(names);
    }

    let section = Section::names("inherited", "inherited members", rows);
    document.section(subject.wants.weigh(section, true, 0));
    Ok(())
}

/// Adds the uses of a type's members, if they are few.
fn member_uses(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    members: &[Node],
) -> Result<(), AnswerError> {
    let ids = without_constructors(members);
    let inside = own_lines(subject);
    let mut uses = occurrences.uses_of(&ids, &[EdgeType::Calls, EdgeType::References])?;
    uses.retain(|place| !inside(place) && !place.is_test());
    if uses.len() <= MAX_MEMBER_USES {
        let section = Section::occurrence_rows("member uses", "uses of its members", uses);
        document.section(subject.wants.weigh(section, true, 0));
    }
    Ok(())
}

/// Returns the ids of members other than constructors.
fn without_constructors(members: &[Node]) -> Vec<NodeId> {
    let is_other = |node: &&Node| node.node_type != NodeType::Constructor;
    members
        .iter()
        .filter(is_other)
        .map(|node| node.id)
        .collect()
}

/// Adds the source of a type's operators, and their uses outside tests.
fn operators(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    members: &[Node],
) -> Result<(), AnswerError> {
    let operators = || {
        members
            .iter()
            .filter(|node| node.kind == NodeKind::Operator)
    };

    let mut lines = Vec::new();
    for operator in operators() {
        lines.extend(source_lines(occurrences, operator)?);
    }
    let section = Section::lines("operator sources", "what its operators do", lines);
    document.section(section.weighing(WANTED).at_most(MAX_OPERATORS));

    for operator in operators() {
        let mut uses = occurrences.uses_of(&[operator.id], &[EdgeType::Calls])?;
        uses.retain(|place| !place.is_test());
        let title = format!("uses of `{}`", operator.name);
        let section = Section::occurrence_rows("operators", title, uses);
        document.section(subject.wants.weigh(section, true, 0));
    }
    Ok(())
}

/// Adds the source of the constructors of a type, and what they call in the repository.
fn constructors(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    members: &[Node],
) -> Result<(), AnswerError> {
    let is_constructor = |node: &&Node| node.node_type == NodeType::Constructor;
    let (mut ids, mut lines) = (Vec::new(), Vec::new());
    for constructor in members.iter().filter(is_constructor) {
        ids.push(constructor.id);
        lines.extend(source_lines(occurrences, constructor)?);
    }

    let mut calls = occurrences.outgoing(&ids, &[EdgeType::Calls])?;
    let mut places = Vec::with_capacity(calls.len());
    calls.sort_by_key(|call| (call.file, call.line));
    calls.dedup_by_key(|call| (call.file, call.line));
    for call in calls {
        let path = occurrences.path(call.file)?;
        places.push(occurrences.at(&path, call.line)?);
    }
    let title = "what its constructors call";
    let section = Section::occurrence_rows("constructor calls", title, places);
    document.section(section.weighing(WANTED));
    let section = Section::lines("constructors", "its constructors", lines);
    document.section(section.weighing(WANTED).at_most(MAX_OPERATORS));
    Ok(())
}

/// Adds the calls of a type's methods that take what a question calls registered, such as
/// `schedule`.
fn registrations(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    members: &[Node],
) -> Result<(), AnswerError> {
    let is_asked = subject.words.iter().any(|word| {
        let mut verbs = REGISTERING.iter();
        verbs.any(|verb| word.starts_with(verb) && word.ends_with("ed"))
    });
    if !is_asked {
        return Ok(());
    }

    let registers = |member: &&Node| {
        let name = member.name.to_lowercase();
        let is_verb = REGISTERING.iter().any(|verb| name.starts_with(verb));
        member.node_type == NodeType::Method && is_verb
    };

    let ids: Vec<NodeId> = members
        .iter()
        .filter(registers)
        .map(|node| node.id)
        .collect();

    let mut calls = occurrences.uses_of(&ids, &[EdgeType::Calls])?;
    calls.retain(|place| !place.is_test());
    add_arguments(occurrences, &mut calls)?;
    let section = Section::occurrence_rows("registrations", "what is registered with it", calls);
    document.section(subject.wants.weigh(section, true, 0));
    Ok(())
}

/// Adds the next lines to calls whose arguments begin there.
pub(super) fn add_arguments(
    occurrences: &mut Occurrences<'_, '_>,
    calls: &mut [Occurrence],
) -> Result<(), AnswerError> {
    for call in calls {
        let Some(source) = call.source.as_mut().filter(|line| line.ends_with('(')) else {
            continue;
        };

        let last = call.line + ARGUMENT_LINES;
        let lines = occurrences.sources.lines(&call.path, call.line + 1, last)?;
        for line in lines.iter().flatten() {
            let line = line.trim();
            if line.starts_with(')') {
                break;
            }
            source.push_str(line);
            source.push(' ');
        }
        source.truncate(source.trim_end().len());
    }
    Ok(())
}

pub(super) fn path(node: &Node) -> &str {
    node.spans.first().map_or("", |span| span.path.as_str())
}

/// Says how often a member is used: `3 uses`; without a known use, how many unresolved uses have its name.
fn uses_of(snapshot: &Snapshot, member: &Node) -> Result<String, AnswerError> {
    let uses = query::reference_count(snapshot, member.id)?;
    let possible = match uses {
        0 => query::unresolved_sites(snapshot, &member.name)?,
        _ => 0,
    };
    let known = counted(uses, "use");
    Ok(match possible {
        0 => known,
        possible => format!("{known}, {possible} unresolved of its name"),
    })
}

fn member_row(member: &Node, with_file: bool, uses: &str) -> NameRow {
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

    if member.node_type.is_type() || member.kind == NodeKind::Event {
        words += &format!("{} ", member.kind.as_str().replace('_', " "));
    }

    let is_called = member.parameter_signature.is_some() && member.kind != NodeKind::Accessor;
    let brackets = if is_called { "()" } else { "" };

    // The signature has the brackets of an indexer, `this[]`.
    let name = match member.kind {
        NodeKind::Indexer => member.name.trim_end_matches("[]"),
        _ => member.name.as_str(),
    };

    // The index has no edges for what converts implicitly.
    let uses = match name.contains("implicit operator") {
        true => String::new(),
        false => format!(" ({uses})"),
    };
    NameRow {
        full: format!("{place} {words}{name}{}{uses}", signature(member)),
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
        let section = Section::lines("source", "", lines.collect());
        let wants = subject.wants;
        document.section(wants.weigh(section, wants.members, 12));
    }

    Ok(())
}

/// Adds the source of a type of middling length, where the budget has room.
fn whole(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let mut lines = source_lines(occurrences, subject.first())?;
    if lines.len() >= MAX_SOURCE_LINES as usize {
        return Ok(());
    }
    // Comments of XML say in many lines what the names say.
    lines.retain(|line| !line.contains(" ///"));
    let section = Section::lines("source", "its source", lines);
    document.section(section.weighing(20).at_most(MAX_WHOLE));
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
    let constructors = members
        .iter()
        .filter(|member| member.node_type == NodeType::Constructor)
        .map(|member| member.id);
    let constructors: Vec<NodeId> = constructors.chain(subject.ids()).collect();
    let constructed = occurrences.uses_of(&constructors, &[EdgeType::Calls])?;
    if wants.roots {
        let lines = query::caller_tree(occurrences, &constructors)?;
        document.section(Section::tree("leads to it", ROOTS, lines).weighing(WANTED));
    } else if wants.messages {
        callers_of_makers(subject, document, occurrences, &constructed)?;
    }

    let mut used = other_uses(subject, document, occurrences, members)?;
    used.retain(|place| !constructed.contains(place));
    let is_used_in_tests = used.iter().any(Occurrence::is_test);
    if wants.implementations {
        used = values(subject, document, occurrences, (used, members))?;
    }
    let is_unused = constructed.is_empty() && used.is_empty();

    let is_wanted = wants.callers || wants.impact;
    let inside = own_lines(subject);
    let mut in_tests = Vec::new();
    for (key, title, places) in [
        ("constructed", "constructed or called at", constructed),
        ("uses", "used by", used),
    ] {
        // A type may make its own values.
        let is_shown = |place: &Occurrence| match key {
            "constructed" => !calls_constructor(place),
            _ => !inside(place),
        };
        let outside = places.into_iter().filter(is_shown);
        let (tests, code): (Vec<_>, Vec<_>) = outside.partition(Occurrence::is_test);
        in_tests.extend(tests);
        document.section(wants.weigh(Section::occurrence_rows(key, title, code), is_wanted, 15));
    }

    if !wants.no_tests {
        tests(subject, document, occurrences, (in_tests, is_used_in_tests))?;
    }
    mentions::sections(subject, document, occurrences, is_unused)
}

/// Adds the callers of the functions that construct a message and do not pass it on in the same line: they return it to
/// what raises it.
fn callers_of_makers(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    constructed: &[Occurrence],
) -> Result<(), AnswerError> {
    let construction = format!("new {}", subject.first().name);
    let mut makers: Vec<NodeId> = Vec::new();
    for place in constructed.iter().filter(|place| !place.is_test()) {
        let source = place.source.as_deref().unwrap_or_default();
        let before = source.split_once(&construction).map(|(before, _)| before);
        if before.is_none_or(|before| before.contains('(')) {
            continue;
        }

        let function = query::function_around(occurrences, place)?;
        makers.extend(function.map(|node| node.id));
    }

    let mut lines = query::caller_tree(occurrences, &makers)?;
    lines.retain(|line| !line.starts_with(&"  ".repeat(MAX_MAKERS)));
    let title = "call chains that lead to where it is made and not passed on at once";
    document.section(Section::tree("makers", title, lines).weighing(20));
    Ok(())
}

/// Reports whether a line begins with the call of a constructor by another one: `: this(1)`.
fn calls_constructor(place: &Occurrence) -> bool {
    let source = place.source.as_deref().unwrap_or_default();
    source.trim_start_matches([':', ' ']).starts_with("this(") || source.contains(": this(")
}

/// Returns the uses of a type other than its constructions: by name, and through what stands for it.
fn other_uses(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    members: &[Node],
) -> Result<Vec<Occurrence>, AnswerError> {
    let mut edge_types = vec![EdgeType::References, EdgeType::Accepts];
    if subject.wants.imports {
        edge_types.push(EdgeType::Imports);
    }

    let mut ids = subject.ids();
    for node in subject.nodes {
        for wrapper in query::wrappers_of(occurrences.sources, node)? {
            let line = wrapper.spans.first().map_or(0, |span| span.name_line);
            document.line(format!(
                "uses of `{}` (line {line}), which wraps it, are listed with its own",
                wrapper.name
            ));
            ids.push(wrapper.id);
            edge_types.push(EdgeType::Calls);
        }
    }

    // A static class is used through its members, for example by extension methods without its
    // name.
    if subject.first().flags.has(NodeFlags::STATIC) {
        ids.extend(members.iter().map(|member| member.id));
        edge_types.push(EdgeType::Calls);
    }

    Ok(occurrences.uses_of(&ids, &edge_types)?)
}

/// Adds the uses in tests and, if the question asks for them, the tests that reach the type otherwise.
fn tests(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (mut in_tests, is_used_in_tests): (Vec<Occurrence>, bool),
) -> Result<(), AnswerError> {
    let wants = subject.wants;
    let mut reaching = ReachingTests::default();
    if wants.tests {
        let snapshot = occurrences.sources.snapshot();
        let all = query::tree(snapshot, subject.first().id)?;
        reaching = query::tests_reaching(occurrences, &all, 1)?;
        in_tests.append(&mut reaching.direct);
        in_tests.sort_unstable();
        in_tests.dedup();
    }

    let has_direct = !in_tests.is_empty();
    let requests = std::mem::take(&mut reaching.requests);
    let is_named = wants.tests && attribute_names::tests(document, occurrences, subject.first())?;
    if wants.tests
        && !is_named
        && !is_used_in_tests
        && !has_direct
        && reaching.indirect.is_empty()
        && requests.is_empty()
    {
        document.line("no test is known to use it, its members, or what uses these");
    }
    document.section(wants.weigh(requesting_tests(requests), wants.tests, 5));
    let section = Section::occurrence_rows("tests", "in tests", in_tests);
    document.section(wants.weigh_tests(section));
    document.section(reaching_tests(reaching, has_direct, wants));
    Ok(())
}
