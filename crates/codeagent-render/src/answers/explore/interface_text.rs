//! Sections about the texts of a user interface that a question quotes: where they stand, their keys, and
//! what runs when a user acts on them.

use codeagent_core::model::graph::{Dialect, EdgeType, Node, NodeFlags, NodeId, NodeType};
use codeagent_core::query::{
    self, InterfaceText, Occurrence, Occurrences, Phrase, QueryError, Target, Targets, TextKey,
    TextPlace,
};

use super::heading::{self, heading};
use super::literal::rendered_components;
use super::member::{is_callable, own_lines_of, source_lines};
use super::message::{add_constants, add_messages};
use super::wants::WANTED;
use super::{PROSE_FROM, Wants, controls, is_prose};
use super::{branches, flow_source, literal_use, views};
use crate::answers::AnswerError;
use crate::note_text::counted;
use crate::text::{Document, NameRow, Section};

/// Maximum number of places whose handlers are shown.
const MAX_REACTIONS: usize = 4;

/// Maximum number of texts of which each contains a phrase and whose handlers are shown.
const MAX_PARTIAL: usize = 2;

/// Maximum number of places of words without quotation marks that count although the question names
/// a function without them.
const MAX_ELSEWHERE: usize = 8;

/// Minimum length of a word that selects among the places of a text by their paths.
const MIN_LETTERS: usize = 4;

/// Maximum characters of the places in tests unless they are asked for.
const MAX_TESTS: usize = 400;

/// Title of what runs because of a text.
const REACTIONS: &str = "what runs around it, in order";

/// Title of what the component around a text calls.
const COMPONENT: &str = "what the component around it calls, in order";

/// Maximum number of lines of an element that are shown besides its first.
const MAX_ATTRIBUTES: u32 = 8;

/// Words of a question for what is behind a text.
const CLASSES: [&str; 4] = ["behind", "class", "classes", "view"];

/// Maximum characters of the source of a type around a text.
const MAX_TYPE_CHARS: usize = 1_800;

/// Maximum length of a shown element, in bytes.
const MAX_ELEMENT_BYTES: usize = 300;

/// Note for a text with places that may be left out.
const CUT: &str = "the search stopped at a limit, so the text or its key may have more places; quote more \
    of the text";

/// The steps of what runs that are shown already.
type Shown = Vec<Vec<String>>;

/// What is known of the texts that a question quotes.
#[derive(Default)]
pub(super) struct Answered {
    /// Whether there are sections about texts.
    pub is_answered: bool,
    /// The words that are texts.
    texts: Vec<String>,
    /// Whether one of them is in quotation marks.
    is_quoted: bool,
    /// The words that are none, and whether they are in quotation marks.
    missing: Option<(String, bool)>,
}

impl Answered {
    /// Leaves out the targets that are words of the texts, with a note for names of symbols.
    pub fn without_texts(&self, document: &mut Document, targets: &mut Targets) {
        let is_of_text = |name: &str| {
            let mut texts = self.texts.iter();
            texts.any(|text| text == name || text.split(' ').any(|word| word == name))
        };

        if !targets.has_written_name {
            targets.found.clear();
        }

        // Beside a text in quotation marks, a word with a capital is prose: `the Windows registry`.
        let is_prose = |name: &str| self.is_quoted && is_prose(name) && !is_of_text(name);
        for target in &targets.found {
            let name = target.requested_text();
            let is_named = matches!(target, Target::Symbols(symbols) if symbols.note.is_none());
            if is_named && (is_prose(name) || self.texts.iter().any(|text| text == name)) {
                document.note(format!("left out: the symbol {name}; query it alone"));
            }
        }

        targets.found.retain(|target| {
            let name = target.requested_text();
            // A word with a capital that names a library is rather the product of that name.
            let is_product = matches!(target, Target::External { .. }) && super::is_prose(name);
            !is_of_text(name) && !is_prose(name) && !is_product
        });
        targets.missing.retain(|(name, _)| !is_of_text(name));
    }

    /// Says that no text of the interface has the words, if that is so.
    pub fn add_missing(
        &self,
        document: &mut Document,
        occurrences: &Occurrences<'_, '_>,
    ) -> Result<(), AnswerError> {
        if let Some((missing, is_quoted)) = &self.missing
            // A word without quotation marks may be a string of code, such as the name of a key.
            && (*is_quoted || query::literal_files(occurrences.sources.snapshot(), missing)? == 0)
        {
            document.line(no_text(missing));
        }
        Ok(())
    }

