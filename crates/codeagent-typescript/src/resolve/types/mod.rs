//! Types: type nodes, members, ancestors, signatures, element types and the types of declarations.
//!
//! Limitations: the type of an unannotated declaration is queried from `expressions`.

pub mod assignability;
mod builtin_members;
pub mod conditional_types;
pub mod declaration_types;
mod hierarchy;
mod index_relations;
mod instances;
mod instantiation;
mod iteration_types;
pub mod keys;
pub mod library_relations;
pub mod members;
mod members_of_parts;
mod signature_relations;
pub mod signatures;
mod template_types;
pub mod type_nodes;
pub mod utility_types;
pub mod written_types;
