//! Expressions, and the sites of the names, calls and operators in them.
//!
//! `a.F(x => x.B)` becomes a call of `Member(a, F)` whose argument is a lambda that gets its type
//! from argument 0 of that call.
//!
//! Limitations: of string literals, short ones and those that read as names are kept; the value of `sizeof`, `__makeref` and the
//! like is a number or unknown.

use codeagent_model::facts::*;
use codeagent_model::span::Position;
use tree_sitter::Node;

use crate::lower::lowering::Lowering;
use crate::syntax::syntax_kind::{Children, Field, Kind, in_field, kind, of_kind};

impl<'t, 'r> Lowering<'t, 'r> {
    /// Lowers an expression; `context` gives the contextual type of a lambda or `new()` in it.
    pub fn expr(&mut self, node: Node<'r>, context: Context) -> ExprId {
        self.with_depth_limit(|lowering| lowering.expr_inner(node, context, SiteKind::Read))
            .unwrap_or_default()
    }

    /// Lowers an expression followed by the steps of a chain; `use_kind` is the use of its last
    /// name.
    pub fn expr_used(&mut self, node: Node<'r>, steps: &[Node<'r>], use_kind: SiteKind) -> ExprId {
        let visit = |lowering: &mut Self| match kind(node) {
            Kind::Parenthesized if steps.is_empty() => lowering
                .children(node)
                .first()
                .map_or(ExprId::NONE, |inner| {
                    lowering.expr_used(inner.node, &[], use_kind)
                }),
            found if found.is_postfix() => lowering.chain(node, steps, use_kind),
            Kind::Identifier | Kind::GenericName => lowering.steps(node, steps, use_kind),
            _ if steps.is_empty() => lowering.expr_inner(node, Context::None, use_kind),
            _ => lowering.operand(node, steps),
        };
        self.with_depth_limit(visit).unwrap_or_default()
    }

    fn expr_inner(&mut self, node: Node<'r>, context: Context, use_kind: SiteKind) -> ExprId {
        let found = kind(node);
        match found {
            Kind::Identifier | Kind::GenericName => self.steps(node, &[], use_kind),
            _ if found.is_postfix() => self.chain(node, &[], use_kind),
            _ if found.is_operator() => self.operators(node, &[], context),
            Kind::QualifiedName if !self.text(node).contains(['<', ':']) => {
                self.qualified_value(node, use_kind)
            }
            Kind::QualifiedName | Kind::AliasQualifiedName | Kind::PredefinedType => {
                let ty = self.ty(node);
                self.b.expr(Expr::TypeValue(ty))
            }

            Kind::This => self.b.expr(Expr::This(self.ty_decl)),
            Kind::Base => self.b.expr(Expr::Super(self.ty_decl)),

            Kind::Assignment => self.assignment(node),
            Kind::Prefix => self.prefix(node, &[]),
            Kind::Await => self.await_expression(node, &[]),
            Kind::Cast if self.split_cast(node).is_some() => self.operators(node, &[], context),
            Kind::Cast => self.cast(node, &[]),
            Kind::RangeExpression => self.range(node, &[]),

            Kind::Parenthesized
            | Kind::Checked
            | Kind::RefExpression
            | Kind::ExpressionElement
            | Kind::Argument => self.only_child(node, context, use_kind),
            Kind::Throw => {
                self.only_child(node, Context::None, SiteKind::Read);
                self.b.expr(Expr::Literal(LiteralKind::Throw, Sym::NONE))
            }
            Kind::ConditionalExpression => self.conditional(node, context),
            _ => self.literal_or_creation(node, context),
        }
    }

    fn literal_or_creation(&mut self, node: Node<'r>, context: Context) -> ExprId {
        match kind(node) {
            Kind::StringLiteral | Kind::VerbatimString | Kind::RawString => self.string(node),
            Kind::InterpolatedString => self.interpolated(node),
            Kind::CharLiteral => self.b.expr(Expr::Literal(LiteralKind::Char, Sym::NONE)),
            Kind::IntegerLiteral | Kind::RealLiteral => self.number(node),
            Kind::BooleanLiteral => {
                let text = self.name(node);
                self.b.expr(Expr::Literal(LiteralKind::Bool, text))
            }
            Kind::NullLiteral => self.b.expr(Expr::Literal(LiteralKind::Null, Sym::NONE)),

            Kind::ObjectCreation => self.object_creation(node),
            Kind::ImplicitObjectCreation => self.implicit_creation(node, context),
            Kind::ArrayCreation => self.array_creation(node),
            Kind::Stackalloc => self.stack_allocation(node, context),
            Kind::ImplicitArrayCreation | Kind::ImplicitStackalloc | Kind::Initializer => {
                self.array_literal(node, context, DeclId::NONE)
            }
            Kind::Collection => self.collection(node, context),
            Kind::AnonymousObject => self.anonymous_object(node, context),
            Kind::With => self.with_expression(node),

            Kind::Lambda | Kind::AnonymousMethod => self.lambda(node, context),
            Kind::SwitchExpression => self.switch_expression(node, context),
            Kind::Query => self.query(node),
            Kind::TupleExpression => self.tuple(node),
            Kind::DeclarationExpression => match self.product(node) {
                Some(product) => product,
                None => {
                    self.declaration_expression(node);
                    self.b.expr(Expr::Unknown)
                }
            },

            Kind::DefaultExpression | Kind::Typeof | Kind::Sizeof | Kind::RefValue => {
                self.type_operator(node)
            }
            _ => self.unknown(node),
        }
    }

    /// Lowers the children of a node that has no meaning of its own.
    fn unknown(&mut self, node: Node<'r>) -> ExprId {
        for child in self.children(node) {
            if child.kind.is_statement() {
                self.statement(child.node);
            } else if child.kind.is_pattern() {
                self.pattern(child.node, ExprId::NONE);
            } else if child.kind != Kind::Token && child.kind != Kind::ArgumentList {
                self.expr(child.node, Context::None);
            }
        }
        self.b.expr(Expr::Unknown)
    }

    /// Lowers `a.b` where the grammar parsed it as a type.
    fn qualified_value(&mut self, node: Node<'r>, use_kind: SiteKind) -> ExprId {
        let mut value = ExprId::NONE;
        for (name, ..) in self.segments(node) {
            let sym = self.name(name);
            let at = self.b.at(name);
            let scope = self.b.scope;
            value = self.b.expr(if value.is_none() {
                Expr::Name(sym, scope, at.offset)
            } else {
                Expr::Member(value, sym)
            });
            self.use_site(use_kind, value, at);
        }
        value
    }

    fn only_child(&mut self, node: Node<'r>, context: Context, use_kind: SiteKind) -> ExprId {
        let children = self.children(node);
        let Some(inner) = children
            .iter()
            .find(|child| !matches!(child.kind, Kind::Token | Kind::Ref))
        else {
            return ExprId::NONE;
        };
        let value = self
            .with_depth_limit(|lowering| lowering.expr_inner(inner.node, context, use_kind))
            .unwrap_or_default();
        self.b.expr(Expr::Paren(value))
    }

    fn conditional(&mut self, node: Node<'r>, context: Context) -> ExprId {
        let children = self.children(node);
        if let Some(condition) = in_field(&children, Field::Condition) {
            self.expr(condition, Context::None);
        }
        let yes = in_field(&children, Field::Consequence)
            .map_or(ExprId::NONE, |yes| self.expr(yes, context));
        let no = in_field(&children, Field::Alternative)
            .map_or(ExprId::NONE, |no| self.expr(no, context));
        self.b.expr(Expr::Or(yes, no))
    }

    fn tuple(&mut self, node: Node<'r>) -> ExprId {
        let mut args = Vec::new();
        for child in self.children(node) {
            if child.kind == Kind::Argument {
                let parts = self.children(child.node);
                let name = in_field(&parts, Field::Name);
                let value = parts.iter().rev().find(|part| Some(part.node) != name);
                let value =
                    value.map_or(ExprId::NONE, |value| self.expr(value.node, Context::None));
                let name = name.map_or(Sym::NONE, |name| self.name(name));
                args.push(Arg {
                    name,
                    mode: ArgMode::Value,
                    value,
                });
            }
        }

        let args = self.b.facts.add_list(args);
        self.b.expr(Expr::Tuple(args))
    }

    /// Lowers `default(T)`, `typeof(T)` and `sizeof(T)`.
    fn type_operator(&mut self, node: Node<'r>) -> ExprId {
        let children = self.children(node);
        if let Some(value) = in_field(&children, Field::Value) {
            self.expr(value, Context::None);
        }
        let Some(ty) = in_field(&children, Field::Type) else {
            return self.b.expr(Expr::Literal(LiteralKind::Default, Sym::NONE));
        };
        let ty = self.ty(ty);
        let value = match kind(node) {
            Kind::Typeof => Expr::Cast(self.system_type(&["global::", "System", "Type"], &[])),
            Kind::Sizeof => Expr::Known(KnownType::Number),
            _ => Expr::Cast(ty),
        };
        self.b.expr(value)
    }

    fn string(&mut self, node: Node<'r>) -> ExprId {
        let text = self.text(node);
        if text.ends_with("u8") || text.ends_with("U8") {
            return self
                .b
                .expr(Expr::Literal(LiteralKind::Utf8String, Sym::NONE));
        }
        let inner = unquoted(text);
        let sym = self.b.string_literal(inner, node.start_byte());
        self.b.expr(Expr::Literal(LiteralKind::String, sym))
    }

    fn interpolated(&mut self, node: Node<'r>) -> ExprId {
        let text = self.text(node);
        self.b.literal(unquoted(text), node.start_byte());

        let mut has_holes = false;
        for child in self.children(node) {
            if child.kind == Kind::Interpolation {
                has_holes = true;
                for part in self.children(child.node) {
                    if !matches!(
                        part.kind,
                        Kind::InterpolationFormat | Kind::Token | Kind::Other
                    ) {
                        self.expr(part.node, Context::None);
                    }
                }
            }
        }

        let sym = if has_holes {
            Sym::NONE
        } else {
            self.b.sym("$")
        };

        self.b.expr(Expr::Literal(LiteralKind::Interpolated, sym))
    }

    fn number(&mut self, node: Node<'r>) -> ExprId {
        let text = self.text(node);
        let word = match number_type(text, kind(node) == Kind::RealLiteral) {
            "uint" if text == "2147483648" && is_negated(node) => "int",
            "ulong"
                if text.trim_end_matches(['l', 'L']) == "9223372036854775808"
                    && is_negated(node) =>
            {
                "long"
            }
            word => word,
        };

        let literal = if word == "int" {
            Expr::Literal(LiteralKind::Number, self.b.sym(text))
        } else {
            Expr::Literal(LiteralKind::TypedNumber, self.b.sym_owned(word))
        };

        self.b.expr(literal)
    }

    /// Lowers the arguments of a call; lambdas among them refer back to it.
    pub fn arguments(&mut self, call: CallId, list: Node<'r>) {
        let mut args = Vec::new();
        let children = self.children(list);
        if kind(list) == Kind::Parenthesized {
            args.extend(children.first().map(|only| Arg {
                name: Sym::NONE,
                mode: ArgMode::Value,
                value: self.expr(only.node, Context::Argument(call, 0)),
            }));
        }
        for child in children.iter().filter(|child| child.kind == Kind::Argument) {
            let arg = self.argument(call, args.len() as u16, child.node);
            args.push(arg);
        }
        self.b.finish_call(call, args);
    }

    /// Labels a call that takes a callback with its first string; `at` is the position of the
    /// called name.
    pub fn callback(&mut self, call: CallId, list: Node<'r>, at: Position) {
        if self.b.last_callback(call).is_none() {
            return;
        }

        let args: Vec<Node<'r>> = self
            .children(list)
            .iter()
            .filter(|child| child.kind == Kind::Argument)
            .map(|child| child.node)
            .collect();

        let title = args.into_iter().enumerate().find_map(|(index, argument)| {
            let value = self.children(argument).last()?.node;
            let is_string = matches!(
                kind(value),
                Kind::StringLiteral
                    | Kind::VerbatimString
                    | Kind::RawString
                    | Kind::InterpolatedString
            );
            is_string.then(|| (index, unquoted(self.text(value))))
        });

        if let Some(title) = title {
            let end = list.end_byte().saturating_sub(1);
            self.b.callback(call, title, at.line, end);
        }
    }

    fn argument(&mut self, call: CallId, index: u16, node: Node<'r>) -> Arg {
        let parts = self.children(node);
        let name = in_field(&parts, Field::Name);
        let mode = parts.iter().find_map(|part| match part.kind {
            Kind::Ref => Some(ArgMode::Ref),
            Kind::Out => Some(ArgMode::Out),
            Kind::In => Some(ArgMode::In),
            _ => None,
        });

        let mode = mode.unwrap_or(ArgMode::Value);
        let name_sym = name.map_or(Sym::NONE, |name| self.name(name));
        let Some(value) = parts.last().filter(|last| Some(last.node) != name) else {
            return Arg {
                name: name_sym,
                mode,
                value: ExprId::NONE,
            };
        };

        let value = match (value.kind, mode) {
            (Kind::DeclarationExpression, ArgMode::Out) => {
                self.out_variable(call, index, value.node)
            }
            (Kind::DeclarationExpression, _) => match self.product(value.node) {
                Some(product) => product,
                None => self.out_variable(call, index, value.node),
            },
            (Kind::Identifier, ArgMode::Out) if self.text(value.node) == "_" => ExprId::NONE,
            (_, ArgMode::Out) => self.expr_used(value.node, &[], SiteKind::Write),
            (_, ArgMode::Ref) => self.expr_used(value.node, &[], SiteKind::ReadWrite),
            _ => self.expr(value.node, Context::Argument(call, index)),
        };

        Arg {
            name: name_sym,
            mode,
            value,
        }
    }

    fn out_variable(&mut self, call: CallId, index: u16, node: Node<'r>) -> ExprId {
        let Some(decl) = self.declaration_expression(node) else {
            return ExprId::NONE;
        };
        let init = self.b.expr(Expr::OutArgument(call, index));
        self.b.decl(decl).init = init;
        let Declaration {
            name, scope, at, ..
        } = *self.b.facts.decl(decl);
        self.b.expr(Expr::Name(name, scope, at.offset))
    }

    /// Lowers `out T x` or `(int a, var b)` and declares the name, unless it is `_`.
    pub fn declaration_expression(&mut self, node: Node<'r>) -> Option<DeclId> {
        let parts = self.children(node);
        let ty = in_field(&parts, Field::Type).map_or(TypeId::NONE, |ty| self.ty(ty));
        let name = in_field(&parts, Field::Name).filter(|name| self.text(*name) != "_")?;
        Some(self.variable(name, ty, ExprId::NONE))
    }

    /// Lowers arguments that belong to no call.
    pub fn plain_arguments(&mut self, list: Node<'r>) {
        for child in self.children(list) {
            self.expr(child.node, Context::None);
        }
    }

    fn switch_expression(&mut self, node: Node<'r>, context: Context) -> ExprId {
        let children = self.children(node);
        let subject = children.first().map_or(ExprId::NONE, |subject| {
            self.expr(subject.node, Context::None)
        });

        let mut value = ExprId::NONE;
        for arm in children
            .iter()
            .filter(|child| child.kind == Kind::SwitchArm)
        {
            let arm = self.in_block(|lowering| lowering.switch_arm(arm.node, subject, context));
            value = if value.is_none() {
                arm
            } else {
                self.b.expr(Expr::Or(value, arm))
            };
        }

        value
    }

    fn switch_arm(&mut self, node: Node<'r>, subject: ExprId, context: Context) -> ExprId {
        let children = self.children(node);
        if let Some(pattern) = children.first() {
            self.pattern(pattern.node, subject);
        }
        if let Some(when) = of_kind(&children, Kind::WhenClause) {
            self.only_child(when, Context::None, SiteKind::Read);
        }
        match children.last().filter(|_| children.len() > 1) {
            Some(value) => self.expr(value.node, context),
            None => ExprId::NONE,
        }
    }

    /// Lowers a lambda or anonymous method.
    fn lambda(&mut self, node: Node<'r>, context: Context) -> ExprId {
        let children = self.children(node);
        let at = self.b.at(node);
        let mut flags = DeclFlags::default();
        for child in &children {
            match child.kind {
                Kind::Modifier if self.text(child.node) == "async" => {
                    flags.insert(DeclFlags::ASYNC)
                }
                Kind::Modifier => flags.insert(DeclFlags::STATIC),
                _ => {}
            }
        }

        let decl = self.b.declare(Sym::NONE, DeclKind::Lambda, flags, at);
        self.b.decl(decl).context = context;
        let outer = self.b.scope;
        let scope = self.b.open_scope(ScopeKind::Function, decl);
        self.b.decl(decl).inner = scope;
        self.lambda_signature(decl, &children);
        let body = in_field(&children, Field::Body).or(of_kind(&children, Kind::Block));
        let func = self.in_function(decl, |lowering| {
            let Some(body) = body else { return };

            if kind(body) == Kind::Block {
                lowering.b.decl(decl).flags.insert(DeclFlags::HAS_BODY);
                lowering.statements(body);
                let last = lowering
                    .children(body)
                    .iter()
                    .rev()
                    .find(|child| child.kind != Kind::Token)
                    .map(|child| child.kind);
                if lowering.func.returns.is_empty()
                    && !lowering.func.leaves
                    && last == Some(Kind::ThrowStatement)
                {
                    let thrown = lowering
                        .b
                        .expr(Expr::Literal(LiteralKind::Throw, Sym::NONE));
                    lowering.func.returns.push(thrown);
                }
            } else {
                let value = lowering.expr(body, Context::Returned(decl));
                lowering.func.returns.push(value);
            }
        });

        self.finish_function(decl, func);
        self.b.scope = outer;
        self.b.fresh_expr(Expr::Function(decl))
    }

    fn lambda_signature(&mut self, decl: DeclId, children: &Children<'r>) {
        for child in children {
            match child.kind {
                Kind::AttributeList => {
                    self.attribute_list(child.node);
                }
                Kind::ParameterList => {
                    self.params(decl, child.node);
                    self.params_from_context(decl);
                }

                Kind::ImplicitParameter => {
                    let name = self.name(child.node);
                    let at = self.b.at(child.node);
                    let param = self
                        .b
                        .declare(name, DeclKind::Parameter, DeclFlags::default(), at);
                    self.b.decl(decl).params = self.b.facts.add_list([param]);
                    self.params_from_context(decl);
                }

                _ if child.field == Field::Type => {
                    let ty = self.ty(child.node);
                    self.b.decl(decl).ty = ty;
                }
                _ => {}
            }
        }
    }

    /// Gives parameters without a type that of the lambda's context.
    fn params_from_context(&mut self, decl: DeclId) {
        let params: Vec<DeclId> = self.b.facts.list(self.b.facts.decl(decl).params).to_vec();
        for (index, param) in params.into_iter().enumerate() {
            if self.b.facts.decl(param).ty.is_none() {
                let init = self.b.expr(Expr::ContextualParam(decl, index as u16));
                self.b.decl(param).init = init;
            }
        }
    }
}

