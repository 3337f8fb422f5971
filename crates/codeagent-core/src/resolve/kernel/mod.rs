//! What do the linkers of all languages share: numbers for names and values, answers that are kept
//! while they hold, and the way to other files, which records what is asked?
//!
//! **Limits.** Nothing here knows a language. What a type is and which names are looked up where
//! differs too much to be shared.

pub mod evaluation;
pub mod interner;
pub mod names;
mod reads;
pub mod session;
#[cfg(test)]
mod tests;
