//! Memo tables: the results of queries, each stored as long as it is valid.
//!
//! A resolution is a pure function computed by `&self` methods. The tables are the only mutable
//! state it needs for memoization, so the languages' code needs none of its own.
//!
//! Limitations: a table belongs to one resolution and is dropped with it.

use std::cell::RefCell;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// A memoized result.
#[derive(Clone, Copy, Debug)]
pub struct MemoEntry<V> {
    pub(super) value: V,
    /// A bit for each active query on which the result depends, and one if a limit cut something
    /// off.
    pub(super) met: u64,
    /// The number of the innermost of these queries.
    pub(super) number: u32,
    /// The number of queries that were active.
    pub(super) depth: u32,
}

impl<V> MemoEntry<V> {
    /// Creates a result that is valid for the whole resolution.
    pub(super) fn settled(value: V) -> Self {
        Self {
            value,
            met: 0,
            number: 0,
            depth: 0,
        }
    }

    /// Reports whether the result is valid for the whole resolution.
    #[inline]
    pub(super) fn is_settled(&self) -> bool {
        self.met == 0
    }
}

/// The results of one kind of query.
///
/// [`QueryStack`](super::stack::QueryStack) fills a table with results that may depend on active
/// queries. Results that depend on none can be stored with [`MemoTable::insert`].
#[derive(Debug)]
pub struct MemoTable<K, V>(pub(super) RefCell<FxHashMap<K, MemoEntry<V>>>);

impl<K, V> Default for MemoTable<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Eq + Hash, V: Clone> MemoTable<K, V> {
    /// Returns a result that is valid for the whole resolution.
    #[inline]
    pub fn get(&self, key: &K) -> Option<V> {
        let entries = self.0.borrow();
        let entry = entries.get(key).filter(|entry| entry.is_settled())?;
        Some(entry.value.clone())
    }

    /// Stores a result for the whole resolution; returns `false` if there was one.
    pub fn insert(&self, key: K, value: V) -> bool {
        let entry = MemoEntry::settled(value);
        self.0.borrow_mut().insert(key, entry).is_none()
    }

    /// Returns the result for the whole resolution, computing it if there is none.
    pub fn get_or_insert_with(&self, key: K, compute: impl FnOnce() -> V) -> V {
        if let Some(value) = self.get(&key) {
            return value;
        }
        let value = compute();
        self.insert(key, value.clone());
        value
    }
}
