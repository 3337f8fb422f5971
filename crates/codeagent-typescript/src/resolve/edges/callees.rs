//! The target of a call, found from the called expression: a declaration, the value of a local, or
//! a value.
//!
//! Limitations: a local is followed once, to its initialiser; later assignments are not seen.

use codeagent_lang::DeclRef;
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type};
use crate::resolve::edges::FileResolver;
use crate::resolve::edges::targets::Referent;
use crate::resolve::symbols::at;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{DeclList, LookupPosition, Meaning};
use crate::resolve::types::signatures::Signature;

impl FileResolver<'_> {
    /// Resolves a callee; locals are followed to their values.
    pub fn resolve_callee(&self, callee: ExprId) -> Referent {
        let facts = self.own_facts();
        if let Some((yes, no)) = self.choice(callee)
            && let chosen @ (Referent::Decls(_) | Referent::Likely(_)) =
                self.resolve_held_choice(yes, no)
        {
            return chosen;
        }
        let outcome = self.resolve_value(callee);

        let outcome = match (&outcome, facts.expr(callee)) {
            (Referent::Decls(decls), Expr::Name(..))
                if decls.iter().all(|decl| self.is_local(*decl)) =>
            {
                let held = self.resolve_named_function(self.resolve_held(decls.clone()));
                if self.is_declared_elsewhere(callee, &held) {
                    Referent::Value
                } else {
                    held
                }
            }
            _ => self.resolve_named_function(outcome),
        };

        match outcome {
            Referent::External | Referent::Value | Referent::Anonymous => {
                match self.resolve_held_signature(callee) {
                    Some(declared) => declared,
                    None if self.may_hold_a_function(callee) => Referent::Unknown,
                    None => outcome,
                }
            }
            outcome => outcome,
        }
    }

    /// Resolves a call of a value, such as a parameter, to the function or member that its type was
    /// declared for: `f` of type `Store["open"]` to `Store.open`.
    fn resolve_held_signature(&self, callee: ExprId) -> Option<Referent> {
        let ty = self.type_of_expr(self.file.expr(callee));
        let members = self.arena.members(ty);
        let owners: DeclList = members
            .iter()
            .map(|member| self.owner_of_type(*member))
            .collect::<Option<_>>()?;
        if owners.is_empty() || self.is_bound_with_arguments(callee) {
            return None;
        }
        Some(if self.is_partly_unknown(callee) {
            Referent::Likely(owners)
        } else {
            Referent::Decls(owners)
        })
    }

    /// Returns the node that a function's type was declared for.
    fn owner_of_type(&self, ty: Ty) -> Option<DeclRef> {
        let decl = match self.get(ty) {
            Type::Function(decl, _) => decl,
            Type::Intersection(args) => {
                let members = self.arena.list(args);
                let mut called = members
                    .iter()
                    .filter(|member| !self.signatures(**member).is_empty());
                let only = called.next().filter(|_| called.next().is_none())?;
                return self.owner_of_type(*only);
            }
            _ => return None,
        };

        if self.is_external_file(decl.file) {
            return None;
        }

        let owner = match self.decl(decl).kind {
            DeclKind::Function | DeclKind::LocalFunction | DeclKind::Method => decl,
            DeclKind::Lambda | DeclKind::FunctionType => self.owner_of_function(decl)?,
            _ => return None,
        };

        self.is_node(owner).then_some(owner)
    }

    /// Reports whether a value is a choice with a part of unknown type: `(unknown || f)`.
    fn is_partly_unknown(&self, value: ExprId) -> bool {
        self.choice(value).is_some_and(|(yes, no)| {
            [yes, no]
                .iter()
                .any(|part| self.type_of_expr(self.file.expr(*part)).is_opaque())
        })
    }

    /// Reports whether a value is `f.bind(object, argument)`, which has a signature of its own.
    fn is_bound_with_arguments(&self, value: ExprId) -> bool {
        let (file, facts) = (self.file, self.own_facts());
        let value = match facts.expr(value) {
            Expr::Name(sym, scope, offset) => {
                let position = LookupPosition {
                    file,
                    scope,
                    offset,
                };
                let named = self.lookup_name(position, self.name(file, sym), Meaning::Value);
                match named[..] {
                    [local] if local.file == file => facts.decl(local.decl).init,
                    _ => return false,
                }
            }
            _ => value,
        };

        let Expr::Call(call) = facts.expr(value) else {
            return false;
        };
        let call = &facts.calls[call.index()];
        matches!(facts.expr(call.callee), Expr::Member(_, sym) if facts.text(sym) == "bind")
            && call.args.len() > 1
    }

    /// Reports whether a local is at this place known to be a function that is none of these: `f` after
    /// `const f = given ?? fallback; if (!isFallback(f))`.
    fn is_declared_elsewhere(&self, callee: ExprId, held: &Referent) -> bool {
        let (Referent::Decls(held) | Referent::Likely(held)) = held else {
            return false;
        };
        let ty = self.type_of_expr(self.file.expr(callee));
        let Type::Function(decl, _) = self.get(ty) else {
            return false;
        };
        let is_class = |held: &DeclRef| self.decl(*held).kind == DeclKind::Class;
        self.decl(decl).kind == DeclKind::FunctionType && held.iter().all(is_class)
    }

    /// Returns the variable or property that a function or function type is written for.
    fn owner_of_function(&self, function: DeclRef) -> Option<DeclRef> {
        let facts = self.facts(function.file);
        let owner = facts.decls.iter().position(|declaration| {
            matches!(
                declaration.kind,
                DeclKind::Variable | DeclKind::Property
            ) && (matches!(facts.expr(declaration.init), Expr::Function(id) if id == function.decl)
                || has_function_type(facts, declaration.ty, |id| id == function.decl))
        })?;
        Some(at(function.file, DeclId(owner as u32)))
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
            ResolvedName::Decls(named) if named.iter().all(|decl| self.writes_function(*decl)) => {
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
            Expr::Destructured(..) | Expr::Name(..) | Expr::Require(_) => {
                self.resolve_held_value(declaration.init)
            }
            // The type of the member may be declared elsewhere.
            Expr::Member(..) => match self.resolve_held_value(declaration.init) {
                Referent::Decls(decls)
                    if !decls.iter().all(|decl| {
                        self.writes_function(*decl) || self.has_function_type(*decl)
                    }) =>
                {
                    Referent::Value
                }
                held => held,
            },
            Expr::Or(value, _) if matches!(facts.expr(value), Expr::Destructured(..)) => {
                self.resolve_held_value(value)
            }
            Expr::Or(yes, no) => self.resolve_held_choice(yes, no),
            _ => Referent::Value,
        }
    }

    /// Resolves `const f = c ? a : b; f()` to the functions among both; they are likely only if the
    /// other one may be a function, too.
    fn resolve_held_choice(&self, yes: ExprId, no: ExprId) -> Referent {
        let functions = (
            self.resolve_held_function(yes),
            self.resolve_held_function(no),
        );

        match functions {
            (Referent::Decls(mut decls), Referent::Decls(others)) => {
                decls.extend(
                    others
                        .into_iter()
                        .filter(|decl| !decls.contains(decl))
                        .collect::<DeclList>(),
                );
                Referent::Decls(decls)
            }
            (Referent::Decls(decls), _) => self.chosen_unless(decls, no),
            (_, Referent::Decls(decls)) => self.chosen_unless(decls, yes),
            _ => Referent::Value,
        }
    }

    /// Returns functions that are chosen unless a value is: `f` in `value ?? f`.
    fn chosen_unless(&self, functions: DeclList, value: ExprId) -> Referent {
        if self.type_of_expr(self.file.expr(value)) == Ty::NOTHING {
            Referent::Decls(functions)
        } else {
            Referent::Likely(functions)
        }
    }

    /// Returns the parts of `c ? a : b`, `a || b` or `a ?? b`.
    fn choice(&self, value: ExprId) -> Option<(ExprId, ExprId)> {
        match self.own_facts().expr(value) {
            Expr::Or(yes, no) => Some((yes, no)),
            _ => None,
        }
    }

    fn resolve_held_function(&self, value: ExprId) -> Referent {
        if let Some((yes, no)) = self.choice(value).filter(|_| !self.is_deepest()) {
            return self.with_depth(|| self.resolve_held_choice(yes, no));
        }
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

    /// Reports whether the type written for a declaration is a function type, perhaps beside others.
    fn has_function_type(&self, decl: DeclRef) -> bool {
        let facts = self.facts(decl.file);
        has_function_type(facts, facts.decl(decl.decl).ty, |_| true)
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
            Expr::Generic(inner, _) | Expr::Satisfies(inner, _) => {
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

/// Reports whether a type is such a function type, or a union or intersection with one.
fn has_function_type(facts: &Facts, ty: TypeId, is_such: impl Fn(DeclId) -> bool + Copy) -> bool {
    match facts.type_expr(ty) {
        TypeExpr::Function(id) => is_such(id),
        TypeExpr::Union(list) | TypeExpr::Intersection(list) => facts
            .list(list)
            .iter()
            .any(|member| has_function_type(facts, *member, is_such)),
        _ => false,
    }
}
