//! The target of each site in a file: calls, references, types, imports and base lists.
//!
//! **Limits.** A use with an unknown receiver gives an [`Unresolved`] entry instead of an edge; a
//! use of an external symbol gives neither. Locals and parameters are not targets.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, FileId, Links, Target, Unresolved, Use};
use codeagent_model::facts::*;
use codeagent_model::graph::{Confidence, EdgeType};
use rustc_hash::FxHashSet;

use super::used_names;
use crate::resolve::arena::{Ty, Type};
use crate::resolve::edges::FileResolver;
use crate::resolve::symbols::at;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{DeclList, LookupPosition, Meaning};
use crate::resolve::types::members::MemberLookup;

/// So many symbols that a use may mean are kept.
const MAX_TARGETS: usize = 8;

/// What became of a site.
pub enum SiteTarget {
    /// Declarations of the repository or of outside.
    Decls(DeclList),
    /// A module.
    File(FileId),
    /// Something outside.
    Outside,
    /// A local that holds something.
    Value,
    /// Something of the repository that is no node and has none of its names.
    Nameless,
    /// It should be known but is not.
    Unknown,
}

impl From<ResolvedName> for SiteTarget {
    fn from(found: ResolvedName) -> Self {
        match found {
            ResolvedName::Decls(decls) => Self::Decls(decls),
            ResolvedName::Module(file) => Self::File(file),
            ResolvedName::Ambient(block) => Self::Decls(DeclList::from_slice(&[block])),
            ResolvedName::External => Self::Outside,
            ResolvedName::Nothing => Self::Unknown,
        }
    }
}

