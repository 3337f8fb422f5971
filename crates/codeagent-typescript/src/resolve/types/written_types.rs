//! Written types that exclude `null` and `undefined`, which resolved types leave out.
//!
//! Limitations: as with `strictNullChecks`, whatever the project says. A type that is computed
//! excludes nothing.

use codeagent_lang::FileId;
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, primitive_of};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::symbols::modules::ResolvedName;

/// Largest number of nested types and aliases that are followed.
const MAX_LEVELS: u32 = 8;

impl Checker<'_> {
    /// Reports whether neither `null` nor `undefined` is assignable to a written type.
    pub fn excludes_nothing(&self, file: FileId, ty: TypeId, level: u32) -> bool {
        if ty.is_none() || level > MAX_LEVELS || !self.spend(1) {
            return false;
        }

        let facts = self.facts(file);
        let excludes = |part: &TypeId| self.excludes_nothing(file, *part, level + 1);
        match facts.type_expr(ty) {
            TypeExpr::Primitive(word) => matches!(
                facts.text(word),
                "string" | "number" | "boolean" | "symbol" | "bigint" | "object"
            ),
            TypeExpr::Literal(kind, _) => primitive_of(kind) != Ty::NOTHING,
            TypeExpr::Array(..)
            | TypeExpr::Tuple(_)
            | TypeExpr::Function(_)
            | TypeExpr::Object(_)
            | TypeExpr::Mapped(_)
            | TypeExpr::Template(_) => true,
            TypeExpr::Union(parts) => facts.list(parts).iter().all(excludes),
            TypeExpr::Intersection(parts) => facts.list(parts).iter().any(excludes),
            TypeExpr::Name(segments, scope) => {
                self.name_excludes_nothing(file, facts.list(segments), scope, level)
            }
            _ => false,
        }
    }

    fn name_excludes_nothing(
        &self,
        file: FileId,
        segments: &[Segment],
        scope: ScopeId,
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
                        self.excludes_nothing(decl.file, declaration.ty, level + 1)
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
