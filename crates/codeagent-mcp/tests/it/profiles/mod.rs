//! Tests of the four file-tool profiles, called over the protocol through an in-memory pipe.

mod assistant;
mod exec;
mod file_contents;
mod hostile_inputs;
mod indexing;
mod large_repositories;
mod local;
mod local_answers;
mod parameters;
mod patch;
mod paths;
mod special_files;
pub mod support;
mod wire_format;
mod workspace;
