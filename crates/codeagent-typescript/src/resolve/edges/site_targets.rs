//! The target of each site of a file: calls, references, types, imports and base lists.
//!
//! [`super::targets`] finds the declarations, the module or the value that a site refers to; here
//! that becomes an edge, or the reason why there is none.
//!
//! Limitations: a use with an unknown receiver is unresolved; a use of an external symbol is
//! external. Locals and parameters are not targets.

use std::sync::Arc;

use codeagent_lang::explain::Report;
use codeagent_lang::query::stack::QueryStack;
use codeagent_lang::sites::{ResolveSites, SiteResolution, SiteTarget};
use codeagent_lang::{DeclRef, FileId, Reference, Resolution, Target};
use codeagent_model::external::ExternalSymbol;
use codeagent_model::facts::*;
use codeagent_model::graph::{Confidence, EdgeType};
use rustc_hash::FxHashSet;

use super::explain::Explanation;
use super::targets::Referent;
use super::used_names;
use crate::resolve::edges::FileResolver;
use crate::resolve::queries::Query;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{DeclList, LookupPosition, Meaning};

/// Largest number of symbols recorded for an ambiguous use.
const MAX_TARGETS: usize = 8;

impl ResolveSites for FileResolver<'_> {
    type Query = Query;

    fn sites(&self) -> &[Site] {
        &self.own_facts().sites
    }

    fn stack(&self) -> &QueryStack<Query> {
        &self.stack
    }

    fn resolve_site(&self, site: &Site) -> SiteResolution {
        let is_call = site.kind.is_call();
        let referent = self.resolve_referent(*site);

        if matches!(referent, Referent::Unknown | Referent::External)
            && !self.stack.is_used_up()
            && let Some(edge) = self
                .edge_in_type_arguments(*site)
                .or_else(|| self.edge_to_added_member(*site))
        {
            return SiteTarget::Edge(edge).into();
        }

        match referent {
            // The budget was exceeded while resolving it.
            Referent::Unknown if self.stack.is_used_up() => SiteTarget::Exceeded.into(),
            Referent::Decls(decls) => self.resolve_declarations(*site, decls),
            Referent::Likely(decls) => {
                let mut resolution = self.resolve_declarations(*site, decls);
                if let SiteTarget::Edge(edge) = &mut resolution.target {
                    edge.confidence = Confidence::Inferred;
                }
                resolution
            }
            Referent::File(file) if !is_call => self
                .edge_type(*site)
                .map_or(SiteTarget::Nothing, |edge_type| {
                    SiteTarget::Edge(Reference::of_site(
                        site,
                        edge_type,
                        vec![Target::File(file)],
                    ))
                })
                .into(),
            Referent::External => SiteTarget::External(self.imported_use(site)).into(),
            Referent::Value => SiteTarget::Value.into(),
            Referent::Anonymous if is_call => SiteTarget::Unresolved(Sym::NONE).into(),
            Referent::Anonymous => SiteTarget::Nothing.into(),
            // The value that a module exports as a whole is not the module itself.
            Referent::Unknown | Referent::File(_) => used_names::of_value(self.own_facts(), *site)
                .map_or(SiteTarget::Nothing, SiteTarget::Unresolved)
                .into(),
        }
    }

    /// Returns the name in any case: the site may or may not be external.
    fn name_of_exceeded(&self, site: &Site) -> Option<Sym> {
        used_names::name_or_fallback(self.own_facts(), *site)
    }

    fn is_packed(&self, file: FileId) -> bool {
        self.package_of(file).is_some()
    }

    fn packed_symbol(&self, target: Target) -> Option<Arc<ExternalSymbol>> {
        self.symbol_in_pack(target)
    }

    fn explain_site(&self, site: &Site, report: &mut Report<'_>) {
        Explanation {
            resolver: self,
            report,
        }
        .site(site);
    }
}

