//! The answer of `explore`: sections about the symbols, files and literals in a text.
//!
//! The kind of each target selects the sections; the words of the question decide their shares of
//! the budget. A text without targets is searched for, and the best result is explored.

mod alias;
mod attribute_names;
mod branches;
mod by_shape;
mod callback;
mod callees;
mod commands;
mod connection;
mod constants;
mod containers;
mod controls;
mod dependencies;
mod derived_types;
mod described;
mod effects;
mod entry_points;
mod environment_settings;
mod exports;
mod external;
mod file_folder;
mod file_imports;
mod fixtures;
mod flow;
mod flow_source;
mod folder_dependencies;
mod framework_lines;
mod globals;
mod heading;
mod importers;
mod interface_text;
mod kind;
mod limits;
mod literal;
mod literal_use;
mod made_of_functions;
mod meant;
mod member;
pub(super) mod mentions;
mod message;
mod named_after;
mod namespace;
mod object_literal;
mod others;
mod overriding_types;
mod passed_values;
mod prose;
mod raisers;
mod reads_and_writes;
mod reflection;
mod registered;
mod search;
mod senders;
mod settings;
mod shared_strings;
mod short_bodies;
mod stand_ins;
mod start_scripts;
mod type_symbol;
mod type_values;
mod unresolved_bases;
mod value_lines;
mod views;
mod wants;

use codeagent_core::engine::IndexReader;
use codeagent_core::model::graph::{Node, NodeId, NodeKind, NodeType};
use codeagent_core::query::{
    self, DescribedSymbol, LiteralTarget, Occurrences, QueryError, SymbolGroup, SymbolTarget,
    Target, Targets,
};

use super::AnswerError;
use crate::error_text::query_error_text;
use crate::face::Face;
use crate::note_text::note_text;
use crate::text::{Document, NameRow, Section};
use heading::heading;
use prose::{
    MANY_WORDS, PROSE_FROM, describes_beside_external, describes_other_than_tests, drop_prose,
    is_guess, is_prose, is_word_of_prose, names_no_subject, names_program,
};
use wants::{WANTED, Wants};

/// Maximum other symbols of a name that are listed.
const MAX_OTHERS: usize = 8;

/// Maximum other symbols of a name that are listed in a section, and its characters unless it is asked for.
const MAX_LISTED_OTHERS: usize = 200;
const OTHERS_CHARACTERS: usize = 1_500;

/// Number of names in a chain of members that is searched for as text.
const CHAIN: usize = 3;

/// Maximum targets that are explored.
const MAX_EXPLORED: usize = 6;

/// The section of unresolved uses that is built only if requested.
pub(super) const LESS_LIKELY: &str = "less likely";

/// What `explore` is asked.
#[derive(Clone, Copy, Debug)]
pub struct ExploreQuery<'a> {
    /// The text.
    pub text: &'a str,
    /// The only section that the caller wants.
    pub section: Option<&'a str>,
    /// The reader of the answer.
    pub face: Face,
}

/// What the whole question says about each of its targets.
#[derive(Clone, Copy)]
struct Context<'t> {
    /// Files and folders that select among symbols of one name.
    within: &'t [&'t str],
    /// Files with the strings of the question, whose symbols are rather meant than others of their names.
    beside: &'t [String],
    /// The words that name no target, in lower case.
    words: &'t [String],
    wants: Wants,
    face: Face,
}

