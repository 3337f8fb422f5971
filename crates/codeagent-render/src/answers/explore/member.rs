//! Sections about functions, methods, constructors, fields, properties, events and variables.

use codeagent_core::model::graph::{
    EdgeType, Language, Node, NodeFlags, NodeId, NodeKind, NodeType,
};
use codeagent_core::query::{self, Occurrence, Occurrences, ReachingTests};

use super::callees::callees;
use super::dependencies::of_function;
use super::literal::plain_text;
use super::others::{MAX_SOURCES, add_sources, asks_for_each};
use super::reads_and_writes::{bindings, reads_and_writes};
use super::wants::{WANTED, Wants};
use super::{
    LESS_LIKELY, Subject, branches, by_shape, constants, fixtures, flow, mentions, object_literal,
    raisers, shared_strings, short_bodies,
};
use crate::answers::{AnswerError, dispatch};
use crate::text::{Document, NameRow, Section};

/// Maximum number of source lines.
pub(super) const MAX_SOURCE_LINES: u32 = 160;

/// Minimum number of lines of an object whose keys are listed apart.
const MIN_KEYED_LINES: u32 = 24;

/// Maximum characters of the source of a symbol that may be meant.
const MAX_GUESSED_CHARS: usize = 2_400;

/// Maximum number of places whose chains are shown, of their lines, and from how many bytes on they are left out.
pub(super) const MAX_CONTINUED: usize = 20;
const MAX_CHAIN_LINES: u32 = 6;
const MAX_CHAIN_BYTES: usize = 160;

/// Maximum number of callers that are looked for in components of other languages.
const MAX_COMPONENT_CALLERS: usize = 8;

/// Title of all that leads to a symbol.
pub(super) const ROOTS: &str = "call chains that lead to it";

/// Maximum number of symbols named through which tests reach another one.
const MAX_THROUGH: usize = 6;

/// Edge types of uses, except those from implementations and overrides.
pub(super) const USES: [EdgeType; 4] = [
    EdgeType::Calls,
    EdgeType::References,
    EdgeType::Accepts,
    EdgeType::Imports,
];

pub(super) fn sections(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let wants = subject.wants;
    let is_callable = is_callable(subject.first());
    if wants.flow {
        flow::of_member(subject, document, occurrences)?;
    }

    let found = query::implementations_of(occurrences.sources.snapshot(), &subject.ids())?;
    let found: Vec<NodeId> = found.into_iter().map(|(id, _)| id).collect();
    let is_abstract = !found.is_empty();
    let has_source = is_callable || subject.first().kind == NodeKind::Variable;
    if has_source && !wants.tests && !wants.flow && !wants.levels && !wants.impact {
        source(subject, document, occurrences)?;
        document.section(constants::section(occurrences, subject.nodes)?.weighing(6));
    }

    let defined = defined_in_objects(subject, occurrences)?;
    if wants.overrides && found.is_empty() && overrides_external(subject, occurrences)? {
        document.line("overrides a member of a base outside the index");
    } else if wants.overrides && found.is_empty() && defined.is_empty() {
        document.line(match subject.first().language {
            Language::CSharp => "no member in the index implements or overrides it",
            // Any object with such a member may.
            Language::TypeScript | Language::Imported => {
                "no member in the index is declared to implement or override it"
            }
        });
    }
    let title = "implemented or overridden by, at all levels";
    let mut places = occurrences.of_declarations(&found)?;
    if wants.implementations {
        short_bodies::add(occurrences, &mut places)?;
    }
    let section = Section::occurrence_rows("implementations", title, places);

    document.section(wants.weigh(section, wants.implementations, 20));
    let title = "defined in object literals of its type";
    let section = Section::occurrence_rows("objects", title, defined);
    document.section(wants.weigh(section, wants.implementations, 20));
    by_shape::functions_of_name(subject, document, occurrences)?;
    if wants.implementations && asks_for_each(subject) && found.len() <= MAX_SOURCES {
        add_sources(document, occurrences, &found)?;
    }
    let is_wanted = wants.callers || wants.impact;
    let ids = subject.ids();

    document.section(wants.weigh(dispatch::to(occurrences, &ids)?, is_wanted, 12));
    // Who raises an event does not subscribe to it.
    let is_raised = subject.first().kind == NodeKind::Event && wants.messages;
    let from = dispatch::from(occurrences, &ids)?;
    document.section(wants.weigh(from, is_wanted && !is_raised, 12));

    uses(subject, document, occurrences, &found)?;
    if is_callable {
        shared_strings::section(subject, document, occurrences)?;
    }

    if is_callable && !wants.tests && !(is_abstract && wants.implementations) {
        document.section(wants.weigh(callees(subject, occurrences)?, wants.dependencies, 8));
    }
    if is_callable && wants.dependencies {
        of_function(document, occurrences, subject.first())?;
    }

    Ok(())
}

