//! Exports of CommonJS modules: `module.exports = e`, `exports.a = e`,
//! `Object.defineProperty(exports, "a", { get() {} })`.
//!
//! Functions, classes and values written in such an assignment become declarations with their own
//! location; a plain name becomes an alias of the declaration it names. The members of
//! `module.exports = { a, b() {} }` are declarations too. An export without a name is called
//! `export=`. `Object.assign(module.exports, { a }, require("./b"))` adds exports, and so does `A.a
//! = e` after `var A = module.exports`.
//!
//! Limitations: only statements at the top level and initialisers of top-level variables are read.
//! The result of an accessor in `Object.assign` is unknown.

use codeagent_model::facts::*;

use crate::lower::functions::FunctionHead;
use crate::lower::lowering::{EnclosingStatement, Lowering};
use crate::lower::state::{Receiver, ValuePlace};
use crate::syntax::syntax::{Child, Field, Kind};

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Lowers a top-level statement of a JavaScript file that exports something; `false` for any
    /// other.
    pub fn common_js(&mut self, child: Child<'tree>) -> bool {
        if !self.javascript || self.b.scope != ScopeId(0) {
            return false;
        }
        match child.kind {
            Kind::AssignmentExpression => self.exporting_assignment(child).is_some(),
            Kind::CallExpression => self.defined_export(child) || self.merged_exports(child),
            _ => false,
        }
    }

    /// Lowers `module.exports = e`, `exports.a = e` or `exports = module.exports = e`; returns the
    /// value.
    fn exporting_assignment(&mut self, child: Child<'tree>) -> Option<ExprId> {
        if child.kind != Kind::AssignmentExpression {
            return None;
        }

        let children = self.children(child);
        let (left, mut right) = (children.get(Field::Left)?, children.get(Field::Right)?);
        if left.kind == Kind::Identifier && self.text(left) == "exports" {
            return self.with_depth_limit(None, |lowering| lowering.exporting_assignment(right));
        }

        // `module.exports = exports = e`
        while right.kind == Kind::AssignmentExpression {
            let inner = self.children(right);
            match (inner.get(Field::Left), inner.get(Field::Right)) {
                (Some(left), Some(value))
                    if left.kind == Kind::Identifier && self.text(left) == "exports" =>
                {
                    right = value
                }
                _ => break,
            }
        }

        if left.kind != Kind::MemberExpression {
            return None;
        }

        let path = self.name_segments(left);
        let texts: Vec<_> = path.iter().map(|segment| self.text(*segment)).collect();

        let named = match texts[..] {
            ["module", "exports"] => None,
            ["exports", _] | ["module", "exports", _] => Some(path[path.len() - 1]),
            [_, _] if self.stands_for_exports(path[0]) => {
                self.name(path[0], Some(SiteKind::Read));
                Some(path[1])
            }
            _ => return None,
        };

        self.b.facts.header.is_module = true;

        let kind = if named.is_some() {
            ExportKind::CommonJs
        } else {
            ExportKind::Assign
        };

        let mut export = self.export_of(kind, path[path.len() - 1]);
        if right.kind == Kind::Identifier {
            export.local = self.sym(right);
        }

        export.value =
            match self.with_depth_limit(None, |lowering| lowering.exporting_assignment(right)) {
                Some(value) => value,
                None => match named {
                    Some(name) => self.exported_member(left, name, right),
                    None => self.exported_whole(left, right),
                },
            };

        let is_placeholder = named.is_some()
            && matches!(
                self.b.facts.expr(export.value),
                Expr::Literal(LiteralKind::Undefined, _)
            );
        if !is_placeholder {
            export.name = named.map_or(Sym::NONE, |name| self.sym(name));
            self.b.facts.exports.push(export);
        }

        Some(export.value)
    }

    /// Reports whether a name is a variable of the file whose first value is `module.exports` or
    /// `exports`.
    fn stands_for_exports(&mut self, name: Child<'tree>) -> bool {
        name.kind == Kind::Identifier
            && self
                .visible(name)
                .is_some_and(|decl| self.holds_exports(decl))
    }

    /// Reports whether a declaration is a variable of the file whose first value is
    /// `module.exports` or `exports`.
    pub fn holds_exports(&mut self, decl: DeclId) -> bool {
        let (module, exports) = (self.b.sym_owned("module"), self.b.sym_owned("exports"));
        let facts = &self.b.facts;
        let decl = facts.decl(decl);
        let mut value = decl.init;
        while let Expr::Assign(_, inner) = facts.expr(value) {
            value = inner;
        }
        let (named, word) = match facts.expr(value) {
            Expr::Member(object, name) if name == exports => (object, module),
            _ => (value, exports),
        };
        let is_variable = decl.kind == DeclKind::Variable && decl.scope == ScopeId(0);
        is_variable && matches!(facts.expr(named), Expr::Name(name, ..) if name == word)
    }

    /// Lowers `const a = module.exports = e` at the top level, which also exports the value;
    /// returns the value.
    pub fn also_exported(&mut self, value: Child<'tree>) -> Option<ExprId> {
        if self.b.scope != ScopeId(0) || value.kind != Kind::AssignmentExpression {
            return None;
        }
        let owner = std::mem::replace(&mut self.b.owner, DeclId::NONE);
        let value = self.exporting_assignment(value);
        self.b.owner = owner;
        value
    }

    /// Lowers `module.exports = e`; returns the value.
    fn exported_whole(&mut self, left: Child<'tree>, right: Child<'tree>) -> ExprId {
        let name = self.b.sym_owned("export=");

        match right.kind {
            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction => {
                let flags = DeclFlags::MEMBER | DeclFlags::EXPORT;
                let head = FunctionHead {
                    flags,
                    start: Some(left.start()),
                    end: Some(right.end()),
                    ..FunctionHead::plain(DeclKind::Function, Context::None)
                };
                let id = self.function(right, head);
                if self.b.decl(id).name.is_none() {
                    self.b.decl(id).name = name;
                }
                self.script
                    .assigned_members
                    .insert((DeclId::NONE, name), id);
                self.b.fresh_expr(Expr::Function(id))
            }
            Kind::Class => {
                let outer = EnclosingStatement {
                    start: left.start(),
                    end: right.end(),
                    flags: DeclFlags::EXPORT,
                };
                let id = self.class_like(right, Some(outer), Context::None);
                let decl = self.b.decl(id);
                // As with any class expression, its name is visible only inside it.
                decl.scope = decl.inner;
                if decl.name.is_none() {
                    decl.name = name;
                }
                self.b.fresh_expr(Expr::Class(id))
            }
            _ => {
                let ty = self.documented_variable(left.start());
                let context = if ty.is_none() {
                    Context::None
                } else {
                    Context::Typed(ty)
                };
                let place = ValuePlace {
                    shown: true,
                    ..ValuePlace::of(context)
                };
                self.expr_in(right, place)
            }
        }
    }

    /// Lowers `exports.a = e`; returns the value. A member is declared here unless `e` is only a
    /// name.
    fn exported_member(
        &mut self,
        left: Child<'tree>,
        name: Child<'tree>,
        right: Child<'tree>,
    ) -> ExprId {
        let named = match right.kind {
            Kind::Identifier | Kind::Undefined => true,
            Kind::MemberExpression => self.name_segments(right)[0].kind == Kind::Identifier,
            Kind::UnaryExpression => self
                .children(right)
                .get(Field::Operator)
                .is_some_and(|operator| operator.kind == Kind::VoidToken),
            _ => false,
        };

        if named {
            return self.expr(right, Context::None);
        }

        let sym = self.sym(name);
        let at = self.at(name);

        let id = self.b.declare(
            sym,
            DeclKind::Property,
            DeclFlags::MEMBER | DeclFlags::EXPORT,
            at,
        );

        self.script
            .assigned_members
            .entry((DeclId::NONE, sym))
            .or_insert(id);

        let mut receiver = Receiver::Own;
        if matches!(
            right.kind,
            Kind::FunctionExpression | Kind::GeneratorFunction
        ) {
            let exports = self.b.sym_owned("exports");
            let object = self.b.expr(Expr::Name(exports, ScopeId(0), at.offset));
            receiver = Receiver::Object(object);
        }

        self.show_assigned(id, (left.start(), right.end()), name, right);
        self.assigned_value(id, receiver, left, right)
    }

    /// Lowers the value of an assignment that declares a member.
    pub fn assigned_value(
        &mut self,
        member: DeclId,
        receiver: Receiver,
        left: Child<'tree>,
        right: Child<'tree>,
    ) -> ExprId {
        let owner = std::mem::replace(&mut self.b.owner, member);
        let ty = self.documented_variable(left.start());
        let context = if ty.is_none() {
            Context::None
        } else {
            Context::Typed(ty)
        };

        let place = ValuePlace {
            receiver,
            ..ValuePlace::documented(context, left.start())
        };
        let value = self.expr_in(right, place);
        self.hold(member, value);

        let decl = self.b.decl(member);
        decl.ty = ty;
        decl.init = value;
        self.b.owner = owner;

        value
    }

    /// Lowers `Object.defineProperty(exports, "a", { value: e })`, or the same with `get`.
    fn defined_export(&mut self, child: Child<'tree>) -> bool {
        let Some((object, key)) = self.defined_property(child) else {
            return false;
        };
        if !self.is_exports(object) || self.string(key) == self.b.sym_owned("__esModule") {
            return false;
        }

        self.b.facts.header.is_module = true;

        let sym = self.string(key);
        let at = self.at(key);

        let id = self.b.declare(
            sym,
            DeclKind::Property,
            DeclFlags::MEMBER | DeclFlags::EXPORT,
            at,
        );

        self.show_assigned(id, (child.start(), child.end()), key, child);

        let owner = std::mem::replace(&mut self.b.owner, id);
        let call = self.expr(child, Context::None);
        self.b.owner = owner;

        let value = self.described_value(call);
        self.b.decl(id).init = value;

        let export = Export {
            name: sym,
            value,
            ..self.export_of(ExportKind::CommonJs, key)
        };

        self.b.facts.exports.push(export);

        true
    }

    /// Lowers `Object.assign(module.exports, { a, b: e }, require("./c"))`.
    fn merged_exports(&mut self, call: Child<'tree>) -> bool {
        let children = self.children(call);
        let (Some(function), Some(arguments)) = (
            children.get(Field::Function),
            children.get(Field::Arguments),
        ) else {
            return false;
        };
        if function.kind != Kind::MemberExpression {
            return false;
        }

        let path: Vec<_> = self
            .name_segments(function)
            .into_iter()
            .map(|segment| self.text(segment))
            .collect();
        let arguments: Vec<_> = self.children(arguments).named().collect();

        if path != ["Object", "assign"]
            || !arguments
                .first()
                .is_some_and(|first| self.is_exports(*first))
        {
            return false;
        }

        self.b.facts.header.is_module = true;

        for argument in &arguments[1..] {
            if argument.kind == Kind::Object {
                for part in self.children(*argument).named() {
                    self.merged_export(part);
                }
                continue;
            }
            let value = self.expr(*argument, Context::None);
            self.give_out_all(value, *argument);
        }

        true
    }

    /// Re-exports all exports of `require("./c")`.
    fn give_out_all(&mut self, value: ExprId, at: Child<'tree>) {
        if let Expr::Require(module) = self.b.facts.expr(value) {
            let export = Export {
                module,
                ..self.export_of(ExportKind::Star, at)
            };
            self.b.facts.exports.push(export);
        }
    }

    /// Exports the members of one argument of `Object.assign`.
    fn merged_export(&mut self, part: Child<'tree>) {
        let children = self.children(part);
        let (key, value) = match part.kind {
            Kind::ShorthandPropertyIdentifier => (part, self.name(part, Some(SiteKind::Read)).expr),
            Kind::Pair => {
                let (Some(key), Some(value)) =
                    (children.get(Field::Key), children.get(Field::Value))
                else {
                    return;
                };
                if key.kind == Kind::ComputedPropertyName {
                    self.expr(value, Context::None);
                    return;
                }
                (key, self.exported_member(part, key, value))
            }
            Kind::MethodDefinition => {
                let Some(key) = children.get(Field::Name) else {
                    return;
                };
                let flags = DeclFlags::MEMBER | DeclFlags::EXPORT;
                let head = FunctionHead {
                    flags,
                    start: Some(part.start()),
                    ..FunctionHead::plain(DeclKind::Function, Context::None)
                };
                let id = self.function(part, head);
                (key, self.b.fresh_expr(Expr::Function(id)))
            }
            _ => {
                let inner = self.children(part).first();
                if let Some(inner) = inner.filter(|_| part.kind == Kind::SpreadElement) {
                    let value = self.expr(inner, Context::None);
                    self.give_out_all(value, part);
                }
                return;
            }
        };

        let name = self.string(key);
        let local = if part.kind == Kind::ShorthandPropertyIdentifier {
            name
        } else {
            Sym::NONE
        };

        let export = Export {
            name,
            local,
            value,
            ..self.export_of(ExportKind::CommonJs, key)
        };

        self.b.facts.exports.push(export);
    }

    /// Returns the object and the key of `Object.defineProperty(object, "key", ..)`.
    fn defined_property(&mut self, call: Child<'tree>) -> Option<(Child<'tree>, Child<'tree>)> {
        let children = self.children(call);
        let function = children
            .get(Field::Function)
            .filter(|function| function.kind == Kind::MemberExpression)?;
        let path: Vec<_> = self
            .name_segments(function)
            .into_iter()
            .map(|segment| self.text(segment))
            .collect();
        if path != ["Object", "defineProperty"] {
            return None;
        }

        let arguments = children.get(Field::Arguments)?;
        let arguments = self.children(arguments);
        let mut arguments = arguments.named();
        let (object, key) = (arguments.next()?, arguments.next()?);

        (key.kind == Kind::String).then_some((object, key))
    }

    fn is_exports(&mut self, object: Child<'tree>) -> bool {
        if !matches!(object.kind, Kind::Identifier | Kind::MemberExpression) {
            return false;
        }
        let path: Vec<_> = self
            .name_segments(object)
            .into_iter()
            .map(|segment| self.text(segment))
            .collect();
        path == ["exports"] || path == ["module", "exports"]
    }

    /// Returns the value in the descriptor of `Object.defineProperty`: its `value`, or the result
    /// of its `get`.
    pub fn described_value(&mut self, call: ExprId) -> ExprId {
        let Expr::Call(call) = self.b.facts.expr(call) else {
            return ExprId::NONE;
        };
        let args = self.b.facts.calls[call.index()].args;
        let Some(descriptor) = self.b.facts.list(args).get(2).map(|arg| arg.value) else {
            return ExprId::NONE;
        };
        let Expr::Object(object) = self.b.facts.expr(descriptor) else {
            return ExprId::NONE;
        };

        let inner = self.b.facts.decl(object).inner;
        let (value, get) = (self.b.sym_owned("value"), self.b.sym_owned("get"));
        let has = |name: Sym| {
            self.b.facts.decls[object.index()..]
                .iter()
                .any(|decl| decl.scope == inner && decl.name == name)
        };
        if has(value) {
            return self.b.expr(Expr::Member(descriptor, value));
        }
        if !has(get) {
            return ExprId::NONE;
        }

        let getter = self.b.expr(Expr::Member(descriptor, get));
        let call = self.b.begin_call(getter, List::default());
        self.b.fresh_expr(Expr::Call(call))
    }

    /// Reports whether an assignment to this target makes the file a module: `module.exports`,
    /// `exports.a` and their members.
    pub fn is_common_js_export(&mut self, left: Child<'tree>) -> bool {
        if left.kind != Kind::MemberExpression {
            return false;
        }
        let path = self.name_segments(left);
        let texts: Vec<_> = path.iter().map(|segment| self.text(*segment)).collect();
        matches!(texts[..], ["module", "exports", ..] | ["exports", _, ..])
    }
}
