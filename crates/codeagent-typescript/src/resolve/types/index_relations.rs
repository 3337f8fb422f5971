//! Assignability to index signatures for strings and numbers, and to `Record<K, V>`.
//!
//! A class or interface must declare such a signature itself; for an object type or literal, every
//! member is compared.
//!
//! Limitations: signatures for symbols and patterns are not compared.

use codeagent_lang::DeclRef;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::*;

use crate::resolve::arena::{Args, Ty, Type};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::types::assignability::{Inferred, MAX_MEMBERS};
use crate::resolve::types::members::MemberLookup;

/// An index signature.
#[derive(Clone, Copy)]
struct Index {
    value: Ty,
    /// The values are written `any`.
    is_any: bool,
}

impl Checker<'_> {
    /// Compares a type with the index signatures of another; `Some(true)` if that has none.
    pub fn index_extends(&self, sub: Ty, sup: Ty, inferred: &mut Inferred) -> Option<bool> {
        let texts = match self.index_of(sup, Ty::STRING) {
            Some(wanted) => self.text_index_extends(sub, wanted, inferred),
            None => Some(true),
        };
        if texts != Some(true) {
            return texts;
        }
        match self.index_of(sup, Ty::NUMBER) {
            Some(wanted) => self.number_index_extends(sub, wanted.value, inferred),
            None => Some(true),
        }
    }

    fn text_index_extends(&self, sub: Ty, wanted: Index, inferred: &mut Inferred) -> Option<bool> {
        if let Some(given) = self.index_of(sub, Ty::STRING) {
            return self.nested_extends(given.value, wanted.value, inferred);
        }

        match self.get(sub) {
            // A signature of type `any` takes every object.
            Type::Instance(..) | Type::BuiltIn(..) | Type::Tuple(_) if wanted.is_any => Some(true),
            Type::Instance(..) if self.has_external_base(sub) => None,
            Type::Instance(..) | Type::BuiltIn(..) | Type::Tuple(_) | Type::Simple(_) => {
                Some(false)
            }
            Type::Object(..) => self.members_extend(sub, wanted.value, inferred),
            _ => Some(true),
        }
    }

    /// Compares with an index signature for numbers: elements of lists, and the members of an object
    /// type that have numbers for names.
    fn number_index_extends(&self, sub: Ty, wanted: Ty, inferred: &mut Inferred) -> Option<bool> {
        let index = self
            .index_of(sub, Ty::NUMBER)
            .or_else(|| self.index_of(sub, Ty::STRING));
        if let Some(given) = index {
            return self.nested_extends(given.value, wanted, inferred);
        }

        match self.get(sub) {
            Type::BuiltIn(BuiltinType::Array, _) | Type::Tuple(_) => {
                let element = self.type_of_element(sub);
                self.nested_extends(element, wanted, inferred)
            }
            Type::Simple(Ty::STRING) => self.nested_extends(Ty::STRING, wanted, inferred),
            Type::Instance(..) if self.has_external_base(sub) => None,
            Type::Instance(..) | Type::Simple(_) => Some(false),
            Type::Object(..) => {
                let names = self.key_names(sub)?.into_iter();
                let is_number = |name: &Name| {
                    let spelling = self.spelling(*name);
                    spelling.starts_with(|first: char| first.is_ascii_digit())
                };
                let numbers = names.filter(is_number);
                self.named_members_extend(sub, numbers.collect(), wanted, inferred)
            }
            _ => None,
        }
    }

    /// Whether each member of an object type has a type.
    pub fn members_extend(&self, sub: Ty, wanted: Ty, inferred: &mut Inferred) -> Option<bool> {
        let names = self.key_names(sub)?;
        self.named_members_extend(sub, names, wanted, inferred)
    }

    fn named_members_extend(
        &self,
        sub: Ty,
        names: Vec<Name>,
        wanted: Ty,
        inferred: &mut Inferred,
    ) -> Option<bool> {
        let mut unsure = false;
        for name in names {
            let given = self.type_of_member(sub, name);
            match self.nested_extends(given, wanted, inferred) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => unsure = true,
            }
        }

        if unsure { None } else { Some(true) }
    }

    /// Compares an object with `Record<K, V>`: each property must be a `V`, and those that `K`
    /// names must exist.
    pub fn record_extends(&self, sub: Ty, args: Args, inferred: &mut Inferred) -> Option<bool> {
        let args = self.arena.list(args);
        let value = args.get(1).copied().unwrap_or(Ty::UNKNOWN);
        if let Some(keys) = args.first().and_then(|keys| self.keys_of(*keys)) {
            return self.keyed_properties_extend(sub, &keys, value, inferred);
        }

        match self.get(sub) {
            Type::Object(..) | Type::Mapped(..) => {}
            // A class or interface may have further members of any type, so only `any` accepts it.
            _ => return None,
        }

        self.members_extend(sub, value, inferred)
    }

    /// Compares the properties of an object that have these names.
    fn keyed_properties_extend(
        &self,
        sub: Ty,
        keys: &[Ty],
        value: Ty,
        inferred: &mut Inferred,
    ) -> Option<bool> {
        let has_more = self.has_external_base(sub) || self.has_spread(sub);
        let mut unsure = false;
        for &key in keys.iter().take(MAX_MEMBERS) {
            let Type::Literal(_, name) = self.get(key) else {
                return None;
            };
            let given = match self.lookup_member(sub, name) {
                MemberLookup::Missing if !has_more => return Some(false),
                MemberLookup::Missing | MemberLookup::External => {
                    unsure = true;
                    continue;
                }
                MemberLookup::Value(_) if self.has_index(sub) => return Some(false),
                lookup => self.type_of_given(lookup, sub),
            };
            match self.nested_extends(given, value, inferred) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => unsure = true,
            }
        }

        if unsure { None } else { Some(true) }
    }

    /// Reports whether a type has an index signature, which provides no property.
    pub fn has_index(&self, ty: Ty) -> bool {
        let kinds = [Ty::STRING, Ty::NUMBER];
        kinds
            .into_iter()
            .any(|kind| self.index_of(ty, kind).is_some())
    }

    /// Reports whether a part of an intersection is a class or interface whose members are known:
    /// these are not compared with an index signature.
    pub fn is_of_interface(&self, parts: Args) -> bool {
        let parts = self.arena.list(parts);
        parts.iter().any(|part| {
            matches!(self.get(*part), Type::Instance(..)) && !self.has_external_base(*part)
        }) && !parts.iter().any(|part| part.is_opaque())
    }

    /// Returns the index signature for `string` or `number` that an interface, class or object type
    /// declares, or that of a `Record`.
    fn index_of(&self, ty: Ty, key: Ty) -> Option<Index> {
        let (group, mapper) = match self.get(ty) {
            Type::Object(decl, mapper) => (vec![decl], mapper),
            Type::Instance(decl, args) => {
                let types = self.arena.list(args);
                (self.merged_symbol(decl).to_vec(), self.bind(decl, &types))
            }
            Type::Intersection(parts) => {
                let parts = self.arena.list(parts);
                return parts.iter().find_map(|part| self.index_of(*part, key));
            }
            Type::BuiltIn(BuiltinType::Record, args) => {
                let args = self.arena.list(args);
                let value = *args.get(1).filter(|_| args[0] == key)?;
                let is_any = false;
                return Some(Index { value, is_any });
            }
            _ => return None,
        };
        let mut signatures = group
            .into_iter()
            .flat_map(|part| self.nameless_members(part, DeclKind::IndexSignature));
        let signature = signatures.find(|signature| self.indexes(*signature, key))?;
        let ty = self.type_of_decl(signature);

        Some(Index {
            value: self.substitute(ty, mapper),
            is_any: self.is_any(signature),
        })
    }

    fn indexes(&self, signature: DeclRef, wanted: Ty) -> bool {
        let wanted = if wanted == Ty::STRING {
            "string"
        } else {
            "number"
        };
        let facts = self.facts(signature.file);
        let key = facts.list(facts.decl(signature.decl).params).first();
        key.is_some_and(|key| {
            let key = facts.decl(*key).ty;
            matches!(facts.type_expr(key), TypeExpr::Primitive(word) if facts.text(word) == wanted)
        })
    }

    fn is_any(&self, signature: DeclRef) -> bool {
        let facts = self.facts(signature.file);
        let ty = facts.decl(signature.decl).ty;
        matches!(facts.type_expr(ty), TypeExpr::Primitive(word) if facts.text(word) == "any")
    }
}
