//! The `codeagent` command: arguments in, one call into the engine, text or JSON out.

mod clients;
mod commands;
mod error;
mod exit;
mod hits;
mod hyperlinks;
mod output;
mod text;

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Mutex;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use codeagent_workspace::LogFile;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

use crate::commands::Cli;

// Replaces the system allocator for C code too, namely the parsers and SQLite.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some(ended) = codeagent_files::jail_main() {
        return ended;
    }

    codeagent_memory::few_arenas();
    codeagent_workspace::survive_file_size_limit();

    let cli = match Cli::of_process() {
        Ok(cli) => cli,
        Err(error) => {
            log_to(None);
            return refuse(&error);
        }
    };

    log_to(cli.log());
    let json = cli.json;

    commands::run(cli).unwrap_or_else(|error| {
        if exit::is_closed_pipe(&error) {
            return exit::of_error(&error);
        }
        if json {
            output::json(&error::as_json(&error)).ok();
        } else {
            output::print_error(&format!("codeagent: {}", error::message(&error)));
        }
        exit::of_error(&error)
    })
}

/// Logs to a file, or to standard error if there is none.
fn log_to(file: Option<LogFile>) {
    let is_file = file.is_some();
    let colours = !is_file && std::io::stderr().is_terminal();
    let writer = file.map_or_else(
        || BoxMakeWriter::new(std::io::stderr),
        |file| BoxMakeWriter::new(Mutex::new(file)),
    );
    tracing_subscriber::fmt()
        .with_env_filter(logged(is_file))
        .with_ansi(colours)
        .with_writer(writer)
        .init();
}

/// Returns the log filter. A log file gets more, because it is read only after a problem. A
/// configured level applies to our own events: those of libraries would contain messages and files.
fn logged(is_file: bool) -> EnvFilter {
    let asked = std::env::var("CODEAGENT_LOG").unwrap_or_default();
    let asked = if asked.is_empty() && is_file {
        "info".to_owned()
    } else {
        asked
    };

    if asked.parse::<tracing::Level>().is_ok() {
        return EnvFilter::new(format!(
            "{},codeagent={asked}",
            codeagent_mcp::serve::LOGGED
        ));
    }

    let asked = Some(asked).filter(|asked| !asked.is_empty());
    asked
        .and_then(|asked| EnvFilter::try_new(asked).ok())
        .unwrap_or_else(|| EnvFilter::new(codeagent_mcp::serve::LOGGED))
}

/// Prints a command-line error or the requested help.
fn refuse(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        output::json(&error::wrong_usage(error.to_string().trim_end())).ok();
        return exit::USAGE.into();
    }

    // An argument may be a file name, completed by the shell.
    if std::env::args().any(|argument| argument.chars().any(text::acts_on_terminals))
        && error.use_stderr()
    {
        output::print_error(error.to_string().trim_end());
        return exit::USAGE.into();
    }

    // For example `codeagent index .`
    let is_folder = error.kind() == ErrorKind::UnknownArgument
        && matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(typed)) if std::path::Path::new(typed).is_dir());
    if is_folder {
        error.print().ok();
        output::print_error("help: pass the repository with `--root FOLDER`");
        return exit::USAGE.into();
    }

    error.exit()
}