/// Answers a question about the targets in a text.
pub fn explore(index: &IndexReader, query: &ExploreQuery<'_>) -> Result<Document, AnswerError> {
    let text = query.text;
    let snapshot = index.snapshot()?;
    let mut sources = index.sources(&snapshot);
    let mut targets = query::resolve_targets(&mut sources, text)?;
    drop_prose(&mut targets, text);
    let mut document = Document::default();
    let mut occurrences = Occurrences::new(&mut sources);

    let wants = Wants {
        others: query.section == Some(LESS_LIKELY),
        ..Wants::of(&targets)
    };
    let texts = interface_text::sections(&mut document, &mut occurrences, (text, &targets), wants)?;
    let mut outcome = Outcome::default();
    if texts.is_answered {
        texts.without_texts(&mut document, &mut targets);
        let context = (wants, query.face);
        add_targets(&mut document, &mut occurrences, &targets, context)?;
        literal::keyed(&mut document, &mut occurrences, &unknown_names(&targets))?;
    } else {
        let about = (&mut targets, wants);
        outcome = answer(index, &mut document, &mut occurrences, query, about)?;
    }

    let mut unknown = unknown_names(&targets);
    // `app.config` may be prose about a name.
    unknown.sort_by_key(|name| !is_camel_case(name));
    if !document.is_empty() {
        // `andWhere` is written like code, and may be a member of something outside the repository.
        unknown.retain(|name| is_camel_case(name));
    }
    let is_long = targets.is_sentence && targets.uncommon_words().count() >= PROSE_FROM;
    unknown.retain(|name| !(is_long && is_word_of_prose(name, text)));
    if document.is_empty() || targets.is_sentence {
        literal::expressions(&mut document, &mut occurrences, (&unknown, text), wants)?;
    }
    let is_question = targets.is_sentence || targets.words.len() > 1;
    if document.is_empty() && !is_question {
        document.line(unknown_literal(unknown_text(targets)?.as_str()));
        return Ok(document);
    }
    if document.is_empty() {
        texts.add_missing(&mut document, &occurrences)?;
        let described = outcome.described;
        search::search(
            index,
            &mut document,
            &mut occurrences,
            (text, described),
            wants,
        )?;
        for literal in targets.found.iter().filter_map(literal_of) {
            document.note(unknown_literal(&literal.text));
        }
    } else {
        texts.note_missing(&mut document);
    }

    // The name of a program whose start is shown needs no note.
    if wants.entry_points && !document.is_empty() {
        let is_program = |name: &str| name.ends_with(".exe") || is_prose(name);
        targets.missing.retain(|(name, _)| !is_program(name));
    }
    if !outcome.is_of_kind {
        note_missing(&mut document, &targets, query.face);
    }
    if let Some(note) = occurrences.absent_packages_note()? {
        document.note(note_text(&note, query.face));
    }
    if let Some(note) = sources.stale_note() {
        document.note(note_text(&note, query.face));
    }
    Ok(document)
}

/// How the sections about code understood a question.
#[derive(Default)]
struct Outcome {
    /// Whether it asks for symbols of a kind.
    is_of_kind: bool,
    /// The symbols that it describes, if they are meant rather than its names.
    described: Option<Vec<DescribedSymbol>>,
}

/// Adds the sections about code.
fn answer(
    index: &IndexReader,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    query: &ExploreQuery<'_>,
    (targets, wants): (&mut Targets, Wants),
) -> Result<Outcome, AnswerError> {
    let text = query.text;
    let mut is_answered = chains(document, occurrences, (targets, text), wants)?;
    if !wants.entry_points {
        is_answered |= connection::section(index, document, occurrences, (targets, text), wants)?;
    }

    let asked =
        query::asked_kind(occurrences, text)?.filter(|kind| !kind::names_symbols(targets, kind));
    if names_no_subject(targets, text) && !wants.flow && !wants.impact {
        is_answered |= framework_lines::sections(document, occurrences, (text, &[]))?;
    } else if names_program(targets) {
        let folders: Vec<&str> = targets.found.iter().filter_map(place_of).collect();
        framework_lines::sections(document, occurrences, (text, &folders))?;
    }
    if !is_answered {
        is_answered |= settings::section(document, occurrences, targets)?;
    }
    if let Some(kind) = &asked {
        kind::sections(document, occurrences, kind, wants)?;
        is_answered = true;
    }

    let is_of_tests = wants.tests && !describes_other_than_tests(text);
    if is_of_tests && (!targets.has_written_name || describes_beside_external(targets)) {
        is_answered |= described::tests(index, document, occurrences, (targets, text), wants)?;
    }
    if wants.entry_points {
        is_answered |= entry_points::section(document, occurrences, (targets, wants))?;
    } else if !is_answered {
        is_answered = entry_points::of_commands(document, occurrences, targets)?;
    }

    let mut outcome = Outcome {
        is_of_kind: asked.is_some(),
        described: None,
    };
    if is_answered {
        return Ok(outcome);
    }
    let snapshot = occurrences.sources.snapshot();
    outcome.described = query::described_rather(snapshot, text, targets)?;
    if outcome.described.is_some() {
        targets.leave_out_names();
        return Ok(outcome);
    }

    if is_guess(targets, text) {
        let is_weak = |target: &Target| match target {
            Target::Symbols(_) => true,
            Target::Literal(literal) => {
                !literal.is_known() && is_word_of_prose(&literal.text, text)
            }
            Target::File { asked, .. } | Target::External { asked, .. } => {
                is_word_of_prose(asked, text)
            }
            _ => false,
        };
        // What the whole question describes is rather meant than one word that equals a name.
        if targets.found.iter().all(is_weak) {
            targets.leave_out_names();
            return Ok(outcome);
        }
        document.line("no symbol is named for sure; the answer is about words that equal a name:");
    }
    add_targets(document, occurrences, targets, (wants, query.face))?;
    Ok(outcome)
}

