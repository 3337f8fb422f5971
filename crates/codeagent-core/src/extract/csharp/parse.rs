//! A repaired text becomes a tree, or nothing if that costs too much.
//!
//! **Limits.** A text that needs repairs under two assumptions may cost two budgets.

use std::cell::RefCell;
use std::time::Duration;

use cpu_time::ThreadTime;
use tree_sitter::{Node, Parser, Tree};

use crate::extract::csharp::conditions::Symbols;
use crate::extract::csharp::repair::{Edits, repair};
use crate::extract::limits;
use crate::extract::parsing;

/// How many lines of errors are kept.
const ERROR_LINES: usize = 8;

/// A tree and how it was made.
pub struct Parsed {
    /// The tree of the repaired text.
    pub tree: Tree,
    /// What the repairs changed.
    pub edits: Edits,
    /// What the parser could not read.
    pub errors: Errors,
}

/// Regions the parser could not read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Errors {
    /// Bytes under outermost error nodes, plus one per missing token.
    pub bytes: u32,
    /// 1-based lines of the first ones.
    pub lines: Vec<u32>,
}

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Parses a text under the symbols of its project; `None` if it was given up.
pub fn parse(text: &str, defines: &[String]) -> Option<Parsed> {
    let deadline = (ThreadTime::now(), limits::parse_budget(text.len()));
    let (parsed, conditional) = attempt(text, defines, false, deadline)?;
    if parsed.errors.bytes == 0 || !conditional {
        return Some(parsed);
    }
    match attempt(text, defines, true, deadline) {
        Some((other, _)) if other.errors.bytes < parsed.errors.bytes => Some(other),
        _ => Some(parsed),
    }
}

/// Both attempts share one budget.
fn attempt(text: &str, defines: &[String], optimistic: bool, deadline: (ThreadTime, Duration)) -> Option<(Parsed, bool)> {
    let repaired = repair(text, &mut Symbols::new(defines, optimistic));
    if repaired.too_deep {
        return None;
    }
    let tree = tree(&repaired.text, deadline)?;
    let errors = errors(tree.root_node());
    Some((Parsed { tree, edits: repaired.edits, errors }, repaired.conditional))
}

fn tree(text: &str, (started, budget): (ThreadTime, Duration)) -> Option<Tree> {
    let left = budget.saturating_sub(started.elapsed());
    parsing::parse(&PARSER, &tree_sitter_c_sharp::LANGUAGE.into(), text.as_bytes(), left)
}

/// Outermost error nodes and missing tokens.
fn errors(root: Node<'_>) -> Errors {
    let mut found = Errors::default();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let broken = node.is_error() || node.is_missing();
        if broken {
            found.bytes += if node.is_missing() { 1 } else { (node.end_byte() - node.start_byte()) as u32 };
            if found.lines.len() < ERROR_LINES {
                found.lines.push(node.start_position().row as u32 + 1);
            }
        }
        if !broken && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}
