//! Using directives of a scope: namespaces, static members, aliases; for a file scope also global
//! usings.
//!
//! A using is resolved without its sibling usings; one inside a namespace sees the outer ones.
//!
//! Limitations: `extern alias X` makes `X::` the global namespace.

use std::rc::Rc;

use codeagent_lang::FileId;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::{Facts, ImportId, ImportKind, ScopeId, Segment, TypeExpr};
use rustc_hash::FxHashSet;

use crate::project::GlobalUsing;
use crate::resolve::global_index::provided_keys;
use crate::resolve::global_index::tables::{AssemblyUsing, NamespaceId};
use crate::resolve::types::Ty;
use crate::resolve::types::Types;
use crate::resolve::types::names::TypeOrNamespace;
use crate::resolve::types::queries::Query;

/// Number of usings up to which iterating over them costs no steps.
const USUAL_USINGS: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Using {
    /// `using A.B;`
    Namespace(NamespaceId),
    /// `using static A.B;`
    Static(Ty),
    /// `using X = A.B;`
    Alias(Name, TypeOrNamespace),
    /// `using A.B;` of a namespace that is not declared.
    Undeclared,
}

impl Types<'_> {
    /// Returns the usings of a file or namespace scope, each once; the scope's own come before
    /// global ones.
    pub fn usings(&self, file: FileId, scope: ScopeId) -> Rc<[Using]> {
        let usings: Rc<[Using]> = self.stack.memoized(&self.memo.usings, (file, scope), || {
            self.compute_usings(file, scope).into()
        });
        self.spend(usings.len() / USUAL_USINGS);
        usings
    }

    fn compute_usings(&self, file: FileId, scope: ScopeId) -> Vec<Using> {
        let table = self.tables.file(file);
        let mut made = Vec::new();
        for id in table.usings.get(&scope).into_iter().flatten() {
            made.extend(self.using(file, *id));
        }

        if scope == ScopeId(0) {
            for using in table
                .homes
                .first()
                .and_then(|home| self.tables.global_usings.get(home))
                .into_iter()
                .flatten()
            {
                made.extend(match using {
                    AssemblyUsing::Source(file, id) => self.using(*file, *id),
                    AssemblyUsing::Project(using) => self.project_using(using),
                });
            }
        }

        let mut seen = FxHashSet::default();
        made.retain(|using| seen.insert(*using));
        made
    }

    fn using(&self, file: FileId, id: ImportId) -> Option<Using> {
        let import = self.facts(file).imports.get(id.index())?;
        if import.kind == ImportKind::ExternAlias {
            return Some(Using::Alias(
                self.name(file, import.name),
                TypeOrNamespace::Namespace(NamespaceId::GLOBAL),
            ));
        }

        self.read(file);
        let found = self
            .stack
            .query_uncached(Query::Using(file, id), || self.resolve_import(file, id))?;
        match (import.kind, found) {
            (ImportKind::UsingNamespace, TypeOrNamespace::None) => Some(Using::Undeclared),
            (ImportKind::UsingNamespace, TypeOrNamespace::Namespace(namespace)) => {
                Some(Using::Namespace(namespace))
            }
            (ImportKind::UsingStatic, TypeOrNamespace::Type(ty)) => Some(Using::Static(ty)),
            (ImportKind::UsingAlias, found) => {
                Some(Using::Alias(self.name(file, import.name), found))
            }
            _ => None,
        }
    }

    /// Returns the type or namespace that an import names.
    pub fn resolve_import(&self, file: FileId, id: ImportId) -> TypeOrNamespace {
        let facts: &Facts = self.facts(file);
        let Some(import) = facts.imports.get(id.index()) else {
            return TypeOrNamespace::None;
        };

        match facts.type_expr(import.ty) {
            TypeExpr::Name(segments, scope) => {
                let list = facts.list(segments);
                match self.resolve_segments(file, list, scope, Some(import.scope)) {
                    TypeOrNamespace::None if import.kind != ImportKind::UsingNamespace => {
                        list.last().map_or(TypeOrNamespace::None, |last| {
                            TypeOrNamespace::Type(self.external_named(file, last))
                        })
                    }
                    found => found,
                }
            }
            _ => TypeOrNamespace::Type(self.type_of(file, import.ty)),
        }
    }

    /// Returns the type of an undeclared name.
    pub(super) fn external_named(&self, file: FileId, segment: &Segment) -> Ty {
        let facts: &Facts = self.facts(file);
        let args: Vec<Ty> = facts
            .list(segment.args)
            .iter()
            .map(|arg| self.type_of(file, *arg))
            .collect();
        self.external(self.name(file, segment.name), &args)
    }

    fn project_using(&self, using: &GlobalUsing) -> Option<Using> {
        match using {
            GlobalUsing::Namespace(name) => match self.dotted(name) {
                Some(TypeOrNamespace::Namespace(namespace)) => Some(Using::Namespace(namespace)),
                Some(TypeOrNamespace::Type(_)) => None,
                Some(TypeOrNamespace::None) | None => Some(Using::Undeclared),
            },

            GlobalUsing::Static(name) => match self.dotted(name) {
                Some(TypeOrNamespace::Type(ty)) => Some(Using::Static(ty)),
                _ => Some(Using::Static(
                    self.external(self.tables.names.get(name.rsplit('.').next()?)?, &[]),
                )),
            },

            GlobalUsing::Alias(alias, name) => {
                let alias = self.tables.names.get(alias)?;
                let last = name.rsplit('.').next().unwrap_or(name);
                let found = self.dotted(name).or_else(|| {
                    Some(TypeOrNamespace::Type(
                        self.external(self.tables.names.get(last)?, &[]),
                    ))
                })?;
                Some(Using::Alias(alias, found))
            }
        }
    }

    /// Resolves a dotted name from a project file, from the global namespace.
    fn dotted(&self, name: &str) -> Option<TypeOrNamespace> {
        let mut current = TypeOrNamespace::Namespace(NamespaceId::GLOBAL);
        let name = name.strip_prefix("global::").unwrap_or(name);
        for segment in name.split('.') {
            self.record_text_lookup(provided_keys::TYPES, segment);
            self.record_text_lookup(provided_keys::NAMESPACES, segment);
            let id = self.tables.names.get(segment)?;
            current = self.resolve_segment(current, id, &[], true);
            if matches!(current, TypeOrNamespace::None) {
                return None;
            }
        }
        Some(current)
    }
}
