//! The loop over the sites of a file, which both languages share.
//!
//! A language says where a site leads ([`ResolveSites::resolve_site`]). The loop counts calls,
//! keeps the budgets and records edges, unresolved uses and external calls.
//!
//! **Limits.** Edges without a site of their own (overrides, implementations) are recorded by the
//! languages.

use std::hash::Hash;

use codeagent_model::facts::{DeclId, Site, Sym};
use codeagent_model::graph::{Confidence, EdgeType};

use crate::explain::Report;
use crate::query::stack::QueryStack;
use crate::resolution::{Links, Target, Unresolved, Use};

/// Where a site leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteTarget {
    /// To something in the graph.
    Edge(Use),
    /// Outside the repository.
    External,
    /// To a value that holds a function: a local, a parameter, a delegate. What it holds is not
    /// looked for.
    Value,
    /// Somewhere unknown in the repository, under this name.
    Unresolved(Sym),
    /// Unknown, because a depth or budget limit cut the resolution off.
    Exceeded,
    /// To nothing that an edge or a count shows: a local, a namespace, a type without a node.
    Nothing,
}

/// What the resolution of a site gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteResolution {
    /// Where the site leads.
    pub target: SiteTarget,
    /// What is named beside the target: the class of a constructor, the field that holds a
    /// delegate.
    pub named: Option<Use>,
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

    /// Returns where a site leads.
    fn resolve_site(&self, site: &Site) -> SiteResolution;

    /// Returns the name under which a site whose resolution was cut off is recorded, if it is.
    fn name_of_exceeded(&self, site: &Site) -> Option<Sym>;

    /// Says why a site leads where it does.
    fn explain_site(&self, site: &Site, report: &mut Report<'_>);
}

/// Resolves all sites of a file and records the results.
pub fn record_sites<R: ResolveSites>(resolver: &R, links: &mut Links) {
    for site in resolver.sites() {
        record_site(resolver, site, links);
    }
}

/// Explains one site, and returns the result of resolving it alone.
pub fn explain_site<R: ResolveSites>(resolver: &R, site: &Site, report: &mut Report<'_>) -> Links {
    let mut links = Links::default();
    record_site(resolver, site, &mut links);

    resolver.stack().begin_site();
    resolver.explain_site(site, report);
    links
}

fn record_site<R: ResolveSites>(resolver: &R, site: &Site, links: &mut Links) {
    let stack = resolver.stack();
    stack.begin_site();

    let resolution = if stack.spend(1) {
        resolver.resolve_site(site)
    } else {
        SiteTarget::Exceeded.into()
    };

    let is_call = site.kind.is_call();
    links.calls += u32::from(is_call);
    links.uses.extend(resolution.named);

    match resolution.target {
        SiteTarget::Edge(edge) => {
            links.calls_resolved += u32::from(is_call);
            links.uses.push(edge);
        }
        SiteTarget::External => links.calls_external += u32::from(is_call),
        SiteTarget::Value if is_call => links.values_called.push(site.at),
        SiteTarget::Unresolved(name) => links.unresolved.push(unresolved(site, name)),
        SiteTarget::Exceeded => {
            links.given_up += 1;
            let name = resolver.name_of_exceeded(site);
            links
                .unresolved
                .extend(name.map(|name| unresolved(site, name)));
        }
        SiteTarget::Value | SiteTarget::Nothing => {}
    }
}

fn unresolved(site: &Site, name: Sym) -> Unresolved {
    Unresolved {
        name,
        kind: site.kind,
        source: site.owner,
        at: site.at,
    }
}

impl Use {
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

    /// Replaces the declaration in whose text the use stands.
    #[must_use]
    pub fn from_source(self, source: DeclId) -> Self {
        Self { source, ..self }
    }
}
