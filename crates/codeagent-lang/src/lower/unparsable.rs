//! Detects files too broken to parse within budget, by parsing samples and then growing prefixes.
//!
//! Recovering from an error costs the parser as much as a hundred valid tokens, and it does not
//! report how many errors it has met while it runs. Samples are cheap but cut out of their context,
//! so they prove nothing: they only decide whether to look closer. A prefix is parsed as in the
//! whole text and reuses the tree of the shorter one before. Each is half again as long as the
//! last, so all of them together cost about three times the text.
//!
//! Limitations: errors between the samples, in the last third, or in a text shorter than
//! `STRETCH` are missed; the length of such a short text bounds its cost.

use tree_sitter::{InputEdit, Language, Parser, Point, Tree};

use crate::lower::cursor::next_beside;
use crate::lower::parsing;

/// Smallest number of bytes by which a prefix grows.
const PORTION: usize = 16 * 1024;

/// The distance between samples, and the length below which none are taken.
const STRETCH: usize = 32 * 1024;

/// The length of a sample.
const SAMPLE: usize = 1024;

/// A text with more than one error per so many sampled bytes is examined closer. Samples of valid
/// code have one in a hundred, because their context is missing; random bytes have one in fifteen.
const BYTES_PER_ERROR_IN_SAMPLES: usize = 25;

/// Number of errors allowed in a prefix, in addition to one per `BYTES_PER_ERROR`.
const ERRORS: usize = 1000;
const BYTES_PER_ERROR: usize = 64;

/// Reports whether a text has so many errors after its first one that it should not be parsed.
pub fn is_unparsable(language: &Language, text: &[u8], first_error: usize) -> bool {
    let rest = text.get(first_error..).unwrap_or_default();
    let Some(mut parser) = parsing::new_parser(language) else {
        return false;
    };
    rest.len() > STRETCH
        && looks_broken(&mut parser, rest)
        && has_broken_beginning(&mut parser, text, first_error)
}

fn looks_broken(parser: &mut Parser, text: &[u8]) -> bool {
    let (mut bytes, mut found) = (0, 0);
    for sample in text.chunks(STRETCH).map(sample) {
        bytes += sample.len();
        found += parsing::attempt(parser, sample, None).map_or(sample.len(), |tree| errors(&tree));
    }
    found * BYTES_PER_ERROR_IN_SAMPLES > bytes
}

/// Returns the whole lines among the first bytes of a portion, or those bytes if there are none.
fn sample(portion: &[u8]) -> &[u8] {
    let sample = &portion[..portion.len().min(SAMPLE)];
    let mut ends = sample
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at + 1);
    match (ends.next(), ends.next_back()) {
        (Some(first), Some(last)) => &sample[first..last],
        _ => sample,
    }
}

fn has_broken_beginning(parser: &mut Parser, text: &[u8], first_error: usize) -> bool {
    let mut beginning = Prefix {
        end: first_error,
        closer: "",
        tree: None,
    };

    loop {
        let broken = beginning.end - first_error;
        let end = beginning.end + PORTION.max(broken / 2);
        if end >= text.len() {
            return false;
        }
        let most = ERRORS + (end - first_error) / BYTES_PER_ERROR;
        let mut closers = [beginning.closer]
            .into_iter()
            .chain(CLOSERS.iter().copied());
        match closers.find_map(|closer| beginning.extended(parser, &text[..end], closer, most)) {
            Some(next) => beginning = next,
            None => return true,
        }
    }
}

/// Tokens that may be missing where a prefix ends. Only those whose absence would make the text
/// before them an error: the ends of comments and strings.
const CLOSERS: &[&str] = &["", "*/", "`", "\"", "\"\"\""];

/// A prefix of the text that has few errors.
struct Prefix {
    end: usize,
    /// Appended to the prefix before it was parsed.
    closer: &'static str,
    tree: Option<Tree>,
}

impl Prefix {
    /// Parses a longer prefix; `None` if it has more than `most` errors.
    fn extended(
        &self,
        parser: &mut Parser,
        text: &[u8],
        closer: &'static str,
        most: usize,
    ) -> Option<Self> {
        let closed = [text, closer.as_bytes()].concat();
        let mut last = self.tree.clone();
        if let Some(tree) = &mut last {
            tree.edit(&replaced(self.end, self.closer.len(), closed.len()));
        }

        let tree = parsing::attempt(parser, &closed, last.as_ref())?;

        (errors(&tree) <= most).then_some(Self {
            end: text.len(),
            closer,
            tree: Some(tree),
        })
    }
}

/// Describes an edit to the parser, which does not need lines and columns here.
fn replaced(start_byte: usize, old_len: usize, new_end_byte: usize) -> InputEdit {
    let old_end_byte = start_byte + old_len;
    let (start_position, old_end_position, new_end_position) =
        (Point::default(), Point::default(), Point::default());
    InputEdit {
        start_byte,
        old_end_byte,
        new_end_byte,
        start_position,
        old_end_position,
        new_end_position,
    }
}

/// Counts the parser's recoveries: error nodes, missing tokens, and tokens skipped without a parse
/// state. Constructs left open where a text ends do not count.
fn errors(tree: &Tree) -> usize {
    let mut found = 0;
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let skipped = node.child_count() == 0 && !node.is_extra() && node.parse_state() == 0;
        found += usize::from(node.is_missing() || node.is_error()) + usize::from(skipped);
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        if !next_beside(&mut cursor) {
            return found;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_broken(text: &str) -> bool {
        is_unparsable(&tree_sitter_c_sharp::LANGUAGE.into(), text.as_bytes(), 0)
    }

    #[test]
    fn truncated_code_is_not_broken() {
        let statement =
            "        total += order.Lines.Where(line => line.Price > 0).Sum(line => line.Price);\n";
        let table = "        0x1f, 0x2e, 0x3d, 0x4c, 0x5b, 0x6a, 0x79, 0x88, 0x97, 0xa6,\n";
        let comment = "        a remark, of which (there are) so many; that they = the file.\n";
        assert!(!is_broken(&format!(
            "class C {{ int M() {{\n{} }} }}",
            statement.repeat(800)
        )));

        assert!(!is_broken(&format!(
            "class C {{ int[] x = {{\n{} }}; }}",
            table.repeat(800)
        )));

        assert!(!is_broken(&format!(
            "class C {{ /* {} */ }}",
            comment.repeat(800)
        )));
    }

    #[test]
    fn text_that_is_not_code_is_broken() {
        assert!(is_broken(&"x = ;\n".repeat(8000)));
        assert!(is_broken(&"$\"$\"$\"$\"\n".repeat(5000)));
        assert!(is_broken(
            &"\u{fffd}\u{1} %a\u{2}]=\u{fffd}\u{fffd}9\u{fffd})b\n".repeat(4000)
        ));
    }
}
