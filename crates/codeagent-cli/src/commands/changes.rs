//! `codeagent changes` and `codeagent affected`: differences since a commit, and the tests for
//! them.

use clap::Args;
use codeagent_render::answers;

use crate::commands::Root;
use crate::commands::ask::Unanswered;
use crate::commands::text_answer::{self, TextArgs};
use crate::output;

/// Arguments of `changes`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// BASE (compares the merge base of BASE and HEAD with the working tree), A..B or A...B
    #[arg(value_name = "RANGE", default_value = "HEAD")]
    range: String,
    #[command(flatten)]
    text: TextArgs,
}

/// Arguments of `affected`.
#[derive(Debug, Args)]
pub struct AffectedArguments {
    /// Commit, branch or tag to compare the working tree with, or a range A..B
    #[arg(long, value_name = "REF", default_value = "HEAD")]
    base: String,
}

/// Shows what differs.
pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    text_answer::print(root, &arguments.text, |index| {
        answers::changes(index, &arguments.range)
    })
}

/// Lists test files, one per line.
pub fn affected(root: &Root, arguments: &AffectedArguments) -> anyhow::Result<()> {
    let (index, staleness) = root.up_to_date_reader()?;
    let affected = answers::affected(&index, &arguments.base)
        .map_err(|error| Unanswered::new(error, staleness))?;
    if root.json {
        return output::json(&answers::affected_json(&affected));
    }
    if let Some(path) = &affected.all_because {
        output::note(&format!(
            "all test files are listed, because {path} differs"
        ));
    }
    output::lines(affected.paths().into_iter().map(str::to_owned))
}
