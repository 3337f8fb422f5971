//! The `codeagent` command: arguments in, one call into the engine, text or JSON out.
//!
//! **Limits.** Everything that could be wanted elsewhere lives in the other crates.

mod commands;
mod exit;
mod output;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use crate::commands::Cli;

fn main() -> ExitCode {
    let filter = EnvFilter::try_from_env("CODEAGENT_LOG").unwrap_or_else(|_| EnvFilter::new(codeagent_mcp::serve::LOGGED));
    let colours = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours).with_writer(std::io::stderr).init();
    let outcome = commands::run(Cli::parse());
    outcome.unwrap_or_else(|error| {
        if !exit::is_closed_pipe(&error) {
            writeln!(anstream::stderr(), "codeagent: {}", output::told(&error)).ok();
        }
        exit::of_error(&error)
    })
}
