//! Parses a repaired text within a budget.
//!
//! Limitations: a second parse, under other assumptions about the repairs, gets the rest of the
//! first one's budget.

use std::cell::RefCell;

use codeagent_lang::lower::cursor::next_beside;
use codeagent_lang::lower::limits;
use codeagent_lang::lower::parsing;
use tree_sitter::{Node, Parser, Tree};

use crate::syntax::conditions::DefinedSymbols;
use crate::syntax::repair::{Repaired, repair};
use crate::syntax::rewriter::{Rewrites, TypeArgumentList};
use crate::syntax::type_arguments;

/// Largest number of error lines that are recorded.
const ERROR_LINES: usize = 8;

/// A tree and the repairs before it.
pub struct Parsed {
    /// The tree of the repaired text.
    pub tree: Tree,
    /// The rewrites of the repairs.
    pub rewrites: Rewrites,
    /// Type arguments that were blanked.
    pub type_arguments: Vec<TypeArgumentList>,
    /// The tree of the blanked type arguments.
    pub type_lists_tree: Option<Tree>,
    /// The regions that the parser could not read.
    pub errors: Errors,
    /// Byte ranges of the code excluded by `#if`, one per line.
    pub inactive: Vec<(usize, usize)>,
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

/// Parses a text under the symbols of its project; `None` if that exceeds the budget.
pub fn parse(text: &str, defines: &[String]) -> Option<Parsed> {
    let mut budget = limits::parse_steps(text.len());
    let (parsed, conditional) = attempt(text, defines, false, &mut budget)?;
    if parsed.errors.bytes == 0 || !conditional {
        return Some(parsed);
    }
    match attempt(text, defines, true, &mut budget) {
        Some((other, _)) if other.errors.bytes < parsed.errors.bytes => Some(other),
        _ => Some(parsed),
    }
}

fn attempt(
    text: &str,
    defines: &[String],
    optimistic: bool,
    budget: &mut u64,
) -> Option<(Parsed, bool)> {
    let repaired = repair(text, &mut DefinedSymbols::new(defines, optimistic));
    if repaired.too_deep {
        return None;
    }

    let tree = tree(&repaired.text, budget)?;
    let errors = errors(tree.root_node());
    let type_lists_tree = type_arguments::text_of(text, &repaired.type_arguments)
        .and_then(|text| self::tree(&text, budget));
    let Repaired {
        rewrites,
        type_arguments,
        conditional,
        inactive,
        ..
    } = repaired;

    Some((
        Parsed {
            tree,
            rewrites,
            type_arguments,
            type_lists_tree,
            errors,
            inactive,
        },
        conditional,
    ))
}

fn tree(text: &str, budget: &mut u64) -> Option<Tree> {
    parsing::parse(
        &PARSER,
        &tree_sitter_c_sharp::LANGUAGE.into(),
        text.as_bytes(),
        budget,
    )
}

/// Counts outermost error nodes and missing tokens.
fn errors(root: Node<'_>) -> Errors {
    let mut found = Errors::default();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let broken = node.is_error() || node.is_missing();
        if broken {
            found.bytes += if node.is_missing() {
                1
            } else {
                (node.end_byte() - node.start_byte()) as u32
            };

            if found.lines.len() < ERROR_LINES {
                found.lines.push(node.start_position().row as u32 + 1);
            }
        }

        if !broken && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        if !next_beside(&mut cursor) {
            return found;
        }
    }
}
