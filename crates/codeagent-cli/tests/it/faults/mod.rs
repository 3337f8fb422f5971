//! What comes of an index when the machine or the user around it misbehaves? Each test stages a row
//! of `docs/reliability.md` with the command as people run it: killed, out of space, out of sight,
//! replaced, asked too much.
//!
//! `CODEAGENT_FAULTS` says how many times as often a random moment is tried as usual,
//! `CODEAGENT_SOAK` how many seconds a server is edited under.
//!
//! **Limits.** Linux. What only the superuser may do is done in namespaces of the user's own; where
//! the system has none, such a test says so.

mod branch_switch;
mod clock_skew;
mod concurrency;
mod crash_recovery;
mod database_damage;
mod disk;
mod documentation;
mod http_clients;
mod resource_limits;
mod soak;
mod support;
mod watching;
