//! The types of expressions.
//!
//! Limitations: the element type of a long array is that of its first elements. Arithmetic results
//! are numbers.

use codeagent_lang::{DeclRef, ExprRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type, TypeMapper, primitive_of};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::queries::Query;
use crate::resolve::symbols::at;
use crate::resolve::symbols::scopes::{LookupPosition, Meaning};
use crate::resolve::symbols::value_owners::constructs;
use crate::resolve::types::members::MemberLookup;

/// Largest number of typed elements of an array literal, and so the length of the longest tuple.
const MAX_ELEMENTS: usize = 32;

impl Checker<'_> {
    /// Returns the type of an expression of a file.
    pub fn type_of_expr(&self, expr: ExprRef) -> Ty {
        if expr.expr.is_none() {
            return Ty::UNKNOWN;
        }
        self.memoized(Query::Expr(expr), || self.compute_type_of_expr(expr))
    }

    fn compute_type_of_expr(&self, id: ExprRef) -> Ty {
        let ExprRef { file, expr: id } = id;
        let facts = self.facts(file);
        match facts.expr(id) {
            Expr::Name(sym, scope, offset) => self.type_of_name(
                sym,
                LookupPosition {
                    file,
                    scope,
                    offset,
                },
                Meaning::Narrowed,
            ),
            Expr::This(decl) | Expr::ThisAt(decl, ..) => self.type_of_this(file, decl),
            Expr::Super(decl) => self.type_of_super(file, decl),
            Expr::Member(_, sym)
                if facts.text(sym) == "exports" && self.is_own_exports(file.expr(id)) =>
            {
                self.type_of_module(file)
            }
            Expr::Member(object, sym) => self.type_of_member_expr(file.expr(id), object, sym),
            Expr::Destructured(object, sym) => {
                let object = self.type_of_expr(file.expr(object));
                let name = self.name(file, sym);
                self.type_of_member(object, name)
            }
            Expr::Index(call) => self
                .type_of_narrowed_path(file.expr(id))
                .unwrap_or_else(|| self.type_of_index_expr(file, call)),
            Expr::Call(call) => self.type_of_call(file, call),
            Expr::New(call) => self.type_of_new(file, call),
            Expr::Generic(inner, _) | Expr::Spread(inner) | Expr::Conditional(inner) => {
                self.type_of_expr(file.expr(inner))
            }
            Expr::Await(inner) => {
                let ty = self.type_of_expr(file.expr(inner));
                self.awaited(ty)
            }
            Expr::Iterate(inner, is_async) => {
                let ty = self.type_of_expr(file.expr(inner));
                let element = self.type_of_element(ty);

                if is_async {
                    self.awaited(element)
                } else {
                    element
                }
            }
            Expr::Delegate(inner) => {
                let ty = self.type_of_expr(file.expr(inner));
                self.type_of_delegated(ty)
            }
            Expr::Cast(ty) => self.type_of(file, ty),
            Expr::Satisfies(inner, TypeId::NONE) => self.type_of_constant(file.expr(inner)),
            Expr::Satisfies(inner, _) => self.type_of_expr(file.expr(inner)),
            Expr::Or(a, b) => {
                let a = self.type_of_expr(file.expr(a));
                let b = self.type_of_expr(file.expr(b));
                self.union_without_subtypes(&[a, b])
            }
            Expr::And(_, inner) | Expr::Assign(_, inner) => self.type_of_expr(file.expr(inner)),
            Expr::Object(decl) => self
                .arena
                .add(Type::Object(at(file, decl), TypeMapper::EMPTY)),
            Expr::Array(elements, decl) => self.type_of_array(file, elements, decl),
            Expr::Function(decl) => self
                .arena
                .add(Type::Function(at(file, decl), TypeMapper::EMPTY)),
            Expr::Class(decl) => self.arena.add(Type::Static(at(file, decl))),
            Expr::ContextualParam(decl, index) => {
                self.context_param(at(file, decl), usize::from(index))
            }
            Expr::NarrowedRef(index) => self.type_of_guarded(file, index),
            Expr::Element(inner, index) => {
                let ty = self.type_of_expr(file.expr(inner));
                self.element_at(ty, Some(usize::from(index)))
            }
            Expr::RestElement(inner, _) => self.type_of_expr(file.expr(inner)),
            Expr::DynamicImport(sym) => {
                let module = self.resolve_module(file, sym);
                let ty = self.found_type(&module);
                self.arena.built_in(BuiltinType::Promise, &[ty])
            }
            Expr::Require(sym) => {
                let required = self.resolve_required(file, sym);
                self.found_type(&required)
            }
            Expr::Literal(LiteralKind::Regex, _) => self.arena.built_in(BuiltinType::RegExp, &[]),
            Expr::Literal(kind, sym) => self.type_of_literal_value(file, kind, sym),
            Expr::Known(known) => known_type(known),
            Expr::Binary(operator, a, b) => self.type_of_binary(file, operator, a, b),
            _ => Ty::UNKNOWN,
        }
    }

    /// Returns the type of `c ? a : b`, `a ?? b` and of the elements of `[a, b]`: without the members
    /// that are subtypes of others.
    fn union_without_subtypes(&self, types: &[Ty]) -> Ty {
        let union = self.arena.union(types);
        let members = self.arena.members(union);
        let is_compared = |ty: Ty| match self.get(ty) {
            Type::Instance(..) | Type::Static(_) => true,
            Type::Function(decl, _) => self.type_params(decl).is_empty(),
            Type::Object(decl, _) => {
                self.decl(decl).kind != DeclKind::ObjectLiteral || self.has_methods(decl)
            }
            _ => false,
        };
        if !(2..=4).contains(&members.len()) || !members.iter().all(|ty| is_compared(*ty)) {
            return union;
        }

        let is_subtype = |ty: Ty| {
            members
                .iter()
                .any(|other| self.is_subtype(ty, *other) && !self.is_subtype(*other, ty))
        };
        let kept: Vec<Ty> = members
            .iter()
            .copied()
            .filter(|ty| !is_subtype(*ty))
            .collect();
        self.arena.union(&kept)
    }

    /// Reports whether an object literal has a method, so that its type decides what is called.
    fn has_methods(&self, literal: DeclRef) -> bool {
        let members = self.declared_in(literal.file, self.decl(literal).inner);
        members
            .iter()
            .any(|member| self.decl(at(literal.file, member.1)).kind == DeclKind::Method)
    }

    /// Reports whether a type is a subtype of another; a class only of those it is derived from, an
    /// object literal only of those that have all its properties.
    fn is_subtype(&self, ty: Ty, of: Ty) -> bool {
        let is_literal = |ty: Ty| matches!(self.get(ty), Type::Object(decl, _) if self.decl(decl).kind == DeclKind::ObjectLiteral);
        if is_literal(ty) && !self.has_keys_of(of, ty) {
            return false;
        }

        let is_class = |ty: Ty| matches!(self.get(ty), Type::Instance(decl, _) if self.decl(decl).kind == DeclKind::Class);
        if is_class(ty) && is_class(of) {
            self.is_derived(ty, of) == Some(true)
        } else {
            self.extends(ty, of, &mut Vec::new()) == Some(true)
        }
    }

    /// Reports whether a type has all members of another.
    fn has_keys_of(&self, ty: Ty, other: Ty) -> bool {
        let (Some(own), Some(wanted)) = (self.key_names(ty), self.key_names(other)) else {
            return false;
        };
        wanted.iter().all(|name| own.contains(name))
    }

    fn type_of_literal_value(&self, file: FileId, kind: LiteralKind, sym: Sym) -> Ty {
        let primitive = primitive_of(kind);
        match sym.some() {
            Some(sym) if primitive == Ty::STRING => {
                let name = self.name(file, sym);
                self.arena.add(Type::Literal(kind, name))
            }
            _ => primitive,
        }
    }

    fn type_of_binary(&self, file: FileId, operator: Operator, a: ExprId, b: ExprId) -> Ty {
        if operator != Operator::Add {
            return Ty::NUMBER;
        }
        let types = [
            self.type_of_expr(file.expr(a)),
            self.type_of_expr(file.expr(b)),
        ];
        let is_text = types.iter().any(|ty| self.arena.widen(*ty) == Ty::STRING);
        if is_text { Ty::STRING } else { Ty::NUMBER }
    }

    /// Returns the type of a bare name, with or without narrowing.
    pub fn type_of_name(&self, sym: Sym, position: LookupPosition, meaning: Meaning) -> Ty {
        let name = self.name(position.file, sym);
        let decls = self.lookup_value(position, name, meaning);
        if let [narrow] = decls[..]
            && self.decl(narrow).kind == DeclKind::Narrow
            && self.is_assigned_outside(narrow, position)
        {
            return self.type_of_name(sym, position, Meaning::Value);
        }

        if !decls.is_empty() {
            return self.type_of_decls(&decls);
        }

        let spelling = self.spelling(name);
        match spelling {
            "window" | "self" | "globalThis" => return self.arena.add(Type::GlobalObject),
            "exports" if self.facts(position.file).header.dialect.is_javascript() => {
                return self.type_of_module(position.file);
            }
            _ => {}
        }

        match BuiltinType::of_name(spelling) {
            Some(known) => self.arena.add(Type::BuiltInValue(known)),
            None => Ty::EXTERNAL,
        }
    }

    fn type_of_this(&self, file: FileId, decl: DeclId) -> Ty {
        let Some(decl) = decl.some() else {
            return Ty::UNKNOWN;
        };

        let decl = at(file, decl);
        match self.decl(decl).kind {
            DeclKind::Class | DeclKind::Interface => self.own_instance(decl),
            DeclKind::ObjectLiteral => {
                let context = self.infer_context(decl);
                let own = self.arena.add(Type::Object(decl, TypeMapper::EMPTY));
                if context.is_opaque() {
                    own
                } else {
                    self.arena.intersection(&[own, context])
                }
            }
            DeclKind::ObjectType => self.arena.add(Type::Object(decl, TypeMapper::EMPTY)),
            DeclKind::Function | DeclKind::Lambda if constructs(self.decl(decl)) => {
                self.own_instance(decl)
            }
            DeclKind::Lambda | DeclKind::Method | DeclKind::Getter | DeclKind::Setter => {
                self.type_of_this_in_function(decl)
            }
            _ => Ty::UNKNOWN,
        }
    }

    /// Returns the type of `this` in a function: of the `this` parameter of its context, else of the
    /// object literal that it is a member of, or of `o` in `o.f = function () {}`.
    fn type_of_this_in_function(&self, function: DeclRef) -> Ty {
        if let Some(this) = self.contextual_this(function) {
            return this;
        }
        let &Declaration { context, init, .. } = self.decl(function);
        match context {
            Context::Property(object, _) => self.type_of_this(function.file, object),
            _ => self.type_of_expr(function.file.expr(init)),
        }
    }

    fn type_of_member_expr(&self, member: ExprRef, object: ExprId, sym: Sym) -> Ty {
        self.type_of_narrowed_path(member)
            .unwrap_or_else(|| self.type_of_declared_member(member.file.expr(object), sym))
    }

    fn type_of_narrowed_path(&self, path: ExprRef) -> Option<Ty> {
        if !self.tables.file(path.file).narrows_members {
            return None;
        }
        Some(self.type_of_decl(self.narrowed_path(path)?))
    }

    /// Returns the type of a member, ignoring guards.
    pub fn type_of_declared_member(&self, object: ExprRef, sym: Sym) -> Ty {
        let name = self.name(object.file, sym);
        let receiver = self.type_of_expr(object);
        match self.lookup_member(receiver, name) {
            MemberLookup::Missing | MemberLookup::External => {
                match self.lookup_expando(object, name) {
                    Some(value) => self.type_of_expr(value),
                    None => self.type_of_member(receiver, name),
                }
            }
            lookup => self.type_of_lookup(lookup, receiver),
        }
    }

    /// Returns the type of `a[k]`, ignoring guards.
    pub fn type_of_index_expr(&self, file: FileId, call: CallId) -> Ty {
        let facts = self.facts(file);
        let call = &facts.calls[call.index()];
        let object = self.type_of_expr(file.expr(call.callee));

        let Some(arg) = facts.list(call.args).first() else {
            return Ty::UNKNOWN;
        };

        match facts.expr(arg.value) {
            Expr::Literal(LiteralKind::String, sym) if !sym.is_none() => {
                let name = self.name(file, sym);
                self.type_of_member(object, name)
            }
            Expr::Literal(LiteralKind::Number, sym) => {
                let name = self.name(file, sym);
                match self.lookup_member(object, name) {
                    lookup @ MemberLookup::Declared(_) => self.type_of_lookup(lookup, object),
                    _ => self.element_at(object, facts.text(sym).parse().ok()),
                }
            }
            _ => {
                if let Some(name) = self.computed_key(file.expr(arg.value))
                    && let lookup @ MemberLookup::Declared(_) = self.lookup_member(object, name)
                {
                    return self.type_of_lookup(lookup, object);
                }

                let key = self.type_of_expr(file.expr(arg.value));
                if matches!(
                    self.get(key),
                    Type::Literal(LiteralKind::String, _) | Type::Param(_) | Type::KeyOf(_)
                ) {
                    self.type_of_indexed(object, key)
                } else {
                    self.type_of_members(object, key)
                        .unwrap_or_else(|| self.type_of_index(object))
                }
            }
        }
    }

    /// Returns the types of the members that a union of string literal types names, if all of them
    /// are known.
    fn type_of_members(&self, object: Ty, keys: Ty) -> Option<Ty> {
        let Type::Union(keys) = self.get(keys) else {
            return None;
        };
        let keys = self.arena.list(keys);
        let member = |key: &Ty| match self.get(*key) {
            Type::Literal(LiteralKind::String, name) => {
                Some(self.type_of_member(object, name)).filter(|ty| !ty.is_opaque())
            }
            _ => None,
        };
        let types: Vec<Ty> = keys.iter().map(member).collect::<Option<_>>()?;
        Some(self.arena.union(&types))
    }

    /// Returns the type of `e as const`: that of an array literal is the tuple of its elements'
    /// types, if their number is known.
    fn type_of_constant(&self, value: ExprRef) -> Ty {
        self.constant_tuple(value)
            .unwrap_or_else(|| self.type_of_expr(value))
    }

    fn constant_tuple(&self, ExprRef { file, expr }: ExprRef) -> Option<Ty> {
        let facts = self.facts(file);
        let Expr::Array(elements, _) = facts.expr(expr) else {
            return None;
        };
        let elements = facts.list(elements);
        if !(1..=MAX_ELEMENTS).contains(&elements.len()) {
            return None;
        }

        let mut types = Vec::new();
        for &element in elements {
            let ty = self.type_of_constant(file.expr(element));
            match (facts.expr(element), self.get(ty)) {
                (Expr::Spread(_), Type::Tuple(spread)) => types.extend(&*self.arena.list(spread)),
                (Expr::Spread(_), _) => return None,
                _ => types.push(ty),
            }
        }

        Some(self.arena.tuple(&types))
    }

    fn type_of_array(&self, file: FileId, elements: List<ExprId>, decl: DeclId) -> Ty {
        let facts = self.facts(file);

        let mut types = Vec::new();
        for &element in facts.list(elements).iter().take(MAX_ELEMENTS) {
            let ty = self.type_of_expr(file.expr(element));
            let is_spread = matches!(facts.expr(element), Expr::Spread(_));
            types.push(if is_spread {
                self.type_of_element(ty)
            } else {
                self.arena.widen(ty)
            });
        }

        let may_be_tuple =
            (1..=MAX_ELEMENTS).contains(&types.len()) && elements.len() == types.len();
        if may_be_tuple && !decl.is_none() {
            let context = self.infer_context(at(file, decl));
            if self
                .arena
                .members(context)
                .iter()
                .any(|ty| matches!(self.get(*ty), Type::Tuple(_)))
            {
                return self.arena.tuple(&types);
            }
        }

        let element = self.union_without_subtypes(&types);
        self.arena.array(element)
    }
}

fn known_type(known: KnownType) -> Ty {
    match known {
        KnownType::Bool => Ty::BOOLEAN,
        KnownType::String => Ty::STRING,
        KnownType::Number => Ty::NUMBER,
        KnownType::Void => Ty::NOTHING,
    }
}
