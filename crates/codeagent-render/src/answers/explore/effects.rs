//! Sections about what a value decides: the statements that its reads are the conditions of, and the functions that are
//! named after it.

use codeagent_core::model::graph::Node;
use codeagent_core::query::{self, Occurrence, Occurrences};

use super::literal::regex;
use super::member::numbered;
use super::wants::says;
use crate::answers::AnswerError;
use crate::text::Section;

/// Beginnings of words that ask what a value is for.
const EFFECTS: [&str; 10] = [
    "affect", "becom", "control", "decide", "effect", "guard", "happen", "influenc", "mean",
    "trigger",
];

/// Beginnings of lines with a condition.
const CONDITIONS: [&str; 6] = ["if", "else if", "} else if", "switch", "while", "return"];

/// Maximum number of reads whose statements are shown, and of lines of each.
const MAX_READS: usize = 8;
const MAX_LINES: u32 = 8;

/// Maximum number of lines of functions with the name of a value; the name of one with more is a common word.
const MAX_NAMED: usize = 12;

/// Reports whether some words ask what a value is for.
pub(super) fn asks_for_effects(words: &[String]) -> bool {
    let mut pairs = words.windows(2);
    says(words, &EFFECTS) || pairs.any(|pair| pair[0] == "what" && pair[1] == "does")
}

/// Returns a section with the statements that some reads are the conditions of.
pub(super) fn section(
    occurrences: &mut Occurrences<'_, '_>,
    reads: &[Occurrence],
) -> Result<Section, AnswerError> {
    let is_condition = |read: &&Occurrence| {
        let source = read.source.as_deref().unwrap_or_default();
        !read.is_test() && CONDITIONS.iter().any(|word| source.starts_with(word))
    };

    let mut shown = Vec::new();
    for read in reads.iter().filter(is_condition).take(MAX_READS) {
        let last = read.line + MAX_LINES - 1;
        let lines = occurrences.sources.lines(&read.path, read.line, last)?;
        let lines = lines.unwrap_or_default();

        shown.push(format!("{}:{} {}", read.path, read.line, read.symbol));
        let statement = &lines[..statement_length(&lines)];
        shown.extend(
            numbered(statement, read.line)
                .iter()
                .map(|line| format!("  {line}")),
        );
    }

    Ok(Section::lines("effects", "what these reads decide", shown))
}

/// Returns a section with the lines of functions that have the name of a value in theirs, as what runs when it changes
/// often has: `OnMailPortChanged(` for `MailPort`.
pub(super) fn named_after(
    occurrences: &mut Occurrences<'_, '_>,
    value: &Node,
) -> Result<Section, AnswerError> {
    let title = "functions with its name in theirs, matched by text";
    let name = value.name.trim_start_matches('_');
    let capitalized = query::capitalized(name);
    let mut found = Vec::new();

    if query::is_compound(name) {
        let pattern =
            format!("[A-Za-z]{capitalized}[A-Za-z]*\\(|\\b{capitalized}[A-Z][A-Za-z]*\\(");
        found = query::search_text(occurrences, &regex(&pattern))?.code;
    }
    if found.len() > MAX_NAMED {
        found.clear();
    }

    Ok(Section::occurrence_rows("named after", title, found).weighing(20))
}

/// Returns the number of lines of the statement that begins on the first: up to the end of its block or, without one,
/// to the end of the first statement behind the condition.
fn statement_length(lines: &[String]) -> usize {
    let mut depth = 0_i32;
    let mut has_block = false;

    for (at, line) in lines.iter().enumerate() {
        let code = line.trim();
        let next = lines.get(at + 1).map_or("", |next| next.trim());
        for c in code.chars() {
            match c {
                '{' => (depth, has_block) = (depth + 1, true),
                '}' => depth -= 1,
                _ => {}
            }
        }

        let is_closed = depth <= 0 && (has_block || code.ends_with(';'));
        if is_closed && !next.starts_with('{') {
            return at + 1;
        }
    }

    lines.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_ends_with_its_block_or_semicolon() {
        for (text, expected) in [
            ("if (a)\n{\n  b();\n}\nc();", 4),
            ("if (a) {\n  b();\n}", 3),
            ("if (a)\n  b();\nc();", 2),
            ("if (!a) return;\nb();", 1),
            ("return a\n  ? b\n  : c;\nd();", 3),
        ] {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            assert_eq!(statement_length(&lines), expected, "{text}");
        }
    }

    #[test]
    fn a_question_asks_what_a_value_is_for() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        assert!(asks_for_effects(&words(
            "where is it read and what does it do"
        )));
        assert!(asks_for_effects(&words("what is triggered there")));
        assert!(!asks_for_effects(&words("where is it read")));
    }
}
