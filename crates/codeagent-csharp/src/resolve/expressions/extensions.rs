//! Extension methods: the target of `receiver.Name(..)` if no member of the receiver is applicable
//! (C# standard §12.8.10.3).
//!
//! Namespaces are searched from the inside: first the static classes of the namespace, then those
//! that the usings of its declaration import. The first scope with an applicable method decides.
//!
//! A receiver of an unknown or undeclared type may have methods of its own, so an extension method
//! is only the likely target: if it is the only one that the usings make visible, and the type that
//! it extends has no such method itself.
//!
//! Limitations: a receiver from an undeclared base class must be known to convert to the first
//! parameter; a call that may be to another extension is unresolved.

use std::rc::Rc;

use codeagent_lang::DeclRef;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::{DeclFlags, DeclKind, ScopeId, ScopeKind};
use codeagent_model::graph::Access;

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::applicability::Argument;
use crate::resolve::expressions::conversions::Conversion;
use crate::resolve::expressions::overloads::OverloadResult;
use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::{Extension, NamespaceId, TypeDefId};
use crate::resolve::global_index::well_known::Known;
use crate::resolve::types::members::Candidate;
use crate::resolve::types::usings::Using;
use crate::resolve::types::{Ty, TyList, Type};

/// The sources of extension methods at one level of nesting.
#[derive(Clone, Debug, Default)]
pub struct ExtensionScope {
    namespaces: Vec<NamespaceId>,
    classes: Vec<TypeDefId>,
    /// Whether a using imports a namespace that is not declared, which may have extensions.
    is_open: bool,
}

impl ExtensionScope {
    fn of_namespace(namespace: NamespaceId) -> Self {
        Self {
            namespaces: vec![namespace],
            ..Self::default()
        }
    }
}

