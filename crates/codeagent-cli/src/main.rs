//! The `codeagent` command: arguments in, one call into the engine, text or JSON out.
//!
//! **Limits.** Everything that could be wanted elsewhere lives in the other crates.

mod clients;
mod commands;
mod error;
mod exit;
mod output;
mod said;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use crate::commands::Cli;

fn main() -> ExitCode {
    if let Some(ended) = codeagent_workspace::jail_main() {
        return ended;
    }
    let filter = logged();
    let colours = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours).with_writer(std::io::stderr).init();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let json = cli.json;
    commands::run(cli).unwrap_or_else(|error| {
        if exit::is_closed_pipe(&error) {
            return exit::of_error(&error);
        }
        if json {
            output::json(&error::as_json(&error)).ok();
        } else {
            writeln!(anstream::stderr(), "codeagent: {}", error::told(&error)).ok();
        }
        exit::of_error(&error)
    })
}

/// What is logged. A level is meant for our own events: libraries tell the contents of messages and files at theirs.
fn logged() -> EnvFilter {
    let asked = std::env::var("CODEAGENT_LOG").unwrap_or_default();
    if asked.parse::<tracing::Level>().is_ok() {
        return EnvFilter::new(format!("{},codeagent={asked}", codeagent_mcp::serve::LOGGED));
    }
    let asked = Some(asked).filter(|asked| !asked.is_empty());
    asked.and_then(|asked| EnvFilter::try_new(asked).ok()).unwrap_or_else(|| EnvFilter::new(codeagent_mcp::serve::LOGGED))
}

/// A wrong command line, or one that asks for help.
fn refuse(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        output::json(&error::wrong_usage(error.to_string().trim_end())).ok();
        return exit::USAGE.into();
    }
    error.exit()
}
