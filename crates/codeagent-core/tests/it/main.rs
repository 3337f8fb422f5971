//! Tests of the engine from outside.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod nodes;
