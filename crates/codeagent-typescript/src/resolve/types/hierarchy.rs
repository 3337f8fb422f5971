//! Base types of classes, interfaces and type parameters: entries of base lists, constraints, and a
//! type seen as an instance of an ancestor.
//!
//! Limitations: eight levels up. The bases of an external type are not known.

use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::*;
use smallvec::SmallVec;

use crate::resolve::arena::{Args, Ty, Type};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::queries::Query;
use crate::resolve::symbols::at;
use crate::resolve::symbols::scopes::{LookupPosition, Meaning};

impl Checker<'_> {
    /// Returns the type of entry `index` of a base list.
    pub fn base_type(&self, decl: DeclRef, index: usize) -> Ty {
        self.query(Query::Base(decl, index as u32), || {
            let facts = self.facts(decl.file);
            let declaration = facts.decl(decl.decl);
            let Some(base) = facts.list(declaration.bases).get(index).copied() else {
                return Ty::UNKNOWN;
            };
            let ty = self.type_of(decl.file, base.ty);
            let by_value =
                declaration.kind == DeclKind::Class && base.clause == BaseClause::Extends;
            if ty.is_opaque() && by_value {
                self.base_by_value(decl, base.ty).unwrap_or(ty)
            } else {
                ty
            }
        })
    }

    /// Returns the base in `extends Base`, where `Base` is a variable that holds a class.
    fn base_by_value(&self, decl: DeclRef, ty: TypeId) -> Option<Ty> {
        let facts = self.facts(decl.file);
        let TypeExpr::Name(segments, scope) = facts.type_expr(ty) else {
            return None;
        };
        let &[segment] = facts.list(segments) else {
            return None;
        };

        let name = self.name(decl.file, segment.name);
        let decls = self.lookup_name(
            LookupPosition {
                file: decl.file,
                scope,
                offset: u32::MAX,
            },
            name,
            Meaning::Value,
        );

        if decls.is_empty() {
            return None;
        }

        let value = self.type_of_decls(&decls);
        let args = self.types_of(decl.file, segment.args);
        Some(self.instance_of(value, &args))
    }

    /// Returns the value that a class extends.
    pub fn static_base(&self, class: DeclRef) -> Option<Ty> {
        let facts = self.facts(class.file);
        let bases = facts.list(facts.decl(class.decl).bases);
        let index = bases
            .iter()
            .position(|base| base.clause == BaseClause::Extends)?;
        if let TypeExpr::Heritage(expr, _) = facts.type_expr(bases[index].ty) {
            return Some(self.query(Query::Base(class, u32::MAX), || {
                self.type_of_expr(class.file.expr(expr))
            }));
        }

        let instance = self.base_type(class, index);
        match self.get(instance) {
            Type::Instance(decl, _) if self.decl(decl).kind == DeclKind::Class => {
                Some(self.arena.add(Type::Static(decl)))
            }
            Type::Simple(Ty::EXTERNAL | Ty::FOREIGN_GENERIC) | Type::BuiltIn(..) => {
                Some(Ty::EXTERNAL)
            }
            // `Error` is an interface, and a variable that constructs it.
            Type::Instance(decl, _) if self.is_external_file(decl.file) => Some(Ty::EXTERNAL),
            _ => None,
        }
    }

    pub fn constraint(&self, param: DeclRef) -> Ty {
        self.base_type(param, 0)
    }

    pub fn indexed_constraint(&self, object: Ty, key: Ty) -> Ty {
        let object = if let Type::Param(param) = self.get(object) {
            self.constraint(param)
        } else {
            object
        };
        let key = if let Type::Param(param) = self.get(key) {
            self.constraint(param)
        } else {
            key
        };
        if self.is_open(object) || self.is_open(key) {
            Ty::UNKNOWN
        } else {
            self.type_of_indexed(object, key)
        }
    }

    /// Replaces `this` types by a receiver, also in `this["K"]`.
    pub fn with_this(&self, ty: Ty, receiver: Ty) -> Ty {
        match self.get(ty) {
            Type::Indexed(Ty::THIS, key) if receiver != Ty::THIS => {
                self.type_of_indexed(receiver, key)
            }
            Type::Union(args) => {
                let members: Vec<Ty> = self
                    .arena
                    .list(args)
                    .iter()
                    .map(|member| self.with_this(*member, receiver))
                    .collect();
                self.arena.union(&members)
            }
            _ => self.arena.substitute_this(ty, receiver),
        }
    }

    /// Replaces `this` types in the type of a local or parameter by the type it is declared in.
    pub fn with_own_this(&self, ty: Ty, decl: DeclRef) -> Ty {
        if !self.has_this(ty) {
            return ty;
        }
        match self.enclosing_type(decl) {
            Some(class) => self.with_this(ty, self.own_instance(class)),
            None => ty,
        }
    }

    fn has_this(&self, ty: Ty) -> bool {
        match self.get(ty) {
            Type::Simple(Ty::THIS) | Type::Indexed(Ty::THIS, _) => true,
            Type::Union(args) => {
                let members = self.arena.list(args);
                members.iter().any(|member| self.has_this(*member))
            }
            _ => false,
        }
    }

    /// Returns the class or interface around a declaration.
    fn enclosing_type(&self, decl: DeclRef) -> Option<DeclRef> {
        let facts = self.facts(decl.file);
        let mut scope = facts.decl(decl.decl).scope;
        while !scope.is_none() {
            let Scope { owner, parent, .. } = *facts.scope(scope);
            if let Some(owner) = owner.some()
                && matches!(
                    facts.decl(owner).kind,
                    DeclKind::Class | DeclKind::Interface
                )
            {
                return Some(at(decl.file, owner));
            }
            scope = parent;
        }
        None
    }

    pub fn has_external_base(&self, ty: Ty) -> bool {
        let Type::Instance(decl, _) = self.get(ty) else {
            return false;
        };
        (0..self.decl(decl).bases.len()).any(|index| {
            let base = self.base_type(decl, index);
            !matches!(self.get(base), Type::Instance(..))
        })
    }

    /// Reports whether a type is an instance of a class or of one derived from it.
    pub fn is_derived(&self, ty: Ty, from: Ty) -> Option<bool> {
        match (self.get(ty), self.get(from)) {
            (Type::Instance(..), Type::Instance(decl, _)) => {
                Some(self.as_instance_of(ty, decl, 0).is_some())
            }
            _ => self.extends(ty, from, &mut Vec::new()),
        }
    }

    /// Returns the type arguments of the supertype of `ty` that is an instance of `target`.
    pub fn as_instance_of(&self, ty: Ty, target: DeclRef, level: u32) -> Option<Args> {
        let Type::Instance(decl, args) = self.get(ty) else {
            return None;
        };
        if decl == target {
            return Some(args);
        }
        if level > 8 {
            return None;
        }

        let (group, types) = (self.merged_symbol(decl), self.arena.list(args));
        self.find_in_bases(&group, &types, |base| {
            let parts = self.arena.members(base);
            parts
                .iter()
                .find_map(|part| self.as_instance_of(*part, target, level + 1))
        })
    }

    /// Searches the bases in all declarations of an instance's type, each base once.
    pub fn find_in_bases<T>(
        &self,
        group: &[DeclRef],
        types: &[Ty],
        find: impl FnMut(Ty) -> Option<T>,
    ) -> Option<T> {
        self.find_in_bases_of(group, types, |_| true, find)
    }

    /// Searches the bases whose members are inherited: a class does not inherit those of the
    /// interfaces that it implements.
    pub fn find_in_inherited<T>(
        &self,
        group: &[DeclRef],
        types: &[Ty],
        find: impl FnMut(Ty) -> Option<T>,
    ) -> Option<T> {
        let is_inherited = |clause| clause != BaseClause::Implements;
        self.find_in_bases_of(group, types, is_inherited, find)
    }

    fn find_in_bases_of<T>(
        &self,
        group: &[DeclRef],
        types: &[Ty],
        counts: impl Fn(BaseClause) -> bool,
        mut find: impl FnMut(Ty) -> Option<T>,
    ) -> Option<T> {
        let mut seen: SmallVec<[Ty; 4]> = SmallVec::new();
        for &part in group {
            let facts = self.facts(part.file);
            let bases = facts.list(facts.decl(part.decl).bases);
            for (index, base) in bases.iter().enumerate() {
                if !counts(base.clause) {
                    continue;
                }
                let mut base = self.base_type(part, index);
                if !base.is_opaque() {
                    let mapper = self.bind(part, types);
                    base = self.substitute(base, mapper);
                }
                if seen.contains(&base) {
                    continue;
                }
                seen.push(base);
                if let Some(found) = find(base) {
                    return Some(found);
                }
            }
        }

        None
    }

    /// Returns the type of `this` in a class, applied to its own type parameters.
    pub fn own_instance(&self, decl: DeclRef) -> Ty {
        let params: Vec<Ty> = self
            .type_params(decl)
            .into_iter()
            .map(|param| self.arena.add(Type::Param(param)))
            .collect();
        self.instance(decl, &params)
    }

    /// Returns the instance type of the base class.
    pub fn type_of_super(&self, file: FileId, decl: DeclId) -> Ty {
        let Some(decl) = decl.some() else {
            return Ty::UNKNOWN;
        };
        let decl = at(file, decl);
        let facts = self.facts(file);
        let position = facts
            .list(facts.decl(decl.decl).bases)
            .iter()
            .position(|base| base.clause == BaseClause::Extends);
        position.map_or(Ty::UNKNOWN, |index| self.base_type(decl, index))
    }

    /// Returns the first type argument of the built-in type that a class derives from.
    pub fn as_built_in(&self, ty: Ty, known: BuiltinType, level: u32) -> Option<Ty> {
        match self.get(ty) {
            Type::BuiltIn(found, args) if found.is_a(known) => {
                self.arena.list(args).first().copied()
            }
            Type::Instance(decl, args) if level < 6 => {
                let (group, types) = (self.merged_symbol(decl), self.arena.list(args));
                self.find_in_bases(&group, &types, |base| {
                    self.as_built_in(base, known, level + 1)
                })
            }
            _ => None,
        }
    }
}