    /// Notes that words in quotation marks are no text, where symbols answer instead.
    pub fn note_missing(&self, document: &mut Document) {
        if let Some((missing, true)) = &self.missing {
            let no_text = no_text(missing);
            document.note(format!("{no_text}; the answer is about symbols"));
        }
    }
}

fn no_text(words: &str) -> String {
    format!(
        "no text in source, markup, `.resx` or JSON equals {words:?}, and no element or resource contains it; \
         files that Git ignores were not searched"
    )
}

/// Adds the texts of the interface that a question quotes.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (question, targets): (&str, &Targets),
    wants: Wants,
) -> Result<Answered, AnswerError> {
    let wants = Wants {
        flow: wants.flow || targets.has_word("do") || targets.mentions(&["request", "send"]),
        ..wants
    };

    let mut answered = Answered::default();
    let mut shown = Shown::new();
    let mut phrases = query::interface_phrases(question);
    let is_internal = query::described_noun(question).is_some_and(|noun| noun.kind.is_internal());
    let may_quote = !wants.tests && !wants.overrides && !wants.entry_points && !is_internal;
    phrases.retain(|phrase| phrase.is_quoted || may_quote);
    for phrase in phrases {
        if !phrase.is_quoted && names_member(targets, &phrase.text()) {
            continue;
        }
        let is_plain = !phrase.is_quoted && phrase.text().starts_with(char::is_lowercase);
        if is_plain && describes_function(occurrences, question)? {
            continue;
        }
        let mut text = query::interface_text(occurrences, &phrase)?;
        let is_long = targets.uncommon_words().count() >= PROSE_FROM;
        if !phrase.is_quoted && is_prose(&text.asked) && (is_long || names_property(targets)) {
            continue;
        }

        let is_inside = keep_inside(&mut text, document, targets);
        let count = text.all_places().count();
        if !phrase.is_quoted
            && !is_inside
            && count > MAX_ELSEWHERE
            && names_function(targets, &text)
        {
            document.note(format!(
                "left out: {count} places of the text {:?} elsewhere; quote it to see them",
                text.asked
            ));
            continue;
        }
        if !may_answer(&text, &phrase, targets) {
            if text.is_empty() {
                if text.is_cut {
                    document.note(CUT);
                }
                answered
                    .missing
                    .get_or_insert((text.asked, phrase.is_quoted));
            }
            continue;
        }

        let words = words_beside(targets, &text);
        add(document, occurrences, &text, (wants, &words), &mut shown)?;
        answered.is_answered = true;
        answered.is_quoted |= phrase.is_quoted;
        answered.texts.push(text.asked);
    }

    if answered.is_answered {
        answered.missing = None;
    }
    Ok(answered)
}

/// Reports whether a text answers a question. One that only contains words without quotation marks does not if
/// they name something else.
fn may_answer(text: &InterfaceText, phrase: &Phrase, targets: &Targets) -> bool {
    let is_shown = text.all_places().next().is_some();
    let is_meant = phrase.is_quoted || is_shown && (text.is_equal || !targets.has_written_name);
    is_meant && !text.is_empty()
}

/// Reports whether a name is that of a member of a type that the question names, too: `which
/// subclasses of Cart override Total?`
fn names_member(targets: &Targets, name: &str) -> bool {
    let named = || {
        targets.found.iter().filter_map(|target| match target {
            Target::Symbols(symbols) => Some(symbols),
            _ => None,
        })
    };
    let types: Vec<NodeId> = named()
        .flat_map(|symbols| symbols.groups.iter().flat_map(|group| group.ids()))
        .collect();
    let mut members = named().filter(|symbols| symbols.asked == name);
    members.any(|symbols| {
        let mut groups = symbols.groups.iter();
        groups.any(|group| group.first().parent.is_some_and(|it| types.contains(&it)))
    })
}

/// Reports whether a question says all words of the function or component that it describes: `the sign-up form of the
/// start page` is `SignUpForm`, not a page with the text `start`.
fn describes_function(
    occurrences: &Occurrences<'_, '_>,
    question: &str,
) -> Result<bool, AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let described = query::described_symbols(snapshot, question)?;
    Ok(described
        .first()
        .is_some_and(|best| is_callable(&best.node) && query::is_name_said(&best.node, question)))
}

