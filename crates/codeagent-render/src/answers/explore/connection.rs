//! The section about how one symbol reaches another. The question may describe one of them instead of naming it:
//! `how does closing a cart end up in save?`, `how does Cart.close reach the mail client?`

use std::cmp::Reverse;
use std::collections::HashSet;

use codeagent_core::engine::IndexReader;
use codeagent_core::model::dispatch::verb_and_path;
use codeagent_core::model::graph::{EdgeType, Node, NodeId};
use codeagent_core::query::{
    self, DispatchStep, Occurrence, Occurrences, PathStep, SearchFilter, SearchQuery, Searched,
    Target, Targets, TextSearchQuery,
};

use super::file_folder;
use super::literal::regex;
use super::member::is_callable;
use super::search;
use super::wants::Wants;
use crate::answers::{AnswerError, path};
use crate::note_text::counted;
use crate::text::{Document, Section};

/// Maximum number of lines whose functions may be the described end of a path.
const MAX_LINES: usize = 200;

/// Maximum number of symbols that may be the described start of a path.
const MAX_STARTS: usize = 6;

/// Maximum number of calls between the described start of a path and its end, and of functions at each step.
const MAX_STEPS: usize = 6;
const MAX_LEADING: usize = 200;

/// Number of search results among which they are.
const MAX_FOUND: usize = 60;

/// Number of words of a description that the name of such a symbol has at least.
const MIN_WORDS: usize = 2;

/// Maximum characters of what the end of a path calls.
const MAX_BEHIND: usize = 600;

/// Number of words of a description from which a search finds it rather than the text of one name.
const MANY_WORDS: usize = 3;

/// The steps of a path, and its lines.
type StepsAndLines = (Vec<PathStep>, Vec<String>);

/// Adds the path from the first to the last target, if the question asks for one. Reports whether
/// that answers the question: a path in the other direction does not.
pub(super) fn section(
    index: &IndexReader,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (targets, question): (&Targets, &str),
    wants: Wants,
) -> Result<bool, AnswerError> {
    let symbols: Vec<&Target> = targets
        .found
        .iter()
        .filter(|target| !ends(target).is_empty())
        .collect();
    if let [end] = symbols.as_slice()
        && asks_for_path_to(targets)
    {
        return match end_behind(end, question) {
            Some(words) => to_described(index, document, occurrences, (end, &words), wants),
            None => described(index, document, occurrences, (targets, end), wants),
        };
    }
    if !wants.path {
        return Ok(false);
    }
    let [first, .., last] = symbols.as_slice() else {
        return Ok(false);
    };

    let (starts, goals) = (ends(first), ends(last));
    let found = query::find_path(occurrences.sources, &starts, &goals)?;
    let (from, to) = if found.is_reversed {
        (last.requested_text(), first.requested_text())
    } else {
        (first.requested_text(), last.requested_text())
    };
    let Some(steps) = found.steps else {
        document.line(format!("no path between {from} and {to} in the index"));
        return Ok(false);
    };

    let lines = path::lines(occurrences, &steps)?;
    if lines.is_empty() {
        return Ok(false);
    }
    let title = if found.is_reversed {
        format!("no path is known in that direction, but {from} leads to {to}")
    } else {
        format!("how {from} leads to {to}")
    };

    document.section(wants.weigh(Section::lines("path", title, lines), true, 0));
    if !found.is_reversed {
        let section = path::others(occurrences, (&starts, &goals), &steps)?;
        document.section(section.weighing(20));
        let end = steps.last().map(|step| step.to);
        document.section(behind_end(occurrences, end)?);
    }
    Ok(!found.is_reversed)
}

