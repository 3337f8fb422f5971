//! Sites: the edge that each site of the file becomes.
//!
//! **Limits.** The namespace before a dot has no edge; a `using` of a namespace has one, to its
//! first declaration.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, Links, Target, Unresolved, Use};
use codeagent_model::facts::{
    CallId, DeclId, DeclKind, Expr, ExprId, ImportId, ImportKind, ScopeId, ScopeKind, Site,
    SiteKind, Subject, Sym, TypeExpr, TypeId,
};
use codeagent_model::graph::{Confidence, EdgeType};
use rustc_hash::FxHashMap;

use crate::resolve::declared::tables::NamespaceId;
use crate::resolve::edges::Linker;
use crate::resolve::expressions::calls::{CallOutcome, CallResult};
use crate::resolve::expressions::simple_names::Simple;
use crate::resolve::types::members::{Candidate, is_method};
use crate::resolve::types::names::Found;
use crate::resolve::types::{Ty, Type};

impl Linker<'_> {
    /// Links all sites.
    pub(super) fn sites(&self, links: &mut Links) {
        for site in &self.facts.sites {
            self.evaluation.begin_site();
            let (uses, unresolved) = (links.uses.len(), links.unresolved.len());

            if self.spend(1) {
                self.enter(site.owner);
                self.site(site, links);
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

    pub(super) fn site(&self, site: &Site, links: &mut Links) {
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

        let result = self.call(call);
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

    /// Whether a declaration is a vertex of the graph: a local function need not be.
    fn is_node(&self, target: DeclRef) -> bool {
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
            Expr::Binary(operator, left, right) => self.binary(operator, left, right).0,
            Expr::Unary(operator, inner) => self.unary(operator, inner).0,
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
        let result: std::rc::Rc<CallResult> = self.call(call);
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

    /// The declaration of a declared type.
    fn declaration_of(&self, ty: Ty) -> Option<DeclRef> {
        match self.arena.get(ty) {
            Type::Inst(tid, _) => {
                let group = self.group(tid);
                (!group.external).then_some(group.parts[0])
            }
            Type::Nullable(of) | Type::Qualifier(of) => self.declaration_of(of),
            _ => None,
        }
    }

    fn import_site(&self, site: &Site, links: &mut Links) {
        let Subject::Import(id) = site.subject else {
            return;
        };
        let Some(import) = self.facts.imports.get(id.index()) else {
            return;
        };
        if import.kind == ImportKind::ExternAlias {
            return;
        }
        if let Some(target) = self.import_declaration(id) {
            links.uses.push(Use {
                source: DeclId::NONE,
                ..edge(site, EdgeType::Imports, &[target], Confidence::Exact)
            });
        }
    }

    fn import_declaration(&self, id: ImportId) -> Option<DeclRef> {
        match self.import_target(self.file, id) {
            Found::Type(ty) => self.declaration_of(ty),
            Found::Namespace(namespace) => self.namespace_declaration(namespace),
            Found::None => None,
        }
    }

    fn namespace_declaration(&self, namespace: NamespaceId) -> Option<DeclRef> {
        let decls = &self.tables.namespaces[namespace.0 as usize].decls;
        decls
            .iter()
            .copied()
            .find(|decl| !self.is_external_file(decl.file))
    }

    fn type_site(&self, site: &Site, edge_type: EdgeType, links: &mut Links) {
        let Subject::Type(ty, segment) = site.subject else {
            return;
        };

        let target = match self.facts.type_expr(ty) {
            TypeExpr::Name(segments, scope) => {
                let segments = self.facts.list(segments);
                let end = (usize::from(segment) + 1).min(segments.len());
                match self.resolve_segments(self.file, &segments[..end], scope, None) {
                    Found::Type(ty) => self.declaration_of(ty),
                    _ => None,
                }
            }
            _ => None,
        };

        if let Some(target) = target {
            links
                .uses
                .push(edge(site, edge_type, &[target], Confidence::Exact));
        }
    }

    fn value_site(&self, site: &Site, links: &mut Links) {
        let (candidates, ty) = match site.subject {
            Subject::Expr(expr) => self.named_by(expr),
            Subject::Key(object, key) => (self.key_members(object, key), Ty::UNKNOWN),
            _ => return,
        };

        let Some(first) = candidates.first() else {
            if let Some(target) = self.declaration_of_type_value(ty) {
                links.uses.push(edge(
                    site,
                    EdgeType::References,
                    &[target],
                    Confidence::Exact,
                ));
            }

            return;
        };

        let kind = self.decl(first.decl).kind;
        if matches!(kind, DeclKind::Variable | DeclKind::Parameter) {
            return;
        }

        let targets: Vec<DeclRef> = if is_method(kind) {
            candidates
                .iter()
                .map(|candidate| candidate.decl)
                .filter(|target| self.is_node(*target))
                .take(8)
                .collect()
        } else {
            vec![first.decl]
        };

        if targets.is_empty() || self.is_external_file(targets[0].file) {
            return;
        }

        let confidence = if targets.len() == 1 {
            Confidence::Exact
        } else {
            Confidence::Inferred
        };

        links
            .uses
            .push(edge(site, EdgeType::References, &targets, confidence));
    }

    /// The type of the repository that `value is Name` tests for, if a type is meant (standard
    /// §12.12.12).
    fn tested_type(&self, subject: Subject) -> Option<DeclRef> {
        let Subject::Expr(expr) = subject else {
            return None;
        };
        let Expr::Name(name, scope, _) = self.facts.expr(expr) else {
            return None;
        };
        match self.lookup_type_name(self.own_name(name), scope, 0) {
            Simple::Type(ty) => self
                .declaration_of(ty)
                .filter(|target| self.is_node(*target)),
            _ => None,
        }
    }

    /// The member that a key of an object initialiser sets.
    fn key_members(&self, object: DeclId, key: Sym) -> Vec<Candidate> {
        let ty = self.expr_type(self.facts.decl(object).init);
        self.members(ty, self.own_name(key)).to_vec()
    }

    /// What a name or member access names.
    fn named_by(&self, expr: ExprId) -> (Vec<Candidate>, Ty) {
        match self.facts.expr(expr) {
            Expr::Name(name, scope, offset) => {
                match self.lookup_value(self.own_name(name), (scope, offset), false) {
                    Simple::Local(found) | Simple::Members(found) | Simple::Imported(found, _) => {
                        match self.type_meant(expr, &found) {
                            Some(ty) => (Vec::new(), ty),
                            None => (found, Ty::UNKNOWN),
                        }
                    }
                    _ => (Vec::new(), self.expr_type(expr)),
                }
            }
            Expr::Member(base, name) | Expr::Destructured(base, name) => {
                let access = self.member_access(base, self.own_name(name));
                (access.candidates, access.ty)
            }
            Expr::Generic(inner, _) => {
                let (found, _) = self.named_by(inner);
                let methods: Vec<Candidate> = found
                    .into_iter()
                    .filter(|candidate| is_method(self.decl(candidate.decl).kind))
                    .collect();
                (methods, self.expr_type(expr))
            }
            Expr::TypeValue(_) => (Vec::new(), self.expr_type(expr)),
            _ => (Vec::new(), Ty::UNKNOWN),
        }
    }

    /// `Color.Red` where `Color` is also a value of type `Color`: the type, if what follows is a
    /// static member (standard §12.8.7.2).
    fn type_meant(&self, expr: ExprId, values: &[Candidate]) -> Option<Ty> {
        let Expr::Name(name, ..) = self.facts.expr(expr) else {
            return None;
        };
        let Type::Inst(tid, _) = self.arena.get(self.candidate_type(values.first()?)) else {
            return None;
        };
        if self.tables.group(tid).name != self.own_name(name) {
            return None;
        }

        let followed = self
            .followers
            .get_or_init(|| self.names_followed())
            .get(&expr)?;

        let access = self.member_access(expr, *followed);
        (!access.candidates.is_empty()
            && access
                .candidates
                .iter()
                .all(|member| self.is_static(member)))
        .then(|| {
            self.arena
                .add(Type::Qualifier(self.candidate_type(&values[0])))
        })
    }

    /// The member that is accessed on each bare name.
    fn names_followed(&self) -> FxHashMap<ExprId, Name> {
        let follows = |expr: &Expr| match *expr {
            Expr::Member(base, name) if matches!(self.facts.expr(base), Expr::Name(..)) => {
                Some((base, self.own_name(name)))
            }
            _ => None,
        };
        self.facts.exprs.iter().filter_map(follows).collect()
    }

    fn declaration_of_type_value(&self, ty: Ty) -> Option<DeclRef> {
        matches!(self.arena.get(ty), Type::Qualifier(_))
            .then(|| self.declaration_of(ty))
            .flatten()
    }
}

/// An edge of a site.
fn edge(site: &Site, edge_type: EdgeType, targets: &[DeclRef], confidence: Confidence) -> Use {
    Use {
        source: site.owner,
        edge_type,
        confidence,
        targets: targets.iter().copied().map(Target::Decl).collect(),
        at: site.at,
    }
}
