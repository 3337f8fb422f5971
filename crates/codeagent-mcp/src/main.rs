//! The MCP server alone: `codeagent-mcp [ROOT]` is `codeagent mcp --root ROOT` without a model.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use codeagent_files::{Options, Profile, ToolSet};
use codeagent_mcp::call::ListFormat;
use codeagent_mcp::repositories::ServerRoot;
use codeagent_mcp::serve::serve_stdio;
use codeagent_mcp::state::Indexing;

fn main() -> ExitCode {
    if let Some(ended) = codeagent_files::jail_main() {
        return ended;
    }

    let root = std::env::args_os()
        .nth(1)
        .map_or_else(|| PathBuf::from("."), PathBuf::from);
    match serve_stdio(
        &ServerRoot::Named(vec![root]),
        ToolSet::new(Profile::Index, Options::default()),
        Indexing::default(),
        ListFormat::default(),
    ) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(std::io::stderr(), "codeagent-mcp: {error}").ok();
            ExitCode::FAILURE
        }
    }
}
