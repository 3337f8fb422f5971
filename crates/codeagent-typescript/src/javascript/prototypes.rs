//! Prototype inheritance: how JavaScript functions get base types without classes.
//!
//! `A.prototype = { .. }`, `A.prototype = Object.create(B.prototype)`, `A.prototype = new B()`,
//! `A.prototype.__proto__ = B.prototype`, `Object.setPrototypeOf(A.prototype, B.prototype)`,
//! `util.inherits(A, B)` and `Object.assign(A.prototype, mixin)` each add an entry to the base list
//! of `A`; those that name `B` have a site there.
//!
//! Limitations: only the first [`MAX_PROTOTYPES`] of a function count, in source order. Conditions
//! around them are ignored.

use codeagent_model::facts::*;
use codeagent_model::span::Position;

use crate::lower::lowering::Lowering;
use crate::lower::state::{MemberOwner, Receiver, ValuePlace};
use crate::syntax::syntax::{Child, Field, Kind};

/// Largest number of base entries of one function; each addition copies the list.
const MAX_PROTOTYPES: usize = 16;

/// A call that adds to a prototype.
#[derive(Clone, Copy)]
pub struct PrototypeCall<'tree> {
    holder: MemberOwner,
    kind: CallKind,
    base: Child<'tree>,
    /// The member that `Object.defineProperty` declares.
    member: DeclId,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CallKind {
    /// `inherits(A, B)`
    Inherits,
    /// `Object.setPrototypeOf(A.prototype, B.prototype)`
    SetPrototype,
    /// `Object.assign(A.prototype, mixin)`
    Assign,
    /// `Object.defineProperty(A.prototype, "name", descriptor)`
    Define,
}

impl<'t, 'tree> Lowering<'t, 'tree> {
    /// Lowers a value that JavaScript assigns to a name or member.
    pub fn javascript_assigned(
        &mut self,
        target: ExprId,
        left: Child<'tree>,
        right: Child<'tree>,
    ) -> ExprId {
        if let Some(holder) = self.prototype_holder(left) {
            return self.prototype_value(holder, right);
        }

        let member = self.assigned_member(left, right);
        let receiver = self.receiver(target, left, right);

        match member {
            Some(member) => self.assigned_value(member, receiver, left, right),
            None => {
                let place = ValuePlace {
                    receiver,
                    ..ValuePlace::of(Context::Assigned(target))
                };
                self.expr_in(right, place)
            }
        }
    }

    /// Returns `this` of an assigned function: `o` in `o.f = function () {}`, an instance of `A` in
    /// `A.prototype.m = function () {}`; the same for `o[key]`.
    fn receiver(&mut self, target: ExprId, left: Child<'tree>, right: Child<'tree>) -> Receiver {
        let object = match self.b.facts.expr(target) {
            Expr::Member(object, _) => object,
            Expr::Index(access) => self.b.facts.calls[access.index()].callee,
            _ => return Receiver::Own,
        };

        if !matches!(
            right.kind,
            Kind::FunctionExpression | Kind::GeneratorFunction
        ) {
            return Receiver::Own;
        }

        let above = match self.children(left).get(Field::Receiver) {
            Some(receiver) => self.name_segments(receiver),
            None => Vec::new(),
        };
        let holder = self
            .without_prototype(&above)
            .map(<[_]>::to_vec)
            .and_then(|above| self.holder(&above));

        match holder.and_then(|holder| holder.function.some()) {
            Some(function) => Receiver::Instance(function),
            None => Receiver::Object(object),
        }
    }

    /// Marks a variable or member that holds a constructor function.
    pub fn hold(&mut self, decl: DeclId, value: ExprId) {
        if let Expr::Function(function) = self.b.facts.expr(value)
            && self.javascript
            && self.b.decl(function).flags.has(DeclFlags::CONSTRUCTS)
        {
            self.b.decl(decl).flags.insert(DeclFlags::CONSTRUCTS);
        }
    }

    /// Returns the function whose prototype is `A.prototype` or `A.prototype.__proto__`.
    fn prototype_holder(&mut self, left: Child<'tree>) -> Option<MemberOwner> {
        if left.kind != Kind::MemberExpression {
            return None;
        }
        let path = self.name_segments(left);
        let path = match path.split_last() {
            Some((last, above)) if self.text(*last) == "__proto__" => above,
            _ => &path[..],
        };
        let above = self.without_prototype(path)?;
        self.holder(above)
            .filter(|holder| !holder.function.is_none())
    }

    fn prototype_value(&mut self, holder: MemberOwner, right: Child<'tree>) -> ExprId {
        let is_literal = right.kind == Kind::Object;
        let around = self.b.owner;

        if is_literal {
            self.b.owner = holder.decl;
        }

        let place = ValuePlace {
            prototype: Some(holder),
            shown: !self.b.decl(holder.decl).detail.is_none(),
            ..ValuePlace::of(Context::None)
        };
        let value = self.expr_in(right, place);
        self.b.owner = around;
        self.constructs(holder);

        let (inherited, at) = match (right.kind, self.b.facts.expr(value)) {
            (Kind::NewExpression, Expr::New(_)) => {
                let class = self.children(right).get(Field::Constructor);
                (value, class.map(|class| self.name_position(class)))
            }
            (Kind::CallExpression, Expr::Call(call)) if self.is_object_method(right, "create") => {
                let args = self.b.facts.calls[call.index()].args;
                let first = self
                    .b
                    .facts
                    .list(args)
                    .first()
                    .map_or(value, |arg| arg.value);
                let at = self
                    .arguments_of(right)
                    .first()
                    .and_then(|argument| self.prototype_position(*argument));
                (first, at)
            }
            _ => (value, self.prototype_position(right)),
        };

        let ty = self.b.type_expr(TypeExpr::TypeOf(inherited));
        self.add_prototype(holder, ty, at);

        value
    }

