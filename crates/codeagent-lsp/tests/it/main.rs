//! Integration tests of the language server: a client that speaks the protocol over pipes.

#![allow(clippy::unwrap_used, reason = "a failing step fails the test")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests make the repositories that they serve"
)]

mod client;
mod folders;
mod locals;
mod mutated_messages;
mod progress;
mod protocol;
mod shop;
mod unsaved;