/// Reports whether a question names a property by several words in one, so that a word with a capital is hardly a text:
/// `where is the Mail agent's isEnabled option read?`
fn names_property(targets: &Targets) -> bool {
    targets.found.iter().any(|target| match target {
        Target::Symbols(symbols) => {
            let node = symbols.groups[0].first();
            let is_written = symbols.note.is_none() && query::is_compound(&symbols.asked);
            is_written && node.node_type == NodeType::Property
        }
        _ => false,
    })
}

/// Returns the symbols that a question names, other than by a text.
fn symbols_beside<'t>(
    targets: &'t Targets,
    text: &InterfaceText,
) -> impl Iterator<Item = &'t Node> {
    let symbols = targets.found.iter().filter_map(|target| match target {
        Target::Symbols(symbols) if symbols.asked != text.asked => Some(&symbols.groups),
        _ => None,
    });
    symbols.flatten().flat_map(|group| &group.nodes)
}

/// Reports whether a question names a function or component beside a text.
fn names_function(targets: &Targets, text: &InterfaceText) -> bool {
    symbols_beside(targets, text).any(is_callable)
}

/// Removes the places of a text outside of the functions and types that the question names, if some
/// places are inside; reports whether some are.
fn keep_inside(text: &mut InterfaceText, document: &mut Document, targets: &Targets) -> bool {
    let spans: Vec<_> = symbols_beside(targets, text)
        .flat_map(|node| &node.spans)
        .collect();
    let is_inside = |at: &Occurrence| {
        spans.iter().any(|span| {
            let lines = span.span.start.line..=span.span.end_line;
            span.path == at.path && lines.contains(&at.line)
        })
    };

    let has_inner = text.all_places().any(|place| is_inside(&place.at));
    if has_inner {
        let count = text.all_places().count();
        text.places.retain(|place| is_inside(&place.at));
        for key in &mut text.keys {
            key.uses.retain(|place| is_inside(&place.at));
            key.computed.retain(|place| is_inside(&place.at));
        }
        text.keys
            .retain(|key| !key.uses.is_empty() || !key.computed.is_empty());
        text.is_cut = false;
        let elsewhere = count - text.all_places().count();
        if elsewhere > 0 {
            let places = counted(elsewhere as u64, "more place");
            document.note(format!("{:?} has {places} elsewhere", text.asked));
        }
    }
    has_inner
}

fn add(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    text: &InterfaceText,
    (wants, words): (Wants, &[String]),
    shown: &mut Shown,
) -> Result<(), AnswerError> {
    let asked = &text.asked;
    let count = text.places.len() + text.keys.len();
    document.line(match text.is_equal {
        true => format!(
            "## text \"{asked}\" of the interface ({})",
            counted(count as u64, "place")
        ),
        false => format!(
            "no text of the interface equals \"{asked}\"; {} it:",
            contain(count)
        ),
    });

    if text.is_cut {
        document.note(CUT);
    }

    add_keys(document, &text.keys);
    let mut asked_words = words.to_vec();
    asked_words.extend(query::name_words(asked));
    let rows: Vec<Occurrence> = text.places.iter().map(|place| place.at.clone()).collect();
    let (tests, code): (Vec<_>, Vec<_>) = rows.into_iter().partition(Occurrence::is_test);
    views::sections(document, occurrences, &code)?;
    document.section(Section::occurrence_rows("texts", "stands at", code).weighing(30));
    if wants.conditions {
        let conditions = reactions_of(
            occurrences,
            &text.all_places().collect::<Vec<_>>(),
            |occurrences, place| query::conditions(occurrences, place),
        )?;
        let title = "conditions of the elements around it";
        document.section(Section::tree("conditions", title, conditions).weighing(WANTED));
    }
    let tests = Section::occurrence_rows("tests", "in tests", tests);
    document.section(if wants.tests {
        tests.weighing(WANTED)
    } else {
        tests.at_most(MAX_TESTS)
    });

    let mut places: Vec<&TextPlace> = text.all_places().collect();
    let shared = |place: &&TextPlace| shared_words(&place.at.path, words);
    let most = places.iter().map(shared).max().unwrap_or_default();
    places.retain(|place| shared(place) == most);
    if text.is_equal || places.len() <= MAX_PARTIAL {
        add_reactions(
            document,
            occurrences,
            (&places, &asked_words),
            (wants, shown),
        )?;
    }
    Ok(())
}

