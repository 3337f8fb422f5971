//! Properties of TypeScript and JavaScript.

use super::parameters::{split_outside, squeezed, without_default};
use crate::graph::NodeType;
use crate::language::LanguageRules;

/// The rules of TypeScript. A property may hold a function, and an interface the signature of one.
pub const RULES: LanguageRules = LanguageRules {
    names: &["TypeScript", "JavaScript"],
    callable: &[
        NodeType::Method,
        NodeType::Constructor,
        NodeType::Class,
        NodeType::Component,
        NodeType::Property,
        NodeType::Interface,
    ],
    has_object_literals: true,
    has_structural_types: true,
    has_explicit_implementations: false,
    public_api: "exported",
    manifests: &["package.json", "tsconfig.json"],
    parameter,
};

/// Splits a parameter such as `private id?: number = 1` into name and type.
fn parameter(text: &str) -> (String, String) {
    let parts = split_outside(without_default(text), ':');
    let Some((name, types)) = parts.split_first() else {
        return Default::default();
    };
    let name = name
        .rsplit(' ')
        .next()
        .unwrap_or_default()
        .trim_end_matches('?');
    (squeezed(name), squeezed(&types.join(":")))
}
