//! The answer of `explore`: sections about the symbols, files and literals in a text.
//!
//! The kind of each target selects the sections; the words of the question decide their shares of
//! the budget. A text without targets is searched for, and the best result is explored.

mod connection;
mod heading;
mod member;
mod place;
mod type_symbol;
mod wants;

use codeagent_core::engine::IndexReader;
use codeagent_core::model::graph::{Node, NodeId, NodeType};
use codeagent_core::query::{
    self, Occurrences, QueryError, SearchFilter, SearchQuery, Sources, SymbolTarget, Target,
    Targets,
};

use super::AnswerError;
use crate::error_text::query_error_text;
use crate::face::Face;
use crate::note_text::note_text;
use crate::text::{Document, NameRow, Section};
use heading::{heading, is_shown_first};
use wants::Wants;

/// Maximum other symbols of a name that are listed.
const MAX_OTHERS: usize = 8;

/// Maximum listed search results.
const MAX_FOUND: usize = 10;

/// Maximum targets that are explored.
const MAX_EXPLORED: usize = 6;

/// The section of unresolved uses that is only made if it is asked for.
pub(super) const LESS_LIKELY: &str = "less likely";

/// A question about what a text refers to.
#[derive(Clone, Copy, Debug)]
pub struct ExploreQuery<'a> {
    /// The text.
    pub text: &'a str,
    /// The only section that the caller wants.
    pub section: Option<&'a str>,
}

/// Answers a question about the targets in a text.
pub fn explore(index: &IndexReader, query: &ExploreQuery<'_>) -> Result<Document, AnswerError> {
    let text = query.text;
    let snapshot = index.snapshot()?;
    let mut sources = Sources::new(&snapshot, index.workspace());
    let targets = query::resolve_targets(&mut sources, text)?;
    let mut document = Document::default();
    let mut occurrences = Occurrences::new(&mut sources);

    let wants = Wants {
        others: query.section == Some(LESS_LIKELY),
        ..Wants::of(&targets)
    };
    connection::section(&mut document, &mut occurrences, &targets)?;
    for target in targets.found.iter().take(MAX_EXPLORED) {
        add_target(&mut document, &mut occurrences, target, wants)?;
    }
    if document.is_empty() {
        let is_question = targets.is_sentence || targets.words.len() > 1;
        if !is_question {
            targets.check()?;
            return Err(QueryError::EmptySearch.into());
        }
        search(index, &mut document, &mut occurrences, text, wants)?;
    }
    note_missing(&mut document, &targets);
    let stale = sources.stale_note();
    if let Some(note) = stale {
        document.note(note_text(&note, Face::TextTools));
    }
    Ok(document)
}

fn note_missing(document: &mut Document, targets: &Targets) {
    for (_, error) in targets.missing.iter().take(MAX_EXPLORED) {
        document.note(query_error_text(error, Face::TextTools));
    }
    let more = targets.found.iter().skip(MAX_EXPLORED);
    let more: Vec<&str> = more.map(Target::asked).collect();
    if !more.is_empty() {
        document.note(format!(
            "not explored: {}; ask about them alone",
            more.join(", ")
        ));
    }
}

fn add_target(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    target: &Target,
    wants: Wants,
) -> Result<(), AnswerError> {
    match target {
        Target::Symbols(symbols) => add_symbols(document, occurrences, symbols, wants),
        Target::File { path, node, .. } => place::file(document, occurrences, path, node, wants),
        Target::Folder { path, .. } => place::folder(document, occurrences, path),
        Target::Literal(text) => place::literal(document, occurrences, text),
    }
}

fn add_symbols(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    symbols: &SymbolTarget,
    wants: Wants,
) -> Result<(), AnswerError> {
    let Some(group) = symbols
        .groups
        .iter()
        .min_by_key(|group| !is_shown_first(group.first()))
    else {
        return Ok(());
    };
    let others: Vec<&Node> = symbols
        .groups
        .iter()
        .chain(&symbols.others)
        .map(|other| other.first())
        .filter(|other| other.id != group.first().id)
        .collect();

    let subject = Subject {
        nodes: &group.nodes,
        wants,
    };
    document.line(heading(occurrences, group.first())?);
    if let Some(alias) = &symbols.alias {
        document.line(format!(
            "{} is an alias of it ({}:{})",
            symbols.asked, alias.path, alias.line
        ));
    }
    if let Some(note) = &symbols.note {
        document.line(format!("note: {}", note_text(note, Face::TextTools)));
    }
    heading::details(document, occurrences, &group.nodes)?;
    let listed = others_line(occurrences, &others)?;
    if !listed.is_empty() {
        document.line(listed);
    }
    subject.sections(document, occurrences)
}

/// Lists the other symbols of a name.
fn others_line(
    occurrences: &mut Occurrences<'_, '_>,
    others: &[&Node],
) -> Result<String, AnswerError> {
    let mut names = Vec::new();
    for other in others.iter().take(MAX_OTHERS) {
        names.push(heading::short(occurrences, other)?);
    }
    if names.is_empty() {
        return Ok(String::new());
    }
    let more = match others.len().saturating_sub(MAX_OTHERS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Ok(format!("also of that name: {}{more}", names.join(", ")))
}

/// The symbols of one qualified name, and the sections that the question asks for.
struct Subject<'a> {
    nodes: &'a [Node],
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
                place::file(document, occurrences, &path, self.first(), self.wants)
            }
            NodeType::Module
            | NodeType::Method
            | NodeType::Property
            | NodeType::Component
            | NodeType::Constructor => member::sections(self, document, occurrences),
        }
    }
}

/// Searches for a text without targets, lists the results, and explores the best one.
fn search(
    index: &IndexReader,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    text: &str,
    wants: Wants,
) -> Result<(), AnswerError> {
    let search = SearchQuery {
        text,
        filter: &SearchFilter::default(),
        limit: MAX_FOUND,
    };
    let found = query::search(occurrences.sources.snapshot(), index.vectors(), &search)?;
    let mut rows = Vec::new();
    for hit in &found.hits {
        let doc = hit.node.doc.as_deref().map(|doc| format!(" — {doc}"));
        let full = format!(
            "{}{}",
            heading::short(occurrences, &hit.node)?,
            doc.unwrap_or_default()
        );
        rows.push(NameRow {
            full: crate::text::cut(&full, 160),
            short: occurrences.short_name(&hit.node)?,
        });
    }
    if rows.is_empty() {
        document.line("no name in the question, and no symbol matches its words");
        return Ok(());
    }
    document.line("no name in the question; these symbols match its words best:");
    document.section(Section::names("found", "found", rows).weighing(30));
    if let Some(best) = found.hits.first() {
        document.line(heading(occurrences, &best.node)?);
        let subject = Subject {
            nodes: std::slice::from_ref(&best.node),
            wants,
        };
        subject.sections(document, occurrences)?;
    }
    Ok(())
}
