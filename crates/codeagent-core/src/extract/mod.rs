//! One text becomes [`Facts`]; the only layer that knows tree-sitter.
//!
//! Pure: no disk, no second file, no error type. Broken code is input: it is reported in the
//! header's `parse_status`.

mod builder;
mod csharp;
mod cursor;
mod hopeless;
mod interface;
mod limits;
mod one_line;
mod parsing;
mod pieces;
mod typescript;

use tree_sitter::Node;

use crate::model::facts::Facts;
use crate::model::graph::{Dialect, Language, ParseStatus};

/// Reads one decoded text.
///
/// `defines` are the preprocessor symbols of the owning project, of which only a language with a
/// preprocessor takes notice.
#[must_use]
pub fn extract(text: &str, dialect: Dialect, defines: &[String]) -> Facts {
    if limits::is_too_dense(text) {
        return given_up(text, dialect);
    }
    parsing::one_heavy_at_a_time(text, || match dialect.language() {
        Language::CSharp => csharp::extract(text, defines),
        Language::TypeScript => typescript::extract(text, dialect),
    })
}

/// Reads a text of TypeScript that only declares, on which no index of its own depends: without
/// what it uses, and cheaper, because what others see of it need not be told from the rest.
#[must_use]
pub fn extract_declarations(text: &str) -> Facts {
    let mut facts = parsing::one_heavy_at_a_time(text, || typescript::extract_declarations(text));
    facts.sites = Vec::new();
    facts
}

/// The version of each language's grammar: that of the form of its tables.
pub fn grammars() -> impl Iterator<Item = (Language, usize)> {
    Language::NAMES
        .iter()
        .map(|(_, language)| (*language, grammar(*language).abi_version()))
}

fn grammar(language: Language) -> tree_sitter::Language {
    match language {
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    }
}

/// The pieces of a file as its language tells them apart, and where else declarations stand that no
/// piece may hold.
fn pieces_of(facts: &Facts, root: Node<'_>) -> (Vec<pieces::PieceSpan>, Vec<usize>) {
    match facts.header.dialect.language() {
        Language::CSharp => csharp::pieces(facts),
        Language::TypeScript => typescript::pieces(facts, root),
    }
}

/// The facts of a text that is not parsed.
fn given_up(text: &str, dialect: Dialect) -> Facts {
    let mut facts = builder::Builder::new(text, dialect).finish(None);
    facts.header.parse_status = ParseStatus::Failed;
    facts
}

/// The truth values, under `defines`, of just those preprocessor symbols that the text mentions, as
/// a stable string: part of the key under which a file's facts are stored, so that most files do
/// not depend on their project. Empty in a language without a preprocessor.
#[must_use]
pub fn conditions(text: &str, dialect: Dialect, defines: &[String]) -> String {
    match dialect.language() {
        Language::CSharp => csharp::conditions(text, defines),
        Language::TypeScript => String::new(),
    }
}
