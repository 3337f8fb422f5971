//! Types while one file is resolved: interned values in an arena that is dropped afterwards.
//!
//! In a repository without a base library `List<Foo>` is `External(List, [Foo])`, and `Foo` is
//! `Named(Foo, [])`.
//!
//! Limitations: nullability of reference types is ignored, and so is `dynamic` inside type
//! arguments.

use std::cell::RefCell;
use std::rc::Rc;

use codeagent_lang::query::interner::Interner;
use codeagent_lang::query::names::Name;
use codeagent_lang::world::DeclRef;
use codeagent_model::facts::{DeclId, ExprId};
use smallvec::SmallVec;

use crate::resolve::global_index::tables::{NamespaceId, TypeDefId};

/// An interned type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ty(pub u32);

impl Ty {
    pub const UNKNOWN: Self = Self(0);
    /// `null`
    pub const NULL: Self = Self(1);
    /// `default` without a type.
    pub const DEFAULT: Self = Self(2);
    /// `dynamic`
    pub const DYNAMIC: Self = Self(3);
    /// `new(..)` before its contextual type is known.
    pub const TARGET_NEW: Self = Self(4);
    /// An external type of which nothing else is known: it mentions no type of the repository.
    pub const EXTERNAL_VALUE: Self = Self(5);

    /// Reports whether the type is unknown.
    #[must_use]
    pub fn is_unknown(self) -> bool {
        self == Self::UNKNOWN || self == Self::EXTERNAL_VALUE
    }
}

impl Default for Ty {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

pub type TyList = Rc<[Ty]>;

/// The owner of a type parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamOwner {
    /// A type; the index counts the parameters of its enclosing types first.
    Type(TypeDefId),
    /// A method, local function or extension block.
    Decl(DeclRef),
}

/// The structure of a [`Ty`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// See [`Ty::UNKNOWN`].
    Unknown,
    /// See [`Ty::NULL`].
    Null,
    /// See [`Ty::DEFAULT`].
    Default,
    /// See [`Ty::DYNAMIC`].
    Dynamic,
    /// See [`Ty::TARGET_NEW`].
    TargetNew,
    /// See [`Ty::EXTERNAL_VALUE`].
    ExternalValue,
    /// A declared type with all its type arguments, those of its enclosing types first.
    Named(TypeDefId, TyList),
    /// A type that no file of the world declares, by its simple name.
    External(Name, TyList),
    Param(ParamOwner, u16),
    /// An array and its rank.
    Array(Ty, u8),
    Pointer(Ty),
    /// `T?` of a type that is or may be a value type.
    Nullable(Ty),
    /// A tuple and the names of its elements.
    Tuple(TyList, Rc<[Name]>),
    /// A lambda before its context is known.
    Lambda(DeclId),
    /// A method group: the expression that names it.
    MethodGroup(ExprId),
    /// A collection expression before its context is known.
    Collection(ExprId),
    Object(DeclId),
    /// A namespace used as a qualifier.
    Namespace(NamespaceId),
    /// A type used as a qualifier.
    Qualifier(Ty),
}

/// The types interned while one file is resolved.
pub struct Arena {
    inner: RefCell<Inner>,
    /// The empty list, which most types have as their arguments.
    empty: TyList,
}

#[derive(Default)]
struct Inner {
    types: Interner<Type>,
    /// Whether each type mentions a type parameter.
    open: Vec<bool>,
}

impl Arena {
    /// Returns an arena with the constants of [`Ty`].
    #[must_use]
    pub fn new() -> Self {
        let arena = Self {
            inner: RefCell::default(),
            empty: TyList::from([]),
        };
        for ty in [
            Type::Unknown,
            Type::Null,
            Type::Default,
            Type::Dynamic,
            Type::TargetNew,
            Type::ExternalValue,
        ] {
            arena.add(ty);
        }
        arena
    }

    /// Returns the empty list without allocating it.
    #[must_use]
    pub fn no_types(&self) -> &TyList {
        &self.empty
    }

    /// Returns a list of types; an empty one is shared.
    #[must_use]
    pub fn list(&self, types: &[Ty]) -> TyList {
        if types.is_empty() {
            TyList::clone(&self.empty)
        } else {
            types.into()
        }
    }

    pub fn add(&self, ty: Type) -> Ty {
        let mut inner = self.inner.borrow_mut();
        if let Some(id) = inner.types.find(&ty) {
            return Ty(id);
        }

        let open = match &ty {
            Type::Param(..) => true,
            Type::Named(_, args) | Type::External(_, args) | Type::Tuple(args, _) => {
                args.iter().any(|arg| inner.open[arg.0 as usize])
            }
            Type::Array(of, _) | Type::Pointer(of) | Type::Nullable(of) | Type::Qualifier(of) => {
                inner.open[of.0 as usize]
            }
            _ => false,
        };

        inner.open.push(open);
        Ty(inner.types.add_new(ty))
    }

    /// Returns the structure of a type.
    #[must_use]
    pub fn get(&self, ty: Ty) -> Type {
        self.inner.borrow().types.get(ty.0).clone()
    }

    /// Reports whether a type mentions a type parameter.
    #[must_use]
    pub fn is_open(&self, ty: Ty) -> bool {
        self.inner.borrow().open[ty.0 as usize]
    }

    /// Rebuilds a type with each type parameter replaced by the result of `replace` (`None`:
    /// unchanged).
    pub fn map(&self, ty: Ty, replace: &dyn Fn(ParamOwner, u16) -> Option<Ty>) -> Ty {
        self.map_deep(ty, replace, 0)
    }

    fn map_deep(&self, ty: Ty, replace: &dyn Fn(ParamOwner, u16) -> Option<Ty>, depth: u32) -> Ty {
        if !self.is_open(ty) {
            return ty;
        }
        if depth > 12 {
            return Ty::UNKNOWN;
        }

        let list = |args: &TyList| -> TyList {
            let mapped: SmallVec<[Ty; 4]> = args
                .iter()
                .map(|arg| self.map_deep(*arg, replace, depth + 1))
                .collect();
            self.list(&mapped)
        };

        match self.get(ty) {
            Type::Param(owner, index) => replace(owner, index).unwrap_or(ty),
            Type::Named(tid, args) => self.add(Type::Named(tid, list(&args))),
            Type::External(name, args) => self.add(Type::External(name, list(&args))),
            Type::Tuple(args, names) => self.add(Type::Tuple(list(&args), names)),
            Type::Array(of, rank) => {
                self.add(Type::Array(self.map_deep(of, replace, depth + 1), rank))
            }
            Type::Pointer(of) => self.add(Type::Pointer(self.map_deep(of, replace, depth + 1))),
            Type::Qualifier(of) => self.add(Type::Qualifier(self.map_deep(of, replace, depth + 1))),
            Type::Nullable(of) => match self.map_deep(of, replace, depth + 1) {
                inner if matches!(self.get(inner), Type::Nullable(_)) => inner,
                inner => self.add(Type::Nullable(inner)),
            },
            _ => ty,
        }
    }
}
