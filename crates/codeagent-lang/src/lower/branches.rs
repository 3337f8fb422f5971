//! Finds the branches in a tree; see [`crate::branches`]. The grammars of both languages have the same fields.

use tree_sitter::{Node, TreeCursor};

use crate::branches::{Branch, BranchKind};

/// Returns the branches in a tree, outer ones first.
#[must_use]
pub fn branches(root: Node<'_>) -> Vec<Branch> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    loop {
        if let Some(kind) = kind_at(&cursor) {
            let span = cursor.node().byte_range();
            found.push(Branch { kind, span });
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// Returns when the node of a cursor runs; `None` if its parent decides nothing.
fn kind_at(cursor: &TreeCursor<'_>) -> Option<BranchKind> {
    match (cursor.node().kind(), cursor.field_name()) {
        ("catch_clause", _) => Some(BranchKind::Catch),
        ("switch_case" | "switch_default" | "switch_section" | "switch_expression_arm", _) => {
            Some(BranchKind::Case)
        }
        (_, Some("consequence")) => Some(BranchKind::If),
        (_, Some("alternative")) => Some(BranchKind::Else),
        (_, Some("right")) => is_after_and(cursor.node()).then_some(BranchKind::If),
        _ => None,
    }
}

/// Reports whether a node is the right side of `&&`.
fn is_after_and(node: Node<'_>) -> bool {
    let operator = node.prev_sibling().map(|operator| operator.kind());
    operator == Some("&&")
}
