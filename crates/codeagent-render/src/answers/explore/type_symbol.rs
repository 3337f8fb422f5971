//! Sections about types: members, implementations, constructions and other uses.

use std::collections::HashSet;

use codeagent_core::model::graph::{
    Access, EdgeType, Language, Node, NodeFlags, NodeId, NodeKind, NodeType,
};
use codeagent_core::query::{self, Occurrence, Occurrences, ReachingTests, Snapshot};

use super::dependencies::dependencies;
use super::heading::signature;
use super::member::{ROOTS, own_lines, reaching_tests, requesting_tests};
use super::wants::{WANTED, Wants};
use super::{Subject, flow, mentions};
use crate::answers::{AnswerError, dispatch};
use crate::note_text::counted;
use crate::text::{Document, NameRow, Section};

/// Beginnings of verbs, and of the names of methods, for what is given to a type that runs or holds
/// it.
const REGISTERING: [&str; 6] = ["add", "enqueue", "map", "register", "schedule", "subscribe"];

/// Maximum number of types below one whose registrations are looked for.
const MAX_REGISTERED: usize = 60;

/// Maximum characters of the calls that may pass a value of a type.
const MAX_PASSED: usize = 1_200;

/// Maximum number of members of a nested type that are named.
const MAX_NESTED: usize = 12;

/// Maximum number of uses of a type's members; if there are more, they are only counted.
const MAX_MEMBER_USES: usize = 40;

/// Maximum number of lines with the arguments of a call.
const ARGUMENT_LINES: u32 = 4;

/// Maximum number of lines of a type before its body, besides the first, and from how many bytes on they are left
/// out, as well as the type parameters.
const MAX_HEAD_LINES: u32 = 8;
const MAX_HEAD_BYTES: usize = 160;

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
    if !members.is_empty() && !is_short {
        let section = members_section(subject, occurrences.sources.snapshot(), &members)?;
        document.section(wants.weigh(section, wants.members, 12));
    }
    if wants.members {
        inherited(subject, document, occurrences, &members)?;
    }
    if subject
        .words
        .iter()
        .any(|word| word.starts_with("operator"))
    {
        operators(subject, document, occurrences, &members)?;
    }
    let asks_for_places = ["called", "use", "used", "uses"];
    let mut words = subject.words.iter();
    if wants.members && words.any(|word| asks_for_places.contains(&word.as_str())) {
        member_uses(subject, document, occurrences, &members)?;
    }
    registrations(subject, document, occurrences, &members)?;

    let found = query::implementations_of(occurrences.sources.snapshot(), &subject.ids())?;
    let derived: Vec<NodeId> = found.into_iter().map(|(id, _)| id).collect();
    registered_types(subject, document, occurrences, &derived)?;
    let mut derived = occurrences.of_declarations(&derived)?;
    for row in &mut derived {
        add_bases(occurrences, row)?;
    }
    let (tests, derived): (Vec<_>, Vec<_>) = derived.into_iter().partition(Occurrence::is_test);
    let title = "implemented, extended or derived by, at all levels";
    let section = Section::occurrence_rows("implementations", title, derived);
    document.section(wants.weigh(section, wants.implementations, 20));
    let section = Section::occurrence_rows(
        "test implementations",
        "implemented, extended or derived in tests",
        tests,
    );
    document.section(wants.weigh(section, false, 3));

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

/// Adds the next lines to the first one of a type whose bases stand there.
fn add_bases(
    occurrences: &mut Occurrences<'_, '_>,
    row: &mut Occurrence,
) -> Result<(), AnswerError> {
    let Some(source) = &mut row.source else {
        return Ok(());
    };
    let last = row.line + MAX_HEAD_LINES;
    let lines = occurrences.sources.lines(&row.path, row.line + 1, last)?;
    for line in lines.iter().flatten() {
        let line = line.trim();
        let is_open = !source.contains(['{', ';']) && !line.starts_with('{');
        if !is_open || source.len() > MAX_HEAD_BYTES {
            break;
        }
        let is_inside = source.ends_with(['<', '(']) || line.starts_with(['>', ')']);
        source.push_str(if is_inside { "" } else { " " });
        source.push_str(line);
    }
    if source.len() > MAX_HEAD_BYTES {
        *source = without_type_parameters(source);
    }
    Ok(())
}

