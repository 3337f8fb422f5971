//! Data model of the engine: the facts of one file ([`facts`]), source positions ([`span`]), the
//! graph ([`graph`]), what runs without a call ([`dispatch`]), symbols of packages ([`external`]) and
//! properties of the languages ([`language`]).
//!
//! Nothing here accesses a disk, a database or a clock, or depends on tree-sitter.

#![warn(missing_docs)]

pub mod dispatch;
pub mod external;
pub mod facts;
pub mod graph;
pub mod language;
pub mod print;
pub mod span;
