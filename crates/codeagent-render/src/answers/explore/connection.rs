//! The section about how one symbol reaches another, which the question may describe instead of naming it:
//! `how does closing a cart end up in save?`

use codeagent_core::model::dispatch::verb_and_path;
use codeagent_core::model::graph::{Node, NodeId};
use codeagent_core::query::{
    self, DispatchStep, Occurrences, SearchFilter, SearchQuery, Searched, Target, Targets,
};

use super::member::is_callable;
use super::wants::Wants;
use crate::answers::{AnswerError, path};
use crate::note_text::counted;
use crate::text::{Document, Section};

/// Maximum number of symbols that may be the described start of a path.
const MAX_STARTS: usize = 6;

/// Number of search results among which they are.
const MAX_FOUND: usize = 60;

/// Number of words of a description that the name of such a symbol has at least.
const MIN_WORDS: usize = 2;

/// Adds the path from the first to the last target, if the question asks for one. Reports whether
/// that answers the question: a path in the other direction does not.
pub(super) fn section(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    targets: &Targets,
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
        return described(document, occurrences, (targets, end), wants);
    }
    if !wants.path {
        return Ok(false);
    }
    let [first, .., last] = symbols.as_slice() else {
        return Ok(false);
    };

    let found = query::find_path(occurrences.sources, &ends(first), &ends(last))?;
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
        format!("no path in that direction, but {from} leads to {to}")
    } else {
        format!("how {from} leads to {to}")
    };

    document.section(wants.weigh(Section::lines("path", title, lines), true, 0));
    Ok(!found.is_reversed)
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
    targets.has_word("how") && (ends_up || verbs.any(|verb| targets.has_word(verb)))
}

/// Adds the path to a symbol from one whose name has the words of the question; reports whether there is one.
fn described(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (targets, end): (&Targets, &Target),
    wants: Wants,
) -> Result<bool, AnswerError> {
    let words: Vec<&str> = targets.uncommon_words().collect();
    let starts = starts(occurrences, &words)?;
    for start in &starts {
        let found = query::find_path(occurrences.sources, &[start.id], &ends(end))?;
        let Some(steps) = found.steps.filter(|_| !found.is_reversed) else {
            continue;
        };
        let lines = path::lines(occurrences, &steps)?;
        let (from, to) = (occurrences.short_name(start)?, end.requested_text());
        if lines.is_empty() {
            continue;
        }
        let title = format!("how {from} (matched by words of its name) leads to {to}");
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
        let own = query::name_words(&hit.node.name);
        let is_said = |word: &&&str| own.iter().any(|own| is_form(own, word));
        let said = words.iter().filter(is_said).count();
        let mut paths = hit.node.spans.iter().map(|span| span.path.as_str());
        let is_test = paths.any(query::is_test_path);
        if is_callable(&hit.node) && !is_test && said >= MIN_WORDS {
            named.push((said, hit.node));
        }
    }
    named.sort_by_key(|(said, _)| std::cmp::Reverse(*said));
    Ok(named
        .into_iter()
        .map(|(_, node)| node)
        .take(MAX_STARTS)
        .collect())
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
