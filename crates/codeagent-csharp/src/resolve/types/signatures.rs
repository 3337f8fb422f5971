//! Signatures: parameters, type parameters and result of a method, constructor, delegate or
//! extension member.
//!
//! Limitations: types are as declared, in terms of the type parameters in scope; callers
//! substitute.

use std::rc::Rc;

use codeagent_lang::DeclRef;
use codeagent_lang::query::names::Name;
use codeagent_model::facts::{DeclFlags, DeclId, DeclKind};

use crate::resolve::global_index::well_known::{self, Known};
use crate::resolve::types::Types;
use crate::resolve::types::{ParamOwner, Ty, TyList, Type};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    pub name: Name,
    pub ty: Ty,
    /// Of these: optional, `params`, `ref`, `out`, `in`.
    pub flags: DeclFlags,
}

#[derive(Clone, Debug)]
pub struct Signature {
    /// Parameters; the receiver of an extension block first.
    pub params: Vec<Parameter>,
    /// Type parameters as types; those of an extension block first.
    pub type_params: Vec<Ty>,
    /// Number of them that belong to the extension block.
    pub block_params: usize,
    pub result: Ty,
    /// The number of its parameter list: copies of a method have the same. `None` if it is generic,
    /// because its type parameters are its own.
    pub shape: Option<u32>,
}

/// The parameters and result of a delegate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelegateShape {
    pub params: TyList,
    /// Their modes.
    pub flags: Rc<[DeclFlags]>,
    pub result: Ty,
}

impl Types<'_> {
    pub fn signature(&self, decl: DeclRef) -> Rc<Signature> {
        self.stack.memoized(&self.memo.signatures, decl, || {
            Rc::new(self.compute_signature(decl))
        })
    }

    fn compute_signature(&self, decl: DeclRef) -> Signature {
        let facts = self.facts(decl.file);
        let declared = self.decl(decl);
        let mut made = Signature {
            params: Vec::new(),
            type_params: Vec::new(),
            block_params: 0,
            result: self.type_of(decl.file, declared.ty),
            shape: None,
        };

        if let Some(block) = self.block_of(decl) {
            self.add_params(
                DeclRef {
                    file: decl.file,
                    decl: block,
                },
                &mut made,
            );
            made.block_params = made.type_params.len();
        }

        self.add_params(decl, &mut made);
        if matches!(
            declared.kind,
            DeclKind::Constructor | DeclKind::PrimaryConstructor
        ) {
            let owner = facts.scope(declared.scope).owner;
            if let Some(tid) = self.tables.file(decl.file).types.get(&owner) {
                made.result = self.self_type(*tid);
            }
        }

        if made.type_params.is_empty() {
            let shapes = &self.memo.shapes;
            made.shape = Some(shapes.add_with(made.params.as_slice(), || made.params.clone()));
        }
        made
    }

    fn add_params(&self, decl: DeclRef, made: &mut Signature) {
        let facts = self.facts(decl.file);
        let declared = facts.decl(decl.decl);
        for index in 0..declared.type_params.len() as u16 {
            made.type_params
                .push(self.arena.add(Type::Param(ParamOwner::Decl(decl), index)));
        }
        for param in facts.list(declared.params) {
            let param = facts.decl(*param);
            made.params.push(Parameter {
                name: self.name(decl.file, param.name),
                ty: self.type_of(decl.file, param.ty),
                flags: param.flags,
            });
        }
    }

    /// Returns the extension block that declares a member.
    pub fn block_of(&self, decl: DeclRef) -> Option<DeclId> {
        let facts = self.facts(decl.file);
        let owner = facts
            .scope(facts.decl(decl.decl).scope.some()?)
            .owner
            .some()?;
        (facts.decl(owner).kind == DeclKind::ExtensionBlock).then_some(owner)
    }

    /// Returns the shape of a delegate type, or of the delegate in an `Expression<T>`.
    pub fn delegate_shape(&self, ty: Ty) -> Option<DelegateShape> {
        match self.arena.get(ty) {
            Type::Named(tid, args) => {
                let group = self.type_def(tid);
                if group.kind == DeclKind::Delegate {
                    let signature = self.signature(*group.parts.first()?);
                    let params = signature
                        .params
                        .iter()
                        .map(|param| self.substitute(param.ty, ty))
                        .collect();

                    let flags = signature.params.iter().map(|param| param.flags).collect();
                    return Some(DelegateShape {
                        params,
                        flags,
                        result: self.substitute(signature.result, ty),
                    });
                }

                (self.is_known(ty, Known::Expression) && args.len() == 1)
                    .then(|| self.delegate_shape(args[0]))?
            }
            Type::Nullable(of) => self.delegate_shape(of),
            _ => None,
        }
    }

    /// Reports whether a value of the type can be invoked; `None` if that is not known.
    pub fn is_delegate(&self, ty: Ty) -> Option<bool> {
        match self.arena.get(ty) {
            Type::Named(tid, _) => Some(self.tables.type_def(tid).kind == DeclKind::Delegate),
            Type::External(..)
            | Type::Unknown
            | Type::ExternalValue
            | Type::Dynamic
            | Type::Pointer(_) => None,
            Type::Nullable(of) => self.is_delegate(of),
            _ => Some(false),
        }
    }

    /// Returns the name `Invoke`, by which a delegate is called.
    pub fn is_invoke(&self, name: Name) -> bool {
        name == well_known::INVOKE
    }
}
