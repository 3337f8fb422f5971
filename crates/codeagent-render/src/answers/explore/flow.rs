//! Sections about the flow of a symbol: the calls, in order, of the functions that run with it, handle it,
//! or are named by it.

use codeagent_core::model::graph::{Access, EdgeType, Node, NodeFlags, NodeId, NodeKind, NodeType};
use codeagent_core::query::{self, Occurrences, Snapshot};

use super::member::{is_callable, own_lines_of};
use super::type_symbol::members;
use super::{Subject, branches, flow_source, named_after};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Title of the calls of a function.
pub(super) const FLOW_TITLE: &str = "what happens, in order";

/// Title of what several functions of a type do, which do not follow each other.
const EACH_TITLE: &str = "what its functions do, each in order";

/// Title of the calls of functions that run because of what a constant or type names.
const NAMED_TITLE: &str = "what happens where it names an event, job or route, in order";

/// Maximum number of other uses of a constant; one of more is no event or job.
const MAX_CONSTANT_USES: usize = 6;

/// Maximum number of functions whose flow is shown for a type or constant.
const MAX_FLOWS: usize = 4;

/// Adds the calls of a function, or what runs because of the value that a constant names.
pub(super) fn of_member(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let first = subject.first();
    if !is_callable(first) && !holds_functions(first, occurrences)? {
        return of_constant(subject, document, occurrences);
    }

    let wants = subject.wants;
    let mut begins = implementing(subject, occurrences)?;
    if begins.is_empty() {
        begins.push(first.clone());
    }
    let mut lines = query::flow(occurrences, first)?;
    // The flow of an abstract member with one implementation enters that.
    let is_entered = first.flags.has(NodeFlags::ABSTRACT) && begins.len() == 1;
    for function in begins
        .iter()
        .filter(|function| function.id != first.id && !is_entered)
    {
        lines.extend(query::flow(occurrences, function)?);
    }
    let words = words_of(subject);
    let flow = Section::tree("flow", FLOW_TITLE, lines.clone());
    document.section(wants.weigh(flow, true, 0));
    document.section(named_after::messages(occurrences, first)?);
    flow_source::sections(document, occurrences, &begins, (&lines, &words))?;
    let handlers = query::handlers_named_in(occurrences, first)?;
    let title = "handlers of its string literals, matched by equal text";
    let handlers = Section::lines("handlers", title, handlers);
    document.section(wants.weigh(handlers, true, 0));
    named_constants(document, occurrences, first)
}

/// Returns the functions that run instead of one that has no steps of its own, unless they are many.
fn implementing(
    subject: &Subject<'_>,
    occurrences: &Occurrences<'_, '_>,
) -> Result<Vec<Node>, AnswerError> {
    if !occurrences
        .outgoing(&subject.ids(), &[EdgeType::Calls])?
        .is_empty()
    {
        return Ok(Vec::new());
    }

    let snapshot = occurrences.sources.snapshot();
    let mut functions = Vec::new();
    for (id, _) in query::implementations_of(snapshot, &subject.ids())? {
        functions.extend(query::get_node(snapshot, id)?.map(|symbol| symbol.node));
    }

    functions.retain(|node| {
        let mut spans = node.spans.iter();
        !spans.any(|span| query::is_test_path(&span.path))
    });
    if functions.len() > MAX_FLOWS {
        functions.clear();
    }

    Ok(functions)
}

/// Returns the words of a question and of its subject.
fn words_of(subject: &Subject<'_>) -> Vec<String> {
    let mut words = subject.words.to_vec();
    words.extend(query::name_words(&subject.first().name));
    words
}

/// Adds the other uses of the constants that a function names, which may be events, jobs or topics that
/// other code registers for.
pub(super) fn named_constants(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    function: &Node,
) -> Result<(), AnswerError> {
    let mut constants: Vec<NodeId> = Vec::new();
    for used in occurrences.outgoing(&[function.id], &[EdgeType::References])? {
        let named = query::get_node(occurrences.sources.snapshot(), used.other)?;
        let is_constant = named.is_some_and(|found| found.node.kind == NodeKind::EnumMember);
        if is_constant && !constants.contains(&used.other) {
            constants.push(used.other);
        }
    }

    let inside = own_lines_of(std::slice::from_ref(function));
    let mut others = Vec::new();
    for constant in constants {
        let mut uses = occurrences.uses_of(&[constant], &[EdgeType::References])?;
        uses.retain(|place| !inside(place) && !place.is_test());
        if uses.len() <= MAX_CONSTANT_USES {
            others.extend(uses);
        }
    }
    others.sort_unstable();
    others.dedup();
    let title = "other uses of the constants that it names";
    document.section(Section::occurrence_rows("constants", title, others).weighing(20));
    Ok(())
}

/// Reports whether a variable's object literal has functions, which run when others call them.
pub(super) fn holds_functions(
    node: &Node,
    occurrences: &Occurrences<'_, '_>,
) -> Result<bool, AnswerError> {
    let inside = query::members_of(occurrences.sources.snapshot(), node.id)?;
    Ok(inside.iter().any(|inner| inner.flags.has(NodeFlags::LOCAL)))
}

/// Reports whether the value of a variable is made with a function in its own lines, which something runs later:
/// `const save = action(async () => { .. })`.
pub(super) fn holds_callback(
    node: &Node,
    occurrences: &Occurrences<'_, '_>,
) -> Result<bool, AnswerError> {
    let mut spans = node.spans.iter().map(|span| span.span);
    let is_long = spans.any(|span| span.start.line < span.end_line);
    let is_value = node.kind == NodeKind::Variable && is_long;
    Ok(is_value
        && !occurrences
            .outgoing(&[node.id], &[EdgeType::Calls])?
            .is_empty())
}

