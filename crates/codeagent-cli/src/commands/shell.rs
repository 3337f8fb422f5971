//! `codeagent completions SHELL` and `codeagent man`: what shells and `man` want to know, from the same definitions as the arguments.
//!
//! **Limits.** To standard output: where it has to lie is for the user to know.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::commands::Cli;

#[derive(Debug, Args)]
pub struct Completions {
    /// Which shell
    shell: Shell,
}

#[derive(Debug, Args)]
pub struct Man {
    /// Which command; without one, codeagent itself
    command: Option<String>,
}

/// Writes the completions of a shell to standard output.
pub fn completions(arguments: &Completions) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "codeagent", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}

/// Writes a page of the manual to standard output.
pub fn man(arguments: &Man) -> anyhow::Result<()> {
    let mut command = Cli::command();
    command.build();
    if let Some(name) = &arguments.command {
        let found = command.find_subcommand(name).cloned();
        command = found.ok_or_else(|| anyhow::anyhow!("there is no command `{name}`"))?;
    }
    Ok(clap_mangen::Man::new(command).render(&mut std::io::stdout())?)
}
