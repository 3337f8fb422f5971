//! Keys of a type: the names of its members, as `keyof` and member-by-member comparison need them.
//!
//! Limitations: at most [`MAX_KEYS`] keys, eight levels deep. Types of libraries have no key list,
//! because only some of their members are loaded.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, ExprRef};
use codeagent_model::facts::*;
use rustc_hash::FxHashSet;

use crate::resolve::arena::{Args, Ty, Type};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::provided_keys::PIECES;
use crate::resolve::symbols::scopes::{LookupPosition, Meaning};
use crate::resolve::types::members::MemberLookup;

/// Largest number of keys that are listed.
const MAX_KEYS: usize = 512;

impl Checker<'_> {
    /// Returns the literal types in a `keyof` type or union of keys; `None` if they cannot be
    /// listed.
    pub fn keys_of(&self, ty: Ty) -> Option<Vec<Ty>> {
        match self.get(ty) {
            Type::KeyOf(object) => {
                let mut names = self.key_names(object)?;
                if self.is_of_class(object) {
                    names.retain(|name| !self.is_hidden_member(object, *name));
                }
                if matches!(self.get(object), Type::Static(_)) {
                    names.push(self.tables.find("prototype"));
                }
                let mut keys = Vec::with_capacity(names.len());
                for name in names {
                    self.add_keys_named(object, name, &mut keys);
                }
                Some(keys)
            }
            Type::Intersection(args) => {
                let members = self.arena.list(args);

                let mut keys: Option<Vec<Ty>> = None;
                for member in members.iter() {
                    let own = self.keys_of(*member)?;
                    keys = Some(match keys {
                        Some(keys) => keys.into_iter().filter(|key| own.contains(key)).collect(),
                        None => own,
                    });
                }

                keys
            }
            Type::Union(args) if self.arena.is_full(args) => None,
            Type::Union(args) => {
                let mut keys = Vec::new();
                for member in self.arena.list(args).iter() {
                    keys.extend(self.keys_of(*member)?);
                }
                Some(keys)
            }
            Type::Literal(..) => Some(vec![ty]),
            Type::Simple(Ty::NOTHING) => Some(Vec::new()),
            _ => None,
        }
    }

    /// Returns the name of the members that are declared as `[KEY]` for `a[KEY]`, if `KEY` is a
    /// symbol or a literal type.
    pub fn computed_key(&self, key: ExprRef) -> Option<Name> {
        let facts = self.facts(key.file);
        let text = match facts.expr(key.expr) {
            Expr::Name(sym, ..) => facts.text(sym).to_owned(),
            Expr::Member(object, sym) => match facts.expr(object) {
                Expr::Name(object, ..) => format!("{}.{}", facts.text(object), facts.text(sym)),
                _ => return None,
            },
            _ => return None,
        };
        let ty = self.type_of_expr(key);
        if ty != Ty::SYMBOL && !matches!(self.get(ty), Type::Literal(LiteralKind::String, _)) {
            return None;
        }

        let member = format!("[{text}]");
        let name = self.tables.find(&member);
        if name == Name::NONE {
            self.record_text_lookup(PIECES, &member);
            return None;
        }
        Some(name)
    }

    /// Adds the key of a member, or for `[name]` the values of the constants that each of its
    /// declarations names.
    fn add_keys_named(&self, object: Ty, name: Name, keys: &mut Vec<Ty>) {
        let constant = self
            .spelling(name)
            .strip_prefix('[')
            .and_then(|inner| inner.strip_suffix(']'))
            .map(|inner| self.tables.find(inner))
            .filter(|constant| *constant != Name::NONE);
        if let Some(constant) = constant
            && let MemberLookup::Declared(member) = self.lookup_member(object, name)
        {
            let values = member
                .decls
                .iter()
                .map(|decl| self.value_named(*decl, constant));
            keys.extend(values.filter(|value| matches!(self.get(*value), Type::Literal(..))));
        }

        keys.push(self.arena.add(Type::Literal(LiteralKind::String, name)));
    }

    /// Returns the type of the value that a name means where a member is declared.
    fn value_named(&self, member: DeclRef, name: Name) -> Ty {
        let position = LookupPosition {
            file: member.file,
            scope: self.decl(member).scope,
            offset: u32::MAX,
        };
        let found = self.lookup_value(position, name, Meaning::Value);
        self.type_of_decls(&found)
    }

    fn is_of_class(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Instance(decl, _) | Type::Static(decl) if self.decl(decl).kind == DeclKind::Class)
    }

    /// Reports whether a member is private or protected.
    fn is_hidden_member(&self, object: Ty, name: Name) -> bool {
        matches!(self.lookup_member(object, name), MemberLookup::Declared(member)
            if member.decls.iter().any(|decl| self.is_hidden(*decl)))
    }

    /// Returns the names of the members of a type; `None` if they cannot be listed.
    pub fn key_names(&self, ty: Ty) -> Option<Vec<Name>> {
        let mut names = Vec::new();
        self.add_key_names(ty, &mut names, 0)?;
        let mut seen = FxHashSet::default();
        names.retain(|name| seen.insert(*name));
        Some(names)
    }

    /// Reports whether the members of a type are those that have names, and all of them are known: no
    /// index signature, no unknown base.
    pub fn has_only_named_members(&self, ty: Ty, level: u32) -> bool {
        let has_index = |decl: DeclRef| {
            !self
                .nameless_members(decl, DeclKind::IndexSignature)
                .is_empty()
        };
        if level > 8 {
            return false;
        }

        match self.get(ty) {
            Type::Object(decl, _) => !has_index(decl) && self.key_names(ty).is_some(),
            Type::Instance(decl, _) => {
                let is_named = |part: &DeclRef| {
                    let mut bases = 0..self.decl(*part).bases.len();
                    !has_index(*part)
                        && bases.all(|index| {
                            let base = self.base_type(*part, index);
                            self.has_only_named_members(base, level + 1)
                        })
                };
                self.key_names(ty).is_some() && self.merged_symbol(decl).iter().all(is_named)
            }
            Type::Intersection(args) => self
                .arena
                .list(args)
                .iter()
                .all(|member| self.has_only_named_members(*member, level + 1)),
            Type::Mapped(decl, mapper) => {
                let params = self.type_params(decl);
                let Some(&param) = params.first() else {
                    return false;
                };
                let keys = self.substitute(self.constraint(param), mapper);
                match self.get(keys) {
                    Type::KeyOf(object) => self.has_only_named_members(object, level + 1),
                    _ => self.keys_of(keys).is_some(),
                }
            }
            _ => false,
        }
    }

    pub fn add_key_names(&self, ty: Ty, names: &mut Vec<Name>, level: u32) -> Option<()> {
        if level > 8 || names.len() > MAX_KEYS {
            return None;
        }

        match self.get(ty) {
            Type::Object(decl, mapper) => {
                self.add_own_names(decl, false, names);
                for spread in self.nameless_members(decl, DeclKind::Property) {
                    let spread = self.type_of_spread(spread);
                    let spread = self.substitute(spread, mapper);
                    self.add_key_names(spread, names, level + 1)?;
                }
                Some(())
            }
            Type::Instance(decl, _) => self.add_instance_keys(decl, names, level),
            Type::Static(decl) if self.decl(decl).kind == DeclKind::Class => {
                self.add_own_names(decl, true, names);
                match self.static_base(decl) {
                    Some(base) => self.add_key_names(base, names, level + 1),
                    None => Some(()),
                }
            }
            Type::Intersection(args) => {
                for &member in self.arena.list(args).iter() {
                    self.add_key_names(member, names, level + 1)?;
                }
                Some(())
            }
            Type::Union(args) => self.add_common_keys(args, names, level),
            Type::Mapped(decl, mapper) => {
                let &param = self.type_params(decl).first()?;
                let keys = self.constraint(param);
                let keys = self.listed_keys(self.substitute(keys, mapper));
                for key in self.keys_of(keys)? {
                    let mapper = self.with_binding(mapper, param, key);
                    let renamed = self.renamed_key(decl, key, mapper);
                    for name in self.keys_of(renamed)? {
                        if let Type::Literal(_, name) = self.get(name) {
                            names.push(name);
                        }
                    }
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Adds the keys of a class or interface: its own and those of its bases.
    fn add_instance_keys(&self, decl: DeclRef, names: &mut Vec<Name>, level: u32) -> Option<()> {
        for &part in self.merged_symbol(decl).iter() {
            if self.tables.is_of_library(part.file) {
                return None;
            }
            self.add_own_names(part, false, names);

            let is_class = self.decl(part).kind == DeclKind::Class;
            let facts = self.facts(part.file);
            for (index, base) in facts.list(facts.decl(part.decl).bases).iter().enumerate() {
                if is_class && base.clause == BaseClause::Implements {
                    continue;
                }
                let base = self.base_type(part, index);
                self.add_key_names(base, names, level + 1)?;
            }
        }

        Some(())
    }

    /// Adds the keys that all members of a union have.
    fn add_common_keys(&self, args: Args, names: &mut Vec<Name>, level: u32) -> Option<()> {
        let mut common: Option<Vec<Name>> = None;
        for &member in self.arena.list(args).iter() {
            let mut own = Vec::new();
            self.add_key_names(member, &mut own, level + 1)?;
            common = Some(match common {
                Some(common) => common
                    .into_iter()
                    .filter(|name| own.contains(name))
                    .collect(),
                None => own,
            });
        }
        names.extend(common.unwrap_or_default());

        Some(())
    }
}
