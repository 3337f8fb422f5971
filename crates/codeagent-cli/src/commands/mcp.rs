//! `codeagent mcp`: all tools for an MCP client over standard input and output.

use std::process::ExitCode;

use codeagent_mcp::serve::{Ended, serve_stdio};

use crate::commands::Root;
use crate::exit;

pub fn run(root: &Root) -> anyhow::Result<ExitCode> {
    Ok(match serve_stdio(&root.folder)? {
        Ended::HungUp => ExitCode::SUCCESS,
        Ended::Stopped => exit::INTERRUPTED.into(),
    })
}
