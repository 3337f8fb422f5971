//! Finds the branches in a tree; see [`crate::branches`]. The grammars of both languages have the same fields.

use tree_sitter::{Node, TreeCursor};

use crate::branches::{Branch, BranchKind};

/// Functions without a name in C#, where `+=` adds them to an event.
const FUNCTIONS: [&str; 2] = ["anonymous_method_expression", "lambda_expression"];

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
        (kind, Some("right")) => match operator_before(cursor.node()) {
            Some("&&") => Some(BranchKind::If),
            Some("+=") if FUNCTIONS.contains(&kind) => Some(BranchKind::Event),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the operator before the right side of an expression.
fn operator_before<'t>(right: Node<'t>) -> Option<&'t str> {
    right.prev_sibling().map(|operator| operator.kind())
}
