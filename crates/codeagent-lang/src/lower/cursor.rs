//! Iteration over the children of a syntax node, in text order.
//!
//! Limitations: does not descend; callers decide which nodes they visit.

use tree_sitter::{Node, TreeCursor};

/// Moves to the next node outside the current subtree; returns `false` if there is none.
pub fn next_beside(cursor: &mut TreeCursor<'_>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

/// Calls `visit` at each child of a node. Does not enter leaves or look past the last child.
pub fn each_child<'tree>(
    cursor: &mut TreeCursor<'tree>,
    node: Node<'tree>,
    mut visit: impl FnMut(Node<'tree>, &TreeCursor<'tree>),
) {
    let count = node.child_count();
    if count == 0 {
        return;
    }

    cursor.reset(node);
    let mut is_there = cursor.goto_first_child();

    for left in (0..count).rev() {
        if is_there {
            visit(cursor.node(), cursor);
            is_there = left > 0 && cursor.goto_next_sibling();
        }
    }
}
