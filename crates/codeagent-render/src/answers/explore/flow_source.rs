//! Sections with the source of the functions of a flow that a question is about, where the budget has room: what they
//! check, decide and write stands only there.

use codeagent_core::model::graph::{Node, NodeType};
use codeagent_core::query::{self, Occurrences};

use super::connection::is_form;
use super::constants;
use super::member::source_lines;
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Maximum number of functions whose source is shown, and its characters.
const MAX_FUNCTIONS: usize = 3;
const MAX_CHARS: usize = 4_000;

/// Weight of the source of a function that a flow begins with, and its characters.
const OF_BEGINNING: u32 = 15;
const MAX_BEGINNING: usize = 1_800;

/// Maximum number of lines of a flow that are looked at.
const MAX_STEPS: usize = 80;

/// Minimum length of a word that tells what a question is about.
const MIN_LETTERS: usize = 4;

/// Adds the source of the functions that flows begin with, and of those in the flows whose names have most of some
/// words.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    begins: &[Node],
    (flow, words): (&[String], &[String]),
) -> Result<(), AnswerError> {
    for node in begins.iter().take(MAX_FUNCTIONS) {
        let path = node.spans.first().map_or("", |span| span.path.as_str());
        let title = format!("{}  {path}", occurrences.short_name(node)?);
        let source = Section::lines("source", title, source_lines(occurrences, node)?);
        document.section(source.weighing(OF_BEGINNING).at_most(MAX_BEGINNING));
    }

    let mut ranked: Vec<(usize, Node)> = Vec::new();
    for (name, path, line) in flow
        .iter()
        .take(MAX_STEPS)
        .filter_map(|line| place_of(line))
    {
        let shared = shared_words(name, words);
        if shared == 0 {
            continue;
        }
        let nodes = query::named_on_line(occurrences.sources.snapshot(), path, line)?;
        let node = nodes.into_iter().find(|node| {
            let mut spans = node.spans.iter();
            let is_here = spans.any(|span| span.name_line == line && span.path == path);
            let is_code = !node.node_type.is_type() && node.node_type != NodeType::Component;
            is_here && is_code && name.ends_with(node.name.as_str())
        });
        let is_new = |node: &Node| {
            let mut known = begins.iter().chain(ranked.iter().map(|(_, known)| known));
            known.all(|known| known.id != node.id)
        };
        ranked.extend(node.filter(is_new).map(|node| (shared, node)));
    }

    ranked.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    ranked.truncate(MAX_FUNCTIONS);
    let mut lines = Vec::new();
    for (_, node) in &ranked {
        let path = node.spans.first().map_or("", |span| span.path.as_str());
        lines.push(format!("{}  {path}:", occurrences.short_name(node)?));
        lines.extend(source_lines(occurrences, node)?);
    }
    let section = Section::lines("flow source", "source of what it runs", lines);
    document.section(section.weighing(1).at_most(MAX_CHARS));

    let begins = begins.iter().take(MAX_FUNCTIONS).cloned();
    let shown: Vec<Node> = begins
        .chain(ranked.into_iter().map(|(_, node)| node))
        .collect();
    document.section(constants::section(occurrences, &shown)?.weighing(6));
    Ok(())
}

/// Returns the function at the end of a step with the place of its name: `12 if: Cart.add(1)  src/cart.ts:7`.
fn place_of(step: &str) -> Option<(&str, &str, u32)> {
    let (before, place) = step.trim().rsplit_once("  ")?;
    let (path, line) = place.rsplit_once(':')?;
    let called = before.split('(').next().unwrap_or(before);
    let name = called.rsplit(' ').next()?;
    // `requests GET /carts -> Cart.add`, `(registered at a.cs:1) Cart.add`
    let name = match before.rsplit_once(") ").filter(|_| called.ends_with(' ')) {
        Some((_, name)) => name,
        None => name,
    };
    Some((name, path, line.parse().ok()?))
}

/// Counts the words of a name that are forms of some words.
fn shared_words(name: &str, words: &[String]) -> usize {
    let mut own = query::name_words(name);
    own.sort_unstable();
    own.dedup();
    let is_shared =
        |own: &&String| own.len() >= MIN_LETTERS && words.iter().any(|word| is_form(own, word));
    own.iter().filter(is_shared).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_ends_with_the_place_of_its_function() {
        for (step, expected) in [
            (
                "  12 if: Cart.add(1)  src/cart.ts:7",
                Some(("Cart.add", "src/cart.ts", 7)),
            ),
            (
                "8 requests POST /add -> CartController.Add  a/C.cs:9",
                Some(("CartController.Add", "a/C.cs", 9)),
            ),
            (
                "5 ICart.Add -> (registered at a.cs:1) Cart.Add  a/Cart.cs:3",
                Some(("Cart.Add", "a/Cart.cs", 3)),
            ),
            ("4 $(..).modal (unknown target)", None),
        ] {
            assert_eq!(place_of(step), expected, "{step}");
        }
    }

    #[test]
    fn words_of_names_are_counted() {
        let words = ["shipment", "created"].map(str::to_owned);
        assert_eq!(shared_words("ShipmentService.CreateShipment", &words), 2);
        assert_eq!(shared_words("Cart.Get", &words), 0);
    }
}