/// Returns the text between the quotes of a string.
fn unquoted(text: &str) -> &str {
    text.trim_start_matches(['@', '$']).trim_matches('"')
}

/// Reports whether a minus precedes a literal: the smallest `int` and `long` are written so
/// (standard §6.4.5.3).
fn is_negated(literal: Node<'_>) -> bool {
    literal.parent().is_some_and(|parent| {
        kind(parent) == Kind::Prefix && parent.child(0).is_some_and(|sign| sign.kind() == "-")
    })
}

/// Returns the keyword of a numeric literal's type.
fn number_type(text: &str, real: bool) -> &'static str {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'b', ..] => (&lower[2..], 2),
        _ => (lower.as_str(), 10),
    };

    if real {
        return match digits.bytes().last() {
            Some(b'f') => "float",
            Some(b'm') => "decimal",
            _ => "double",
        };
    }

    let bare = digits.trim_end_matches(['u', 'l']);
    let suffix = &digits[bare.len()..];
    let value = u128::from_str_radix(&bare.replace('_', ""), radix).unwrap_or(u128::MAX);
    let (unsigned, long) = (suffix.contains('u'), suffix.contains('l'));
    match value {
        _ if (unsigned && long) || value > i64::MAX as u128 => "ulong",
        _ if long => "long",
        _ if unsigned => {
            if value > u128::from(u32::MAX) {
                "ulong"
            } else {
                "uint"
            }
        }
        _ if value > u128::from(u32::MAX) => "long",
        _ if value > i32::MAX as u128 => "uint",
        _ => "int",
    }
}

#[cfg(test)]
mod tests {
    use super::number_type;

    #[test]
    fn literals_have_their_csharp_types() {
        let table = [
            ("1", "int"),
            ("1L", "long"),
            ("1u", "uint"),
            ("1UL", "ulong"),
            ("0xFF_FFul", "ulong"),
            ("0xFFFFFFFF", "uint"),
            ("3000000000", "uint"),
        ];
        for (text, ty) in table {
            assert_eq!(number_type(text, false), ty, "{text}");
        }

        for (text, ty) in [
            ("1.0", "double"),
            (".5f", "float"),
            ("1m", "decimal"),
            ("1e10", "double"),
        ] {
            assert_eq!(number_type(text, true), ty, "{text}");
        }
    }
}
