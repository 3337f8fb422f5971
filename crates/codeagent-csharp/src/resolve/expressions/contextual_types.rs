//! Contextual types: the type expected at the position of a lambda, `new()` or collection
//! expression.
//!
//! Limitations: while the overload of a call is being resolved, its arguments have no context.

use codeagent_model::facts::{Context, DeclFlags, DeclId, DeclKind, Expr, ExprId};

use crate::resolve::expressions::Checker;
use crate::resolve::global_index::well_known::Known;
use crate::resolve::types::queries::Query;
use crate::resolve::types::{Ty, Type};

impl Checker<'_> {
    /// Returns the contextual type of a declaration.
    pub fn infer_context_type(&self, decl: DeclId) -> Ty {
        self.within(self.facts.decl(decl).scope, || {
            self.stack
                .query_uncached(Query::Context(self.lambda_bindings.current(), decl), || {
                    self.compute_context_type(decl)
                })
                .unwrap_or(Ty::UNKNOWN)
        })
    }

    fn compute_context_type(&self, decl: DeclId) -> Ty {
        match self.facts.decl(decl).context {
            Context::Argument(call, index) => self
                .resolve_call(call)
                .expected
                .get(usize::from(index))
                .copied()
                .unwrap_or(Ty::UNKNOWN),
            Context::Typed(ty) => self.type_of(self.file, ty),
            Context::Assigned(target) => match self.type_of_expr(target) {
                ty if matches!(
                    self.arena.get(ty),
                    Type::Qualifier(_) | Type::MethodGroup(_)
                ) =>
                {
                    Ty::UNKNOWN
                }
                ty => ty,
            },
            Context::Returned(function) => self.infer_returned_context(function),
            Context::Element(collection) => self.infer_element_context(collection),
            Context::Property(..) | Context::Attribute(..) | Context::None => Ty::UNKNOWN,
        }
    }

    fn infer_returned_context(&self, function: DeclId) -> Ty {
        let decl = self.facts.decl(function);

        // The body is being bound to find out whether the lambda fits, so its expected result is
        // the unknown.
        if self.is_assumed(function) {
            return Ty::UNKNOWN;
        }

        let result = if decl.kind == DeclKind::Lambda {
            let context = self.infer_context_type(function);
            self.delegate_shape(context)
                .map_or(Ty::UNKNOWN, |shape| shape.result)
        } else {
            self.type_of(self.file, decl.ty)
        };

        if decl.flags.has(DeclFlags::GENERATOR) {
            return match self.known(result) {
                Some((Known::Enumerator | Known::AsyncEnumerator, args)) => args[0],
                _ => self.element_of(result).unwrap_or(Ty::UNKNOWN),
            };
        }

        if decl.flags.has(DeclFlags::ASYNC) {
            self.type_of_awaited(result)
        } else {
            result
        }
    }

    fn infer_element_context(&self, collection: ExprId) -> Ty {
        match self.facts.expr(collection) {
            Expr::Array(_, decl) if !decl.is_none() => self
                .element_of(self.infer_context_type(decl))
                .unwrap_or(Ty::UNKNOWN),
            _ => self
                .element_of(self.type_of_expr(collection))
                .unwrap_or(Ty::UNKNOWN),
        }
    }
}
