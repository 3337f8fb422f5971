//! The types of type nodes: `Foo<Bar>[]`, `A | B`, `typeof x`, `T["key"]`, `T extends U ? X : Y`.
//!
//! Limitations: the elements of a tuple behind its rest element have one type.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::arena::{Args, Ty, Type, TypeMapper, Utility, primitive_of};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::queries::Query;
use crate::resolve::symbols::at;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::DeclList;
use crate::resolve::symbols::value_owners::constructs;

impl Checker<'_> {
    /// Returns the type of a type node.
    pub fn type_of(&self, file: FileId, ty: TypeId) -> Ty {
        if ty.is_none() {
            return Ty::UNKNOWN;
        }
        self.memoized(Query::Type(file, ty), || self.compute_type_of(file, ty))
    }

    fn compute_type_of(&self, file: FileId, ty: TypeId) -> Ty {
        let facts = self.facts(file);
        match facts.type_expr(ty) {
            TypeExpr::Unknown => Ty::UNKNOWN,
            TypeExpr::Primitive(sym) => primitive(facts.text(sym)),
            TypeExpr::Name(segments, scope) => self.type_of_named(file, segments, scope),
            TypeExpr::Array(element, _) => {
                let element = self.type_of(file, element);
                self.arena.array(element)
            }
            TypeExpr::Nullable(inner) | TypeExpr::Pointer(inner) | TypeExpr::ByRef(inner) => {
                self.type_of(file, inner)
            }
            TypeExpr::Tuple(elements) => self.type_of_tuple(file, elements),
            TypeExpr::Union(list) => {
                if facts.list(list).iter().any(|ty| is_top(facts, *ty)) {
                    return Ty::ANY;
                }
                let members = self.types_of(file, list);
                self.arena.union(&members)
            }
            TypeExpr::Intersection(list) => {
                let members = self.types_of(file, list);
                self.arena.intersection(&members)
            }

            TypeExpr::Function(decl) => self
                .arena
                .add(Type::Function(at(file, decl), TypeMapper::EMPTY)),
            TypeExpr::Object(decl) => self
                .arena
                .add(Type::Object(at(file, decl), TypeMapper::EMPTY)),
            TypeExpr::Mapped(decl) => self
                .arena
                .add(Type::Mapped(at(file, decl), TypeMapper::EMPTY)),
            TypeExpr::This => Ty::THIS,

            TypeExpr::TypeOf(expr) => self.type_of_expr(file.expr(expr)),
            TypeExpr::Indexed(object, key) => {
                let object = self.type_of(file, object);
                let key = self.type_of_key(file, key);
                self.type_of_indexed(object, key)
            }
            TypeExpr::KeyOf(object) => {
                let object = self.type_of(file, object);
                self.arena.add(Type::KeyOf(object))
            }
            TypeExpr::Conditional(_) => self.type_of_conditional(file, ty, TypeMapper::EMPTY),
            TypeExpr::Predicate(..) => Ty::BOOLEAN,

            TypeExpr::Import(specifier, segments) => self.type_of_import(file, specifier, segments),
            TypeExpr::Literal(kind, sym) => self.type_of_literal(file, kind, sym),
            TypeExpr::Heritage(expr, args) => {
                let args = self.types_of(file, args);
                let value = self.type_of_expr(file.expr(expr));
                self.instance_of(value, &args)
            }
            TypeExpr::Infer(decl) => self.arena.add(Type::Param(at(file, decl))),
            TypeExpr::Template(parts) => {
                let parts = self.types_of(file, parts);
                self.utility(Utility::Template, &parts)
            }
        }
    }

    /// Returns the type of `K` in `T[K]`. The type of a symbol stands for the name of the members
    /// that are declared with it: `T[typeof KEY]` for those declared as `[KEY]`.
    fn type_of_key(&self, file: FileId, key: TypeId) -> Ty {
        let ty = self.type_of(file, key);
        if ty == Ty::SYMBOL
            && let TypeExpr::TypeOf(symbol) = self.facts(file).type_expr(key)
            && let Some(name) = self.computed_key(file.expr(symbol))
        {
            return self.arena.add(Type::Literal(LiteralKind::String, name));
        }
        ty
    }

    pub fn types_of(&self, file: FileId, list: List<TypeId>) -> Vec<Ty> {
        let facts = self.facts(file);
        facts
            .list(list)
            .iter()
            .map(|ty| self.type_of(file, *ty))
            .collect()
    }

    fn type_of_literal(&self, file: FileId, kind: LiteralKind, sym: Sym) -> Ty {
        let name = self.name(file, sym);
        match primitive_of(kind) {
            Ty::NOTHING => Ty::NOTHING,
            primitive if name == Name::NONE => primitive,
            _ => self.arena.add(Type::Literal(kind, name)),
        }
    }

    /// Returns the type of a tuple type: a list, if it has a rest element that is not a tuple.
    fn type_of_tuple(&self, file: FileId, elements: List<Element>) -> Ty {
        let elements = self.facts(file).list(elements);
        if let [only] = elements
            && only.rest
        {
            return self.type_of(file, only.ty);
        }

        let (mut types, mut is_list) = (Vec::new(), false);
        for element in elements {
            let ty = self.type_of(file, element.ty);
            match self.get(ty) {
                Type::Tuple(spread) if element.rest => types.extend(&*self.arena.list(spread)),
                _ if element.rest => {
                    types.push(self.type_of_element(ty));
                    is_list = true;
                }
                _ => types.push(ty),
            }
        }

        if is_list {
            self.arena.array(self.arena.union(&types))
        } else {
            self.arena.tuple(&types)
        }
    }

    fn type_of_import(&self, file: FileId, specifier: Sym, segments: List<Segment>) -> Ty {
        let facts = self.facts(file);
        let Some(last) = facts.list(segments).last() else {
            let found = self.resolve_required(file, specifier);
            return self.found_type(&found);
        };
        let mut found = self.resolve_module(file, specifier);
        for segment in facts.list(segments) {
            let name = self.name(file, segment.name);
            found = self.lookup_member_of_found(&found, name);
        }
        let args = self.types_of(file, last.args);
        self.type_of_found(file, &found, &args)
    }

    fn type_of_named(&self, file: FileId, segments: List<Segment>, scope: ScopeId) -> Ty {
        let facts = self.facts(file);
        let segments = facts.list(segments);
        let Some(last) = segments.last() else {
            return Ty::UNKNOWN;
        };

        let args = self.types_of(file, last.args);
        let found = self.resolve_type_name(file, segments, scope, segments.len() - 1);
        if found.is_nothing() && segments.len() == 1 {
            let ty = self.library_type(facts.text(last.name), &args);
            // A JavaScript comment may name a type that its file does not import.
            return if ty == Ty::EXTERNAL && facts.header.dialect.is_javascript() {
                Ty::UNKNOWN
            } else {
                ty
            };
        }

        self.type_of_found(file, &found, &args)
    }

    fn type_of_found(&self, file: FileId, found: &ResolvedName, args: &[Ty]) -> Ty {
        match found {
            ResolvedName::Decls(decls) => self.declared_type(decls, args),
            ResolvedName::External => self.type_of_external(args),
            // An undeclared name in a library is external.
            ResolvedName::Nothing if self.is_external_file(file) => self.type_of_external(args),
            _ => Ty::UNKNOWN,
        }
    }

    /// Returns an external type with its type arguments.
    pub fn type_of_external(&self, args: &[Ty]) -> Ty {
        if args.iter().any(|arg| self.is_of_repository(*arg, 0)) {
            Ty::FOREIGN_GENERIC
        } else {
            Ty::EXTERNAL
        }
    }

    /// Reports whether a type contains a declaration of the repository.
    pub fn is_of_repository(&self, ty: Ty, nesting: u32) -> bool {
        if nesting > 4 {
            return false;
        }

        match self.get(ty) {
            Type::Instance(decl, args) => {
                !self.is_external_file(decl.file) || self.are_of_repository(args, nesting)
            }
            Type::Static(decl)
            | Type::Object(decl, _)
            | Type::Mapped(decl, _)
            | Type::Function(decl, _) => !self.is_external_file(decl.file),
            Type::BuiltIn(_, args)
            | Type::Tuple(args)
            | Type::Union(args)
            | Type::Intersection(args) => self.are_of_repository(args, nesting),
            Type::Param(_) | Type::Selected(..) | Type::Simple(Ty::FOREIGN_GENERIC) => true,
            _ => self.is_open(ty),
        }
    }

    pub fn are_of_repository(&self, types: Args, nesting: u32) -> bool {
        self.arena
            .list(types)
            .iter()
            .any(|ty| self.is_of_repository(*ty, nesting + 1))
    }

    /// Returns the type declared by declarations of one name.
    pub fn declared_type(&self, decls: &DeclList, args: &[Ty]) -> Ty {
        for &decl in decls {
            let declaration = self.decl(decl);
            match declaration.kind {
                DeclKind::Class | DeclKind::Interface | DeclKind::Enum => {
                    return self.instance(decl, args);
                }
                DeclKind::TypeParam => return self.arena.add(Type::Param(decl)),
                DeclKind::TypeAlias => return self.alias(decl, args),
                DeclKind::EnumMember => return self.type_of_decl(decl),
                DeclKind::DefaultExport => {
                    let value = self.type_of_decl(decl);
                    return self.instance_of(value, args);
                }
                DeclKind::Function if constructs(declaration) => return self.instance(decl, args),
                DeclKind::Variable
                    if declaration.flags.has(DeclFlags::CONSTRUCTS)
                        && !declaration.bases.is_empty() =>
                {
                    // `@enum {T}`
                    return self.base_type(decl, 0);
                }
                DeclKind::Variable if declaration.flags.has(DeclFlags::CONSTRUCTS) => {
                    let value = self.type_of_decl(decl);
                    return self.instance_of(value, args);
                }
                // `exports.C = class {}`
                DeclKind::Property | DeclKind::Getter => {
                    let value = self.type_of_decl(decl);
                    if declaration.flags.has(DeclFlags::CONSTRUCTS)
                        || matches!(self.get(value), Type::Static(_))
                    {
                        return self.instance_of(value, args);
                    }
                }
                _ => {}
            }
        }

        Ty::UNKNOWN
    }

    fn alias(&self, decl: DeclRef, args: &[Ty]) -> Ty {
        if self.is_external_global(decl) {
            let name = self.decl_name(decl);
            if let Some(ty) = self.known_alias(self.spelling(name), args) {
                return ty;
            }
        }
        let declaration = self.decl(decl);
        let body = self.alias_body(decl, declaration.ty);
        if declaration.type_params.is_empty() {
            return body;
        }
        let args = self.complete_args(decl, args);
        let mapper = self.bind(decl, &args);
        self.substitute(body, mapper)
    }

    fn alias_body(&self, decl: DeclRef, ty: TypeId) -> Ty {
        self.memoized(Query::Alias(decl), || self.type_of(decl.file, ty))
    }

    /// Returns the type of a name that no file declares.
    fn library_type(&self, name: &str, args: &[Ty]) -> Ty {
        if name == "bigint" {
            return Ty::BIGINT;
        }
        match BuiltinType::of_name(name) {
            Some(BuiltinType::Text) => Ty::STRING,
            Some(BuiltinType::Number) => Ty::NUMBER,
            Some(BuiltinType::Boolean) => Ty::BOOLEAN,
            Some(BuiltinType::Object) => Ty::ANY,
            Some(known) => self.arena.built_in(known, args),
            None => self.type_of_external(args),
        }
    }

    /// Returns the type of `T[K]`.
    pub fn type_of_indexed(&self, object: Ty, key: Ty) -> Ty {
        if object == Ty::THIS || self.is_generic(object) || self.is_open(key) {
            return self.arena.add(Type::Indexed(object, key));
        }

        // A member may lead to itself: `a: this["b"]; b: this["a"]`.
        if self.is_deepest() || !self.spend(1) {
            self.stack.cut_off();
            return Ty::UNKNOWN;
        }
        self.with_depth(|| self.type_at_key(object, key))
    }

    fn type_at_key(&self, object: Ty, key: Ty) -> Ty {
        match self.get(key) {
            Type::Literal(LiteralKind::String, name) => self.type_of_member(object, name),
            Type::Literal(LiteralKind::Number, name) => {
                self.element_at(object, self.spelling(name).parse().ok())
            }
            Type::Simple(Ty::NUMBER | Ty::STRING) => self.type_of_index(object),
            Type::KeyOf(of) if of == object => self.property_types(object),

            Type::Intersection(keys) => {
                let keys = self.arena.list(keys);
                let literal = keys
                    .iter()
                    .copied()
                    .find(|key| matches!(self.get(*key), Type::Literal(..)));
                literal.map_or(Ty::UNKNOWN, |key| self.type_of_indexed(object, key))
            }
            Type::Union(keys) => {
                let keys = self.arena.list(keys);
                let types: Vec<Ty> = keys
                    .iter()
                    .map(|key| self.type_of_indexed(object, *key))
                    .collect();
                self.arena.union(&types)
            }
            _ => Ty::UNKNOWN,
        }
    }
}

/// Reports whether a type is written `any` or `unknown`, which take up the rest of a union.
fn is_top(facts: &Facts, ty: TypeId) -> bool {
    matches!(facts.type_expr(ty), TypeExpr::Primitive(word) if matches!(facts.text(word), "any" | "unknown"))
}

fn primitive(word: &str) -> Ty {
    match word {
        "string" => Ty::STRING,
        "number" => Ty::NUMBER,
        "boolean" | "true" | "false" => Ty::BOOLEAN,
        "symbol" | "unique symbol" => Ty::SYMBOL,
        "bigint" => Ty::BIGINT,
        "any" | "unknown" | "object" => Ty::ANY,
        "undefined" | "null" | "void" | "never" => Ty::NOTHING,
        _ => Ty::UNKNOWN,
    }
}