/// Adds the lines with a chain of members that leads to no symbol, such as `to.have.status(..)` of
/// an assertion; reports whether there are any.
fn chains(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (targets, text): (&Targets, &str),
    wants: Wants,
) -> Result<bool, AnswerError> {
    let names = targets.missing.iter();
    let names = names.filter_map(|(name, _)| name.split_once('(').map(|(name, _)| name));
    let chains: Vec<&str> = names
        .filter(|name| name.split('.').count() >= CHAIN && !name.contains(['/', '#', ':']))
        .collect();
    if !chains.is_empty() {
        literal::expressions(document, occurrences, (&chains, text), wants)?;
    }
    Ok(!document.is_empty())
}

/// Adds the sections of each target.
fn add_targets(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    targets: &Targets,
    (wants, face): (Wants, Face),
) -> Result<(), AnswerError> {
    let within = folders_of_symbols(targets);
    let beside = meant::files_of_strings(occurrences, targets)?;
    let context = Context {
        within: &within,
        beside: &beside,
        words: &targets.words,
        wants,
        face,
    };

    let limits = limits::limits(occurrences, targets, &within)?;
    let mut part = Document::default();
    if overriding_types::section(&mut part, occurrences, targets, context)? {
        limits.apply(&mut part);
        document.append(part, WANTED);
        return Ok(());
    }
    let explored = targets
        .found
        .iter()
        .filter(|target| place_of(target).is_none_or(|place| !within.contains(&place)))
        .filter(|target| !limits.is_of(target));
    for target in explored.take(MAX_EXPLORED) {
        add_target(document, occurrences, target, (context, &limits))?;
        if let Some(path) = place_of(target) {
            commands::section(document, occurrences, path, targets)?;
            registered::section(document, occurrences, path, targets)?;
        }
    }

    Ok(())
}

/// Returns the only target of a text that is one name and has no places.
fn unknown_text(targets: Targets) -> Result<String, QueryError> {
    let targets = targets.check()?;
    match targets.found.as_slice() {
        [Target::Literal(literal)] => Ok(literal.text.clone()),
        _ => Err(QueryError::EmptySearch),
    }
}

fn literal_of(target: &Target) -> Option<&LiteralTarget> {
    match target {
        Target::Literal(literal) => Some(literal),
        _ => None,
    }
}

fn unknown_literal(name: &str) -> String {
    format!("no symbol, string, route or file in the index is named {name:?}")
}

/// Reports whether a name begins in lower case and has several words.
fn is_camel_case(name: &str) -> bool {
    name.starts_with(char::is_lowercase)
        && name.chars().all(char::is_alphanumeric)
        && query::is_compound(name)
}

