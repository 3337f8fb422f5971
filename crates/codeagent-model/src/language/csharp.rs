//! Properties of C#.

use super::parameters::{split_outside, squeezed, without_default};
use crate::graph::NodeType;
use crate::language::LanguageRules;

/// The rules of C#.
pub const RULES: LanguageRules = LanguageRules {
    names: &["C#"],
    callable: &[
        NodeType::Method,
        NodeType::Constructor,
        NodeType::Class,
        NodeType::Type,
    ],
    has_object_literals: false,
    has_structural_types: false,
    has_explicit_implementations: true,
    public_api: "part of the public API",
    manifests: &[],
    parameter,
};

/// Splits a parameter such as `[A] ref int id = 1` into name and type.
fn parameter(text: &str) -> (String, String) {
    let words = split_outside(without_default(text), ' ');
    let words: Vec<&str> = words
        .into_iter()
        .filter(|word| !word.is_empty() && !word.starts_with('[') && !is_modifier(word))
        .collect();
    match words.as_slice() {
        [] => Default::default(),
        [only] => (String::new(), squeezed(only)),
        [types @ .., name] => ((*name).to_owned(), squeezed(&types.concat())),
    }
}

fn is_modifier(word: &str) -> bool {
    matches!(
        word,
        "this" | "ref" | "out" | "in" | "params" | "scoped" | "readonly"
    )
}
