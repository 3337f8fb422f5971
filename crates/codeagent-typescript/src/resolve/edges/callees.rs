//! What does a call lead to, by the expression that is called: a declaration, what a local holds,
//! or a value.
//!
//! **Limits.** A local is looked through once; what was assigned to it later is not seen.

use codeagent_lang::DeclRef;
use codeagent_model::facts::*;

use crate::resolve::edges::Linker;
use crate::resolve::edges::sites::Outcome;
use crate::resolve::symbols::scopes::Decls;
use crate::resolve::types::signatures::Signature;

impl Linker<'_> {
    /// What is called: locals that hold something are looked through.
    pub fn callee_outcome(&mut self, callee: ExprId) -> Outcome {
        let facts = self.own_facts();
        let outcome = self.value_outcome(callee);
        let outcome = match (&outcome, facts.expr(callee)) {
            (Outcome::Decls(decls), Expr::Name(..))
                if decls.iter().all(|decl| self.is_local(*decl)) =>
            {
                self.held_outcome(decls.clone())
            }
            _ => outcome,
        };
        match outcome {
            Outcome::Outside | Outcome::Value if self.may_hold_a_function(callee) => {
                Outcome::Unknown
            }
            outcome => outcome,
        }
    }

    /// `const { f } = o; f()` calls what `o.f` is; a local that holds a lambda is none of the
    /// graph's business.
    fn held_outcome(&mut self, decls: Decls) -> Outcome {
        let Some(&decl) = decls.first() else {
            return Outcome::Outside;
        };
        let facts = self.facts(decl.file);
        let declaration = facts.decl(decl.decl);
        if let TypeExpr::TypeOf(named) = facts.type_expr(declaration.ty) {
            return self.held_value(named);
        }
        if !declaration.ty.is_none() {
            return Outcome::Value;
        }
        match facts.expr(declaration.init) {
            Expr::Destructured(..) | Expr::Member(..) | Expr::Name(..) | Expr::Require(_) => {
                self.held_value(declaration.init)
            }
            Expr::Or(value, _) if matches!(facts.expr(value), Expr::Destructured(..)) => {
                self.held_value(value)
            }
            Expr::Or(yes, no) => self.held_choice(yes, no),
            _ => Outcome::Value,
        }
    }

    /// `const f = c ? a : b; f()` calls either, if these are where the functions are written.
    fn held_choice(&mut self, yes: ExprId, no: ExprId) -> Outcome {
        let (yes, no) = (self.held_function(yes), self.held_function(no));
        match (yes, no) {
            (Outcome::Decls(mut decls), Outcome::Decls(others)) => {
                decls.extend(
                    others
                        .into_iter()
                        .filter(|decl| !decls.contains(decl))
                        .collect::<Decls>(),
                );
                Outcome::Decls(decls)
            }
            (decls @ Outcome::Decls(_), _) | (_, decls @ Outcome::Decls(_)) => decls,
            _ => Outcome::Value,
        }
    }

    fn held_function(&mut self, value: ExprId) -> Outcome {
        match self.held_value(value) {
            Outcome::Decls(decls) if decls.iter().all(|decl| self.writes_function(*decl)) => {
                Outcome::Decls(decls)
            }
            _ => Outcome::Outside,
        }
    }

    /// Whether a declaration is a function or class, or says itself which one it holds.
    fn writes_function(&mut self, decl: DeclRef) -> bool {
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

    /// What a local holds: by another name of this scope a value, by a member something of the
    /// repository.
    fn held_value(&mut self, value: ExprId) -> Outcome {
        let is_named = matches!(self.own_facts().expr(value), Expr::Name(..));
        match self.value_outcome(value) {
            Outcome::Decls(decls) if decls.iter().all(|decl| self.is_local(*decl)) => {
                if is_named {
                    Outcome::Value
                } else {
                    Outcome::Nameless
                }
            }
            outcome => outcome,
        }
    }

    fn is_local(&mut self, decl: DeclRef) -> bool {
        let declaration = self.decl(decl);
        matches!(
            declaration.kind,
            DeclKind::Variable | DeclKind::Parameter | DeclKind::Narrow
        ) && declaration.detail.is_none()
    }

    /// Whether a local is called through a signature that the repository writes.
    pub fn may_hold_a_function(&mut self, callee: ExprId) -> bool {
        match self.own_facts().expr(callee) {
            Expr::Name(..) => {}
            Expr::Same(inner) | Expr::Generic(inner, _) | Expr::Satisfies(inner, _) => {
                return self.may_hold_a_function(inner);
            }
            _ => return false,
        }
        let file = self.file;
        let ty = self.expr_type(file, callee);
        self.signatures(ty)
            .into_iter()
            .any(|signature| self.is_written_signature(signature))
    }

    /// Whether the repository writes a signature without a body as a member of a type.
    fn is_written_signature(&mut self, signature: Signature) -> bool {
        let Signature::Declared(decl, _) = signature else {
            return false;
        };
        !self.is_external_file(decl.file) && self.decl(decl).kind == DeclKind::CallSignature
    }
}
