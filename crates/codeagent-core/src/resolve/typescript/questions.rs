//! Questions in the course of being answered: what is asked again meanwhile is a cycle, what lies too deep is cut off.
//!
//! An answer found below an open question that was asked again is provisional. It is kept as long as that question stays open, and an
//! answer under a cut for as long as the question is asked no nearer: so that each is worked out once, however many ways lead to it.
//!
//! **Limits.** What a cycle or a cut leaves out is `UNKNOWN`.

use rustc_hash::FxHashMap;

use super::types::Ty;
use super::{Link, MAX_DEPTH};
use crate::model::facts::{CallId, ExprId, TypeId};
use crate::resolve::{DeclRef, FileId};

/// Questions after which provisional answers are remembered for good, so that a link always comes to an end.
const PATIENCE: u32 = 400_000;

/// Stands among the depths for "was cut off".
const CUT: u64 = 1 << 63;

/// A question that is being answered; asking it again meanwhile is a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Question {
    /// The type of a declaration.
    Decl(DeclRef),
    /// The type of an expression.
    Expr(FileId, ExprId),
    /// What a function gives.
    Return(DeclRef),
    /// What is expected of a literal or lambda.
    Context(DeclRef),
    /// What an alias stands for.
    Alias(DeclRef),
    /// An entry of a base list.
    Base(DeclRef, u32),
    /// What an import means.
    Follow(DeclRef),
    /// A conditional type.
    Conditional(Ty),
    /// What is expected of the result of a call.
    Expected(FileId, CallId),
    /// What a written type means.
    Type(FileId, TypeId),
}

/// An answer that holds for the time being.
#[derive(Clone, Copy)]
struct Provisional {
    answer: Ty,
    /// The depths of the open questions it met, and whether it was cut off.
    cycles: u64,
    depth: u32,
    /// The number of the innermost of these questions.
    met: u32,
}

/// Where a link stands with its questions.
pub struct Questions {
    /// Open questions and the depth they were asked at.
    open: FxHashMap<Question, u32>,
    /// The number of the open question at each depth, 0 if there is none.
    numbers: [u32; MAX_DEPTH as usize + 1],
    /// The depths of open questions that were asked again since the innermost was opened.
    cycles: u64,
    /// What the last answer met.
    last_cycles: u64,
    /// Questions asked so far.
    asked: u32,
    provisional: FxHashMap<Question, Provisional>,
}

impl Default for Questions {
    fn default() -> Self {
        Self {
            open: FxHashMap::default(),
            numbers: [0; MAX_DEPTH as usize + 1],
            cycles: 0,
            last_cycles: 0,
            asked: 0,
            provisional: FxHashMap::default(),
        }
    }
}

impl Questions {
    /// Whether the last answer may be remembered.
    pub fn is_settled(&self) -> bool {
        self.last_cycles == 0 || self.asked > PATIENCE
    }

    /// Whether no answer on the way was provisional.
    pub fn met_nothing(&self) -> bool {
        self.cycles == 0
    }

    fn meet(&mut self, cycles: u64) {
        self.cycles |= cycles;
        self.last_cycles = cycles;
    }

    fn kept(&self, question: Question, depth: u32) -> Option<Provisional> {
        let kept = *self.provisional.get(&question)?;
        let is_deep_enough = kept.cycles & CUT == 0 || depth >= kept.depth;
        (is_deep_enough && self.innermost(kept.cycles) == kept.met).then_some(kept)
    }

    /// The number of the innermost of the open questions at these depths.
    fn innermost(&self, cycles: u64) -> u32 {
        let depths = cycles & !CUT;
        if depths == 0 { 0 } else { self.numbers[depths.ilog2() as usize] }
    }
}

impl Link<'_> {
    /// Answers a question unless it is being answered already or lies too deep; afterwards [`Questions::is_settled`] says what the answer is worth.
    pub(super) fn guarded<T>(&mut self, question: Question, otherwise: T, answer: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(&asked_at) = self.questions.open.get(&question) {
            self.questions.meet(1 << asked_at);
            return otherwise;
        }
        if self.depth >= MAX_DEPTH || !self.spend(1) {
            self.questions.meet(CUT);
            return otherwise;
        }
        let depth = self.depth;
        let around = std::mem::take(&mut self.questions.cycles);
        self.questions.asked += 1;
        self.questions.open.insert(question, depth);
        let number = std::mem::replace(&mut self.questions.numbers[depth as usize], self.questions.asked);
        self.depth += 1;
        let result = answer(self);
        self.depth -= 1;
        self.questions.numbers[depth as usize] = number;
        self.questions.open.remove(&question);
        let own = if depth == 0 { 0 } else { self.questions.cycles & (CUT | ((1 << depth) - 1)) };
        self.questions.cycles = around;
        self.questions.meet(own);
        result
    }

    /// As [`Self::guarded`], for a type: a provisional answer is kept while it holds.
    pub(super) fn answered(&mut self, question: Question, answer: impl FnOnce(&mut Self) -> Ty) -> Ty {
        if let Some(kept) = self.questions.kept(question, self.depth) {
            self.questions.meet(kept.cycles);
            return kept.answer;
        }
        let (depth, is_open) = (self.depth, self.questions.open.contains_key(&question));
        let answer = self.guarded(question, Ty::UNKNOWN, answer);
        if !is_open && !self.questions.is_settled() {
            let cycles = self.questions.last_cycles;
            let met = self.questions.innermost(cycles);
            self.questions.provisional.insert(question, Provisional { answer, cycles, depth, met });
        }
        answer
    }
}
