//! Own members of a declaration: members by name, signatures, overloads, parameters.
//!
//! Limitations: inherited, spread and assigned members are looked up in `types`.

use codeagent_lang::DeclRef;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::*;
use codeagent_model::graph::Access;

use crate::resolve::symbols::scopes::DeclList;
use crate::resolve::symbols::{Symbols, at};

/// The members of every object.
const OBJECT_MEMBERS: [&str; 7] = [
    "toString",
    "hasOwnProperty",
    "valueOf",
    "toLocaleString",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "constructor",
];

impl Symbols<'_> {
    pub fn params(&self, decl: DeclRef) -> Vec<DeclRef> {
        let facts = self.facts(decl.file);
        facts
            .list(facts.decl(decl.decl).params)
            .iter()
            .map(|id| DeclRef {
                file: decl.file,
                decl: *id,
            })
            .collect()
    }

    pub fn type_params(&self, decl: DeclRef) -> Vec<DeclRef> {
        let facts = self.facts(decl.file);
        facts
            .list(facts.decl(decl.decl).type_params)
            .iter()
            .map(|id| DeclRef {
                file: decl.file,
                decl: *id,
            })
            .collect()
    }

    /// Returns the members declared in the scope of one declaration.
    pub fn own_members(
        &self,
        decl: DeclRef,
        inner: ScopeId,
        name: Name,
        is_static: bool,
    ) -> DeclList {
        let facts = self.facts(decl.file);
        let entries = self
            .declarations(decl.file, inner, name)
            .iter()
            .map(|entry| entry.2);

        entries
            .filter(|id| {
                let flags = facts.decl(*id).flags;
                flags.has(DeclFlags::MEMBER) && flags.has(DeclFlags::STATIC) == is_static
            })
            .map(|id| at(decl.file, id))
            .collect()
    }

    /// Returns the unnamed members: call, construct and index signatures.
    pub fn nameless_members(&self, decl: DeclRef, kind: DeclKind) -> DeclList {
        let facts = self.facts(decl.file);
        let inner = facts.decl(decl.decl).inner;
        if inner.is_none() {
            return DeclList::new();
        }
        let entries = self
            .tables
            .signatures(decl.file, inner)
            .iter()
            .map(|entry| entry.1);
        entries
            .filter(|id| facts.decl(*id).kind == kind)
            .map(|id| at(decl.file, id))
            .collect()
    }

    /// Reports whether every object has a member with this name.
    pub fn is_object_member(&self, name: Name) -> bool {
        OBJECT_MEMBERS.contains(&self.spelling(name))
    }

    /// Returns the class a member belongs to.
    pub fn class_of(&self, member: DeclRef) -> Option<DeclRef> {
        let facts = self.facts(member.file);
        let owner = facts.scope(facts.decl(member.decl).scope).owner.some()?;
        Some(at(member.file, owner))
    }

    /// Returns the declared overloads of a function; its implementation only if there are none.
    pub fn overloads(&self, decl: DeclRef) -> DeclList {
        if !matches!(
            self.decl(decl).kind,
            DeclKind::Function | DeclKind::LocalFunction | DeclKind::Method
        ) {
            return DeclList::from_slice(&[decl]);
        }

        let mut group = self.overload_group(decl);
        group.retain(|other| {
            matches!(
                self.decl(*other).kind,
                DeclKind::Function | DeclKind::LocalFunction | DeclKind::Method
            )
        });

        if group.len() > 1 {
            let bodiless: DeclList = group
                .iter()
                .copied()
                .filter(|other| !self.decl(*other).flags.has(DeclFlags::HAS_BODY))
                .collect();
            if !bodiless.is_empty() {
                return bodiless;
            }
        }

        group
    }

    /// Returns the declarations of a function or method; those of the last of merged interfaces,
    /// namespace blocks or augmentations come first.
    pub fn overload_group(&self, decl: DeclRef) -> DeclList {
        let merged = self.merged_symbol(decl);
        let declaration = self.decl(decl);
        if declaration.kind == DeclKind::Function {
            return self.later_blocks_first(&merged);
        }

        let own = merged.iter().copied().collect();
        if declaration.kind != DeclKind::Method || declaration.flags.has(DeclFlags::HAS_BODY) {
            return own;
        }
        let Some(interface) = self
            .class_of(decl)
            .filter(|owner| self.decl(*owner).kind == DeclKind::Interface)
        else {
            return own;
        };
        let parts = self.merged_symbol(interface);
        if parts.len() < 2 {
            return own;
        }

        let name = self.decl_name(decl);

        let mut all = DeclList::new();
        for &part in parts.iter().rev() {
            let inner = self.decl(part).inner;
            all.extend(self.own_members(part, inner, name, false));
        }

        all
    }

    /// Orders declarations of a function by their blocks, the last block first. The blocks of
    /// libraries are the first of a program.
    fn later_blocks_first(&self, decls: &[DeclRef]) -> DeclList {
        let block = |decl: &DeclRef| (decl.file, self.decl(*decl).scope);
        let blocks = decls.chunk_by(|a, b| block(a) == block(b));

        let mut ordered: DeclList = blocks.rev().flatten().copied().collect();
        ordered.sort_by_key(|decl| self.tables.is_of_library(decl.file));
        ordered
    }

    /// Reports whether a function type is written `new (..) => T`.
    pub fn is_constructor_type(&self, decl: DeclRef) -> bool {
        let facts = self.facts(decl.file);
        facts.decl(decl.decl).kind == DeclKind::FunctionType && facts.decl_name(decl.decl) == "new"
    }

    /// Reports whether a member is private or protected, so that only classes that inherit it have
    /// it.
    pub fn is_hidden(&self, decl: DeclRef) -> bool {
        let facts = self.facts(decl.file);
        facts.detail(decl.decl).is_some_and(|detail| {
            matches!(detail.access, Some(Access::Private | Access::Protected))
        })
    }

    /// Adds the names of a declaration's own members.
    pub fn add_own_names(&self, decl: DeclRef, is_static: bool, names: &mut Vec<Name>) {
        let inner = self.decl(decl).inner;
        if inner.is_none() {
            return;
        }
        let entries = self.declared_in(decl.file, inner);
        self.spend(entries.len());
        let facts = self.facts(decl.file);
        names.extend(entries.iter().filter_map(|&(name, id)| {
            let declaration = facts.decl(id);
            let counts = declaration.flags.has(DeclFlags::MEMBER)
                && declaration.flags.has(DeclFlags::STATIC) == is_static
                && declaration.kind != DeclKind::Constructor;
            counts.then_some(name)
        }));
    }
}
