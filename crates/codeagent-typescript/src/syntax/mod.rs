//! Syntax: repair of text that the grammar misreads, done at equal length before parsing, and the
//! node kinds.

pub mod repair;
#[expect(clippy::module_inception, reason = "the kinds of nodes are the syntax")]
pub mod syntax;
