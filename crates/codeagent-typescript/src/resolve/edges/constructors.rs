//! What does `new` or `super()` call: a constructor, a class, a function of JavaScript that makes
//! instances?
//!
//! **Limits.** Where a class declares no constructor, the class is what is called, whichever
//! constructor it inherits.

use codeagent_lang::DeclRef;
use codeagent_model::facts::*;

use crate::resolve::arena::{Ty, Type};
use crate::resolve::edges::Linker;
use crate::resolve::edges::sites::Outcome;
use crate::resolve::symbols::at;
use crate::resolve::symbols::holders::constructs;
use crate::resolve::symbols::scopes::Decls;

impl Linker<'_> {
    /// `super()`: the constructor of the class that is extended.
    pub fn super_outcome(&mut self, class: DeclId) -> Outcome {
        let Some(class) = class.some() else {
            return Outcome::Unknown;
        };
        let class = at(self.file, class);
        match self.static_base(class) {
            None => Outcome::Unknown,
            Some(base) => self.class_outcome(base),
        }
    }

    fn class_outcome(&mut self, value: Ty) -> Outcome {
        match self.get(value) {
            Type::Static(class) => {
                let constructors = self.constructors(class);
                Outcome::Decls(if constructors.is_empty() {
                    Decls::from_slice(&[class])
                } else {
                    constructors
                })
            }
            Type::Function(function, _) if constructs(self.decl(function)) => {
                Outcome::Decls(self.named_constructor(function))
            }
            Type::Simple(Ty::EXTERNAL) | Type::BuiltInValue(_) => Outcome::Outside,
            Type::Simple(_) => Outcome::Unknown,
            _ => Outcome::Outside,
        }
    }

    /// `new X()`: the constructor if `X` is a class that declares one.
    pub fn constructor_outcome(&mut self, callee: ExprId, outcome: Outcome) -> Outcome {
        let file = self.file;
        let Outcome::Decls(decls) = &outcome else {
            let ty = self.expr_type(file, callee);
            return if let Type::Static(_) = self.get(ty) {
                self.class_outcome(ty)
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
            // A class expression has the place of the member that holds it, its constructor one of
            // its own.
            let ty = self.expr_type(file, callee);
            let Type::Static(_) = self.get(ty) else {
                return outcome;
            };
            let is_held = |linker: &mut Self, class: DeclRef| {
                let parent = linker.decl(class).parent;
                linker.decl(class).kind == DeclKind::Class
                    && decls.contains(&at(class.file, parent))
            };
            return match self.class_outcome(ty) {
                Outcome::Decls(made)
                    if !made.iter().any(|decl| self.is_node(*decl))
                        || made.iter().any(|decl| is_held(self, *decl)) =>
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
        Outcome::Decls(if own.is_empty() {
            Decls::from_slice(&[class])
        } else {
            own
        })
    }

    /// What `new` names where it calls a constructor: a class, or a value that holds one.
    pub fn constructed(&mut self, site: Site, called: &Decls) -> Option<Decls> {
        let facts = self.own_facts();
        let Subject::Expr(expr) = site.subject else {
            return None;
        };
        let Expr::New(call) = facts.expr(expr) else {
            return None;
        };
        match self.value_outcome(facts.calls[call.index()].callee) {
            Outcome::Decls(named) if named != *called => Some(named),
            _ => None,
        }
    }
}
