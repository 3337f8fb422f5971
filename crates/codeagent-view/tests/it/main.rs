//! The page over HTTP, about a copy of `tests/shop`. `page/test` drives it in a browser.

#![allow(clippy::unwrap_used, reason = "a failing step fails the test")]

mod answers;
mod server;
mod settings;
