//! Members of primitive and built-in types, declared by a library, the repository, or known by
//! name.
//!
//! Limitations: without loaded libraries, an undeclared member of a built-in type is external.

use codeagent_lang::query::names::Name;

use crate::resolve::arena::{Args, Ty, Type};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::{BUILTIN_MEMBERS, BuiltinResult, BuiltinType, row};
use crate::resolve::symbols::scopes::{DeclList, Meaning};
use crate::resolve::types::members::{Member, MemberLookup, MemberType};

impl Checker<'_> {
    pub fn lookup_member_of_simple(&self, simple: Ty, name: Name) -> MemberLookup {
        let known = match simple {
            Ty::EXTERNAL => return MemberLookup::External,
            Ty::STRING => BuiltinType::Text,
            Ty::NUMBER => BuiltinType::Number,
            Ty::BOOLEAN => BuiltinType::Boolean,
            Ty::SYMBOL | Ty::BIGINT => {
                let interface = if simple == Ty::SYMBOL {
                    "Symbol"
                } else {
                    "BigInt"
                };

                return self
                    .lookup_member_of_globals(&[interface], Args::NONE, false, name)
                    .map_or(MemberLookup::External, MemberLookup::Declared);
            }
            Ty::FOREIGN_GENERIC => return MemberLookup::Value(Ty::UNKNOWN),
            _ => return MemberLookup::Missing,
        };

        self.lookup_member_of_built_in((known, Args::NONE), simple, name)
    }

    pub fn lookup_member_of_built_in(
        &self,
        (known, args): (BuiltinType, Args),
        receiver: Ty,
        name: Name,
    ) -> MemberLookup {
        let is_static = matches!(self.get(receiver), Type::BuiltInValue(_));
        if known == BuiltinType::Record && !is_static {
            let value = self.arena.list(args).get(1).copied().unwrap_or(Ty::UNKNOWN);
            return if self.is_object_member(name) {
                MemberLookup::External
            } else {
                MemberLookup::Value(value)
            };
        }

        if !is_static && let Some(index) = row(known, self.spelling(name)) {
            return MemberLookup::Value(self.arena.add(Type::BuiltInMethod(index, receiver)));
        }

        self.lookup_member_of_globals(known.names(), args, is_static, name)
            .map_or(MemberLookup::External, MemberLookup::Declared)
    }

    /// Returns the declarations of a member listed in `BUILTIN_MEMBERS`. Functions have those of a
    /// strict program.
    pub fn declarations_of_listed(&self, row: u16, receiver: Ty) -> Option<DeclList> {
        let row = &BUILTIN_MEMBERS[usize::from(row)];
        let is_function = row.on == BuiltinType::Function
            && !matches!(self.get(receiver), Type::BuiltIn(BuiltinType::Function, _));
        let interfaces = if is_function {
            &["CallableFunction"]
        } else {
            row.on.names()
        };
        let name = self.tables.find(row.name);
        self.lookup_member_of_globals(interfaces, Args::NONE, false, name)
            .map(|member| member.decls)
    }

    /// Returns the type of a member listed in `BUILTIN_MEMBERS`.
    pub fn given(&self, row: u16, receiver: Ty) -> Ty {
        match BUILTIN_MEMBERS[usize::from(row)].gives {
            BuiltinResult::Receiver => receiver,
            BuiltinResult::Result => self.result_of(receiver),
            BuiltinResult::Flattened => {
                let held = self.type_of_element(receiver);
                let element = self.type_of_element(held);
                let is_flat = element == Ty::UNKNOWN
                    && !held.is_opaque()
                    && !matches!(self.get(held), Type::BuiltIn(..));
                self.arena.array(if is_flat { held } else { element })
            }
        }
    }

    /// Returns a member declared by the repository or a loaded library for global types with these
    /// names.
    pub fn lookup_member_of_globals(
        &self,
        globals: &[&str],
        args: Args,
        is_static: bool,
        name: Name,
    ) -> Option<Member> {
        let args = self.arena.list(args);

        let mut decls = DeclList::new();
        for global in globals {
            let meaning = if is_static {
                Meaning::Value
            } else {
                Meaning::Type
            };
            let name = self.tables.find(global);
            decls.extend(self.lookup_global(name, meaning));
            if is_static {
                // `interface ObjectConstructor` describes the value `Object`.
                let constructor = self.tables.find(&format!("{global}Constructor"));
                decls.extend(self.lookup_global(constructor, Meaning::Type));
            }
        }

        let (mut found, mut bindings) = (DeclList::new(), Vec::new());

        // The last of several declarations of a member comes first.
        for &decl in decls.iter().rev() {
            let inner = self.decl(decl).inner;
            let own = self.own_members(decl, inner, name, false);
            if !own.is_empty() {
                bindings.extend(self.type_params(decl).into_iter().zip(args.iter().copied()));
                found.extend(own);
            }
        }

        let mapper = self.arena.mapper(bindings);
        (!found.is_empty()).then_some(Member {
            decls: found,
            mapper,
            ty: MemberType::Declared,
        })
    }
}
