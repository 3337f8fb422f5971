//! Functions of every form: declarations, overload signatures, methods, arrows; their type
//! parameters and parameters.
//!
//! `(a, { b }: T = {}, ...c) => a` is a `Lambda` with three parameters; `b` is a variable
//! destructured from the second.
//!
//! A `this` parameter is declared in the function's scope but is not one of its parameters; it types
//! `this` in the body.

use codeagent_lang::lower::interface_hash::VisibleTokens;
use codeagent_model::facts::*;
use codeagent_model::graph::Access;

use crate::lower::lowering::{EnclosingStatement, Lowering};
use crate::lower::patterns::Binding;
use crate::lower::signature_text::DeclText;
use crate::lower::state::Receiver;
use crate::syntax::syntax::{Child, Children, Field, Kind};

/// The properties of a function that follow from its position.
#[derive(Clone, Copy)]
pub struct FunctionHead {
    pub kind: DeclKind,
    /// Modifiers written outside the function's node.
    pub flags: DeclFlags,
    /// The first byte of the declaration; `None` if it gets no detail.
    pub start: Option<usize>,
    /// The end of the declaration if it differs from the node's.
    pub end: Option<usize>,
    pub access: Option<Access>,
    pub context: Context,
    /// The start of a statement or member whose comment documents the function too.
    pub documented: Option<usize>,
    /// `this` of a JavaScript function.
    pub receiver: Receiver,
}