/// Returns the names of a text that are those of no symbol, string, file or folder, without words that are likely
/// prose in a long sentence.
fn unknown_names(targets: &Targets) -> Vec<&str> {
    let literals = targets.found.iter().filter_map(literal_of);
    let literals = literals.map(|literal| literal.text.as_str());
    let missing = targets.missing.iter().map(|(name, _)| name.as_str());
    let is_long = targets.uncommon_words().count() >= MANY_WORDS;
    let is_aside = |name: &str| is_long && (is_prose(name) || query::is_acronym(name));
    let names = literals.chain(missing);
    names.filter(|name| !is_aside(name)).collect()
}

/// Returns the files and folders in a sentence that select among symbols of one name, or among the
/// places of a literal.
fn folders_of_symbols(targets: &Targets) -> Vec<&str> {
    let symbols = || {
        targets.found.iter().filter_map(|target| match target {
            Target::Symbols(symbols) => Some(symbols),
            _ => None,
        })
    };

    let holds = |place: &&str| {
        let mut groups = symbols().flat_map(|symbols| symbols.groups.iter().chain(&symbols.others));
        groups.any(|group| is_of_place(group.first(), place))
    };

    let has_literals = targets
        .found
        .iter()
        .any(|target| literal_of(target).is_some());
    let places = targets.found.iter().filter_map(place_of);
    places
        .filter(|place| has_literals || holds(place))
        .collect()
}

/// Returns the path of a file or folder that is a target.
fn place_of(target: &Target) -> Option<&str> {
    match target {
        Target::File { path, .. } | Target::Folder { path, .. } => Some(path),
        Target::Symbols(_) | Target::External { .. } | Target::Literal(_) => None,
    }
}

/// Reports whether a symbol is declared in a file, folder or package that a question names.
fn is_of_place(node: &Node, place: &str) -> bool {
    is_within(node, place) || is_of_package(node, place)
}

/// Reports whether a symbol is declared in the package whose main module a file is, which the package's name
/// stands for: `Cart of @shop/client`.
fn is_of_package(node: &Node, main: &str) -> bool {
    let package = main.strip_suffix("/src/index.ts");
    package.is_some_and(|package| is_within(node, package))
}

/// Reports whether a symbol is declared in a file or folder.
fn is_within(node: &Node, place: &str) -> bool {
    let mut paths = node.spans.iter().map(|span| span.path.as_str());
    paths.any(|path| query::is_in_place(path, place))
}

fn note_missing(document: &mut Document, targets: &Targets, face: Face) {
    for name in &targets.asides {
        document.note(format!(
            "left out: {}, which differs in case from {name}; query it alone",
            name.to_lowercase()
        ));
    }

    if !targets.left_out.is_empty() {
        let names = targets.left_out.join(", ");
        document.note(format!(
            "left out: {names}; query them alone if they are meant"
        ));
    }

    for (_, error) in targets.missing.iter().take(MAX_EXPLORED) {
        document.note(query_error_text(error, face));
    }

    let more = targets.found.iter().skip(MAX_EXPLORED);
    let more: Vec<&str> = more.map(Target::requested_text).collect();
    if !more.is_empty() {
        document.note(format!(
            "not included: {}; query them separately",
            more.join(", ")
        ));
    }
}

fn add_target(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    target: &Target,
    (context, limits): (Context<'_>, &limits::Limits<'_>),
) -> Result<(), AnswerError> {
    let Context { within, wants, .. } = context;
    let mut part = Document::default();
    match target {
        Target::Symbols(symbols) => add_symbols(&mut part, occurrences, symbols, context),
        Target::File { path, node, .. } => {
            file_folder::file(&mut part, occurrences, path, node, wants)
        }
        Target::Folder { path, .. } => file_folder::folder(&mut part, occurrences, path, wants),
        Target::External {
            symbols, member, ..
        } => {
            let asked = (symbols.as_slice(), member.as_deref());
            external::sections(&mut part, occurrences, asked, wants)
        }
        Target::Literal(target) => literal::literal(&mut part, occurrences, target, within, wants),
    }?;

    limits.apply(&mut part);
    document.append(part, WANTED);
    Ok(())
}

