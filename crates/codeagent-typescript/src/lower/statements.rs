//! Statements: the declarations and expressions in them, the blocks they open, and the effect of
//! conditions on them.
//!
//! Limitations: blocks are scopes. Labels and jumps are not followed, except to tell that a branch
//! does not continue.

use codeagent_model::facts::*;

use crate::lower::lowering::{EnclosingStatement, Lowering};
use crate::lower::patterns::Binding;
use crate::lower::state::Test;
use crate::syntax::repair::EditKind;
use crate::syntax::syntax::{Child, Field, Kind};

/// Largest number of `else if`s of one chain that narrow by the negated conditions before them;
/// each lookup of a name visits all of them.
const MAX_ELSE_SCOPES: u32 = 64;

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Lowers a statement; `outer` is the `export` or `declare` around it.
    pub fn statement(&mut self, child: Child<'tree>, outer: Option<EnclosingStatement>) {
        let mark = self.narrowing.writes.len();
        let assigned = self.with_depth_limit(None, |lowering| match child.kind {
            Kind::ExpressionStatement => lowering.expression_statement(child, outer),
            _ => {
                lowering.lower_statement(child, outer);
                None
            }
        });
        self.after_writes(mark, assigned, child.end());
    }

    fn lower_statement(&mut self, child: Child<'tree>, outer: Option<EnclosingStatement>) {
        match child.kind {
            Kind::LexicalDeclaration | Kind::VariableDeclaration => self.variables(child, outer),
            Kind::FunctionDeclaration
            | Kind::GeneratorFunctionDeclaration
            | Kind::FunctionSignature => {
                self.function_declaration(child, outer);
            }
            Kind::ClassDeclaration | Kind::AbstractClassDeclaration => {
                self.class_like(child, outer, Context::None);
            }
            Kind::InterfaceDeclaration => self.interface(child, outer),
            Kind::TypeAliasDeclaration => self.type_alias(child, outer),
            Kind::EnumDeclaration => self.enum_declaration(child, outer),
            Kind::InternalModule | Kind::Module => self.namespace(child, outer),
            Kind::AmbientDeclaration => self.ambient_declaration(child, outer),

            Kind::ImportStatement => self.import_statement(child),
            Kind::ImportAlias => self.import_alias(child, outer),
            Kind::ExportStatement => self.export_statement(child),
            Kind::StatementBlock => self.scoped(ScopeKind::Block, |lowering| {
                lowering.block_statements(child)
            }),
            Kind::IfStatement => self.if_statement(child),
            Kind::ForStatement | Kind::DoStatement => self.looped(|lowering| lowering.parts(child)),
            Kind::ForInStatement => self.looped(|lowering| lowering.for_in(child)),
            Kind::WhileStatement => self.looped(|lowering| lowering.while_statement(child)),
            Kind::ReturnStatement => self.return_statement(child),
            Kind::CatchClause => {
                self.scoped(ScopeKind::Block, |lowering| lowering.catch_clause(child))
            }
            Kind::SwitchStatement => self.switch_statement(child),

            Kind::EmptyStatement
            | Kind::StatementIdentifier
            | Kind::BreakStatement
            | Kind::ContinueStatement => {}
            Kind::LabeledStatement if self.was(EditKind::Global, child.start()) => {
                let children = self.children(child);
                self.global_block(&children);
            }
            Kind::TryStatement | Kind::LabeledStatement => self.parts_that_are_left(child),
            Kind::ThrowStatement | Kind::ElseClause | Kind::Error => self.parts(child),
            _ => {
                self.expr(child, Context::None);
            }
        }
    }

    /// Lowers all parts of a statement as statements.
    fn parts(&mut self, child: Child<'tree>) {
        for part in self.children(child).named() {
            self.statement(part, None);
        }
    }

    /// Lowers all parts of a statement after which control continues, even if a part does not
    /// complete.
    fn parts_that_are_left(&mut self, child: Child<'tree>) {
        for part in self.children(child).named() {
            let mark = self.narrowing.writes.len();
            self.statement(part, None);
            self.return_writes(mark);
            self.after_writes(mark, None, part.end());
        }
    }

    /// Lowers the statements of a block in the current scope.
    pub fn block_statements(&mut self, block: Child<'tree>) {
        for statement in self.children(block).named() {
            self.statement(statement, None);
        }
    }

    /// Lowers an expression statement; returns target and value if it is an assignment.
    fn expression_statement(
        &mut self,
        child: Child<'tree>,
        outer: Option<EnclosingStatement>,
    ) -> Option<(ExprId, ExprId)> {
        let inner = self.children(child).first()?;
        if inner.kind == Kind::InternalModule {
            let outer = self.outer(child, outer);
            self.namespace(inner, Some(outer));
        } else if !self.common_js(inner) {
            let call = if self.javascript {
                self.prototype_call(inner)
            } else {
                None
            };
            let value = self.expr(inner, Context::None);
            if let Some(call) = call {
                self.inherit_by_call(call, value);
            }
            self.assert_by(value, child.end() as u32);
            if let (Kind::AssignmentExpression, Expr::Assign(target, value)) =
                (inner.kind, self.b.facts.expr(value))
            {
                return Some((target, value));
            }
        }

        None
    }

    /// Lowers a block or single statement in its own scope, where a test holds or does not hold.
    fn branch(&mut self, child: Child<'tree>, test: Test, holds: bool) {
        self.scoped(ScopeKind::Block, |lowering| {
            lowering.narrow(test, holds, 0);
            if child.kind == Kind::StatementBlock {
                lowering.block_statements(child);
            } else {
                lowering.statement(child, None);
            }
        });
    }

    /// Lowers an `if` with all its `else if`s; each is in the scope where the conditions before it
    /// do not hold.
    fn if_statement(&mut self, child: Child<'tree>) {
        let scope = self.b.scope;
        let mut nested = 0;

        let mut current = child;
        loop {
            let children = self.children(current);
            let test = children
                .get(Field::Condition)
                .map_or(Test::None, |condition| {
                    self.value(condition, Context::None).test
                });
            let leaves = children
                .get(Field::Consequence)
                .is_some_and(|consequence| self.branch_leaves(consequence, test, true));
            let alternative = children
                .get(Field::Alternative)
                .and_then(|clause| self.children(clause).first());

            let Some(alternative) = alternative else {
                if leaves && self.b.scope == scope {
                    self.narrow(test, false, current.end() as u32);
                }
                break;
            };

            if alternative.kind != Kind::IfStatement {
                let other_leaves = self.branch_leaves(alternative, test, false);
                if self.b.scope == scope && leaves != other_leaves {
                    self.narrow(test, !leaves, current.end() as u32);
                }
                break;
            }

            if nested < MAX_ELSE_SCOPES {
                nested += 1;
                self.b.open_scope(ScopeKind::Block, DeclId::NONE);
                self.narrow(test, false, 0);
            }

            current = alternative;
        }

        self.b.scope = scope;
    }

    /// Lowers a branch of an `if`; reports whether control leaves it.
    fn branch_leaves(&mut self, child: Child<'tree>, test: Test, holds: bool) -> bool {
        let mark = self.narrowing.writes.len();
        self.branch(child, test, holds);
        let leaves = self.leaves(child);
        if leaves {
            self.leave_writes(mark);
        }
        leaves
    }

    /// Reports whether control does not continue after a statement.
    fn leaves(&mut self, child: Child<'tree>) -> bool {
        match child.kind {
            Kind::ReturnStatement
            | Kind::ThrowStatement
            | Kind::ContinueStatement
            | Kind::BreakStatement => true,

            Kind::StatementBlock => {
                let last = self.children(child).named().last();
                last.is_some_and(|last| {
                    matches!(
                        last.kind,
                        Kind::ReturnStatement
                            | Kind::ThrowStatement
                            | Kind::ContinueStatement
                            | Kind::BreakStatement
                    )
                })
            }
            _ => false,
        }
    }

    fn while_statement(&mut self, child: Child<'tree>) {
        let children = self.children(child);
        let test = children
            .get(Field::Condition)
            .map_or(Test::None, |condition| {
                self.value(condition, Context::None).test
            });
        if let Some(body) = children.get(Field::Body) {
            self.branch(body, test, true);
        }
    }

    /// Lowers `for (const x of y)`, `for await` and `for (const k in o)`.
    fn for_in(&mut self, child: Child<'tree>) {
        let children = self.children(child);
        let source = children
            .get(Field::Right)
            .map_or(ExprId::NONE, |right| self.expr(right, Context::None));

        let element = if children.has(Kind::Of) {
            self.b
                .expr(Expr::Iterate(source, children.has(Kind::AwaitToken)))
        } else {
            self.b.expr(Expr::Known(KnownType::String))
        };

        if let Some(left) = children.get(Field::Left) {
            let flags = match children.get(Field::Word).map(|kind| kind.kind) {
                Some(Kind::ConstToken) => Some(DeclFlags::CONST),
                Some(Kind::LetToken) => Some(DeclFlags::LET),
                Some(_) => Some(DeclFlags::HOISTED),
                None => None,
            };
            let binding = flags.map_or(Binding::assignment(), Binding::local);
            self.bind(left, element, binding);
        }

        if let Some(body) = children.get(Field::Body) {
            self.statement(body, None);
        }
    }

    fn return_statement(&mut self, child: Child<'tree>) {
        let Some(inner) = self.children(child).first() else {
            return;
        };

        let context = if self.function.is_none() {
            Context::None
        } else {
            Context::Returned(self.function)
        };
        let value = self.expr(inner, context);
        if self.function.is_none() {
            return;
        }

        let is_generator = self.b.decl(self.function).flags.has(DeclFlags::GENERATOR);
        let returned = if is_generator {
            self.b.expr(Expr::Return(value))
        } else {
            value
        };

        self.returns.push(returned);
    }

    fn catch_clause(&mut self, child: Child<'tree>) {
        let children = self.children(child);
        if let Some(parameter) = children.get(Field::Parameter) {
            let ty = children
                .get(Field::Type)
                .map_or(TypeId::NONE, |ty| self.ty(ty));
            let source = if ty.is_none() {
                ExprId::NONE
            } else {
                self.b.expr(Expr::Cast(ty))
            };
            self.bind(parameter, source, Binding::local(DeclFlags::LET));
        }
        if let Some(body) = children.get(Field::Body) {
            self.block_statements(body);
        }
    }

    fn switch_statement(&mut self, child: Child<'tree>) {
        let children = self.children(child);
        let subject = children
            .get(Field::Value)
            .map(|value| self.value(value, Context::None));

        let Some(body) = children.get(Field::Body) else {
            return;
        };

        self.scoped(ScopeKind::Block, |lowering| {
            let first = lowering.narrowing.writes.len();

            let mut falls_through = false;
            for case in lowering.children(body).named() {
                let parts = lowering.children(case);
                let label = parts
                    .get(Field::Value)
                    .map(|value| lowering.value(value, Context::None));

                let test = match (subject, label) {
                    (Some(subject), Some(label)) if !falls_through => {
                        lowering.comparison(subject, label, false)
                    }
                    _ => Test::None,
                };

                let statements: Vec<_> = parts
                    .named()
                    .filter(|part| part.field == Field::Body)
                    .collect();

                falls_through = statements.last().is_none_or(|last| !lowering.leaves(*last));

                let mark = lowering.narrowing.writes.len();
                lowering.scoped(ScopeKind::Block, |lowering| {
                    lowering.narrow(test, true, 0);
                    for statement in statements {
                        lowering.statement(statement, None);
                    }
                });

                if falls_through {
                    lowering.after_writes(mark, None, case.end());
                }
            }

            lowering.return_writes(first);
        });
    }
}
