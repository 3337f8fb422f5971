//! The dependency keys a file provides: the names it adds to the global index, and its members.
//!
//! **Limits.** Globals have one key per name, whichever program they are visible in.

use codeagent_lang::dependencies::slot;
use codeagent_model::facts::{DeclId, DeclKind, Declaration, Facts};
use smallvec::{SmallVec, smallvec};

use super::tables::is_global;

/// Keys of global names.
pub const GLOBAL: &str = "ts.global";
/// Keys of ambient modules.
pub const AMBIENT: &str = "ts.ambient";
/// Keys of declarations that augment modules, by bare name.
pub const AUGMENTED: &str = "ts.augmented";
/// Keys of members by name, in the files that are read.
pub const PIECES: &str = ".ts:name";
/// Keys of all members of a class or interface, by its name.
pub const MEMBERS: &str = ".ts:members";

/// The dependency keys that a member provides.
#[must_use]
pub fn asked_of(facts: &Facts, piece: DeclId) -> SmallVec<[u64; 3]> {
    let decl = facts.decl(piece);
    let mut slots = smallvec![slot(PIECES, facts.text(decl.name))];
    if let Some(owner) = facts.scope(decl.scope).owner.some() {
        slots.push(slot(MEMBERS, facts.decl_name(owner)));
    }
    slots
}

/// The dependency keys a file provides: one for each name it adds to the global index.
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
