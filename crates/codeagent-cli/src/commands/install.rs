//! `codeagent install CLIENT` and `codeagent uninstall CLIENT`: add codeagent to a client's MCP
//! servers, or remove it.
//!
//! Limitations: other settings of clients (hooks, instructions, skills) are not changed.

use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use clap::builder::PossibleValuesParser;
use codeagent_core::service::{Role, ipc};
use codeagent_workspace::DataRoot;
use serde_json::json;

use crate::clients::{CLIENTS, Change, Client};
use crate::commands::Root;
use crate::commands::daemon::ENDING;
use crate::error::message;
use crate::output;

/// Argument for every client that is found.
const ALL: &str = "all";

#[derive(Debug, Args)]
pub struct Arguments {
    /// Client to configure, or `all` for every client found on this machine
    #[arg(value_name = "CLIENT", value_parser = PossibleValuesParser::new(names()))]
    client: String,
    /// Print the changes without making them
    #[arg(long)]
    dry_run: bool,
}

fn names() -> Vec<&'static str> {
    CLIENTS
        .iter()
        .map(|client| client.name)
        .chain([ALL])
        .collect()
}

pub fn install(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let program =
        std::env::current_exe().context("the path of the codeagent executable is unknown")?;
    let program = program
        .to_str()
        .context("the path of the codeagent executable is not valid Unicode")?;
    if is_passing(Path::new(program)) {
        output::note(&format!(
            "{program} is in a cache that may be cleared; install codeagent permanently first"
        ));
    }

    each(root, arguments, Vec::new(), |client| {
        let change = client.install(program, arguments.dry_run)?;
        if let Ok(Some(kept)) = client.own_choice() {
            output::note(&format!(
                "{}: its arguments were changed by hand and are kept ({kept}); new entries have: \
                 mcp --profile agent",
                client.name
            ));
        }
        Ok(change)
    })
}

pub fn uninstall(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let stopped = if arguments.client == ALL {
        stop_daemons(arguments.dry_run)?
    } else {
        Vec::new()
    };
    each(root, arguments, stopped, |client| {
        client.uninstall(arguments.dry_run)
    })
}

fn stop_daemons(dry: bool) -> anyhow::Result<Vec<String>> {
    let mut said = Vec::new();
    for data in DataRoot::default().data_dirs()?.known {
        let Ok(keeping) = ipc::writer_info(&data) else {
            continue;
        };
        if keeping.role != Role::Daemon {
            continue;
        }

        if !dry && let Err(error) = ipc::request_shutdown(&data, ENDING) {
            output::note(&format!(
                "the daemon of {} (process {}) was not stopped: {error}",
                data.root().display(),
                keeping.process
            ));
            continue;
        }

        let word = if dry { "would stop" } else { "stopped" };
        said.push(format!(
            "{word} the daemon of {} (process {})",
            data.root().display(),
            keeping.process
        ));
    }

    Ok(said)
}

/// Reports whether a program is in a folder of one-time runs by `npx` or `uvx`.
fn is_passing(program: &Path) -> bool {
    program.components().any(|part| {
        matches!(
            part.as_os_str().to_str(),
            Some("_npx" | ".cache" | "uv-cache")
        )
    })
}

fn each(
    root: &Root,
    arguments: &Arguments,
    mut said: Vec<String>,
    change: impl Fn(&Client) -> anyhow::Result<Change>,
) -> anyhow::Result<()> {
    let is_asked = |client: &&Client| {
        arguments.client == client.name || arguments.client == ALL && client.is_present()
    };
    let asked: Vec<&Client> = CLIENTS.iter().filter(is_asked).collect();
    if asked.is_empty() {
        output::note("no supported client found; name one to configure it anyway");
    }

    let mut failed = None;
    for client in asked {
        match change(client) {
            Ok(change) => said.extend(told(client, &change, arguments.dry_run)),
            // A failure does not keep the other clients from being configured.
            Err(error) => {
                if let Some(before) = failed.replace(error.context(client.name)) {
                    output::note(&message(&before));
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
            std::iter::once(format!("{}: {would} {}", client.name, path.display()))
                .chain(diff.lines().map(str::to_owned))
                .collect()
        }
        Change::Commands(commands) => {
            let word = if dry { "would run" } else { "ran" };
            commands
                .iter()
                .map(|command| format!("{}: {word} {command}", client.name))
                .collect()
        }
    }
}
