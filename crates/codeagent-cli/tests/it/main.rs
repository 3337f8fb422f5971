//! Integration tests of the `codeagent` command, in one program, run as people and clients run it.

#![allow(clippy::unwrap_used, reason = "a failing step fails the test")]
#![allow(
    clippy::disallowed_methods,
    reason = "tests make the repositories that they ask about"
)]
#![allow(
    clippy::print_stdout,
    reason = "the course of a fault is worth reading"
)]

mod commands;
#[cfg(unix)]
mod damaged_index;
#[cfg(unix)]
mod docs;
#[cfg(target_os = "linux")]
mod editor_and_tools;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod hostile_inputs;
#[cfg(unix)]
mod http;
#[cfg(unix)]
mod install;
mod packaging;
#[cfg(unix)]
mod profiles;
mod readme;
mod shop;
mod snapshots;
