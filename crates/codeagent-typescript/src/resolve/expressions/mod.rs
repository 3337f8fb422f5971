//! Expressions: types, overload resolution, inference, contextual types and narrowing.
//!
//! Limitations: types are inferred as far as members and calls need them; nothing is checked.

mod arguments;
pub mod calls;
mod contextual_types;
mod expr_types;
pub mod inference;
mod jsx;
mod narrowing;
mod rest_tuples;
mod spread_arguments;
