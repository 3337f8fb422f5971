//! The edges of a file: the top layer, which resolves each site and each overriding or implementing
//! member.
//!
//! **Limits.** No lower layer calls this one.

mod absent_generics;
mod callees;
pub mod components;
mod constructors;
mod display;
pub mod explain;
pub mod identity;
mod implementations;
mod site_targets;
mod targets;
mod used_names;

use std::ops::Deref;

use codeagent_lang::{FileId, Links, World, sites};

use crate::resolve::checker::Checker;

/// The resolution of one file.
struct FileResolver<'w> {
    checker: Checker<'w>,
}

impl<'w> FileResolver<'w> {
    fn new(file: FileId, world: &'w World) -> Self {
        Self {
            checker: Checker::new(file, world),
        }
    }
}

impl<'w> Deref for FileResolver<'w> {
    type Target = Checker<'w>;

    #[inline]
    fn deref(&self) -> &Checker<'w> {
        &self.checker
    }
}

/// Resolves one file.
#[must_use]
pub fn link(file: FileId, world: &World) -> Links {
    let resolver = FileResolver::new(file, world);
    let mut links = Links::default();
    sites::record_sites(&resolver, &mut links);
    resolver.record_module_edges(&mut links);
    resolver.record_implementations(&mut links);
    links
        .uses
        .sort_by_key(|used| (used.at.offset, used.edge_type, used.source));
    links.dependencies = resolver.checker.finish();
    links
}