impl Checker<'_> {
    pub(super) fn resolve_extension(
        &self,
        receiver: Ty,
        name: Name,
        args: &[Argument],
        type_args: &TyList,
    ) -> Option<OverloadResult> {
        self.record_lookup(provided_keys::EXTENSIONS, name);
        let all = self.tables.extensions.get(&name)?;

        match self.arena.get(receiver) {
            Type::Unknown
            | Type::ExternalValue
            | Type::Dynamic
            | Type::Null
            | Type::Default
            | Type::Namespace(_)
            | Type::Lambda(_)
            | Type::MethodGroup(_) => {
                return None;
            }
            _ => {}
        }

        if let Type::Qualifier(ty) = self.arena.get(receiver) {
            let call = (ty, args, type_args);
            return self.resolve_nearest_extension(all, DeclKind::Method, call, |candidate| {
                self.is_static_extension(candidate.decl) && self.receiver_fits(ty, candidate)
            });
        }

        let call = (receiver, args, type_args);
        let chosen = self.resolve_nearest_extension(all, DeclKind::Method, call, |candidate| {
            !self.is_static_extension(candidate.decl) && self.receiver_fits(receiver, candidate)
        })?;
        let is_unknown = self.convert(receiver, chosen.best.targets[0]) == Conversion::Unknown;
        Some(chosen.doubted_if(is_unknown))
    }

    /// Reports whether any extension with a name, in scope or not, may accept a receiver.
    pub(super) fn may_be_extended(&self, receiver: Ty, name: Name) -> bool {
        self.record_lookup(provided_keys::EXTENSIONS, name);
        self.tables
            .extensions
            .get(&name)
            .into_iter()
            .flatten()
            .any(|extension| {
                let candidate = Candidate {
                    decl: extension.decl,
                    within: self.self_type(extension.container),
                    depth: 0,
                };
                self.receiver_could_fit(receiver, candidate)
            })
    }

    /// Reports whether a using in scope imports an undeclared namespace, which may have any type and
    /// any extension.
    pub fn imports_undeclared(&self) -> bool {
        self.extension_scopes().iter().any(|level| level.is_open)
    }

    /// Reports whether an extension in scope may accept a receiver that is not fully known, such as
    /// the result of an undeclared base class.
    pub(super) fn may_be_an_extension(&self, receiver: Ty, name: Name) -> bool {
        self.record_lookup(provided_keys::EXTENSIONS, name);
        let Some(all) = self.tables.extensions.get(&name) else {
            return false;
        };
        let fits = |candidate: Candidate| {
            !self.is_static_extension(candidate.decl)
                && self.receiver_could_fit(receiver, candidate)
        };
        self.extension_scopes().iter().any(|level| {
            self.extensions_at(level, all, DeclKind::Method)
                .into_iter()
                .any(fits)
        })
    }

    /// Resolves a call on a receiver of unknown or undeclared type, or of a class with an undeclared
    /// base, to the only visible extension with this name that accepts the arguments. The undeclared
    /// type may have a method of that name, so the result is not certain.
    pub(super) fn resolve_extension_of_unknown(
        &self,
        receiver: Ty,
        name: Name,
        args: &[Argument],
        type_args: &TyList,
    ) -> Option<OverloadResult> {
        let is_undeclared = matches!(
            self.arena.get(receiver),
            Type::Unknown | Type::ExternalValue | Type::External(..)
        );
        if !is_undeclared && !self.has_foreign_class(receiver) {
            return None;
        }

        self.record_lookup(provided_keys::EXTENSIONS, name);
        let all = self.tables.extensions.get(&name)?;
        let mut with_receiver = vec![Argument::of_type(receiver)];
        with_receiver.extend_from_slice(args);

        let mut visible: Vec<Candidate> = Vec::new();
        for level in self.extension_scopes().iter() {
            for candidate in self.extensions_at(level, all, DeclKind::Method) {
                let fits = !visible.contains(&candidate)
                    && !self.is_static_extension(candidate.decl)
                    && !self
                        .argument_mappings(&[candidate], &with_receiver, type_args)
                        .is_empty()
                    && self.receiver_could_fit(receiver, candidate);
                if fits {
                    visible.push(candidate);
                }
            }
        }

        let [only] = &visible[..] else {
            return None;
        };
        if self.is_external_file(only.decl.file) {
            return None;
        }

        let (_, extended) = self.receiver_target(receiver, *only)?;
        // What its declared types are is known, so an extension of these would have been found.
        let is_declared = !matches!(self.arena.get(extended), Type::Unknown | Type::External(..));
        if !is_undeclared && is_declared {
            return None;
        }
        let mut members = self.lookup_methods(extended, name);
        if members.is_empty() {
            members = self.lookup_methods(self.known_type(Known::Object, &[]), name);
        }
        let precedes = self
            .resolve_overload(&members, args, type_args)
            .is_some_and(|member| member.applicable);
        if precedes {
            return None;
        }

        let chosen = self.resolve_overload(&visible, &with_receiver, type_args)?;
        chosen.applicable.then(|| chosen.doubted_if(true))
    }

    /// Resolves the call of an extension block's method through its class, with the receiver as first
    /// argument (C# 14): `Texts.Words(text)`.
    pub(super) fn resolve_block_method(
        &self,
        receiver: Ty,
        name: Name,
        args: &[Argument],
        type_args: &TyList,
    ) -> Option<OverloadResult> {
        let Type::Qualifier(class) = self.arena.get(receiver) else {
            return None;
        };
        self.record_lookup(provided_keys::EXTENSIONS, name);
        let candidates: Vec<Candidate> = self
            .tables
            .extensions
            .get(&name)?
            .iter()
            .filter(|extension| class == self.self_type(extension.container))
            .map(|extension| Candidate {
                decl: extension.decl,
                within: class,
                depth: 0,
            })
            .collect();

        self.resolve_overload(&candidates, args, type_args)
            .filter(|chosen| chosen.applicable)
    }

    /// Reports whether nothing known about a receiver rules out a candidate.
    fn receiver_could_fit(&self, receiver: Ty, candidate: Candidate) -> bool {
        let Some((formal, target)) = self.receiver_target(receiver, candidate) else {
            return false;
        };
        if matches!(self.arena.get(formal), Type::Param(..)) {
            return self
                .constraints(formal)
                .iter()
                .all(|constraint| self.receiver_converts(receiver, *constraint) != Conversion::No);
        }
        self.receiver_converts(receiver, target) != Conversion::No
    }

    /// Returns the declared type of the first parameter, and that type with the type arguments
    /// inferred from the receiver.
    fn receiver_target(&self, receiver: Ty, candidate: Candidate) -> Option<(Ty, Ty)> {
        let signature = self.signature(candidate.decl);
        let formal = signature.params.first()?.ty;
        let inferred = self.infer_type_args(
            &signature.type_params,
            &[(formal, Argument::of_type(receiver))],
        );
        Some((
            formal,
            self.replace_params(formal, &signature.type_params, &inferred),
        ))
    }

    /// Converts a receiver: only identity, reference and boxing conversions count (standard
    /// §12.8.10.3).
    fn receiver_converts(&self, receiver: Ty, target: Ty) -> Conversion {
        match (self.arena.get(receiver), self.arena.get(target)) {
            _ if receiver.is_unknown() => {}
            (Type::Nullable(from), Type::Nullable(to)) => return self.receiver_converts(from, to),
            (_, Type::Nullable(of)) if self.is_value_type(of) == Some(true) => {
                return Conversion::No;
            }
            (_, Type::Nullable(of)) => return self.receiver_converts(receiver, of),
            (Type::Nullable(of), _) if self.is_value_type(of).is_none() => {
                return self.receiver_converts(of, target);
            }
            _ => {}
        }

        if let (Some((from, _)), Some((to, _))) = (self.known(receiver), self.known(target))
            && from.is_primitive_value()
            && to.is_primitive_value()
            && from != to
        {
            return Conversion::No;
        }

        self.convert_without_user(receiver, target)
    }

    /// Resolves the overload at the first level where one of the methods that pass is applicable.
    fn resolve_nearest_extension(
        &self,
        all: &[Extension],
        kind: DeclKind,
        (receiver, args, type_args): (Ty, &[Argument], &TyList),
        passes: impl Fn(Candidate) -> bool,
    ) -> Option<OverloadResult> {
        let mut with_receiver = vec![Argument::of_type(receiver)];
        with_receiver.extend_from_slice(args);

        self.extension_scopes().iter().find_map(|level| {
            let mut candidates = self.extensions_at(level, all, kind);
            candidates.retain(|candidate| passes(*candidate));
            if candidates.is_empty() {
                return None;
            }
            self.resolve_overload(&candidates, &with_receiver, type_args)
                .filter(|chosen| chosen.applicable)
        })
    }

    /// Resolves an operator that an extension block of an operand's type declares (C# 14).
    pub(super) fn resolve_extension_operator(
        &self,
        name: Name,
        operands: &[Argument],
    ) -> Option<OverloadResult> {
        self.record_lookup(provided_keys::EXTENSIONS, name);
        let all = self.tables.extensions.get(&name)?;
        operands.iter().find_map(|operand| {
            let call = (operand.ty, operands, self.arena.no_types());
            self.resolve_nearest_extension(all, DeclKind::Operator, call, |candidate| {
                self.receiver_fits(operand.ty, candidate)
            })
        })
    }

    /// Looks up an extension property of a receiver.
    pub(super) fn lookup_extension_property(&self, receiver: Ty, name: Name) -> Option<Candidate> {
        self.extension_member(receiver, name, DeclKind::Property)
    }

    /// Returns the type of an extension property of a receiver.
    pub(super) fn type_of_property(&self, receiver: Ty, property: Candidate) -> Ty {
        let declared = self.type_of_candidate(&property);
        let signature = self.signature(property.decl);
        let Some(first) = signature.params.first() else {
            return declared;
        };
        let receiver = if let Type::Qualifier(ty) = self.arena.get(receiver) {
            ty
        } else {
            receiver
        };
        let inferred = self.infer_type_args(
            &signature.type_params,
            &[(first.ty, Argument::of_type(receiver))],
        );
        self.replace_params(declared, &signature.type_params, &inferred)
    }

    /// Returns the nearest extension of that kind whose receiver fits.
    pub(super) fn extension_member(
        &self,
        receiver: Ty,
        name: Name,
        kind: DeclKind,
    ) -> Option<Candidate> {
        self.record_lookup(provided_keys::EXTENSIONS, name);
        let all = self.tables.extensions.get(&name)?;

        let (is_static, receiver) = match self.arena.get(receiver) {
            Type::Qualifier(ty) => (true, ty),
            _ => (false, receiver),
        };

        self.extension_scopes().iter().find_map(|level| {
            let mut candidates = self.extensions_at(level, all, kind).into_iter();
            candidates.find(|candidate| {
                self.is_static_extension(candidate.decl) == is_static
                    && self.receiver_fits(receiver, *candidate)
            })
        })
    }

    /// Reports whether a declaration is a static member of an extension block, accessed through the
    /// type.
    fn is_static_extension(&self, decl: DeclRef) -> bool {
        self.decl(decl).flags.has(DeclFlags::STATIC) && self.block_of(decl).is_some()
    }

    pub fn extensions_at(
        &self,
        level: &ExtensionScope,
        all: &[Extension],
        kind: DeclKind,
    ) -> Vec<Candidate> {
        let mut found = Vec::new();
        if !self.spend(all.len()) {
            return found;
        }

        for extension in all {
            let group = self.tables.type_def(extension.container);
            let near = level.classes.contains(&extension.container)
                || group.outer.is_none() && level.namespaces.contains(&group.namespace);
            if near
                && self.decl(extension.decl).kind == kind
                && self.is_visible(extension.container)
                && (!group.alone || self.is_nearest(extension.container))
            {
                self.type_def(extension.container);
                found.push(Candidate {
                    decl: extension.decl,
                    within: self.self_type(extension.container),
                    depth: 0,
                });
            }
        }

        self.prefer_accessible(found)
    }

    fn is_visible(&self, container: TypeDefId) -> bool {
        let here = self
            .table
            .homes
            .first()
            .copied()
            .unwrap_or(self.tables.assemblies.none());
        let group = self.tables.type_def(container);
        if group.access == Access::File && group.parts[0].file != self.file {
            return false;
        }

        let assemblies = &self.tables.assemblies;
        group.homes.iter().any(|home| {
            assemblies.sees(here, *home)
                && (group.access == Access::Public || assemblies.is_friend(here, *home))
        })
    }

    /// Reports whether a receiver is known to convert to the first parameter by identity, reference
    /// or boxing.
    pub fn receiver_fits(&self, receiver: Ty, candidate: Candidate) -> bool {
        let Some((_, target)) = self.receiver_target(receiver, candidate) else {
            return false;
        };
        match self.receiver_converts(receiver, target) {
            Conversion::Identity | Conversion::Implicit => true,
            Conversion::Unknown => {
                self.is_uncertain(receiver) && self.as_instance_of(receiver, target).is_some()
            }
            Conversion::No => false,
        }
    }

    /// Returns the scopes of extension methods, from the site outward.
    pub fn extension_scopes(&self) -> Rc<[ExtensionScope]> {
        let scope = self.site.namespace;
        self.memo
            .extension_scopes
            .get_or_insert_with(scope, || self.compute_extension_scopes(scope).into())
    }

    fn compute_extension_scopes(&self, scope: ScopeId) -> Vec<ExtensionScope> {
        let mut extension_scopes = Vec::new();
        let mut current = scope;
        while let Some(id) = current.some() {
            let here = *self.facts.scope(id);
            match here.kind {
                ScopeKind::Namespace => {
                    self.namespace_levels(id, here.parent, &mut extension_scopes)
                }
                ScopeKind::File => {
                    extension_scopes.push(ExtensionScope::of_namespace(NamespaceId::GLOBAL));
                    extension_scopes.push(self.using_level(id));
                }
                _ => {}
            }

            current = here.parent;
        }

        extension_scopes
    }

    fn namespace_levels(
        &self,
        scope: ScopeId,
        parent: ScopeId,
        extension_scopes: &mut Vec<ExtensionScope>,
    ) {
        let Some(&innermost) = self.table.namespaces.get(&scope) else {
            return;
        };

        let stop = self.namespace_around(self.file, parent);
        let mut namespace = innermost;
        while namespace != stop {
            extension_scopes.push(ExtensionScope::of_namespace(namespace));

            if namespace == innermost {
                extension_scopes.push(self.using_level(scope));
            }

            let next = self.tables.namespaces[namespace.0 as usize].parent;
            if next == namespace {
                break;
            }
            namespace = next;
        }
    }

    fn using_level(&self, scope: ScopeId) -> ExtensionScope {
        let mut level = ExtensionScope::default();
        for using in self.usings(self.file, scope).iter() {
            match *using {
                Using::Namespace(namespace) => level.namespaces.push(namespace),
                Using::Static(ty) => {
                    if let Type::Named(tid, _) = self.arena.get(ty) {
                        level.classes.push(tid);
                    }
                }
                Using::Undeclared => level.is_open = true,
                Using::Alias(..) => {}
            }
        }
        level
    }
}