impl FileResolver<'_> {
    /// The uses of all sites of the file.
    pub fn sites(&mut self, links: &mut Links) {
        let facts = self.own_facts();
        for site in &facts.sites {
            self.site(*site, links);
        }
        self.module_edges(links);
    }

    pub fn site(&mut self, site: Site, links: &mut Links) {
        let is_call = site.kind.is_call();
        links.calls += u32::from(is_call);

        if !self.spend(1) {
            self.give_up(site, links);
            return;
        }

        match self.outcome(site) {
            // What is unknown then is so because the budget ended on it.
            SiteTarget::Unknown if self.evaluation.is_used_up() => self.give_up(site, links),
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
            SiteTarget::Outside => links.calls_external += u32::from(is_call),
            SiteTarget::Value if is_call => links.values_called.push(site.at),
            SiteTarget::Nameless if is_call => record_unresolved(links, site, Sym::NONE),
            SiteTarget::Value | SiteTarget::Nameless => {}
            // What a module gives out as a whole is not the module.
            SiteTarget::Unknown | SiteTarget::File(_) => {
                if let Some(name) = used_names::of_value(self.own_facts(), site) {
                    record_unresolved(links, site, name);
                }
            }
        }
    }

    /// Keeps the name of a site that costs too much: nobody knows whether it is one from outside.
    fn give_up(&self, site: Site, links: &mut Links) {
        links.given_up += 1;
        let name = used_names::whatever_it_is(self.own_facts(), site);
        if let Some(name) = name {
            record_unresolved(links, site, name);
        }
    }

    /// Whether what is called is written as a bare name, or written there itself.
    fn is_called_by_name(&mut self, site: Site) -> bool {
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
    fn add_edges(&mut self, site: Site, decls: DeclList, links: &mut Links) -> bool {
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

    /// Whether a declaration is a vertex of the graph.
    pub fn is_node(&mut self, decl: DeclRef) -> bool {
        !self.is_external_file(decl.file) && !self.decl(decl).detail.is_none()
    }

    /// The declaration that stands for a symbol: its implementation, else its first in the
    /// repository.
    pub fn canonical_declaration(&mut self, decls: &DeclList) -> Option<DeclRef> {
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

    fn edge_type(&mut self, site: Site) -> Option<EdgeType> {
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
    fn names_a_module(&mut self, site: Site) -> bool {
        let facts = self.own_facts();
        matches!(site.subject, Subject::Export(id) if !facts.exports[id.index()].module.is_none())
    }

    fn base_edge(&mut self, site: Site) -> Option<EdgeType> {
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

    fn outcome(&mut self, site: Site) -> SiteTarget {
        let file = self.file;

        match site.subject {
            Subject::Expr(expr) => self.expr_outcome(expr, site.kind),
            Subject::Decorator(expr) => self.callee_outcome(expr),
            Subject::Type(ty, index) => self.type_outcome(ty, usize::from(index)),
            Subject::Import(id) => self.import_outcome(id),
            Subject::Export(id) => self.export_outcome(id),
            Subject::Base(decl, index) => self.base_outcome(at(file, decl), usize::from(index)),
            Subject::Key(object, sym) => self.key_outcome(object, sym),
            Subject::Attribute(component, sym) => {
                let component = self.expr_type(file, component);
                let props = self.props_of(component);
                self.key_of(props, sym)
            }
            Subject::Construct(..) => SiteTarget::Outside,
        }
    }

    fn expr_outcome(&mut self, expr: ExprId, kind: SiteKind) -> SiteTarget {
        let (file, facts) = (self.file, self.own_facts());
        match facts.expr(expr) {
            Expr::Call(call) if kind.is_call() => {
                match facts.expr(facts.calls[call.index()].callee) {
                    Expr::Super(class) => self.super_outcome(class),
                    _ => self.callee_outcome(facts.calls[call.index()].callee),
                }
            }
            Expr::New(call) if kind.is_call() => {
                let callee = facts.calls[call.index()].callee;
                let outcome = self.callee_outcome(callee);
                self.constructor_outcome(callee, outcome)
            }
            Expr::Jsx(component) if kind.is_call() => self.value_target(component),
            Expr::DynamicImport(sym) | Expr::Require(sym) => self.module(file, sym).into(),
            _ => self.value_target(expr),
        }
    }

    pub fn value_target(&mut self, expr: ExprId) -> SiteTarget {
        let (file, facts) = (self.file, self.own_facts());
        match facts.expr(expr) {
            Expr::Name(sym, scope, offset) => {
                let name = self.name(file, sym);
                let decls = self.lookup(
                    LookupPosition {
                        file,
                        scope,
                        offset,
                    },
                    name,
                    Meaning::Value,
                );

                if decls.is_empty() {
                    return SiteTarget::Outside;
                }
                if let Some(property) = self.parameter_property(&decls) {
                    return SiteTarget::Decls(property);
                }

                let found = self.resolve_decls(decls);
                match self.as_value(found) {
                    // A function sees itself by its own name.
                    ResolvedName::Decls(decls) => SiteTarget::Decls(
                        decls
                            .into_iter()
                            .flat_map(|decl| self.named_member(decl))
                            .collect(),
                    ),
                    found => found.into(),
                }
            }
            Expr::Member(object, sym) | Expr::Destructured(object, sym) => {
                self.member_outcome(object, sym)
            }
            Expr::Generic(inner, _) | Expr::Same(inner) | Expr::Satisfies(inner, _) => {
                self.value_target(inner)
            }
            Expr::Class(decl) | Expr::Function(decl) => {
                SiteTarget::Decls(DeclList::from_slice(&[at(file, decl)]))
            }
            Expr::Require(sym) => self.required(file, sym).into(),
            Expr::Literal(..) | Expr::Object(_) | Expr::Array(..) | Expr::Known(_) => {
                SiteTarget::Outside
            }
            _ => {
                let ty = self.expr_type(file, expr);
                self.computed_outcome(ty)
            }
        }
    }

    /// What is called by the value of `f()`, `a[i]` or `a || b`.
    fn computed_outcome(&mut self, ty: Ty) -> SiteTarget {
        match self.get(ty) {
            Type::Simple(Ty::UNKNOWN | Ty::ANY) => SiteTarget::Unknown,
            Type::Simple(_)
            | Type::BuiltIn(..)
            | Type::BuiltInValue(_)
            | Type::BuiltInMethod(..) => SiteTarget::Outside,
            _ => SiteTarget::Nameless,
        }
    }

    /// The property that a constructor parameter with a modifier declares.
    fn parameter_property(&mut self, decls: &DeclList) -> Option<DeclList> {
        let [parameter] = decls[..] else { return None };
        let facts = self.facts(parameter.file);
        let declaration = facts.decl(parameter.decl);
        if declaration.kind != DeclKind::Parameter
            || !declaration.flags.has(DeclFlags::FROM_PARAMETER)
        {
            return None;
        }

        let constructor = facts.scope(declaration.scope).owner.some()?;
        let class = facts.decl(constructor).scope;
        let name = self.name(parameter.file, declaration.name);
        let mut own = self
            .declarations(parameter.file, class, name)
            .iter()
            .map(|entry| entry.2);
        let property = own.find(|id| {
            facts.decl(*id).at == declaration.at && facts.decl(*id).kind == DeclKind::Property
        })?;

        Some(DeclList::from_slice(&[at(parameter.file, property)]))
    }

    /// Of declarations of several spaces those that are values, if there are some.
    fn as_value(&mut self, found: ResolvedName) -> ResolvedName {
        self.in_space(found, |kind| {
            !matches!(
                kind,
                DeclKind::Interface | DeclKind::TypeAlias | DeclKind::TypeParam
            )
        })
    }

    fn as_type(&mut self, found: ResolvedName) -> ResolvedName {
        self.in_space(found, |kind| {
            matches!(
                kind,
                DeclKind::Class
                    | DeclKind::Interface
                    | DeclKind::TypeAlias
                    | DeclKind::Enum
                    | DeclKind::TypeParam
                    | DeclKind::EnumMember
            )
        })
    }

    fn in_space(&mut self, found: ResolvedName, holds: impl Fn(DeclKind) -> bool) -> ResolvedName {
        let ResolvedName::Decls(decls) = found else {
            return found;
        };
        let kept: DeclList = decls
            .iter()
            .copied()
            .filter(|decl| holds(self.decl(*decl).kind))
            .collect();
        ResolvedName::Decls(if kept.is_empty() { decls } else { kept })
    }

    fn member_outcome(&mut self, object: ExprId, sym: Sym) -> SiteTarget {
        let file = self.file;
        let receiver = self.expr_type(file, object);
        let name = self.name(file, sym);
        match self.lookup_member(receiver, name) {
            MemberLookup::Declared(member) => {
                let found = self.resolve_decls(member.decls);
                match self.as_value(found) {
                    ResolvedName::Decls(decls) => self.resolve_shorthand(decls),
                    found => found.into(),
                }
            }
            MemberLookup::External => self
                .expando_outcome(object, name)
                .unwrap_or(SiteTarget::Outside),
            MemberLookup::Value(ty) => self.value_member(ty),
            MemberLookup::Missing => self
                .expando_outcome(object, name)
                .unwrap_or(SiteTarget::Unknown),
        }
    }

    /// A member that is no node: `{ f }` stands for `f`; `F.g = value` stands for the value.
    fn resolve_shorthand(&mut self, decls: DeclList) -> SiteTarget {
        let [decl] = decls[..] else {
            return SiteTarget::Decls(decls);
        };
        match self.shorthand(decl) {
            Some(found) if !found.is_nothing() => self.as_value(found).into(),
            _ => SiteTarget::Decls(decls),
        }
    }

    fn expando_outcome(&mut self, object: ExprId, name: Name) -> Option<SiteTarget> {
        let own = self.file;
        let (file, value) = self.expando(own, object, name)?;
        let facts = self.facts(file);

        let Expr::Name(sym, scope, offset) = facts.expr(value) else {
            let holders = self.named_holders(own, object)?;
            let member = self.member_assigned_to(&holders, name);
            return Some(member.map_or(SiteTarget::Unknown, |member| {
                SiteTarget::Decls(DeclList::from_slice(&[member]))
            }));
        };
        let name = self.name(file, sym);

        let named = self.lookup(
            LookupPosition {
                file,
                scope,
                offset,
            },
            name,
            Meaning::Value,
        );

        let found = self.resolve_decls(named);
        Some(self.as_value(found).into())
    }

    fn value_member(&mut self, ty: Ty) -> SiteTarget {
        match self.get(ty) {
            Type::Module(file) => SiteTarget::File(file),
            Type::Function(decl, _) if !self.is_external_file(decl.file) => SiteTarget::Nameless,
            _ => SiteTarget::Outside,
        }
    }

    fn type_outcome(&mut self, ty: TypeId, index: usize) -> SiteTarget {
        let (file, facts) = (self.file, self.own_facts());
        let (found, is_last) = match facts.type_expr(ty) {
            TypeExpr::Name(segments, scope) => {
                let segments = facts.list(segments);
                (
                    self.type_name(file, segments, scope, index),
                    index + 1 == segments.len(),
                )
            }
            TypeExpr::Import(specifier, segments) => {
                let segments = facts.list(segments);
                let mut found = self.module(file, specifier);
                for segment in segments.iter().take(index + 1) {
                    let name = self.name(file, segment.name);
                    found = self.found_member(&found, name);
                }
                (found, index + 1 == segments.len())
            }
            TypeExpr::Indexed(object, key) => return self.indexed_outcome(object, key),
            _ => return SiteTarget::Outside,
        };

        match found {
            ResolvedName::Nothing => SiteTarget::Outside,
            found if is_last => self.as_type(found).into(),
            found => found.into(),
        }
    }

    /// `"x"` of `T["x"]`
    fn indexed_outcome(&mut self, object: TypeId, key: TypeId) -> SiteTarget {
        let facts = self.own_facts();
        let TypeExpr::Literal(_, sym) = facts.type_expr(key) else {
            return SiteTarget::Outside;
        };
        let file = self.file;
        let object = self.type_of(file, object);
        self.key_of(object, sym)
    }

    fn import_outcome(&mut self, id: ImportId) -> SiteTarget {
        let (file, facts) = (self.file, self.own_facts());
        let import = &facts.imports[id.index()];
        match import.decl.some() {
            None => self.module(file, import.module).into(),
            Some(decl) => {
                let found = self.resolve_decls(DeclList::from_slice(&[at(file, decl)]));
                let found = if import.type_only {
                    self.as_type(found)
                } else {
                    found
                };
                self.same_symbol_only(found).into()
            }
        }
    }

    /// A type and a value of one name brought by one specifier: the value stands for both.
    fn same_symbol_only(&mut self, found: ResolvedName) -> ResolvedName {
        let ResolvedName::Decls(decls) = &found else {
            return found;
        };
        let Some(first) = decls.first().copied() else {
            return found;
        };
        let group = self.merged_symbol(first);
        ResolvedName::Decls(
            decls
                .iter()
                .copied()
                .filter(|decl| *decl == first || group.contains(decl))
                .collect(),
        )
    }

    fn export_outcome(&mut self, id: ExportId) -> SiteTarget {
        let (file, facts) = (self.file, self.own_facts());
        let export = &facts.exports[id.index()];
        match export.kind {
            ExportKind::Star | ExportKind::StarAs => self.module(file, export.module).into(),
            ExportKind::From => {
                let module = self.module(file, export.module);
                let name = self.name(file, export.local);
                let found = self.export(&module, name);
                self.same_symbol_only(found).into()
            }
            ExportKind::Local => {
                let name = self.name(file, export.local);
                let position = LookupPosition {
                    file,
                    scope: export.scope,
                    offset: u32::MAX,
                };
                let mut decls = self.lookup(position, name, Meaning::Value);
                if decls.is_empty() {
                    decls = self.lookup(position, name, Meaning::Type);
                }

                let found = self.resolve_decls(decls);
                self.same_symbol_only(found).into()
            }
            ExportKind::Assign | ExportKind::CommonJs => SiteTarget::Outside,
        }
    }

    fn base_outcome(&mut self, decl: DeclRef, index: usize) -> SiteTarget {
        let facts = self.facts(decl.file);
        let Some(base) = facts.list(facts.decl(decl.decl).bases).get(index) else {
            return SiteTarget::Unknown;
        };

        if let TypeExpr::Name(segments, scope) = facts.type_expr(base.ty) {
            let segments = facts.list(segments);
            let found =
                self.type_name(decl.file, segments, scope, segments.len().saturating_sub(1));
            let found = if matches!(found, ResolvedName::Nothing) {
                self.base_value(decl, segments, scope)
            } else {
                found
            };
            let found = self.whole_module(found);
            return match found {
                ResolvedName::Nothing => SiteTarget::Outside,
                found => self.as_type(found).into(),
            };
        }

        let ty = self.base_type(decl, index);

        if let (TypeExpr::Heritage(expr, _), Type::Instance(..)) =
            (facts.type_expr(base.ty), self.get(ty))
            && let found @ SiteTarget::Decls(_) = self.value_target(expr)
        {
            return found;
        }

        match self.get(ty) {
            Type::Instance(class, _) => SiteTarget::Decls(self.named_constructor(class)),
            Type::Simple(Ty::UNKNOWN) => SiteTarget::Unknown,
            _ => SiteTarget::Outside,
        }
    }

    /// `extends Base` where `Base` is a variable that holds a class.
    fn base_value(&mut self, decl: DeclRef, segments: &[Segment], scope: ScopeId) -> ResolvedName {
        let &[segment] = segments else {
            return ResolvedName::Nothing;
        };
        let name = self.name(decl.file, segment.name);
        let decls = self.lookup(
            LookupPosition {
                file: decl.file,
                scope,
                offset: u32::MAX,
            },
            name,
            Meaning::Value,
        );
        self.resolve_decls(decls)
    }

    /// The key of an object literal: the member of the expected type, else the literal's own, which
    /// is no node.
    fn key_outcome(&mut self, object: DeclId, sym: Sym) -> SiteTarget {
        let file = self.file;
        let expected = self.context(at(file, object));
        self.key_of(expected, sym)
    }

    /// The member that a key names.
    fn key_of(&mut self, object: Ty, key: Sym) -> SiteTarget {
        let name = self.name(self.file, key);
        match self.lookup_member(object, name) {
            MemberLookup::Declared(member) => SiteTarget::Decls(member.decls),
            _ => SiteTarget::Outside,
        }
    }

    /// One edge from the file to each module it imports names from, at the specifier.
    fn module_edges(&mut self, links: &mut Links) {
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

/// Keeps a use without a target.
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
