//! Memoized queries with cycle detection and step budgets. Answers are kept, a question that needs
//! itself or costs too much is cut short.
//!
//! `var a = f(x => a.Size);` asks for the type of `a` while it is being found out. The inner
//! question is cut, and what hangs on that is provisional: it is kept as long as the outer question
//! is open, of several the innermost, and no longer, for then there is an answer. So the work grows
//! with the number of questions, not with the number of ways that lead to them.
//!
//! **Limits.** At most [`PLACES`] questions are open at once; a linker may allow fewer. What
//! exceeds that or a budget is cut short too, and what hangs on it is kept for whoever asks from as
//! deep: from further out, more can be known.

use std::cell::{Cell, RefCell};
use std::collections::hash_map::Entry;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Places for open questions: one bit each, and one for what was cut off.
pub const PLACES: usize = 63;

/// Stands among the places for "was cut off".
const CUT: u64 = 1 << PLACES;

/// How much a link may ask.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many questions may be open at once: keeps the stack of a worker thread small.
    pub depth: u32,
    /// Steps that each site may cost, if there is such a limit. What exceeds it hangs on the site.
    pub site: Option<u32>,
    /// Steps that the file may cost.
    pub file: u64,
}

/// Steps that a file may cost.
#[derive(Clone, Copy, Debug)]
pub struct FileBudget {
    /// With few sites.
    pub least: u64,
    /// More for each site.
    pub each_site: u64,
    /// With many sites.
    pub most: u64,
}

impl FileBudget {
    /// The steps of a file with so many sites.
    #[must_use]
    pub fn steps(&self, sites: usize) -> u64 {
        self.most.min(self.least + self.each_site * sites as u64)
    }
}

/// An answer that is kept.
#[derive(Clone, Copy, Debug)]
pub struct Kept<V> {
    /// The answer.
    pub value: V,
    /// The places of the open questions it hangs on, and whether something was cut off.
    met: u64,
    /// The number of the innermost of these questions.
    number: u32,
    /// How many questions were open.
    depth: u32,
}

impl<V> Kept<V> {
    /// Whether it holds as long as the link.
    #[inline]
    pub fn is_settled(&self) -> bool {
        self.met == 0
    }
}

/// Answers to one kind of questions.
pub type Table<K, V> = RefCell<FxHashMap<K, Kept<V>>>;

/// What was met before the evaluation that is under way.
#[must_use]
pub struct Around(u64);

/// The questions of a link that are open, and what is left of its budgets.
#[derive(Debug)]
pub struct Evaluation<Q> {
    /// Open questions by their places.
    open: RefCell<FxHashMap<Q, u32>>,
    /// The number of the question at each place, 0 if there is none.
    numbers: [Cell<u32>; PLACES],
    depth: Cell<u32>,
    /// What the answer in evaluation hangs on.
    met: Cell<u64>,
    asked: Cell<u32>,
    /// A depth or budget was exceeded at this site.
    exceeded: Cell<bool>,
    site: Cell<u32>,
    file: Cell<u64>,
    limits: Limits,
}

