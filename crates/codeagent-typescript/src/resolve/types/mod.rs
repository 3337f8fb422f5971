//! What do written types mean, and what do types have: members, ancestors, signatures, elements,
//! the types of declarations?
//!
//! **Limits.** Where something is not annotated, its type is asked of `expressions`.

pub mod aliases;
pub mod assignability;
mod callables;
mod elements;
mod generics;
mod hierarchy;
mod instances;
pub mod members;
pub mod signatures;
pub mod type_exprs;
pub mod values;
