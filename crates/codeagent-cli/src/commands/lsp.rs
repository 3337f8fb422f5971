//! `codeagent lsp`: serves an editor over standard input and output.

use std::process::ExitCode;

use clap::Args;
use codeagent_lsp::{ServerOptions, serve_stdio};
use codeagent_workspace::{DataRoot, check_addresses};

use crate::commands::{Root, Threads, model};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Ignored: the server always uses standard input and output
    #[arg(long)]
    stdio: bool,
    #[command(flatten)]
    threads: Threads,
}

pub fn run(root: &Root, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let named = root.is_named.then(|| root.folder.clone());
    if root.is_named {
        root.check()?;
    } else {
        check_addresses()?;
    }

    let options = ServerOptions {
        home: DataRoot::default(),
        threads: arguments.threads.number(),
        model: model::source(),
        root: named,
        fallback: Some(root.folder.clone()),
    };
    serve_stdio(options)?;
    Ok(ExitCode::SUCCESS)
}
