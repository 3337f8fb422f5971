//! A repaired text becomes a tree, or nothing if that costs too much.
//!
//! **Limits.** The budget is checked where the parser reports progress; between two reports it cannot be stopped.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::Duration;

use cpu_time::ThreadTime;
use tree_sitter::{Node, ParseOptions, Parser, Tree};

use crate::extract::csharp::conditions::Symbols;
use crate::extract::csharp::repair::{Edits, repair};

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
    let (parsed, conditional) = attempt(text, defines, false)?;
    if parsed.errors.bytes == 0 || !conditional {
        return Some(parsed);
    }
    match attempt(text, defines, true) {
        Some((other, _)) if other.errors.bytes < parsed.errors.bytes => Some(other),
        _ => Some(parsed),
    }
}

fn attempt(text: &str, defines: &[String], optimistic: bool) -> Option<(Parsed, bool)> {
    let repaired = repair(text, &mut Symbols::new(defines, optimistic));
    if repaired.too_deep {
        return None;
    }
    let tree = tree(&repaired.text)?;
    let errors = errors(tree.root_node());
    Some((Parsed { tree, edits: repaired.edits, errors }, repaired.conditional))
}

fn tree(text: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|slot| {
        if slot.is_none() {
            let mut parser = Parser::new();
            parser.set_language(&tree_sitter_c_sharp::LANGUAGE.into()).ok()?;
            *slot = Some(parser);
        }
        let parser = slot.as_mut()?;
        let started = ThreadTime::now();
        let budget = Duration::from_millis(200) + Duration::from_micros(3) * text.len() as u32;
        let mut progress = |_: &tree_sitter::ParseState| {
            if started.elapsed() > budget { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let bytes = text.as_bytes();
        let tree = parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
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
