//! What does a language say of itself where nothing but the language is asked? One table per
//! language, each with an entry for every question.
//!
//! **Limits.** What needs facts, a world or a project is asked in `extract`, `resolve` and
//! `project`, in the language's own folder.

mod csharp;
mod parameters;
mod typescript;

use crate::graph::{Language, NodeType};
pub use parameters::{split_outside, squeezed};

/// The answers of one language.
#[derive(Debug)]
pub struct LanguageRules {
    /// What its sources are called, the language itself first.
    pub names: &'static [&'static str],
    /// What a call or `new` may target by its name.
    pub callable: &'static [NodeType],
    /// Whether an object is written with its members in place, which are no symbols and may hold
    /// functions.
    pub has_object_literals: bool,
    /// Whether a type implements an interface by having its members, without naming it.
    pub has_structural_types: bool,
    /// Whether the qualified name of a member may say whose member it implements:
    /// `Cart.IPriced.Total`.
    pub has_explicit_implementations: bool,
    /// What is said of a symbol that can be reached from outside its project.
    pub public_api: &'static str,
    /// Files that say how the sources of their folder and of those below are read. They count even
    /// where an ignore rule hides them.
    pub manifests: &'static [&'static str],
    /// Name and type of a parameter as written; a part that is not written is empty.
    pub parameter: fn(&str) -> (String, String),
}

impl Language {
    /// What it says of itself.
    #[must_use]
    pub fn rules(self) -> &'static LanguageRules {
        match self {
            Self::CSharp => &csharp::RULES,
            Self::TypeScript => &typescript::RULES,
        }
    }

    /// What the sources of all languages are called, as the end of a sentence:
    /// `C#, TypeScript or JavaScript`.
    #[must_use]
    pub fn all_names() -> String {
        let names: Vec<&str> = Self::NAMES
            .iter()
            .flat_map(|(_, language)| language.rules().names)
            .copied()
            .collect();
        match names.as_slice() {
            [] => String::new(),
            [only] => (*only).to_owned(),
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_all_languages_end_a_sentence() {
        assert_eq!(Language::all_names(), "C#, TypeScript or JavaScript");
    }

    #[test]
    fn parameters_have_names_and_types() {
        let both = |language: Language, text| {
            let (name, of) = (language.rules().parameter)(text);
            format!("{name}|{of}")
        };
        for (text, expected) in [
            ("int id", "id|int"),
            (
                "[From(\"a b\")] ref Dictionary<string, int>? map = null",
                "map|Dictionary<string,int>?",
            ),
            ("this Order order", "order|Order"),
            ("(int a, int b) pair", "pair|(inta,intb)"),
            ("= 1", "|"),
        ] {
            assert_eq!(both(Language::CSharp, text), expected);
        }
        for (text, expected) in [
            ("id: number", "id|number"),
            ("private readonly f?: (a: A) => void", "f|(a:A)=>void"),
            ("{ a, b }: Props = {}", "}|Props"),
            ("x = 1", "x|"),
            ("= 1", "|"),
        ] {
            assert_eq!(both(Language::TypeScript, text), expected);
        }
    }
}
