//! The names of assertion functions: a statement `f(x)` narrows only if some function of that name
//! asserts something.
//!
//! Limitations: a function asserts by the type that is written for it, not by an alias of that type.
//! Those of libraries count if the library is read as a whole.

use codeagent_lang::query::names::Name;
use codeagent_lang::world::{FileId, WorldFile};
use codeagent_model::facts::{Declaration, Facts, Sym, TypeExpr, TypeId};

use super::tables::Tables;

/// Returns the names of the functions of a file that assert something.
pub fn asserting(facts: &Facts) -> impl Iterator<Item = Sym> + '_ {
    let asserts =
        |ty: TypeId| !ty.is_none() && matches!(facts.type_expr(ty), TypeExpr::Predicate(.., true));
    let is_assertion = move |decl: &Declaration| {
        !decl.ty.is_none()
            && match facts.type_expr(decl.ty) {
                TypeExpr::Function(function) => asserts(facts.decl(function).ty),
                _ => asserts(decl.ty),
            }
    };
    facts
        .decl_ids()
        .map(|id| facts.decl(id))
        .filter(move |decl| !decl.name.is_none() && is_assertion(decl))
        .map(|decl| decl.name)
}

impl Tables {
    /// Adds the names of a file's assertion functions, in the place of those it had.
    pub(super) fn add_asserting(&mut self, file: FileId, now: &WorldFile) {
        self.asserting.retain(|entry| entry.1 != file);
        let own: Vec<(Name, FileId)> = asserting(&now.facts)
            .map(|name| (self.name(file, name), file))
            .collect();
        self.asserting.extend(own);
        self.asserting.sort_unstable();
    }

    /// Reports whether some function of a name asserts something.
    pub fn is_asserting(&self, name: Name) -> bool {
        let first = self.asserting.partition_point(|entry| entry.0 < name);
        self.asserting
            .get(first)
            .is_some_and(|entry| entry.0 == name)
    }
}
