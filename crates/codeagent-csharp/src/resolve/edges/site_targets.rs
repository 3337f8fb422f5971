//! The target of each site of a file.
//!
//! Limitations: the namespace before a dot has no edge; a `using` of a namespace has one, to its
//! first declaration.

use std::sync::Arc;

use codeagent_lang::explain::Report;
use codeagent_lang::query::stack::QueryStack;
use codeagent_lang::sites::{ResolveSites, SiteResolution, SiteTarget};
use codeagent_lang::{DeclRef, FileId, Reference, Target};
use codeagent_model::external::ExternalSymbol;
use codeagent_model::facts::{
    CallId, DeclId, DeclKind, Expr, ExprId, Site, SiteKind, Subject, Sym, TypeExpr, TypeId,
};
use codeagent_model::graph::{Confidence, EdgeType};

use crate::resolve::edges::{FileResolver, SiteResolver};
use crate::resolve::expressions::calls::CallOutcome;
use crate::resolve::global_index::tables::TypeDef;
use crate::resolve::types::queries::Query;
use crate::resolve::types::{SiteContext, Ty, Type};

impl ResolveSites for FileResolver<'_> {
    type Query = Query;

    fn sites(&self) -> &[Site] {
        &self.types.facts().sites
    }

    fn stack(&self) -> &QueryStack<Query> {
        self.types.stack()
    }

    fn resolve_site(&self, site: &Site) -> SiteResolution {
        let resolution = self.at(site.owner).resolve_site(site);
        let has_edge =
            matches!(resolution.target, SiteTarget::Edge(_)) || resolution.named.is_some();

        if self.types.stack().exceeded() && !has_edge {
            SiteTarget::Exceeded.into()
        } else {
            resolution
        }
    }

    fn name_of_exceeded(&self, site: &Site) -> Option<Sym> {
        Some(self.at(site.owner).used_name(site.subject))
    }

    fn is_packed(&self, file: FileId) -> bool {
        self.types
            .at(SiteContext::default())
            .package_of(file)
            .is_some()
    }

    fn packed_symbol(&self, target: Target) -> Option<Arc<ExternalSymbol>> {
        match target {
            Target::Decl(decl) => self.at(DeclId::NONE).packed_symbol(decl),
            Target::File(_) => None,
        }
    }

    fn explain_site(&self, site: &Site, report: &mut Report<'_>) {
        self.at(site.owner).explain_site(site, report);
    }
}

