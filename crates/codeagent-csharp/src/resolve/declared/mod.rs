//! What do all files declare? The ground floor: tables over the facts of all files, made before any
//! link and only read by it.
//!
//! **Limits.** No type is resolved here, and no file is asked about another.

pub mod assemblies;
mod patch;
pub mod published;
pub mod tables;
pub mod well_known;
