//! What does a client get to see? Each tool is called over the protocol, through a pipe in memory.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests make the repository they ask about"
)]

mod compact;
mod documentation;
mod draining;
mod errors;
mod filesystem;
mod honest;
mod http;
#[path = "../lines.rs"]
mod lines;
mod meant;
mod models;
mod names;
mod pages;
mod protocol;
mod schema;
mod shop;
mod stale;
mod support;
mod symbols;