/// Reports whether each declaration of a symbol is on one line.
pub(super) fn is_on_one_line(node: &Node) -> bool {
    let mut spans = node.spans.iter();
    spans.all(|span| span.span.start.line == span.span.end_line)
}

/// Reports whether a symbol has a body that runs when it is called.
pub(super) fn is_callable(node: &Node) -> bool {
    matches!(
        node.node_type,
        NodeType::Method | NodeType::Constructor | NodeType::Component
    ) || (node.node_type == NodeType::Property
        && node.kind != NodeKind::Indexer
        && node.parameter_signature.is_some())
}

/// Adds the source of the first declaration that has a body.
fn source(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let longest = subject.nodes.iter().max_by_key(|node| {
        let span = node.spans.first().map(|span| span.span);
        span.map(|span| span.end_line - span.start.line)
    });

    if let Some(longest) = longest {
        document.section(keys(occurrences, longest)?.weighing(30));
        let mut source = Section::lines("source", "", source_lines(occurrences, longest)?);
        if subject.wants.guesses {
            source = source.at_most(MAX_GUESSED_CHARS);
        }
        document.section(subject.wants.weigh(source, subject.wants.members, 12));
    }
    Ok(())
}

/// Returns a section with the keys of the object that a long variable of TypeScript holds.
fn keys(occurrences: &mut Occurrences<'_, '_>, node: &Node) -> Result<Section, AnswerError> {
    let mut rows = Vec::new();
    if let Some(span) = node.spans.first().filter(|_| !is_callable(node)) {
        let (first, last) = (span.name_line, span.span.end_line);
        let is_long = last - first >= MIN_KEYED_LINES && node.language == Language::TypeScript;
        let lines = match is_long {
            true => occurrences.sources.lines(&span.path, first, last)?,
            false => None,
        };

        for (at, key) in object_literal::keys(&lines.unwrap_or_default()) {
            rows.push(NameRow {
                full: format!("{} {key}", first as usize + at),
                short: key.to_owned(),
            });
        }
    }

    Ok(Section::names("keys", "keys of its object", rows))
}

/// Returns the numbered source of a declaration, or the beginning of a long one.
pub(super) fn source_lines(
    occurrences: &mut Occurrences<'_, '_>,
    node: &Node,
) -> Result<Vec<String>, AnswerError> {
    let Some(span) = node.spans.first() else {
        return Ok(Vec::new());
    };
    let first = span.span.start.line;
    let last = span.span.end_line.min(first + MAX_SOURCE_LINES);
    let lines = occurrences.sources.lines(&span.path, first, last)?;
    let mut lines = numbered(&lines.unwrap_or_default(), first);
    if let more @ 1.. = span.span.end_line - last {
        lines.push(format!("… {more} more lines of it"));
    }
    Ok(lines)
}

/// Numbers lines and removes the indentation that they share, and empty lines.
pub(super) fn numbered(lines: &[String], first: u32) -> Vec<String> {
    let full = || lines.iter().filter(|line| !line.trim().is_empty());
    let indent = full()
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or_default();
    (first..)
        .zip(lines)
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            let line = line.get(indent..).unwrap_or_default().replace('\t', "  ");
            format!("{number} {}", crate::text::cut(&line, 200))
        })
        .collect()
}