impl FunctionHead {
    /// Returns the head of a function that gets no detail.
    pub fn plain(kind: DeclKind, context: Context) -> Self {
        Self {
            kind,
            flags: DeclFlags::default(),
            start: None,
            end: None,
            access: None,
            context,
            documented: None,
            receiver: Receiver::Own,
        }
    }
}

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Lowers `function f() {}` and `function f();`.
    pub fn function_declaration(&mut self, child: Child<'tree>, outer: Option<EnclosingStatement>) {
        let outer = self.outer(child, outer);
        let flags = outer.flags | DeclFlags::HOISTED;
        let head = FunctionHead {
            flags,
            start: Some(outer.start),
            end: Some(outer.end),
            ..FunctionHead::plain(DeclKind::Function, Context::None)
        };
        self.function(child, head);
    }

    pub fn function(&mut self, child: Child<'tree>, head: FunctionHead) -> DeclId {
        let children = self.children(child);
        let mut tags = self.function_tags([head.start, head.documented, Some(child.start())]);
        let id = self.declare_function(child, &children, head);

        if self.script.has_overloads {
            self.document_overloads(id, head.start, &mut tags);
        }

        let saved = self.save();

        if head.start.is_some() {
            self.b.owner = id;
        }

        let inner = self.b.open_scope(ScopeKind::Function, id);
        self.b.decl(id).inner = inner;

        if head.kind == DeclKind::Lambda {
            // The name of a function expression is visible only inside it.
            if !self.b.decl(id).name.is_none() {
                self.b.decl(id).scope = inner;
            }
        }

        self.function = id;
        self.own_this(child.kind, id, head.receiver);
        self.type_use = if head.start.is_some() {
            SiteKind::ParameterType
        } else {
            SiteKind::TypeRef
        };

        let around = std::mem::replace(&mut self.script.doc, tags);

        if !self.script.doc.all().is_empty() {
            self.document_head(id);
        }

        self.signature(&children, id);
        self.document_result(id);
        self.script.doc = around;
        self.body(&children, id);

        let returns = self.restore(saved);
        if returns.iter().any(|value| self.is_jsx(*value, 8)) {
            self.b.decl(id).flags.insert(DeclFlags::RETURNS_JSX);
        }

        let returns = self.b.facts.add_list(returns);
        self.b.decl(id).returns = returns;

        id
    }

    fn declare_function(
        &mut self,
        child: Child<'tree>,
        children: &Children<'tree>,
        head: FunctionHead,
    ) -> DeclId {
        let name_node = children.get(Field::Name);
        let (name, computed) = match name_node {
            Some(name) => self.member_name(name),
            None if head.flags.has(DeclFlags::DEFAULT) => {
                (self.b.sym_owned("default"), DeclFlags::default())
            }
            None => (Sym::NONE, DeclFlags::default()),
        };
        let flags = head.flags | computed | function_flags(child.kind, children);
        let at = self.at(name_node.unwrap_or(child));
        let id = self.b.declare(name, head.kind, flags, at);

        self.b.decl(id).context = head.context;

        if let Some(start) = head.start {
            let looks = DeclText {
                start,
                end: head.end.unwrap_or_else(|| child.end()),
                name: name_node,
                parameters: children.get(Field::Parameters),
                ty: match head.kind {
                    DeclKind::Setter => self.type_of_only_parameter(children),
                    _ => children.get(Field::ReturnType),
                },
                access: head.access,
                documented_at: None,
            };
            self.show(id, looks);
        }

        id
    }

    /// Returns the annotation of a setter's parameter, which is the type of the property.
    fn type_of_only_parameter(&mut self, children: &Children<'tree>) -> Option<Child<'tree>> {
        let list = self.children(children.get(Field::Parameters)?);
        let parameter = list.named().find(|child| child.kind != Kind::Comment)?;
        self.children(parameter).get(Field::Type)
    }

    /// Sets `this` for the body: the object a JavaScript function is assigned to, the instance it
    /// constructs, else the function itself, whose context determines it.
    fn own_this(&mut self, kind: Kind, id: DeclId, receiver: Receiver) {
        let context = self.b.decl(id).context;
        let own = match kind {
            Kind::FunctionDeclaration
            | Kind::FunctionExpression
            | Kind::GeneratorFunction
            | Kind::GeneratorFunctionDeclaration => true,
            // A method of an object literal.
            Kind::MethodDefinition => matches!(context, Context::Property(..)),
            _ => false,
        };
        if !own {
            return;
        }

        let of = match (receiver, context) {
            (Receiver::Instance(function), _) => function,
            (Receiver::Object(object), _) => {
                self.b.decl(id).init = object;
                id
            }
            (Receiver::Own, Context::Property(object, _)) => {
                self.script.prototypes.get(&object).copied().unwrap_or(id)
            }
            (Receiver::Own, Context::None) if !self.javascript => DeclId::NONE,
            (Receiver::Own, _) => id,
        };

        self.this = self.b.expr(Expr::This(of));
    }

    /// Lowers type parameters, parameters and return type.
    pub fn signature(&mut self, children: &Children<'tree>, id: DeclId) {
        self.type_parameters(children, id);

        if let Some(list) = children.get(Field::Parameters) {
            let params = self.parameters(list, id);
            self.b.decl(id).params = self.b.facts.add_list(params);
        } else if let Some(name) = children.get(Field::Parameter) {
            let sym = self.sym(name);
            let at = self.at(name);
            let param = self
                .b
                .declare(sym, DeclKind::Parameter, DeclFlags::default(), at);
            let init = self.b.expr(Expr::ContextualParam(id, 0));
            let ty = if self.javascript {
                self.documented_parameter(0, Some(self.text(name)), 0).ty
            } else {
                TypeId::NONE
            };
            let decl = self.b.decl(param);
            decl.init = init;
            decl.ty = ty;
            self.b.decl(id).params = self.b.facts.add_list([param]);
        }

        self.type_use = SiteKind::TypeRef;

        if let Some(ty) = children
            .get(Field::ReturnType)
            .or_else(|| children.get(Field::Type))
        {
            let ty = self.ty(ty);
            self.b.decl(id).ty = ty;
        }
    }

    fn body(&mut self, children: &Children<'tree>, id: DeclId) {
        let Some(body) = children.get(Field::Body) else {
            return;
        };

        let decl = self.b.decl(id);
        let declared =
            !decl.ty.is_none() || matches!(decl.kind, DeclKind::Constructor | DeclKind::Setter);
        if declared && !self.javascript {
            self.b.exclude_from_interface(body.start(), body.end());
        }

        if body.kind == Kind::StatementBlock {
            self.block_statements(body);
        } else {
            let value = self.expr(body, Context::Returned(id));
            self.returns.push(value);
        }

        if !declared && !self.javascript {
            let seen = self
                .observable_result(&self.returns)
                .unwrap_or(VisibleTokens::Asked(id));
            self.b.hide_but(body.start(), body.end(), seen);
        }
    }

    /// Returns the part of an unannotated body that other files can observe, if that is only the
    /// single type of its literals and comparisons.
    fn observable_result(&self, returns: &[ExprId]) -> Option<VisibleTokens> {
        let type_of = |value: &ExprId| match self.b.facts.expr(*value) {
            Expr::Known(KnownType::Bool) | Expr::Literal(LiteralKind::Bool, _) => {
                Some(VisibleTokens::Bool)
            }
            Expr::Known(KnownType::Number) | Expr::Literal(LiteralKind::Number, _) => {
                Some(VisibleTokens::Number)
            }
            Expr::Known(KnownType::String) | Expr::Literal(LiteralKind::String, _) => {
                Some(VisibleTokens::Text)
            }
            _ => None,
        };
        let Some(first) = returns.first() else {
            return Some(VisibleTokens::NoResult);
        };

        type_of(first).filter(|first| returns.iter().all(|value| type_of(value) == Some(*first)))
    }

    /// Declares `<T extends C = D>`.
    pub fn type_parameters(&mut self, children: &Children<'tree>, id: DeclId) {
        let Some(list) = children.get(Field::TypeParameters) else {
            return;
        };
        let mut params = Vec::new();
        for param in self
            .children(list)
            .named()
            .filter(|child| child.kind == Kind::TypeParameter)
        {
            params.extend(self.type_parameter(param));
        }
        self.b.decl(id).type_params = self.b.facts.add_list(params);
    }

    fn type_parameter(&mut self, child: Child<'tree>) -> Option<DeclId> {
        let children = self.children(child);
        let name = children.get(Field::Name)?;
        let sym = self.sym(name);
        let at = self.at(name);
        let flags = if children.has(Kind::ConstToken) {
            DeclFlags::CONST
        } else {
            DeclFlags::default()
        };
        let id = self.b.declare(sym, DeclKind::TypeParam, flags, at);
        let uses = std::mem::replace(&mut self.type_use, SiteKind::TypeRef);

        if let Some(constraint) = children
            .get(Field::Constraint)
            .and_then(|wrapper| self.children(wrapper).first())
        {
            self.constrain(id, constraint);
        }

        if let Some(default) = children
            .get(Field::Value)
            .and_then(|wrapper| self.children(wrapper).first())
        {
            let ty = self.ty(default);
            self.b.decl(id).ty = ty;
        }

        self.type_use = uses;

        Some(id)
    }

    /// Sets the constraint of a type parameter.
    pub fn constrain(&mut self, id: DeclId, constraint: Child<'tree>) {
        let ty = self.ty(constraint);
        let base = Base {
            clause: BaseClause::Constraint,
            ty,
            at: self.at(constraint),
        };
        self.b.decl(id).bases = self.b.facts.add_list([base]);
    }

    /// Declares the parameters of a list, in order; `this` is not one.
    pub fn parameters(&mut self, list: Child<'tree>, function: DeclId) -> Vec<DeclId> {
        let mut params = Vec::new();
        for child in self.children(list).named() {
            if matches!(
                child.kind,
                Kind::RequiredParameter | Kind::OptionalParameter
            ) {
                self.parameter(child, function, &mut params);
            }
        }
        params
    }

    fn parameter(&mut self, child: Child<'tree>, function: DeclId, params: &mut Vec<DeclId>) {
        let children = self.children(child);
        let Some(mut pattern) = children
            .get(Field::Pattern)
            .or_else(|| children.get(Field::Name))
        else {
            return;
        };

        if pattern.kind == Kind::This {
            self.this_parameter(&children, pattern);
            return;
        }

        let mut flags = DeclFlags::default();
        let default = children.get(Field::Value);
        if child.kind == Kind::OptionalParameter || default.is_some() {
            flags.insert(DeclFlags::OPTIONAL);
        }

        if pattern.kind == Kind::RestPattern {
            flags.insert(DeclFlags::REST);
            pattern = self.children(pattern).first().unwrap_or(pattern);
        }

        let simple = pattern.kind == Kind::Identifier;
        let name = if simple { self.sym(pattern) } else { Sym::NONE };
        let id = self
            .b
            .declare(name, DeclKind::Parameter, flags, self.at(pattern));
        let mut ty = children
            .get(Field::Type)
            .map_or(TypeId::NONE, |ty| self.ty(ty));
        if self.javascript && ty.is_none() {
            let name = simple.then(|| self.text(pattern));
            let verdict = self.documented_parameter(params.len(), name, child.start());
            ty = verdict.ty;
            if verdict.optional {
                self.b.decl(id).flags.insert(DeclFlags::OPTIONAL);
            }
        }

        let init = self.parameter_value(function, params.len() as u16, ty, default);
        let decl = self.b.decl(id);
        decl.ty = ty;
        decl.init = init;
        params.push(id);

        let decorators: Vec<_> = children
            .iter()
            .filter(|kid| kid.kind == Kind::Decorator)
            .collect();
        self.decorate(self.b.owner, decorators);

        if simple {
            self.parameter_property(child, &children, id);
        } else {
            self.bind_parameter(pattern, ty, init);
        }
    }

    /// Declares a `this` parameter that has a type.
    fn this_parameter(&mut self, children: &Children<'tree>, name: Child<'tree>) {
        if let Some(ty) = children.get(Field::Type) {
            let ty = self.ty(ty);
            self.this = self.b.expr(Expr::Cast(ty));

            let (sym, at) = (self.sym(name), self.at(name));
            let id = self
                .b
                .declare(sym, DeclKind::Parameter, DeclFlags::default(), at);
            self.b.decl(id).ty = ty;
        }
    }

    /// Declares the variables of a parameter's pattern.
    fn bind_parameter(&mut self, pattern: Child<'tree>, ty: TypeId, init: ExprId) {
        let source = if ty.is_none() {
            init
        } else {
            self.b.expr(Expr::Cast(ty))
        };
        self.bind(pattern, source, Binding::local(DeclFlags::default()));
    }

    fn parameter_value(
        &mut self,
        function: DeclId,
        index: u16,
        ty: TypeId,
        default: Option<Child<'tree>>,
    ) -> ExprId {
        let decl = self.b.decl(function);
        let contextual =
            ty.is_none() && (decl.kind == DeclKind::Lambda || decl.context != Context::None);
        let context = if contextual {
            self.b.expr(Expr::ContextualParam(function, index))
        } else {
            ExprId::NONE
        };

        let Some(default) = default else {
            return context;
        };

        let uses = std::mem::replace(&mut self.type_use, SiteKind::TypeRef);
        let value = self.expr(
            default,
            if ty.is_none() {
                Context::None
            } else {
                Context::Typed(ty)
            },
        );

        self.type_use = uses;

        if contextual {
            self.b.expr(Expr::Or(context, value))
        } else {
            value
        }
    }

    /// Declares the property of `constructor(private a: A)`.
    fn parameter_property(
        &mut self,
        child: Child<'tree>,
        children: &Children<'tree>,
        param: DeclId,
    ) {
        let marked = children.has(Kind::AccessibilityModifier)
            || children.has(Kind::ReadonlyToken)
            || children.has(Kind::OverrideModifier);
        if !marked || self.class.is_none() {
            return;
        }

        self.b.decl(param).flags.insert(DeclFlags::FROM_PARAMETER);

        let Declaration {
            name,
            ty,
            init,
            at,
            flags,
            ..
        } = *self.b.decl(param);

        let (scope, owner) = (self.b.scope, self.b.owner);
        self.b.scope = self.b.decl(self.class).inner;
        self.b.owner = self.b.decl(owner).parent;

        let mut member = DeclFlags::MEMBER | DeclFlags::FROM_PARAMETER;
        for (flag, set) in [
            (
                DeclFlags::OPTIONAL,
                flags.has(DeclFlags::OPTIONAL) && child.kind == Kind::OptionalParameter,
            ),
            (DeclFlags::READONLY, children.has(Kind::ReadonlyToken)),
            (DeclFlags::OVERRIDE, children.has(Kind::OverrideModifier)),
        ] {
            if set {
                member.insert(flag);
            }
        }

        let id = self.b.declare(name, DeclKind::Property, member, at);
        let decl = self.b.decl(id);
        decl.ty = ty;
        decl.init = init;

        let access = self.access(children);
        let looks = DeclText {
            start: child.start(),
            end: child.end(),
            name: children.get(Field::Pattern),
            ty: children.get(Field::Type),
            access: Some(access),
            ..DeclText::default()
        };

        self.show(id, looks);
        (self.b.scope, self.b.owner) = (scope, owner);
    }

    /// Reports whether an expression is a JSX element, possibly inside conditional expressions.
    fn is_jsx(&self, value: ExprId, depth: u8) -> bool {
        if depth == 0 {
            return false;
        }
        match self.b.facts.expr(value) {
            Expr::Jsx(_) => true,
            Expr::Or(a, b) | Expr::And(a, b) => {
                self.is_jsx(a, depth - 1) || self.is_jsx(b, depth - 1)
            }
            _ => false,
        }
    }
}

fn function_flags(kind: Kind, children: &Children<'_>) -> DeclFlags {
    let mut flags = DeclFlags::default();
    let generator = matches!(
        kind,
        Kind::GeneratorFunction | Kind::GeneratorFunctionDeclaration
    ) || children.has(Kind::Star);

    for (flag, set) in [
        (DeclFlags::ASYNC, children.has(Kind::AsyncToken)),
        (DeclFlags::GENERATOR, generator),
        (DeclFlags::HAS_BODY, children.get(Field::Body).is_some()),
        (DeclFlags::OPTIONAL, children.has(Kind::Question)),
    ] {
        if set {
            flags.insert(flag);
        }
    }

    flags
}
