//! Selection of an overload by its parameters: `Cart.Add(Product product, int count)`,
//! `Cart.Add(Product, int)` or, by their number, `Cart.Add(2)`.
//!
//! Limitations: types are compared as written, without namespaces, so an alias is another type.

use crate::model::graph::{Language, Node};
use crate::model::language::{split_outside, squeezed};
use crate::query::{QueryError, SymbolLabel};

/// Maximum number of overloads listed in an error.
const MAX_LISTED: usize = 10;

/// Returns the overloads with these parameters: as written, else by types, else by types that may be nullable, else by
/// number.
pub(in crate::query) fn overloads(found: Vec<Node>, asked: &str) -> Result<Vec<Node>, QueryError> {
    let rules: [fn(&Node, &str) -> bool; 4] =
        [is_written_so, has_types, has_nullable_types, has_count];
    let matching = rules.iter().map(|rule| {
        found
            .iter()
            .filter(|node| rule(node, asked))
            .cloned()
            .collect::<Vec<_>>()
    });

    let matching = matching.into_iter().find(|matching| !matching.is_empty());
    matching.ok_or_else(|| QueryError::NoOverload {
        asked: format!("({asked})"),
        candidates: found
            .iter()
            .take(MAX_LISTED)
            .map(SymbolLabel::from)
            .collect(),
    })
}

fn is_written_so(node: &Node, asked: &str) -> bool {
    node.parameter_signature
        .as_ref()
        .is_some_and(|signature| squeezed(signature) == squeezed(&format!("({asked})")))
}

fn has_types(node: &Node, asked: &str) -> bool {
    let Some(signature) = &node.parameter_signature else {
        return false;
    };
    let declared = signature
        .strip_prefix('(')
        .and_then(|inner| inner.strip_suffix(')'))
        .unwrap_or(signature);
    let (declared, asked) = (split_outside(declared, ','), split_outside(asked, ','));
    let mut pairs = declared.iter().zip(&asked);
    declared.len() == asked.len()
        && pairs.all(|(declared, asked)| is_same_parameter(node.language, declared, asked))
}

/// Reports whether the types agree without the marks of nullable ones: `Cart?` for `Cart`.
fn has_nullable_types(node: &Node, asked: &str) -> bool {
    let unmarked = Node {
        parameter_signature: node
            .parameter_signature
            .as_ref()
            .map(|signature| signature.replace('?', "")),
        ..node.clone()
    };
    node.language == Language::CSharp && has_types(&unmarked, &asked.replace('?', ""))
}

fn has_count(node: &Node, asked: &str) -> bool {
    asked
        .trim()
        .parse()
        .is_ok_and(|count: u32| node.parameter_count == Some(count))
}

fn is_same_parameter(language: Language, declared: &str, asked: &str) -> bool {
    let parameter = language.rules().parameter;
    let (name, declared) = parameter(declared);
    // The query may contain only types, or only names where the declaration has no types.
    let (_, asked_type) = parameter(asked);
    let asked = squeezed(asked);
    same_type(&declared, &asked_type)
        || same_type(&declared, &asked)
        || (declared.is_empty() && name == asked)
}

/// Reports whether two types are written alike, ignoring the namespace of the outermost type.
fn same_type(declared: &str, asked: &str) -> bool {
    let bare = |text: &str| {
        let head = text.split(['<', '[', '(', '{']).next().unwrap_or_default();
        let from = head.rfind('.').map_or(0, |at| at + 1);
        text[from..].to_owned()
    };
    !declared.is_empty() && (declared == asked || bare(declared) == bare(asked))
}

/// Splits `A.B(int, string)` into `A.B` and `int, string`.
pub(in crate::query) fn split_parameters(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_suffix(')')?;
    let mut depth = 0_usize;
    for (at, c) in inner.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth == 0 => {
                let name = inner[..at].trim_end();
                return (!name.is_empty()).then_some((name, &inner[at + 1..]));
            }
            '(' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Removes type arguments: `A<B<C>>.D` becomes `A.D`.
pub(in crate::query) fn without_type_arguments(text: &str) -> String {
    let mut depth = 0_usize;
    let mut keep = |c: char| {
        match c {
            '<' => depth += 1,
            '>' if depth > 0 => {
                depth -= 1;
                return false;
            }
            _ => {}
        }
        depth == 0
    };
    text.chars().filter(|c| keep(*c)).collect()
}

/// Removes the arity from a metadata name: ``List`1.Add`` becomes `List.Add`.
pub(in crate::query) fn without_arity(text: &str) -> String {
    let mut name = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        name.push_str(before);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    name.push_str(rest);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arities_are_removed() {
        assert_eq!(without_arity("A.List`1.Add"), "A.List.Add");
        assert_eq!(without_arity("Add"), "Add");
    }

    #[test]
    fn parameters_are_split_from_names() {
        assert_eq!(
            split_parameters("A.B(int, string)"),
            Some(("A.B", "int, string"))
        );
        assert_eq!(
            split_parameters("A.B<T>(Func<(int a, int b)> f)"),
            Some(("A.B<T>", "Func<(int a, int b)> f"))
        );
        assert_eq!(split_parameters("A.B()"), Some(("A.B", "")));
        for none in ["A.B", "(int)", ")", "A)"] {
            assert_eq!(split_parameters(none), None, "{none}");
        }
        assert_eq!(without_type_arguments("A<B<C>>.D"), "A.D");
    }

    #[test]
    fn types_are_compared_without_their_namespace() {
        assert!(is_same_parameter(
            Language::CSharp,
            "System.Collections.Generic.List<int> all",
            "List<int>"
        ));
        assert!(is_same_parameter(
            Language::CSharp,
            "string name = \"x\"",
            "string other"
        ));
        assert!(!is_same_parameter(
            Language::CSharp,
            "List<int> all",
            "List<string>"
        ));

        assert!(is_same_parameter(
            Language::TypeScript,
            "id: number",
            "number"
        ));
        assert!(is_same_parameter(Language::TypeScript, "id", "id"));
        assert!(!is_same_parameter(
            Language::TypeScript,
            "id: number",
            "string"
        ));
    }
}
