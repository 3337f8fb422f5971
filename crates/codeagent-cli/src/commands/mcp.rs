//! `codeagent mcp`: the tools of a profile for an MCP client over standard input and output.

use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;
use codeagent_mcp::profiles::assistant::Limits;
use codeagent_mcp::profiles::{Exec, Options, Profile, ToolSet};
use codeagent_mcp::serve::{Ended, serve_stdio};

use crate::commands::Root;
use crate::exit;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Which tools to offer
    #[arg(long, value_name = "NAME", default_value = "index", value_parser = PossibleValuesParser::new(Profile::NAMES.map(|(name, _)| name)))]
    profile: String,
    /// Change no file, whatever the profile could do
    #[arg(long)]
    read_only: bool,
    /// Offer the tools that run commands, in a jail (profiles patch and workspace)
    #[arg(long)]
    allow_exec: bool,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let profile = Profile::of(&arguments.profile).unwrap_or(Profile::Index);
    let exec = if arguments.allow_exec { Exec::allowed() } else { Exec::Off };
    let limits = Limits::of(|name| std::env::var(name).ok());
    let tools = ToolSet::new(profile, Options { read_only: arguments.read_only, limits, exec });
    Ok(match serve_stdio(&root.folder, tools)? {
        Ended::HungUp => ExitCode::SUCCESS,
        Ended::Stopped => exit::INTERRUPTED.into(),
    })
}