/// Adds what runs because of the events, jobs or routes that a constant names, or in the functions of its value.
fn of_constant(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let (mut title, mut lines) = (NAMED_TITLE, Vec::new());
    let running = query::run_by_constant(occurrences, subject.first().id)?;
    for function in running.iter().take(MAX_FLOWS) {
        lines.extend(query::flow(occurrences, function)?);
    }
    if lines.is_empty() && holds_callback(subject.first(), occurrences)? {
        (title, lines) = (FLOW_TITLE, query::flow(occurrences, subject.first())?);
    }

    let flow = Section::tree("flow", title, lines.clone());
    document.section(subject.wants.weigh(flow, true, 0));
    flow_source::sections(document, occurrences, &[], (&lines, &words_of(subject)))?;
    branches::section(subject, document, occurrences)
}

/// Adds what the functions do that handle the type as a message or, if there are none, its own ones that
/// the question is about, or else those that run on the event that one of its functions names, or else
/// all of its own that other code can call.
pub(super) fn of_type(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let mut running = Vec::new();
    for id in subject.ids() {
        running.extend(query::handlers_of(snapshot, id)?);
    }
    let mut title = "what happens in the functions that handle it, in order";
    if running.is_empty() {
        title = FLOW_TITLE;
        running = own_functions(subject, snapshot)?;
    }
    if running.is_empty() {
        title = NAMED_TITLE;
        for id in subject.ids() {
            running.extend(query::run_by_constant(occurrences, id)?);
        }
    }
    if running.is_empty() {
        title = FLOW_TITLE;
        running = callable_functions(subject, occurrences.sources.snapshot())?;
    }

    if title == FLOW_TITLE && running.len() > 1 {
        title = EACH_TITLE;
    }

    let mut lines = Vec::new();
    for function in running.iter().take(MAX_FLOWS) {
        lines.extend(query::flow(occurrences, function)?);
    }
    let section = Section::tree("flow", title, lines.clone());
    document.section(subject.wants.weigh(section, true, 0));
    running.truncate(MAX_FLOWS);
    flow_source::sections(
        document,
        occurrences,
        &running,
        (&lines, &words_of(subject)),
    )?;
    branches::section(subject, document, occurrences)
}

/// Returns the functions of a type, or else those that it inherits, that a question about what happens
/// means: those whose names begin with its verb (`ExecuteAsync` for `executed`), or else those that
/// implement or override others.
fn own_functions(subject: &Subject<'_>, snapshot: &Snapshot) -> Result<Vec<Node>, AnswerError> {
    let own = members(subject, snapshot)?;
    let is_named = |member: &Node| is_callable(member) && is_meant(member, subject.words);
    let mut found: Vec<Node> = own.iter().filter(|node| is_named(node)).cloned().collect();
    if found.is_empty() {
        for (base, _) in query::bases_of(snapshot, &subject.ids())? {
            let inherited = query::members_of(snapshot, base)?;
            found.extend(inherited.into_iter().filter(is_named));
        }
    }

    if found.is_empty() {
        for member in own.iter().filter(|member| is_callable(member)) {
            let overrides =
                member.flags.has(NodeFlags::OVERRIDE) && !query::is_of_all_objects(&member.name);
            if overrides || !query::bases_of(snapshot, &[member.id])?.is_empty() {
                found.push(member.clone());
            }
        }
    }

    Ok(found)
}

/// Returns the functions of a type that other code can call.
fn callable_functions(
    subject: &Subject<'_>,
    snapshot: &Snapshot,
) -> Result<Vec<Node>, AnswerError> {
    let mut own = members(subject, snapshot)?;
    own.retain(|member| {
        let is_hidden = matches!(member.access, Some(Access::Private | Access::Protected));
        is_callable(member) && member.node_type != NodeType::Constructor && !is_hidden
    });
    Ok(own)
}

/// Reports whether a question about what happens means a function. A constructor runs when its type is
/// created.
fn is_meant(function: &Node, words: &[String]) -> bool {
    if function.node_type == NodeType::Constructor {
        let mut verbs = ["creat", "construct", "instantiat"].iter();
        return verbs.any(|verb| has_beginning(words, verb));
    }
    begins_with_verb(&function.name, words)
}

/// Reports whether a name begins with a verb of a question: `runTask` with `runs`.
fn begins_with_verb(name: &str, words: &[String]) -> bool {
    let end = name.char_indices().skip(1).find(|(_, c)| !c.is_lowercase());
    let verb = name[..end.map_or(name.len(), |(at, _)| at)].to_lowercase();
    let stem = verb.strip_suffix('e').unwrap_or(&verb);
    stem.len() > 2 && has_beginning(words, stem)
}

fn has_beginning(words: &[String], beginning: &str) -> bool {
    words.iter().any(|word| word.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_names_the_functions_that_begin_with_it() {
        let words: Vec<String> = ["what", "happens", "is", "executed"]
            .map(str::to_owned)
            .into();
        for (name, expected) in [
            ("Execute", true),
            ("ExecuteAsync", true),
            ("executor", false),
            ("isExecuted", false),
            ("whatever", false),
        ] {
            assert_eq!(begins_with_verb(name, &words), expected, "{name}");
        }
    }
}
