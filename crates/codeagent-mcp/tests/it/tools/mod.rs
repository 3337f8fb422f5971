//! The tools of the index, called over the protocol through a pipe in memory.

mod ambiguous_names;
mod callbacks;
mod compact;
mod documentation;
mod embedding_models;
mod errors;
mod filesystem;
mod http;
mod incomplete_results;
mod pagination;
mod protocol;
mod schema;
mod shop;
mod shutdown;
mod staleness;
pub mod support;
mod symbol_names;
mod symbols;