    /// Returns a call that adds to a prototype, before it is lowered.
    pub fn prototype_call(&mut self, call: Child<'tree>) -> Option<PrototypeCall<'tree>> {
        if call.kind != Kind::CallExpression {
            return None;
        }
        let function = self.children(call).get(Field::Function)?;
        if !matches!(function.kind, Kind::Identifier | Kind::MemberExpression) {
            return None;
        }

        let path = self.name_segments(function);
        let texts: Vec<_> = path.iter().map(|segment| self.text(*segment)).collect();

        let kind = match texts[..] {
            ["inherits"] | [_, "inherits"] => CallKind::Inherits,
            ["Object", "setPrototypeOf"] => CallKind::SetPrototype,
            ["Object", "assign"] => CallKind::Assign,
            ["Object", "defineProperty"] => CallKind::Define,
            _ => return None,
        };

        let arguments = self.arguments_of(call);
        let (first, base) = (*arguments.first()?, *arguments.get(1)?);
        if !matches!(first.kind, Kind::Identifier | Kind::MemberExpression) {
            return None;
        }

        let path = self.name_segments(first);
        let above = if kind == CallKind::Inherits {
            &path[..]
        } else {
            self.without_prototype(&path)?
        };
        let holder = self.holder(above)?;
        if holder.class.is_none() && holder.function.is_none() {
            return None;
        }

        match kind {
            CallKind::Inherits if holder.function.is_none() || arguments.len() != 2 => return None,
            CallKind::SetPrototype if holder.function.is_none() => return None,
            CallKind::Assign if base.kind == Kind::Object => {
                self.script.prototype_arguments.insert(base.start(), holder);
            }
            CallKind::Define => {
                let descriptor = arguments.get(2).copied().filter(|descriptor| {
                    base.kind == Kind::String && descriptor.kind == Kind::Object
                })?;
                self.script
                    .prototype_arguments
                    .insert(descriptor.start(), holder);
                let member = self.instance_member(holder, base, descriptor, None)?;
                return Some(PrototypeCall {
                    holder,
                    kind,
                    base,
                    member,
                });
            }
            _ => {}
        }

        Some(PrototypeCall {
            holder,
            kind,
            base,
            member: DeclId::NONE,
        })
    }

    /// Adds the base entries of such a call, after it is lowered.
    pub fn inherit_by_call(
        &mut self,
        PrototypeCall {
            holder,
            kind,
            base,
            member,
        }: PrototypeCall<'tree>,
        value: ExprId,
    ) {
        let Expr::Call(call) = self.b.facts.expr(value) else {
            return;
        };

        let args = self
            .b
            .facts
            .list(self.b.facts.calls[call.index()].args)
            .to_vec();

        match kind {
            CallKind::Inherits => {
                let Some(arg) = args.get(1) else { return };
                let ty = self
                    .b
                    .type_expr(TypeExpr::Heritage(arg.value, List::default()));
                let at = matches!(base.kind, Kind::Identifier | Kind::MemberExpression)
                    .then(|| self.name_position(base));
                self.constructs(holder);
                self.add_prototype(holder, ty, at);
            }
            CallKind::SetPrototype => {
                let Some(arg) = args.get(1) else { return };
                let ty = self.b.type_expr(TypeExpr::TypeOf(arg.value));
                let at = self.prototype_position(base);
                self.constructs(holder);
                self.add_prototype(holder, ty, at);
            }
            CallKind::Assign => {
                if holder.class.is_none() {
                    self.constructs(holder);
                }
                for arg in args.iter().skip(1).take(MAX_PROTOTYPES) {
                    let ty = self.b.type_expr(TypeExpr::TypeOf(arg.value));
                    self.add_prototype(holder, ty, None);
                }
            }
            CallKind::Define => {
                let described = self.described_value(value);
                self.b.decl(member).init = described;
            }
        }
    }

    fn arguments_of(&mut self, call: Child<'tree>) -> Vec<Child<'tree>> {
        match self.children(call).get(Field::Arguments) {
            Some(list) => self.children(list).named().take(4).collect(),
            None => Vec::new(),
        }
    }

    fn is_object_method(&mut self, call: Child<'tree>, name: &str) -> bool {
        let Some(function) = self
            .children(call)
            .get(Field::Function)
            .filter(|function| function.kind == Kind::MemberExpression)
        else {
            return false;
        };
        let path = self.name_segments(function);
        matches!(path[..], [object, method] if self.text(object) == "Object" && self.text(method) == name)
    }

    /// Returns the position of `B` in `B.prototype`.
    fn prototype_position(&mut self, value: Child<'tree>) -> Option<Position> {
        if value.kind != Kind::MemberExpression {
            return None;
        }
        let path = self.name_segments(value);
        let name = *self.without_prototype(&path)?.last()?;
        Some(self.at(name))
    }

    fn add_prototype(&mut self, holder: MemberOwner, ty: TypeId, at: Option<Position>) {
        let made = holder.function.some().unwrap_or(holder.class);
        let mut bases: Vec<Base> = self.b.facts.list(self.b.facts.decl(made).bases).to_vec();
        if bases.len() >= MAX_PROTOTYPES {
            return;
        }

        if let Some(at) = at {
            let owner = std::mem::replace(&mut self.b.owner, holder.decl);
            self.b
                .site(SiteKind::Base, Subject::Base(made, bases.len() as u16), at);
            self.b.owner = owner;
        }

        let at = at.unwrap_or(self.b.facts.decl(made).at);
        bases.push(Base {
            clause: BaseClause::Extends,
            ty,
            at,
        });
        self.b.decl(made).bases = self.b.facts.add_list(bases);
    }
}
