//! What does a client of the other four profiles get to see? Each tool is called over the protocol,
//! through a pipe in memory.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests make the repository they ask about"
)]
#![cfg(unix)]

mod assistant;
mod breakout;
mod crowded;
mod exec;
mod faults;
mod hostile;
mod indexed;
mod limits;
#[path = "../lines.rs"]
mod lines;
mod local;
mod local_answers;
mod patch;
mod paths;
mod printed_schemas;
mod raw;
mod special;
mod support;
mod texts;
mod workspace;
