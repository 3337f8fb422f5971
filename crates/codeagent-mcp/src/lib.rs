//! The tools of the engine over the Model Context Protocol. The only crate in which an answer becomes JSON.
//!
//! A request goes through `server` (protocol), `arguments` (checks), one function in `tools` (a question to the engine) and `answer`
//! (what clients get to see); `error` maps every error to one of the specification's seven codes.

pub mod answer;
pub mod arguments;
pub mod error;
pub mod server;
pub mod state;
pub mod tools;
