//! Integration tests of the server, in one program: the index tools, the file tools, and the
//! protocol's conformance suite.

#![allow(clippy::unwrap_used, reason = "a failing step fails the test")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests make the repositories that they serve"
)]

mod conformance;
#[cfg(unix)]
mod listed_tools;
mod malformed_messages;
#[cfg(unix)]
mod profiles;
mod tools;
