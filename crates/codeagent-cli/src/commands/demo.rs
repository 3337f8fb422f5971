//! `codeagent demo`: answers a question about a small shop that is embedded in the program, so that
//! there is nothing to clone.

#![allow(
    clippy::disallowed_methods,
    reason = "writes an example repository into a folder of its own"
)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};
use clap::Args;
use codeagent_workspace::make_own_folder;

use crate::error::Usage;
use crate::output;

/// Paths and contents of the shop's files.
const SHOP: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/shop.rs"));

const INTRODUCTION: &str = "\
A small shop in C# and TypeScript. Three of its methods are named Place, and grep finds six lines with
`Place(`. Who calls which of the three?";

const INDEX: &[&str] = &["index"];

/// The commands that are run in the shop.
const COMMANDS: [&[&str]; 3] = [
    &["callers", "IOrderService.Place"],
    &["callers", "OrderService.Place"],
    &["callers", "Order.Place"],
];

#[derive(Debug, Args)]
pub struct Arguments {
    /// Keep the shop in this new folder [default: a temporary folder, removed afterwards]
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if let Some(folder) = &arguments.folder {
        if folder.symlink_metadata().is_ok() {
            bail!(Usage(format!(
                "{} exists; name a new folder",
                folder.display()
            )));
        }
        write(folder).with_context(|| format!("{} cannot be written", folder.display()))?;
        answer(folder, None)?;
        return output::lines([
            String::new(),
            format!("The shop is in {}.", folder.display()),
        ]);
    }

    let outer = std::env::temp_dir().join(format!("codeagent-demo-{}", std::process::id()));
    ensure!(
        outer.symlink_metadata().is_err(),
        "{} exists; remove it",
        outer.display()
    );
    make_own_folder(&outer).with_context(|| format!("{} cannot be made", outer.display()))?;
    let done = write(&outer.join("shop"))
        .map_err(Into::into)
        .and_then(|()| answer(&outer.join("shop"), Some(&outer.join("indexes"))));
    fs::remove_dir_all(&outer).ok();
    done?;

    output::lines([
        "",
        "`codeagent demo FOLDER` keeps the shop. In your own repository, begin with `codeagent index`.",
    ])
}

fn write(folder: &Path) -> io::Result<()> {
    for (path, content) in SHOP {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, content)?;
    }
    Ok(())
}

/// Prints each command, runs it in the shop and lets it print its answer.
fn answer(shop: &Path, indexes: Option<&Path>) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("the path of this command is not known")?;
    let run = |arguments: &[&str], more: &[&str]| {
        let mut command = Command::new(&program);
        command.args(arguments).args(more).current_dir(shop);
        if let Some(indexes) = indexes {
            command.env("CODEAGENT_DATA_DIR", indexes);
        }
        if arguments == INDEX {
            command.stdout(Stdio::null());
        }
        let status = command.status().context("codeagent cannot be run")?;
        ensure!(
            status.success(),
            "`codeagent {}` failed",
            arguments.join(" ")
        );
        Ok(())
    };

    output::lines(INTRODUCTION.lines().map(str::to_owned))?;
    run(INDEX, &["--root", "."])?;
    for arguments in COMMANDS {
        output::lines([
            String::new(),
            format!("$ codeagent {}", arguments.join(" ")),
        ])?;
        run(arguments, &["--heading", "--root", "."])?;
    }
    Ok(())
}
