//! The top layer: the edges of one file, one for each resolved site and for each overriding or
//! implementing member; and its [`dispatch`].
//!
//! Limitations: no layer below uses this one.

mod absent_generics;
mod attributes;
mod callees;
pub mod components;
mod computed_members;
mod constructors;
mod dispatch;
mod display;
pub mod explain;
pub mod external_symbols;
pub mod identity;
mod implementations;
mod site_targets;
mod targets;
mod used_names;

use std::ops::Deref;

use codeagent_lang::{FileId, Resolution, World, sites};

use self::external_symbols::ExternalSymbols;
use crate::resolve::checker::Checker;

struct FileResolver<'w> {
    checker: Checker<'w>,
    external: ExternalSymbols,
}

impl<'w> FileResolver<'w> {
    fn new(file: FileId, world: &'w World) -> Self {
        Self {
            checker: Checker::new(file, world),
            external: ExternalSymbols::default(),
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
pub fn link(file: FileId, world: &World) -> Resolution {
    let resolver = FileResolver::new(file, world);
    let mut resolution = Resolution::default();
    sites::record_sites(&resolver, &mut resolution);
    resolver.record_module_edges(&mut resolution);
    resolver.record_implementations(&mut resolution);
    resolver.record_dispatch(&mut resolution);
    sites::separate_packed(&resolver, &mut resolution);
    resolution
        .uses
        .sort_by_key(|used| (used.at.offset, used.edge_type, used.source));
    resolution.dependencies = resolver.checker.finish();
    resolution
}
