//! File tools for agents: four tool contracts over one repository, and sandboxed execution of
//! commands.
//!
//! `assistant` reads, `patch` and `workspace` read, write and (if allowed) run commands, `local`
//! searches. Each contract has a module with the table of its tools. [`tool`] describes a row;
//! [`error`] lists the errors, which each contract words in its own way. [`ToolSet`] lists and
//! calls the tools of one profile. [`exec`] runs commands in a sandbox.
//!
//! The crate depends on `codeagent-workspace` and on the protocol's types, but neither on a server
//! nor on an index. `codeagent-mcp` serves these tools and indexes the paths that a call changed.
//! [`arguments`] is in this crate because both crates describe and check parameters with it.
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
