//! How a tree is gone through in the order of its text.
//!
//! **Limits.** Says only where to go next, not what is looked at.

use tree_sitter::TreeCursor;

/// Goes to the next node that is not below this one; `false` if there is none.
pub fn next_beside(cursor: &mut TreeCursor<'_>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}