impl FileResolver<'_> {
    /// Returns the target of a site that refers to declarations: a node, an external symbol, or a
    /// called value.
    fn resolve_declarations(&self, site: Site, decls: DeclList) -> SiteResolution {
        let named = self
            .resolve_constructed(site, &decls)
            .and_then(|named| self.edge(site, SiteKind::Read, named));
        let declared_outside = self.named_outside(&decls);
        let is_value = self.is_called_by_name(site)
            && decls
                .iter()
                .all(|decl| !self.decl(*decl).flags.has(DeclFlags::MEMBER));

        // A constructor's parameter called by its name is not its property, which is only named.
        let is_from_parameter = decls
            .iter()
            .all(|decl| self.decl(*decl).flags.has(DeclFlags::FROM_PARAMETER));
        let is_only_named = is_from_parameter && self.is_parameter_called(site)
            || site.kind == SiteKind::Call && decls.iter().all(|decl| self.is_no_function(*decl));
        let kind = if is_only_named {
            SiteKind::Read
        } else {
            site.kind
        };

        let target = match self.edge(site, kind, decls) {
            Some(edge) => SiteTarget::Edge(edge),
            None if let Some(decl) = declared_outside => {
                SiteTarget::External(self.declared_use(&site, decl))
            }
            None if is_value => SiteTarget::Value,
            None if site.kind.is_call() => SiteTarget::Unresolved(Sym::NONE),
            None => SiteTarget::Nothing,
        };

        SiteResolution { target, named }
    }

    /// Returns the declaration outside the repository that names a use. The first overload of a
    /// function counts; the members of `Array` come after those of `ReadonlyArray`.
    fn named_outside(&self, decls: &[DeclRef]) -> Option<DeclRef> {
        let mut outside = decls
            .iter()
            .copied()
            .filter(|decl| self.is_external_file(decl.file));
        let first = outside.next()?;
        match self.decl(first).kind {
            DeclKind::Function => Some(first),
            _ => Some(outside.next_back().unwrap_or(first)),
        }
    }

    /// Reports whether the type written for a property has no signature. A call is then of what a
    /// mapped type makes of the property.
    fn is_no_function(&self, decl: DeclRef) -> bool {
        let facts = self.facts(decl.file);
        let declaration = facts.decl(decl.decl);
        declaration.kind == DeclKind::Property
            && !declaration.ty.is_none()
            && match facts.type_expr(declaration.ty) {
                TypeExpr::Object(_) => self.signatures(self.type_of_decl(decl)).is_empty(),
                TypeExpr::Primitive(word) => {
                    matches!(facts.text(word), "string" | "number" | "boolean" | "bigint")
                }
                TypeExpr::Literal(..) => true,
                _ => false,
            }
    }

    /// Reports whether the callee is a bare name or a function or class expression.
    fn is_called_by_name(&self, site: Site) -> bool {
        self.called_by_name(site).is_some()
    }

    /// Returns the callee if it is a bare name or a function or class expression.
    fn called_by_name(&self, site: Site) -> Option<ExprId> {
        let facts = self.own_facts();
        let (Subject::Expr(mut expr) | Subject::Decorator(mut expr)) = site.subject else {
            return None;
        };
        loop {
            expr = match facts.expr(expr) {
                Expr::Call(call) | Expr::New(call) => facts.calls[call.index()].callee,
                Expr::Jsx(inner) | Expr::Generic(inner, _) | Expr::Satisfies(inner, _) => inner,
                Expr::Name(..) | Expr::Function(_) | Expr::Class(_) => return Some(expr),
                _ => return None,
            };
        }
    }

    /// Reports whether the callee is the name of a parameter.
    fn is_parameter_called(&self, site: Site) -> bool {
        let callee = self.called_by_name(site).filter(|_| site.kind.is_call());
        let Some(Expr::Name(sym, scope, offset)) = callee.map(|expr| self.own_facts().expr(expr))
        else {
            return false;
        };
        let position = LookupPosition {
            file: self.file,
            scope,
            offset,
        };
        self.lookup_name(position, self.name(self.file, sym), Meaning::Value)
            .iter()
            .any(|decl| self.decl(*decl).kind == DeclKind::Parameter)
    }

    /// Returns the edge from a site, as if it were of this kind, to those declarations that are
    /// nodes.
    pub fn edge(&self, site: Site, kind: SiteKind, decls: DeclList) -> Option<Reference> {
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

        if targets.is_empty() {
            return None;
        }
        let edge_type = self.edge_type(Site { kind, ..site })?;

        Some(Reference::of_site(&site, edge_type, targets))
    }

    /// Reports whether a declaration is a node of the graph.
    pub fn is_node(&self, decl: DeclRef) -> bool {
        !self.is_external_file(decl.file) && !self.decl(decl).detail.is_none()
    }

    /// Returns the declaration that represents a symbol: its implementation, else its first
    /// declaration in the repository.
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

    pub(super) fn edge_type(&self, site: Site) -> Option<EdgeType> {
        Some(match site.kind {
            kind if kind.is_call() => EdgeType::Calls,
            SiteKind::ParameterType => EdgeType::Accepts,
            SiteKind::Import => EdgeType::Imports,
            SiteKind::Export if self.names_a_module(site) => EdgeType::Imports,
            SiteKind::Base => self.base_edge(site)?,
            _ => EdgeType::References,
        })
    }

    /// Reports whether an export clause has a `from`.
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

    /// Records one edge from the file to each module it imports names from, at the specifier.
    pub fn record_module_edges(&self, resolution: &mut Resolution) {
        let (file, facts) = (self.file, self.own_facts());

        let mut seen: FxHashSet<u32> = FxHashSet::default();
        for import in facts.imports.iter().filter(|import| !import.decl.is_none()) {
            if !seen.insert(import.at.offset) {
                continue;
            }
            if let ResolvedName::Module(target) = self.resolve_module(file, import.module) {
                resolution.uses.push(Reference {
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
