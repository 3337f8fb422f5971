//! Constructor calls: `new`, constructor initializers and attributes.
//!
//! Limitations: `new C()` without a declared constructor targets the type.

use codeagent_lang::query::names::Name;
use codeagent_model::facts::{Call, DeclId, DeclKind, ScopeId, TypeExpr, TypeId};

use crate::resolve::expressions::Checker;
use crate::resolve::expressions::calls::{CallOutcome, CallResult};
use crate::resolve::global_index::provided_keys;
use crate::resolve::types::names::TypeOrNamespace;
use crate::resolve::types::{Ty, Type};

impl Checker<'_> {
    /// Returns the type that declares a constructor.
    pub fn constructed_by(&self, constructor: DeclId) -> Ty {
        let owner = constructor
            .some()
            .map(|constructor| self.facts.decl(constructor).scope)
            .and_then(ScopeId::some);
        owner.map_or(Ty::UNKNOWN, |scope| {
            self.type_of_this(self.facts.scope(scope).owner)
        })
    }

    /// Resolves `new T(..)`.
    pub(super) fn resolve_construction(&self, ty: Ty, call: &Call) -> CallResult {
        let Type::Named(tid, _) = self.arena.get(ty) else {
            return self.resolve_undeclared_construction(ty);
        };

        let group = self.type_def(tid);
        if group.kind == DeclKind::Delegate {
            let made = CallResult {
                external: group.external.then(|| group.parts[0]),
                sure: true,
                ..CallResult::external(ty, vec![ty])
            };
            return if group.external {
                made
            } else {
                CallResult {
                    outcome: CallOutcome::Value,
                    ..made
                }
            };
        }

        let args = self.arguments(call);
        let constructors = self.lookup_constructors(ty);
        if let Some(chosen) = self.resolve_overload(&constructors, &args, self.arena.no_types()) {
            return CallResult {
                result: ty,
                ..self.call_result(chosen, 0)
            };
        }

        let implicit = args.is_empty()
            && (constructors.is_empty()
                || matches!(group.kind, DeclKind::Struct | DeclKind::RecordStruct));
        if group.external || !implicit {
            let outcome = if group.external {
                CallOutcome::External
            } else {
                CallOutcome::Unknown
            };

            return CallResult {
                outcome,
                external: group.external.then(|| group.parts[0]),
                result: ty,
                ..CallResult::default()
            };
        }

        CallResult {
            outcome: CallOutcome::Target,
            targets: vec![group.parts[0]],
            sure: true,
            result: ty,
            ..CallResult::default()
        }
    }

    /// Resolves `new T(..)` of an undeclared type, or of a delegate type without a definition.
    fn resolve_undeclared_construction(&self, ty: Ty) -> CallResult {
        let outcome = if ty.is_unknown() {
            CallOutcome::Unknown
        } else {
            CallOutcome::External
        };
        let expected = self
            .delegate_shape(ty)
            .map(|_| vec![ty])
            .unwrap_or_default();

        CallResult {
            outcome,
            result: ty,
            expected,
            ..CallResult::default()
        }
    }

    pub(super) fn resolve_attribute(&self, ty: TypeId, call: &Call) -> CallResult {
        let Some(ty) = self.type_of_attribute(ty) else {
            return CallResult::external(Ty::UNKNOWN, Vec::new());
        };

        let constructors = self.lookup_constructors(ty);
        let mut args = self.arguments(call);
        // Other names are those of properties.
        let is_parameter = |name: Name| {
            constructors.iter().any(|candidate| {
                let signature = self.signature(candidate.decl);
                signature.params.iter().any(|param| param.name == name)
            })
        };
        args.retain(|arg| arg.name == Name::NONE || is_parameter(arg.name));
        if constructors.is_empty() && args.is_empty() {
            return self.resolve_construction(
                ty,
                &Call {
                    args: codeagent_model::facts::List::default(),
                    ..*call
                },
            );
        }

        match self.resolve_overload(&constructors, &args, self.arena.no_types()) {
            Some(chosen) => CallResult {
                result: ty,
                ..self.call_result(chosen, 0)
            },
            None => CallResult::external(ty, Vec::new()),
        }
    }

    /// Returns the class that an attribute names: `[Foo]` is `FooAttribute` or, if that is an
    /// attribute class, `Foo`.
    pub fn type_of_attribute(&self, id: TypeId) -> Option<Ty> {
        let TypeExpr::Name(segments, scope) = self.facts.type_expr(id) else {
            return None;
        };

        let segments = self.facts.list(segments);
        let last = segments.last()?;
        let suffixed = format!("{}Attribute", self.facts.text(last.name));
        self.record_text_lookup(provided_keys::TYPES, &suffixed);
        if let Some(name) = self.tables.names.get(&suffixed)
            && let TypeOrNamespace::Type(ty) = self.resolve_renamed(segments, scope, name)
        {
            return Some(ty);
        }

        let TypeOrNamespace::Type(ty) = self.resolve_segments(self.file, segments, scope, None)
        else {
            return None;
        };

        let is_attribute = self
            .supertypes(ty)
            .iter()
            .any(|base| match self.arena.get(*base) {
                Type::External(name, _) => self.tables.names.text(name).ends_with("Attribute"),
                Type::Named(tid, _) => self
                    .tables
                    .names
                    .text(self.tables.type_def(tid).name)
                    .ends_with("Attribute"),
                _ => false,
            });

        is_attribute.then_some(ty)
    }
}
