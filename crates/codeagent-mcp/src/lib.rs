//! The engine's tools over the Model Context Protocol.
//!
//! A request goes through `server` (protocol), `arguments` (checks), one function in `tools` (a
//! query, whose rows come from `codeagent-render`) and `answer` (the response), which `output`
//! describes. `error` maps every error to one of the specification's seven codes. The tools of the
//! other four profiles are in `codeagent-files`; `changed` indexes the files they change. `state`
//! is shared by all calls, `serve` starts and stops a server, `transport` reads and writes messages
//! as lines, and `http` serves over a network.

#![warn(missing_docs)]

pub mod answer;
pub mod arguments;
pub mod backpressure;
pub mod call;
mod changed;
pub mod error;
pub mod http;
pub mod output;
mod prompts;
pub mod report;
pub mod repositories;
mod request_id;
pub mod roots;
pub mod serve;
pub mod server;
mod several;
pub mod state;
pub mod tools;
pub mod transport;
