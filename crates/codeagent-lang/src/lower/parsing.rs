//! Parsing at bounded cost: each thread has a parser that stops after too many steps.
//!
//! Steps are parser actions, not time, so the outcome is the same on every machine and under every
//! load.
//!
//! Limitations: steps are counted where the parser reports progress; it cannot be stopped between
//! two reports.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::thread::LocalKey;

use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree};

use crate::lower::limits;
use crate::lower::unparsable;

/// A thread's parser for one grammar.
pub type KeptParser = LocalKey<RefCell<Option<Parser>>>;

/// Number of steps between two progress reports of the parser.
const STEPS_PER_REPORT: u64 = 100;

/// Held while a text whose tree takes much memory is lowered.
static HEAVY: Mutex<()> = Mutex::new(());

/// Runs `work`; if the text is heavy, waits until no other heavy text is being processed.
pub fn one_heavy_at_a_time<T>(text: &str, work: impl FnOnce() -> T) -> T {
    let held = limits::is_heavy(text).then(|| HEAVY.lock().unwrap_or_else(PoisonError::into_inner));
    let result = work();
    drop(held);
    result
}

/// Parses with the thread's parser, created on first use. Returns `None` if the text is too broken,
/// or took more steps than `budget`, or than its prefix at some offset may take. The remaining
/// steps stay in `budget`.
pub fn parse(
    kept: &'static KeptParser,
    language: &Language,
    text: &[u8],
    budget: &mut u64,
) -> Option<Tree> {
    kept.with_borrow_mut(|slot| {
        if slot.is_none() {
            *slot = Some(new_parser(language)?);
        }

        let parser = slot.as_mut()?;
        let mut steps = ParseBudget::within(budget);
        let tree = match steps.run(parser, text, None, Until::FirstError) {
            ParseOutcome::Error { at } if unparsable::is_unparsable(language, text, at) => None,
            ParseOutcome::Error { .. } => steps.run(parser, text, None, Until::End).tree(),
            run => run.tree(),
        };

        if tree.is_none() {
            parser.reset();
        }

        tree
    })
}

/// Creates a parser for a grammar.
pub fn new_parser(language: &Language) -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    Some(parser)
}

/// Parses within the budget for the text's length, reusing unchanged parts of an older tree.
pub fn attempt(parser: &mut Parser, text: &[u8], old: Option<&Tree>) -> Option<Tree> {
    let tree = ParseBudget::within(&mut limits::parse_steps(text.len()))
        .run(parser, text, old, Until::End)
        .tree();
    if tree.is_none() {
        parser.reset();
    }
    tree
}

/// Where a parser run ends that has not used up its budget.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    FirstError,
    End,
}

/// The outcome of a parser run. After an error, another run continues from there.
enum ParseOutcome {
    Done(Tree),
    Error { at: usize },
    Spent,
}

impl ParseOutcome {
    fn tree(self) -> Option<Tree> {
        if let Self::Done(tree) = self {
            Some(tree)
        } else {
            None
        }
    }
}

/// The steps taken for one text, charged to the budget.
struct ParseBudget<'a> {
    taken: u64,
    budget: &'a mut u64,
}

impl<'a> ParseBudget<'a> {
    fn within(budget: &'a mut u64) -> Self {
        Self { taken: 0, budget }
    }

    fn run(
        &mut self,
        parser: &mut Parser,
        text: &[u8],
        old: Option<&Tree>,
        until: Until,
    ) -> ParseOutcome {
        let mut end = ParseOutcome::Spent;
        let mut progress = |state: &ParseState| {
            let at = state.current_byte_offset();
            self.taken += STEPS_PER_REPORT;
            *self.budget = self.budget.saturating_sub(STEPS_PER_REPORT);
            if *self.budget == 0 || self.taken > limits::parse_steps(at) {
                return ControlFlow::Break(());
            }
            if until == Until::FirstError && state.has_error() {
                end = ParseOutcome::Error { at };
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };

        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree = parser.parse_with_options(
            &mut |offset, _| text.get(offset..).unwrap_or_default(),
            old,
            Some(options),
        );

        tree.map_or(end, ParseOutcome::Done)
    }
}
