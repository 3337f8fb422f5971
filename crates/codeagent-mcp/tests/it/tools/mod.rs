//! Tests of the index tools, called over the protocol through an in-memory pipe.

mod ambiguous_names;
mod budget;
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
mod several_roots;
mod shop;
mod shutdown;
mod staleness;
pub mod support;
mod symbol_names;
mod symbols;
mod targets;
