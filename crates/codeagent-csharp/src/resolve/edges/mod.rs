//! The top layer: the edges of one file, one for each resolved site and for each member that
//! overrides or implements another.
//!
//! **Limits.** The layers below do not depend on this one.

mod display;
pub mod explain;
mod explain_overloads;
pub mod identity;
mod implementations;
mod name_sites;
mod sites;

use std::cell::OnceCell;
use std::ops::Deref;

use codeagent_lang::query::names::Name;
use codeagent_lang::{FileId, Links, World};
use codeagent_model::facts::ExprId;
use rustc_hash::FxHashMap;

use crate::resolve::expressions::Checker;

/// The state while one file is resolved.
struct Linker<'w> {
    checker: Checker<'w>,
    /// The member accessed on each bare name.
    followers: OnceCell<FxHashMap<ExprId, Name>>,
}

impl<'w> Linker<'w> {
    fn new(world: &'w World, file: FileId) -> Self {
        Self {
            checker: Checker::new(world, file),
            followers: OnceCell::new(),
        }
    }
}

impl<'w> Deref for Linker<'w> {
    type Target = Checker<'w>;

    #[inline]
    fn deref(&self) -> &Checker<'w> {
        &self.checker
    }
}

/// Resolves one file.
#[must_use]
pub fn link(file: FileId, world: &World) -> Links {
    let linker = Linker::new(world, file);
    let mut links = Links::default();
    linker.record_sites(&mut links);
    linker.record_implementations(&mut links);
    links
        .uses
        .sort_by_key(|used| (used.at.offset, used.edge_type, used.source));
    links.dependencies = linker.checker.finish();
    links
}
