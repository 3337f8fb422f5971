//! Links one C# file: names and usings as the standard says, declared and inferred types, overloads, extension methods.
//!
//! Read in this order: `tables` (who declares what), `names` (types and namespaces), `hierarchy` and `members` (what a type has),
//! `typing` (expressions), `calls` and `overloads` (targets), `sites` and `implementations` (edges).
//!
//! **Limits.** Types that no file of the world declares are known by name only; what hangs on them is not guessed.

mod assemblies;
mod assumptions;
mod calls;
mod contexts;
mod conversions;
mod display;
mod evaluation;
mod explain;
mod extensions;
mod hierarchy;
mod implementations;
mod inference;
mod intern;
mod lambdas;
mod linker;
mod members;
mod names;
mod operators;
mod overloads;
mod patch;
mod published;
mod sequences;
mod signatures;
mod simple_names;
mod sites;
mod tables;
#[cfg(test)]
mod tests;
mod types;
mod typing;
mod usings;
mod well_known;

pub use assemblies::PackageAssembly;
pub(super) use explain::explain;
pub use published::{asked_of, published};
pub use tables::Tables;

use crate::resolve::{FileId, Links, World};

/// Links one file.
#[must_use]
pub fn link(file: FileId, world: &World) -> Links {
    let linker = linker::Linker::new(world, file);
    let mut links = Links::default();
    linker.sites(&mut links);
    linker.implementations(&mut links);
    links.uses.sort_by_key(|used| (used.at.offset, used.edge_type, used.source));
    links.reads = linker.finish();
    links
}
