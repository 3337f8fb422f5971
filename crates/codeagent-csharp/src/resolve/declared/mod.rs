//! The lowest layer: tables over the facts of all files.
//!
//! They are built before any file is resolved, and resolving only reads them.
//!
//! Limitations: no type is resolved here, and no file is asked about another.

pub mod assemblies;
mod patch;
pub mod published;
pub mod tables;
pub mod well_known;
