//! The nouns of the engine: what one file says ([`facts`]), where it says it ([`span`]), what the
//! graph is made of ([`graph`]) and what is true of a language as such ([`language`]).
//!
//! Nothing here reads a disk, a database or a clock, and nothing here knows tree-sitter.

pub mod facts;
pub mod graph;
pub mod language;
pub mod print;
pub mod span;
