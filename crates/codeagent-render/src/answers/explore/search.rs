//! The answer to a question that names nothing: what its words match best.

use codeagent_core::engine::IndexReader;
use codeagent_core::model::graph::{EdgeType, Node, NodeType};
use codeagent_core::query::{
    self, DescribedSymbol, NounKind, Occurrences, SearchFilter, SearchQuery, SearchResults,
};

use super::heading::short;
use super::member::is_callable;
use super::{Wants, described};
use crate::answers::AnswerError;
use crate::text::{Document, NameRow, Section, cut};

/// Maximum listed search results.
const MAX_FOUND: usize = 10;

/// Maximum results among which those of the described kind are.
const MAX_OF_ANY_KIND: usize = 60;

/// Maximum characters of the list of results.
const MAX_FOUND_CHARS: usize = 800;

/// Number of members from which one of them does not describe its type.
const MANY_MEMBERS: usize = 100;

/// Maximum number of symbols that are explored.
const MAX_EXPLORED: usize = 4;

/// Score from which a symbol described by a question is as likely meant as what a search finds.
const SURE: f64 = 0.2;

/// How many times as much the likelier of these two counts.
const LIKELIER: f64 = 2.0;

/// How little the first places of a list differ; larger is less.
const RANKED_ALIKE: f64 = 2.0;

/// Searches for a text without targets, lists the results, and explores those that may be meant. `described` are the
/// symbols that the text describes, if they are known.
pub(super) fn search(
    index: &IndexReader,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (text, described): (&str, Option<Vec<DescribedSymbol>>),
    wants: Wants,
) -> Result<(), AnswerError> {
    let found = found_by_words(index, occurrences, text)?;
    let rows = found_rows(occurrences, &found)?;
    if rows.is_empty() {
        document.line("the query names no symbol, and no symbol matches its words");
        return Ok(());
    }
    document.line("the query names no symbol; these symbols match its words best:");
    let section = Section::names("found", "found", rows);
    document.section(section.weighing(20).at_most(MAX_FOUND_CHARS));

    let described = match described {
        Some(described) => described,
        None => query::described_symbols(occurrences.sources.snapshot(), text)?,
    };
    let meant = meant(occurrences, text, (described, &found), wants)?;
    if meant.is_empty() {
        return Ok(());
    }
    document.line("those that may be meant:");
    let wants = Wants {
        guesses: true,
        no_tests: !wants.tests,
        ..wants
    };
    described::sections(document, occurrences, &meant, wants)
}

