//! The referent of a site, by the form of its subject: an expression, a type name, an import, an
//! export, a base list entry or a key.
//!
//! Limitations: those of the types: the referent of a member is unknown if its receiver is.

use codeagent_lang::query::names::Name;
use codeagent_lang::{DeclRef, ExprRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type};
use crate::resolve::edges::FileResolver;
use crate::resolve::symbols::at;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{DeclList, LookupPosition, Meaning};
use crate::resolve::types::members::MemberLookup;

/// The referent of a site: declarations that may or may not be nodes, a module, or a value.
pub enum Referent {
    /// Declarations, in the repository or external.
    Decls(DeclList),
    /// Declarations beside something unknown or declared elsewhere: `f` in `given ?? f`.
    Likely(DeclList),
    File(FileId),
    External,
    /// A local that holds a value.
    Value,
    /// Something in the repository that is not a node and has no node's name.
    Anonymous,
    /// Unresolved, although it should have a target.
    Unknown,
}

impl From<ResolvedName> for Referent {
    fn from(found: ResolvedName) -> Self {
        match found {
            ResolvedName::Decls(decls) => Self::Decls(decls),
            ResolvedName::Module(file) => Self::File(file),
            ResolvedName::Ambient(block) => Self::Decls(DeclList::from_slice(&[block])),
            ResolvedName::External => Self::External,
            ResolvedName::Nothing => Self::Unknown,
        }
    }
}

