//! TypeScript text before it is walked: the parts that the grammar gets wrong, masked at equal length
//! before it is parsed, and the kinds of its nodes.

pub mod repair;
#[expect(clippy::module_inception, reason = "the kinds of nodes are the syntax")]
pub mod syntax;
