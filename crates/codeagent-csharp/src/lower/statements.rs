//! Statements: scopes, local variables, returned values.
//!
//! `foreach (var (k, v) in d) { }` opens a scope in which `k` and `v` are elements of the iteration
//! type of `d`.
//!
//! **Limits.** Labels are not declared.

use codeagent_model::facts::*;
use smallvec::SmallVec;
use tree_sitter::Node;

use crate::lower::walk::Walker;
use crate::syntax::kinds::{Field, Kid, Kind, in_field, kind, of_kind};

impl<'t, 'r> Walker<'t, 'r> {
    /// The statements of a block in the current scope.
    pub fn statements(&mut self, block: Node<'r>) {
        for kid in self.kids(block) {
            self.part(kid);
        }
    }

    /// A statement.
    pub fn statement(&mut self, node: Node<'r>) {
        self.nested(|walk| walk.statement_inner(node));
    }

    fn statement_inner(&mut self, node: Node<'r>) {
        match kind(node) {
            Kind::Block => self.in_block(|walk| walk.statements(node)),
            Kind::LocalDeclaration => self.local_declaration(node),
            Kind::LocalFunction => self.local_function(node),
            Kind::ReturnStatement => self.return_statement(node),
            Kind::YieldStatement => self.yield_statement(node),
            Kind::IfStatement => self.if_statement(node),
            Kind::ForeachStatement => self.in_block(|walk| walk.foreach(node)),
            Kind::SwitchStatement => self.switch_statement(node),
            Kind::LabeledStatement => {
                for kid in self.kids(node).iter().skip(1) {
                    self.part(*kid);
                }
            }
            Kind::GotoStatement => self.goto_statement(node),
            Kind::WhileStatement
            | Kind::DoStatement
            | Kind::ForStatement
            | Kind::UsingStatement
            | Kind::FixedStatement
            | Kind::LockStatement
            | Kind::CatchClause => self.in_block(|walk| walk.statements(node)),
            _ => self.statements(node),
        }
    }

    /// A child of a statement: another statement, a declaration or an expression.
    fn part(&mut self, kid: Kid<'r>) {
        match kid.kind {
            Kind::Token
            | Kind::AwaitWord
            | Kind::Default
            | Kind::Equals
            | Kind::Colon
            | Kind::Modifier => {}
            Kind::VariableDeclaration => self.locals(kid.node, DeclFlags::default()),
            Kind::CatchDeclaration => self.catch_declaration(kid.node),
            Kind::PreprocIf
            | Kind::PreprocElse
            | Kind::PreprocElif
            | Kind::Error
            | Kind::GlobalStatement => {
                self.nested(|walk| walk.statements(kid.node));
            }
            Kind::Block if kid.field != Field::Body => self.statement(kid.node),
            _ if kid.kind.is_statement() => self.embedded(kid.node, kid.field),
            _ if kid.kind.is_pattern() => self.pattern(kid.node, ExprId::NONE),
            Kind::ClassDeclaration
            | Kind::StructDeclaration
            | Kind::RecordDeclaration
            | Kind::EnumDeclaration
            | Kind::MethodDeclaration => {}
            _ => {
                self.expr(kid.node, Context::None);
            }
        }
    }

    /// A statement that is the body of another has names of its own.
    fn embedded(&mut self, node: Node<'r>, field: Field) {
        if matches!(field, Field::Body | Field::Consequence | Field::Alternative)
            && kind(node) != Kind::Block
        {
            self.in_block(|walk| walk.statement(node));
        } else {
            self.statement(node);
        }
    }

    fn if_statement(&mut self, node: Node<'r>) {
        let mut next = Some(node);
        while let Some(node) = next.take() {
            for kid in self.kids(node) {
                if kid.field == Field::Alternative && kid.kind == Kind::IfStatement {
                    next = Some(kid.node);
                } else {
                    self.part(kid);
                }
            }
        }
    }

    fn local_declaration(&mut self, node: Node<'r>) {
        let kids = self.kids(node);
        let is_const = kids
            .iter()
            .any(|kid| kid.kind == Kind::Modifier && self.text(kid.node) == "const");
        let flags = if is_const {
            DeclFlags::CONST
        } else {
            DeclFlags::default()
        };
        if let Some(variables) = of_kind(&kids, Kind::VariableDeclaration) {
            self.locals(variables, flags);
        }
    }

