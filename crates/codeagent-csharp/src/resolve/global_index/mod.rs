//! The lowest layer: tables over the facts of all files.
//!
//! They are built before any file is resolved and are read-only during resolution.
//!
//! Limitations: nothing is resolved here; no file's entries depend on another file.

pub mod assemblies;
mod folders;
mod patch;
pub mod provided_keys;
pub mod tables;
pub mod well_known;
