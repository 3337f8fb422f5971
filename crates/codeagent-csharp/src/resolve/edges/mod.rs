//! The top layer: the edges of one file, one for each resolved site and for each member that
//! overrides or implements another, and its [`dispatch`].
//!
//! Limitations: no layer below uses this one.

mod copies;
mod dispatch;
mod display;
pub mod explain;
mod explain_overloads;
mod external_symbols;
pub mod identity;
mod implementations;
mod name_sites;
mod packed_symbols;
mod site_targets;

use std::cell::OnceCell;
use std::ops::Deref;

use codeagent_lang::query::names::Name;
use codeagent_lang::{FileId, Resolution, World, sites};
use codeagent_model::facts::{DeclId, ExprId};
use rustc_hash::FxHashMap;

use crate::resolve::edges::external_symbols::ExternalSymbols;
use crate::resolve::expressions::{Checker, ExprState};
use crate::resolve::types::{SiteContext, TypeState};

struct FileResolver<'w> {
    types: TypeState<'w>,
    exprs: ExprState,
    /// The member accessed on each bare name: `Red` for `Color` in `Color.Red`.
    followers: OnceCell<FxHashMap<ExprId, Name>>,
    external: ExternalSymbols,
}

impl<'w> FileResolver<'w> {
    fn new(world: &'w World, file: FileId) -> Self {
        let types = TypeState::new(world, file);
        let exprs = ExprState::new(types.at(SiteContext::default()));

        Self {
            types,
            exprs,
            followers: OnceCell::new(),
            external: ExternalSymbols::default(),
        }
    }

    /// Records the overload resolutions, to explain them.
    fn traced(self) -> Self {
        Self {
            exprs: self.exprs.traced(),
            ..self
        }
    }

    /// Returns the layer's view from the sites of a declaration.
    fn at(&self, owner: DeclId) -> SiteResolver<'_> {
        let types = self.types.at(self.types.site_context(owner));

        SiteResolver {
            checker: self.exprs.above(types),
            followers: &self.followers,
            external: &self.external,
        }
    }
}

/// The top layer, viewed from a site.
struct SiteResolver<'w> {
    checker: Checker<'w>,
    followers: &'w OnceCell<FxHashMap<ExprId, Name>>,
    external: &'w ExternalSymbols,
}

impl<'w> Deref for SiteResolver<'w> {
    type Target = Checker<'w>;

    #[inline]
    fn deref(&self) -> &Checker<'w> {
        &self.checker
    }
}

/// Resolves one file.
#[must_use]
pub fn link(file: FileId, world: &World) -> Resolution {
    let resolver = FileResolver::new(world, file);
    let mut resolution = Resolution::default();
    sites::record_sites(&resolver, &mut resolution);
    resolver.record_implementations(&mut resolution);
    resolver.record_dispatch(&mut resolution);
    resolver.infer_copies(&mut resolution);
    sites::separate_packed(&resolver, &mut resolution);
    resolution
        .uses
        .sort_by_key(|used| (used.at.offset, used.edge_type, used.source));
    resolution.dispatch.sort_by_key(|verdict| verdict.at.offset);
    resolution.dependencies = resolver.types.finish();
    resolution
}
