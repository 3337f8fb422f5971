//! Expression types: the type of each expression of the file being resolved.
//!
//! `orders.First().Customer.Name` is typed from the left: the declared or initializer type of a
//! local, then the declared type of each member with the receiver's type arguments substituted.
//!
//! Limitations: no flow analysis. Operators are the built-in numeric promotions and user-defined
//! ones.

use std::rc::Rc;

use codeagent_lang::query::names::Name;
use codeagent_model::facts::{
    Arg, DeclFlags, DeclId, Expr, ExprId, KnownType, List, LiteralKind, Sym, TypeExpr, TypeId,
};
use smallvec::SmallVec;

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::simple_names::{ScopePosition, SimpleName};
use crate::resolve::global_index::well_known::{self, Known};
use crate::resolve::types::members::{Candidate, is_method};
use crate::resolve::types::names::TypeOrNamespace;
use crate::resolve::types::queries::Query;
use crate::resolve::types::{Ty, TyList, Type};

/// A resolved member access `a.b`.
#[derive(Clone, Debug)]
pub struct MemberAccess {
    /// Members with the name.
    pub candidates: Vec<Candidate>,
    /// Type of `a`; a `Type::Qualifier` if `a` is a type.
    pub receiver: Ty,
    /// The type of the access if it is not a declared member, or is one of an extension block.
    pub ty: Ty,
}

