//! Which edges does a file have? The top floor: each site and each member that overrides or
//! implements is put to the floors below.
//!
//! **Limits.** Nothing below asks anything here.

mod callees;
pub mod components;
mod constructors;
mod display;
pub mod explain;
pub mod identity;
mod implementations;
mod sites;
mod used_names;

use std::ops::{Deref, DerefMut};

use codeagent_lang::{FileId, Links, World};

use crate::resolve::checker::Checker;

/// One link in progress.
struct Linker<'w> {
    checker: Checker<'w>,
}

impl<'w> Linker<'w> {
    fn new(file: FileId, world: &'w World) -> Self {
        Self {
            checker: Checker::new(file, world),
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

impl DerefMut for Linker<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.checker
    }
}

/// Links one file.
#[must_use]
pub fn link(file: FileId, world: &World) -> Links {
    let mut linker = Linker::new(file, world);
    let mut links = Links::default();
    linker.sites(&mut links);
    linker.implementations(&mut links);
    links
        .uses
        .sort_by_key(|used| (used.at.offset, used.edge_type, used.source));
    links.dependencies = linker.checker.finish();
    links
}
