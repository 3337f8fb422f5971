//! Code around offsets: JSX elements, object literals and calls; see
//! [`codeagent_lang::surroundings`].

use codeagent_lang::lower::surroundings::{self as walk, Shapes, named_children, part};
use codeagent_lang::surroundings::{Around, AroundKind, Surroundings, collapsed};
use codeagent_model::graph::Dialect;
use tree_sitter::Node;

/// Nodes whose strings are no texts: they select, compare or name something.
const NO_TEXT: [&str; 8] = [
    "binary_expression",
    "export_statement",
    "import_statement",
    "literal_type",
    "property_signature",
    "subscript_expression",
    "switch_case",
    "unary_expression",
];

/// Nodes that contain no more of what a text belongs to.
const ENDS: [&str; 9] = [
    "class_body",
    "expression_statement",
    "export_statement",
    "function_declaration",
    "import_statement",
    "lexical_declaration",
    "method_definition",
    "return_statement",
    "variable_declaration",
];

/// Returns the text at each offset and what contains it.
#[must_use]
pub fn surroundings(text: &str, dialect: Dialect, offsets: &[usize]) -> Vec<Surroundings> {
    let Some((_, tree)) = super::parse(text, dialect) else {
        return vec![Surroundings::default(); offsets.len()];
    };
    walk::surroundings(tree.root_node(), offsets, &Script { text })
}

struct Script<'t> {
    text: &'t str,
}

impl Script<'_> {
    fn at(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn element(&self, node: Node<'_>, offset: usize) -> Option<Around> {
        let opening = node.child_by_field_name("open_tag").unwrap_or(node);
        let name = opening.child_by_field_name("name");
        let attributes = named_children(opening).into_iter();
        let attributes = attributes.filter(|child| child.kind() == "jsx_attribute");

        Some(Around {
            kind: AroundKind::Element,
            name: name.map_or("", |name| self.at(name)).to_owned(),
            span: opening.byte_range(),
            parts: attributes
                .map(|attribute| part(self.text, attribute, attribute.named_child(0)))
                .collect(),
            has_other_texts: self.has_other_texts(node, offset),
        })
    }

    /// Reports whether an element shows a text that is not at an offset.
    fn has_other_texts(&self, node: Node<'_>, offset: usize) -> bool {
        named_children(node).into_iter().any(|child| {
            let is_other = !child.byte_range().contains(&offset);
            match child.kind() {
                "jsx_text" => is_other && self.at(child).contains(char::is_alphabetic),
                "jsx_element" => self.has_other_texts(child, offset),
                _ => false,
            }
        })
    }

    fn object(&self, node: Node<'_>) -> Around {
        let parts = named_children(node).into_iter().map(|child| {
            let key = child.child_by_field_name("key");
            let key = key.or_else(|| child.child_by_field_name("name"));
            part(self.text, child, key.or(Some(child)))
        });
        Around {
            kind: AroundKind::Object,
            name: String::new(),
            span: node.byte_range(),
            parts: parts.collect(),
            has_other_texts: false,
        }
    }

    fn call(&self, node: Node<'_>) -> Option<Around> {
        let callee = node
            .child_by_field_name("function")
            .or_else(|| node.child_by_field_name("constructor"))?;
        let arguments = node.child_by_field_name("arguments")?;
        let parts = named_children(arguments).into_iter();
        Some(Around {
            kind: AroundKind::Call,
            name: self.at(callee).to_owned(),
            span: node.byte_range(),
            parts: parts.map(|child| part(self.text, child, None)).collect(),
            has_other_texts: false,
        })
    }
}

impl Shapes for Script<'_> {
    fn text(&self, node: Node<'_>) -> Option<String> {
        let whole = self.at(node);
        let inner = match node.kind() {
            "jsx_text" => whole,
            "string" | "template_string" => whole.get(1..whole.len().saturating_sub(1))?,
            _ => return None,
        };
        let parent = node.parent()?;
        let is_key = parent.child_by_field_name("key") == Some(node);
        if is_key || NO_TEXT.contains(&parent.kind()) {
            return None;
        }
        Some(collapsed(&inner.replace('\\', "")))
    }

    fn around(&self, node: Node<'_>, offset: usize) -> Option<Around> {
        match node.kind() {
            "jsx_element" | "jsx_self_closing_element" => self.element(node, offset),
            "object" => Some(self.object(node)),
            "call_expression" | "new_expression" => self.call(node),
            _ => None,
        }
    }

    fn is_end(&self, kind: &str) -> bool {
        ENDS.contains(&kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, needle: &str) -> Surroundings {
        let offset = text.find(needle).expect("the text is there");
        surroundings(text, Dialect::Tsx, &[offset]).remove(0)
    }

    #[test]
    fn a_text_has_its_elements_around_it() {
        let text = "const a = <Menu open={x}>Other<Button type=\"submit\" onClick={() => go(1)}>\n\
            <Icon /> Delete\n   account</Button></Menu>;";
        let found = at(text, "Delete");
        assert_eq!(found.text.as_deref(), Some("Delete account"));
        let [button, menu] = found.around.as_slice() else {
            panic!("{found:?}");
        };
        let names: Vec<&str> = button.parts.iter().map(|part| &*part.name).collect();
        assert_eq!(button.name, "Button");
        assert_eq!(names, ["type", "onClick"]);
        assert_eq!(&text[button.parts[1].span.clone()], "onClick={() => go(1)}");
        assert!(!button.has_other_texts && menu.has_other_texts);
    }

    #[test]
    fn a_string_has_its_object_and_call_around_it() {
        let text = "add({ label: 'Export', run() { f() }, onClick: () => g(), h }, k);";
        let found = at(text, "Export");
        assert_eq!(found.text.as_deref(), Some("Export"));
        let names: Vec<&str> = found.around.iter().map(|around| &*around.name).collect();
        assert_eq!(names, ["", "add"]);
        let parts: Vec<&str> = found.around[0]
            .parts
            .iter()
            .map(|part| &*part.name)
            .collect();
        assert_eq!(parts, ["label", "run", "onClick", "h"]);
        assert_eq!(found.around[1].parts.len(), 2);
    }

    #[test]
    fn a_string_that_names_something_is_no_text() {
        for (text, needle) in [
            ("import x from 'Export';", "Export"),
            ("if (a === 'Export') {}", "Export"),
            ("switch (a) { case 'Export': b(); }", "Export"),
            ("let a: 'Export';", "Export"),
            ("let a = { 'Export': 1 };", "Export"),
            ("// Export", "Export"),
        ] {
            assert_eq!(at(text, needle).text, None, "{text}");
        }
    }
}
