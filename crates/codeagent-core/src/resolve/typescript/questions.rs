//! Which questions of a link can need themselves, and how much may one ask?
//!
//! **Limits.** Those of [`crate::resolve::kernel::evaluation`]. What a cycle or a limit leaves out is `UNKNOWN`.

use super::Link;
use super::types::Ty;
use crate::model::facts::{CallId, ExprId, TypeId};
use crate::resolve::kernel::evaluation::{FileBudget, Limits};
use crate::resolve::{DeclRef, FileId};

/// Nested questions before the answer is `UNKNOWN`.
pub(super) const MAX_DEPTH: u32 = 60;

/// Of twelve repositories the file that took most took a third of what it may.
const FILE_BUDGET: FileBudget = FileBudget { least: 3_000_000, each_site: 20, most: 4_000_000 };

/// Questions after which provisional answers are remembered for good, so that a link always comes to an end.
const PATIENCE: u32 = 400_000;

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

/// Those of the link of a file with so many sites.
pub(super) fn limits(sites: usize) -> Limits {
    Limits { depth: MAX_DEPTH, site: None, file: FILE_BUDGET.steps(sites) }
}

impl Link<'_> {
    /// Answers a question unless it is being answered already or lies too deep.
    pub(super) fn guarded<T>(&mut self, question: Question, otherwise: T, answer: impl FnOnce(&mut Self) -> T) -> T {
        let Some(around) = self.evaluation.open(question) else { return otherwise };
        let value = answer(self);
        self.evaluation.close(question, around, value).value
    }

    /// As [`Self::guarded`], for a type: a provisional answer is kept while it holds.
    pub(super) fn answered(&mut self, question: Question, answer: impl FnOnce(&mut Self) -> Ty) -> Ty {
        self.answered_once(question, answer, false)
    }

    /// The same, and a settled answer is kept for good.
    pub(super) fn remembered(&mut self, question: Question, answer: impl FnOnce(&mut Self) -> Ty) -> Ty {
        self.answered_once(question, answer, true)
    }

    /// The answer to a question if it is kept.
    pub(super) fn recalled(&self, question: Question) -> Option<Ty> {
        let settled = self.settled.get(&question).copied();
        settled.or_else(|| self.provisional.get(&question).and_then(|kept| self.evaluation.recall(kept)))
    }

    fn answered_once(&mut self, question: Question, answer: impl FnOnce(&mut Self) -> Ty, is_remembered: bool) -> Ty {
        if let Some(ty) = self.recalled(question) {
            return ty;
        }
        let Some(around) = self.evaluation.open(question) else { return Ty::UNKNOWN };
        let ty = answer(self);
        let kept = self.evaluation.close(question, around, ty);
        if !kept.is_settled() && self.evaluation.asked() <= PATIENCE {
            self.provisional.insert(question, kept);
        } else if is_remembered {
            self.settled.insert(question, ty);
        }
        ty
    }

    /// Goes a level deeper without a question.
    pub(super) fn deeper<T>(&mut self, answer: impl FnOnce(&mut Self) -> T) -> T {
        self.evaluation.descend();
        let value = answer(self);
        self.evaluation.ascend();
        value
    }

    /// Whether no deeper question may be asked.
    pub(super) fn is_deepest(&self) -> bool {
        self.evaluation.is_deepest()
    }
}
