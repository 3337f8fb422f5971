//! How does a link answer each question once: answers are kept, a question that needs itself or costs too much is cut short.
//!
//! `var a = f(x => a.Size);` asks for the type of `a` while it is being found out. The inner question is cut, and what hangs on that holds
//! only while the outer one is open. It is kept that long: the work of a site is then bounded by the number of its questions, not by the
//! number of ways that lead to them.
//!
//! **Limits.** What exceeds the depth or a budget is unknown, and the site is counted as given up if it gets no target.

use std::cell::{Cell, RefCell};
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::model::facts::{CallId, DeclId, ExprId, ImportId, TypeId};
use crate::resolve::FileId;
use crate::resolve::csharp::declared::tables::Tid;
use crate::resolve::csharp::types::Ty;
use crate::resolve::csharp::types::Types;

/// How many questions may be open at once: keeps the stack of a worker thread small.
const MAX_DEPTH: usize = 61;

/// Steps one site may cost; a lambda inside overloaded calls is read once per overload, so nesting multiplies.
const SITE_BUDGET: u32 = 40_000;

/// Steps a file may cost, how many more for each of its sites, and the most. Of seven repositories the file that took most, three thousand lines
/// of queries in lambdas, took a third of what it may.
const FILE_BUDGET: (u64, u64, u64) = (500_000, 150, 3_000_000);

/// No question that is open was asked again.
const NO_CYCLE: usize = usize::MAX;

/// Things that are in evaluation and must not be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Busy {
    /// The type of an expression under an assumption.
    Expr(u32, ExprId),
    /// A type expression.
    TypeExpr(FileId, TypeId),
    /// The bases of a type.
    Bases(Tid),
    /// The target of a call under an assumption.
    Call(u32, CallId),
    /// The context of a lambda or `new()` under an assumption.
    Context(u32, DeclId),
    /// A using.
    Using(FileId, ImportId),
    /// The constraints of a type parameter.
    Constraints(Ty),
}

/// Answers that are kept.
pub type Table<K, V> = RefCell<FxHashMap<K, Kept<V>>>;

/// An answer and how long it holds.
pub struct Kept<V> {
    value: V,
    /// `None`: as long as the link.
    cut: Option<Cut>,
}

/// What an answer that is not final hangs on.
#[derive(Clone, Copy)]
struct Cut {
    /// The outermost open question that was asked again, by its place on the stack; 0 is the site, on whose budget it hangs.
    place: usize,
    /// The number of that question.
    number: u64,
    /// How many questions were open: from further out, more can be known.
    depth: usize,
}

/// The questions of a link that are open, and what is left of its budgets.
pub struct Evaluation {
    busy: RefCell<FxHashMap<Busy, usize>>,
    /// The number of each open question; the first stands for the site.
    open: RefCell<Vec<u64>>,
    asked: Cell<u64>,
    /// The place of the outermost open question on which the answer in evaluation hangs.
    lowest: Cell<usize>,
    /// A depth or budget was exceeded at this site.
    exceeded: Cell<bool>,
    site: Cell<u32>,
    file: Cell<u64>,
}

impl Evaluation {
    /// Nothing asked yet, for a file of so many sites.
    #[must_use]
    pub fn new(sites: usize) -> Self {
        Self {
            busy: RefCell::default(),
            open: RefCell::new(vec![0]),
            asked: Cell::new(0),
            lowest: Cell::new(NO_CYCLE),
            exceeded: Cell::new(false),
            site: Cell::new(SITE_BUDGET),
            file: Cell::new(FILE_BUDGET.2.min(FILE_BUDGET.0 + FILE_BUDGET.1 * sites as u64)),
        }
    }

    /// The question that was opened last.
    #[must_use]
    pub fn innermost(&self) -> Option<Busy> {
        self.busy.borrow().iter().max_by_key(|(_, place)| **place).map(|(question, _)| *question)
    }

    fn next(&self) -> u64 {
        self.asked.set(self.asked.get() + 1);
        self.asked.get()
    }

    fn hang_on(&self, place: usize) {
        self.lowest.set(self.lowest.get().min(place));
    }

    /// The answer if it still holds.
    fn recall<V: Clone>(&self, kept: &Kept<V>) -> Option<V> {
        if let Some(cut) = kept.cut {
            let open = self.open.borrow();
            if open.get(cut.place) != Some(&cut.number) || open.len() < cut.depth {
                return None;
            }
            self.hang_on(cut.place);
        }
        Some(kept.value.clone())
    }

    /// Evaluates, and says on which question open at `depth` the result hangs.
    fn watch<T>(&self, depth: usize, evaluate: impl FnOnce() -> T) -> (T, Option<usize>) {
        let outer = self.lowest.replace(NO_CYCLE);
        let result = evaluate();
        let own = Some(self.lowest.get()).filter(|place| *place < depth);
        self.lowest.set(outer.min(own.unwrap_or(NO_CYCLE)));
        (result, own)
    }
}

impl Types<'_> {
    /// Gives the next site a full budget.
    pub fn begin_site(&self) {
        let evaluation = &self.evaluation;
        let mut open = evaluation.open.borrow_mut();
        open.clear();
        open.push(evaluation.next());
        evaluation.lowest.set(NO_CYCLE);
        evaluation.exceeded.set(false);
        evaluation.site.set(SITE_BUDGET);
    }

    /// Whether something at this site was left unknown because it lies too deep or costs too much.
    pub fn exceeded(&self) -> bool {
        self.evaluation.exceeded.get()
    }

    /// Takes steps from the budget of the file; `false` if it is used up. What costs more the more there is of it takes more.
    pub fn spend(&self, steps: usize) -> bool {
        let left = self.evaluation.file.get().saturating_sub(steps as u64);
        self.evaluation.file.set(left);
        if left == 0 {
            self.evaluation.exceeded.set(true);
        }
        left > 0
    }

    /// Evaluates once: `None` if it is already in evaluation, too deep, or the site has used up its budget.
    pub fn guarded<T>(&self, what: Busy, evaluate: impl FnOnce() -> T) -> Option<T> {
        let evaluation = &self.evaluation;
        if let Some(&place) = evaluation.busy.borrow().get(&what) {
            evaluation.hang_on(place);
            return None;
        }
        let depth = evaluation.open.borrow().len();
        if depth >= MAX_DEPTH || evaluation.site.get() == 0 || !self.spend(1) {
            evaluation.exceeded.set(true);
            evaluation.hang_on(0);
            return None;
        }
        evaluation.site.set(evaluation.site.get() - 1);
        evaluation.busy.borrow_mut().insert(what, depth);
        evaluation.open.borrow_mut().push(evaluation.next());
        let (result, _) = evaluation.watch(depth, evaluate);
        evaluation.open.borrow_mut().pop();
        evaluation.busy.borrow_mut().remove(&what);
        Some(result)
    }

    /// The kept answer, else a new one, kept as long as it holds.
    pub fn remembered<K: Eq + Hash, V: Clone>(&self, table: &Table<K, V>, key: K, evaluate: impl FnOnce() -> V) -> V {
        if let Some(value) = table.borrow().get(&key).and_then(|kept| self.evaluation.recall(kept)) {
            return value;
        }
        let depth = self.evaluation.open.borrow().len();
        let (value, own) = self.evaluation.watch(depth, evaluate);
        let cut = own.map(|place| Cut { place, number: self.evaluation.open.borrow()[place], depth });
        table.borrow_mut().insert(key, Kept { value: value.clone(), cut });
        value
    }
}
