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
mod inactive_code;
mod locals;
mod lowering;
mod member_spans;
mod members;
mod object_creation;
mod operators;
mod patterns;
mod records;
mod statements;
mod surroundings;
mod types;
mod usings;

use codeagent_lang::LocalName;
use codeagent_lang::lower::builder::Builder;
use codeagent_lang::lower::unparsed_facts;
use codeagent_model::facts::Facts;
use codeagent_model::graph::{Dialect, ParseStatus};
use member_spans::find_members;

use crate::lower::lowering::Lowering;
use crate::syntax::parse::{self, Parsed};

pub use surroundings::surroundings;

/// Lowers one text; see [`codeagent_lang::LanguageSupport::extract`].
#[must_use]
pub fn extract(text: &str, defines: &[String]) -> Facts {
    let facts = lowered(text, defines, |mut builder, parsed| {
        locals::finish(&mut builder);
        inactive_code::names(&mut builder, &parsed.inactive);
        let root = parsed.tree.root_node();
        let mut facts = builder.finish(Some((root, find_members)));
        facts.header.error_bytes = parsed.errors.bytes;
        facts.header.error_lines.clone_from(&parsed.errors.lines);
        facts.header.parse_status = if facts.header.error_bytes == 0 {
            ParseStatus::Full
        } else {
            ParseStatus::Partial
        };
        facts
    });
    facts.unwrap_or_else(|| unparsed_facts(text, Dialect::CSharp))
}

/// Returns the names of a text that are no nodes; see
/// [`codeagent_lang::LanguageSupport::local_names`].
#[must_use]
pub fn local_names(text: &str, defines: &[String]) -> Vec<LocalName> {
    let names = lowered(text, defines, |builder, _| {
        locals::local_names(&builder.facts)
    });
    names.unwrap_or_default()
}

/// Reports whether a class is an attribute, by its name. The bodies and values in it are visible to other
/// files, because they tell the routes of the classes and methods that have it.
#[must_use]
pub fn is_attribute_class(name: &str) -> bool {
    name.strip_suffix("Attribute")
        .is_some_and(|start| !start.is_empty())
}

/// Lowers a text and finishes the result; `None` if the text cannot be parsed.
fn lowered<T>(
    text: &str,
    defines: &[String],
    finish: impl FnOnce(Builder<'_>, &Parsed) -> T,
) -> Option<T> {
    let parsed = parse::parse(text, defines)?;
    let root = parsed.tree.root_node();
    let mut lowering = Lowering::new(text, &parsed.rewrites, root);
    lowering.read_type_lists(&parsed);
    lowering.file(root);
    Some(finish(lowering.b, &parsed))
}

#[cfg(test)]
mod tests;
