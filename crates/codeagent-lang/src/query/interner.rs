//! Interners: equal values share a number, so comparing values means comparing numbers.
//!
//! Limitations: numbers follow the order in which values are added and mean nothing outside their
//! interner.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Values by number.
#[derive(Debug)]
pub struct Interner<T> {
    values: Vec<T>,
    ids: FxHashMap<T, u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            ids: FxHashMap::default(),
        }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    #[must_use]
    #[inline]
    pub fn find<Q: Eq + Hash + ?Sized>(&self, value: &Q) -> Option<u32>
    where
        T: Borrow<Q>,
    {
        self.ids.get(value).copied()
    }

    /// Returns the number of a value, adding the value if needed.
    #[inline]
    pub fn add(&mut self, value: T) -> u32 {
        self.find(&value).unwrap_or_else(|| self.add_new(value))
    }

    /// Adds a value that has no number yet.
    pub fn add_new(&mut self, value: T) -> u32 {
        let id = self.values.len() as u32;
        self.values.push(value.clone());
        self.ids.insert(value, id);
        id
    }

    /// Returns the value with this number.
    #[must_use]
    #[inline]
    pub fn get(&self, id: u32) -> &T {
        &self.values[id as usize]
    }

    #[must_use]
    #[inline]
    pub fn values(&self) -> &[T] {
        &self.values
    }
}

/// An [`Interner`] that is filled through shared references, for the values of one resolution.
#[derive(Debug)]
pub struct SharedInterner<T>(RefCell<Interner<T>>);

impl<T> Default for SharedInterner<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone + Eq + Hash> SharedInterner<T> {
    /// Returns the number of a value, adding the value if needed.
    #[inline]
    pub fn add(&self, value: T) -> u32 {
        self.0.borrow_mut().add(value)
    }

    /// Returns the number of the value equal to `key`, adding the result of `make` if needed.
    pub fn add_with<Q: Eq + Hash + ?Sized>(&self, key: &Q, make: impl FnOnce() -> T) -> u32
    where
        T: Borrow<Q>,
    {
        let mut values = self.0.borrow_mut();
        values.find(key).unwrap_or_else(|| values.add_new(make()))
    }

    /// Returns the value with this number.
    #[must_use]
    #[inline]
    pub fn get(&self, id: u32) -> T {
        self.0.borrow().get(id).clone()
    }
}
