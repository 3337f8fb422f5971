//! The answer to a question that names nothing: what its words match best.

use codeagent_core::engine::IndexReader;
use codeagent_core::model::graph::{Node, NodeType};
use codeagent_core::query::{self, Occurrences, SearchFilter, SearchQuery};

use super::connection::is_form;
use super::heading::{heading, short};
use super::member::is_callable;
use super::wants::WANTED;
use super::{Subject, Wants};
use crate::answers::AnswerError;
use crate::text::{Document, NameRow, Section, cut};

/// Maximum listed search results.
const MAX_FOUND: usize = 10;

/// Searches for a text without targets, lists the results, and explores the best one if `wants` tells for what.
pub(super) fn search(
    index: &IndexReader,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    text: &str,
    wants: Option<Wants>,
) -> Result<(), AnswerError> {
    let search = SearchQuery {
        text,
        filter: &SearchFilter::default(),
        limit: MAX_FOUND,
    };

    let found = query::search(occurrences.sources.snapshot(), index.searched(), &search)?;
    let mut rows = Vec::new();
    for hit in &found.hits {
        let doc = hit.node.doc.as_deref().map(|doc| format!(" — {doc}"));
        let full = format!(
            "{}{}",
            short(occurrences, &hit.node)?,
            doc.unwrap_or_default()
        );
        rows.push(NameRow {
            full: cut(&full, 160),
            short: occurrences.short_name(&hit.node)?,
        });
    }

    if rows.is_empty() {
        document.line("the query names no symbol, and no symbol matches its words");
        return Ok(());
    }

    document.line("the query names no symbol; these symbols match its words best:");
    document.section(Section::names("found", "found", rows).weighing(30));

    let Some(wants) = wants else {
        return Ok(());
    };
    let words = query::name_words(text);
    let explorable = found.hits.iter().map(|hit| &hit.node);
    let explorable = explorable.filter(|node| is_explorable(node, wants));
    // The first of those with most words.
    let best = explorable.rev().max_by_key(|node| said_words(node, &words));
    let Some(best) = best.or_else(|| found.hits.first().map(|hit| &hit.node)) else {
        return Ok(());
    };

    let mut part = Document::default();
    part.line("the one of them that may be meant:");
    part.line(heading(occurrences, best)?);
    let subject = Subject {
        nodes: std::slice::from_ref(best),
        words: &[],
        wants,
    };
    subject.sections(&mut part, occurrences)?;
    document.append(part, WANTED);
    Ok(())
}

/// Returns the number of words of a name if there are several and a question says all of them in some form, else 0.
fn said_words(node: &Node, words: &[String]) -> usize {
    let own = query::name_words(&node.name);
    let mut said = own
        .iter()
        .map(|own| words.iter().any(|word| is_form(own, word)));
    if own.len() > 1 && said.all(|is_said| is_said) {
        own.len()
    } else {
        0
    }
}

/// Reports whether a symbol found by the words of a question may answer it. Tests do not, and for
/// "what happens" the symbol needs a body. A constructor says little of what a program does.
fn is_explorable(node: &Node, wants: Wants) -> bool {
    let is_test = node
        .spans
        .first()
        .is_some_and(|span| query::is_test_path(&span.path));
    let is_constructor = node.node_type == NodeType::Constructor;
    !is_test && (!wants.flow || is_callable(node) && !is_constructor)
}
