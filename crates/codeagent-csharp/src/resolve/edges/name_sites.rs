//! The edges of names: imports, types and values.
//!
//! Limitations: those of `site_targets`.

use codeagent_lang::query::names::Name;
use codeagent_lang::sites::SiteTarget;
use codeagent_lang::{DeclRef, Reference, Target};
use codeagent_model::facts::{
    DeclId, DeclKind, Expr, ExprId, Import, ImportKind, Site, Subject, Sym, TypeExpr, TypeId,
};
use codeagent_model::graph::EdgeType;
use rustc_hash::FxHashMap;

use crate::resolve::edges::SiteResolver;
use crate::resolve::edges::site_targets::exact_edge;
use crate::resolve::expressions::simple_names::{ScopePosition, SimpleName};
use crate::resolve::global_index::tables::NamespaceId;
use crate::resolve::types::members::{Candidate, is_method};
use crate::resolve::types::names::TypeOrNamespace;
use crate::resolve::types::{Ty, Type};

impl SiteResolver<'_> {
    pub(super) fn resolve_import_site(&self, site: &Site) -> SiteTarget {
        let Subject::Import(id) = site.subject else {
            return SiteTarget::Nothing;
        };
        let is_named = |import: &Import| import.kind != ImportKind::ExternAlias;
        if !self.facts.imports.get(id.index()).is_some_and(is_named) {
            return SiteTarget::Nothing;
        }

        let target = match self.resolve_import(self.file, id) {
            TypeOrNamespace::Type(ty) => self
                .definition_of(ty)
                .map(|group| self.type_target(site, EdgeType::Imports, group)),
            TypeOrNamespace::Namespace(namespace) => self
                .lookup_namespace_declaration(namespace)
                .map(|target| SiteTarget::Edge(exact_edge(site, EdgeType::Imports, target))),
            TypeOrNamespace::None => None,
        };

        match target {
            Some(SiteTarget::Edge(edge)) => SiteTarget::Edge(edge.from_source(DeclId::NONE)),
            target => target.unwrap_or(SiteTarget::Nothing),
        }
    }

    fn lookup_namespace_declaration(&self, namespace: NamespaceId) -> Option<DeclRef> {
        let decls = &self.tables.namespaces[namespace.0 as usize].decls;
        decls
            .iter()
            .copied()
            .find(|decl| !self.is_external_file(decl.file))
    }

    pub(super) fn resolve_type_site(&self, site: &Site, edge_type: EdgeType) -> SiteTarget {
        let Subject::Type(ty, segment) = site.subject else {
            return SiteTarget::Nothing;
        };
        let TypeExpr::Name(segments, scope) = self.facts.type_expr(ty) else {
            return SiteTarget::Nothing;
        };

        let segments = self.facts.list(segments);
        let end = (usize::from(segment) + 1).min(segments.len());
        let found = self.resolve_segments(self.file, &segments[..end], scope, None);
        let group = match found {
            TypeOrNamespace::Type(ty) => self.definition_of(ty),
            TypeOrNamespace::Namespace(_) | TypeOrNamespace::None => None,
        };

        match group {
            Some(group) => self.type_target(site, edge_type, group),
            None if found == TypeOrNamespace::None => self.missing_type_target(ty),
            None => SiteTarget::Nothing,
        }
    }

    /// Returns the target of a site that names an undeclared type.
    pub(super) fn missing_type_target(&self, ty: TypeId) -> SiteTarget {
        unresolved(self.lookup_missing_type(ty))
    }

    /// Returns the unqualified name of a type that no namespace in scope declares, if all of these
    /// are declared.
    fn lookup_missing_type(&self, ty: TypeId) -> Option<Sym> {
        if self.imports_undeclared() || self.type_of_attribute(ty).is_some() {
            return None;
        }
        let TypeExpr::Name(segments, _) = self.facts.type_expr(ty) else {
            return None;
        };
        match self.facts.list(segments) {
            [only] => Some(only.name),
            _ => None,
        }
    }

    /// Returns the target of a site that reads or writes a value.
    pub(super) fn value_target(&self, site: &Site) -> SiteTarget {
        match self.resolve_value_site(site) {
            Some(edge) => SiteTarget::Edge(edge),
            None => unresolved(self.lookup_missing_member(site.subject)),
        }
    }

    /// Returns the name of a member whose receiver has an unknown type, or a type that is completely
    /// declared and lacks it.
    fn lookup_missing_member(&self, subject: Subject) -> Option<Sym> {
        let (receiver, name, base) = match subject {
            Subject::Expr(expr) => match self.facts.expr(expr) {
                Expr::Member(base, name) | Expr::Destructured(base, name) => {
                    (self.type_of_expr(base), name, Some(base))
                }
                _ => return None,
            },
            Subject::Key(object, name) => {
                let ty = self.type_of_expr(self.facts.decl(object).init);
                (ty, name, None)
            }
            _ => return None,
        };
        if receiver == Ty::UNKNOWN {
            return Some(name);
        }
        if !self.is_complete_type(receiver) {
            return None;
        }

        let is_missing = match base {
            Some(base) => {
                let access = self.lookup_member_access(base, self.own_name(name));
                access.candidates.is_empty() && access.ty.is_unknown()
            }
            None => self
                .lookup_members(receiver, self.own_name(name))
                .is_empty(),
        };
        is_missing.then_some(name)
    }

    pub(super) fn resolve_value_site(&self, site: &Site) -> Option<Reference> {
        let (candidates, ty) = match site.subject {
            Subject::Expr(expr) => self.lookup_named(expr),
            Subject::Key(object, key) => (self.lookup_key_members(object, key), Ty::UNKNOWN),
            _ => return None,
        };

        let Some(first) = candidates.first() else {
            let target = self.declaration_of_type_value(ty)?;
            return Some(exact_edge(site, EdgeType::References, target));
        };

        let kind = self.decl(first.decl).kind;
        if matches!(kind, DeclKind::Variable | DeclKind::Parameter) {
            return None;
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
            return None;
        }

        let targets = targets.into_iter().map(Target::Decl).collect();
        Some(Reference::of_site(site, EdgeType::References, targets))
    }

    /// Returns the repository type that `value is Name` tests for, if `Name` is a type (standard
    /// §12.12.12).
    pub(super) fn resolve_tested_type(&self, subject: Subject) -> Option<DeclRef> {
        let Subject::Expr(expr) = subject else {
            return None;
        };
        let Expr::Name(name, scope, _) = self.facts.expr(expr) else {
            return None;
        };
        match self.lookup_type_name(self.own_name(name), scope, 0) {
            SimpleName::Type(ty) => self
                .declaration_of(ty)
                .filter(|target| self.is_node(*target)),
            _ => None,
        }
    }

    /// Returns the member that a key of an object initialiser sets.
    fn lookup_key_members(&self, object: DeclId, key: Sym) -> Vec<Candidate> {
        let ty = self.type_of_expr(self.facts.decl(object).init);
        self.lookup_members(ty, self.own_name(key)).to_vec()
    }

    /// Returns the method that an expression names, if it names one.
    pub(super) fn named_method(&self, expr: ExprId) -> Option<DeclRef> {
        let (candidates, _) = self.lookup_named(expr);
        let method = candidates.first()?.decl;
        (is_method(self.decl(method).kind) && self.is_node(method)).then_some(method)
    }

    /// Returns the candidates of a name or member access, and its type.
    pub(super) fn lookup_named(&self, expr: ExprId) -> (Vec<Candidate>, Ty) {
        match self.facts.expr(expr) {
            Expr::Name(name, scope, offset) => {
                match self.lookup_value(self.own_name(name), ScopePosition { scope, offset }, false)
                {
                    SimpleName::Local(found)
                    | SimpleName::Members(found)
                    | SimpleName::Imported(found, _) => {
                        match self.resolve_color_color(expr, &found) {
                            Some(ty) => (Vec::new(), ty),
                            None => (found, Ty::UNKNOWN),
                        }
                    }
                    _ => (Vec::new(), self.type_of_expr(expr)),
                }
            }

            Expr::Member(base, name) | Expr::Destructured(base, name) => {
                let access = self.lookup_member_access(base, self.own_name(name));
                (access.candidates, access.ty)
            }
            Expr::Generic(inner, _) => {
                let mut methods = self.group_candidates(inner);
                methods.retain(|candidate| is_method(self.decl(candidate.decl).kind));
                (methods, self.type_of_expr(expr))
            }

            Expr::TypeValue(_) => (Vec::new(), self.type_of_expr(expr)),
            _ => (Vec::new(), Ty::UNKNOWN),
        }
    }

    /// Resolves `Color` in `Color.Red` where it is also a value of type `Color`: the type, if the
    /// accessed member is static (standard §12.8.7.2).
    fn resolve_color_color(&self, expr: ExprId, values: &[Candidate]) -> Option<Ty> {
        let ty = self.type_of_candidate(values.first()?);
        if !self.names_its_type(expr, ty) {
            return None;
        }

        let followed = self
            .followers
            .get_or_init(|| self.collect_followers())
            .get(&expr)?;

        let access = self.lookup_member_access(expr, *followed);
        (!access.candidates.is_empty()
            && access
                .candidates
                .iter()
                .all(|member| self.is_static(member)))
        .then(|| self.arena.add(Type::Qualifier(ty)))
    }

    /// Returns the member accessed on each bare name.
    fn collect_followers(&self) -> FxHashMap<ExprId, Name> {
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

fn unresolved(name: Option<Sym>) -> SiteTarget {
    name.map_or(SiteTarget::Nothing, SiteTarget::Unresolved)
}
