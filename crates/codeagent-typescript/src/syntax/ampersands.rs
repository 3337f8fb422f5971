//! Finds each `&` in JSX that stands for itself: the grammar accepts only references (`&amp;`).
//!
//! `<p>terms & conditions, and more</p>` and `<a title="a&b">` are valid. The grammar rejects them,
//! and may lose the whole component. A text in which every `&` is a `|` has the same JSX texts, and
//! the grammar accepts it: its tree shows which `&` are in JSX.

use codeagent_lang::lower::cursor::next_beside;
use tree_sitter::{Node, Tree};

use crate::syntax::repair::{Edit, EditKind};

/// Longest name or number in a character reference.
const MAX_REFERENCE: usize = 31;

/// Returns the rewrites of the `&` in JSX texts and strings; none if `parse` exceeds its budget.
pub fn edits(text: &[u8], parse: impl FnOnce(&[u8]) -> Option<Tree>) -> Vec<Edit> {
    let bars: Vec<u8> = (0..text.len())
        .map(|at| if is_bare(text, at) { b'|' } else { text[at] })
        .collect();
    let mut edits = Vec::new();
    if bars == text {
        return edits;
    }
    let Some(tree) = parse(&bars) else {
        return edits;
    };

    for_each_jsx_text(tree.root_node(), |node| {
        let bare = node.byte_range().filter(|at| is_bare(text, *at));
        edits.extend(bare.map(|at| Edit {
            offset: at as u32,
            len: 1,
            kind: EditKind::Ampersand,
        }));
    });
    edits
}

/// Reports whether an `&` is at this offset and starts no character reference.
fn is_bare(text: &[u8], at: usize) -> bool {
    if text[at] != b'&' {
        return false;
    }
    let rest = &text[at + 1..text.len().min(at + 2 + MAX_REFERENCE)];
    let name = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'#')
        .count();
    name == 0 || rest.get(name) != Some(&b';')
}

/// Calls `visit` for each JSX text and each string of a JSX attribute, in text order.
fn for_each_jsx_text(root: Node<'_>, mut visit: impl FnMut(Node<'_>)) {
    let mut cursor = root.walk();

    loop {
        let node = cursor.node();
        match node.kind() {
            "jsx_text" => visit(node),
            "jsx_attribute" => {
                if let Some(string) = node.named_child(1).filter(|node| node.kind() == "string") {
                    visit(string);
                }
            }
            _ => {}
        }

        if !cursor.goto_first_child() && !next_beside(&mut cursor) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use codeagent_model::graph::{Dialect, ParseStatus};

    use crate::lower::extract;

    #[test]
    fn an_ampersand_in_jsx_stands_for_itself() {
        for text in [
            "<p>Terms & conditions & more</p>",
            "<p>a && b <b>c</b>&</p>",
            "<p>Terms & conditions, apply. R&D</p>",
            "<p>a &b; &#169; {<i />} & \"c\"</p>",
            "<p><b>&&</b>, <b>||</b></p>",
            "<p title=\"a&b\" lang='&'>&amp; &lt</p>",
            "<>a & {<i>x & y</i>} & z</>",
        ] {
            let facts = extract(&format!("export const a = () => {text};"), Dialect::Tsx);
            assert_eq!(facts.header.parse_status, ParseStatus::Full, "{text}");
            assert_eq!(facts.decl_ids().count(), 2, "{text}");
            assert!(facts.sites.is_empty(), "{text}");
        }

        let broken = extract("const a = <p>{b & }</p>;", Dialect::Tsx);
        assert_eq!(broken.header.parse_status, ParseStatus::Partial);
    }
}
