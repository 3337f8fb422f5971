//! The dependency keys a file provides: the names it adds to the global index, and its members.
//!
//! **Limits.** Globals have one key per name, whichever program they are visible in.

use codeagent_lang::dependencies::slot;
use codeagent_model::facts::{DeclId, DeclKind, Declaration, Facts};
use smallvec::{SmallVec, smallvec};

use super::tables::is_global;

/// The table of global names.
pub const GLOBAL: &str = "ts.global";
/// The table of ambient modules.
pub const AMBIENT: &str = "ts.ambient";
/// The table of declarations added to modules from elsewhere, by bare name.
pub const AUGMENTED: &str = "ts.augmented";
/// Pieces by name, in the files that are read.
pub const PIECES: &str = ".ts:name";
/// All members of classes and interfaces, by the name of these.
pub const MEMBERS: &str = ".ts:members";

/// The questions that a piece is an answer to.
#[must_use]
pub fn asked_of(facts: &Facts, piece: DeclId) -> SmallVec<[u64; 3]> {
    let decl = facts.decl(piece);
    let mut slots = smallvec![slot(PIECES, facts.text(decl.name))];
    if let Some(owner) = facts.scope(decl.scope).owner.some() {
        slots.push(slot(MEMBERS, facts.decl_name(owner)));
    }
    slots
}

/// The slots a file of this language publishes: one for every name it adds to a world-wide table.
#[must_use]
pub fn published(facts: &Facts) -> Vec<u64> {
    let mut slots = Vec::new();
    for id in facts.decl_ids() {
        let decl = facts.decl(id);
        let name = facts.text(decl.name);
        if decl.kind == DeclKind::AmbientModule {
            slots.push(slot(AMBIENT, name));
        } else if is_global(facts, decl) {
            slots.push(slot(GLOBAL, name));
        }
        if in_ambient_module(facts, decl) {
            slots.push(slot(AUGMENTED, name));
        }
    }

    slots.sort_unstable();
    slots.dedup();

    slots
}

fn in_ambient_module(facts: &Facts, decl: &Declaration) -> bool {
    let Some(owner) = facts.scope(decl.scope).owner.some() else {
        return false;
    };
    !decl.name.is_none() && facts.decl(owner).kind == DeclKind::AmbientModule
}
