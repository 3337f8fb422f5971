//! What type does a value have: of a declaration by its annotation, else its initialiser; of an expression by its parts.
//!
//! **Limits.** Variables have one type, whatever is assigned later; a getter's type is that of its first `return`s.

use super::constructors::constructs;
use super::exports::Found;
use super::members::Looked;
use super::names::{Decls, Place, Space};
use super::questions::Question;
use super::types::{Env, Ty, Type, primitive_of};
use super::well_known::Known;
use super::{Link, at};
use crate::model::facts::*;
use crate::resolve::world::{DeclRef, FileId};

/// Returned or listed expressions that are looked at.
const MAX_BRANCHES: usize = 8;

impl Link<'_> {
    /// The type of a merged symbol as a value.
    pub(super) fn decls_type(&mut self, decls: &Decls) -> Ty {
        use DeclKind as K;
        let rank = |kind: K| match kind {
            K::Class | K::Enum | K::Import => 1,
            K::Namespace => 2,
            K::Interface | K::TypeAlias | K::TypeParam => 9,
            K::Setter => 3,
            _ => 0,
        };
        let mut best: Option<(u32, DeclRef)> = None;
        for &decl in decls {
            let rank = rank(self.decl(decl).kind);
            if rank < 9 && best.is_none_or(|(other, _)| rank < other) {
                best = Some((rank, decl));
            }
        }
        best.map_or(Ty::UNKNOWN, |(_, decl)| self.decl_type(decl))
    }

    /// The type of a declaration as a value.
    pub(super) fn decl_type(&mut self, decl: DeclRef) -> Ty {
        self.remembered(Question::Decl(decl), |link| link.decl_type_unguarded(decl))
    }

    fn decl_type_unguarded(&mut self, decl: DeclRef) -> Ty {
        use DeclKind as K;
        let declaration = self.decl(decl);
        match declaration.kind {
            K::Function
            | K::LocalFunction
            | K::Method
            | K::Lambda
            | K::CallSignature
            | K::ConstructSignature
            | K::FunctionType
            | K::Constructor => self.arena.add(Type::Function(decl, Env::EMPTY)),
            K::Class | K::Enum | K::Namespace => self.arena.add(Type::Static(decl)),
            K::EnumMember => match self.facts(decl.file).scope(declaration.scope).owner.some() {
                Some(owner) => self.instance(at(decl.file, owner), &[]),
                None => Ty::UNKNOWN,
            },
            K::Import => self.import_value(decl),
            K::Getter => self.return_type(decl),
            K::Setter => self.params(decl).first().copied().map_or(Ty::UNKNOWN, |param| self.decl_type(param)),
            K::ObjectLiteral | K::ObjectType => self.arena.add(Type::Object(decl, Env::EMPTY)),
            K::Variable | K::Parameter | K::Property | K::Narrow | K::DefaultExport | K::IndexSignature => {
                self.held_type(decl, declaration)
            }
            _ => Ty::UNKNOWN,
        }
    }

    fn held_type(&mut self, decl: DeclRef, declaration: &Declaration) -> Ty {
        if !declaration.ty.is_none() {
            return self.type_of(decl.file, declaration.ty);
        }
        let ty = self.expr_type(decl.file, declaration.init);
        let keeps_literal =
            declaration.flags.has(DeclFlags::CONST) || declaration.flags.has(DeclFlags::READONLY) || declaration.kind == DeclKind::Narrow;
        if keeps_literal { ty } else { self.arena.widen(ty) }
    }

    fn import_value(&mut self, decl: DeclRef) -> Ty {
        let found = self.resolve_decls(Decls::from_slice(&[decl]));
        if found == Found::External { self.package_value(decl) } else { self.found_type(&found) }
    }

    /// The type of an expression of a file.
    pub(super) fn expr_type(&mut self, file: FileId, expr: ExprId) -> Ty {
        if expr.is_none() {
            return Ty::UNKNOWN;
        }
        self.remembered(Question::Expr(file, expr), |link| link.expr_type_unguarded(file, expr))
    }

    fn expr_type_unguarded(&mut self, file: FileId, id: ExprId) -> Ty {
        let facts = self.facts(file);
        match facts.expr(id) {
            Expr::Name(sym, scope, offset) => self.name_type_in(sym, Place { file, scope, offset }, Space::Narrowed),
            Expr::This(decl) | Expr::ThisAt(decl, ..) => self.this_type(file, decl),
            Expr::Super(decl) => self.super_type(file, decl),
            Expr::Member(_, sym) if facts.text(sym) == "exports" && self.is_own_exports(file, id) => self.module_type(file),
            Expr::Member(object, sym) => self.member_expr_type(file, id, object, sym),
            Expr::Destructured(object, sym) => {
                let object = self.expr_type(file, object);
                let name = self.name(file, sym);
                self.member_type(object, name)
            }
            Expr::Index(call) => self.index_expr_type(file, call),
            Expr::Call(call) => self.call_type(file, call),
            Expr::New(call) => self.new_type(file, call),
            Expr::Generic(inner, _) | Expr::Same(inner) | Expr::Spread(inner) | Expr::Conditional(inner) => self.expr_type(file, inner),
            Expr::Await(inner) => {
                let ty = self.expr_type(file, inner);
                self.awaited(ty)
            }
            Expr::Iterate(inner, is_async) => {
                let ty = self.expr_type(file, inner);
                let element = self.element_type(ty);
                if is_async { self.awaited(element) } else { element }
            }
            Expr::Cast(ty) => self.type_of(file, ty),
            Expr::Satisfies(inner, _) => self.expr_type(file, inner),
            Expr::Or(a, b) => {
                let a = self.expr_type(file, a);
                let b = self.expr_type(file, b);
                self.arena.union(&[a, b])
            }
            Expr::And(_, inner) | Expr::Assign(_, inner) => self.expr_type(file, inner),
            Expr::Object(decl) => self.arena.add(Type::Object(at(file, decl), Env::EMPTY)),
            Expr::Array(elements, decl) => self.array_type(file, elements, decl),
            Expr::Function(decl) => self.arena.add(Type::Function(at(file, decl), Env::EMPTY)),
            Expr::Class(decl) => self.arena.add(Type::Static(at(file, decl))),
            Expr::ContextParam(decl, index) => self.context_param(at(file, decl), usize::from(index)),
            Expr::Guarded(index) => self.guarded_type(file, index),
            Expr::Element(inner, index) => {
                let ty = self.expr_type(file, inner);
                self.element_at(ty, Some(usize::from(index)))
            }
            Expr::RestOf(inner, _) => self.expr_type(file, inner),
            Expr::DynamicImport(sym) => {
                let module = self.module(file, sym);
                let ty = self.found_type(&module);
                self.arena.built_in(Known::Promise, &[ty])
            }
            Expr::Require(sym) => {
                let required = self.required(file, sym);
                self.found_type(&required)
            }
            Expr::Literal(LiteralKind::Regex, _) => self.arena.built_in(Known::RegExp, &[]),
            Expr::Literal(kind, sym) => self.literal_value_type(file, kind, sym),
            Expr::Known(known) => known_type(known),
            Expr::Binary(operator, a, b) => self.binary_type(file, operator, a, b),
            Expr::Unary(Operator::Not, _) => Ty::BOOLEAN,
            Expr::Unary(..) => Ty::NUMBER,
            _ => Ty::UNKNOWN,
        }
    }

    fn literal_value_type(&mut self, file: FileId, kind: LiteralKind, sym: Sym) -> Ty {
        let primitive = primitive_of(kind);
        match sym.some() {
            Some(sym) if primitive == Ty::STRING => {
                let name = self.name(file, sym);
                self.arena.add(Type::Literal(kind, name))
            }
            _ => primitive,
        }
    }

    fn binary_type(&mut self, file: FileId, operator: Operator, a: ExprId, b: ExprId) -> Ty {
        use Operator as O;
        match operator {
            O::Equal | O::NotEqual | O::Less | O::Greater | O::LessEqual | O::GreaterEqual => Ty::BOOLEAN,
            O::Add => {
                let types = [self.expr_type(file, a), self.expr_type(file, b)];
                let is_text = types.iter().any(|ty| self.arena.widen(*ty) == Ty::STRING);
                if is_text { Ty::STRING } else { Ty::NUMBER }
            }
            _ => Ty::NUMBER,
        }
    }

    /// The type of a bare name, seen through narrowings or not.
    pub(super) fn name_type_in(&mut self, sym: Sym, place: Place, space: Space) -> Ty {
        let name = self.name(place.file, sym);
        let decls = self.lookup(place, name, space);
        if let [narrow] = decls[..]
            && self.decl(narrow).kind == DeclKind::Narrow
            && self.is_assigned_outside(narrow, place)
        {
            return self.name_type_in(sym, place, Space::Value);
        }
        if !decls.is_empty() {
            return self.decls_type(&decls);
        }
        let spelling = self.spelling(name);
        match spelling {
            "undefined" | "null" => return Ty::NOTHING,
            "window" | "self" | "globalThis" => return self.window(),
            "exports" if self.facts(place.file).header.dialect.is_javascript() => return self.module_type(place.file),
            _ => {}
        }
        match Known::of_name(spelling) {
            Some(known) => self.arena.add(Type::BuiltInValue(known)),
            None => Ty::EXTERNAL,
        }
    }

    /// The global object, as far as the repository declares members for it.
    fn window(&mut self) -> Ty {
        let name = self.tables.find("Window");
        match self.global(name, Space::Type).first().copied() {
            Some(decl) => self.instance(decl, &[]),
            None => Ty::EXTERNAL,
        }
    }

    fn this_type(&mut self, file: FileId, decl: DeclId) -> Ty {
        let Some(decl) = decl.some() else { return Ty::UNKNOWN };
        let decl = at(file, decl);
        match self.decl(decl).kind {
            DeclKind::Class | DeclKind::Interface => self.own_instance(decl),
            DeclKind::ObjectLiteral => {
                let context = self.context(decl);
                let own = self.arena.add(Type::Object(decl, Env::EMPTY));
                if context.is_opaque() { own } else { self.arena.intersection(&[own, context]) }
            }
            DeclKind::ObjectType => self.arena.add(Type::Object(decl, Env::EMPTY)),
            DeclKind::Function | DeclKind::Lambda if constructs(self.decl(decl)) => self.own_instance(decl),
            // `o.f = function () {}`
            DeclKind::Lambda => {
                let object = self.decl(decl).init;
                self.expr_type(file, object)
            }
            _ => Ty::UNKNOWN,
        }
    }

    /// A class as seen from inside: its type parameters stand for themselves.
    pub(super) fn own_instance(&mut self, decl: DeclRef) -> Ty {
        let params: Vec<Ty> = self.type_params(decl).into_iter().map(|param| self.arena.add(Type::Param(param))).collect();
        self.instance(decl, &params)
    }

    /// The instance a class extends.
    pub(super) fn super_type(&mut self, file: FileId, decl: DeclId) -> Ty {
        let Some(decl) = decl.some() else { return Ty::UNKNOWN };
        let decl = at(file, decl);
        let facts = self.facts(file);
        let position = facts.list(facts.decl(decl.decl).bases).iter().position(|base| base.clause == BaseClause::Extends);
        position.map_or(Ty::UNKNOWN, |index| self.base_type(decl, index))
    }

    fn member_expr_type(&mut self, file: FileId, id: ExprId, object: ExprId, sym: Sym) -> Ty {
        if self.tables.file(file).narrows_members
            && let Some(narrow) = self.narrowed_path(file, id)
        {
            return self.decl_type(narrow);
        }
        self.declared_member_type(file, object, sym)
    }

    /// The type of a member, whatever guards say of it.
    pub(super) fn declared_member_type(&mut self, file: FileId, object: ExprId, sym: Sym) -> Ty {
        let name = self.name(file, sym);
        let receiver = self.expr_type(file, object);
        match self.member(receiver, name) {
            Looked::Missing | Looked::External => match self.expando(file, object, name) {
                Some((file, value)) => self.expr_type(file, value),
                None => self.member_type(receiver, name),
            },
            looked => self.looked_type(looked, receiver),
        }
    }

    fn index_expr_type(&mut self, file: FileId, call: CallId) -> Ty {
        let facts = self.facts(file);
        let call = &facts.calls[call.index()];
        let object = self.expr_type(file, call.callee);
        let Some(arg) = facts.list(call.args).first() else { return Ty::UNKNOWN };
        match facts.expr(arg.value) {
            Expr::Literal(LiteralKind::String, sym) if !sym.is_none() => {
                let name = self.name(file, sym);
                self.member_type(object, name)
            }
            Expr::Literal(LiteralKind::Number, sym) => {
                let name = self.name(file, sym);
                match self.member(object, name) {
                    looked @ Looked::Declared(_) => self.looked_type(looked, object),
                    _ => self.element_at(object, facts.text(sym).parse().ok()),
                }
            }
            _ => {
                let key = self.expr_type(file, arg.value);
                if matches!(self.get(key), Type::Literal(LiteralKind::String, _) | Type::Param(_) | Type::KeyOf(_)) {
                    self.indexed_type(object, key)
                } else {
                    self.index_type(object)
                }
            }
        }
    }

    fn array_type(&mut self, file: FileId, elements: List<ExprId>, decl: DeclId) -> Ty {
        let facts = self.facts(file);
        let mut types = Vec::new();
        for &element in facts.list(elements).iter().take(MAX_BRANCHES) {
            let ty = self.expr_type(file, element);
            let is_spread = matches!(facts.expr(element), Expr::Spread(_));
            types.push(if is_spread { self.element_type(ty) } else { self.arena.widen(ty) });
        }
        let is_pair = (1..=4).contains(&types.len()) && elements.len() == types.len();
        if is_pair && !decl.is_none() {
            let context = self.context(at(file, decl));
            if self.arena.members(context).iter().any(|ty| matches!(self.get(*ty), Type::Tuple(_))) {
                return self.arena.tuple(&types);
            }
        }
        let element = self.arena.union(&types);
        self.arena.array(element)
    }

    /// What a function-like gives: as declared, else the union of what it returns.
    pub(super) fn return_type(&mut self, decl: DeclRef) -> Ty {
        if let Some(known) = self.recalled(Question::Return(decl)) {
            return known;
        }
        let declaration = self.decl(decl);
        if !declaration.ty.is_none() {
            return self.type_of(decl.file, declaration.ty);
        }
        self.remembered(Question::Return(decl), |link| link.inferred_return(decl, declaration))
    }

    fn inferred_return(&mut self, decl: DeclRef, declaration: &Declaration) -> Ty {
        let facts = self.facts(decl.file);
        self.ask_body(decl);
        let mut types = Vec::new();
        for &value in facts.list(declaration.returns).iter().take(MAX_BRANCHES) {
            let is_this = matches!(facts.expr(value), Expr::This(_) | Expr::ThisAt(..)) && declaration.kind == DeclKind::Method;
            let ty = if is_this { Ty::THIS } else { self.expr_type(decl.file, value) };
            types.push(self.arena.widen(ty));
        }
        let is_async = declaration.flags.has(DeclFlags::ASYNC);
        if types.is_empty() && !declaration.flags.has(DeclFlags::HAS_BODY) {
            return Ty::UNKNOWN;
        }
        let ty = if types.is_empty() { Ty::NOTHING } else { self.arena.union(&types) };
        match (declaration.flags.has(DeclFlags::GENERATOR), is_async) {
            (true, true) => self.arena.built_in(Known::AsyncIterable, &[ty]),
            (true, false) => self.arena.built_in(Known::Iterable, &[ty]),
            (false, true) => {
                let ty = self.awaited(ty);
                self.arena.built_in(Known::Promise, &[ty])
            }
            (false, false) => ty,
        }
    }

    /// What `await` makes of a type.
    pub(super) fn awaited(&mut self, ty: Ty) -> Ty {
        match self.get(ty) {
            Type::BuiltIn(Known::Promise, args) => {
                let inner = self.arena.list(args).first().copied().unwrap_or(Ty::UNKNOWN);
                self.awaited(inner)
            }
            Type::Union(args) => {
                let members: Vec<Ty> = self.arena.list(args).iter().map(|member| self.awaited(*member)).collect();
                self.arena.union(&members)
            }
            Type::Instance(..) if !self.is_deepest() => self.deeper(|link| link.as_built_in(ty, Known::Promise, 0)).unwrap_or(ty),
            _ => ty,
        }
    }

    /// The first type argument of the built-in type that a class derives from.
    fn as_built_in(&mut self, ty: Ty, known: Known, level: u32) -> Option<Ty> {
        match self.get(ty) {
            Type::BuiltIn(found, args) if found == known => self.arena.list(args).first().copied(),
            Type::Instance(decl, args) if level < 6 => {
                let types = self.arena.list(args);
                for &part in self.group(decl).iter() {
                    for index in 0..self.decl(part).bases.len() {
                        let base = self.base_type(part, index);
                        let env = self.bind(part, &types);
                        let base = self.substitute(base, env);
                        if let Some(found) = self.as_built_in(base, known, level + 1) {
                            return Some(found);
                        }
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// What going over a value gives.
    pub(super) fn element_type(&mut self, ty: Ty) -> Ty {
        match self.get(ty) {
            Type::BuiltIn(Known::Array | Known::Set | Known::Iterable | Known::AsyncIterable | Known::QueryList, args) => {
                self.arena.list(args).first().copied().unwrap_or(Ty::UNKNOWN)
            }
            Type::BuiltIn(Known::Map, args) => self.arena.add(Type::Tuple(args)),
            Type::Tuple(args) => {
                let elements = self.arena.list(args);
                self.arena.union(&elements)
            }
            Type::Union(args) => {
                let elements: Vec<Ty> = self.arena.list(args).iter().map(|member| self.element_type(*member)).collect();
                self.arena.union(&elements)
            }
            Type::Simple(Ty::STRING) | Type::Literal(..) => Ty::STRING,
            Type::Simple(Ty::EXTERNAL) => Ty::EXTERNAL,
            Type::Param(param) => {
                let bound = self.constraint(param);
                if matches!(self.get(bound), Type::Param(_)) { Ty::UNKNOWN } else { self.element_type(bound) }
            }
            Type::Instance(..) => self.iterated_instance(ty),
            Type::Deferred(utility, args) => {
                let bound = self.deferred_bound(utility, args);
                self.element_type(bound)
            }
            _ => Ty::UNKNOWN,
        }
    }

    fn iterated_instance(&mut self, ty: Ty) -> Ty {
        for known in [Known::Array, Known::Iterable, Known::Set, Known::AsyncIterable] {
            if let Some(element) = self.as_built_in(ty, known, 0) {
                return element;
            }
        }
        let names = ["[Symbol.iterator]", "[Symbol.asyncIterator]"].map(|name| self.tables.find(name));
        let method = names.map(|name| self.member_type(ty, name)).into_iter().find(|method| *method != Ty::UNKNOWN);
        let iterator = method.map_or(Ty::UNKNOWN, |method| self.result_of(method));
        if iterator == ty || matches!(self.get(iterator), Type::Instance(..)) { Ty::UNKNOWN } else { self.element_type(iterator) }
    }

    /// Element `index` of a tuple or array.
    pub(super) fn element_at(&mut self, ty: Ty, index: Option<usize>) -> Ty {
        match (self.get(ty), index) {
            (Type::Tuple(args), Some(index)) => self.arena.list(args).get(index).copied().unwrap_or(Ty::UNKNOWN),
            (Type::Union(args), _) => {
                let elements: Vec<Ty> = self.arena.list(args).iter().map(|member| self.element_at(*member, index)).collect();
                self.arena.union(&elements)
            }
            (Type::BuiltIn(Known::Array | Known::Set | Known::Iterable | Known::Map, _) | Type::Tuple(_), _) => self.element_type(ty),
            _ => {
                let indexed = self.index_type(ty);
                if indexed == Ty::UNKNOWN { self.element_type(ty) } else { indexed }
            }
        }
    }

    /// What `value[key]` gives for a key that is not known.
    pub(super) fn index_type(&mut self, ty: Ty) -> Ty {
        match self.get(ty) {
            Type::BuiltIn(Known::Array, _) | Type::Tuple(_) => self.element_type(ty),
            Type::BuiltIn(Known::Record, args) => self.arena.list(args).get(1).copied().unwrap_or(Ty::UNKNOWN),
            Type::Instance(decl, args) => {
                let types = self.arena.list(args);
                let group = self.group(decl);
                match self.index_signature(&group, &types) {
                    Some(ty) => ty,
                    None => self.as_built_in(ty, Known::Array, 0).unwrap_or(Ty::UNKNOWN),
                }
            }
            Type::Object(decl, env) => match self.index_signature(&[decl], &[]) {
                Some(ty) => self.substitute(ty, env),
                None => Ty::UNKNOWN,
            },
            Type::Mapped(decl, env) => self.mapped_value(decl, env),
            Type::Union(args) | Type::Intersection(args) => {
                let types: Vec<Ty> = self.arena.list(args).iter().map(|member| self.index_type(*member)).collect();
                self.arena.union(&types)
            }
            Type::Param(param) => {
                let bound = self.constraint(param);
                if matches!(self.get(bound), Type::Param(_)) { Ty::UNKNOWN } else { self.index_type(bound) }
            }
            Type::Simple(Ty::EXTERNAL) => Ty::EXTERNAL,
            Type::Simple(Ty::STRING) => Ty::STRING,
            _ => Ty::UNKNOWN,
        }
    }

    /// What a mapped type gives for keys that are not known.
    fn mapped_value(&mut self, decl: DeclRef, env: Env) -> Ty {
        let value = self.decl(decl).ty;
        let ty = self.type_of(decl.file, value);
        let Some(&param) = self.type_params(decl).first() else { return Ty::UNKNOWN };
        let keys = self.constraint(param);
        let keys = self.substitute(keys, env);
        let over_elements = match self.get(keys) {
            Type::KeyOf(source) => matches!(self.get(source), Type::Tuple(_) | Type::BuiltIn(Known::Array, _)),
            _ => false,
        };
        let mut bindings = vec![(param, if over_elements { Ty::NUMBER } else { keys })];
        bindings.extend(self.arena.bindings(env).iter().copied());
        let env = self.arena.env(bindings);
        self.substitute(ty, env)
    }

    /// The types of the properties of a value, together.
    pub(super) fn property_types(&mut self, ty: Ty) -> Ty {
        let indexed = self.index_type(ty);
        if indexed != Ty::UNKNOWN {
            return indexed;
        }
        let (decl, env) = match self.get(ty) {
            Type::Object(decl, env) => (decl, env),
            Type::Instance(decl, args) => {
                let types = self.arena.list(args);
                (decl, self.bind(decl, &types))
            }
            Type::Static(decl) if self.decl(decl).kind == DeclKind::Enum => return self.instance(decl, &[]),
            _ => return Ty::UNKNOWN,
        };
        let inner = self.decl(decl).inner;
        let members = self.declared_in(decl.file, inner).iter().take(16);
        let types: Vec<Ty> = members.map(|member| self.decl_type(at(decl.file, member.1))).collect();
        let union = self.arena.union(&types);
        self.substitute(union, env)
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
