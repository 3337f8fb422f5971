//! The global index: tables over the declarations of all files. The lowest layer, built before any
//! resolution and read-only afterwards, except that some files are indexed when they are first read.
//!
//! Limitations: no types. Imports are followed only to the file they name.

mod assertions;
pub mod file_index;
pub mod global_names;
mod indexed_file;
pub mod libraries;
pub mod module_resolution;
pub mod object_functions;
pub mod outer_params;
mod patch;
mod programs;
pub mod provided_keys;
mod stars;
pub mod tables;
pub mod well_known;
