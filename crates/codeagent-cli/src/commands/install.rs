//! `codeagent install CLIENT` and `codeagent uninstall CLIENT`: makes the clients of this machine know the server, or forget it.
//!
//! **Limits.** What clients have of their own beside servers (hooks, instructions, skills) is not touched.

use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::json;

use crate::clients::{CLIENTS, Change, Client};
use crate::commands::Root;
use crate::error::told as told_error;
use crate::output;

/// Every client that is here.
const ALL: &str = "all";

#[derive(Debug, Args)]
pub struct Arguments {
    /// Which client; `all`: every one found on this machine
    #[arg(value_name = "CLIENT", value_parser = PossibleValuesParser::new(names()))]
    client: String,
    /// Say what would be changed and change nothing
    #[arg(long)]
    dry_run: bool,
}

fn names() -> Vec<&'static str> {
    CLIENTS.iter().map(|client| client.name).chain([ALL]).collect()
}

pub fn install(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("the path of this command is not known")?;
    let program = program.to_str().context("the path of this command is no Unicode")?;
    if is_passing(Path::new(program)) {
        output::note(&format!("{program} lies in a cache, which may be emptied; install codeagent for good first"));
    }
    each(root, arguments, |client| client.install(program, arguments.dry_run))
}

pub fn uninstall(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    each(root, arguments, |client| client.uninstall(arguments.dry_run))
}

/// Whether a program lies where `npx` and `uvx` put what they run once.
fn is_passing(program: &Path) -> bool {
    program.components().any(|part| matches!(part.as_os_str().to_str(), Some("_npx" | ".cache" | "uv-cache")))
}

fn each(root: &Root, arguments: &Arguments, change: impl Fn(&Client) -> anyhow::Result<Change>) -> anyhow::Result<()> {
    let is_asked = |client: &&Client| arguments.client == client.name || arguments.client == ALL && client.is_present();
    let asked: Vec<&Client> = CLIENTS.iter().filter(is_asked).collect();
    if asked.is_empty() {
        output::note("no client that we know is on this machine; name one to set it up all the same");
    }
    let (mut said, mut failed) = (Vec::new(), None);
    for client in asked {
        match change(client) {
            Ok(change) => said.extend(told(client, &change, arguments.dry_run)),
            // The others are set up all the same.
            Err(error) => {
                if let Some(before) = failed.replace(error.context(client.name)) {
                    output::note(&told_error(&before));
                }
            }
        }
    }
    if root.json {
        output::json(&json!({ "results": said, "notes": [] }))?;
    } else {
        output::lines(said)?;
    }
    failed.map_or(Ok(()), Err)
}

fn told(client: &Client, change: &Change, dry: bool) -> Vec<String> {
    let would = if dry { "would change" } else { "changed" };
    match change {
        Change::None => vec![format!("{}: nothing to change", client.name)],
        Change::File(path, diff) => {
            std::iter::once(format!("{}: {would} {}", client.name, path.display())).chain(diff.lines().map(str::to_owned)).collect()
        }
        Change::Commands(commands) => {
            let word = if dry { "would run" } else { "ran" };
            commands.iter().map(|command| format!("{}: {word} {command}", client.name)).collect()
        }
    }
}
