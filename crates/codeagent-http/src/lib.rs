//! HTTP servers for programs of the user: the MCP server's transport and the page of `codeagent
//! view`.
//!
//! A request passes `connections` (limits) and `guard` (authorization) before the server's routes
//! see it.
//!
//! Limitations: HTTP/1.1 without TLS.

mod connections;
mod cors;
mod guard;
mod process;
mod token;

pub use connections::{DRAIN, Stop, accept};
pub use guard::{Guard, MAX_BODY, TokenPlace, admit};
pub use process::{disable_core_dumps, stop_signal};
pub use token::{Token, TokenError, token_rights};