/// Returns a section with what the function at the end of a path calls, through which the path may go on to what the
/// question means.
fn behind_end(
    occurrences: &mut Occurrences<'_, '_>,
    end: Option<NodeId>,
) -> Result<Section, AnswerError> {
    let mut lines = Vec::new();
    let snapshot = occurrences.sources.snapshot();
    let end = end.map(|id| query::get_node(snapshot, id)).transpose()?;
    if let Some(end) = end.flatten().filter(|end| is_callable(&end.node)) {
        lines = query::flow(occurrences, &end.node)?;
    }
    if lines.len() < 2 {
        lines.clear();
    }
    let section = Section::tree("behind", "what it calls, in order", lines);
    Ok(section.weighing(5).at_most(MAX_BEHIND))
}

/// Returns the symbols that a target stands for at an end of a path; for a route those that answer it.
pub(super) fn ends(target: &Target) -> Vec<NodeId> {
    match target {
        Target::Literal(literal) => {
            let routes = literal.routes.iter();
            let is_reached =
                |route: &&DispatchStep| literal.is_reached_by(verb_and_path(&route.label).0);
            routes
                .filter(is_reached)
                .filter_map(|route| route.to)
                .collect()
        }
        _ => target.ids(),
    }
}

/// Reports whether a question asks how something leads to the only symbol that it names.
pub(super) fn asks_for_path_to(targets: &Targets) -> bool {
    let ends_up = targets.has_word("up") && (targets.has_word("end") || targets.has_word("ends"));
    let verbs = ["lead", "leads", "leading", "reach", "reached", "reaches"];
    let mut verbs = verbs.into_iter();
    let is_verb = verbs.any(|verb| targets.has_word(verb));
    targets.has_word("how") && (ends_up || is_verb || gets_to(targets))
}

/// Reports whether a question has the words `get to`, `gets down to` or the like.
pub(super) fn gets_to(targets: &Targets) -> bool {
    let is_end = |word: &String| ["to", "into"].contains(&word.as_str());
    let is_between =
        |word: &String| ["across", "down", "over", "through", "up"].contains(&word.as_str());
    let mut windows = targets.words.windows(3);
    windows.any(|words| {
        is_get(&words[0]) && (is_end(&words[1]) || is_between(&words[1]) && is_end(&words[2]))
    })
}

/// Reports whether a word is the verb of `gets to`.
fn is_get(word: &str) -> bool {
    matches!(word, "get" | "gets")
}

/// Returns the steps of the path from some symbols to others, and its lines; `None` if there is none in that direction.
fn forward_path(
    occurrences: &mut Occurrences<'_, '_>,
    from: &[NodeId],
    to: &[NodeId],
) -> Result<Option<StepsAndLines>, AnswerError> {
    let found = query::find_path(occurrences.sources, from, to)?;
    let Some(steps) = found.steps.filter(|_| !found.is_reversed) else {
        return Ok(None);
    };
    let lines = path::lines(occurrences, &steps)?;
    Ok(Some((steps, lines)))
}

/// Returns the words behind the verb of a question that stands behind its only symbol, which is then the start of the
/// path: `the mail client` for `how does Cart.close reach the mail client?`
fn end_behind(start: &Target, question: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = question.split_whitespace().collect();
    let is_start = |word: &&str| word.contains(start.requested_text());
    let is_verb =
        |word: &str| is_get(word) || ["lead", "leads", "reach", "reaches", "up"].contains(&word);
    let named = words.iter().position(is_start)?;
    let verb = named + words[named..].iter().position(|word| is_verb(word))?;
    let behind = words[verb + 1..].iter().map(|word| {
        word.trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase()
    });
    let behind: Vec<String> = behind.filter(|word| !query::is_common(word)).collect();
    (!behind.is_empty()).then_some(behind)
}

