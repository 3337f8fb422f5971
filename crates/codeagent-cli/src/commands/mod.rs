//! Which commands are there? One file each: arguments, one call into the engine, printing.

mod callees;
mod callers;
mod debug;
mod export;
mod implementations;
mod index;
mod mcp;
mod neighbors;
mod outline;
mod references;
mod search;
mod status;
mod symbol;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Parser, Subcommand};
use codeagent_core::engine::Answers;
use codeagent_core::store::{self, StoreError};
use codeagent_workspace::DataHome;

/// Answers questions about a C# or TypeScript repository: where a symbol is, who calls it, what implements it.
#[derive(Debug, Parser)]
#[command(version, about)]
pub struct Cli {
    /// Root of the repository; default: the git work tree around the working folder
    #[arg(long, global = true, value_name = "FOLDER")]
    root: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read what changed since the last time and update the index
    Index(index::Arguments),
    /// Show what is indexed and how much of it was understood
    Status(Format),
    /// Find symbols by words, best first
    Search(search::Arguments),
    /// Show all about one symbol
    Symbol(OfSymbol),
    /// List the symbols of a file
    Outline(outline::Arguments),
    /// Show who calls a symbol
    Callers(OfSymbol),
    /// Show what a symbol calls
    Callees(OfSymbol),
    /// Show what implements, derives from or overrides a symbol
    Implementations(OfSymbol),
    /// Show every use of a symbol
    References(OfSymbol),
    /// Write the whole graph as tables
    Export(export::Arguments),
    /// Show what the engine makes of a file or a line
    #[command(hide = true)]
    Debug(debug::Arguments),
    /// Serve all tools to an MCP client over standard input and output
    Mcp,
}

/// How to print.
#[derive(Clone, Copy, Debug, Args)]
pub struct Format {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A question about one symbol.
#[derive(Debug, Args)]
pub struct OfSymbol {
    /// Qualified name, the end of one, or a node id
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    format: Format,
}

/// The repository that a command is about.
#[derive(Clone, Debug)]
pub struct Root(PathBuf);

impl Root {
    #[allow(clippy::disallowed_methods, reason = "the command line is where the working folder has a meaning")]
    fn of(given: Option<PathBuf>) -> anyhow::Result<Self> {
        match given {
            Some(root) => Ok(Self(root)),
            None => Ok(Self(codeagent_workspace::find_root(&std::env::current_dir().context("there is no working folder")?))),
        }
    }

    fn answers(&self) -> anyhow::Result<Answers> {
        let answers = Answers::open(&self.0, &DataHome::default())?;
        // A first index that was interrupted leaves an empty database behind.
        if store::metadata(&answers.snapshot()?, store::SCANNED_AT)?.is_none() {
            return Err(StoreError::NotIndexed.into());
        }
        Ok(answers)
    }
}

/// Runs the command that was asked for.
pub fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let root = Root::of(cli.root)?;
    match cli.command {
        Command::Index(arguments) => return index::run(&root, arguments),
        Command::Status(format) => status::run(&root, format),
        Command::Search(arguments) => search::run(&root, arguments),
        Command::Symbol(of) => symbol::run(&root, &of),
        Command::Outline(arguments) => outline::run(&root, &arguments),
        Command::Callers(of) => callers::run(&root, &of),
        Command::Callees(of) => callees::run(&root, &of),
        Command::Implementations(of) => implementations::run(&root, &of),
        Command::References(of) => references::run(&root, &of),
        Command::Export(arguments) => export::run(&root, &arguments),
        Command::Debug(arguments) => debug::run(&root, &arguments),
        Command::Mcp => return mcp::run(&root),
    }?;
    Ok(ExitCode::SUCCESS)
}
