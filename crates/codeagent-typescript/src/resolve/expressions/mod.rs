//! What do expressions mean: their types, the signatures that calls choose, what is inferred,
//! expected and narrowed?
//!
//! **Limits.** Types as far as members and calls need them; nothing is checked.

pub mod calls;
mod contextual_types;
mod expr_types;
pub mod inference;
mod narrowing;
