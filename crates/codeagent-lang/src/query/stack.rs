//! The active queries of one resolution: cycle detection, step budgets and memoization.
//!
//! `var a = f(x => a.Size);` queries the type of `a` while that type is being computed. The inner
//! query is cut off, and every result that depends on it is provisional: it is memoized only while
//! the outer query (of several, the innermost) is active. So the work grows with the number of
//! queries, not with the number of paths to them.
//!
//! Limitations: at most [`PLACES`] queries are active at once; a language may allow fewer. A query
//! that exceeds this limit or a budget is cut off too. Results that depend on it are memoized for
//! queries at the same depth or deeper, because shallower ones may find more.

use std::cell::{Cell, RefCell};
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;

use super::memo::{MemoEntry, MemoTable};

/// Number of places for active queries: one bit each, plus one for `CUT`.
pub const PLACES: usize = 63;

/// Set if a limit cut something off.
const CUT: u64 = 1 << PLACES;

/// Number of steps after which a resolution checks whether it is cancelled: at most milliseconds.
const STEPS_TO_CHECK: u32 = 4_096;

/// The limits of one resolution.
#[derive(Clone, Copy, Debug)]
pub struct QueryLimits {
    /// The number of queries that may be active at once, which bounds the stack of a worker thread.
    pub depth: u32,
    /// The steps of each site, if limited. Where a query is cut off then depends on its site.
    pub site: Option<u32>,
    /// The steps that a site gets even if those of the file are used up. If there are some, all
    /// work counts against the site's steps; otherwise only its queries do.
    pub least_of_site: Option<u32>,
    /// The steps of the file.
    pub file: u64,
    /// The number of queries after which provisional results are kept for good, so that a
    /// resolution without a limit per site terminates.
    pub provisional: u32,
}

/// The step budget of a file, by its number of sites.
#[derive(Clone, Copy, Debug)]
pub struct FileQueryBudget {
    /// The steps of a file without sites.
    pub least: u64,
    /// The additional steps for each site.
    pub each_site: u64,
    /// The most steps of a file.
    pub most: u64,
}

impl FileQueryBudget {
    #[must_use]
    pub fn steps(&self, sites: usize) -> u64 {
        self.most.min(self.least + self.each_site * sites as u64)
    }
}

/// The dependencies of the enclosing computation, from before this one began.
#[must_use]
struct QueryFrame(u64);

/// The active queries of a resolution, and the rest of its budgets.
#[derive(Debug)]
pub struct QueryStack<Q> {
    /// The active queries and their places.
    active: RefCell<FxHashMap<Q, u32>>,
    /// The number of the query at each place, 0 if it is free.
    numbers: [Cell<u32>; PLACES],
    depth: Cell<u32>,
    /// The places that the result being computed depends on.
    met: Cell<u64>,
    started: Cell<u32>,
    /// Whether a depth or budget was exceeded at this site.
    exceeded: Cell<bool>,
    /// Whether the file has a list so large that one step over it exceeds the least steps of a
    /// site.
    has_large_list: Cell<bool>,
    site: Cell<u32>,
    file: Cell<u64>,
    limits: QueryLimits,
    /// Set to end the resolution early; its result is not used.
    cancel: Arc<AtomicBool>,
    /// The steps until `cancel` is checked.
    to_check: Cell<u32>,
}

impl<Q: Copy + Eq + Hash> QueryStack<Q> {
    /// Returns an empty stack with full budgets, which are used up once `cancel` is set.
    #[must_use]
    pub fn new(limits: QueryLimits, cancel: &Arc<AtomicBool>) -> Self {
        debug_assert!(limits.depth as usize <= PLACES, "a place for each query");

        Self {
            active: RefCell::default(),
            numbers: [const { Cell::new(0) }; PLACES],
            depth: Cell::new(0),
            met: Cell::new(0),
            started: Cell::new(0),
            exceeded: Cell::new(false),
            has_large_list: Cell::new(false),
            site: Cell::new(limits.site.unwrap_or(u32::MAX)),
            file: Cell::new(limits.file),
            limits,
            cancel: Arc::clone(cancel),
            to_check: Cell::new(STEPS_TO_CHECK),
        }
    }

    /// Begins the next site, with a full budget if sites have one, and the first place.
    pub fn begin_site(&self) {
        self.exceeded.set(false);

        if let Some(budget) = self.limits.site {
            self.numbers[0].set(self.next_number());
            self.depth.set(1);
            self.met.set(0);
            self.site.set(match self.limits.least_of_site {
                Some(least) => {
                    let least = if self.has_large_list.get() { 0 } else { least };
                    u64::from(budget).min(self.file.get()).max(u64::from(least)) as u32
                }
                None => budget,
            });
        }
    }

