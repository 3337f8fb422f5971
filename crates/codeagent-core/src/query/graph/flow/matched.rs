//! Finds the code for a message in methods that take it as `object`: `Handle(object message)` with
//! `if (message is Closed)`.
//!
//! Limitations: C# only; the code for a message ends where the indentation of its pattern does.

use std::ops::RangeInclusive;

use super::{FlowWalk, is_aside};
use crate::model::graph::{EdgeType, Language, Node, NodeFlags, NodeId, NodeType};
use crate::query::QueryError;
use crate::query::text::indented::block;
use crate::query::text::text_files::is_word;
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
    /// Returns the code for a class in methods that match a value of any type by a pattern.
    pub(super) fn matched_code(&mut self, class: &Node) -> Result<Vec<MatchedCode>, QueryError> {
        let mut found: Vec<MatchedCode> = Vec::new();
        if class.language != Language::CSharp || class.node_type != NodeType::Class {
            return Ok(found);
        }

        let mut uses = self
            .occurrences
            .incoming(&[class.id], &[EdgeType::References])?;
        if uses.len() > MAX_USES {
            return Ok(found);
        }

        uses.sort_by_key(|used| (used.other, used.file, used.line));
        for of_method in uses.chunk_by(|one, next| one.other == next.other) {
            let Some(method) = self.takes_any(of_method[0].other)? else {
                continue;
            };

            for used in of_method {
                let path = self.occurrences.path(used.file)?;
                let last = used.line + MAX_LINES;
                let lines = self.occurrences.sources.lines(&path, used.line, last)?;
                let lines = lines.unwrap_or_default();
                if lines.first().is_some_and(|line| matches(line, &class.name)) {
                    let end = used.line + block(&lines).len() as u32 - 1;
                    found.push(MatchedCode {
                        method,
                        path,
                        file: used.file,
                        lines: used.line..=end,
                    });
                    break;
                }
            }
        }

        found.sort_by_key(|code| (code.file, *code.lines.start()));
        Ok(found)
    }

    /// Returns a method outside tests that overrides or implements another and takes a value of any type.
    fn takes_any(&self, id: NodeId) -> Result<Option<Node>, QueryError> {
        let snapshot = self.occurrences.sources.snapshot();
        let takes_any = |method: &Node| {
            let signature = method.parameter_signature.as_deref();
            signature.is_some_and(|it| it.contains("object ")) && !is_aside(method)
        };
        let Some(method) = store::node(snapshot, id)?.filter(takes_any) else {
            return Ok(None);
        };
        let is_called =
            method.flags.has(NodeFlags::OVERRIDE) || !bases_of(snapshot, &[method.id])?.is_empty();
        Ok(is_called.then_some(method))
    }
}

/// Reports whether a line has a pattern with a type of this name: `message is Closed closed`, `case Shop.Closed:`.
fn matches(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let qualified = line[..at].trim_end_matches(|c: char| is_word(c) || c == '.');
        let is_whole = line[..at].len() == qualified.len() || line[..at].ends_with('.');
        let is_pattern = [" is ", " or ", "case "]
            .iter()
            .any(|word| qualified.ends_with(word));
        is_whole && is_pattern && !line[at + name.len()..].starts_with(is_word)
    })
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
}
