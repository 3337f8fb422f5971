//! Origins: the package that a value comes from.
//!
//! In `const app = express(); app.get(..)`, `app` comes from `express`; a parameter `router: Router`
//! comes from the package from which `Router` is imported; what a function of the repository returns, from
//! where its return type or its first returned value comes.
//!
//! Limitations: assignments after the declaration are ignored.

use codeagent_lang::{DeclRef, ExprRef, FileId};
use codeagent_model::facts::*;

use super::frameworks::{CLIENTS, CallMeaning, method_meaning};
use crate::resolve::edges::FileResolver;
use crate::resolve::edges::targets::Referent;
use crate::resolve::symbols::modules::ResolvedName;
use crate::resolve::symbols::scopes::{DeclList, LookupPosition, Meaning};

/// Steps that are followed.
const MAX_STEPS: usize = 16;

/// Origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'w> {
    Package(&'w str),
    /// A function or class of the repository.
    Own,
    /// Not known.
    Unknown,
}

impl Origin<'_> {
    /// Reports whether it is one of some packages.
    pub fn is_one_of(self, packages: &[&str]) -> bool {
        matches!(self, Self::Package(name) if packages.contains(&name))
    }
}

impl<'w> FileResolver<'w> {
    /// Returns the package that a value of the file comes from.
    pub fn origin(&self, expr: ExprId) -> Origin<'w> {
        self.origin_of_value(self.file.expr(expr), MAX_STEPS)
    }

    fn origin_of_value(&self, at: ExprRef, steps: usize) -> Origin<'w> {
        if steps == 0 {
            return Origin::Unknown;
        }

        let facts = self.facts(at.file);
        let value = |expr| at.file.expr(expr);
        match facts.expr(at.expr) {
            Expr::Name(sym, scope, offset) => {
                let position = LookupPosition {
                    file: at.file,
                    scope,
                    offset,
                };
                let name = self.name(at.file, sym);
                let decls = self.lookup_name(position, name, Meaning::Value);
                self.origin_of_decls(&decls, steps - 1)
            }
            Expr::Member(object, _) => {
                // A member of the repository may say more than its object.
                if at.file == self.file
                    && let Referent::Decls(decls) = self.resolve_value(at.expr)
                {
                    let found = self.origin_of_decls(&decls, steps - 1);
                    if found != Origin::Unknown {
                        return found;
                    }
                }

                self.origin_of_value(value(object), steps - 1)
            }
            Expr::Call(call) | Expr::New(call) => self.origin_of_call(at.file, call, steps - 1),
            Expr::Paren(inner)
            | Expr::Satisfies(inner, _)
            | Expr::Generic(inner, _)
            | Expr::NonNull(inner)
            | Expr::Await(inner)
            | Expr::Or(inner, _)
            | Expr::Assign(_, inner) => self.origin_of_value(value(inner), steps - 1),
            Expr::Destructured(inner, _) => self.origin_of_value(value(inner), steps - 1),
            Expr::Cast(ty) => self.origin_of_type(at.file, ty, steps - 1),
            Expr::Require(module) => package(facts.text(module)),
            Expr::This(class) if !class.is_none() => {
                match facts.list(facts.decl(class).bases).first() {
                    Some(base) => self.origin_of_base(at.file, base.ty, steps - 1),
                    None => Origin::Unknown,
                }
            }
            _ => Origin::Unknown,
        }
    }

    /// Returns the origin of the result of a call.
    fn origin_of_call(&self, file: FileId, call: CallId, steps: usize) -> Origin<'w> {
        let facts = self.facts(file);
        let value = |expr| file.expr(expr);
        let call = facts.calls[call.index()];
        let origin = self.origin_of_value(value(call.callee), steps);
        let name = match facts.expr(call.callee) {
            Expr::Name(name, ..) | Expr::Member(_, name) => facts.text(name),
            _ => "",
        };
        let is_path = matches!(method_meaning(name), Some(CallMeaning::Path(_)));
        if is_path && origin.is_one_of(CLIENTS) {
            // What a request returns is no client.
            return Origin::Unknown;
        }
        match (origin, name, facts.list(call.args).first()) {
            // `inject(HttpClient)` gives an instance of the class.
            (Origin::Package("@angular/core"), "inject", Some(class)) => {
                self.origin_of_value(value(class.value), steps)
            }
            (Origin::Package("react"), "useMemo", Some(made)) => {
                self.origin_of_result(value(made.value), steps)
            }
            (Origin::Own | Origin::Unknown, ..) => {
                match self.origin_of_result(value(call.callee), steps) {
                    Origin::Unknown => origin,
                    found => found,
                }
            }
            _ => origin,
        }
    }

    /// Returns the package of what a function of the repository returns.
    fn origin_of_result(&self, callee: ExprRef, steps: usize) -> Origin<'w> {
        let Some(function) = self.function(callee) else {
            return Origin::Unknown;
        };
        let facts = self.facts(function.file);
        let declared = facts.decl(function.decl);
        if !declared.ty.is_none() {
            return self.origin_of_type(function.file, declared.ty, steps);
        }

        self.record_body(function);
        match facts.list(declared.returns).first() {
            Some(returned) => self.origin_of_value(function.file.expr(*returned), steps),
            None => Origin::Unknown,
        }
    }

    /// Returns the function of the repository that an expression is or names.
    fn function(&self, at: ExprRef) -> Option<DeclRef> {
        let facts = self.facts(at.file);
        let of_file = |decl| DeclRef {
            file: at.file,
            decl,
        };
        let (sym, scope, offset) = match facts.expr(at.expr) {
            Expr::Function(function) => return Some(of_file(function)),
            Expr::Name(sym, scope, offset) => (sym, scope, offset),
            _ => return None,
        };

        let position = LookupPosition {
            file: at.file,
            scope,
            offset,
        };
        let decls = self.lookup_name(position, self.name(at.file, sym), Meaning::Value);
        let ResolvedName::Decls(decls) = self.resolve_decls(decls) else {
            return None;
        };
        let named = *decls.first()?;
        if self.is_external_file(named.file) {
            return None;
        }
        let facts = self.facts(named.file);
        let declared = facts.decl(named.decl);
        match (declared.kind, facts.expr(declared.init)) {
            (DeclKind::Function, _) => Some(named),
            (DeclKind::Variable, Expr::Function(function)) if declared.ty.is_none() => {
                Some(DeclRef {
                    decl: function,
                    ..named
                })
            }
            _ => None,
        }
    }

    fn origin_of_decls(&self, decls: &DeclList, steps: usize) -> Origin<'w> {
        let Some(&decl) = decls.first() else {
            return Origin::Unknown;
        };
        if steps == 0 {
            return Origin::Unknown;
        }

        let facts = self.facts(decl.file);
        let declared = facts.decl(decl.decl);
        match declared.kind {
            DeclKind::Import => {
                let imports = facts.imports.iter();
                let import = imports.clone().find(|import| import.decl == decl.decl);
                let named =
                    import.map_or(Origin::Unknown, |import| package(facts.text(import.module)));

                match self.resolve_decls(DeclList::from_slice(&[decl])) {
                    ResolvedName::Decls(found)
                        if found
                            .first()
                            .is_some_and(|found| !self.is_external_file(found.file))
                            && found.first() != Some(&decl) =>
                    {
                        self.origin_of_decls(&found, steps - 1)
                    }
                    _ => named,
                }
            }
            DeclKind::Variable | DeclKind::Property | DeclKind::Parameter => {
                if declared.ty.is_none() {
                    self.origin_of_value(decl.file.expr(declared.init), steps - 1)
                } else {
                    self.origin_of_type(decl.file, declared.ty, steps - 1)
                }
            }
            DeclKind::Function | DeclKind::Class | DeclKind::Method
                if !self.is_external_file(decl.file) =>
            {
                Origin::Own
            }
            _ => Origin::Unknown,
        }
    }

    /// Returns the package of a base class: members of `this` may be its.
    fn origin_of_base(&self, file: FileId, ty: TypeId, steps: usize) -> Origin<'w> {
        match self.facts(file).type_expr(ty) {
            TypeExpr::Heritage(base, _) => self.origin_of_value(file.expr(base), steps),
            _ => self.origin_of_type(file, ty, steps),
        }
    }

    fn origin_of_type(&self, file: FileId, ty: TypeId, steps: usize) -> Origin<'w> {
        let facts = self.facts(file);
        let TypeExpr::Name(segments, scope) = facts.type_expr(ty) else {
            return Origin::Unknown;
        };
        let Some(first) = facts.list(segments).first() else {
            return Origin::Unknown;
        };

        let position = LookupPosition {
            file,
            scope,
            offset: u32::MAX,
        };

        let name = self.name(file, first.name);
        for meaning in [Meaning::Type, Meaning::Namespace, Meaning::Value] {
            let decls: DeclList = self.lookup_name(position, name, meaning);
            if decls.first().is_some_and(|decl: &DeclRef| {
                matches!(self.decl(*decl).kind, DeclKind::Import | DeclKind::Class)
            }) {
                return self.origin_of_decls(&decls, steps);
            }
        }

        Origin::Unknown
    }
}

fn package(specifier: &str) -> Origin<'_> {
    if specifier.starts_with('.') || specifier.is_empty() {
        Origin::Unknown
    } else {
        let name = specifier.strip_prefix("node:").unwrap_or(specifier);
        let Some((_, inside)) = name.rsplit_once("node_modules/") else {
            return Origin::Package(name);
        };
        // A scope is a part of the name.
        let parts = if inside.starts_with('@') { 2 } else { 1 };
        let end = inside.match_indices('/').nth(parts - 1);
        Origin::Package(end.map_or(inside, |(end, _)| &inside[..end]))
    }
}