/// Returns the words of a question besides those of a text, in lower case.
fn words_beside(targets: &Targets, text: &InterfaceText) -> Vec<String> {
    let of_text = query::name_words(&text.asked);
    let names = targets.found.iter().map(Target::requested_text);
    let names = names.chain(targets.missing.iter().map(|(name, _)| name.as_str()));
    let mut words = targets.words.clone();
    words.extend(names.flat_map(query::name_words));
    words.retain(|word| word.len() >= MIN_LETTERS && !of_text.contains(word));
    words
}

/// Counts the words of a question in the path of a file: `SelectBrowserWindow.xaml` for `the browser window`.
fn shared_words(path: &str, words: &[String]) -> usize {
    let parts = query::name_words(path);
    parts.iter().filter(|part| words.contains(part)).count()
}

fn contain(count: usize) -> String {
    match count {
        1 => "1 text contains".to_owned(),
        count => format!("{count} texts contain"),
    }
}

/// Adds the keys of a text and their uses.
fn add_keys(document: &mut Document, keys: &[TextKey]) {
    let mut lines = Vec::new();
    for key in keys {
        let (path, line) = &key.at;
        let others = match key.others {
            0 => String::new(),
            count => format!(" and in {}", counted(count as u64, "other file")),
        };
        let unused = match (key.uses.is_empty(), key.computed.is_empty()) {
            (false, _) => "",
            (true, false) => "; no use by that name found",
            (true, true) => "; no use by that name found, code may compute it",
        };
        lines.push(format!("{}  {path}:{line}{others}{unused}", key.key));
    }
    document.section(Section::lines("keys", "defined under the key", lines).weighing(30));

    let uses = keys.iter().flat_map(|key| &key.uses);
    let rows = uses.map(|place| place.at.clone()).collect();
    document.section(Section::occurrence_rows("uses", "its key is used at", rows).weighing(30));

    let computed = keys.iter().flat_map(|key| &key.computed);
    let rows = computed.map(|place| place.at.clone()).collect();
    let title = "code that computes keys with the same beginning";
    document.section(Section::occurrence_rows("computed", title, rows).weighing(30));
}

/// Adds what the elements around the places of a text run.
fn add_reactions(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (places, words): (&[&TextPlace], &[String]),
    (wants, shown): (Wants, &mut Shown),
) -> Result<(), AnswerError> {
    let mut lines = reactions_of(occurrences, places, query::reactions)?;
    if lines.is_empty() {
        lines = reactions_of(occurrences, places, query::selected_handlers)?;
    }
    if lines.is_empty() {
        lines = reactions_of(occurrences, places, query::reactions_beside)?;
    }
    if lines.is_empty() {
        let places: Vec<Occurrence> = places.iter().map(|place| place.at.clone()).collect();
        literal_use::branches_of_items(document, occurrences, (&places, wants))?;
    }

    let has_elements = places.iter().any(|place| place.has_elements());
    if lines.is_empty() && wants.flow && has_elements {
        document.line("no handler is known on the elements around it");
        add_nearby(document, occurrences, places)?;
    }
    if lines.is_empty() {
        lines = of_attributes(occurrences, places)?;
    }
    if lines.is_empty() {
        lines = controls::handlers(occurrences, places)?;
    }

    if lines.is_empty() {
        add_renderers(document, occurrences, places, wants)?;
        add_messages(document, occurrences, places, wants)?;
        add_constants(document, occurrences, places)?;
        if words.iter().any(|word| CLASSES.contains(&word.as_str())) {
            add_types(document, occurrences, places)?;
        }
    }

    branches_of_arguments(document, occurrences, (places, &lines), wants)?;
    // What follows the place and its handler.
    let steps: Vec<String> = lines.iter().skip(2).cloned().collect();
    if !steps.is_empty() && shown.contains(&steps) {
        document.line("what runs around it is as above");
        return Ok(());
    }

    shown.push(steps);
    let section = Section::tree("flow", REACTIONS, lines.clone());
    document.section(section.weighing(WANTED));
    if wants.flow {
        flow_source::sections(document, occurrences, &[], (&lines, words))?;
    }
    if wants.callers {
        add_bound(document, occurrences, places)?;
    }
    Ok(())
}