/// Adds the path from a symbol to the nearest function whose code has a name made of some words, or of the rarest of
/// them, or to the best one that they describe; reports whether there is one.
fn to_described(
    index: &IndexReader,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (start, words): (&Target, &[String]),
    wants: Wants,
) -> Result<bool, AnswerError> {
    let from = ends(start);
    if words.len() >= MANY_WORDS
        && to_searched(index, document, occurrences, (start, words), wants)?
    {
        return Ok(true);
    }
    let escaped: Vec<String> = words.iter().map(|word| query::escaped_text(word)).collect();
    let mut tried = vec![escaped.join("_?")];
    if escaped.len() > 1 {
        tried.extend(escaped);
    }
    for pattern in tried {
        let search = TextSearchQuery {
            ignore_case: true,
            ..regex(&pattern)
        };
        let found = query::search_text(occurrences, &search)?;
        if found.code.len() > MAX_LINES {
            continue;
        }
        let mut functions: Vec<(NodeId, Occurrence)> = Vec::new();
        for place in found.code {
            let function = query::function_around(occurrences, &place)?;
            functions.extend(function.map(|node| (node.id, place)));
        }
        functions.retain(|(id, _)| !from.contains(id));
        let to: Vec<NodeId> = functions.iter().map(|(id, _)| *id).collect();
        let Some((steps, lines)) = forward_path(occurrences, &from, &to)? else {
            continue;
        };

        let last = steps.last().map(|step| step.to);
        let named = functions.into_iter().filter(|(id, _)| Some(*id) == last);
        let named = named.map(|(_, place)| place).collect();
        let from = start.requested_text();
        let title = format!(
            "how {from} leads to code that names \"{}\"",
            words.join(" ")
        );
        document.section(wants.weigh(Section::lines("path", title, lines), true, 0));
        let section = Section::occurrence_rows("end", "named there", named);
        document.section(wants.weigh(section, true, 0));
        return Ok(true);
    }
    if words.len() < MANY_WORDS && to_searched(index, document, occurrences, (start, words), wants)?
    {
        return Ok(true);
    }
    document.line(format!(
        "the index has no path from {} to code that names \"{}\"; name the function at its end",
        start.requested_text(),
        words.join(" ")
    ));
    Ok(false)
}

/// Adds the path from a symbol to the best one outside tests that some words describe and that it reaches; reports
/// whether there is one.
fn to_searched(
    index: &IndexReader,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (start, words): (&Target, &[String]),
    wants: Wants,
) -> Result<bool, AnswerError> {
    let from = ends(start);
    let words = words.join(" ");

    for hit in search::found_by_words(index, occurrences, &words)?.hits {
        let end = hit.node;
        let is_end = is_callable(&end) || end.node_type.is_type();
        if !is_end || is_of_tests(&end) || from.contains(&end.id) {
            continue;
        }

        let found = forward_path(occurrences, &from, &[end.id])?;
        let Some((_, lines)) = found.filter(|(_, lines)| !lines.is_empty()) else {
            continue;
        };

        let title = format!(
            "how {} leads to {}, the best match for \"{words}\" that it reaches",
            start.requested_text(),
            occurrences.short_name(&end)?
        );
        document.section(wants.weigh(Section::lines("path", title, lines), true, 0));
        return Ok(true);
    }

    Ok(false)
}

/// Adds the path to a symbol from one whose name has the words of the question, or that they describe; reports whether
/// there is one.
fn described(
    index: &IndexReader,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (targets, end): (&Targets, &Target),
    wants: Wants,
) -> Result<bool, AnswerError> {
    let words: Vec<&str> = targets.uncommon_words().collect();
    let ends = match end {
        Target::File { path, .. } => {
            let (exported, internal) = file_folder::declared(occurrences, path)?;
            let declared = exported.into_iter().chain(internal);
            declared.map(|node| node.id).collect()
        }
        _ => ends(end),
    };

    let mut starts = starts(occurrences, &words)?;
    starts.extend(leading(occurrences, &ends, &words)?);
    if words.len() >= MANY_WORDS {
        let found = search::found_by_words(index, occurrences, &words.join(" "))?;
        let nodes = found.hits.into_iter().map(|hit| hit.node);
        starts.extend(nodes.filter(|node| is_callable(node) && !is_of_tests(node)));
    }

    for start in &starts {
        let found = forward_path(occurrences, &[start.id], &ends)?;
        let Some((_, lines)) = found.filter(|(_, lines)| !lines.is_empty()) else {
            continue;
        };

        let (from, to) = (occurrences.short_name(start)?, end.requested_text());
        let title = format!("how {from} (matched by words) leads to {to}");
        document.section(wants.weigh(Section::lines("path", title, lines), true, 0));
        return Ok(true);
    }

    let end = end.requested_text();
    document.line(match starts.len() {
        0 => format!("no function's name has several words of the question; name the start of the path to {end}"),
        count => format!(
            "the index has no path to {end} from the {} whose names fit the question best; name the start of the \
             path",
            counted(count as u64, "function")
        ),
    });
    Ok(false)
}

