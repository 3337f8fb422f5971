//! Properties of the languages that need no facts: one table per language.
//!
//! Limitations: anything that needs facts, a world or a project belongs to the language's own
//! crate.

mod csharp;
mod imported;
mod parameters;
mod typescript;

use crate::graph::{Language, NodeType};
pub use parameters::{split_outside, squeezed};

/// The properties of one language.
#[derive(Debug)]
pub struct LanguageRules {
    /// Names of the languages of its sources, the main one first.
    pub names: &'static [&'static str],
    /// Node types that a call or `new` may target by name.
    pub callable: &'static [NodeType],
    /// Whether object literals have members, which are not symbols but may hold functions.
    pub has_object_literals: bool,
    /// Whether a type implements an interface by having its members, without naming it.
    pub has_structural_types: bool,
    /// Whether a member's qualified name may contain the interface it implements:
    /// `Cart.IPriced.Total`.
    pub has_explicit_implementations: bool,
    /// Description of a symbol that is reachable from outside its project.
    pub public_api: &'static str,
    /// Files that configure the sources of their folder and below. They are read even if an ignore
    /// rule hides them.
    pub manifests: &'static [&'static str],
    /// Splits a written parameter into name and type; a missing part is empty.
    pub parameter: fn(&str) -> (String, String),
}

impl Language {
    /// Returns the properties of this language.
    #[must_use]
    pub fn rules(self) -> &'static LanguageRules {
        match self {
            Self::CSharp => &csharp::RULES,
            Self::TypeScript => &typescript::RULES,
            Self::Imported => &imported::RULES,
        }
    }

    /// Returns the names of all languages' sources as a list: `C#, TypeScript or JavaScript`.
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
    fn language_names_are_listed_as_in_a_sentence() {
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
