//! Lowering of TypeScript and JavaScript text to facts.
//!
//! Repairs the text, parses it within a budget and lowers the tree. `class A { m(x: B) { x.f() } }`
//! becomes declarations `A`, `m`, `x`, the type name `B`, the expression `Call(Member(Name x, f))`
//! and two sites. `repair` and `syntax` come first, `lowering` holds the state, `statements` is the
//! entry point, and `locals` binds locals afterwards.
//!
//! Limitations: one text at a time, without name resolution. Nodes nested deeper than
//! `lowering::MAX_DEPTH` are `Unknown`.

mod assignments;
mod calls;
mod classes;
mod comments;
mod declarations;
mod exports;
mod expressions;
pub(crate) mod functions;
mod imports;
mod jsx;
mod literals;
mod locals;
pub(crate) mod lowering;
mod member_spans;
mod narrowing;
mod outline;
mod patterns;
pub(crate) mod signature_text;
pub(crate) mod state;
mod statements;
mod surroundings;
mod type_members;
mod types;
mod untyped_fields;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cell::RefCell;

use codeagent_lang::lower::branches::branches as branches_of;
use codeagent_lang::lower::limits;
use codeagent_lang::lower::parsing;
use codeagent_lang::lower::unparsed_facts;
use codeagent_lang::{Branch, LocalName};
use codeagent_model::facts::Facts;
use codeagent_model::graph::{Dialect, ParseStatus};
use tree_sitter::{Node, Parser, Tree};

use crate::lower::lowering::Lowering;
use crate::syntax::ampersands;
use crate::syntax::repair::{Repaired, near_errors, repair};
use crate::syntax::syntax::Grammar;

pub use imports::referenced_library;
pub use outline::outline;
pub use surroundings::surroundings;

/// Lowers one text; see [`codeagent_lang::LanguageSupport::extract`].
#[must_use]
pub fn extract(text: &str, dialect: Dialect) -> Facts {
    read(text, dialect, false)
}

/// Lowers the declarations of a library; see
/// [`codeagent_lang::LanguageSupport::extract_declarations`]. Cheaper than [`extract`]: without
/// comments and displayed texts, and its interface is not separated from the rest.
#[must_use]
pub fn extract_declarations(text: &str, dialect: Dialect) -> Facts {
    let bare = if dialect.is_javascript() || dialect.has_jsx() {
        Cow::Borrowed(text)
    } else {
        comments::without_comments(text)
    };
    let mut facts = read(&bare, dialect, true);
    facts.header.bytes = text.len() as u32;
    facts.sites = Vec::new();
    facts.literals = Vec::new();
    facts.callbacks = Vec::new();
    facts.child_elements = Vec::new();
    facts
}

/// Returns the names of a text that are no nodes; see
/// [`codeagent_lang::LanguageSupport::local_names`].
#[must_use]
pub fn local_names(text: &str, dialect: Dialect) -> Vec<LocalName> {
    let names = lowered(text, dialect, false, |lowering, _| lowering.local_names());
    names.unwrap_or_default()
}

fn read(text: &str, dialect: Dialect, is_library: bool) -> Facts {
    let facts = lowered(text, dialect, is_library, |lowering, root| {
        // Comments of JavaScript contain types, so they are part of its interface.
        let has_interface = !is_library && !dialect.is_javascript();
        let mut facts = lowering.finish(has_interface.then_some(root));
        record_errors(root, text, &mut facts);
        facts
    });
    facts.unwrap_or_else(|| unparsed_facts(text, dialect))
}

/// Lowers a text and finishes the result; `None` if the text cannot be parsed.
fn lowered<T>(
    text: &str,
    dialect: Dialect,
    is_library: bool,
    finish: impl for<'tree> FnOnce(Lowering<'_, 'tree>, Node<'tree>) -> T,
) -> Option<T> {
    if limits::has_too_many_angles(text) {
        return None;
    }

    let (repaired, tree) = parse(text, dialect)?;
    let mut lowering = Lowering::new(text, dialect, &tree, &repaired);
    lowering.is_library = is_library;
    lowering.b.facts.header.is_module = matches!(dialect, Dialect::Mjs | Dialect::Cjs);
    lowering.references();
    lowering.declare_documented_types();
    lowering.program(tree.root_node());
    Some(finish(lowering, tree.root_node()))
}

thread_local! {
    static PLAIN: RefCell<Option<Parser>> = const { RefCell::new(None) };
    static JSX: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// Returns the parts of a text that run under a condition.
#[must_use]
pub fn branches(text: &str, dialect: Dialect) -> (Vec<Branch>, bool) {
    let parsed = parse(text, dialect);
    parsed.map_or_else(Default::default, |(_, tree)| {
        let root = tree.root_node();
        (branches_of(root), !root.has_error())
    })
}

/// Repairs and parses a text within the budget of [`limits::parse_steps`]; `None` if it is exceeded.
fn parse(text: &str, dialect: Dialect) -> Option<(Repaired<'_>, Tree)> {
    let jsx = dialect.has_jsx();
    let mut budget = limits::parse_steps(text.len());
    let mut parse = |text: &[u8]| {
        let parser = if jsx { &JSX } else { &PLAIN };
        parsing::parse(parser, &Grammar::get(jsx).language, text, &mut budget)
    };

    let mut repaired = repair(text, dialect);
    let mut tree = parse(&repaired.text)?;

    if jsx && tree.root_node().has_error() {
        let mut edits = ampersands::edits(&repaired.text, &mut parse);
        if !edits.is_empty() {
            edits.extend_from_slice(&repaired.edits);
            repaired = Repaired::with(text, edits);
            tree = parse(&repaired.text)?;
        }
    }

    if tree.root_node().has_error() {
        near_errors::improve(text, &mut repaired, &mut tree, parse);
    }
    Some((repaired, tree))
}

/// Counts the bytes in outermost ERROR nodes and the MISSING nodes.
fn record_errors(root: Node<'_>, text: &str, facts: &mut Facts) {
    let bytes = text.as_bytes();
    let header = &mut facts.header;
    near_errors::for_each_error(root, |node| {
        header.parse_status = ParseStatus::Partial;
        header.error_bytes += near_errors::weight(node);
        if header.error_lines.len() < 8 {
            // A line ending may have become a semicolon.
            let before = &bytes[..node.start_byte()];
            header
                .error_lines
                .push(before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1);
        }
    });
}