/// Returns the functions outside tests whose names have several of some words, those with most first.
fn starts(occurrences: &Occurrences<'_, '_>, words: &[&str]) -> Result<Vec<Node>, AnswerError> {
    if words.len() < MIN_WORDS {
        return Ok(Vec::new());
    }

    let text = words.join(" ");
    let search = SearchQuery {
        text: &text,
        filter: &SearchFilter::default(),
        limit: MAX_FOUND,
    };
    let found = query::search(occurrences.sources.snapshot(), Searched::default(), &search)?;

    let mut named: Vec<(usize, Node)> = Vec::new();
    for hit in found.hits {
        let said = words_said(&hit.node, words);
        if is_callable(&hit.node) && !is_of_tests(&hit.node) && said >= MIN_WORDS {
            named.push((said, hit.node));
        }
    }

    named.sort_by_key(|(said, _)| Reverse(*said));
    Ok(named
        .into_iter()
        .map(|(_, node)| node)
        .take(MAX_STARTS)
        .collect())
}

/// Returns the functions outside tests that lead to some symbols by calls and have several of some words in their names,
/// those with most first, and of these the farthest.
fn leading(
    occurrences: &Occurrences<'_, '_>,
    ends: &[NodeId],
    words: &[&str],
) -> Result<Vec<Node>, AnswerError> {
    let mut seen: HashSet<NodeId> = ends.iter().copied().collect();
    let mut level = ends.to_vec();
    let mut named: Vec<(usize, usize, Node)> = Vec::new();
    for steps in 1..=MAX_STEPS {
        let bases = query::bases_of(occurrences.sources.snapshot(), &level)?;
        level.extend(bases.into_iter().map(|(id, _)| id));
        let calls = occurrences.incoming(&level, &[EdgeType::Calls])?;
        level = calls.iter().map(|edge| edge.other).collect();
        level.retain(|id| seen.insert(*id));
        level.truncate(MAX_LEADING);

        for id in &level {
            let symbol = query::get_node(occurrences.sources.snapshot(), *id)?;
            if let Some(node) = symbol.map(|symbol| symbol.node) {
                let said = words_said(&node, words);
                if said >= MIN_WORDS && is_callable(&node) && !is_of_tests(&node) {
                    named.push((said, steps, node));
                }
            }
        }
    }
    named.sort_by_key(|(said, steps, _)| Reverse((*said, *steps)));
    let nodes = named.into_iter().map(|(.., node)| node);
    Ok(nodes.take(MAX_STARTS).collect())
}

/// Counts the words that are in the name of a symbol.
fn words_said(node: &Node, words: &[&str]) -> usize {
    let own = query::name_words(&node.name);
    let is_said = |word: &&&str| own.iter().any(|own| is_form(own, word));
    words.iter().filter(is_said).count()
}

fn is_of_tests(node: &Node) -> bool {
    let mut paths = node.spans.iter().map(|span| span.path.as_str());
    paths.any(query::is_test_path)
}

/// Reports whether two words are forms of one: `completing` and `complete`.
pub(super) fn is_form(a: &str, b: &str) -> bool {
    query::word_root(a) == query::word_root(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_root() {
        assert!(is_form("complete", "completing") && is_form("cart", "carts"));
        assert!(!is_form("complete", "compare") && !is_form("port", "portfolio"));
    }
}
