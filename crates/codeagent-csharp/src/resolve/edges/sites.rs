//! Sites: the edge that each site of the file becomes.
//!
//! **Limits.** The namespace before a dot has no edge; a `using` of a namespace has one, to its
//! first declaration.

use codeagent_lang::{DeclRef, Links, Target, Unresolved, Use};
use codeagent_model::facts::{
    CallId, DeclId, DeclKind, Expr, ExprId, ScopeId, ScopeKind, Site, SiteKind, Subject, Sym,
    TypeExpr, TypeId,
};
use codeagent_model::graph::{Confidence, EdgeType};

use crate::resolve::edges::Linker;
use crate::resolve::expressions::calls::{CallOutcome, CallResult};
use crate::resolve::types::{Ty, Type};

impl Linker<'_> {
    /// Records the edges of all sites.
    pub(super) fn record_sites(&self, links: &mut Links) {
        for site in &self.facts.sites {
            self.stack.begin_site();
            let (uses, unresolved) = (links.uses.len(), links.unresolved.len());

            if self.spend(1) {
                self.enter(site.owner);
                self.record_site(site, links);
            } else {
                links.calls += u32::from(site.kind.is_call());
            }

            if self.exceeded() && links.uses.len() == uses {
                links.given_up += 1;
                if links.unresolved.len() == unresolved {
                    links.unresolved.push(self.unresolved(site));
                }
            }
        }
    }

    fn unresolved(&self, site: &Site) -> Unresolved {
        Unresolved {
            name: self.used_name(site.subject),
            kind: site.kind,
            source: site.owner,
            at: site.at,
        }
    }

    /// Goes to a declaration: what is in sight of its sites as extension methods, and what is
    /// accessible there.
    pub(super) fn enter(&self, owner: DeclId) {
        self.site_type.set(None);
        self.site_scope.set(ScopeId(0));
        let mut scope = owner.some().map_or(ScopeId(0), |owner| {
            let decl = self.facts.decl(owner);
            decl.inner.some().unwrap_or(decl.scope)
        });

        while let Some(id) = scope.some() {
            let here = self.facts.scope(id);
            if self.site_type.get().is_none() {
                self.site_type.set(
                    here.owner
                        .some()
                        .and_then(|owner| self.table.types.get(&owner))
                        .copied(),
                );
            }

            if matches!(here.kind, ScopeKind::Namespace | ScopeKind::File) {
                self.site_scope.set(id);
                return;
            }
            scope = here.parent;
        }
    }

    pub(super) fn record_site(&self, site: &Site, links: &mut Links) {
        match site.kind {
            SiteKind::Call
            | SiteKind::New
            | SiteKind::ThisInit
            | SiteKind::BaseInit
            | SiteKind::Attribute => self.call_site(site, links),

            SiteKind::Operator => self.operator_site(site, links),
            SiteKind::Index => self.index_site(site, links),
            SiteKind::Base => self.base_site(site, links),
            SiteKind::Import => self.import_site(site, links),
            SiteKind::ParameterType => self.type_site(site, EdgeType::Accepts, links),

            SiteKind::TypeRef => self.type_site(site, EdgeType::References, links),
            SiteKind::Test => match self.tested_type(site.subject) {
                Some(target) => links.uses.push(edge(
                    site,
                    EdgeType::References,
                    &[target],
                    Confidence::Exact,
                )),
                None => self.value_site(site, links),
            },
            SiteKind::Read
            | SiteKind::Write
            | SiteKind::ReadWrite
            | SiteKind::Key
            | SiteKind::NameOf => match site.subject {
                Subject::Type(..) => self.type_site(site, EdgeType::References, links),

                _ => self.value_site(site, links),
            },
            SiteKind::Jsx
            | SiteKind::Tag
            | SiteKind::Decorator
            | SiteKind::Export
            | SiteKind::Destructure => {}
        }
    }

    pub(super) fn call_of(&self, subject: Subject) -> Option<CallId> {
        match subject {
            Subject::Construct(_, call) => Some(call),
            Subject::Expr(expr) => match self.facts.expr(expr) {
                Expr::Call(call)
                | Expr::New(call)
                | Expr::NewTarget(call, _)
                | Expr::Index(call) => Some(call),
                _ => None,
            },
            _ => None,
        }
    }

    fn call_site(&self, site: &Site, links: &mut Links) {
        links.calls += 1;
        let Some(call) = self.call_of(site.subject) else {
            return;
        };

        let result = self.resolve_call(call);
        let targets: Vec<DeclRef> = result
            .targets
            .iter()
            .copied()
            .filter(|target| self.is_node(*target))
            .collect();

        match result.outcome {
            CallOutcome::Target if !targets.is_empty() => {
                links.calls_resolved += 1;
                links
                    .uses
                    .push(edge(site, EdgeType::Calls, &targets, result.confidence()));
            }
            _ if self.exceeded() => links.unresolved.push(self.unresolved(site)),
            CallOutcome::External => links.calls_external += 1,
            CallOutcome::Target => links.values_called.push(site.at),
            CallOutcome::Value => {
                links.values_called.push(site.at);
                self.value_called(site, call, links);
            }
            CallOutcome::Unknown => links.unresolved.push(self.unresolved(site)),
        }
    }

    /// Whoever calls a delegate uses the field, property or event that holds it (standard
    /// §12.8.10.4).
    fn value_called(&self, site: &Site, call: CallId, links: &mut Links) {
        let callee = self.facts.calls[call.index()].callee;
        if matches!(self.facts.expr(callee), Expr::Name(..) | Expr::Member(..)) {
            self.value_site(
                &Site {
                    subject: Subject::Expr(callee),
                    ..*site
                },
                links,
            );
        }
    }

    /// Reports whether a declaration is a vertex of the graph: a local function need not be.
    pub(super) fn is_node(&self, target: DeclRef) -> bool {
        !self.is_external_file(target.file) && !self.decl(target).detail.is_none()
    }

    pub(super) fn used_name(&self, subject: Subject) -> Sym {
        match subject {
            Subject::Construct(ty, _) | Subject::Type(ty, _) => self.last_segment(ty),
            Subject::Expr(expr) => self.expr_name(expr),
            Subject::Key(_, name) => name,
            _ => Sym::NONE,
        }
    }

    fn expr_name(&self, expr: ExprId) -> Sym {
        let mut current = expr;
        for _ in 0..4 {
            match self.facts.expr(current) {
                Expr::Name(name, ..) | Expr::Member(_, name) => return name,
                Expr::TypeValue(ty) => return self.last_segment(ty),
                Expr::Call(call) | Expr::New(call) | Expr::Index(call) => {
                    current = self.facts.calls[call.index()].callee
                }
                Expr::Generic(inner, _) => current = inner,
                _ => return Sym::NONE,
            }
        }
        Sym::NONE
    }

    fn last_segment(&self, ty: TypeId) -> Sym {
        match self.facts.type_expr(ty) {
            TypeExpr::Name(segments, _) => self
                .facts
                .list(segments)
                .last()
                .map_or(Sym::NONE, |last| last.name),
            _ => Sym::NONE,
        }
    }

    fn operator_site(&self, site: &Site, links: &mut Links) {
        let Subject::Expr(expr) = site.subject else {
            return;
        };

        let chosen = match self.facts.expr(expr) {
            Expr::Binary(operator, left, right) => self.resolve_binary(operator, left, right).0,
            Expr::Unary(operator, inner) => self.resolve_unary(operator, inner).0,
            _ => None,
        };

        if let Some(chosen) =
            chosen.filter(|chosen| !self.is_external_file(chosen.best.candidate.decl.file))
        {
            let mut targets = vec![chosen.best.candidate.decl];

            let confidence = if chosen.certainty.is_certain() {
                Confidence::Exact
            } else {
                Confidence::Inferred
            };

            if !chosen.certainty.is_certain() {
                targets.extend(chosen.others);
            }

            links
                .uses
                .push(edge(site, EdgeType::Calls, &targets, confidence));
        }
    }

    fn index_site(&self, site: &Site, links: &mut Links) {
        let Some(call) = self.call_of(site.subject) else {
            return;
        };
        let result: std::rc::Rc<CallResult> = self.resolve_call(call);
        if result.outcome == CallOutcome::Target {
            links.uses.push(edge(
                site,
                EdgeType::References,
                &result.targets,
                result.confidence(),
            ));
        }
    }

    fn base_site(&self, site: &Site, links: &mut Links) {
        let Subject::Base(decl, index) = site.subject else {
            return;
        };

        let Some(&base) = self
            .facts
            .list(self.facts.decl(decl).bases)
            .get(usize::from(index))
        else {
            return;
        };
        // The bases first: while they are looked for, a type is taken to have none, and that must
        // not depend on who asks.
        if let Some(&tid) = self.table.types.get(&decl) {
            self.bases(tid);
        }

        let Some(target) = self.declaration_of(self.type_of(self.file, base.ty)) else {
            return;
        };

        let child = self.facts.decl(decl).kind;
        let parent = self.decl(target).kind;
        let edge_type = match (child, parent) {
            (DeclKind::TypeParam, _) => EdgeType::References,
            (DeclKind::Interface, _) => EdgeType::Extends,
            (_, DeclKind::Interface) => EdgeType::Implements,
            _ => EdgeType::Inherits,
        };

        let source = if child == DeclKind::TypeParam {
            site.owner
        } else {
            decl
        };

        links.uses.push(Use {
            source,
            ..edge(site, edge_type, &[target], Confidence::Exact)
        });
    }

    /// Returns the declaration of a declared type.
    pub(super) fn declaration_of(&self, ty: Ty) -> Option<DeclRef> {
        match self.arena.get(ty) {
            Type::Named(tid, _) => {
                let group = self.type_def(tid);
                (!group.external).then_some(group.parts[0])
            }
            Type::Nullable(of) | Type::Qualifier(of) => self.declaration_of(of),
            _ => None,
        }
    }
}

/// An edge of a site.
pub(super) fn edge(
    site: &Site,
    edge_type: EdgeType,
    targets: &[DeclRef],
    confidence: Confidence,
) -> Use {
    Use {
        source: site.owner,
        edge_type,
        confidence,
        targets: targets.iter().copied().map(Target::Decl).collect(),
        at: site.at,
    }
}
