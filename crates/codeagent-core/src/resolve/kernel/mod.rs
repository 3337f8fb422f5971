//! What do the linkers of all languages share: numbers for names and values, answers that are kept while they hold, and the record of what was
//! asked?
//!
//! **Limits.** Nothing here knows a language. What a type is and which names are looked up where differs too much to be shared.

pub mod evaluation;
pub mod interner;
pub mod names;
pub mod reads;
#[cfg(test)]
mod tests;
