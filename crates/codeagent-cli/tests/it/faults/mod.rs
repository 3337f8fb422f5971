//! Fault tests of the command: killed processes, full disks, damaged indexes, exhausted limits.
//!
//! `docs/reliability.md` lists what users can rely on. `CODEAGENT_FAULTS=N` tries N times as many
//! random moments, `CODEAGENT_SOAK=N` edits under a server for N seconds.
//!
//! Limitations: Linux only. Tests that mount something need user namespaces and say so where there
//! are none.

mod branch_switch;
mod clock_skew;
mod concurrency;
mod crash_recovery;
mod database_damage;
mod disk;
mod http_clients;
mod resource_limits;
mod soak;
pub mod support;
mod watching;
