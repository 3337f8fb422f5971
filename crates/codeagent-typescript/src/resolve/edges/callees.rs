//! The target of a call, found from the called expression: a declaration, the value of a local, or
//! a value.
//!
//! Limitations: a local is followed once, to its initialiser; later assignments are not seen.

use codeagent_lang::DeclRef;
use codeagent_model::facts::*;

use crate::resolve::edges::FileResolver;
use crate::resolve::edges::targets::Referent;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{DeclList, LookupPosition, Meaning};
use crate::resolve::types::signatures::Signature;

impl FileResolver<'_> {
    /// Resolves a callee; locals are followed to their values.
    pub fn resolve_callee(&self, callee: ExprId) -> Referent {
        let facts = self.own_facts();
        let outcome = self.resolve_value(callee);

        let outcome = match (&outcome, facts.expr(callee)) {
            (Referent::Decls(decls), Expr::Name(..))
                if decls.iter().all(|decl| self.is_local(*decl)) =>
            {
                self.resolve_named_function(self.resolve_held(decls.clone()))
            }
            _ => self.resolve_named_function(outcome),
        };

        match outcome {
            Referent::External | Referent::Value if self.may_hold_a_function(callee) => {
                Referent::Unknown
            }
            outcome => outcome,
        }
    }

    /// Resolves a call of `a` in `{ a: f }`, which is not a node, to the function `f`.
    pub fn resolve_named_function(&self, member: Referent) -> Referent {
        let Referent::Decls(decls) = &member else {
            return member;
        };
        let [decl] = decls[..] else { return member };

        let facts = self.facts(decl.file);
        let declaration = facts.decl(decl.decl);
        let Expr::Name(sym, scope, offset) = facts.expr(declaration.init) else {
            return member;
        };
        let is_of_object = facts.scope(declaration.scope).kind == ScopeKind::Object;
        if !is_of_object || !declaration.ty.is_none() || !declaration.detail.is_none() {
            return member;
        }

        let position = LookupPosition {
            file: decl.file,
            scope,
            offset,
        };
        let name = self.name(decl.file, sym);
        let named = self.lookup_name(position, name, Meaning::Value);
        match self.resolve_decls(named) {
            ResolvedName::Decls(named)
                if !named.is_empty() && named.iter().all(|decl| self.writes_function(*decl)) =>
            {
                Referent::Decls(named)
            }
            _ => member,
        }
    }

    /// Resolves `const { f } = o; f()` to `o.f`.
    fn resolve_held(&self, decls: DeclList) -> Referent {
        let Some(&decl) = decls.first() else {
            return Referent::External;
        };

        let facts = self.facts(decl.file);
        let declaration = facts.decl(decl.decl);
        if let TypeExpr::TypeOf(named) = facts.type_expr(declaration.ty) {
            return self.resolve_held_value(named);
        }
        if !declaration.ty.is_none() {
            return Referent::Value;
        }

        match facts.expr(declaration.init) {
            Expr::Destructured(..) | Expr::Member(..) | Expr::Name(..) | Expr::Require(_) => {
                self.resolve_held_value(declaration.init)
            }
            Expr::Or(value, _) if matches!(facts.expr(value), Expr::Destructured(..)) => {
                self.resolve_held_value(value)
            }
            Expr::Or(yes, no) => self.resolve_held_choice(yes, no),
            _ => Referent::Value,
        }
    }

    /// Resolves `const f = c ? a : b; f()` to either function, if both are written there.
    fn resolve_held_choice(&self, yes: ExprId, no: ExprId) -> Referent {
        let (yes, no) = (
            self.resolve_held_function(yes),
            self.resolve_held_function(no),
        );

        match (yes, no) {
            (Referent::Decls(mut decls), Referent::Decls(others)) => {
                decls.extend(
                    others
                        .into_iter()
                        .filter(|decl| !decls.contains(decl))
                        .collect::<DeclList>(),
                );
                Referent::Decls(decls)
            }
            (decls @ Referent::Decls(_), _) | (_, decls @ Referent::Decls(_)) => decls,
            _ => Referent::Value,
        }
    }

    fn resolve_held_function(&self, value: ExprId) -> Referent {
        match self.resolve_held_value(value) {
            Referent::Decls(decls) if decls.iter().all(|decl| self.writes_function(*decl)) => {
                Referent::Decls(decls)
            }
            _ => Referent::External,
        }
    }

    /// Reports whether a declaration is a function or class, or is initialised with one.
    fn writes_function(&self, decl: DeclRef) -> bool {
        let facts = self.facts(decl.file);
        let declaration = facts.decl(decl.decl);
        match declaration.kind {
            DeclKind::Function | DeclKind::Method | DeclKind::Class => true,
            DeclKind::Property | DeclKind::Variable if declaration.ty.is_none() => {
                matches!(
                    facts.expr(declaration.init),
                    Expr::Function(_) | Expr::Class(_)
                )
            }
            DeclKind::Property | DeclKind::Variable => {
                matches!(facts.type_expr(declaration.ty), TypeExpr::Function(_))
            }
            _ => false,
        }
    }

    /// Resolves the value of a local: another name in this scope, or a member of the repository.
    fn resolve_held_value(&self, value: ExprId) -> Referent {
        let is_named = matches!(self.own_facts().expr(value), Expr::Name(..));
        match self.resolve_value(value) {
            Referent::Decls(decls) if decls.iter().all(|decl| self.is_local(*decl)) => {
                if is_named {
                    Referent::Value
                } else {
                    Referent::Anonymous
                }
            }
            outcome => outcome,
        }
    }

    fn is_local(&self, decl: DeclRef) -> bool {
        let declaration = self.decl(decl);
        matches!(
            declaration.kind,
            DeclKind::Variable | DeclKind::Parameter | DeclKind::Narrow
        ) && declaration.detail.is_none()
    }

    /// Reports whether a local is called through a signature written in the repository.
    pub fn may_hold_a_function(&self, callee: ExprId) -> bool {
        match self.own_facts().expr(callee) {
            Expr::Name(..) => {}
            Expr::Paren(inner) | Expr::Generic(inner, _) | Expr::Satisfies(inner, _) => {
                return self.may_hold_a_function(inner);
            }
            _ => return false,
        }
        let file = self.file;
        let ty = self.type_of_expr(file.expr(callee));
        self.signatures(ty)
            .into_iter()
            .any(|signature| self.is_written_signature(signature))
    }

    /// Reports whether a signature is a bodiless type member in the repository.
    fn is_written_signature(&self, signature: Signature) -> bool {
        let Signature::Declared(decl, _) = signature else {
            return false;
        };
        !self.is_external_file(decl.file) && self.decl(decl).kind == DeclKind::CallSignature
    }
}
