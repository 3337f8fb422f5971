//! The type of a declaration as a value: from its annotation, else from its initialiser or the
//! results of its body.
//!
//! The type of an unannotated declaration is that of an expression: the only query that `types`
//! sends to `expressions`.
//!
//! Limitations: a variable has one type, regardless of later assignments. A getter's type is that
//! of its first `return`s.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type, TypeMapper};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::queries::Query;
use crate::resolve::symbols::at;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::DeclList;

/// Largest number of returned or listed expressions that are typed.
pub const MAX_BRANCHES: usize = 8;

impl Checker<'_> {
    /// Returns the type of a merged symbol as a value.
    pub fn type_of_decls(&self, decls: &DeclList) -> Ty {
        use DeclKind as K;
        let rank = |kind: K| match kind {
            K::Interface | K::TypeAlias | K::TypeParam => 3,
            K::Setter => 2,
            K::Namespace => 1,
            _ => 0,
        };
        let best = decls
            .iter()
            .copied()
            .min_by_key(|decl| rank(self.decl(*decl).kind));
        best.map_or(Ty::UNKNOWN, |decl| self.type_of_decl(decl))
    }

    /// Returns the type of a declaration as a value.
    pub fn type_of_decl(&self, decl: DeclRef) -> Ty {
        self.memoized(Query::Decl(decl), || self.compute_type_of_decl(decl))
    }

    fn compute_type_of_decl(&self, decl: DeclRef) -> Ty {
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
            | K::Constructor => self.arena.add(Type::Function(decl, TypeMapper::EMPTY)),
            K::Class | K::Enum | K::Namespace => self.arena.add(Type::Static(decl)),
            K::EnumMember => match self.facts(decl.file).scope(declaration.scope).owner.some() {
                Some(owner) => self.instance(at(decl.file, owner), &[]),
                None => Ty::UNKNOWN,
            },
            K::Import => self.import_value(decl),
            K::Getter => self.type_of_return(decl),
            K::Setter => self
                .params(decl)
                .first()
                .copied()
                .map_or(Ty::UNKNOWN, |param| self.type_of_decl(param)),
            K::Variable
            | K::Parameter
            | K::Property
            | K::Narrow
            | K::DefaultExport
            | K::IndexSignature => self.held_type(decl, declaration),
            _ => Ty::UNKNOWN,
        }
    }

    fn held_type(&self, decl: DeclRef, declaration: &Declaration) -> Ty {
        if !declaration.ty.is_none() {
            let ty = self.type_of(decl.file, declaration.ty);
            return match declaration.kind {
                DeclKind::Variable | DeclKind::Parameter => self.with_own_this(ty, decl),
                _ => ty,
            };
        }

        let ty = self.type_of_expr(decl.file.expr(declaration.init));
        let keeps_literal = declaration.flags.has(DeclFlags::CONST)
            || declaration.flags.has(DeclFlags::READONLY)
            || declaration.kind == DeclKind::Narrow;
        if keeps_literal {
            ty
        } else {
            self.arena.widen(ty)
        }
    }

    fn import_value(&self, decl: DeclRef) -> Ty {
        let found = self.resolve_decls(DeclList::from_slice(&[decl]));
        self.found_type(&found)
    }

    /// Returns the type of a resolved name as a value.
    pub fn found_type(&self, found: &ResolvedName) -> Ty {
        match found {
            ResolvedName::Decls(decls) => self.type_of_decls(decls),
            ResolvedName::Module(file) => self.type_of_module(*file),
            ResolvedName::Ambient(block) => self.arena.add(Type::Ambient(*block)),
            ResolvedName::External => Ty::EXTERNAL,
            ResolvedName::Nothing => Ty::UNKNOWN,
        }
    }

    /// Returns the type of the value that a file's `export =` exports.
    pub fn whole_type(&self, file: FileId) -> Ty {
        self.assigned_expr(file)
            .map_or(Ty::UNKNOWN, |value| self.type_of_expr(file.expr(value)))
    }

    /// Returns a member of the value that a file's `export =` exports, looked up in its type.
    pub fn lookup_exported_member(&self, file: FileId, name: Name) -> ResolvedName {
        let ty = self.whole_type(file);
        self.lookup_member(ty, name).into_found()
    }

    /// Returns the type of a module as a value: the value it exports as a whole, with its named
    /// exports as members.
    pub fn type_of_module(&self, file: FileId) -> Ty {
        let module = self.arena.add(Type::Module(file));
        let value = self.whole_type(file);
        if value.is_opaque() || matches!(self.get(value), Type::Object(..)) {
            module
        } else {
            self.arena.intersection(&[value, module])
        }
    }

    /// Returns the return type of a function: as annotated, else the union of the returned types.
    pub fn type_of_return(&self, decl: DeclRef) -> Ty {
        if let Some(known) = self.memo_hit(Query::Return(decl)) {
            return known;
        }
        let declaration = self.decl(decl);
        if !declaration.ty.is_none() {
            return self.type_of(decl.file, declaration.ty);
        }
        self.memoized(Query::Return(decl), || self.infer_return(decl, declaration))
    }

    fn infer_return(&self, decl: DeclRef, declaration: &Declaration) -> Ty {
        let facts = self.facts(decl.file);
        self.record_body(decl);

        let (mut types, mut returned) = (Vec::new(), Vec::new());
        let is_of_instance = matches!(declaration.kind, DeclKind::Method | DeclKind::Getter)
            && !declaration.flags.has(DeclFlags::STATIC);

        for &value in facts.list(declaration.returns) {
            if let Expr::Return(value) = facts.expr(value) {
                if returned.len() < MAX_BRANCHES {
                    returned.push(self.type_of_expr(decl.file.expr(value)));
                }
                continue;
            }
            if types.len() == MAX_BRANCHES {
                continue;
            }
            let is_this =
                is_of_instance && matches!(facts.expr(value), Expr::This(_) | Expr::ThisAt(..));
            types.push(if is_this {
                Ty::THIS
            } else {
                self.type_of_expr(decl.file.expr(value))
            });
        }

        let is_async = declaration.flags.has(DeclFlags::ASYNC);

        if types.is_empty() && !declaration.flags.has(DeclFlags::HAS_BODY) {
            return Ty::UNKNOWN;
        }

        let mut ty = if types.is_empty() {
            Ty::NOTHING
        } else {
            self.arena.union(&types)
        };

        // A single literal type is widened; several are not.
        if matches!(self.get(ty), Type::Literal(..)) {
            ty = self.arena.widen(ty);
        }

        if declaration.flags.has(DeclFlags::GENERATOR) {
            let iterable = if is_async {
                BuiltinType::AsyncIterable
            } else {
                BuiltinType::Iterable
            };
            let mut args = vec![ty];
            if !returned.is_empty() {
                args.push(self.arena.widen(self.arena.union(&returned)));
            }
            return self.arena.built_in(iterable, &args);
        }

        match is_async {
            true => {
                let ty = self.awaited(ty);
                self.arena.built_in(BuiltinType::Promise, &[ty])
            }
            false => ty,
        }
    }
}
