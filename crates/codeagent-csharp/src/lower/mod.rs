//! Lowering: turns C# text into `Facts`.
//!
//! Repairs the text, parses it within a budget, lowers the tree in one pass, and then binds locals.
//!
//! Broken code is valid input: the header counts the bytes that the parser could not read. A text
//! that cannot be parsed within its budget has no declarations and the status `failed`.
//!
//! Limitations: one file at a time: names are recorded, never resolved.

mod access_chains;
mod assignments;
mod declaration_syntax;
mod declarations;
mod doc_and_signature;
mod expressions;
mod fields_and_properties;
mod locals;
mod lowering;
mod member_spans;
mod members;
mod object_creation;
mod operators;
mod patterns;
mod records;
mod statements;
mod types;
mod usings;

use codeagent_lang::lower::unparsed_facts;
use codeagent_model::facts::Facts;
use codeagent_model::graph::{Dialect, ParseStatus};
use member_spans::find_members;

use crate::lower::lowering::Lowering;
use crate::syntax::parse;

/// Lowers one text; see [`codeagent_lang::LanguageSupport::extract`].
#[must_use]
pub fn extract(text: &str, defines: &[String]) -> Facts {
    let Some(parsed) = parse::parse(text, defines) else {
        return unparsed_facts(text, Dialect::CSharp);
    };

    let root = parsed.tree.root_node();
    let mut lowering = Lowering::new(text, &parsed.rewrites, root);
    lowering.read_type_lists(&parsed);
    lowering.file(root);
    let mut builder = lowering.b;
    locals::finish(&mut builder);
    let mut facts = builder.finish(Some((root, find_members)));
    facts.header.error_bytes = parsed.errors.bytes;
    facts.header.error_lines.clone_from(&parsed.errors.lines);
    facts.header.parse_status = if facts.header.error_bytes == 0 {
        ParseStatus::Full
    } else {
        ParseStatus::Partial
    };

    facts
}

#[cfg(test)]
mod tests;
