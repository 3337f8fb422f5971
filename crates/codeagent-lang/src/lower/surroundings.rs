//! Walks from offsets of a tree to their statements; see [`crate::surroundings`].

use tree_sitter::Node;

use crate::surroundings::{Around, Part, Surroundings};

/// Maximum number of levels between a text and its statement.
const MAX_LEVELS: usize = 200;

/// What a language says about a node.
pub trait Shapes {
    /// Returns the text of a string or element; `None` if the node is none.
    fn text(&self, node: Node<'_>) -> Option<String>;

    /// Describes an element, object, call or assignment; `offset` is that of the text inside.
    fn around(&self, node: Node<'_>, offset: usize) -> Option<Around>;

    /// Reports whether a node of this kind contains no more of what a text belongs to.
    fn is_end(&self, kind: &str) -> bool;
}

/// Returns the text at each offset and what contains it.
pub fn surroundings(root: Node<'_>, offsets: &[usize], shapes: &impl Shapes) -> Vec<Surroundings> {
    let at = |offset: &usize| at_offset(root, *offset, shapes);
    offsets.iter().map(at).collect()
}

fn at_offset(root: Node<'_>, offset: usize, shapes: &impl Shapes) -> Surroundings {
    let mut found = Surroundings::default();
    let mut node = root.named_descendant_for_byte_range(offset, offset + 1);
    for _ in 0..MAX_LEVELS {
        let Some(here) = node.filter(|here| !shapes.is_end(here.kind())) else {
            break;
        };
        if found.text.is_none() && found.around.is_empty() {
            found.text = shapes.text(here);
        }
        found.around.extend(shapes.around(here, offset));
        node = here.parent();
    }
    found
}

/// Makes the part of an element, object or call from its node and that of its name.
pub fn part(text: &str, node: Node<'_>, name: Option<Node<'_>>) -> Part {
    let name = name.and_then(|name| text.get(name.byte_range()));
    Part {
        name: name.unwrap_or_default().to_owned(),
        span: node.byte_range(),
    }
}

/// Returns the named children of a node.
pub fn named_children<'tree>(node: Node<'tree>) -> Vec<Node<'tree>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}