impl FileResolver<'_> {
    pub fn resolve_referent(&self, site: Site) -> Referent {
        let file = self.file;

        match site.subject {
            Subject::Expr(expr) => self.resolve_expr(expr),
            Subject::Decorator(expr) => self.resolve_callee(expr),
            Subject::Type(ty, index) => self.resolve_type(ty, usize::from(index)),
            Subject::Import(id) => self.resolve_import(id),
            Subject::Export(id) => self.resolve_export(id),
            Subject::Base(decl, index) => self.resolve_base(at(file, decl), usize::from(index)),
            Subject::Key(object, sym) => self.resolve_key(object, sym),
            Subject::Attribute(component, sym) => self.resolve_attribute(component, sym),
            Subject::Construct(..) => Referent::External,
        }
    }

    fn resolve_expr(&self, expr: ExprId) -> Referent {
        let (file, facts) = (self.file, self.own_facts());

        match facts.expr(expr) {
            Expr::Call(call) => match facts.expr(facts.calls[call.index()].callee) {
                Expr::Super(class) => self.resolve_super(class),
                _ => self.resolve_callee(facts.calls[call.index()].callee),
            },
            Expr::New(call) => {
                let callee = facts.calls[call.index()].callee;
                let outcome = self.resolve_callee(callee);
                self.resolve_constructor(callee, outcome)
            }
            Expr::Jsx(component) => self.resolve_callee(component),
            Expr::DynamicImport(sym) | Expr::Require(sym) => self.resolve_module(file, sym).into(),
            _ => self.resolve_value(expr),
        }
    }

    pub fn resolve_value(&self, expr: ExprId) -> Referent {
        let (file, facts) = (self.file, self.own_facts());
        match facts.expr(expr) {
            Expr::Name(sym, scope, offset) => {
                let name = self.name(file, sym);
                let position = LookupPosition {
                    file,
                    scope,
                    offset,
                };
                let decls = self.lookup_value(position, name, Meaning::Value);

                if decls.is_empty() {
                    return Referent::External;
                }
                if let Some(property) = self.lookup_parameter_property(&decls) {
                    return Referent::Decls(property);
                }

                let found = self.resolve_decls(decls);
                match self.as_value(found) {
                    // A function is visible under its own name.
                    ResolvedName::Decls(decls) => Referent::Decls(
                        decls
                            .into_iter()
                            .flat_map(|decl| self.named_member(decl))
                            .collect(),
                    ),
                    found => found.into(),
                }
            }
            Expr::Member(object, sym) | Expr::Destructured(object, sym) => {
                self.resolve_member(object, sym)
            }
            Expr::Generic(inner, _) | Expr::Satisfies(inner, _) => self.resolve_value(inner),
            Expr::Class(decl) | Expr::Function(decl) => {
                Referent::Decls(DeclList::from_slice(&[at(file, decl)]))
            }
            Expr::Require(sym) => self.resolve_required(file, sym).into(),
            Expr::Literal(..) | Expr::Object(_) | Expr::Array(..) | Expr::Known(_) => {
                Referent::External
            }
            Expr::Index(call) if let Some(decls) = self.lookup_computed_member(call) => {
                Referent::Decls(decls)
            }
            _ => {
                let ty = self.type_of_expr(file.expr(expr));
                self.resolve_computed(ty)
            }
        }
    }

    /// Returns the target of a call whose callee is `f()`, `a[i]` or `a || b`.
    fn resolve_computed(&self, ty: Ty) -> Referent {
        match self.get(ty) {
            Type::Simple(Ty::UNKNOWN | Ty::ANY) => Referent::Unknown,
            Type::Simple(_)
            | Type::BuiltIn(..)
            | Type::BuiltInValue(_)
            | Type::BuiltInMethod(..) => Referent::External,
            _ => Referent::Anonymous,
        }
    }

    /// Returns the property declared by a constructor parameter with a modifier.
    fn lookup_parameter_property(&self, decls: &DeclList) -> Option<DeclList> {
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

    /// Keeps only the declarations that are values, if there are any.
    fn as_value(&self, found: ResolvedName) -> ResolvedName {
        self.with_meaning(found, |kind| {
            !matches!(
                kind,
                DeclKind::Interface | DeclKind::TypeAlias | DeclKind::TypeParam
            )
        })
    }

    fn as_type(&self, found: ResolvedName) -> ResolvedName {
        self.with_meaning(found, |kind| {
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

    fn with_meaning(&self, found: ResolvedName, holds: impl Fn(DeclKind) -> bool) -> ResolvedName {
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

    fn resolve_member(&self, object: ExprId, sym: Sym) -> Referent {
        let file = self.file;
        let receiver = self.type_of_expr(file.expr(object));
        let name = self.name(file, sym);

        match self.lookup_member(receiver, name) {
            MemberLookup::Declared(member) => {
                let decls = self.without_own_literal(object, member.decls);
                let found = self.resolve_decls(decls);
                match self.as_value(found) {
                    ResolvedName::Decls(decls) => self.resolve_shorthand(decls),
                    found => found.into(),
                }
            }
            MemberLookup::External => self
                .resolve_expando(object, name)
                .unwrap_or(Referent::External),
            MemberLookup::Value(ty) => self.resolve_value_member(ty),
            MemberLookup::Missing => self
                .resolve_expando(object, name)
                .unwrap_or(Referent::Unknown),
        }
    }

    /// `this` in a method of an object literal has the contextual type of the literal: members of the
    /// literal itself count only if that has none of their name.
    fn without_own_literal(&self, object: ExprId, decls: DeclList) -> DeclList {
        let (file, facts) = (self.file, self.own_facts());
        let (Expr::This(function) | Expr::ThisAt(function, ..)) = facts.expr(object) else {
            return decls;
        };
        if function.is_none() {
            return decls;
        }
        let Context::Property(literal, _) = facts.decl(function).context else {
            return decls;
        };

        let is_own = |decl: &DeclRef| {
            decl.file == file && facts.scope(facts.decl(decl.decl).scope).owner == literal
        };
        let of_context: DeclList = decls.iter().copied().filter(|decl| !is_own(decl)).collect();
        if of_context.is_empty() {
            decls
        } else {
            of_context
        }
    }

    /// Follows a member that is not a node: `{ f }` to `f`, `F.g = value` to the value.
    fn resolve_shorthand(&self, decls: DeclList) -> Referent {
        let [decl] = decls[..] else {
            return Referent::Decls(decls);
        };
        match self.resolve_shorthand_member(decl) {
            Some(found) if !found.is_nothing() => self.as_value(found).into(),
            _ => Referent::Decls(decls),
        }
    }

    fn resolve_expando(&self, object: ExprId, name: Name) -> Option<Referent> {
        let own = self.file;
        let ExprRef { file, expr: value } = self.lookup_expando(own.expr(object), name)?;
        let facts = self.facts(file);

        let Expr::Name(sym, scope, offset) = facts.expr(value) else {
            let holders = self.named_holders(own.expr(object))?;
            let member = self.member_assigned_to(&holders, name);
            return Some(member.map_or(Referent::Unknown, |member| {
                Referent::Decls(DeclList::from_slice(&[member]))
            }));
        };
        let name = self.name(file, sym);

        let named = self.lookup_name(
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

    fn resolve_value_member(&self, ty: Ty) -> Referent {
        match self.get(ty) {
            Type::Module(file) => Referent::File(file),
            Type::BuiltInMethod(row, receiver) => self
                .declarations_of_listed(row, receiver)
                .map_or(Referent::External, Referent::Decls),
            Type::Function(decl, _) if !self.is_external_file(decl.file) => Referent::Anonymous,
            _ => Referent::External,
        }
    }

    fn resolve_type(&self, ty: TypeId, index: usize) -> Referent {
        let (file, facts) = (self.file, self.own_facts());
        let (found, is_last) = match facts.type_expr(ty) {
            TypeExpr::Name(segments, scope) => {
                let segments = facts.list(segments);
                (
                    self.resolve_type_name(file, segments, scope, index),
                    index + 1 == segments.len(),
                )
            }
            TypeExpr::Import(specifier, segments) => {
                let segments = facts.list(segments);
                let mut found = self.resolve_module(file, specifier);
                for segment in segments.iter().take(index + 1) {
                    let name = self.name(file, segment.name);
                    found = self.lookup_member_of_found(&found, name);
                }
                (found, index + 1 == segments.len())
            }
            TypeExpr::Indexed(object, key) => return self.resolve_indexed(object, key),
            _ => return Referent::External,
        };

        match found {
            ResolvedName::Nothing => Referent::External,
            found if is_last => self.as_type(found).into(),
            found => found.into(),
        }
    }

    /// Resolves `"x"` of `T["x"]`.
    fn resolve_indexed(&self, object: TypeId, key: TypeId) -> Referent {
        let facts = self.own_facts();
        let TypeExpr::Literal(_, sym) = facts.type_expr(key) else {
            return Referent::External;
        };
        let file = self.file;
        let object = self.type_of(file, object);
        self.resolve_key_of(object, sym)
    }

    fn resolve_import(&self, id: ImportId) -> Referent {
        let (file, facts) = (self.file, self.own_facts());
        let import = &facts.imports[id.index()];
        match import.decl.some() {
            None => self.resolve_module(file, import.module).into(),
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

    /// Keeps only the symbol of the first declaration: if an imported type and a value have one
    /// name, the value.
    fn same_symbol_only(&self, found: ResolvedName) -> ResolvedName {
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
                .filter(|decl| group.contains(decl))
                .collect(),
        )
    }

    fn resolve_export(&self, id: ExportId) -> Referent {
        let (file, facts) = (self.file, self.own_facts());
        let export = &facts.exports[id.index()];
        match export.kind {
            ExportKind::Star | ExportKind::StarAs => {
                self.resolve_module(file, export.module).into()
            }
            ExportKind::From => {
                let module = self.resolve_module(file, export.module);
                let name = self.name(file, export.local);
                let found = self.lookup_export(&module, name);
                self.same_symbol_only(found).into()
            }
            ExportKind::Local => {
                let name = self.name(file, export.local);
                let position = LookupPosition {
                    file,
                    scope: export.scope,
                    offset: u32::MAX,
                };
                let mut decls = self.lookup_name(position, name, Meaning::Value);
                if decls.is_empty() {
                    decls = self.lookup_name(position, name, Meaning::Type);
                }

                let found = self.resolve_decls(decls);
                self.same_symbol_only(found).into()
            }
            ExportKind::Assign | ExportKind::CommonJs => Referent::External,
        }
    }

    fn resolve_base(&self, decl: DeclRef, index: usize) -> Referent {
        let facts = self.facts(decl.file);
        let Some(base) = facts.list(facts.decl(decl.decl).bases).get(index) else {
            return Referent::Unknown;
        };

        if let TypeExpr::Name(segments, scope) = facts.type_expr(base.ty) {
            let segments = facts.list(segments);
            let found = self.resolve_type_name(
                decl.file,
                segments,
                scope,
                segments.len().saturating_sub(1),
            );
            let found = if matches!(found, ResolvedName::Nothing) {
                self.resolve_base_value(decl, segments, scope)
            } else {
                found
            };
            let found = self.whole_module(found);
            return match found {
                ResolvedName::Nothing => Referent::External,
                found => self.as_type(found).into(),
            };
        }

        let ty = self.base_type(decl, index);

        if let (TypeExpr::Heritage(expr, _), Type::Instance(..)) =
            (facts.type_expr(base.ty), self.get(ty))
            && let found @ Referent::Decls(_) = self.resolve_value(expr)
        {
            return found;
        }

        match self.get(ty) {
            Type::Instance(class, _) => Referent::Decls(self.named_constructor(class)),
            Type::Simple(Ty::UNKNOWN) => Referent::Unknown,
            _ => Referent::External,
        }
    }

    /// Resolves `extends Base`, where `Base` is a variable that holds a class.
    fn resolve_base_value(
        &self,
        decl: DeclRef,
        segments: &[Segment],
        scope: ScopeId,
    ) -> ResolvedName {
        let &[segment] = segments else {
            return ResolvedName::Nothing;
        };

        let name = self.name(decl.file, segment.name);
        let decls = self.lookup_name(
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

    /// Resolves a key in an object literal to the member of the expected type. Where that is inferred
    /// from the literal, the key is the declaration and not a use.
    fn resolve_key(&self, object: DeclId, sym: Sym) -> Referent {
        let literal = at(self.file, object);
        let referent = self.resolve_key_of(self.infer_context(literal), sym);

        let own = self.decl(literal).inner;
        let is_own = |decl: &DeclRef| decl.file == self.file && self.decl(*decl).scope == own;
        match &referent {
            Referent::Decls(decls) if decls.iter().any(is_own) => Referent::External,
            _ => referent,
        }
    }

    pub(super) fn resolve_key_of(&self, object: Ty, key: Sym) -> Referent {
        let name = self.name(self.file, key);
        match self.lookup_member(object, name) {
            MemberLookup::Declared(member) => Referent::Decls(member.decls),
            _ => Referent::External,
        }
    }
}
