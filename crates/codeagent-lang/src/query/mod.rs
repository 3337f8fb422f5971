//! Memoized queries of one resolution: interned names and values, memo tables, the stack of active
//! queries, and access to other files, which records dependencies.
//!
//! Their interior mutability lets the methods of a resolution take `&self`.
//!
//! Limitations: nothing here depends on a language: types and lookups differ too much to be shared.

pub mod interner;
pub mod memo;
pub mod names;
mod recorder;
pub mod stack;
#[cfg(test)]
mod tests;
pub mod tracked_world;
