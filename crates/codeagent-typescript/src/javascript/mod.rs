//! JavaScript without types: what comments, CommonJS, prototypes and assignments declare.

pub mod common_js;
pub mod doc_overloads;
pub mod doc_tags;
pub mod doc_typedefs;
pub mod doc_types;
pub mod expando_members;
pub mod jsdoc;
pub mod prototypes;