    /// `T a = 1, b`, `var (a, b) = c`
    fn locals(&mut self, node: Node<'r>, flags: DeclFlags) {
        let kids = self.kids(node);
        let ty = in_field(&kids, Field::Type).map_or(TypeId::NONE, |ty| self.ty(ty));
        for kid in kids
            .iter()
            .filter(|kid| kid.kind == Kind::VariableDeclarator)
        {
            self.declarator(kid.node, ty, flags);
        }
    }

    fn declarator(&mut self, node: Node<'r>, ty: TypeId, flags: DeclFlags) {
        let kids = self.kids(node);

        let context = if ty.is_none() {
            Context::None
        } else {
            Context::Typed(ty)
        };

        let name = in_field(&kids, Field::Name);
        let variable = name.map(|name| {
            let variable = self.variable(name, ty, ExprId::NONE);
            self.b.decl(variable).flags = flags;
            variable
        });

        let mut init = ExprId::NONE;
        for kid in kids.iter().skip(1) {
            match kid.kind {
                Kind::Equals => {}
                Kind::BracketedArguments => self.plain_arguments(kid.node),
                _ => init = self.expr(kid.node, context),
            }
        }

        match (variable, of_kind(&kids, Kind::TuplePattern)) {
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
        let kids = self.kids(node);
        self.func.leaves |= kids.iter().all(|kid| kid.kind == Kind::Token);
        for kid in kids {
            if kid.kind != Kind::Token {
                let value = self.expr(kid.node, context);
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
        for kid in self.kids(node) {
            if kid.kind != Kind::Token {
                let value = self.expr(kid.node, context);
                self.func.returns.push(value);
            }
        }
    }

    fn goto_statement(&mut self, node: Node<'r>) {
        let kids = self.kids(node);
        if kids.len() > 2 {
            for kid in kids.iter().filter(|kid| kid.kind != Kind::Token) {
                self.part(*kid);
            }
        }
    }

    fn foreach(&mut self, node: Node<'r>) {
        let kids = self.kids(node);
        let is_await = of_kind(&kids, Kind::AwaitWord).is_some();
        let ty = in_field(&kids, Field::Type).map_or(TypeId::NONE, |ty| self.ty(ty));
        let left = in_field(&kids, Field::Left);
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

        let source = in_field(&kids, Field::Right)
            .map_or(ExprId::NONE, |right| self.expr(right, Context::None));
        let element = self.b.expr(Expr::Iterate(source, is_await));
        if let Some(variable) = variable {
            self.b.decl(variable).init = element;
        }

        self.give_elements(&declared, element);
        if let Some(tuple) = left.filter(|left| kind(*left) == Kind::TuplePattern) {
            self.designations(tuple, element);
        }

        if let Some(body) = in_field(&kids, Field::Body) {
            self.embedded(body, Field::Body);
        }
    }

    fn switch_statement(&mut self, node: Node<'r>) {
        let kids = self.kids(node);
        let subject = in_field(&kids, Field::Value)
            .map_or(ExprId::NONE, |value| self.expr(value, Context::None));
        let sections = of_kind(&kids, Kind::SwitchBody)
            .map(|body| self.kids(body))
            .unwrap_or_default();
        self.in_block(|walk| {
            let block = walk.b.scope;
            for section in &sections {
                walk.in_block(|walk| walk.switch_section(section.node, subject, block));
            }
        });
    }

    /// A section: what its labels declare is its own, what its statements declare is in scope in
    /// the whole switch block.
    fn switch_section(&mut self, node: Node<'r>, subject: ExprId, block: ScopeId) {
        let section = self.b.scope;
        let mut first = self.b.facts.decls.len();
        for kid in self.kids(node) {
            if kid.kind.is_pattern() {
                self.pattern(kid.node, subject);
                first = self.b.facts.decls.len();
            } else if kid.kind == Kind::WhenClause {
                self.statements(kid.node);
                first = self.b.facts.decls.len();
            } else {
                self.part(kid);
            }
        }

        for decl in &mut self.b.facts.decls[first..] {
            if decl.scope == section {
                decl.scope = block;
            }
        }
    }

    fn catch_declaration(&mut self, node: Node<'r>) {
        let kids = self.kids(node);
        let ty = in_field(&kids, Field::Type).map_or(TypeId::NONE, |ty| self.ty(ty));
        if let Some(name) = in_field(&kids, Field::Name) {
            self.variable(name, ty, ExprId::NONE);
        }
    }
}
