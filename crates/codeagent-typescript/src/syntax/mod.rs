//! Syntax: repairs of equal length of texts that the grammar misreads, and the node kinds.

pub mod ampersands;
pub mod repair;
#[expect(clippy::module_inception, reason = "the kinds of nodes are the syntax")]
pub mod syntax;
