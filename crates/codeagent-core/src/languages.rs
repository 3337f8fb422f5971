//! The supported languages. A new language is one crate and one line here.

use codeagent_csharp::CSharp;
use codeagent_lang::Languages;
use codeagent_model::graph::Language;
use codeagent_typescript::TypeScript;
pub use codeagent_typescript::resolve::package_of_path;

/// All languages, in the order of their libraries in a world.
pub const LANGUAGES: Languages = Languages::new(&[&CSharp, &TypeScript]);

/// Returns each language with the ABI version of its grammar.
pub fn grammars() -> impl Iterator<Item = (Language, usize)> {
    LANGUAGES
        .iter()
        .map(|support| (support.language(), support.grammar_version()))
}
