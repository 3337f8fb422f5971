//! The edges of each site in a file: calls, references, types, imports and base lists.
//!
//! [`super::targets`] finds the target of a site; here it becomes an edge, an [`Unresolved`] entry
//! or a count.
//!
//! **Limits.** A use with an unknown receiver gives an [`Unresolved`] entry instead of an edge; a
//! use of an external symbol gives neither. Locals and parameters are not targets.

use codeagent_lang::{DeclRef, Links, Target, Unresolved, Use};
use codeagent_model::facts::*;
use codeagent_model::graph::{Confidence, EdgeType};
use rustc_hash::FxHashSet;

use super::targets::SiteTarget;
use super::used_names;
use crate::resolve::edges::FileResolver;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::DeclList;

/// The most symbols that an ambiguous use keeps.
const MAX_TARGETS: usize = 8;

impl FileResolver<'_> {
    /// Resolves all sites of the file.
    pub fn sites(&self, links: &mut Links) {
        let facts = self.own_facts();
        for site in &facts.sites {
            self.site(*site, links);
        }
        self.module_edges(links);
    }

    pub fn site(&self, site: Site, links: &mut Links) {
        let is_call = site.kind.is_call();
        links.calls += u32::from(is_call);

        if !self.spend(1) {
            self.record_budget_exceeded(site, links);
            return;
        }

        match self.site_target(site) {
            // The budget ended while resolving it.
            SiteTarget::Unknown if self.stack.is_used_up() => {
                self.record_budget_exceeded(site, links)
            }
            SiteTarget::Decls(decls) => {
                if let Some(named) = self.constructed(site, &decls) {
                    self.add_edges(
                        Site {
                            kind: SiteKind::Read,
                            ..site
                        },
                        named,
                        links,
                    );
                }

                let is_declared_outside = decls.iter().any(|decl| self.is_external_file(decl.file));
                let is_value = self.is_called_by_name(site)
                    && decls
                        .iter()
                        .all(|decl| !self.decl(*decl).flags.has(DeclFlags::MEMBER));

                match self.add_edges(site, decls, links) {
                    _ if !is_call => {}
                    true => links.calls_resolved += 1,
                    false if is_declared_outside => links.calls_external += 1,
                    false if is_value => links.values_called.push(site.at),
                    false => record_unresolved(links, site, Sym::NONE),
                }
            }
            SiteTarget::File(file) if !is_call => {
                if let Some(edge_type) = self.edge_type(site) {
                    push(links, site, edge_type, vec![Target::File(file)]);
                }
            }
            SiteTarget::External => links.calls_external += u32::from(is_call),
            SiteTarget::Value if is_call => links.values_called.push(site.at),
            SiteTarget::Nameless if is_call => record_unresolved(links, site, Sym::NONE),
            SiteTarget::Value | SiteTarget::Nameless => {}
            // The value that a module exports as a whole is not the module.
            SiteTarget::Unknown | SiteTarget::File(_) => {
                if let Some(name) = used_names::of_value(self.own_facts(), site) {
                    record_unresolved(links, site, name);
                }
            }
        }
    }

    /// Records the name of a site that exceeded its budget; it may or may not be external.
    fn record_budget_exceeded(&self, site: Site, links: &mut Links) {
        links.given_up += 1;
        let name = used_names::name_or_fallback(self.own_facts(), site);
        if let Some(name) = name {
            record_unresolved(links, site, name);
        }
    }

    /// Whether the callee is a bare name or a function or class expression.
    fn is_called_by_name(&self, site: Site) -> bool {
        let facts = self.own_facts();
        let (Subject::Expr(mut expr) | Subject::Decorator(mut expr)) = site.subject else {
            return false;
        };
        loop {
            expr = match facts.expr(expr) {
                Expr::Call(call) | Expr::New(call) => facts.calls[call.index()].callee,
                Expr::Jsx(inner)
                | Expr::Same(inner)
                | Expr::Generic(inner, _)
                | Expr::Satisfies(inner, _) => inner,
                Expr::Name(..) | Expr::Function(_) | Expr::Class(_) => return true,
                _ => return false,
            };
        }
    }

    /// Adds the edge of a site if its target is a node; `false` if there is none.
    fn add_edges(&self, site: Site, decls: DeclList, links: &mut Links) -> bool {
        let mut targets: Vec<Target> = Vec::new();
        let mut rest = decls;
        while let Some(&first) = rest.first().filter(|_| targets.len() < MAX_TARGETS) {
            let mut symbol: DeclList = if rest.len() > 1 {
                self.merged_symbol(first).iter().copied().collect()
            } else {
                DeclList::new()
            };
            symbol.sort_unstable();

            let (own, others): (DeclList, DeclList) = rest
                .into_iter()
                .partition(|decl| *decl == first || symbol.binary_search(decl).is_ok());
            rest = others;

            if let Some(target) = self
                .canonical_declaration(&own)
                .filter(|target| self.is_node(*target))
            {
                targets.push(Target::Decl(target));
            }
        }

        let Some(edge_type) = self.edge_type(site).filter(|_| !targets.is_empty()) else {
            return false;
        };

        push(links, site, edge_type, targets);

        true
    }

    /// Whether a declaration is a node of the graph.
    pub fn is_node(&self, decl: DeclRef) -> bool {
        !self.is_external_file(decl.file) && !self.decl(decl).detail.is_none()
    }

    /// The declaration that represents a symbol: its implementation, else its first declaration in
    /// the repository.
    pub fn canonical_declaration(&self, decls: &DeclList) -> Option<DeclRef> {
        let first = decls.first().copied()?;
        let group = self.merged_symbol(first);
        let all: &[DeclRef] = if group.contains(&first) {
            &group
        } else {
            decls
        };
        let kind = self.decl(first).kind;
        let mut own = all
            .iter()
            .copied()
            .filter(|decl| !self.is_external_file(decl.file));
        let callable = matches!(
            kind,
            DeclKind::Function | DeclKind::LocalFunction | DeclKind::Method | DeclKind::Constructor
        );
        let same = |decl: &DeclRef| self.decl(*decl).kind == kind;

        if callable
            && let Some(body) = own
                .clone()
                .find(|decl| same(decl) && self.decl(*decl).flags.has(DeclFlags::HAS_BODY))
        {
            return Some(body);
        }

        own.clone().find(same).or_else(|| own.next())
    }

    fn edge_type(&self, site: Site) -> Option<EdgeType> {
        Some(match site.kind {
            kind if kind.is_call() => EdgeType::Calls,
            SiteKind::ParameterType => EdgeType::Accepts,
            SiteKind::Import => EdgeType::Imports,
            SiteKind::Export if self.names_a_module(site) => EdgeType::Imports,
            SiteKind::Base => self.base_edge(site)?,
            _ => EdgeType::References,
        })
    }

    /// Whether an export clause has a `from`.
    fn names_a_module(&self, site: Site) -> bool {
        let facts = self.own_facts();
        matches!(site.subject, Subject::Export(id) if !facts.exports[id.index()].module.is_none())
    }

    fn base_edge(&self, site: Site) -> Option<EdgeType> {
        let Subject::Base(decl, index) = site.subject else {
            return None;
        };
        let facts = self.own_facts();
        let declaration = facts.decl(decl);
        let base = facts.list(declaration.bases).get(usize::from(index))?;
        Some(match (declaration.kind, base.clause) {
            (DeclKind::Interface, _) => EdgeType::Extends,
            (_, BaseClause::Implements) => EdgeType::Implements,
            _ => EdgeType::Inherits,
        })
    }

    /// One edge from the file to each module it imports names from, at the specifier.
    fn module_edges(&self, links: &mut Links) {
        let (file, facts) = (self.file, self.own_facts());

        let mut seen: FxHashSet<u32> = FxHashSet::default();
        for import in facts.imports.iter().filter(|import| !import.decl.is_none()) {
            if !seen.insert(import.at.offset) {
                continue;
            }
            if let ResolvedName::Module(target) = self.module(file, import.module) {
                links.uses.push(Use {
                    source: DeclId::NONE,
                    edge_type: EdgeType::Imports,
                    confidence: Confidence::Exact,
                    targets: vec![Target::File(target)],
                    at: import.at,
                });
            }
        }
    }
}

/// Records a use without a target.
fn record_unresolved(links: &mut Links, site: Site, name: Sym) {
    links.unresolved.push(Unresolved {
        name,
        kind: site.kind,
        source: site.owner,
        at: site.at,
    });
}

fn push(links: &mut Links, site: Site, edge_type: EdgeType, targets: Vec<Target>) {
    let confidence = if targets.len() == 1 {
        Confidence::Exact
    } else {
        Confidence::Inferred
    };
    links.uses.push(Use {
        source: site.owner,
        edge_type,
        confidence,
        targets,
        at: site.at,
    });
}
