//! Call and construct signatures of a type, with their parameters, results and type predicates.
//!
//! Limitations: for a union the first callable member counts. Bases, unions and constraints are
//! followed nine levels deep.

use codeagent_lang::DeclRef;
use codeagent_model::facts::*;
use smallvec::{SmallVec, smallvec};

use crate::resolve::arena::{Args, Ty, Type, TypeMapper};
use crate::resolve::checker::Checker;
use crate::resolve::symbols::scopes::DeclList;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// A declaration and the type arguments of outer type parameters.
    Declared(DeclRef, TypeMapper),
    /// A method of a built-in type.
    BuiltIn(u16, Ty),
}

/// Signatures of one callee.
pub type Signatures = SmallVec<[Signature; 2]>;

/// A parameter of a signature.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub ty: Ty,
    /// An argument may be missing.
    pub optional: bool,
    /// Accepts all further arguments.
    pub rest: bool,
}

impl Checker<'_> {
    /// Returns the call signatures of a type.
    pub fn signatures(&self, ty: Ty) -> Signatures {
        self.signatures_in(ty, 0)
    }

    fn signatures_in(&self, ty: Ty, level: u32) -> Signatures {
        if level > 8 {
            return Signatures::new();
        }

        match self.get(ty) {
            Type::Function(decl, _) if self.is_constructor_type(decl) => Signatures::new(),
            Type::Function(decl, mapper) => self
                .overloads(decl)
                .into_iter()
                .map(|overload| Signature::Declared(overload, mapper))
                .collect(),
            Type::BuiltInMethod(row, receiver) => {
                Signatures::from_slice(&[Signature::BuiltIn(row, receiver)])
            }
            Type::Instance(..) | Type::Object(..) => {
                self.member_signatures(ty, DeclKind::CallSignature, level)
            }
            Type::Union(args) => {
                let members = self.arena.list(args);
                members
                    .iter()
                    .map(|member| self.signatures_in(*member, level + 1))
                    .find(|found| !found.is_empty())
                    .unwrap_or_default()
            }
            // They are overloads, in the order of the parts.
            Type::Intersection(args) => {
                let mut found = Signatures::new();
                for &part in self.arena.list(args).iter() {
                    for signature in self.signatures_in(part, level + 1) {
                        if !found.contains(&signature) {
                            found.push(signature);
                        }
                    }
                }
                found
            }
            Type::Param(param) => {
                let bound = self.constraint(param);
                if bound == ty {
                    Signatures::new()
                } else {
                    self.signatures_in(bound, level + 1)
                }
            }
            Type::Deferred(utility, args) => {
                let bound = self.deferred_bound(utility, args);
                self.signatures_in(bound, level + 1)
            }
            _ => Signatures::new(),
        }
    }

    fn member_signatures(&self, ty: Ty, kind: DeclKind, level: u32) -> Signatures {
        let (decl, args, mapper) = match self.get(ty) {
            Type::Instance(decl, args) => (decl, args, None),
            Type::Object(decl, mapper) => (decl, Args::NONE, Some(mapper)),
            _ if kind == DeclKind::CallSignature => return self.signatures_in(ty, level + 1),
            _ => return Signatures::new(),
        };
        let types = self.arena.list(args);
        let group = self.merged_symbol(decl);

        let mut found = Signatures::new();
        for &part in group.iter() {
            let mapper = mapper.unwrap_or_else(|| self.bind(part, &types));
            found.extend(
                self.nameless_members(part, kind)
                    .into_iter()
                    .map(|signature| Signature::Declared(signature, mapper)),
            );
        }

        if !found.is_empty() || level > 8 {
            return found;
        }

        let inherited = self.find_in_inherited(&group, &types, |base| {
            let inherited = self.member_signatures(base, kind, level + 1);
            (!inherited.is_empty()).then_some(inherited)
        });

        inherited.unwrap_or(found)
    }

    /// Returns the `new (..): T` members of a type.
    pub fn construct_signatures(&self, ty: Ty) -> Signatures {
        self.member_signatures(ty, DeclKind::ConstructSignature, 0)
    }

    /// Returns the signatures that `new` can call on a value.
    pub fn class_signatures(&self, value: Ty) -> Signatures {
        match self.get(value) {
            Type::Static(class) => self
                .constructors(class)
                .into_iter()
                .map(|decl| Signature::Declared(decl, TypeMapper::EMPTY))
                .collect(),
            _ => self.construct_signatures(value),
        }
    }

    /// Returns the constructors of a class or of the nearest base class that declares some.
    pub fn constructors(&self, class: DeclRef) -> DeclList {
        let name = self.tables.find("constructor");
        let mut class = class;
        for _ in 0..12 {
            let inner = self.decl(class).inner;
            let mut own = self.own_members(class, inner, name, false);
            own.retain(|decl| self.decl(*decl).kind == DeclKind::Constructor);
            if !own.is_empty() {
                return own;
            }
            match self.static_base(class).map(|base| self.get(base)) {
                Some(Type::Static(base)) => class = base,
                _ => break,
            }
        }
        DeclList::new()
    }

    /// Returns the parameters of a signature, with outer type parameters substituted.
    pub fn signature_params(&self, signature: Signature) -> Vec<Param> {
        match signature {
            Signature::Declared(decl, mapper) => self
                .params(decl)
                .into_iter()
                .flat_map(|param| self.declared_params(param, mapper))
                .collect(),
            Signature::BuiltIn(..) => Vec::new(),
        }
    }

    /// Returns a declared parameter; a rest parameter of a tuple type is one parameter per element.
    fn declared_params(&self, param: DeclRef, mapper: TypeMapper) -> SmallVec<[Param; 1]> {
        let declaration = self.decl(param);
        let flags = declaration.flags;
        // A written `this` is the receiver of the call.
        let ty = if declaration.ty.is_none() {
            self.type_of_decl(param)
        } else {
            self.type_of(param.file, declaration.ty)
        };
        let rest = flags.has(DeclFlags::REST);
        let ty = self.substitute(ty, mapper);

        if rest && let Type::Tuple(elements) = self.get(ty) {
            let elements = self.arena.list(elements);
            let element = |ty: &Ty| Param {
                ty: *ty,
                // Tuples do not record which of their elements are optional.
                optional: true,
                rest: false,
            };
            return elements.iter().map(element).collect();
        }

        let ty = if rest { self.type_of_element(ty) } else { ty };
        smallvec![Param {
            ty,
            optional: flags.has(DeclFlags::OPTIONAL),
            rest,
        }]
    }

    /// Returns the result of a signature, with outer type parameters substituted.
    pub fn signature_result(&self, signature: Signature) -> Ty {
        match signature {
            Signature::Declared(decl, mapper) => {
                let result = self.type_of_return(decl);
                self.substitute(result, mapper)
            }
            Signature::BuiltIn(..) => Ty::UNKNOWN,
        }
    }

    /// Returns the result of a function type when the arguments are not known.
    pub fn result_of(&self, function: Ty) -> Ty {
        match self.signatures(function).last().copied() {
            Some(signature) => self.signature_result(signature),
            None if function == Ty::EXTERNAL => Ty::EXTERNAL,
            None => Ty::UNKNOWN,
        }
    }

    /// Returns the parameter that a predicate signature tests, and the tested type.
    pub fn named_predicate(&self, signature: Signature) -> Option<(Option<usize>, Ty)> {
        let Signature::Declared(decl, mapper) = signature else {
            return None;
        };

        let facts = self.facts(decl.file);
        let declaration = facts.decl(decl.decl);
        let TypeExpr::Predicate(tested, ty, _) = facts.type_expr(declaration.ty) else {
            return None;
        };

        let position = match facts.text(tested) {
            "this" => Some(usize::from(u16::MAX)),
            _ => facts
                .list(declaration.params)
                .iter()
                .position(|param| facts.decl(*param).name == tested),
        };

        let ty = self.type_of(decl.file, ty);
        Some((position, self.substitute(ty, mapper)))
    }

    /// Returns the parameter that an assertion function tests, and whether it asserts a type of it
    /// rather than that it is true.
    pub fn asserted_parameter(&self, signature: Signature) -> Option<(usize, bool)> {
        let Signature::Declared(decl, _) = signature else {
            return None;
        };
        let declared = self.decl(decl).ty;
        match self.facts(decl.file).type_expr(declared) {
            TypeExpr::Predicate(_, ty, true) => {
                let (param, _) = self.named_predicate(signature)?;
                Some((param?, !ty.is_none()))
            }
            _ => None,
        }
    }

    /// Returns the type that a predicate signature tests for.
    pub fn predicate_of(&self, signature: Signature) -> Option<Ty> {
        self.named_predicate(signature).map(|(_, ty)| ty)
    }
}