/// Adds the uses of a symbol: certain ones, those of its wrappers, those through symbols that
/// implement it or that it implements, those in tests, and possible ones.
fn uses(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    implementations: &[NodeId],
) -> Result<(), AnswerError> {
    let wants = subject.wants;
    let ids = with_wrappers(subject, document, occurrences)?;
    let (tests, mut code) = direct_uses(subject, occurrences, &ids, implementations)?;
    if wants.impact && is_callable(subject.first()) {
        for place in code.iter_mut().take(MAX_CONTINUED) {
            branches::add_guarded(occurrences, place)?;
        }
    }
    let is_unused = code.is_empty();

    if is_callable(subject.first()) {
        let is_wanted = wants.callers || wants.impact || wants.levels || !wants.asks();
        let title = match subject.nodes.len() {
            1 => "called or used by",
            _ => "called or used by, of all overloads",
        };
        let section = Section::occurrence_rows("callers", title, code);
        document.section(wants.weigh(section, is_wanted, 20));
    } else {
        let is_used_elsewhere = !tests.is_empty() || !implementations.is_empty();
        reads_and_writes(subject, document, occurrences, code, is_used_elsewhere)?;
        raisers::sections(subject, document, occurrences)?;
        bindings(subject, document, occurrences)?;
    }
    if wants.levels || wants.impact {
        further_callers(subject, document, occurrences, &ids)?;
    }
    if wants.impact {
        let mut exports = occurrences.uses_of(&subject.ids(), &[EdgeType::Imports])?;
        exports.retain(|place| {
            place
                .source
                .as_deref()
                .is_some_and(|line| line.starts_with("export"))
        });
        let section = Section::occurrence_rows("exports", "exported again at", exports);
        document.section(section.weighing(12));
    }
    if wants.roots {
        let lines = query::caller_tree(occurrences, &subject.ids())?;
        document.section(Section::tree("leads to it", ROOTS, lines).weighing(WANTED));
    }

    through_implementations(subject, document, occurrences, implementations)?;
    through_bases(subject, document, occurrences)?;
    through_external_bases(subject, document, occurrences)?;
    if !wants.no_tests {
        let others = tests_of_implementations(wants, occurrences, (implementations, &tests))?;
        in_tests(
            subject,
            document,
            occurrences,
            (&ids, tests, !others.is_empty()),
        )?;
        let title = "in tests, of its implementations and overrides";
        let section = Section::occurrence_rows("tests of implementations", title, others);
        document.section(wants.weigh(section, wants.tests, 6));
    }
    // What happens in a function does not depend on who may call it.
    if !wants.flow || wants.callers || wants.impact {
        possible(subject, document, occurrences, is_unused)?;
    }
    mentions::sections(subject, document, occurrences, is_unused)
}

