//! Edges to copies of a type. In a file that no project compiles, the nearest of several types with
//! one name is meant, which nothing proves: its edges are `inferred`.
//!
//! Limitations: the other copies are no candidates of the edge.

use codeagent_lang::{DeclRef, Resolution, Target};
use codeagent_model::graph::Confidence;
use rustc_hash::FxHashMap;

use crate::resolve::edges::FileResolver;
use crate::resolve::global_index::tables::TypeDefId;
use crate::resolve::types::{SiteContext, Types};

impl FileResolver<'_> {
    /// Makes the edges `inferred` that lead to a guessed copy of a type or to its members.
    pub(super) fn infer_copies(&self, resolution: &mut Resolution) {
        let types = self.types.at(SiteContext::default());
        if !types.is_of_no_project() {
            return;
        }

        let mut guessed: FxHashMap<TypeDefId, bool> = FxHashMap::default();
        let mut is_guessed = |target: &Target| {
            let Target::Decl(decl) = *target else {
                return false;
            };
            top_level_type(types, decl).is_some_and(|tid| {
                *guessed
                    .entry(tid)
                    .or_insert_with(|| types.is_guessed_copy(tid))
            })
        };

        for used in &mut resolution.uses {
            if used.confidence == Confidence::Exact && used.targets.iter().any(&mut is_guessed) {
                used.confidence = Confidence::Inferred;
            }
        }
    }
}

/// Returns the top-level type that a declaration is or is in.
fn top_level_type(types: Types<'_>, decl: DeclRef) -> Option<TypeDefId> {
    let (facts, declared) = (types.facts(decl.file), &types.tables.file(decl.file).types);
    let mut around = decl.decl;
    loop {
        if let Some(&tid) = declared.get(&around) {
            let mut outer = tid;
            while let Some(next) = types.tables.type_def(outer).outer {
                outer = next;
            }
            return Some(outer);
        }

        let mut scope = facts.decl(around).scope;
        while scope
            .some()
            .is_some_and(|id| facts.scope(id).owner.is_none())
        {
            scope = facts.scope(scope).parent;
        }
        around = facts.scope(scope.some()?).owner;
    }
}
