//! The dependency keys that a file publishes: the names it adds to the global index, and its
//! members.
//!
//! Limitations: globals have one key per name, for all programs together.

use codeagent_lang::dependencies::{DependencyKey, KeyTable};
use codeagent_model::facts::{DeclId, DeclKind, Declaration, Facts};
use smallvec::{SmallVec, smallvec};

use super::assertions::asserting;
use super::global_names::is_global;
use super::tables::augmenting;

pub const GLOBAL: KeyTable = KeyTable::names("ts.global");
/// Keys of ambient modules.
pub const AMBIENT: KeyTable = KeyTable::names("ts.ambient");
/// The key of all ambient modules with `*` in their names, under the empty name.
pub const WILDCARDS: KeyTable = KeyTable::names("ts.wildcards");
/// Keys of declarations that augment modules, by bare name.
pub const AUGMENTED: KeyTable = KeyTable::names("ts.augmented");
/// The key of all interfaces that add members to types, under the empty name.
pub const AUGMENTING: KeyTable = KeyTable::names("ts.augmenting");
/// Keys of the names of assertion functions.
pub const ASSERTING: KeyTable = KeyTable::names("ts.asserting");
/// Keys of members by name, in the files that are read.
pub const PIECES: KeyTable = KeyTable::members("ts:name");
/// Keys of all members of a class or interface, by its name.
pub const MEMBERS: KeyTable = KeyTable::members("ts:members");

#[must_use]
pub fn keys_of_member(facts: &Facts, member: DeclId) -> SmallVec<[DependencyKey; 3]> {
    let decl = facts.decl(member);
    let mut keys = smallvec![PIECES.key(facts.text(decl.name))];
    if let Some(owner) = facts.scope(decl.scope).owner.some() {
        keys.push(MEMBERS.key(facts.decl_name(owner)));
    }
    keys
}

/// Returns the dependency keys that a file publishes: one for each name it adds to the global
/// index.
#[must_use]
pub fn provided_keys(facts: &Facts) -> Vec<DependencyKey> {
    let mut keys = Vec::new();
    for id in facts.decl_ids() {
        let decl = facts.decl(id);
        let name = facts.text(decl.name);
        if decl.kind == DeclKind::AmbientModule {
            keys.push(AMBIENT.key(name));
            keys.extend(name.contains('*').then(|| WILDCARDS.key("")));
        } else if is_global(facts, decl) {
            keys.push(GLOBAL.key(name));
        }
        if in_ambient_module(facts, decl) {
            keys.push(AUGMENTED.key(name));
        }
    }

    if augmenting(facts).next().is_some() {
        keys.push(AUGMENTING.key(""));
    }

    keys.extend(asserting(facts).map(|name| ASSERTING.key(facts.text(name))));
    keys.sort_unstable();
    keys.dedup();

    keys
}

fn in_ambient_module(facts: &Facts, decl: &Declaration) -> bool {
    let Some(owner) = facts.scope(decl.scope).owner.some() else {
        return false;
    };
    !decl.name.is_none() && facts.decl(owner).kind == DeclKind::AmbientModule
}