/// Leaves out the first list of type parameters of a head: `class Cart<..> extends Base<T>`.
fn without_type_parameters(head: &str) -> String {
    let mut depth = 0_usize;
    let Some(start) = head.find('<') else {
        return head.to_owned();
    };
    for (at, c) in head[start..].char_indices() {
        match c {
            '<' => depth += 1,
            // `=>` ends no list.
            '>' if head[start..start + at].ends_with('=') => {}
            '>' if depth == 1 => {
                let rest = &head[start + at + 1..];
                return format!("{}<..>{rest}", &head[..start]);
            }
            '>' => depth -= 1,
            _ => {}
        }
    }
    head.to_owned()
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
        let uses = query::reference_count(snapshot, member.id)?;
        let mut row = member_row(member, several_files, uses);
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
            let row = member_row(&member, false, query::reference_count(snapshot, member.id)?);
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
    let is_member = |node: &&Node| node.node_type != NodeType::Constructor;
    let ids = members.iter().filter(is_member).map(|node| node.id);
    let ids: Vec<NodeId> = ids.collect();
    let inside = own_lines(subject);
    let mut uses = occurrences.uses_of(&ids, &[EdgeType::Calls, EdgeType::References])?;
    uses.retain(|place| !inside(place) && !place.is_test());
    if uses.len() <= MAX_MEMBER_USES {
        let section = Section::occurrence_rows("member uses", "uses of its members", uses);
        document.section(subject.wants.weigh(section, true, 0));
    }
    Ok(())
}

/// Adds the uses of a type's operators.
fn operators(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    members: &[Node],
) -> Result<(), AnswerError> {
    for operator in members
        .iter()
        .filter(|node| node.kind == NodeKind::Operator)
    {
        let mut uses = occurrences.uses_of(&[operator.id], &[EdgeType::Calls])?;
        uses.retain(|place| !place.is_test());
        let title = format!("uses of `{}`", operator.name);
        let section = Section::occurrence_rows("operators", title, uses);
        document.section(subject.wants.weigh(section, true, 0));
    }
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

/// Adds where the types below one are given to calls as type arguments or are created, if a question asks where they
/// are registered: `services.AddBell<LoudBell>()`.
fn registered_types(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    derived: &[NodeId],
) -> Result<(), AnswerError> {
    let mut words = subject.words.iter();
    if !words.any(|word| word.starts_with("regist")) || derived.len() > MAX_REGISTERED {
        return Ok(());
    }
    let mut places = Vec::new();
    for id in derived {
        let Some(symbol) = query::get_node(occurrences.sources.snapshot(), *id)? else {
            continue;
        };
        let name = &symbol.node.name;
        let mut used = vec![*id];
        let members = query::members_of(occurrences.sources.snapshot(), *id)?;
        let constructors = members
            .iter()
            .filter(|one| one.node_type == NodeType::Constructor);
        used.extend(constructors.map(|one| one.id));
        let uses = occurrences.uses_of(&used, &[EdgeType::References, EdgeType::Calls])?;
        let is_given = |place: &Occurrence| {
            let source = place.source.as_deref().unwrap_or_default();
            let forms = ["{}>(", "new {}(", "typeof({})", "useClass: {}"];
            let mut forms = forms.iter().map(|form| form.replace("{}", name));
            !place.is_test() && forms.any(|form| source.contains(&form))
        };
        places.extend(uses.into_iter().filter(is_given));
    }
    places.sort_unstable();
    places.dedup();
    let title = "these types are created, or given as type arguments, at";
    let section = Section::occurrence_rows("registered types", title, places);
    document.section(subject.wants.weigh(section, true, 0));
    Ok(())
}

/// Adds the next lines to calls whose arguments begin there.
fn add_arguments(
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
        false => format!(" ({})", counted(uses, "use")),
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
    }

    let mut used = other_uses(subject, document, occurrences, members)?;
    used.retain(|place| !constructed.contains(place));
    let is_used_in_tests = used.iter().any(Occurrence::is_test);
    if wants.implementations {
        used = values(subject, document, used);
        held_values(subject, document, occurrences)?;
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

/// Adds the uses that make a value of the type, and returns the others.
fn values(
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
fn held_values(
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
    if wants.tests
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
    fn long_heads_have_no_type_parameters() {
        for (head, expected) in [
            (
                "class A<T extends B<C>> extends D<T>",
                "class A<..> extends D<T>",
            ),
            ("class A<F = () => void> : D", "class A<..> : D"),
            ("class A : D", "class A : D"),
            ("class A<T", "class A<T"),
        ] {
            assert_eq!(without_type_parameters(head), expected);
        }
    }

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
