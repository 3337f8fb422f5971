//! The target of `new` and `super()`: a constructor, a class, or a JavaScript constructor function.
//!
//! Limitations: if a class declares no constructor, the target is the class, whichever constructor
//! it inherits.

use codeagent_lang::DeclRef;
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type};
use crate::resolve::edges::FileResolver;
use crate::resolve::edges::targets::Referent;
use crate::resolve::symbols::at;
use crate::resolve::symbols::scopes::DeclList;
use crate::resolve::symbols::value_owners::constructs;

impl FileResolver<'_> {
    /// Resolves `super()` to the constructor of the base class.
    pub fn resolve_super(&self, class: DeclId) -> Referent {
        let Some(class) = class.some() else {
            return Referent::Unknown;
        };
        let class = at(self.file, class);
        match self.static_base(class) {
            None => Referent::Unknown,
            Some(base) => self.resolve_class_constructor(base),
        }
    }

    fn resolve_class_constructor(&self, value: Ty) -> Referent {
        match self.get(value) {
            Type::Static(class) => {
                let constructors = self.constructors(class);
                let is_external = |decl: &DeclRef| self.is_external_file(decl.file);
                // A constructor that the class inherits from outside has no node; the class has.
                let is_inherited = !is_external(&class) && constructors.iter().all(is_external);

                Referent::Decls(if constructors.is_empty() || is_inherited {
                    DeclList::from_slice(&[class])
                } else {
                    constructors
                })
            }
            Type::Function(function, _) if constructs(self.decl(function)) => {
                Referent::Decls(self.named_constructor(function))
            }
            Type::Simple(Ty::EXTERNAL) | Type::BuiltInValue(_) => Referent::External,
            Type::Simple(_) => Referent::Unknown,
            _ => Referent::External,
        }
    }

    /// Resolves `new X()` to the constructor if `X` is a class that declares one.
    pub fn resolve_constructor(&self, callee: ExprId, outcome: Referent) -> Referent {
        let file = self.file;
        if let Referent::Likely(decls) = outcome {
            return match self.resolve_constructor(callee, Referent::Decls(decls)) {
                Referent::Decls(decls) => Referent::Likely(decls),
                outcome => outcome,
            };
        }
        let Referent::Decls(decls) = &outcome else {
            let ty = self.type_of_expr(file.expr(callee));
            return if let Type::Static(_) = self.get(ty) {
                self.resolve_class_constructor(ty)
            } else {
                outcome
            };
        };

        let Some(class) = decls
            .iter()
            .copied()
            .find(|decl| self.decl(*decl).kind == DeclKind::Class)
        else {
            let gives = |decl: &DeclRef| {
                matches!(self.decl(*decl).kind, DeclKind::Property | DeclKind::Getter)
            };
            if !decls.iter().all(gives) {
                return outcome;
            }

            // A class expression has the location of the member that holds it, but its constructor
            // has its own.
            let ty = self.type_of_expr(file.expr(callee));
            let Type::Static(_) = self.get(ty) else {
                return outcome;
            };

            let is_held = |class: DeclRef| {
                let parent = self.decl(class).parent;
                self.decl(class).kind == DeclKind::Class && decls.contains(&at(class.file, parent))
            };

            return match self.resolve_class_constructor(ty) {
                Referent::Decls(made)
                    if !made.iter().any(|decl| self.is_node(*decl))
                        || made.iter().any(|decl| is_held(*decl)) =>
                {
                    outcome
                }
                class => class,
            };
        };

        let name = self.tables.find("constructor");
        let inner = self.decl(class).inner;
        let mut own = self.own_members(class, inner, name, false);
        own.retain(|decl| self.decl(*decl).kind == DeclKind::Constructor);
        Referent::Decls(if own.is_empty() {
            DeclList::from_slice(&[class])
        } else {
            own
        })
    }

    /// Returns the class or value that a `new` expression names, in addition to the constructor it
    /// calls.
    pub fn resolve_constructed(&self, site: Site, called: &DeclList) -> Option<DeclList> {
        let facts = self.own_facts();
        let Subject::Expr(expr) = site.subject else {
            return None;
        };
        let Expr::New(call) = facts.expr(expr) else {
            return None;
        };
        match self.resolve_value(facts.calls[call.index()].callee) {
            Referent::Decls(named) if named != *called => Some(named),
            _ => None,
        }
    }
}