/// Returns what the classes do that have a text in an attribute, as a tree of lines: `Execute` of
/// `[Command(Header = "Save")] class SaveCommand : Command`.
fn of_attributes(
    occurrences: &mut Occurrences<'_, '_>,
    places: &[&TextPlace],
) -> Result<Vec<String>, AnswerError> {
    let mut lines = Vec::new();
    let is_code = |place: &&&TextPlace| !place.at.is_test();
    for place in places.iter().filter(is_code).take(MAX_REACTIONS) {
        let Some(class) = query::type_with_attribute(occurrences, &place.at)? else {
            continue;
        };

        let snapshot = occurrences.sources.snapshot();
        for member in query::members_of(snapshot, class.id)? {
            let snapshot = occurrences.sources.snapshot();
            let runs = is_callable(&member)
                && (member.flags.has(NodeFlags::OVERRIDE)
                    || !query::bases_of(snapshot, &[member.id])?.is_empty());
            if runs {
                lines.extend(query::flow(occurrences, &member)?);
            }
        }
    }

    Ok(lines)
}

/// Adds the branches of the file that the strings of handlers select: `case "orders":` for
/// `setTab("orders")`.
fn branches_of_arguments(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (places, handlers): (&[&TextPlace], &[String]),
    wants: Wants,
) -> Result<(), AnswerError> {
    let labels: Vec<String> = handlers
        .iter()
        .filter_map(|line| string_argument(line))
        .flat_map(|text| [format!("case '{text}':"), format!("case \"{text}\":")])
        .collect();

    let mut found: Vec<(String, u32)> = Vec::new();
    let is_source = |place: &&&TextPlace| Dialect::of_path(&place.at.path).is_some();
    for place in places.iter().filter(is_source).take(MAX_REACTIONS) {
        let path = &place.at.path;
        let lines = occurrences.sources.lines(path, 1, u32::MAX)?;
        for (number, line) in (1..).zip(lines.iter().flatten()) {
            let is_label = labels.iter().any(|label| line.trim().starts_with(label));
            let at = (path.clone(), number);
            if is_label && !found.contains(&at) {
                found.push(at);
            }
        }
    }

    branches::at(document, occurrences, &found, wants)
}

/// Returns the string that a line passes as the only argument: `orders` of `setTab("orders")`.
fn string_argument(line: &str) -> Option<&str> {
    let (_, argument) = line.split_once("('").or_else(|| line.split_once("(\""))?;
    let (text, rest) = argument.split_once(['\'', '"'])?;
    rest.starts_with(')').then_some(text)
}

/// Returns what some places of a text run, each once, as a tree of lines.
fn reactions_of(
    occurrences: &mut Occurrences<'_, '_>,
    places: &[&TextPlace],
    find: impl Fn(&mut Occurrences<'_, '_>, &TextPlace) -> Result<Vec<String>, QueryError>,
) -> Result<Vec<String>, AnswerError> {
    let mut lines: Vec<String> = Vec::new();
    let mut seen: Vec<Vec<String>> = Vec::new();

    for place in places {
        if seen.len() == MAX_REACTIONS {
            break;
        }
        let inner = find(occurrences, place)?;
        if inner.is_empty() || seen.contains(&inner) {
            continue;
        }

        lines.push(format!(
            "{}  {}:{}",
            place.at.symbol, place.at.path, place.at.line
        ));
        lines.extend(inner.iter().map(|line| format!("  {line}")));
        seen.push(inner);
    }

    Ok(lines)
}

/// Adds the types of C# around texts without handlers, where they are constructed, and the beginning of their source.
fn add_types(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    places: &[&TextPlace],
) -> Result<(), AnswerError> {
    let mut types: Vec<Node> = Vec::new();
    for place in places.iter().filter(|place| place.at.path.ends_with(".cs")) {
        let around = query::type_around(occurrences, &place.at)?;
        types.extend(around.filter(|node| types.iter().all(|known| known.id != node.id)));
    }

    for node in types.iter().take(MAX_PARTIAL) {
        document.line(heading(occurrences, node)?);
        let tree = query::tree(occurrences.sources.snapshot(), node.id)?;

        let mut uses = occurrences.uses_of(&tree, &[EdgeType::Calls, EdgeType::References])?;
        uses.retain(|place| !place.is_test() && !own_lines_of(&types)(place));
        let uses = Section::occurrence_rows("uses of types", "constructed or used at", uses);
        document.section(uses.weighing(20));

        let source = Section::lines("source", "", source_lines(occurrences, node)?);
        document.section(source.weighing(20).at_most(MAX_TYPE_CHARS));
    }
    Ok(())
}

