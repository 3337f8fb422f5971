//! Parsing at a bounded cost: each thread keeps a parser, which gives a text up after too many
//! steps.
//!
//! Steps are the parser's own, not time: a text is parsed or given up alike on every machine and
//! under every load.
//!
//! **Limits.** Steps are counted where the parser reports progress; between two reports it cannot
//! be stopped.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::thread::LocalKey;

use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree};

use crate::lower::hopeless;
use crate::lower::limits;

/// The parser that a thread keeps for one grammar.
pub type KeptParser = LocalKey<RefCell<Option<Parser>>>;

/// The parser reports progress after so many steps.
const STEPS_PER_REPORT: u64 = 100;

/// Held while a text is extracted whose tree takes much memory.
static HEAVY: Mutex<()> = Mutex::new(());

/// Does something beside no other heavy text, if this one is heavy.
pub fn one_heavy_at_a_time<T>(text: &str, work: impl FnOnce() -> T) -> T {
    let held = limits::is_heavy(text).then(|| HEAVY.lock().unwrap_or_else(PoisonError::into_inner));
    let result = work();
    drop(held);
    result
}

/// Parses with the parser kept, made on first use; `None` if the text is hopeless, or took more
/// than `budget` steps, or than its part up to some place may. What is left of the budget stays in
/// it.
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
            Run::Error { at } if hopeless::is_hopeless(language, text, at) => None,
            Run::Error { .. } => steps.run(parser, text, None, Until::End).tree(),
            run => run.tree(),
        };

        if tree.is_none() {
            parser.reset();
        }

        tree
    })
}

/// A parser of its own.
pub fn new_parser(language: &Language) -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    Some(parser)
}

/// Parses within the budget of its length, taking over what stands unchanged in an older tree.
pub fn attempt(parser: &mut Parser, text: &[u8], old: Option<&Tree>) -> Option<Tree> {
    let tree = ParseBudget::within(&mut limits::parse_steps(text.len()))
        .run(parser, text, old, Until::End)
        .tree();
    if tree.is_none() {
        parser.reset();
    }
    tree
}

/// Where a run of the parser ends that has not spent its budget.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    FirstError,
    End,
}

/// How a run of the parser ended. After an error another run goes on from there.
enum Run {
    Done(Tree),
    Error { at: usize },
    Spent,
}

impl Run {
    fn tree(self) -> Option<Tree> {
        if let Self::Done(tree) = self {
            Some(tree)
        } else {
            None
        }
    }
}

/// Steps taken on one text, which the budget pays for.
struct ParseBudget<'a> {
    taken: u64,
    budget: &'a mut u64,
}

impl<'a> ParseBudget<'a> {
    fn within(budget: &'a mut u64) -> Self {
        Self { taken: 0, budget }
    }

    fn run(&mut self, parser: &mut Parser, text: &[u8], old: Option<&Tree>, until: Until) -> Run {
        let mut end = Run::Spent;
        let mut progress = |state: &ParseState| {
            let at = state.current_byte_offset();
            self.taken += STEPS_PER_REPORT;
            *self.budget = self.budget.saturating_sub(STEPS_PER_REPORT);
            if *self.budget == 0 || self.taken > limits::parse_steps(at) {
                return ControlFlow::Break(());
            }
            if until == Until::FirstError && state.has_error() {
                end = Run::Error { at };
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

        tree.map_or(end, Run::Done)
    }
}
