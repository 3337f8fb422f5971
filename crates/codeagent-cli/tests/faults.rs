//! What comes of an index when the machine or the user around it misbehaves? Each test stages a row
//! of `docs/faults.md` with the command as people run it: killed, out of space, out of sight,
//! replaced, asked too much.
//!
//! `CODEAGENT_FAULTS` says how many times as often a random moment is tried as usual,
//! `CODEAGENT_SOAK` how many seconds a server is edited under.
//!
//! **Limits.** Linux. What only the superuser may do is done in namespaces of the user's own; where
//! the system has none, such a test says so.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(
    clippy::print_stdout,
    reason = "what came of each fault is worth reading"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests make the repository they ask about"
)]

#[path = "faults/branches.rs"]
mod branches;
#[path = "faults/clocks.rs"]
mod clocks;
#[path = "faults/crowds.rs"]
mod crowds;
#[path = "faults/database.rs"]
mod database;
#[path = "faults/disk.rs"]
mod disk;
#[path = "faults/killed.rs"]
mod killed;
#[path = "faults/over_http.rs"]
mod over_http;
#[path = "faults/shortage.rs"]
mod shortage;
#[path = "faults/soak.rs"]
mod soak;
#[path = "faults/support.rs"]
mod support;
#[path = "faults/watching.rs"]
mod watching;
