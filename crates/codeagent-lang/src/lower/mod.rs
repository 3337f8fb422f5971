//! Shared parts of lowering: the builder of facts, parsing within a budget, and the interface hash.
//!
//! Only this module and the `syntax` and `lower` modules of the languages depend on tree-sitter.

pub mod branches;
pub mod builder;
mod callbacks;
pub mod collapse_whitespace;
pub mod cursor;
pub mod interface_hash;
pub mod limits;
pub mod member_spans;
pub mod parsing;
pub mod surroundings;
mod unparsable;

use codeagent_model::facts::Facts;
use codeagent_model::graph::{Dialect, ParseStatus};

/// Returns the facts of a text that is not parsed.
#[must_use]
pub fn unparsed_facts(text: &str, dialect: Dialect) -> Facts {
    let mut facts = builder::Builder::new(text, dialect).finish(None);
    facts.header.parse_status = ParseStatus::Failed;
    facts
}
