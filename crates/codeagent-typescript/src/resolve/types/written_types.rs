//! Written types that exclude `null`, `undefined` and `void`, which resolved types leave out.
//!
//! Limitations: as with `strictNullChecks`, whatever the project says. A type that is computed
//! excludes nothing.

use codeagent_lang::FileId;
use codeagent_model::facts::*;

use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::symbols::modules::ResolvedName;

/// Largest number of nested types and aliases that are followed.
const MAX_LEVELS: u32 = 8;

/// A type without a value, which resolved types leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nothing {
    Null,
    Undefined,
    /// The result of a function that returns no value.
    Void,
}

impl Nothing {
    /// Reports whether it is not assignable to a primitive type.
    fn is_excluded_by(self, primitive: &str) -> bool {
        match primitive {
            "string" | "number" | "boolean" | "true" | "false" | "symbol" | "bigint" | "object"
            | "never" => true,
            "null" => self != Self::Null,
            "undefined" => self != Self::Undefined,
            "void" => self == Self::Null,
            _ => false,
        }
    }
}

impl Checker<'_> {
    /// Reports whether `null`, `undefined` or `void` is not assignable to a written type.
    pub fn excludes(&self, nothing: Nothing, (file, ty): (FileId, TypeId), level: u32) -> bool {
        if ty.is_none() || level > MAX_LEVELS || !self.spend(1) {
            return false;
        }

        let facts = self.facts(file);
        let excludes = |part: &TypeId| self.excludes(nothing, (file, *part), level + 1);
        match facts.type_expr(ty) {
            TypeExpr::Primitive(word) => nothing.is_excluded_by(facts.text(word)),
            TypeExpr::Literal(LiteralKind::Null, _) => nothing != Nothing::Null,
            TypeExpr::Literal(LiteralKind::Undefined, _) => nothing != Nothing::Undefined,
            TypeExpr::Literal(..) => true,
            TypeExpr::Array(..)
            | TypeExpr::Tuple(_)
            | TypeExpr::Function(_)
            | TypeExpr::Object(_)
            | TypeExpr::Mapped(_)
            | TypeExpr::Template(_) => true,
            TypeExpr::Union(parts) => facts.list(parts).iter().all(excludes),
            TypeExpr::Intersection(parts) => facts.list(parts).iter().any(excludes),
            TypeExpr::Name(segments, scope) => {
                self.name_excludes(nothing, (file, facts.list(segments), scope), level)
            }
            _ => false,
        }
    }

    fn name_excludes(
        &self,
        nothing: Nothing,
        (file, segments, scope): (FileId, &[Segment], ScopeId),
        level: u32,
    ) -> bool {
        let Some(last) = segments.last() else {
            return false;
        };

        match self.resolve_type_name(file, segments, scope, segments.len() - 1) {
            ResolvedName::Decls(decls) => decls.iter().any(|decl| {
                let declaration = self.decl(*decl);
                match declaration.kind {
                    DeclKind::Class | DeclKind::Interface | DeclKind::Enum => true,
                    DeclKind::TypeAlias => {
                        self.excludes(nothing, (decl.file, declaration.ty), level + 1)
                    }
                    _ => false,
                }
            }),
            ResolvedName::Nothing => {
                let name = self.facts(file).text(last.name);
                segments.len() == 1
                    && BuiltinType::of_name(name).is_some_and(|known| known != BuiltinType::Object)
            }
            _ => false,
        }
    }
}