/// Returns the symbols with those that wrap them, which are named with their numbers of uses.
fn with_wrappers(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<Vec<NodeId>, AnswerError> {
    let mut ids = subject.ids();
    for node in subject.nodes {
        for wrapper in query::wrappers_of(occurrences.sources, node)? {
            let count = occurrences.uses_of(&[wrapper.id], &USES)?.len();
            let line = wrapper.spans.first().map_or(0, |span| span.name_line);
            document.line(format!(
                "{count} of the uses are of `{}` (line {line}), which wraps it",
                wrapper.name
            ));
            ids.push(wrapper.id);
        }
    }

    Ok(ids)
}

/// Returns the uses of symbols in tests and in other code, without those inside the symbols.
fn direct_uses(
    subject: &Subject<'_>,
    occurrences: &mut Occurrences<'_, '_>,
    ids: &[NodeId],
    implementations: &[NodeId],
) -> Result<(Vec<Occurrence>, Vec<Occurrence>), AnswerError> {
    let wants = subject.wants;
    let edges = if wants.imports { &USES[..] } else { &USES[..3] };
    let all = occurrences.uses_of(ids, edges)?;
    let inside = own_lines(subject);
    let name = subject.first().name.as_str();
    let is_member = is_member_of_typescript(subject.first());
    let between = calls_between_overloads(subject, occurrences)?;
    // What calls itself breaks itself.
    let is_inside_kept = wants.impact && is_callable(subject.first());
    let all = all.into_iter().filter(|place| {
        let source = place.source.as_deref().unwrap_or_default();
        let is_own = inside(place) && !is_inside_kept && !between.contains(place);
        !(is_own || is_member && is_definition(source, name))
    });
    let (mut tests, code): (Vec<_>, Vec<_>) = all.partition(Occurrence::is_test);

    if wants.impact {
        // A change of a member changes what implements it, and breaks the tests of that, too.
        let mut others = occurrences.uses_of(implementations, &USES[..3])?;
        others.retain(Occurrence::is_test);
        tests.extend(others);
        tests.sort_unstable();
        tests.dedup();
    }
    Ok((tests, code))
}

/// Returns the calls of overloads by each other.
fn calls_between_overloads(
    subject: &Subject<'_>,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<Vec<Occurrence>, AnswerError> {
    let mut between = Vec::new();
    if subject.nodes.len() == 1 {
        return Ok(between);
    }

    let others = own_lines(subject);
    for node in subject.nodes {
        let itself = own_lines_of(std::slice::from_ref(node));
        let calls = occurrences.uses_of(&[node.id], &[EdgeType::Calls])?;
        between.extend(
            calls
                .into_iter()
                .filter(|call| others(call) && !itself(call)),
        );
    }

    Ok(between)
}

/// Reports whether a member overrides one that is not in the index.
fn overrides_external(
    subject: &Subject<'_>,
    occurrences: &Occurrences<'_, '_>,
) -> Result<bool, AnswerError> {
    let is_override = subject.first().flags.has(NodeFlags::OVERRIDE);
    Ok(is_override && query::bases_of(occurrences.sources.snapshot(), &subject.ids())?.is_empty())
}

/// Returns the places outside tests where object literals define a member of a type of TypeScript: `async total() {`.
fn defined_in_objects(
    subject: &Subject<'_>,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<Vec<Occurrence>, AnswerError> {
    let first = subject.first();
    if !is_member_of_typescript(first) {
        return Ok(Vec::new());
    }
    let mut places = occurrences.uses_of(&subject.ids(), &USES[..2])?;
    places.retain(|place| {
        let source = place.source.as_deref().unwrap_or_default();
        !place.is_test() && is_definition(source, &first.name)
    });
    Ok(places)
}

/// Reports whether a symbol is a member of a type of TypeScript.
fn is_member_of_typescript(node: &Node) -> bool {
    let inner = node.qualified_name.rsplit_once('#');
    node.language == Language::TypeScript && inner.is_some_and(|(_, inner)| inner.contains('.'))
}

/// Reports whether a line begins with the definition of a method: `async total(cart) {`, `total: async (cart) => {`.
fn is_definition(line: &str, name: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("async ").unwrap_or(line);
    let Some(rest) = line.strip_prefix(name) else {
        return false;
    };
    match rest.strip_prefix(':') {
        Some(value) => value.contains("=>") || value.contains("function"),
        None => rest.starts_with(['(', '<']) && line.trim_end().ends_with('{'),
    }
}

/// Returns the uses of what implements or overrides a member in tests, other than known ones. An answer about what a
/// change breaks has them among these.
fn tests_of_implementations(
    wants: Wants,
    occurrences: &mut Occurrences<'_, '_>,
    (implementations, known): (&[NodeId], &[Occurrence]),
) -> Result<Vec<Occurrence>, AnswerError> {
    if wants.impact {
        return Ok(Vec::new());
    }
    let mut others = occurrences.uses_of(implementations, &USES[..3])?;
    others.retain(|place| place.is_test() && !known.contains(place));
    Ok(others)
}

/// Returns a few functions outside tests that call some symbols.
fn direct_callers(
    occurrences: &Occurrences<'_, '_>,
    ids: &[NodeId],
) -> Result<Vec<Node>, AnswerError> {
    let mut callers: Vec<Node> = Vec::new();
    for call in occurrences.incoming(ids, &[EdgeType::Calls])? {
        let caller = query::get_node(occurrences.sources.snapshot(), call.other)?;
        let is_new = |node: &Node| callers.iter().all(|known| known.id != node.id);
        let is_code = |node: &Node| {
            let mut paths = node.spans.iter().map(|span| span.path.as_str());
            is_callable(node) && !paths.any(query::is_test_path)
        };

        let caller = caller.map(|symbol| symbol.node);
        callers.extend(caller.filter(|node| is_new(node) && is_code(node)));
        if callers.len() == MAX_COMPONENT_CALLERS {
            break;
        }
    }

    Ok(callers)
}

/// Adds the callers of a symbol's callers.
fn further_callers(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    ids: &[NodeId],
) -> Result<(), AnswerError> {
    let wants = subject.wants;
    // What calls a member of an interface may call the one that implements it.
    let bases = query::bases_of(occurrences.sources.snapshot(), ids)?;
    let mut ids = ids.to_vec();
    ids.extend(bases.into_iter().map(|(id, _)| id));
    let further = query::callers_of_callers(occurrences, &ids)?;

    if !further.unresolved.is_empty() {
        let uses = further.unresolved.iter();
        let uses: Vec<String> = uses
            .map(|(name, count)| format!("{name} ({count})"))
            .collect();
        document.note(format!(
            "unresolved uses may be of these callers, too: {}",
            uses.join(", ")
        ));
    }

    let possible = "possible callers of these callers, through what they implement or override";
    let title = match further.has_forwarding {
        true => "callers of these callers, and of overloads that forward to them",
        false => "callers of these callers",
    };
    for (key, title, mut places) in [
        ("callers of callers", title, further.certain),
        ("callers through bases", possible, further.through_bases),
    ] {
        let is_code = |place: &Occurrence| !place.is_test();
        let tests = match places.iter().any(is_code) {
            true => places.extract_if(.., |place| place.is_test()).collect(),
            false => Vec::new(),
        };
        let section = Section::occurrence_rows(key, title, places);
        document.section(wants.weigh(section, wants.levels, 8));
        let title = format!("{title}, in tests");
        let section = Section::occurrence_rows(key, title, tests);
        document.section(wants.weigh(section, false, 4));
    }

    let callers = direct_callers(occurrences, &ids)?;
    let title =
        "lines of components in other languages that name these callers, matched by equal text";
    document.section(mentions::in_components(occurrences, &callers, title)?.weighing(8));
    let section = dispatch::to_callers(occurrences, &further.dispatched)?;
    document.section(wants.weigh(section, wants.levels, 8));
    Ok(())
}

/// Adds the uses in tests and, if the question asks for tests or there are none, the tests that reach a symbol
/// through its callers or through helpers of tests.
fn in_tests(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (ids, mut tests, has_others): (&[NodeId], Vec<Occurrence>, bool),
) -> Result<(), AnswerError> {
    let wants = subject.wants;
    let mut reaching = if wants.tests || tests.is_empty() && is_callable(subject.first()) {
        query::tests_reaching(occurrences, ids, if wants.tests { 2 } else { 1 })?
    } else {
        ReachingTests::default()
    };

    // A mock has the type of what it replaces.
    let replaces = |place: &Occurrence| {
        let source = place.source.as_deref().unwrap_or_default();
        source.contains("typeof ")
    };
    reaching.indirect.retain(|place| !replaces(place));

    // Among them are uses through a base or interface.
    tests.append(&mut reaching.direct);
    tests.sort_unstable();
    tests.dedup();

    let requests = std::mem::take(&mut reaching.requests);
    let has_none = tests.is_empty() && reaching.indirect.is_empty() && requests.is_empty();
    if wants.tests && has_none && !has_others {
        document.line("no test is known to use it, directly or through two levels of callers");
        named_in_tests(subject, document, occurrences)?;
    }
    document.section(wants.weigh(requesting_tests(requests), wants.tests, 5));
    let has_direct = !tests.is_empty();
    if wants.tests || wants.impact {
        let all = [tests.as_slice(), &reaching.indirect].concat();
        document.section(wants.weigh(fixtures::section(occurrences, &all)?, true, 0));
    }
    let section = Section::occurrence_rows("tests", "in tests", tests);
    document.section(wants.weigh_tests(section));
    document.section(reaching_tests(reaching, has_direct, wants));
    Ok(())
}

/// Returns a section with the requests in tests that reach a symbol.
pub(super) fn requesting_tests(requests: Vec<Occurrence>) -> Section {
    let title = "tests that request a route of it or of its callers, matched by path";
    Section::occurrence_rows("requesting tests", title, requests)
}

/// Returns a section with the tests that reach a symbol only indirectly, which names what they use.
pub(super) fn reaching_tests(reaching: ReachingTests, has_direct: bool, wants: Wants) -> Section {
    let more = if has_direct { "more tests" } else { "tests" };
    let mut through = reaching.through;
    let others = through.len().saturating_sub(MAX_THROUGH);
    through.truncate(MAX_THROUGH);
    let mut names = through.join(", ");
    if others > 0 {
        names += &format!(" and {others} more");
    }
    let title = format!("{more} that may reach it through {names}");
    let section = Section::occurrence_rows("indirect tests", title, reaching.indirect);
    wants.weigh(section, wants.tests, 8)
}

/// Adds the lines of tests that contain a symbol's name, if it is compound: they may use it through a
/// receiver of unknown type.
fn named_in_tests(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let name = subject.first().name.as_str();
    if !query::is_compound(name) {
        return Ok(());
    }
    let found = query::search_text(occurrences, &plain_text(name))?;
    let title = "named in tests, matched by equal text";
    let section = Section::occurrence_rows("named in tests", title, found.tests);
    document.section(subject.wants.weigh(section, true, 0));
    Ok(())
}

/// Adds the next lines of a chain to the line that it begins on: `PORT: z.number()` and `.default(1)`.
pub(super) fn add_chain(
    occurrences: &mut Occurrences<'_, '_>,
    place: &mut Occurrence,
) -> Result<(), AnswerError> {
    let last = place.line + MAX_CHAIN_LINES;
    let lines = occurrences
        .sources
        .lines(&place.path, place.line + 1, last)?;
    let Some(source) = &mut place.source else {
        return Ok(());
    };

    for line in lines.iter().flatten() {
        let line = line.trim();
        let is_chain = line.starts_with('.') && !line.starts_with("..");
        let is_ended = source.ends_with([',', ';']);
        if !is_chain || is_ended || source.len() > MAX_CHAIN_BYTES {
            break;
        }
        source.push_str(line);
    }
    Ok(())
}

/// Returns a predicate for places inside the symbols; a recursive call is not a use.
pub(super) fn own_lines(subject: &Subject<'_>) -> impl Fn(&Occurrence) -> bool + use<> {
    own_lines_of(subject.nodes)
}

pub(super) fn own_lines_of(nodes: &[Node]) -> impl Fn(&Occurrence) -> bool + use<> {
    let spans: Vec<(String, u32, u32)> = nodes
        .iter()
        .flat_map(|node| &node.spans)
        .map(|span| (span.path.clone(), span.span.start.line, span.span.end_line))
        .collect();
    move |place: &Occurrence| {
        spans.iter().any(|(path, first, last)| {
            *path == place.path && (*first..=*last).contains(&place.line) && first < last
        })
    }
}

/// Adds the uses of symbols that implement or override this one: a call of an implementation, or an
/// interface's event raised by a class that implements it.
fn through_implementations(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    implementations: &[NodeId],
) -> Result<(), AnswerError> {
    let title = "uses of its implementations and overrides";
    let places = dispatched(occurrences, implementations)?;
    let section = Section::occurrence_rows("through implementations", title, places);
    let wants = subject.wants;
    document.section(wants.weigh(section, wants.callers || wants.impact, 8));
    Ok(())
}

/// Adds the calls of symbols that this one implements or overrides, which may run it.
fn through_bases(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let bases = query::bases_of(occurrences.sources.snapshot(), &subject.ids())?;
    let ids: Vec<NodeId> = bases.iter().map(|(id, _)| *id).collect();
    let title = "possibly, through its bases";
    let section = Section::occurrence_rows("through bases", title, dispatched(occurrences, &ids)?);
    let wants = subject.wants;
    document.section(wants.weigh(section, wants.impact || wants.callers, 6));
    Ok(())
}

/// Adds the calls of external members that the symbols implement or override.
fn through_external_bases(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let outside = query::external_bases_of_members(snapshot, subject.nodes)?;
    let Some(first) = outside.first() else {
        return Ok(());
    };

    let title = format!("possibly, through {}", first.symbol);
    let edges = query::external_uses(snapshot, &outside)?;
    let calls: Vec<_> = edges
        .into_iter()
        .map(|(_, edge)| edge)
        .filter(|edge| edge.edge_type == EdgeType::Calls)
        .collect();
    let mut calls = occurrences.of_edges(&calls)?;
    calls.retain(|place| !place.is_test());
    let section = Section::occurrence_rows("through external bases", title, calls);
    let wants = subject.wants;
    document.section(wants.weigh(section, wants.impact || wants.callers, 6));
    Ok(())
}

/// Returns the uses of symbols outside of tests.
fn dispatched(
    occurrences: &mut Occurrences<'_, '_>,
    ids: &[NodeId],
) -> Result<Vec<Occurrence>, AnswerError> {
    let mut uses = occurrences.uses_of(ids, &[EdgeType::Calls, EdgeType::References])?;
    uses.retain(|place| !place.is_test());
    Ok(uses)
}

/// Adds unresolved uses of the name.
fn possible(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    is_unused: bool,
) -> Result<(), AnswerError> {
    let with_others = subject.wants.others;
    let possible = query::possible_callers(occurrences, subject.nodes, with_others)?;
    let what = "unresolved uses that may belong to it";
    let title = match possible.total - possible.likely.len() {
        0 => what.to_owned(),
        _ => format!("{what}, the likeliest; section \"{LESS_LIKELY}\" has the others"),
    };

    let section = Section::occurrence_rows("possible", title, possible.likely).of(possible.total);
    let section = if is_unused {
        section.weighing(20)
    } else {
        subject.wants.weigh(section, false, 5)
    };
    document.section(section);
    let title = "unresolved uses that are less likely to belong to it";
    document.section(Section::occurrence_rows(
        LESS_LIKELY,
        title,
        possible.others,
    ));
    Ok(())
}
