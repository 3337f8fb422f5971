//! File tools for agents: four tool contracts over one repository, and sandboxed execution of
//! commands.
//!
//! `assistant` reads, `patch` and `workspace` read, write and (if allowed) run commands, `local`
//! searches. Each contract has a folder with the table of its tools; [`tool`] describes a row,
//! [`error`] lists what can go wrong, and each contract words that in its own way. [`ToolSet`]
//! lists and calls the tools of one profile. [`exec`] runs commands in a sandbox.
//!
//! The crate knows neither a server nor an index: it depends on `codeagent-workspace` and on the
//! protocol's types. `codeagent-mcp` serves these tools and indexes the paths that a call changed.
//! [`arguments`] is here, and not in that crate, because both crates describe and check the
//! parameters of their tools with it and the dependency goes one way.
//!
//! Limitations: commands run on Linux only.

pub mod arguments;
pub mod assistant;
pub mod error;
pub mod exec;
mod line_ends;
pub mod local;
pub mod patch;
pub mod tool;
mod tool_set;
pub mod workspace;

pub use exec::{ExecError, Launcher, Outcome, Output, Policy, Request, jail_main};
pub use tool_set::{Answer, CallContext, ExecPolicy, Options, Profile, ProtocolEra, ToolSet};