    /// Withdraws the least steps of later sites, because the file has a very large list.
    pub fn withdraw_least(&self) {
        self.has_large_list.set(true);
    }

    /// Reports whether a depth or budget was exceeded at this site.
    pub fn exceeded(&self) -> bool {
        self.exceeded.get()
    }

    /// Takes steps from the budgets; returns `false` if they are used up.
    #[inline]
    pub fn spend(&self, steps: usize) -> bool {
        match self.to_check.get().checked_sub(steps as u32) {
            Some(to_check) => self.to_check.set(to_check),
            None => self.check_cancel(),
        }

        let left = self.file.get().saturating_sub(steps as u64);
        self.file.set(left);
        if self.limits.least_of_site.is_some() {
            let of_site = u64::from(self.site.get()).saturating_sub(steps as u64);
            self.site.set(of_site as u32);
        }

        let is_used_up = self.is_used_up();
        if is_used_up {
            self.exceeded.set(true);
            if self.limits.least_of_site.is_some() {
                self.cut_off();
            }
        }
        !is_used_up
    }

    /// Uses up the budgets of this site and of later ones if the resolution is cancelled.
    #[cold]
    fn check_cancel(&self) {
        self.to_check.set(STEPS_TO_CHECK);
        if self.cancel.load(Ordering::Relaxed) {
            self.withdraw_least();
            self.file.set(0);
            self.site.set(0);
        }
    }

    /// Reports whether nothing more can be computed: the budget of the file is used up, or that of
    /// the site if all work counts against it.
    #[inline]
    pub fn is_used_up(&self) -> bool {
        match self.limits.least_of_site {
            Some(_) => self.site.get() == 0,
            None => self.file.get() == 0,
        }
    }

    /// Marks the result being computed as cut off: by a budget if one is used up, else by a limit
    /// that holds for every site.
    pub fn cut_off(&self) {
        let is_of_site = match self.limits.least_of_site {
            Some(_) => self.is_used_up(),
            None => self.limits.site.is_some(),
        };
        self.mark_dependent(CUT | u64::from(is_of_site));
    }

    /// Returns the number of active queries and of nested computations without a query.
    pub fn depth(&self) -> u32 {
        self.depth.get()
    }

    /// Reports whether the depth limit is reached.
    #[inline]
    pub fn is_deepest(&self) -> bool {
        self.depth.get() >= self.limits.depth
    }

    /// Runs a nested computation one level deeper, without a query.
    pub fn with_depth<T>(&self, compute: impl FnOnce() -> T) -> T {
        self.depth.set(self.depth.get() + 1);
        let value = compute();
        self.depth.set(self.depth.get() - 1);
        value
    }

    /// Reports whether the result being computed depends on no active query so far.
    pub fn is_independent(&self) -> bool {
        self.met.get() == 0
    }

    /// Reports whether an active query matches.
    pub fn is_active(&self, matches: impl Fn(&Q) -> bool) -> bool {
        self.active.borrow().keys().any(matches)
    }

    /// Returns the query started last.
    pub fn innermost(&self) -> Option<Q> {
        self.active
            .borrow()
            .iter()
            .max_by_key(|(_, place)| **place)
            .map(|(query, _)| *query)
    }

    /// Computes a query without memoizing it. Returns `None` if it is active or too deep, or if a
    /// budget is used up.
    pub fn query_uncached<T>(&self, query: Q, compute: impl FnOnce() -> T) -> Option<T> {
        Some(self.evaluate(query, compute)?.value)
    }

    /// Returns the memoized result, computing it if none is valid. For results that cannot depend
    /// on themselves.
    pub fn memoized<K: Eq + Hash, V: Clone>(
        &self,
        table: &MemoTable<K, V>,
        key: K,
        compute: impl FnOnce() -> V,
    ) -> V {
        if let Some(value) = self.memo_hit(table, &key) {
            return value;
        }
        let frame = self.begin();
        let entry = self.end(frame, compute());
        self.keep(table, key, entry)
    }

    /// Like [`Self::memoized`], for a query that may depend on itself; `None` as for
    /// [`Self::query_uncached`].
    pub fn query<K: Eq + Hash, V: Clone>(
        &self,
        table: &MemoTable<K, V>,
        (key, query): (K, Q),
        compute: impl FnOnce() -> V,
    ) -> Option<V> {
        if let Some(value) = self.memo_hit(table, &key) {
            return Some(value);
        }
        let entry = self.evaluate(query, compute)?;
        Some(self.keep(table, key, entry))
    }

