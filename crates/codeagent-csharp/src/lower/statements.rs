//! Statements: scopes, local variables, returned values.
//!
//! `foreach (var (k, v) in d) { }` opens a scope in which `k` and `v` are elements of the iteration
//! type of `d`.
//!
//! Limitations: labels are not declared.

use codeagent_model::facts::*;
use smallvec::SmallVec;
use tree_sitter::Node;

use crate::lower::lowering::Lowering;
use crate::syntax::syntax_kind::{Child, Field, Kind, in_field, kind, of_kind};

impl<'t, 'r> Lowering<'t, 'r> {
    /// Lowers the statements of a block in the current scope.
    pub fn statements(&mut self, block: Node<'r>) {
        for child in self.children(block) {
            self.part(child);
        }
    }

    pub fn statement(&mut self, node: Node<'r>) {
        self.with_depth_limit(|lowering| lowering.statement_inner(node));
    }

    fn statement_inner(&mut self, node: Node<'r>) {
        match kind(node) {
            Kind::Block => self.in_block(|lowering| lowering.statements(node)),
            Kind::LocalDeclaration => self.local_declaration(node),
            Kind::LocalFunction => self.local_function(node),
            Kind::ReturnStatement => self.return_statement(node),
            Kind::YieldStatement => self.yield_statement(node),
            Kind::IfStatement => self.if_statement(node),
            Kind::ForeachStatement => self.in_block(|lowering| lowering.foreach(node)),
            Kind::SwitchStatement => self.switch_statement(node),
            Kind::LabeledStatement => {
                for child in self.children(node).iter().skip(1) {
                    self.part(*child);
                }
            }
            Kind::GotoStatement => self.goto_statement(node),
            Kind::WhileStatement
            | Kind::DoStatement
            | Kind::ForStatement
            | Kind::UsingStatement
            | Kind::FixedStatement
            | Kind::LockStatement
            | Kind::CatchClause => self.in_block(|lowering| lowering.statements(node)),
            _ => self.statements(node),
        }
    }

    /// Lowers a child of a statement: another statement, a declaration or an expression.
    fn part(&mut self, child: Child<'r>) {
        match child.kind {
            Kind::Token
            | Kind::AwaitWord
            | Kind::Default
            | Kind::Equals
            | Kind::Colon
            | Kind::Modifier => {}
            Kind::VariableDeclaration => self.locals(child.node, DeclFlags::default()),
            Kind::CatchDeclaration => self.catch_declaration(child.node),

            Kind::PreprocIf
            | Kind::PreprocElse
            | Kind::PreprocElif
            | Kind::Error
            | Kind::GlobalStatement => {
                self.with_depth_limit(|lowering| lowering.statements(child.node));
            }
            Kind::Block if child.field != Field::Body => self.statement(child.node),

            _ if child.kind.is_statement() => self.embedded(child.node, child.field),
            _ if child.kind.is_pattern() => self.pattern(child.node, ExprId::NONE),
            Kind::ClassDeclaration
            | Kind::StructDeclaration
            | Kind::RecordDeclaration
            | Kind::EnumDeclaration
            | Kind::MethodDeclaration => {}
            _ => {
                self.expr(child.node, Context::None);
            }
        }
    }

    /// Lowers a statement that is the body of another, in a scope of its own.
    fn embedded(&mut self, node: Node<'r>, field: Field) {
        if matches!(field, Field::Body | Field::Consequence | Field::Alternative)
            && kind(node) != Kind::Block
        {
            self.in_block(|lowering| lowering.statement(node));
        } else {
            self.statement(node);
        }
    }

    fn if_statement(&mut self, node: Node<'r>) {
        let mut next = Some(node);
        while let Some(node) = next.take() {
            for child in self.children(node) {
                if child.field == Field::Alternative && child.kind == Kind::IfStatement {
                    next = Some(child.node);
                } else {
                    self.part(child);
                }
            }
        }
    }

    fn local_declaration(&mut self, node: Node<'r>) {
        let children = self.children(node);
        let is_const = children
            .iter()
            .any(|child| child.kind == Kind::Modifier && self.text(child.node) == "const");
        let flags = if is_const {
            DeclFlags::CONST
        } else {
            DeclFlags::default()
        };
        if let Some(variables) = of_kind(&children, Kind::VariableDeclaration) {
            self.locals(variables, flags);
        }
    }

    /// Lowers `T a = 1, b` or `var (a, b) = c`.
    fn locals(&mut self, node: Node<'r>, flags: DeclFlags) {
        let children = self.children(node);
        let ty = in_field(&children, Field::Type).map_or(TypeId::NONE, |ty| self.ty(ty));
        for child in children
            .iter()
            .filter(|child| child.kind == Kind::VariableDeclarator)
        {
            self.declarator(child.node, ty, flags);
        }
    }

