//! The languages of the product: each is a crate, and a line here.

use codeagent_csharp::CSharp;
use codeagent_lang::Languages;
use codeagent_model::graph::Language;
use codeagent_typescript::TypeScript;

/// The registry, in the order in which libraries follow each other in a world.
pub const LANGUAGES: Languages = Languages::new(&[&CSharp, &TypeScript]);

/// The languages and the ABI versions of their grammars' tables.
pub fn grammars() -> impl Iterator<Item = (Language, usize)> {
    LANGUAGES
        .iter()
        .map(|support| (support.language(), support.grammar_version()))
}
