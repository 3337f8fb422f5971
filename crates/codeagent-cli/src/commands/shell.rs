//! `codeagent completions SHELL` and `codeagent man`: shell completions and manual pages, printed
//! to standard output.

use std::io::Write;

use clap::Args;
use clap_complete::Shell;

use crate::commands::definition;
use crate::error::Usage;

#[derive(Debug, Args)]
pub struct Completions {
    /// Shell to print completions for
    shell: Shell,
}

#[derive(Debug, Args)]
pub struct Man {
    /// Command to describe [default: codeagent itself]
    command: Option<String>,
}

pub fn completions(arguments: &Completions) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut definition(), "codeagent", &mut script);
    Ok(std::io::stdout().write_all(&script)?)
}

pub fn man(arguments: &Man) -> anyhow::Result<()> {
    let mut command = definition();
    command.build();
    if let Some(name) = &arguments.command {
        let found = command.find_subcommand(name).cloned();
        command = found
            .ok_or_else(|| {
                Usage(format!(
                    "unknown command `{name}`; `codeagent --help` lists them"
                ))
            })?
            .version(env!("CARGO_PKG_VERSION"));
    }

    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    // The only text after the options is the examples.
    let page = String::from_utf8(page)?.replace("\n.SH EXTRA\n", "\n.SH EXAMPLES\n");
    Ok(std::io::stdout().write_all(page.as_bytes())?)
}
