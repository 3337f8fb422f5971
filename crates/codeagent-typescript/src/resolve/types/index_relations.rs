//! Assignability to index signatures for strings and to `Record<K, V>`.
//!
//! A class or interface must declare such a signature itself; for an object type or literal, every
//! member is compared.
//!
//! Limitations: signatures for numbers, symbols and patterns are not compared.

use codeagent_lang::DeclRef;
use codeagent_model::facts::*;

use crate::resolve::arena::{Args, Ty, Type};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::types::assignability::{Inferred, MAX_MEMBERS};
use crate::resolve::types::members::MemberLookup;

/// An index signature: its declaration and the type of its values.
type Index = (DeclRef, Ty);

impl Checker<'_> {
    /// Compares a type with the index signature of another; `Some(true)` if that has none.
    pub fn index_extends(&self, sub: Ty, sup: Ty, inferred: &mut Inferred) -> Option<bool> {
        let Some((signature, wanted)) = self.string_index(sup) else {
            return Some(true);
        };
        if let Some((_, given)) = self.string_index(sub) {
            return self.nested_extends(given, wanted, inferred);
        }

        match self.get(sub) {
            // A signature of type `any` takes every object.
            Type::Instance(..) if self.is_any(signature) => Some(true),
            Type::Instance(..) if self.has_external_base(sub) => None,
            Type::Instance(..) => Some(false),
            Type::Object(..) => self.members_extend(sub, wanted, inferred),
            _ => Some(true),
        }
    }

    /// Whether each member of an object type has a type.
    pub fn members_extend(&self, sub: Ty, wanted: Ty, inferred: &mut Inferred) -> Option<bool> {
        let names = self.key_names(sub)?;
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

    /// Reports whether a type has an index signature for strings, which provides no property.
    pub fn has_string_keys(&self, ty: Ty) -> bool {
        match self.get(ty) {
            Type::BuiltIn(BuiltinType::Record, args) => {
                self.arena.list(args).first() == Some(&Ty::STRING)
            }
            _ => self.string_index(ty).is_some(),
        }
    }

    /// Returns the index signature for strings that an interface, class or object type declares.
    fn string_index(&self, ty: Ty) -> Option<Index> {
        let (group, mapper) = match self.get(ty) {
            Type::Object(decl, mapper) => (vec![decl], mapper),
            Type::Instance(decl, args) => {
                let types = self.arena.list(args);
                (self.merged_symbol(decl).to_vec(), self.bind(decl, &types))
            }
            _ => return None,
        };
        let mut signatures = group
            .into_iter()
            .flat_map(|part| self.nameless_members(part, DeclKind::IndexSignature));
        let signature = signatures.find(|signature| self.indexes_strings(*signature))?;
        let ty = self.type_of_decl(signature);

        Some((signature, self.substitute(ty, mapper)))
    }

    fn indexes_strings(&self, signature: DeclRef) -> bool {
        let facts = self.facts(signature.file);
        let key = facts.list(facts.decl(signature.decl).params).first();
        key.is_some_and(|key| {
            let key = facts.decl(*key).ty;
            matches!(facts.type_expr(key), TypeExpr::Primitive(word) if facts.text(word) == "string")
        })
    }

    fn is_any(&self, signature: DeclRef) -> bool {
        let facts = self.facts(signature.file);
        let ty = facts.decl(signature.decl).ty;
        matches!(facts.type_expr(ty), TypeExpr::Primitive(word) if facts.text(word) == "any")
    }
}
