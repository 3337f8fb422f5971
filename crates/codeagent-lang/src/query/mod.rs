//! Memoized queries of one link: numbers for names and values, answers that are kept while they
//! hold, and access to other files, which records what is read.
//!
//! **Limits.** Nothing here knows a language. What a type is and which names are looked up where
//! differs too much to be shared.

pub mod interner;
pub mod memo;
pub mod names;
mod recorder;
pub mod session;
pub mod stack;
#[cfg(test)]
mod tests;