/// Lists the best results of a search with their documentation.
fn found_rows(
    occurrences: &mut Occurrences<'_, '_>,
    found: &SearchResults,
) -> Result<Vec<NameRow>, AnswerError> {
    let mut rows = Vec::new();
    for hit in found.hits.iter().take(MAX_FOUND) {
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
    Ok(rows)
}

/// Returns the symbols that a question may mean, best first: those that it describes and those that a search for its
/// words finds, of the kind that it asks for.
fn meant(
    occurrences: &mut Occurrences<'_, '_>,
    text: &str,
    (described, found): (Vec<DescribedSymbol>, &SearchResults),
    wants: Wants,
) -> Result<Vec<Node>, AnswerError> {
    let noun = query::described_noun(text);
    let kind = query::kind_of_described(text);
    let is_of_kind = |node: &Node| match (noun, kind) {
        (Some(noun), _) => noun.kind.has(node),
        (None, Some(is_kind)) => is_kind(node),
        (None, None) => true,
    };
    let best = described.first();
    // A question about a setting describes a value, which a search hardly puts first.
    let is_value = query::asks_for_value(text)
        && best.is_some_and(|best| best.node.node_type == NodeType::Property);
    let is_sure = best.is_some_and(|best| {
        best.score >= SURE || kind.is_some() && query::is_name_said(&best.node, text)
    });

    let mut described: Vec<Node> = described.into_iter().map(|symbol| symbol.node).collect();
    let mut hits = explorable_hits(occurrences, (text, found), wants)?;
    if described.iter().chain(&hits).any(is_of_kind) {
        hits.retain(is_of_kind);
        described.retain(|node| noun.is_none() || is_of_kind(node));
    }
    if wants.overrides {
        replace_by_overridden(occurrences, &mut hits)?;
    }

    let lists = match (is_value, is_sure) {
        (true, _) => [(described, LIKELIER), (hits, 1.0)],
        (false, true) => [(hits, 1.0), (described, 1.0)],
        (false, false) => [(hits, LIKELIER), (described, 1.0)],
    };
    let mut meant = merged(lists);
    // What calls nothing, such as a message of a log, is not what happens.
    if wants.flow {
        keep_calling(occurrences, &mut meant)?;
    }
    Ok(meant)
}

/// Returns the symbols that the results of a search stand for: the type of a member if the question is about a type, the
/// longest function of a class if it is about what happens.
fn explorable_hits(
    occurrences: &Occurrences<'_, '_>,
    (text, found): (&str, &SearchResults),
    wants: Wants,
) -> Result<Vec<Node>, AnswerError> {
    let asks_for_type = match query::described_noun(text) {
        Some(noun) => noun.kind.has_members(),
        None => query::asks_for_type(text),
    };
    let mut hits: Vec<Node> = Vec::with_capacity(found.hits.len());
    for hit in &found.hits {
        // A constructor says little of what a program does.
        let is_for_type = asks_for_type || hit.node.node_type == NodeType::Constructor;
        let around = match is_for_type {
            true => described_type(occurrences, &hit.node)?,
            false => None,
        };

        let mut node = around.unwrap_or_else(|| hit.node.clone());
        if wants.flow && node.node_type == NodeType::Class {
            node = longest_function(occurrences, node)?;
        }
        if hits.iter().all(|known| known.id != node.id) && is_explorable(&node, wants) {
            hits.push(node);
        }
    }
    Ok(hits)
}

/// Replaces symbols by the members that they override, if there are any.
fn replace_by_overridden(
    occurrences: &Occurrences<'_, '_>,
    nodes: &mut Vec<Node>,
) -> Result<(), AnswerError> {
    let mut overridden = Vec::new();
    for node in nodes.iter() {
        let snapshot = occurrences.sources.snapshot();
        overridden.extend(query::overridden_member(snapshot, node)?);
    }
    if !overridden.is_empty() {
        *nodes = overridden;
    }
    Ok(())
}

/// Searches for what a question describes, or else for all of its words, without those of an action that it excludes.
pub(super) fn found_by_words(
    index: &IndexReader,
    occurrences: &Occurrences<'_, '_>,
    question: &str,
) -> Result<SearchResults, AnswerError> {
    let noun = query::described_noun(question);
    let (text, limit) = match noun {
        Some(noun) => (noun.text, MAX_OF_ANY_KIND),
        None => (question, MAX_FOUND),
    };

    let search = SearchQuery {
        text: &query::without_what_is_not_done(text),
        filter: &SearchFilter::default(),
        limit,
    };

    let snapshot = occurrences.sources.snapshot();
    Ok(query::search(snapshot, index.searched(), &search)?)
}

/// Returns the type that a symbol is, or that it describes as its member; a large type is not described by one member.
fn described_type(
    occurrences: &Occurrences<'_, '_>,
    node: &Node,
) -> Result<Option<Node>, AnswerError> {
    let snapshot = occurrences.sources.snapshot();
    let Some(around) = query::type_or_owner(snapshot, node)? else {
        return Ok(None);
    };
    let is_itself = around.id == node.id;
    let is_small = is_itself || query::members_of(snapshot, around.id)?.len() <= MANY_MEMBERS;
    Ok(Some(around).filter(|_| is_small))
}

/// Returns the longest function of a class, which likely does what the class is for, or the class if it has none.
fn longest_function(occurrences: &Occurrences<'_, '_>, class: Node) -> Result<Node, AnswerError> {
    let mut members = query::members_of(occurrences.sources.snapshot(), class.id)?;
    members.retain(|member| is_callable(member) && member.node_type != NodeType::Constructor);
    let lines = |member: &Node| {
        let span = member.spans.first();
        span.map_or(0, |span| span.span.end_line - span.span.start.line)
    };
    Ok(members.into_iter().max_by_key(lines).unwrap_or(class))
}

/// Returns the symbol outside tests that the words of a question match best, of the kind that it describes.
pub(super) fn best_hit(
    index: &IndexReader,
    occurrences: &Occurrences<'_, '_>,
    question: &str,
) -> Result<Option<Node>, AnswerError> {
    let kind = query::described_noun(question).map_or(NounKind::Code, |noun| noun.kind);
    let found = found_by_words(index, occurrences, question)?;

    let mut nodes = Vec::with_capacity(found.hits.len());
    for hit in found.hits {
        let around = match kind.has_members() {
            true => described_type(occurrences, &hit.node)?,
            false => None,
        };
        nodes.push(around.unwrap_or(hit.node));
    }

    nodes.retain(|node| is_explorable(node, Wants::default()));
    let at = nodes.iter().position(|node| kind.has(node)).unwrap_or(0);
    Ok(nodes.into_iter().nth(at))
}

/// Removes the functions that call nothing, unless there is nothing else.
fn keep_calling(
    occurrences: &Occurrences<'_, '_>,
    nodes: &mut Vec<Node>,
) -> Result<(), AnswerError> {
    let types = [EdgeType::Calls, EdgeType::References];
    let mut calling = Vec::new();
    for node in nodes.iter() {
        if !is_callable(node) || !occurrences.outgoing(&[node.id], &types)?.is_empty() {
            calling.push(node.clone());
        }
    }
    if !calling.is_empty() {
        *nodes = calling;
    }
    Ok(())
}

/// Merges two lists of symbols with their weights, best first: one that both have precedes those that only one has, and
/// of equal ones the first list the second one. A type stands for members that are found behind it.
fn merged(lists: [(Vec<Node>, f64); 2]) -> Vec<Node> {
    let mut ranked: Vec<(f64, Node)> = Vec::new();
    for (nodes, weight) in lists {
        for (at, node) in nodes.into_iter().enumerate() {
            let worth = weight / (RANKED_ALIKE + at as f64);
            let is_same = |known: &Node| known.id == node.id || known.parent == Some(node.id);
            match ranked.iter_mut().find(|(_, known)| is_same(known)) {
                // A member that is found before its type is rather meant.
                Some(known) if known.0 > worth => known.0 += worth,
                Some(known) => *known = (known.0 + worth, node),
                None => ranked.push((worth, node)),
            }
        }
    }

    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let nodes = ranked.into_iter().map(|(_, node)| node);
    nodes.take(MAX_EXPLORED).collect()
}

/// Reports whether a symbol found by the words of a question may answer it. Tests do not, and for
/// "what happens" the symbol needs a body. A constructor says little of what a program does.
fn is_explorable(node: &Node, wants: Wants) -> bool {
    let is_test = node
        .spans
        .first()
        .is_some_and(|span| query::is_test_path(&span.path));
    let is_symbol = !matches!(
        node.node_type,
        NodeType::File | NodeType::Module | NodeType::Constructor
    );
    !is_test && is_symbol && (!wants.flow || is_callable(node))
}
