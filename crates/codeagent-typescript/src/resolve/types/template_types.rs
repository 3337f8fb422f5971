//! Template literal types (`` `get${Capitalize<K>}` ``) and the keys that a mapped type renames with
//! them (`{ [K in keyof T as ..]: T[K] }`).
//!
//! A template is the union of the texts that its parts make. It is a string if a part is not a union
//! of literal types.
//!
//! Limitations: a text that no file spells is left out, because no use can name it.

use codeagent_lang::DeclRef;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::*;

use crate::resolve::arena::{Args, LITERAL_LIMIT, Ty, Type, TypeMapper, Utility};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::provided_keys::PIECES;
use crate::resolve::types::assignability::Inferred;
use crate::resolve::types::members::MemberLookup;

impl Utility {
    /// Reports whether it makes texts of texts.
    pub fn makes_texts(self) -> bool {
        matches!(
            self,
            Self::Template
                | Self::Uppercase
                | Self::Lowercase
                | Self::Capitalize
                | Self::Uncapitalize
        )
    }

    /// Returns a text in the case that it asks for.
    fn applied(self, text: String) -> String {
        let mut rest = text.chars();
        match self {
            Self::Uppercase => text.to_uppercase(),
            Self::Lowercase => text.to_lowercase(),
            Self::Capitalize => rest
                .next()
                .map(|first| first.to_uppercase().chain(rest).collect())
                .unwrap_or_default(),
            Self::Uncapitalize => rest
                .next()
                .map(|first| first.to_lowercase().chain(rest).collect())
                .unwrap_or_default(),
            _ => text,
        }
    }
}

impl Checker<'_> {
    /// Returns the texts that a utility type makes of its arguments, which have no type parameters.
    pub fn made_texts(&self, utility: Utility, args: &[Ty]) -> Ty {
        let mut texts = vec![String::new()];
        for &arg in args {
            let Some(parts) = self.texts_of(arg) else {
                return Ty::STRING;
            };
            if texts.len() * parts.len() > LITERAL_LIMIT {
                return Ty::STRING;
            }
            let longer = |text: &String| -> Vec<String> {
                parts.iter().map(|part| format!("{text}{part}")).collect()
            };
            texts = texts.iter().flat_map(longer).collect();
        }

        if texts.is_empty() {
            return Ty::NOTHING;
        }
        let spelled: Vec<Ty> = texts
            .into_iter()
            .map(|text| self.text_literal(&utility.applied(text)))
            .filter(|ty| *ty != Ty::STRING)
            .collect();
        if spelled.is_empty() {
            Ty::STRING
        } else {
            self.arena.union(&spelled)
        }
    }

    /// Returns the texts of literal types; `None` if a type has others.
    fn texts_of(&self, ty: Ty) -> Option<Vec<String>> {
        match self.get(ty) {
            Type::Literal(LiteralKind::String | LiteralKind::Number, name) => {
                Some(vec![self.spelling(name).to_owned()])
            }
            Type::Simple(Ty::NOTHING) => Some(Vec::new()),

            Type::KeyOf(_) => {
                let keys = self.keys_of(ty)?;
                Some(
                    keys.iter()
                        .filter_map(|key| self.texts_of(*key))
                        .flatten()
                        .collect(),
                )
            }
            Type::Union(args) if !self.arena.is_full(args) => {
                let members = self.arena.list(args);
                let texts: Option<Vec<_>> = members.iter().map(|ty| self.texts_of(*ty)).collect();
                Some(texts?.into_iter().flatten().collect())
            }

            // `string & K`
            Type::Intersection(args) => {
                let members = self.arena.list(args);
                members.iter().find_map(|ty| self.texts_of(*ty))
            }
            _ => None,
        }
    }

    /// Returns the literal type of a text, or `string` if no file spells it.
    fn text_literal(&self, text: &str) -> Ty {
        let name = self.tables.find(text);
        if name == Name::NONE {
            self.record_text_lookup(PIECES, text);
            return Ty::STRING;
        }
        self.arena.add(Type::Literal(LiteralKind::String, name))
    }

    /// Compares a text with a template that has type parameters, part by part.
    pub fn text_extends(&self, text: Name, parts: Args, inferred: &mut Inferred) -> Option<bool> {
        let Some(taken) = self.taken_by_parts(text, parts) else {
            return Some(false);
        };
        let pairs = taken.into_iter().map(|(part, text)| (text, part));
        self.all_extend(pairs, inferred)
    }

    /// Returns the text that each part of a template takes of a text; `None` if it does not fit. As
    /// in the compiler, a part ends where the literal text after it begins, or after one character.
    pub fn taken_by_parts(&self, text: Name, parts: Args) -> Option<Vec<(Ty, Ty)>> {
        let (mut between, mut open) = (vec![String::new()], Vec::new());
        for &part in self.arena.list(parts).iter() {
            match self.get(part) {
                Type::Literal(_, name) => between.last_mut()?.push_str(self.spelling(name)),
                _ => {
                    open.push(part);
                    between.push(String::new());
                }
            }
        }

        let last = between.pop()?;
        let rest = self.spelling(text).strip_suffix(last.as_str())?;
        let mut rest = match between.first() {
            Some(first) => rest.strip_prefix(first.as_str())?,
            None => return rest.is_empty().then(Vec::new),
        };
        let mut taken = Vec::with_capacity(open.len());
        for (index, part) in open.iter().enumerate() {
            let end = match between.get(index + 1) {
                None => rest.len(),
                Some(next) if next.is_empty() => rest.chars().next()?.len_utf8(),
                Some(next) => rest.find(next.as_str())?,
            };
            taken.push((*part, self.text_literal(&rest[..end])));
            rest = &rest[end + between.get(index + 1).map_or(0, String::len)..];
        }
        Some(taken)
    }

    /// Returns what a key of a mapped type becomes, under a mapper that binds it.
    pub fn renamed_key(&self, mapped: DeclRef, key: Ty, mapper: TypeMapper) -> Ty {
        if self.decl(mapped).bases.is_empty() {
            return key;
        }
        let renamed = self.base_type(mapped, 0);
        self.substitute(renamed, mapper)
    }

    /// Looks up a member of a mapped type by the names that its keys become. `None` if it keeps its
    /// name, or these are not all known.
    pub fn lookup_renamed_member(
        &self,
        (mapped, mapper): (DeclRef, TypeMapper),
        (param, keys): (DeclRef, Ty),
        name: Name,
    ) -> Option<MemberLookup> {
        if self.decl(mapped).bases.is_empty() {
            return None;
        }

        let wanted = self.arena.add(Type::Literal(LiteralKind::String, name));
        let mut are_known = true;
        for key in self.keys_of(keys)? {
            let mapper = self.with_binding(mapper, param, key);
            let renamed = self.renamed_key(mapped, key, mapper);
            let names = self.arena.members(renamed);
            if names.contains(&wanted) {
                return (key != wanted).then(|| {
                    let value = self.type_of(mapped.file, self.decl(mapped).ty);
                    MemberLookup::Value(self.substitute(value, mapper))
                });
            }
            let is_name = |ty: &Ty| matches!(self.get(*ty), Type::Literal(..));
            are_known &= renamed == Ty::NOTHING || names.iter().all(is_name);
        }
        are_known.then_some(MemberLookup::Missing)
    }

    /// Adds a binding to a mapper.
    pub fn with_binding(&self, mapper: TypeMapper, param: DeclRef, ty: Ty) -> TypeMapper {
        let mut bindings = vec![(param, ty)];
        bindings.extend(self.arena.bindings(mapper).iter().copied());
        self.arena.mapper(bindings)
    }
}
