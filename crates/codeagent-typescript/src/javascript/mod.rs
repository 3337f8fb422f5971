//! JavaScript without types: what comments, CommonJS, prototypes and assignments declare.

pub mod assigned_members;
pub mod common_js;
pub mod doc_overloads;
pub mod doc_shapes;
pub mod doc_tags;
pub mod doc_types;
pub mod jsdoc;
pub mod prototypes;
