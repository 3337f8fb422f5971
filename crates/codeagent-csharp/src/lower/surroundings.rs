//! Code around offsets: calls, object initializers, assignments and attributes; see
//! [`codeagent_lang::surroundings`].

use codeagent_lang::lower::surroundings::{self as walk, Shapes, named_children, part};
use codeagent_lang::surroundings::{Around, AroundKind, Surroundings, collapsed};
use tree_sitter::Node;

use crate::syntax::parse;

/// Nodes whose strings are compared and no texts. That of an index may be one: `localizer["Save"]`.
const NO_TEXT: [&str; 2] = ["binary_expression", "constant_pattern"];

/// Returns the text at each offset and what contains it.
#[must_use]
pub fn surroundings(text: &str, offsets: &[usize]) -> Vec<Surroundings> {
    let Some(parsed) = parse::parse(text, &[]) else {
        return vec![Surroundings::default(); offsets.len()];
    };
    walk::surroundings(parsed.tree.root_node(), offsets, &Script { text })
}

struct Script<'t> {
    text: &'t str,
}

impl Script<'_> {
    fn at(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn make(&self, kind: AroundKind, node: Node<'_>, name: Option<Node<'_>>) -> Around {
        Around {
            kind,
            name: name.map_or("", |name| self.at(name)).to_owned(),
            span: node.byte_range(),
            parts: Vec::new(),
            has_other_texts: false,
        }
    }

    fn call(&self, node: Node<'_>, callee: &str) -> Around {
        let mut call = self.make(AroundKind::Call, node, node.child_by_field_name(callee));
        if let Some(arguments) = node.child_by_field_name("arguments") {
            let parts = named_children(arguments).into_iter();
            call.parts = parts
                .map(|child| part(self.text, child, child.child_by_field_name("name")))
                .collect();
        }
        call
    }

    fn initializer(&self, node: Node<'_>) -> Around {
        let mut object = self.make(AroundKind::Object, node, None);
        let parts = named_children(node).into_iter();
        object.parts = parts
            .map(|child| part(self.text, child, child.child_by_field_name("left")))
            .collect();
        object
    }

    /// Describes an assignment that is a statement; others are parts of an object.
    fn assignment(&self, node: Node<'_>) -> Option<Around> {
        let is_statement = node.parent()?.kind() == "expression_statement";
        let left = node.child_by_field_name("left");
        is_statement.then(|| self.make(AroundKind::Assignment, node, left))
    }
}

impl Shapes for Script<'_> {
    fn text(&self, node: Node<'_>) -> Option<String> {
        let is_string = matches!(
            node.kind(),
            "string_literal"
                | "verbatim_string_literal"
                | "raw_string_literal"
                | "interpolated_string_expression"
        );
        if !is_string || NO_TEXT.contains(&node.parent()?.kind()) {
            return None;
        }
        let inner = self.at(node).trim_start_matches(['$', '@']);
        Some(collapsed(&inner.trim_matches('"').replace('\\', "")))
    }

    fn around(&self, node: Node<'_>, _offset: usize) -> Option<Around> {
        match node.kind() {
            "invocation_expression" => Some(self.call(node, "function")),
            "object_creation_expression" => Some(self.call(node, "type")),
            "initializer_expression" => Some(self.initializer(node)),
            "assignment_expression" => self.assignment(node),
            "variable_declarator" => {
                let name = node.child_by_field_name("name");
                Some(self.make(AroundKind::Assignment, node, name))
            }
            "attribute" => {
                let name = node.child_by_field_name("name");
                Some(self.make(AroundKind::Attribute, node, name))
            }
            _ => None,
        }
    }

    fn is_end(&self, kind: &str) -> bool {
        kind.ends_with("_declaration") || kind.ends_with("_statement") || kind == "block"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(statement: &str, needle: &str) -> (Option<String>, Vec<String>) {
        let text = format!("class A {{ void M() {{ {statement} }} }}");
        let offset = text.find(needle).expect("the text is there");
        let found = surroundings(&text, &[offset]).remove(0);
        let around = found.around.into_iter();
        (found.text, around.map(|around| around.name).collect())
    }

    #[test]
    fn a_text_has_its_calls_and_assignments_around_it() {
        for (statement, needle, text, expected) in [
            (
                "Button(\"id\").Text(Strings.Save).OnClick(Run);",
                "Strings",
                None,
                &[
                    "Button(\"id\").Text",
                    "Button(\"id\").Text(Strings.Save).OnClick",
                ][..],
            ),
            (
                "this.button.Text = \"Save it\";",
                "Save",
                Some("Save it"),
                &["this.button.Text"],
            ),
            (
                "var i = new Item(\"Export\", null, OnExport);",
                "Export",
                Some("Export"),
                &["Item", "i"],
            ),
            (
                "Add(new Item { Header = \"Q\", Click = Run });",
                "Q",
                Some("Q"),
                &["", "Item", "Add"],
            ),
            ("if (a == \"Q\") {}", "Q", None, &[]),
            ("switch (a) { case \"Q\": break; }", "Q", None, &[]),
            ("var b = a is \"Q\";", "Q", None, &["b"]),
            ("var b = l[\"Q\"];", "Q", Some("Q"), &["b"]),
        ] {
            let (found, around) = names(statement, needle);

            assert_eq!(
                (found.as_deref(), around.as_slice()),
                (
                    text,
                    &expected.iter().map(|s| s.to_string()).collect::<Vec<_>>()[..]
                ),
                "{statement}"
            );
        }
    }
}
