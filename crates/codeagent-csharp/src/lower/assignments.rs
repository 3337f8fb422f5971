//! Assignments and deconstruction.
//!
//! `(a, var b) = f();` assigns the elements of the result of `f` to `a` and to a new local `b`.
//!
//! Limitations: those of `operators`.

use codeagent_model::facts::*;
use smallvec::SmallVec;
use tree_sitter::Node;

use crate::lower::lowering::Lowering;
use crate::lower::operators::binary_operator;
use crate::syntax::syntax_kind::{Field, Kind, in_field, kind};

impl<'t, 'r> Lowering<'t, 'r> {
    /// Lowers `a = b`, `a += b`, `a ??= b` and `(a, var b) = c`.
    pub fn assignment(&mut self, node: Node<'r>) -> ExprId {
        let children = self.children(node);
        let (Some(left), Some(right)) = (
            in_field(&children, Field::Left),
            in_field(&children, Field::Right),
        ) else {
            return self.b.expr(Expr::Unknown);
        };
        let operator = in_field(&children, Field::Operator);
        let text = operator.map_or("=", |token| self.text(token));
        if text == "=" && kind(left) == Kind::TupleExpression {
            return self.deconstruction(left, right);
        }

        let target = self.expr_used(
            left,
            &[],
            if text == "=" {
                SiteKind::Write
            } else {
                SiteKind::ReadWrite
            },
        );

        let value = self.expr(right, Context::Assigned(target));
        let value = match (text, operator) {
            ("=", _) | (_, None) => value,
            ("??=", _) => self.coalesce(target, value),
            (_, Some(token)) => match binary_operator(text.trim_end_matches('=')) {
                Some(operator) => return self.compound(operator, (target, value), token),
                None => value,
            },
        };

        self.b.expr(Expr::Assign(target, value))
    }

    fn deconstruction(&mut self, left: Node<'r>, right: Node<'r>) -> ExprId {
        let mut declared = Vec::new();
        self.tuple_targets(left, &mut SmallVec::new(), &mut declared);
        let value = self.expr(right, Context::None);
        self.give_elements(&declared, value);
        value
    }

    /// Lowers the targets of `(a, var b, (c, d)) = ..`: existing variables are written; new ones
    /// are declared and returned, each with its path of element numbers.
    pub fn tuple_targets(
        &mut self,
        tuple: Node<'r>,
        path: &mut SmallVec<[u16; 4]>,
        declared: &mut Vec<(DeclId, SmallVec<[u16; 4]>)>,
    ) {
        let children = self.children(tuple);
        for (index, argument) in children
            .iter()
            .filter(|child| child.kind == Kind::Argument)
            .enumerate()
        {
            path.push(index as u16);
            for part in self.children(argument.node) {
                match part.kind {
                    Kind::TupleExpression => {
                        self.with_depth_limit(|lowering| {
                            lowering.tuple_targets(part.node, path, declared)
                        });
                    }
                    Kind::DeclarationExpression => {
                        declared.extend(
                            self.declaration_expression(part.node)
                                .map(|decl| (decl, path.clone())),
                        );
                    }
                    Kind::Identifier if self.text(part.node) == "_" => {}
                    _ => {
                        self.expr_used(part.node, &[], SiteKind::Write);
                    }
                }
            }

            path.pop();
        }
    }

    /// Initialises deconstructed variables with their elements of the value.
    pub fn give_elements(&mut self, declared: &[(DeclId, SmallVec<[u16; 4]>)], value: ExprId) {
        for (decl, path) in declared {
            let mut element = value;
            for index in path {
                element = self.b.expr(Expr::Element(element, *index));
            }
            self.b.decl(*decl).init = element;
        }
    }
}
