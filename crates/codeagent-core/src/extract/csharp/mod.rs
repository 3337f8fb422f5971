//! C# text becomes facts: repair, parse within a budget, one walk, then what needs the whole file.
//!
//! Broken code is input: what the parser could not read is counted in the header. A text that could
//! not be parsed within its budget gives facts without declarations and the status `failed`.
//!
//! **Limits.** One file at a time: names are recorded, never resolved.

mod conditions;
mod creations;
mod declaration_syntax;
mod declarations;
mod edits;
mod expressions;
mod keyword_masks;
mod kinds;
mod lexer;
mod locals;
mod members;
mod operators;
mod parse;
mod patterns;
mod pieces;
mod postfix;
mod presentation;
mod punctuation_masks;
mod repair;
mod statements;
mod type_lists;
mod types;
mod usings;
mod walk;

use crate::extract::csharp::walk::Walker;
use crate::extract::given_up;
use crate::model::facts::Facts;
use crate::model::graph::{Dialect, ParseStatus};
pub use pieces::pieces;

/// See [`crate::extract::extract`].
pub fn extract(text: &str, defines: &[String]) -> Facts {
    let Some(parsed) = parse::parse(text, defines) else {
        return given_up(text, Dialect::CSharp);
    };
    let root = parsed.tree.root_node();
    let mut walk = Walker::new(text, &parsed.edits, root);
    walk.read_type_lists(&parsed);
    walk.file(root);
    let mut builder = walk.b;
    locals::finish(&mut builder);
    let mut facts = builder.finish(Some(root));
    facts.header.error_bytes = parsed.errors.bytes;
    facts.header.error_lines.clone_from(&parsed.errors.lines);
    facts.header.parse_status = if facts.header.error_bytes == 0 {
        ParseStatus::Full
    } else {
        ParseStatus::Partial
    };
    facts
}

/// See [`crate::extract::conditions`].
pub fn conditions(text: &str, defines: &[String]) -> String {
    conditions::mentioned(text, defines)
}

#[cfg(test)]
mod tests;