impl Checker<'_> {
    pub fn type_of_expr(&self, id: ExprId) -> Ty {
        if id.is_none() {
            return Ty::UNKNOWN;
        }
        let key = (self.lambda_bindings.current(), id);
        let asked = (key, Query::Expr(key.0, id));
        self.stack
            .query(&self.memo.exprs, asked, || self.compute_type_of_expr(id))
            .unwrap_or_default()
    }

    fn compute_type_of_expr(&self, id: ExprId) -> Ty {
        match self.facts.expr(id) {
            Expr::Name(name, scope, offset) => {
                self.type_of_name(id, self.own_name(name), ScopePosition { scope, offset })
            }
            Expr::This(decl) => self.type_of_this(decl),
            Expr::Super(decl) => self.base_class(self.type_of_this(decl)),
            Expr::Member(base, name) | Expr::Destructured(base, name) => {
                self.type_of_member(id, base, name)
            }
            Expr::Generic(inner, args) => self.type_of_generic(id, inner, args),

            Expr::Index(call) | Expr::Call(call) | Expr::New(call) => {
                self.resolve_call(call).result
            }
            Expr::NewTarget(_, decl) => match self.infer_context_type(decl) {
                ty if ty.is_unknown() => Ty::TARGET_NEW,
                ty => self.strip_nullable(ty),
            },

            Expr::Await(inner) => {
                self.part_of(self.type_of_expr(inner), |ty| self.type_of_awaited(ty))
            }
            Expr::Iterate(inner, is_async) => self.part_of(self.type_of_expr(inner), |ty| {
                self.type_of_iterated(ty, is_async)
            }),

            Expr::Cast(ty) => self.type_of(self.file, ty),
            Expr::TypeValue(ty) => self.type_of_qualifier(ty),
            Expr::Satisfies(inner, _)
            | Expr::Paren(inner)
            | Expr::Yield(inner)
            | Expr::Spread(inner) => self.type_of_expr(inner),
            Expr::Conditional(inner) => self.type_of_conditional(inner),
            Expr::NonNull(inner) => self.strip_nullable(self.type_of_expr(inner)),

            Expr::Assign(left, value) => self.type_of_assignment(left, value),
            Expr::Or(first, second) => self.type_of_either(first, second),
            Expr::Binary(operator, left, right) => self.resolve_binary(operator, left, right).1,
            Expr::Unary(operator, inner) => self.resolve_unary(operator, inner).1,

            Expr::Object(decl) => {
                self.record_object(decl);
                self.arena.add(Type::Object(decl))
            }
            Expr::Array(..) => self.type_of_array(id),
            Expr::Tuple(elements) => self.type_of_tuple(elements),
            Expr::Function(decl) => self.arena.add(Type::Lambda(decl)),
            Expr::ContextualParam(lambda, index) => self.lambda_parameter(lambda, index),

            Expr::OutArgument(call, index) => self
                .resolve_call(call)
                .expected
                .get(usize::from(index))
                .copied()
                .unwrap_or(Ty::UNKNOWN),
            Expr::Element(inner, index) => self.type_of_deconstructed(inner, usize::from(index)),
            Expr::Query(element) => {
                self.known_type(Known::EnumerableOf, &[self.type_of_expr(element)])
            }

            Expr::Literal(kind, text) => self.type_of_literal(kind, text),
            Expr::Known(known) => self.known_expression(known),
            _ => Ty::UNKNOWN,
        }
    }

    fn known_expression(&self, known: KnownType) -> Ty {
        let known = match known {
            KnownType::Bool => Known::Boolean,
            KnownType::String => Known::String,
            KnownType::Number => Known::Int32,
            KnownType::Void => Known::Void,
        };
        self.known_type(known, &[])
    }

    fn type_of_literal(&self, kind: LiteralKind, text: Sym) -> Ty {
        let known = match kind {
            LiteralKind::String | LiteralKind::Interpolated => Known::String,
            LiteralKind::Number => Known::Int32,
            LiteralKind::TypedNumber => return self.type_of_keyword(self.facts.text(text)),
            LiteralKind::Bool => Known::Boolean,
            LiteralKind::Char => Known::Char,
            LiteralKind::Null => return Ty::NULL,
            LiteralKind::Default | LiteralKind::Throw => return Ty::DEFAULT,
            LiteralKind::Utf8String => {
                return self.known_type(Known::ReadOnlySpan, &[self.known_type(Known::Byte, &[])]);
            }
            LiteralKind::Undefined | LiteralKind::Regex | LiteralKind::BigInt => {
                return Ty::UNKNOWN;
            }
        };

        self.known_type(known, &[])
    }

    /// Returns the type or namespace before a dot, as in `global::A`.
    fn type_of_qualifier(&self, ty: TypeId) -> Ty {
        if let TypeExpr::Name(segments, scope) = self.facts.type_expr(ty)
            && let TypeOrNamespace::Namespace(namespace) =
                self.resolve_segments(self.file, self.facts.list(segments), scope, None)
        {
            return self.arena.add(Type::Namespace(namespace));
        }
        self.arena.add(Type::Qualifier(self.type_of(self.file, ty)))
    }

    fn type_of_name(&self, id: ExprId, name: Name, position: ScopePosition) -> Ty {
        match self.lookup_value(name, position, false) {
            SimpleName::Local(found)
            | SimpleName::Members(found)
            | SimpleName::Imported(found, _) => self.type_of_candidates(id, &found),
            SimpleName::Type(ty) => self.arena.add(Type::Qualifier(ty)),
            SimpleName::Namespace(namespace) => self.arena.add(Type::Namespace(namespace)),
            SimpleName::None => self.arena.add(Type::Qualifier(self.external(name, &[]))),
        }
    }

    fn type_of_candidates(&self, id: ExprId, found: &[Candidate]) -> Ty {
        match found.first() {
            Some(first) if is_method(self.decl(first.decl).kind) => {
                self.arena.add(Type::MethodGroup(id))
            }
            Some(first) => self.type_of_candidate(first),
            None => Ty::UNKNOWN,
        }
    }

    fn type_of_generic(&self, id: ExprId, inner: ExprId, args: List<TypeId>) -> Ty {
        let args = self.type_list(args);
        match self.facts.expr(inner) {
            Expr::Name(name, scope, offset) => {
                let name = self.own_name(name);
                let found = self.lookup_value(name, ScopePosition { scope, offset }, true);
                if !found.candidates().is_empty() {
                    return self.arena.add(Type::MethodGroup(id));
                }

                match self.lookup_type_name(name, scope, args.len() as u16) {
                    SimpleName::Type(ty) => {
                        match self.apply_type_args(TypeOrNamespace::Type(ty), &args) {
                            TypeOrNamespace::Type(ty) => self.arena.add(Type::Qualifier(ty)),
                            _ => Ty::UNKNOWN,
                        }
                    }
                    _ => self.arena.add(Type::Qualifier(self.external(name, &args))),
                }
            }
            Expr::Member(base, name) => {
                let name = self.own_name(name);
                let access = self.lookup_member_access(base, name);
                if !access.candidates.is_empty() {
                    return self.arena.add(Type::MethodGroup(id));
                }

                match self.resolve_segment(self.qualifier(access.receiver), name, &args, false) {
                    TypeOrNamespace::Type(ty) => self.arena.add(Type::Qualifier(ty)),
                    _ => Ty::UNKNOWN,
                }
            }
            _ => Ty::UNKNOWN,
        }
    }

    fn qualifier(&self, receiver: Ty) -> TypeOrNamespace {
        match self.arena.get(receiver) {
            Type::Namespace(namespace) => TypeOrNamespace::Namespace(namespace),
            Type::Qualifier(ty) => TypeOrNamespace::Type(ty),
            _ => TypeOrNamespace::None,
        }
    }

    /// Returns the types of a list of type expressions.
    pub(super) fn type_list(&self, list: List<TypeId>) -> TyList {
        let types: SmallVec<[Ty; 4]> = self
            .facts
            .list(list)
            .iter()
            .map(|ty| self.type_of(self.file, *ty))
            .collect();
        self.arena.list(&types)
    }

    fn type_of_member(&self, id: ExprId, base: ExprId, name: Sym) -> Ty {
        let access = self.lookup_member_access(base, self.own_name(name));
        if !access.candidates.is_empty() && access.ty.is_unknown() {
            return self.type_of_candidates(id, &access.candidates);
        }
        if access.ty.is_unknown() && self.is_external_value(base, access.receiver) {
            Ty::EXTERNAL_VALUE
        } else {
            access.ty
        }
    }

    /// Reports whether the value of a receiver is external. An undeclared bare name may be a member
    /// of an undeclared base class, of any type.
    pub(super) fn is_external_value(&self, base: ExprId, receiver: Ty) -> bool {
        if !self.is_external_type(receiver) {
            return false;
        }
        match (self.facts.expr(base), self.arena.get(receiver)) {
            (Expr::Name(_, scope, _), Type::Qualifier(_)) => self
                .enclosing_type(scope)
                .is_none_or(|around| !self.has_foreign_base(around)),
            _ => true,
        }
    }

    /// Looks up `name` in the type of `base`.
    pub fn lookup_member_access(&self, base: ExprId, name: Name) -> MemberAccess {
        let receiver = self.type_of_expr(base);
        let nothing = MemberAccess {
            candidates: Vec::new(),
            receiver,
            ty: Ty::UNKNOWN,
        };
        match self.arena.get(receiver) {
            Type::Qualifier(ty) => self.lookup_static_member(receiver, ty, name),
            Type::Namespace(_) => {
                let ty = match self.resolve_segment(self.qualifier(receiver), name, &[], true) {
                    TypeOrNamespace::Type(ty) => self.arena.add(Type::Qualifier(ty)),
                    TypeOrNamespace::Namespace(namespace) => {
                        self.arena.add(Type::Namespace(namespace))
                    }
                    TypeOrNamespace::None => {
                        self.arena.add(Type::Qualifier(self.external(name, &[])))
                    }
                };
                MemberAccess { ty, ..nothing }
            }
            Type::Tuple(elements, names) => {
                let at = names
                    .iter()
                    .position(|own| *own == name && name != Name::NONE)
                    .or_else(|| self.item_number(name));

                match at.and_then(|at| elements.get(at)) {
                    Some(element) => MemberAccess {
                        ty: *element,
                        ..nothing
                    },
                    None => self.lookup_value_member(receiver, base, name),
                }
            }
            Type::Object(decl) => MemberAccess {
                ty: self.lookup_anonymous_member(decl, name),
                ..nothing
            },
            Type::Nullable(of)
                if name == well_known::VALUE || name == well_known::GET_VALUE_OR_DEFAULT =>
            {
                // A class may declare a member of this name itself.
                let ty = match self.is_value_type(of) {
                    Some(_) => of,
                    None => Ty::UNKNOWN,
                };
                MemberAccess { ty, ..nothing }
            }
            _ => self.lookup_value_member(receiver, base, name),
        }
    }

    fn lookup_value_member(&self, receiver: Ty, base: ExprId, name: Name) -> MemberAccess {
        let candidates = self.lookup_members(receiver, name).to_vec();
        if !candidates.is_empty() {
            return MemberAccess {
                candidates,
                receiver,
                ty: Ty::UNKNOWN,
            };
        }

        if let Some(access) = self.lookup_color_color(base, name) {
            return access;
        }

        if receiver.is_unknown() {
            MemberAccess {
                candidates,
                receiver,
                ty: Ty::UNKNOWN,
            }
        } else {
            self.lookup_extension_member(receiver, name)
        }
    }

    /// Looks up a property of an extension block and infers the block's type arguments from the
    /// receiver.
    fn lookup_extension_member(&self, receiver: Ty, name: Name) -> MemberAccess {
        let Some(property) = self.lookup_extension_property(receiver, name) else {
            return MemberAccess {
                candidates: Vec::new(),
                receiver,
                ty: Ty::UNKNOWN,
            };
        };
        let ty = self.type_of_property(receiver, property);
        MemberAccess {
            candidates: vec![property],
            receiver,
            ty,
        }
    }

    /// Looks up a nested type in `Color.Part` where `Color` is a value of type `Color` (standard
    /// §12.8.7.2). Static members are found through the value.
    fn lookup_color_color(&self, base: ExprId, name: Name) -> Option<MemberAccess> {
        let receiver = self.type_of_expr(base);
        if !self.names_its_type(base, receiver) {
            return None;
        }
        let TypeOrNamespace::Type(nested) =
            self.lookup_nested_type(self.strip_nullable(receiver), name, 0)
        else {
            return None;
        };
        Some(MemberAccess {
            candidates: Vec::new(),
            receiver,
            ty: self.arena.add(Type::Qualifier(nested)),
        })
    }

    /// Reports whether a member is accessed through the type.
    pub fn is_static(&self, candidate: &Candidate) -> bool {
        self.decl(candidate.decl).flags.has(DeclFlags::STATIC)
    }

    fn lookup_static_member(&self, receiver: Ty, ty: Ty, name: Name) -> MemberAccess {
        let candidates = self.lookup_members(ty, name).to_vec();
        let mut result = Ty::UNKNOWN;
        if candidates.is_empty() {
            result = match self.lookup_nested_type(ty, name, 0) {
                TypeOrNamespace::Type(ty) => self.arena.add(Type::Qualifier(ty)),
                _ => Ty::UNKNOWN,
            };
            if result.is_unknown() {
                return self.lookup_extension_member(receiver, name);
            }
        }

        MemberAccess {
            candidates,
            receiver,
            ty: result,
        }
    }

    fn item_number(&self, name: Name) -> Option<usize> {
        let number: usize = self
            .tables
            .names
            .text(name)
            .strip_prefix("Item")?
            .parse()
            .ok()?;
        number.checked_sub(1)
    }

    fn lookup_anonymous_member(&self, object: DeclId, name: Name) -> Ty {
        let scope = self.facts.decl(object).inner;
        let member = self.facts.decl_ids().find(|id| {
            let decl = self.facts.decl(*id);
            decl.scope == scope && self.own_name(decl.name) == name
        });
        member.map_or(Ty::UNKNOWN, |member| {
            self.in_object(object, || self.type_of_expr(self.facts.decl(member).init))
        })
    }

    fn type_of_conditional(&self, inner: ExprId) -> Ty {
        let ty = self.type_of_expr(inner);
        if self.is_value_type(ty) == Some(true) && !self.is_void(ty) {
            self.nullable(ty)
        } else {
            ty
        }
    }

    /// Returns the type of `left = value`, or of `left ??= value`, which is that of `left ?? value`.
    fn type_of_assignment(&self, left: ExprId, value: ExprId) -> Ty {
        let coalesces = match self.facts.expr(value) {
            Expr::Or(present, _) => {
                matches!(self.facts.expr(present), Expr::NonNull(target) if target == left)
            }
            _ => false,
        };
        self.type_of_expr(if coalesces { value } else { left })
    }

    /// Returns the type of `c ? a : b` (§12.18), or of `a ?? b` (§12.15), whose first value comes
    /// without its `?`. A value without a type, such as `null`, takes that of the other.
    fn type_of_either(&self, first: ExprId, second: ExprId) -> Ty {
        let (a, b) = (self.type_of_expr(first), self.type_of_expr(second));
        if a.is_unknown() || b.is_unknown() {
            let (unknown, other) = if a.is_unknown() { (a, b) } else { (b, a) };
            return if self.has_no_type(other) {
                unknown
            } else {
                other
            };
        }

        self.infer_common_type(&[
            self.type_beside(first, a, b),
            self.type_beside(second, b, a),
        ])
    }

    /// Reports whether an expression takes its type from its context only, such as `null`.
    fn has_no_type(&self, ty: Ty) -> bool {
        matches!(
            self.arena.get(ty),
            Type::Null
                | Type::Default
                | Type::TargetNew
                | Type::Lambda(_)
                | Type::MethodGroup(_)
                | Type::Collection(_)
        )
    }

    /// Returns the element type of an array or collection expression.
    pub(super) fn collection_element(&self, collection: ExprId) -> Ty {
        let Expr::Array(values, _) = self.facts.expr(collection) else {
            return Ty::UNKNOWN;
        };
        let values: Vec<Ty> = self
            .facts
            .list(values)
            .iter()
            .take(16)
            .map(|value| self.element_value(*value))
            .collect();
        self.infer_common_type(&values)
    }

    fn element_value(&self, value: ExprId) -> Ty {
        match self.facts.expr(value) {
            Expr::Spread(inner) => self.type_of_iterated(self.type_of_expr(inner), false),
            _ => self.type_of_expr(value),
        }
    }

    fn type_of_array(&self, id: ExprId) -> Ty {
        let Expr::Array(_, decl) = self.facts.expr(id) else {
            return Ty::UNKNOWN;
        };
        if decl.is_none() {
            return self.arena.add(Type::Array(self.collection_element(id), 1));
        }
        match self.infer_context_type(decl) {
            context if context.is_unknown() => self.arena.add(Type::Collection(id)),
            context => context,
        }
    }

    fn type_of_tuple(&self, elements: List<Arg>) -> Ty {
        let elements = self.facts.list(elements);
        let types: TyList = elements
            .iter()
            .map(|element| self.type_of_expr(element.value))
            .collect();
        let names: Rc<[Name]> = elements
            .iter()
            .map(|element| self.element_name(element))
            .collect();
        self.arena.add(Type::Tuple(types, names))
    }

    /// Returns the written name of a tuple element, else the name of its variable or member.
    fn element_name(&self, element: &Arg) -> Name {
        if !element.name.is_none() {
            return self.own_name(element.name);
        }
        match self.facts.expr(element.value) {
            Expr::Name(name, ..) | Expr::Member(_, name) => self.own_name(name),
            _ => Name::NONE,
        }
    }

    /// Returns the type of parameter `index` of a lambda, from the current assumption or the
    /// lambda's context.
    fn lambda_parameter(&self, lambda: DeclId, index: u16) -> Ty {
        if let Some(ty) = self.assumed_param(lambda, index) {
            return ty;
        }
        let context = self.infer_context_type(lambda);
        let shape = self.delegate_shape(context);
        shape
            .and_then(|shape| shape.params.get(usize::from(index)).copied())
            .unwrap_or(Ty::UNKNOWN)
    }
}