impl<Q: Copy + Eq + Hash> Evaluation<Q> {
    /// Nothing asked yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        debug_assert!(limits.depth as usize <= PLACES, "a place for each question");
        Self {
            open: RefCell::default(),
            numbers: [const { Cell::new(0) }; PLACES],
            depth: Cell::new(0),
            met: Cell::new(0),
            asked: Cell::new(0),
            exceeded: Cell::new(false),
            site: Cell::new(limits.site.unwrap_or(u32::MAX)),
            file: Cell::new(limits.file),
            limits,
        }
    }

    /// Gives the next site a full budget, and the first place.
    pub fn begin_site(&self) {
        self.numbers[0].set(self.next());
        self.depth.set(1);
        self.met.set(0);
        self.exceeded.set(false);
        self.site.set(self.limits.site.unwrap_or(u32::MAX));
    }

    /// Whether something at this site was left unknown because it lies too deep or costs too much.
    pub fn exceeded(&self) -> bool {
        self.exceeded.get()
    }

    /// Takes steps from the budget of the file; `false` if it is used up. What costs more the more
    /// there is of it takes more.
    #[inline]
    pub fn spend(&self, steps: usize) -> bool {
        let left = self.file.get().saturating_sub(steps as u64);
        self.file.set(left);
        if left == 0 {
            self.exceeded.set(true);
        }
        left > 0
    }

    /// Whether the budget of the file is used up.
    #[inline]
    pub fn is_used_up(&self) -> bool {
        self.file.get() == 0
    }

    /// How many questions were asked.
    pub fn asked(&self) -> u32 {
        self.asked.get()
    }

    /// How many questions are open, and levels of what recurses without one.
    pub fn depth(&self) -> u32 {
        self.depth.get()
    }

    /// Whether no more may be.
    #[inline]
    pub fn is_deepest(&self) -> bool {
        self.depth.get() >= self.limits.depth
    }

    /// One level further down, without a question.
    pub fn descend(&self) {
        self.depth.set(self.depth.get() + 1);
    }

    /// Back from there.
    pub fn ascend(&self) {
        self.depth.set(self.depth.get() - 1);
    }

    /// Whether the answer in evaluation hangs on nothing so far.
    pub fn has_met_nothing(&self) -> bool {
        self.met.get() == 0
    }

    #[inline]
    fn hang_on(&self, met: u64) {
        self.met.set(self.met.get() | met);
    }

    #[inline]
    fn next(&self) -> u32 {
        self.asked.set(self.asked.get() + 1);
        self.asked.get()
    }

    /// The question that was opened last.
    pub fn innermost(&self) -> Option<Q> {
        self.open
            .borrow()
            .iter()
            .max_by_key(|(_, place)| **place)
            .map(|(question, _)| *question)
    }

    /// Opens a question: `None`, on which the answer in evaluation then hangs, if it is open, too
    /// deep, or a budget is used up.
    #[inline]
    pub fn open(&self, question: Q) -> Option<Around> {
        let mut open = self.open.borrow_mut();
        let place = self.depth.get();
        match open.entry(question) {
            Entry::Occupied(entry) => {
                self.hang_on(1_u64 << *entry.get());
                return None;
            }
            Entry::Vacant(entry) => {
                if self.is_deepest() || self.site.get() == 0 || !self.spend(1) {
                    self.exceeded.set(true);
                    self.hang_on(CUT | u64::from(self.limits.site.is_some()));
                    return None;
                }
                entry.insert(place);
            }
        }
        self.site.set(self.site.get() - 1);
        self.numbers[place as usize].set(self.next());
        self.depth.set(place + 1);
        Some(self.begin())
    }

    /// Closes the question that was opened last.
    #[inline]
    pub fn close<V>(&self, question: Q, around: Around, value: V) -> Kept<V> {
        let place = self.depth.get() - 1;
        self.depth.set(place);
        self.numbers[place as usize].set(0);
        self.open.borrow_mut().remove(&question);
        self.end(around, value)
    }

    /// Begins an evaluation that asks no question of its own.
    #[inline]
    pub fn begin(&self) -> Around {
        Around(self.met.take())
    }

    /// Ends it: what it met of the open questions, what is around it meets too.
    #[inline]
    pub fn end<V>(&self, Around(around): Around, value: V) -> Kept<V> {
        let depth = self.depth.get();
        // Outside of all questions nothing can be asked from further out.
        let met = if depth == 0 {
            0
        } else {
            self.met.get() & (CUT | ((1 << depth) - 1))
        };
        self.met.set(around | met);
        Kept {
            value,
            met,
            number: self.number(met),
            depth,
        }
    }

    /// The number of the innermost of the questions at these places.
    #[inline]
    fn number(&self, met: u64) -> u32 {
        (met & !CUT)
            .checked_ilog2()
            .map_or(0, |place| self.numbers[place as usize].get())
    }

    /// The answer if it still holds; the answer in evaluation then hangs on the same.
    #[inline]
    pub fn recall<V: Clone>(&self, kept: &Kept<V>) -> Option<V> {
        if kept.met != 0 {
            let is_cut = kept.met & CUT != 0;
            if self.number(kept.met) != kept.number || is_cut && self.depth.get() < kept.depth {
                return None;
            }
            self.hang_on(kept.met);
        }
        Some(kept.value.clone())
    }

    /// Answers a question unless that is open, too deep, or a budget is used up.
    pub fn guarded<T>(&self, question: Q, answer: impl FnOnce() -> T) -> Option<T> {
        let around = self.open(question)?;
        let value = answer();
        Some(self.close(question, around, value).value)
    }

    /// The kept answer, else a new one, kept as long as it holds.
    pub fn remembered<K: Eq + Hash, V: Clone>(
        &self,
        table: &Table<K, V>,
        key: K,
        answer: impl FnOnce() -> V,
    ) -> V {
        if let Some(value) = self.recalled(table, &key) {
            return value;
        }
        let around = self.begin();
        let kept = self.end(around, answer());
        self.keep(table, key, kept)
    }

    /// The same of a question that may need itself; `None` as for [`Self::guarded`].
    pub fn answered<K: Eq + Hash, V: Clone>(
        &self,
        table: &Table<K, V>,
        (key, question): (K, Q),
        answer: impl FnOnce() -> V,
    ) -> Option<V> {
        if let Some(value) = self.recalled(table, &key) {
            return Some(value);
        }
        let around = self.open(question)?;
        let kept = self.close(question, around, answer());
        Some(self.keep(table, key, kept))
    }

    fn recalled<K: Eq + Hash, V: Clone>(&self, table: &Table<K, V>, key: &K) -> Option<V> {
        table.borrow().get(key).and_then(|kept| self.recall(kept))
    }

    fn keep<K: Eq + Hash, V: Clone>(&self, table: &Table<K, V>, key: K, kept: Kept<V>) -> V {
        let value = kept.value.clone();
        table.borrow_mut().insert(key, kept);
        value
    }
}
