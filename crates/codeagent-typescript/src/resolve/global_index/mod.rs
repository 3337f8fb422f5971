//! What do all files declare? The ground floor: tables over the facts of all files, made before any
//! link and only read by it.
//!
//! **Limits.** No type is made here, and no import is followed but to the file that it names.

pub mod libraries;
pub mod module_resolution;
pub mod object_functions;
mod patch;
mod programs;
pub mod provided_keys;
pub mod tables;
pub mod well_known;
