//! The loop over the sites of a file, shared by the languages.
//!
//! A language resolves one site ([`ResolveSites::resolve_site`]). The loop counts calls, manages
//! the budgets and records edges, unresolved uses and external calls.
//!
//! Limitations: edges without a site of their own (overrides, implementations) are recorded by the
//! languages.

use std::hash::Hash;
use std::sync::Arc;

use codeagent_model::external::ExternalSymbol;
use codeagent_model::facts::{DeclId, Site, Sym};
use codeagent_model::graph::{Confidence, EdgeType};

use crate::explain::Report;
use crate::query::stack::QueryStack;
use crate::resolution::{ExternalUse, Reference, Resolution, Target, Unresolved};
use crate::world::FileId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteTarget {
    /// A node of the graph.
    Edge(Reference),
    /// An external symbol; unknown if nothing proves which.
    External(Option<ExternalUse>),
    /// A value that holds a function: a local, a parameter, a delegate. The function itself is not
    /// looked for.
    Value,
    /// An unknown declaration of the repository, with this name.
    Unresolved(Sym),
    /// Unknown, because a depth or step limit was exceeded.
    Exceeded,
    /// Nothing that has edges or counts: a local, a namespace, a type without a node.
    Nothing,
}

/// The result of resolving a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteResolution {
    pub target: SiteTarget,
    /// A second use by the same name: the class of a constructor, the field that holds a delegate.
    pub named: Option<Reference>,
}

impl From<SiteTarget> for SiteResolution {
    fn from(target: SiteTarget) -> Self {
        Self {
            target,
            named: None,
        }
    }
}

/// Resolves the sites of one file.
pub trait ResolveSites {
    /// The queries of the language.
    type Query: Copy + Eq + Hash;

    /// Returns the sites of the file, in text order.
    fn sites(&self) -> &[Site];

    /// Returns the active queries and the budgets.
    fn stack(&self) -> &QueryStack<Self::Query>;

    fn resolve_site(&self, site: &Site) -> SiteResolution;

    /// Returns the name under which a site whose resolution was cut off is recorded, if any.
    fn name_of_exceeded(&self, site: &Site) -> Option<Sym>;

    /// Reports whether a file comes from an interface pack.
    fn is_packed(&self, file: FileId) -> bool;

    /// Returns the symbol of a target in an interface pack; `None` if it has no name outside.
    fn packed_symbol(&self, target: Target) -> Option<Arc<ExternalSymbol>>;

    /// Explains the target of a site.
    fn explain_site(&self, site: &Site, report: &mut Report<'_>);
}

/// Resolves all sites of a file and records the results.
pub fn record_sites<R: ResolveSites>(resolver: &R, resolution: &mut Resolution) {
    for site in resolver.sites() {
        record_site(resolver, site, resolution);
    }
}

/// Explains one site, and returns the result of resolving it alone.
pub fn explain_site<R: ResolveSites>(
    resolver: &R,
    site: &Site,
    report: &mut Report<'_>,
) -> Resolution {
    let mut resolution = Resolution::default();
    record_site(resolver, site, &mut resolution);

    resolver.stack().begin_site();
    resolver.explain_site(site, report);
    resolution
}

fn record_site<R: ResolveSites>(resolver: &R, site: &Site, resolution: &mut Resolution) {
    let stack = resolver.stack();
    stack.begin_site();

    let found = if stack.spend(1) {
        resolver.resolve_site(site)
    } else {
        SiteTarget::Exceeded.into()
    };

    let is_call = site.kind.is_call();
    resolution.calls += u32::from(is_call);
    resolution.uses.extend(found.named);

    match found.target {
        SiteTarget::Edge(edge) => {
            let count = match leads_into_pack(resolver, &edge) {
                true => &mut resolution.calls_external,
                false => &mut resolution.calls_resolved,
            };
            *count += u32::from(is_call);
            resolution.uses.push(edge);
        }
        SiteTarget::External(named) => {
            resolution.calls_external += u32::from(is_call);
            resolution.external.extend(named);
        }
        SiteTarget::Value if is_call => resolution.value_calls.push(site.at),
        SiteTarget::Unresolved(name) => resolution.unresolved.push(unresolved(site, name)),
        SiteTarget::Exceeded => {
            resolution.budget_exceeded += 1;
            let name = resolver.name_of_exceeded(site);
            resolution
                .unresolved
                .extend(name.map(|name| unresolved(site, name)));
        }
        SiteTarget::Value | SiteTarget::Nothing => {}
    }
}

/// Makes the uses of declarations in interface packs uses of external symbols.
pub fn separate_packed<R: ResolveSites>(resolver: &R, resolution: &mut Resolution) {
    let uses = std::mem::take(&mut resolution.uses);
    let (packed, own): (Vec<_>, Vec<_>) = uses
        .into_iter()
        .partition(|used| leads_into_pack(resolver, used));
    resolution.uses = own;
    if packed.is_empty() {
        return;
    }

    let named = packed.iter().filter_map(|used| {
        Some(ExternalUse {
            symbol: resolver.packed_symbol(*used.targets.first()?)?,
            edge_type: used.edge_type,
            confidence: used.confidence,
            at: used.at,
        })
    });
    resolution.external.extend(named);
    resolution.external.sort_by_key(|used| used.at.offset);
}

fn leads_into_pack<R: ResolveSites>(resolver: &R, used: &Reference) -> bool {
    used.targets.first().is_some_and(|target| match target {
        Target::Decl(decl) => resolver.is_packed(decl.file),
        Target::File(file) => resolver.is_packed(*file),
    })
}

fn unresolved(site: &Site, name: Sym) -> Unresolved {
    Unresolved {
        name,
        kind: site.kind,
        source: site.owner,
        at: site.at,
    }
}

impl ExternalUse {
    #[must_use]
    pub fn of_site(site: &Site, edge_type: EdgeType, symbol: Arc<ExternalSymbol>) -> Self {
        Self {
            symbol,
            edge_type,
            confidence: Confidence::Exact,
            at: site.at,
        }
    }
}

impl Reference {
    /// Returns the edge of a site; it is exact if it has one target.
    #[must_use]
    pub fn of_site(site: &Site, edge_type: EdgeType, targets: Vec<Target>) -> Self {
        let confidence = if targets.len() == 1 {
            Confidence::Exact
        } else {
            Confidence::Inferred
        };
        Self {
            source: site.owner,
            edge_type,
            confidence,
            targets,
            at: site.at,
        }
    }

    /// Sets the declaration whose text contains the use.
    #[must_use]
    pub fn from_source(self, source: DeclId) -> Self {
        Self { source, ..self }
    }
}
