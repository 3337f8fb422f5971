//! Arguments that clearly do not fit a parameter.
//!
//! Limitations: an argument fits unless the opposite is certain. A narrowed value of a type parameter
//! fits every parameter.

use codeagent_lang::{DeclRef, ExprRef};
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type};
use crate::resolve::checker::Checker;
use crate::resolve::symbols::at;
use crate::resolve::types::signatures::Signature;
use crate::resolve::types::written_types::Nothing;

impl Checker<'_> {
    /// Reports whether an argument clearly does not fit a parameter.
    pub fn rejects(&self, param: Ty, value: ExprRef) -> bool {
        let ExprRef { file, expr: value } = value;
        let facts = self.facts(file);

        match facts.expr(value) {
            Expr::Function(lambda) => {
                let callable = self.arena.members(param).iter().any(|ty| {
                    ty.is_opaque()
                        || matches!(self.get(*ty), Type::Param(_))
                        || !self.signatures(*ty).is_empty()
                });
                let lambda = at(file, lambda);
                !callable
                    || self.takes_fewer_params(param, lambda)
                    || self.returns_other(param, lambda)
            }
            Expr::Literal(LiteralKind::Null | LiteralKind::Undefined, _) => false,
            _ => {
                let value = file.expr(value);
                let given = self.type_of_expr(value);
                self.extends(given, param, &mut Vec::new()) == Some(false)
                    || self.is_too_general(given, param, value)
            }
        }
    }

    /// Reports whether a value has a type parameter of the function or class around it, whose
    /// constraint does not fit a parameter. One without a constraint fits no type with members.
    fn is_too_general(&self, given: Ty, param: Ty, value: ExprRef) -> bool {
        let Type::Param(general) = self.get(given) else {
            return false;
        };
        let is_around = general.file == value.file
            && self
                .scope_of_path(value)
                .is_some_and(|scope| self.is_within(value.file, scope, self.decl(general).scope));
        if !is_around || self.narrowed_path(value).is_some() {
            return false;
        }

        let bound = self.constraint(general);
        if self.decl(general).bases.is_empty() {
            let wants_members = |ty: &Ty| match self.get(*ty) {
                Type::Simple(simple) => simple.is_primitive(),
                Type::Function(..) | Type::BuiltIn(..) | Type::Tuple(_) | Type::Literal(..) => true,
                Type::Instance(..) => {
                    self.is_enum(*ty) || self.key_names(*ty).is_some_and(|names| !names.is_empty())
                }
                _ => false,
            };
            return self.arena.members(param).iter().all(wants_members);
        }
        !self.is_open(bound) && self.extends(bound, param, &mut Vec::new()) == Some(false)
    }

    /// Reports whether a lambda whose parameters have written types returns something else than a
    /// callback type wants.
    fn returns_other(&self, callback: Ty, lambda: DeclRef) -> bool {
        let is_written = |param: &DeclRef| !self.decl(*param).ty.is_none();
        let [Signature::Declared(wanted, _)] = self.signatures(callback)[..] else {
            return false;
        };
        if !self.params(lambda).iter().all(is_written) {
            return false;
        }

        let result = self.result_of(callback);
        if result.is_opaque() || result == Ty::NOTHING || self.is_open(result) {
            return false;
        }
        let given = self.type_of_return(lambda);
        if given == Ty::NOTHING {
            let written = (wanted.file, self.decl(wanted).ty);
            return self
                .returned_nothings(lambda)
                .iter()
                .all(|nothing| self.excludes(*nothing, written, 0));
        }
        self.extends(given, result, &mut Vec::new()) == Some(false)
    }

    /// Returns what a lambda without a value may return: `void`, or `null` or `undefined`.
    fn returned_nothings(&self, lambda: DeclRef) -> &'static [Nothing] {
        if self.decl(lambda).returns.is_empty() {
            &[Nothing::Void]
        } else {
            &[Nothing::Null, Nothing::Undefined]
        }
    }

    /// Reports whether a lambda has more parameters than a callback type passes.
    fn takes_fewer_params(&self, callback: Ty, lambda: DeclRef) -> bool {
        let signatures = self.signatures(callback);
        let wanted = self.params(lambda).len();
        !signatures.is_empty()
            && signatures.iter().all(|signature| {
                let params = self.signature_params(*signature);
                params.len() < wanted && !params.last().is_some_and(|param| param.rest)
            })
    }
}
