//! `codeagent install CLIENT` and `codeagent uninstall CLIENT`: add codeagent to a client's MCP
//! servers, or remove it. Without a client, both list the clients on this machine and offer to
//! change them.
//!
//! Limitations: other settings of clients (hooks, instructions, skills) are not changed.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use clap::builder::PossibleValuesParser;
use codeagent_core::service::{Role, ipc};
use codeagent_workspace::DataRoot;
use serde_json::json;

use crate::clients::{CLIENTS, Change, Client, EntryState};
use crate::commands::Root;
use crate::commands::daemon::ENDING;
use crate::error::message;
use crate::output;

/// Argument for every client that is found.
const ALL: &str = "all";

#[derive(Debug, Args)]
pub struct Arguments {
    /// Client to configure, or `all` for every client found [default: list the clients and ask]
    #[arg(value_name = "CLIENT", value_parser = PossibleValuesParser::new(names()))]
    client: Option<String>,
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

    let Some(asked) = asked(root, arguments, "install", program)? else {
        return Ok(());
    };
    each(root, arguments, &asked, Vec::new(), |client| {
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
    let Some(asked) = asked(root, arguments, "uninstall", "")? else {
        return Ok(());
    };

    let is_all = arguments.client.as_deref() == Some(ALL);
    let stopped = if is_all || are_the_last(&asked) {
        stop_daemons(arguments.dry_run)?
    } else {
        Vec::new()
    };
    each(root, arguments, &asked, stopped, |client| {
        client.uninstall(arguments.dry_run)
    })
}

/// Returns the clients to change. If none is named, lists those on this machine and asks; `None`
/// if that is all.
fn asked(
    root: &Root,
    arguments: &Arguments,
    command: &str,
    program: &str,
) -> anyhow::Result<Option<Vec<&'static Client>>> {
    if let Some(name) = &arguments.client {
        let is_asked = |client: &&Client| name == client.name || name == ALL && client.is_present();
        let asked: Vec<&Client> = CLIENTS.iter().filter(is_asked).collect();
        if asked.is_empty() {
            output::note(&format!(
                "no supported client found on this machine; `codeagent {command} --help` lists them"
            ));
        }
        return Ok(Some(asked));
    }

    let found: Vec<(&Client, EntryState)> = CLIENTS
        .iter()
        .filter(|client| client.is_present())
        .map(|client| (client, client.state(program).unwrap_or(EntryState::Other)))
        .collect();
    let lines: Vec<String> = found
        .iter()
        .map(|(client, state)| format!("{}: {}", client.name, state_text(*state, command)))
        .collect();
    if root.json {
        output::json(&json!({ "results": lines, "notes": [] }))?;
        return Ok(None);
    }

    output::lines(lines)?;
    let is_open = |state: EntryState| match command {
        "install" => state != EntryState::Known,
        _ => state != EntryState::Unknown,
    };
    let open: Vec<&Client> = found
        .into_iter()
        .filter(|(_, state)| is_open(*state))
        .map(|(client, _)| client)
        .collect();
    if open.is_empty() {
        output::note(&format!(
            "nothing to {command}; `codeagent {command} --help` lists the supported clients"
        ));
        return Ok(None);
    }

    let names: Vec<&str> = open.iter().map(|client| client.name).collect();
    let names = names.join(", ");
    if arguments.dry_run {
        return Ok(Some(open));
    }
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        output::note(&format!(
            "`codeagent {command} all` changes {names}; or name one of them"
        ));
        return Ok(None);
    }
    Ok(agreed(&format!("{command} codeagent in {names}? [y/N] "))?.then_some(open))
}

fn state_text(state: EntryState, command: &str) -> &'static str {
    match state {
        EntryState::Unknown => "not set up",
        EntryState::Known => "set up",
        // For `uninstall`, it does not matter which program the entry starts.
        EntryState::Other if command == "uninstall" => "set up",
        EntryState::Other => "set up for another program, or its settings cannot be read",
    }
}

/// Asks on the terminal.
fn agreed(question: &str) -> anyhow::Result<bool> {
    let mut err = std::io::stderr();
    write!(err, "{question}")?;
    err.flush()?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Reports whether these clients, and no others, have codeagent: without them, nothing needs the
/// daemons.
fn are_the_last(asked: &[&Client]) -> bool {
    let is_set_up = |client: &Client| !matches!(client.state(""), Ok(EntryState::Unknown));
    let is_asked = |client: &Client| asked.iter().any(|other| other.name == client.name);
    let mut set_up = CLIENTS.iter().filter(|client| is_set_up(client)).peekable();
    set_up.peek().is_some() && set_up.all(is_asked)
}

fn stop_daemons(dry: bool) -> anyhow::Result<Vec<String>> {
    let mut printed = Vec::new();
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
        printed.push(format!(
            "{word} the daemon of {} (process {})",
            data.root().display(),
            keeping.process
        ));
    }

    Ok(printed)
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
    asked: &[&Client],
    mut printed: Vec<String>,
    change: impl Fn(&Client) -> anyhow::Result<Change>,
) -> anyhow::Result<()> {
    let mut failed = None;
    for client in asked {
        match change(client) {
            Ok(change) => printed.extend(change_lines(client, &change, arguments.dry_run)),
            // A failure does not keep the other clients from being configured.
            Err(error) => {
                if let Some(before) = failed.replace(error.context(client.name)) {
                    output::note(&message(&before));
                }
            }
        }
    }

    if root.json {
        output::json(&json!({ "results": printed, "notes": [] }))?;
    } else {
        output::lines(printed)?;
    }

    failed.map_or(Ok(()), Err)
}

fn change_lines(client: &Client, change: &Change, dry: bool) -> Vec<String> {
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
