//! The arguments of a call, with the elements of spread tuples and lists.
//!
//! Limitations: optional and rest elements are known only of a tuple type that is written for the
//! spread name or in a cast, perhaps behind aliases without type parameters.

use codeagent_lang::{DeclRef, ExprRef, FileId};
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type};
use crate::resolve::checker::Checker;
use crate::resolve::global_index::well_known::BuiltinType;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{LookupPosition, Meaning};

/// Largest number of aliases that are followed.
const MAX_ALIASES: u32 = 8;

/// An argument of a call as overload resolution sees it.
#[derive(Clone, Copy, Debug)]
pub enum GivenArg {
    Value(ExprRef),
    /// An element of a spread tuple; `true` if it is optional.
    Element(Ty, bool),
    /// The elements of a spread list; `UNKNOWN` if its type is not known.
    Elements(Ty),
}

impl Checker<'_> {
    /// Returns the arguments; a spread tuple is one argument for each element.
    pub fn given_args(&self, file: FileId, args: &[Arg]) -> Vec<GivenArg> {
        let mut given = Vec::with_capacity(args.len());
        for arg in args {
            let value = file.expr(arg.value);
            if arg.mode == ArgMode::Spread {
                given.extend(self.spread_args(value));
            } else {
                given.push(GivenArg::Value(value));
            }
        }
        given
    }

    fn spread_args(&self, value: ExprRef) -> Vec<GivenArg> {
        self.written_type(value)
            .and_then(|(file, ty)| self.elements_written(file, ty, 0))
            .unwrap_or_else(|| self.elements_of(self.type_of_expr(value)))
    }

    fn elements_of(&self, ty: Ty) -> Vec<GivenArg> {
        match self.get(ty) {
            Type::Tuple(elements) => {
                let elements = self.arena.list(elements);
                let element = |ty: &Ty| GivenArg::Element(*ty, false);
                elements.iter().map(element).collect()
            }
            Type::BuiltIn(BuiltinType::Array, _) => {
                vec![GivenArg::Elements(self.type_of_element(ty))]
            }
            _ => vec![GivenArg::Elements(Ty::UNKNOWN)],
        }
    }

    /// Returns the type that is written for a name or in a cast.
    fn written_type(&self, ExprRef { file, expr }: ExprRef) -> Option<(FileId, TypeId)> {
        match self.facts(file).expr(expr) {
            Expr::Cast(ty) => Some((file, ty)),
            Expr::Name(sym, scope, offset) => {
                let position = LookupPosition {
                    file,
                    scope,
                    offset,
                };
                let name = self.name(file, sym);

                match self.resolve_decls(self.lookup_name(position, name, Meaning::Narrowed)) {
                    ResolvedName::Decls(decls) => self.written_of(*decls.first()?),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn written_of(&self, decl: DeclRef) -> Option<(FileId, TypeId)> {
        let declaration = self.decl(decl);
        let holds = matches!(declaration.kind, DeclKind::Variable | DeclKind::Parameter)
            && !declaration.flags.has(DeclFlags::REST);
        (holds && !declaration.ty.is_none()).then_some((decl.file, declaration.ty))
    }

    /// Returns the elements of a written tuple type.
    fn elements_written(&self, file: FileId, ty: TypeId, level: u32) -> Option<Vec<GivenArg>> {
        let facts = self.facts(file);
        match facts.type_expr(ty) {
            TypeExpr::Tuple(elements) => {
                let elements = facts.list(elements).iter();
                Some(
                    elements
                        .flat_map(|element| self.element_args(file, element, level))
                        .collect(),
                )
            }
            TypeExpr::Name(segments, scope) if level < MAX_ALIASES => {
                let segments = facts.list(segments);
                let last = segments.len().checked_sub(1)?;
                let ResolvedName::Decls(decls) =
                    self.resolve_type_name(file, segments, scope, last)
                else {
                    return None;
                };

                let alias = *decls.first()?;
                let declaration = self.decl(alias);
                let is_plain =
                    declaration.kind == DeclKind::TypeAlias && declaration.type_params.is_empty();
                is_plain
                    .then(|| self.elements_written(alias.file, declaration.ty, level + 1))
                    .flatten()
            }
            _ => None,
        }
    }

    fn element_args(&self, file: FileId, element: &Element, level: u32) -> Vec<GivenArg> {
        if element.rest {
            return self
                .elements_written(file, element.ty, level + 1)
                .unwrap_or_else(|| self.elements_of(self.type_of(file, element.ty)));
        }
        let is_optional = matches!(
            self.facts(file).type_expr(element.ty),
            TypeExpr::Nullable(_)
        );
        vec![GivenArg::Element(
            self.type_of(file, element.ty),
            is_optional,
        )]
    }
}
