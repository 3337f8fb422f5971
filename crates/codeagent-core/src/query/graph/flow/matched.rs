//! What takes values of any type and tells a message by its type: `Handle(object message)` with `if (message is Closed)`.
//!
//! Limitations: C# only; the code for a message ends where the indentation of its pattern does.

use std::ops::RangeInclusive;

use super::{FlowWalk, is_aside};
use crate::model::graph::{EdgeType, Language, Node, NodeFlags, NodeId, NodeType};
use crate::query::QueryError;
use crate::query::uses::hierarchy::bases_of;
use crate::store::{self, FileKey};

/// Maximum number of uses of a message.
const MAX_USES: usize = 60;

/// Maximum number of lines of the code for a message.
const MAX_LINES: u32 = 60;

/// The code that a method runs for a message.
pub(super) struct MatchedCode {
    pub method: Node,
    pub path: String,
    pub file: FileKey,
    pub lines: RangeInclusive<u32>,
}

impl FlowWalk<'_, '_, '_> {
    /// Returns the code of methods outside tests that matches a value of any type with a class by a pattern. Something
    /// else calls these methods: they override or implement another.
    pub(super) fn matched_code(&mut self, class: &Node) -> Result<Vec<MatchedCode>, QueryError> {
        let mut found: Vec<MatchedCode> = Vec::new();
        if class.language != Language::CSharp || class.node_type != NodeType::Class {
            return Ok(found);
        }
        let types = [EdgeType::References];
        let mut uses = self.occurrences.incoming(&[class.id], &types)?;
        uses.sort_by_key(|used| (used.file, used.line));
        if uses.len() > MAX_USES {
            return Ok(found);
        }
        for used in uses {
            let path = self.occurrences.path(used.file)?;
            let (first, last) = (used.line, used.line + MAX_LINES);
            let lines = self.occurrences.sources.lines(&path, first, last)?;
            let lines = lines.unwrap_or_default();
            let is_pattern = lines.first().is_some_and(|line| matches(line, &class.name));
            let is_known = found.iter().any(|known| known.method.id == used.other);
            if is_pattern
                && !is_known
                && let Some(method) = self.takes_any(used.other)?
            {
                let end = first + length(&lines) - 1;
                found.push(MatchedCode {
                    method,
                    path,
                    file: used.file,
                    lines: first..=end,
                });
            }
        }
        Ok(found)
    }

    /// Returns a method that overrides or implements another and takes a value of any type.
    fn takes_any(&self, id: NodeId) -> Result<Option<Node>, QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let Some(method) = store::node(snapshot, id)? else {
            return Ok(None);
        };
        let signature = method.parameter_signature.as_deref().unwrap_or_default();
        let takes_any = signature.contains("object ") && !is_aside(&method);
        let is_called = method.flags.has(NodeFlags::OVERRIDE)
            || takes_any && !bases_of(snapshot, &[method.id])?.is_empty();
        Ok((takes_any && is_called).then_some(method))
    }
}

/// Reports whether a line has a pattern with a type of this name: `message is Closed closed`, `case Shop.Closed:`.
fn matches(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        let qualified = line[..at].trim_end_matches(|c: char| is_part(c) || c == '.');
        let is_whole = line[..at].len() == qualified.len() || line[..at].ends_with('.');
        let is_pattern = [" is ", " or ", "case "]
            .iter()
            .any(|word| qualified.ends_with(word));
        is_whole && is_pattern && !line[at + name.len()..].starts_with(is_part)
    })
}

/// Returns the number of lines of the code behind the pattern on the first of some lines: those with more indentation,
/// and brackets.
fn length(lines: &[String]) -> u32 {
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let outer = lines.first().map_or(0, |line| indentation(line));
    let is_inner = |line: &&String| {
        let text = line.trim();
        text.is_empty() || text == "{" || indentation(line) > outer
    };
    let inner = lines.iter().skip(1).take_while(is_inner).count();
    1 + inner as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_told_from_other_uses_of_a_type() {
        for (line, expected) in [
            ("if (message is Closed closed)", true),
            ("if (message is Shop.Closed)", true),
            ("case Shop.Closed { IsLate: true }:", true),
            ("message is Opened or Closed", true),
            ("message is not Closed", false),
            ("message is ClosedLate", false),
            ("message is NotClosed", false),
            ("new Closed()", false),
        ] {
            assert_eq!(matches(line, "Closed"), expected, "{line}");
        }
    }

    #[test]
    fn the_code_for_a_message_ends_with_its_indentation() {
        for (text, expected) in [
            (
                "    case A:\n        run();\n        break;\n    case B:\n",
                3,
            ),
            ("  if (x is A)\n  {\n    run();\n  }\n  rest();", 3),
            ("  if (x is A) run();\n  rest();", 1),
        ] {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            assert_eq!(length(&lines), expected, "{text}");
        }
    }
}