impl SiteResolver<'_> {
    fn resolve_site(&self, site: &Site) -> SiteResolution {
        let edge = match site.kind {
            SiteKind::Call
            | SiteKind::New
            | SiteKind::ThisInit
            | SiteKind::BaseInit
            | SiteKind::Attribute => return self.resolve_call_site(site),

            SiteKind::Operator => self.resolve_operator_site(site),
            SiteKind::Index => self.resolve_index_site(site),
            SiteKind::Base => return self.resolve_base_site(site).into(),
            SiteKind::Import => return self.resolve_import_site(site).into(),
            SiteKind::ParameterType => {
                return self.resolve_type_site(site, EdgeType::Accepts).into();
            }
            SiteKind::TypeRef => return self.resolve_type_site(site, EdgeType::References).into(),

            SiteKind::Test => match self.resolve_tested_type(site.subject) {
                Some(target) => Some(exact_edge(site, EdgeType::References, target)),
                None => return self.value_target(site).into(),
            },
            SiteKind::Read
            | SiteKind::Write
            | SiteKind::ReadWrite
            | SiteKind::Key
            | SiteKind::NameOf => match site.subject {
                Subject::Type(..) => {
                    return self.resolve_type_site(site, EdgeType::References).into();
                }
                _ => return self.value_target(site).into(),
            },
            SiteKind::Jsx
            | SiteKind::Tag
            | SiteKind::Decorator
            | SiteKind::Export
            | SiteKind::Destructure => None,
        };

        edge.map_or(SiteTarget::Nothing, SiteTarget::Edge).into()
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

    fn resolve_call_site(&self, site: &Site) -> SiteResolution {
        let Some(call) = self.call_of(site.subject) else {
            return SiteTarget::Nothing.into();
        };

        let result = self.resolve_call(call);
        let targets: Vec<DeclRef> = self
            .nodes_of(&result.targets)
            .into_iter()
            .filter(|target| self.is_node(*target))
            .collect();

        match result.outcome {
            CallOutcome::Target if !targets.is_empty() => {
                SiteTarget::Edge(edge(site, EdgeType::Calls, &targets, result.confidence())).into()
            }
            _ if self.exceeded() => SiteTarget::Exceeded.into(),
            CallOutcome::External => SiteTarget::External(self.external_call(site, &result)).into(),
            CallOutcome::Target => SiteTarget::Value.into(),
            CallOutcome::Value => SiteResolution {
                target: SiteTarget::Value,
                named: self.resolve_called_value(site, call),
            },
            CallOutcome::Unknown => SiteTarget::Unresolved(self.used_name(site.subject)).into(),
        }
    }

    /// Resolves the field, property or event whose delegate is called (standard §12.8.10.4).
    fn resolve_called_value(&self, site: &Site, call: CallId) -> Option<Reference> {
        let callee = self.facts.calls[call.index()].callee;
        if !matches!(self.facts.expr(callee), Expr::Name(..) | Expr::Member(..)) {
            return None;
        }

        self.resolve_value_site(&Site {
            subject: Subject::Expr(callee),
            ..*site
        })
    }

    /// Returns the declarations that stand for targets, each once.
    fn nodes_of(&self, targets: &[DeclRef]) -> Vec<DeclRef> {
        let mut nodes: Vec<DeclRef> = Vec::with_capacity(targets.len());
        for target in targets {
            let node = self.node_of(*target);
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        nodes
    }

    /// Returns the declaration that stands for a target: the record, for a member that the compiler
    /// adds to it.
    fn node_of(&self, target: DeclRef) -> DeclRef {
        if !self.is_implied(target) {
            return target;
        }
        let facts = self.facts(target.file);
        let decl = facts.scope(facts.decl(target.decl).scope).owner;
        DeclRef { decl, ..target }
    }

    /// Reports whether a declaration is a node; a local function may not be one.
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

    fn resolve_operator_site(&self, site: &Site) -> Option<Reference> {
        let Subject::Expr(expr) = site.subject else {
            return None;
        };

        let chosen = match self.facts.expr(expr) {
            Expr::Binary(operator, left, right) => self.resolve_binary(operator, left, right).0?,
            Expr::Unary(operator, inner) => self.resolve_unary(operator, inner).0?,
            Expr::Assign(_, value) => self.resolve_compound(value)?,
            _ => return None,
        };
        let best = chosen.best.candidate.decl;
        if self.is_external_file(best.file) || self.is_implied(best) {
            return None;
        }

        let mut targets = vec![best];
        let confidence = if chosen.certainty.is_certain() {
            Confidence::Exact
        } else {
            targets.extend(chosen.others);
            Confidence::Inferred
        };

        let targets = self.nodes_of(&targets);
        Some(edge(site, EdgeType::Calls, &targets, confidence))
    }

    fn resolve_index_site(&self, site: &Site) -> Option<Reference> {
        let call = self.call_of(site.subject)?;
        let result = self.resolve_call(call);

        (result.outcome == CallOutcome::Target).then(|| {
            edge(
                site,
                EdgeType::References,
                &result.targets,
                result.confidence(),
            )
        })
    }

    fn resolve_base_site(&self, site: &Site) -> SiteTarget {
        let Subject::Base(decl, index) = site.subject else {
            return SiteTarget::Nothing;
        };
        let bases = self.facts.list(self.facts.decl(decl).bases);
        let Some(base) = bases.get(usize::from(index)) else {
            return SiteTarget::Nothing;
        };

        // Bases first: while they are being computed, a type counts as having none, and that must
        // not depend on the first query.
        if let Some(&tid) = self.table.types.get(&decl) {
            self.bases(tid);
        }
        let ty = self.type_of(self.file, base.ty);
        let Some(group) = self.definition_of(ty) else {
            return match self.arena.get(ty) {
                Type::External(..) | Type::Unknown => self.missing_type_target(base.ty),
                _ => SiteTarget::Nothing,
            };
        };

        let child = self.facts.decl(decl).kind;
        let edge_type = match (child, group.kind) {
            (DeclKind::TypeParam, _) => EdgeType::References,
            (DeclKind::Interface, _) => EdgeType::Extends,
            (_, DeclKind::Interface) => EdgeType::Implements,
            _ => EdgeType::Inherits,
        };

        match self.type_target(site, edge_type, group) {
            SiteTarget::Edge(edge) if child != DeclKind::TypeParam => {
                SiteTarget::Edge(edge.from_source(decl))
            }
            target => target,
        }
    }

    /// Returns the target of a site that names a type.
    pub(super) fn type_target(
        &self,
        site: &Site,
        edge_type: EdgeType,
        group: &TypeDef,
    ) -> SiteTarget {
        let target = group.parts[0];
        if group.external {
            SiteTarget::External(self.external_use(site, edge_type, target))
        } else {
            SiteTarget::Edge(exact_edge(site, edge_type, target))
        }
    }

    /// Returns the definition of a declared type.
    pub(super) fn definition_of(&self, ty: Ty) -> Option<&TypeDef> {
        match self.arena.get(ty) {
            Type::Named(tid, _) => Some(self.type_def(tid)),
            Type::Nullable(of) | Type::Qualifier(of) => self.definition_of(of),
            _ => None,
        }
    }

    /// Returns the declaration of a type that the repository declares.
    pub(super) fn declaration_of(&self, ty: Ty) -> Option<DeclRef> {
        self.definition_of(ty)
            .filter(|group| !group.external)
            .map(|group| group.parts[0])
    }
}

pub(super) fn edge(
    site: &Site,
    edge_type: EdgeType,
    targets: &[DeclRef],
    confidence: Confidence,
) -> Reference {
    Reference {
        source: site.owner,
        edge_type,
        confidence,
        targets: targets.iter().copied().map(Target::Decl).collect(),
        at: site.at,
    }
}

/// Returns the edge of a site with a certain target.
pub(super) fn exact_edge(site: &Site, edge_type: EdgeType, target: DeclRef) -> Reference {
    Reference::of_site(site, edge_type, vec![Target::Decl(target)])
}