    fn declarator(&mut self, node: Node<'r>, ty: TypeId, flags: DeclFlags) {
        let children = self.children(node);

        let context = if ty.is_none() {
            Context::None
        } else {
            Context::Typed(ty)
        };

        let name = in_field(&children, Field::Name);
        let variable = name.map(|name| {
            let variable = self.variable(name, ty, ExprId::NONE);
            self.b.decl(variable).flags = flags;
            variable
        });

        let mut init = ExprId::NONE;
        for child in children.iter().skip(1) {
            match child.kind {
                Kind::Equals => {}
                Kind::BracketedArguments => self.plain_arguments(child.node),
                _ => init = self.expr(child.node, context),
            }
        }

        match (variable, of_kind(&children, Kind::TuplePattern)) {
            (Some(variable), _) => self.b.decl(variable).init = init,
            (None, Some(tuple)) => self.designations(tuple, init),
            _ => {}
        }
    }

    fn return_statement(&mut self, node: Node<'r>) {
        let context = self
            .func
            .decl
            .some()
            .map_or(Context::None, Context::Returned);
        let children = self.children(node);
        self.func.leaves |= children.iter().all(|child| child.kind == Kind::Token);
        for child in children {
            if child.kind != Kind::Token {
                let value = self.expr(child.node, context);
                if !self.func.generator {
                    self.func.returns.push(value);
                }
            }
        }
    }

    fn yield_statement(&mut self, node: Node<'r>) {
        self.func.generator = true;
        let context = self
            .func
            .decl
            .some()
            .map_or(Context::None, Context::Returned);
        for child in self.children(node) {
            if child.kind != Kind::Token {
                let value = self.expr(child.node, context);
                self.func.returns.push(value);
            }
        }
    }

    fn goto_statement(&mut self, node: Node<'r>) {
        let children = self.children(node);
        if children.len() > 2 {
            for child in children.iter().filter(|child| child.kind != Kind::Token) {
                self.part(*child);
            }
        }
    }

    fn foreach(&mut self, node: Node<'r>) {
        let children = self.children(node);
        let is_await = of_kind(&children, Kind::AwaitWord).is_some();
        let ty = in_field(&children, Field::Type).map_or(TypeId::NONE, |ty| self.ty(ty));
        let left = in_field(&children, Field::Left);
        let mut declared = Vec::new();
        let mut variable = None;
        match left.map(|left| (left, kind(left))) {
            Some((left, Kind::Identifier)) => {
                variable = Some(self.variable(left, ty, ExprId::NONE))
            }
            Some((left, Kind::TupleExpression)) => {
                self.tuple_targets(left, &mut SmallVec::new(), &mut declared)
            }
            Some((left, Kind::DeclarationExpression)) => {
                variable = self.declaration_expression(left)
            }
            _ => {}
        }

        let source = in_field(&children, Field::Right)
            .map_or(ExprId::NONE, |right| self.expr(right, Context::None));
        let element = self.b.expr(Expr::Iterate(source, is_await));
        if let Some(variable) = variable {
            self.b.decl(variable).init = element;
        }

        self.give_elements(&declared, element);
        if let Some(tuple) = left.filter(|left| kind(*left) == Kind::TuplePattern) {
            self.designations(tuple, element);
        }

        if let Some(body) = in_field(&children, Field::Body) {
            self.embedded(body, Field::Body);
        }
    }

    fn switch_statement(&mut self, node: Node<'r>) {
        let children = self.children(node);
        let subject = in_field(&children, Field::Value)
            .map_or(ExprId::NONE, |value| self.expr(value, Context::None));
        let sections = of_kind(&children, Kind::SwitchBody)
            .map(|body| self.children(body))
            .unwrap_or_default();
        self.in_block(|lowering| {
            let block = lowering.b.scope;
            for section in &sections {
                lowering.in_block(|lowering| lowering.switch_section(section.node, subject, block));
            }
        });
    }

    /// Lowers a switch section: its labels declare names for the section, its statements for the
    /// whole switch block.
    fn switch_section(&mut self, node: Node<'r>, subject: ExprId, block: ScopeId) {
        let section = self.b.scope;
        let mut first = self.b.facts.decls.len();
        for child in self.children(node) {
            if child.kind.is_pattern() {
                self.pattern(child.node, subject);
                first = self.b.facts.decls.len();
            } else if child.kind == Kind::WhenClause {
                self.statements(child.node);
                first = self.b.facts.decls.len();
            } else {
                self.part(child);
            }
        }

        for decl in &mut self.b.facts.decls[first..] {
            if decl.scope == section {
                decl.scope = block;
            }
        }
    }

    fn catch_declaration(&mut self, node: Node<'r>) {
        let children = self.children(node);
        let ty = in_field(&children, Field::Type).map_or(TypeId::NONE, |ty| self.ty(ty));
        if let Some(name) = in_field(&children, Field::Name) {
            self.variable(name, ty, ExprId::NONE);
        }
    }
}
