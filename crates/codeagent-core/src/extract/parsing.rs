//! How a text is parsed at a bounded cost: by a parser that its thread keeps, and given up once it has cost too much processor time.
//!
//! **Limits.** The budget is checked where the parser reports progress; between two reports it cannot be stopped.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::thread::LocalKey;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree};

use crate::extract::limits;

/// The parser that a thread keeps for one grammar.
pub type Kept = LocalKey<RefCell<Option<Parser>>>;

/// Parses with the parser kept, made on first use; `None` if `budget` was not enough, or what its part up to some place is.
pub fn parse(kept: &'static Kept, language: &Language, text: &[u8], budget: Duration) -> Option<Tree> {
    kept.with_borrow_mut(|slot| {
        if slot.is_none() {
            let mut parser = Parser::new();
            parser.set_language(language).ok()?;
            *slot = Some(parser);
        }
        let parser = slot.as_mut()?;
        let (wall, cpu) = (Instant::now(), ThreadTime::now());
        // Asking for processor time is a system call and asking for the time of day is none; a thread never uses more than has passed.
        let mut progress = |state: &ParseState| {
            let allowed = budget.min(limits::parse_budget(state.current_byte_offset()));
            let spent = wall.elapsed() > allowed && cpu.elapsed() > allowed;
            if spent { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree = parser.parse_with_options(&mut |offset, _| text.get(offset..).unwrap_or_default(), None, Some(options));
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}
