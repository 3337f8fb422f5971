//! One text becomes [`Facts`]; the only layer that knows tree-sitter.
//!
//! Pure: no disk, no second file, no error type. Broken code is input: it is reported in the header's `parse_status`.

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

use crate::model::facts::Facts;
use crate::model::graph::{Dialect, Language, ParseStatus};

/// Reads one decoded text.
///
/// `defines` are the preprocessor symbols of the owning project (C# only; ignored otherwise).
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

/// The version of each language's grammar: that of the form of its tables.
#[must_use]
pub fn grammars() -> [(Language, usize); 2] {
    let of = |language, grammar: tree_sitter::Language| (language, grammar.abi_version());
    [
        of(Language::CSharp, tree_sitter_c_sharp::LANGUAGE.into()),
        of(Language::TypeScript, tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
    ]
}

/// The facts of a text that is not parsed.
fn given_up(text: &str, dialect: Dialect) -> Facts {
    let mut facts = builder::Builder::new(text).finish(None);
    facts.header.dialect = dialect;
    facts.header.parse_status = ParseStatus::Failed;
    facts
}

/// The truth values, under `defines`, of just those preprocessor symbols that the text mentions, as a stable string: part of the key under
/// which a C# file's facts are stored, so that most files do not depend on their project. Empty for TypeScript.
#[must_use]
pub fn conditions(text: &str, dialect: Dialect, defines: &[String]) -> String {
    match dialect.language() {
        Language::CSharp => csharp::conditions(text, defines),
        Language::TypeScript => String::new(),
    }
}
