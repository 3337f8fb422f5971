//! What does a name mean: through scopes, imports, export clauses and what CommonJS gives out?
//!
//! **Limits.** No types: of a value that a module gives out as a whole only the member under a name
//! is asked.

pub mod common_js;
pub mod exports;
mod lookup;