/// Adds the places that render the components around texts without handlers.
fn add_renderers(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    places: &[&TextPlace],
    wants: Wants,
) -> Result<(), AnswerError> {
    let mut components: Vec<Node> = Vec::new();
    for place in places.iter().take(MAX_REACTIONS) {
        let component = query::component_around(occurrences, place)?;
        let is_new = |node: &Node| components.iter().all(|known| known.id != node.id);
        components.extend(component.filter(is_new));
    }

    for component in components {
        let uses = occurrences.incoming(&[component.id], &[EdgeType::Calls])?;
        let mut rows = occurrences.of_edges(&uses)?;
        rows.retain(|row| !row.is_test());
        for row in &mut rows {
            add_attributes(occurrences, row)?;
        }
        let title = format!("{} is rendered at", component.name);
        document.section(Section::occurrence_rows("rendered", title, rows).weighing(30));

        let mut inner = Vec::new();
        for node in rendered_components(occurrences, &component)? {
            inner.push(NameRow {
                full: heading::short(occurrences, &node)?,
                short: node.name,
            });
        }
        let title = format!("{} renders", component.name);
        document.section(Section::names("renders", title, inner).weighing(12));

        if wants.data {
            let lines = query::flow(occurrences, &component)?;
            document.section(Section::tree("flow", COMPONENT, lines).weighing(WANTED));
        }
    }
    Ok(())
}

/// Adds the uses of the properties with the names to which controls beside a text are bound.
fn add_bound(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    places: &[&TextPlace],
) -> Result<(), AnswerError> {
    for place in places.iter().take(MAX_REACTIONS) {
        let names = query::bound_names(occurrences, place)?;
        for name in names.into_iter().filter(|name| query::is_compound(name)) {
            let snapshot = occurrences.sources.snapshot();
            // The server's property has the name with a capital.
            let mut ids: Vec<NodeId> = Vec::new();
            for form in [name.clone(), query::capitalized(&name)] {
                let named = query::get_node_by_qualified_name(snapshot, &form, None, None)?;
                let properties = named.into_iter().map(|(node, _)| node);
                let properties = properties.filter(|node| node.node_type == NodeType::Property);
                ids.extend(properties.map(|node| node.id));
            }

            ids.sort_unstable();
            ids.dedup();
            let mut rows = occurrences.uses_of(&ids, &[EdgeType::References])?;
            rows.retain(|row| !row.is_test());
            let title = format!("uses of properties named `{name}`, to which its control is bound");
            document.section(Section::occurrence_rows("bound", title, rows).weighing(30));
        }
    }
    Ok(())
}

/// Adds the attributes on the next lines to an element that goes on there.
fn add_attributes(
    occurrences: &mut Occurrences<'_, '_>,
    row: &mut Occurrence,
) -> Result<(), AnswerError> {
    let last = row.line + MAX_ATTRIBUTES;
    let lines = occurrences.sources.lines(&row.path, row.line, last)?;
    let Some(source) = &mut row.source else {
        return Ok(());
    };

    for line in lines.iter().flatten().skip(1) {
        let is_long = source.len() > MAX_ELEMENT_BYTES;
        if is_long || !source.starts_with('<') || query::has_tag_end(source) {
            break;
        }

        source.push(' ');
        source.push_str(line.trim());
    }
    Ok(())
}

/// Adds the handlers in the components around texts that have none themselves.
fn add_nearby(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    places: &[&TextPlace],
) -> Result<(), AnswerError> {
    let mut nearby: Vec<Vec<String>> = Vec::new();
    for place in places.iter().take(MAX_REACTIONS) {
        let lines = query::handlers_nearby(occurrences, place)?;
        if !nearby.contains(&lines) {
            nearby.push(lines);
        }
    }
    let title = "other handlers of the component around it";
    let section = Section::tree("nearby", title, nearby.concat());
    document.section(section.weighing(WANTED));
    Ok(())
}
