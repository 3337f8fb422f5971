//! Names that are no nodes, with their uses: locals, parameters, type parameters and imported names.
//!
//! The index has no rows for them, because only their own file uses them; uses of an imported name
//! lead to what is imported, if that is in the index. Editors ask for them, so they are found in one
//! text when they are needed; see
//! [`LanguageSupport::local_names`](crate::LanguageSupport::local_names).

use codeagent_model::facts::{DeclId, DeclKind, Facts};
use codeagent_model::span::Position;
use rustc_hash::FxHashMap;

/// A local, parameter, type parameter or imported name of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalName {
    /// Its name.
    pub name: Box<str>,
    /// `Variable`, `Parameter` or `TypeParam`; in TypeScript also `Import`, and `Lambda` for a
    /// function expression with a name.
    pub kind: DeclKind,
    /// Position of its declaration.
    pub at: Position,
    /// Positions of its uses, in text order, without the declaration.
    pub uses: Vec<Position>,
}

/// Collects the uses of local declarations.
#[derive(Default)]
pub struct LocalUses(FxHashMap<DeclId, Vec<Position>>);

impl LocalUses {
    /// Adds a declaration that has no use yet.
    pub fn declare(&mut self, decl: DeclId) {
        self.0.entry(decl).or_default();
    }

    /// Adds a use of a declaration.
    pub fn add(&mut self, decl: DeclId, at: Position) {
        self.0.entry(decl).or_default().push(at);
    }

    /// Returns the names in the order of their declarations.
    #[must_use]
    pub fn finish(self, facts: &Facts) -> Vec<LocalName> {
        let name = |(decl, mut uses): (DeclId, Vec<Position>)| {
            let declared = facts.decl(decl);
            uses.retain(|at| *at != declared.at);
            uses.sort_unstable();
            uses.dedup();
            LocalName {
                name: facts.decl_name(decl).into(),
                kind: declared.kind,
                at: declared.at,
                uses,
            }
        };
        let mut names: Vec<LocalName> = self.0.into_iter().map(name).collect();
        names.sort_unstable_by_key(|name| name.at);
        names
    }
}
