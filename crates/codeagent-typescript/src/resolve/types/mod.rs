//! What do written types mean, and what do types have: members, ancestors, signatures, elements,
//! the types of declarations?
//!
//! **Limits.** Where something is not annotated, its type is asked of `expressions`.

pub mod assignability;
pub mod declaration_types;
mod hierarchy;
mod instances;
mod instantiation;
mod iteration_types;
pub mod members;
mod signature_relations;
pub mod signatures;
pub mod type_nodes;
pub mod utility_types;
