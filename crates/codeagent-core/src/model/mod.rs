//! The nouns of the engine: what one file says ([`facts`]), where it says it ([`span`]) and what the graph is made of ([`graph`]).
//!
//! Nothing here reads a disk, a database or a clock, and nothing here knows tree-sitter.

pub mod facts;
pub mod graph;
pub mod print;
pub mod span;
