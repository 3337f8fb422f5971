//! How a text is parsed at a bounded cost: by a parser that its thread keeps, and given up once it has taken too many steps.
//!
//! Steps are the parser's own, not time: a text is parsed or given up alike on every machine and under every load.
//!
//! **Limits.** Steps are counted where the parser reports progress; between two reports it cannot be stopped.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::thread::LocalKey;

use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree};

use crate::extract::hopeless;
use crate::extract::limits;

/// The parser that a thread keeps for one grammar.
pub type Kept = LocalKey<RefCell<Option<Parser>>>;

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

/// Parses with the parser kept, made on first use; `None` if the text is hopeless, or took more than `budget` steps, or than its part up to
/// some place may. What is left of the budget stays in it.
pub fn parse(kept: &'static Kept, language: &Language, text: &[u8], budget: &mut u64) -> Option<Tree> {
    kept.with_borrow_mut(|slot| {
        if slot.is_none() {
            let mut parser = Parser::new();
            parser.set_language(language).ok()?;
            *slot = Some(parser);
        }
        let parser = slot.as_mut()?;
        if hopeless::is_hopeless(parser, text) { None } else { attempt(parser, text, None, budget) }
    })
}

/// Parses within a budget, taking over what stands unchanged in an older tree.
pub fn attempt(parser: &mut Parser, text: &[u8], old: Option<&Tree>, budget: &mut u64) -> Option<Tree> {
    let mut steps = 0;
    let mut progress = |state: &ParseState| {
        steps += STEPS_PER_REPORT;
        let spent = steps > limits::parse_steps(state.current_byte_offset()).min(*budget);
        if spent { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut |offset, _| text.get(offset..).unwrap_or_default(), old, Some(options));
    if tree.is_none() {
        parser.reset();
    }
    *budget = budget.saturating_sub(steps);
    tree
}
