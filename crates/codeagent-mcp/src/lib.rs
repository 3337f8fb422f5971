//! The tools of the engine over the Model Context Protocol.
//!
//! A request goes through `server` (protocol), `arguments` (checks), one function in `tools` (a
//! query, whose rows come from `codeagent-render`) and `answer` (what clients get), which `output`
//! describes; `error` maps every error to one of the specification's seven codes. The tools of the
//! other four profiles are in `codeagent-files`; `changed` indexes what they change. `state` is what
//! calls share, `serve` how a server starts and ends, `transport` how messages become lines, `http`
//! how it is reached over a network.

pub mod answer;
pub mod arguments;
pub mod backpressure;
mod changed;
pub mod error;
pub mod http;
mod id_seeker;
pub mod output;
mod prompts;
pub mod report;
pub mod repository;
pub mod serve;
pub mod server;
pub mod state;
pub mod tools;
pub mod transport;
