//! Untyped JavaScript: declarations from doc comments, CommonJS, prototypes and assignments.

pub mod common_js;
pub mod doc_overloads;
pub mod doc_tags;
pub mod doc_typedefs;
pub mod doc_types;
pub mod expando_members;
pub mod jsdoc;
pub mod prototypes;