fn add_symbols(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    symbols: &SymbolTarget,
    context: Context<'_>,
) -> Result<(), AnswerError> {
    let Context {
        words, wants, face, ..
    } = context;
    let Some(group) = meant::best_group(occurrences, symbols, context)? else {
        return Ok(());
    };
    if let Some(within) = &group.callback {
        return callback::sections(document, occurrences, group.first(), within);
    }

    let nodes = meant::with_namesakes(group, symbols);
    let subject = Subject {
        nodes: &nodes,
        words,
        wants,
    };
    if group.first().node_type != NodeType::File {
        document.line(heading(occurrences, group.first())?);
    }
    if let Some(alias) = &symbols.alias {
        document.line(format!(
            "{} is an alias of it ({}:{})",
            symbols.asked, alias.path, alias.line
        ));
    }
    if let Some(note) = &symbols.note {
        document.line(format!("note: {}", note_text(note, face)));
    }
    let same = match group.first().kind {
        NodeKind::Event => &group.nodes,
        _ => &nodes,
    };
    heading::details(document, occurrences, same)?;
    // What implements a member has its name and a section of its own.
    let implementing = query::implementations_of(occurrences.sources.snapshot(), &subject.ids())?;
    let is_other = |node: &&&Node| implementing.iter().all(|(id, _)| *id != node.id);
    let groups = symbols.groups.iter().chain(&symbols.others);
    let others: Vec<&Node> = groups
        .map(SymbolGroup::first)
        .filter(|other| nodes.iter().all(|node| node.id != other.id))
        .collect();
    let is_event = |node: &&Node| node.kind == NodeKind::Event;
    let mut unrelated: Vec<&Node> = nodes[group.nodes.len()..].iter().filter(is_event).collect();
    unrelated.extend(others.iter().filter(is_other).copied());
    if !others::are_overriders(&subject) {
        list_others(document, occurrences, &unrelated)?;
    }
    subject.sections(document, occurrences)?;
    others::sections(document, occurrences, &subject, (&symbols.asked, &others))?;
    document.section(reflection::section(occurrences, &subject, &others)?);
    Ok(())
}

/// Lists the other symbols of a name: a few in one line, more in a section.
fn list_others(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    others: &[&Node],
) -> Result<(), AnswerError> {
    let mut rows = Vec::with_capacity(others.len());
    for other in others.iter().take(MAX_LISTED_OTHERS) {
        rows.push(NameRow {
            full: heading::short(occurrences, other)?,
            short: occurrences.short_name(other)?,
        });
    }

    let title = "also of that name";
    if others.len() > MAX_OTHERS {
        let section = Section::names("same name", title, rows).of(others.len());
        document.section(section.weighing(8).at_most(OTHERS_CHARACTERS));
    } else if !rows.is_empty() {
        let names: Vec<String> = rows.into_iter().map(|row| row.full).collect();
        document.line(format!("{title}: {}", names.join(", ")));
    }
    Ok(())
}

/// The symbols of one qualified name, and the sections that the question asks for.
struct Subject<'a> {
    nodes: &'a [Node],
    /// The words of the question that name no target, in lower case.
    words: &'a [String],
    wants: Wants,
}

impl Subject<'_> {
    fn first(&self) -> &Node {
        &self.nodes[0]
    }

    fn ids(&self) -> Vec<NodeId> {
        self.nodes.iter().map(|node| node.id).collect()
    }

    fn sections(
        &self,
        document: &mut Document,
        occurrences: &mut Occurrences<'_, '_>,
    ) -> Result<(), AnswerError> {
        match self.first().node_type {
            NodeType::Class | NodeType::Interface | NodeType::Type => {
                type_symbol::sections(self, document, occurrences)
            }
            NodeType::File => {
                let path = self.first().qualified_name.clone();
                file_folder::file(document, occurrences, &path, self.first(), self.wants)
            }
            NodeType::Module if self.first().kind == NodeKind::Namespace => {
                namespace::sections(self, document, occurrences)
            }
            NodeType::Module
            | NodeType::Method
            | NodeType::Property
            | NodeType::Component
            | NodeType::Constructor => member::sections(self, document, occurrences),
        }
    }
}
