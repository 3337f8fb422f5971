//! References between the parts of a file's facts: ids, and runs of values in shared pools.

use std::marker::PhantomData;
use std::ops::Range;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::relative::{self, Numbers};
use super::{Arg, Base, Element, Segment};

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident,)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The absent id.
            pub const NONE: Self = Self(u32::MAX);

            /// Reports whether this is [`Self::NONE`].
            #[must_use]
            pub fn is_none(self) -> bool {
                self == Self::NONE
            }

            /// Returns the id, or `None` for [`Self::NONE`].
            #[must_use]
            pub fn some(self) -> Option<Self> {
                (!self.is_none()).then_some(self)
            }

            /// Returns the id as an index. Must not be called on [`Self::NONE`].
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::NONE
            }
        }
    )*};
}

ids! {
    /// A string of the file.
    Sym,
    /// A scope.
    ScopeId,
    /// A declaration.
    DeclId,
    /// A type expression.
    TypeId,
    /// A value expression.
    ExprId,
    /// A call, `new`, index or similar with its arguments.
    CallId,
    /// The details of a declaration that only nodes need.
    DetailId,
    /// An import or using.
    ImportId,
    /// An export clause.
    ExportId,
}

macro_rules! relative_ids {
    ($($name:ident: $numbers:ident,)*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u64(relative::written_id(Numbers::$numbers, self.0))
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let stored = u64::deserialize(deserializer)?;
                Ok(Self(relative::read_id(Numbers::$numbers, stored)))
            }
        }
    )*};
}

relative_ids! {
    Sym: Names,
    ScopeId: Scopes,
    DeclId: Decls,
    TypeId: Types,
    ExprId: Exprs,
    CallId: Calls,
    DetailId: Details,
    ImportId: Imports,
    ExportId: Exports,
}

/// A run of values in one of the pools of [`Facts`](super::Facts); read it with
/// [`Facts::list`](super::Facts::list).
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct List<T> {
    start: u32,
    len: u32,
    of: PhantomData<T>,
}

impl<T: Pooled> Serialize for List<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let start = relative::written_start(T::NUMBERS, self.start, self.len);
        (self.len, start).serialize(serializer)
    }
}

impl<'de, T: Pooled> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (len, start) = <(u32, u32)>::deserialize(deserializer)?;
        Ok(Self {
            start: relative::read_start(T::NUMBERS, start, len),
            len,
            of: PhantomData,
        })
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T> List<T> {
    /// The empty list.
    pub(super) const EMPTY: Self = Self {
        start: 0,
        len: 0,
        of: PhantomData,
    };

    /// Returns a list of the values at these pool indices.
    pub(super) fn of(places: Range<usize>) -> Self {
        Self {
            start: places.start as u32,
            len: places.len() as u32,
            of: PhantomData,
        }
    }

    /// Returns the pool indices.
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Reports whether the list is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A value that can be in a [`List`]; determines the list's pool in [`Facts`](super::Facts).
pub trait Pooled: Sized {
    /// The kind of the places in the pool.
    const NUMBERS: Numbers;
    /// Returns the pool of this type.
    fn pool(pools: &Pools) -> &Vec<Self>;
    /// Returns the pool of this type, to add values.
    fn pool_mut(pools: &mut Pools) -> &mut Vec<Self>;
}

macro_rules! pools {
    ($($(#[$meta:meta])* $field:ident: $ty:ty, $numbers:ident;)*) => {
        /// The values of all [`List`]s.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Pools {
            $($(#[$meta])* pub $field: Vec<$ty>,)*
        }
        $(impl Pooled for $ty {
            const NUMBERS: Numbers = Numbers::$numbers;
            fn pool(pools: &Pools) -> &Vec<Self> { &pools.$field }
            fn pool_mut(pools: &mut Pools) -> &mut Vec<Self> { &mut pools.$field }
        })*
        impl Pools {
            /// Releases unused capacity.
            pub fn shrink(&mut self) {
                $(self.$field.shrink_to_fit();)*
            }
        }
    };
}

pools! {
    /// Parameters, type parameters.
    decls: DeclId, DeclPlaces;
    /// Type arguments, members of unions, constraints.
    types: TypeId, TypePlaces;
    /// Returned values, array elements.
    exprs: ExprId, ExprPlaces;
    /// Arguments of calls.
    args: Arg, ArgPlaces;
    /// Segments of dotted type names.
    segments: Segment, SegmentPlaces;
    /// Elements of tuples.
    elements: Element, ElementPlaces;
    /// Base lists.
    bases: Base, BasePlaces;
}