    /// Like [`Self::query`], but memoizes only provisional results: settled ones are cheap to
    /// compute.
    pub fn query_provisional<K: Eq + Hash, V: Clone>(
        &self,
        table: &MemoTable<K, V>,
        (key, query): (K, Q),
        compute: impl FnOnce() -> V,
    ) -> Option<V> {
        if let Some(value) = self.memo_hit(table, &key) {
            return Some(value);
        }
        let entry = self.evaluate(query, compute)?;
        let is_settled = entry.is_settled() || self.ignores_provisional();
        if is_settled && !self.is_cut_by_site(&entry) {
            return Some(entry.value);
        }
        Some(self.keep(table, key, entry))
    }

    /// Computes a query as active. Returns `None` if it is active or too deep, or if a budget is
    /// used up.
    fn evaluate<T>(&self, query: Q, compute: impl FnOnce() -> T) -> Option<MemoEntry<T>> {
        let frame = self.open(query)?;
        Some(self.close(query, frame, compute()))
    }

    /// Returns the memoized result if it is valid.
    #[inline]
    pub fn memo_hit<K: Eq + Hash, V: Clone>(&self, table: &MemoTable<K, V>, key: &K) -> Option<V> {
        let entries = table.0.borrow();
        entries.get(key).and_then(|entry| self.recall(entry))
    }

    fn keep<K: Eq + Hash, V: Clone>(
        &self,
        table: &MemoTable<K, V>,
        key: K,
        mut entry: MemoEntry<V>,
    ) -> V {
        if self.ignores_provisional() && !self.is_cut_by_site(&entry) {
            entry.met = 0;
        }
        let value = entry.value.clone();
        table.0.borrow_mut().insert(key, entry);
        value
    }

    /// Reports whether so many queries were started that provisional results count as settled.
    fn ignores_provisional(&self) -> bool {
        self.started.get() > self.limits.provisional
    }

    /// Reports whether the budget of a site cut off a result.
    fn is_cut_by_site<V>(&self, entry: &MemoEntry<V>) -> bool {
        self.limits.site.is_some() && entry.met & 1 != 0
    }

    /// Starts a query. Returns `None` if it is active or too deep, or if a budget is used up; the
    /// result being computed then depends on the active query or on the limit.
    #[inline]
    fn open(&self, query: Q) -> Option<QueryFrame> {
        let mut active = self.active.borrow_mut();
        let place = self.depth.get();
        match active.entry(query) {
            Entry::Occupied(entry) => {
                self.mark_dependent(1_u64 << *entry.get());
                return None;
            }
            Entry::Vacant(entry) => {
                if self.is_deepest() || self.site.get() == 0 || !self.spend(1) {
                    self.exceeded.set(true);
                    self.cut_off();
                    return None;
                }
                entry.insert(place);
            }
        }

        self.site.set(self.site.get().saturating_sub(1));
        self.numbers[place as usize].set(self.next_number());
        self.depth.set(place + 1);
        Some(self.begin())
    }

    /// Ends the query started last.
    #[inline]
    fn close<V>(&self, query: Q, frame: QueryFrame, value: V) -> MemoEntry<V> {
        let place = self.depth.get() - 1;
        self.depth.set(place);
        self.numbers[place as usize].set(0);
        self.active.borrow_mut().remove(&query);
        self.end(frame, value)
    }

    /// Begins a computation whose dependencies are tracked separately from those of the enclosing
    /// one.
    #[inline]
    fn begin(&self) -> QueryFrame {
        QueryFrame(self.met.take())
    }

    /// Ends a computation and adds its dependencies to those of the enclosing one.
    #[inline]
    fn end<V>(&self, QueryFrame(enclosing): QueryFrame, value: V) -> MemoEntry<V> {
        let depth = self.depth.get();
        // No query can be shallower than one outside all queries.
        let met = if depth == 0 {
            0
        } else {
            self.met.get() & (CUT | ((1 << depth) - 1))
        };

        self.met.set(enclosing | met);
        MemoEntry {
            value,
            met,
            number: self.innermost_number(met),
            depth,
        }
    }

    /// Returns the result if it is valid and adds its dependencies to those of the result being
    /// computed.
    #[inline]
    fn recall<V: Clone>(&self, entry: &MemoEntry<V>) -> Option<V> {
        if !entry.is_settled() {
            let is_cut = entry.met & CUT != 0;
            if self.innermost_number(entry.met) != entry.number
                || is_cut && self.depth.get() < entry.depth
            {
                return None;
            }
            self.mark_dependent(entry.met);
        }
        Some(entry.value.clone())
    }

    #[inline]
    fn mark_dependent(&self, met: u64) {
        self.met.set(self.met.get() | met);
    }

    /// Returns the number of the innermost query in a set of stack positions.
    #[inline]
    fn innermost_number(&self, met: u64) -> u32 {
        (met & !CUT)
            .checked_ilog2()
            .map_or(0, |place| self.numbers[place as usize].get())
    }

    #[inline]
    fn next_number(&self) -> u32 {
        self.started.set(self.started.get() + 1);
        self.started.get()
    }
}
