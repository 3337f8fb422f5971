//! A page about the index for people: `codeagent view`, and `codeagent report` for CI.
//!
//! ```text
//! browser -> codeagent-http (limits, Host, Origin, token) -> server -+-> assets: page/*
//!                                                                     +-> api/*: one query each, as JSON
//! ```
//!
//! The page (`page/src`, built into `page/app.js`) shows one symbol at a time and asks for lists
//! page by page, so its answers stay small in a repository of any size. A query waits until the
//! index has every change made before it, and is cancelled when the browser no longer wants it.
//!
//! Security: the server listens on a loopback address. Every address begins with a random token,
//! which is new for each run. The page may load nothing but its own script and style
//! (`assets::POLICY`), and writes all names, paths and source lines as text nodes.

mod api;
mod assets;
mod report;
mod repository;
mod server;

pub use report::{ReportOptions, html_report};
pub use server::{ServeError, ViewOptions, serve};
