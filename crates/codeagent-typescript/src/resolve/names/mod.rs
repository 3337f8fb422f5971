//! Names: lookup through scopes, imports, export clauses and CommonJS exports.
//!
//! Limitations: no types, except for the member of a value that a module exports as a whole.

pub mod common_js;
pub mod exports;
mod imports;
mod lookup;
