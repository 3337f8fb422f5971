//! Assignability of a type to one that the libraries declare.
//!
//! Only some members of a library type are loaded, so such a type is never compared as a whole: a
//! type whose members are all known, and which lacks what the library type requires, is refused.
//!
//! Limitations: an empty interface of a library counts as if it required a member.

use crate::resolve::arena::{Ty, Type};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::types::members::MemberLookup;

impl Checker<'_> {
    /// Reports whether a type is not assignable to a built-in type, because it has only named
    /// members and not those of that type.
    pub fn lacks_members_of(&self, ty: Ty, known: BuiltinType) -> bool {
        if !self.has_only_named_members(ty, 0) {
            return false;
        }

        let lacks = |name: &str| {
            let name = self.tables.find(name);
            matches!(self.lookup_member(ty, name), MemberLookup::Missing)
        };
        match known {
            BuiltinType::Function => {
                self.signatures(ty).is_empty() && self.construct_signatures(ty).is_empty()
            }
            BuiltinType::Iterable => lacks("[Symbol.iterator]"),
            BuiltinType::AsyncIterable => lacks("[Symbol.asyncIterator]"),
            BuiltinType::PromiseLike => lacks("then"),
            BuiltinType::Array
            | BuiltinType::Promise
            | BuiltinType::Map
            | BuiltinType::Set
            | BuiltinType::Date
            | BuiltinType::RegExp => true,
            _ => false,
        }
    }

    /// Reports whether a type has only named members, of which a type of the libraries has none.
    pub fn shares_no_member(&self, ty: Ty, library: Ty) -> bool {
        if !self.is_declared_by_library(library)
            || self.is_declared_by_library(ty)
            || !self.has_only_named_members(ty, 0)
        {
            return false;
        }

        let Some(names) = self.key_names(ty) else {
            return false;
        };
        let mut names = names.into_iter();
        // A member of a library that some file names is loaded.
        let is_missing = |name| {
            matches!(
                self.lookup_member(library, name),
                MemberLookup::Missing | MemberLookup::External
            )
        };
        names.len() > 0 && names.all(is_missing)
    }

    /// Reports whether a library declares a type.
    pub fn is_declared_by_library(&self, ty: Ty) -> bool {
        matches!(self.get(ty), Type::Instance(decl, _) if self.tables.is_of_library(decl.file))
    }
}
