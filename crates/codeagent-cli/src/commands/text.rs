//! `codeagent text`: a text search, as the tool `search_text` answers it.

use clap::Args;
use codeagent_core::query::TextSearchQuery;
use codeagent_core::service::Staleness;
use codeagent_render::answers;

use crate::commands::Root;
use crate::commands::ask::Unanswered;
use crate::commands::text_answer::{self, TextArgs};

/// Arguments of a text search.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Text to find, case-sensitive
    #[arg(value_name = "PATTERN")]
    pattern: String,
    /// Treat the pattern as a regular expression, as ripgrep does
    #[arg(long)]
    regex: bool,
    /// Ignore case
    #[arg(short, long)]
    ignore_case: bool,
    /// Search only this file or folder, or files that match a glob (*, **)
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Search only string literals that are one word: routes, events, keys, settings
    #[arg(long)]
    literals: bool,
    #[command(flatten)]
    text: TextArgs,
}

/// Searches the text on disk. Only the files with matches are compared with the index, so no look
/// for changes comes first.
pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let query = TextSearchQuery {
        pattern: &arguments.pattern,
        is_regex: arguments.regex,
        ignore_case: arguments.ignore_case,
        path: arguments.path.as_deref(),
        literals: arguments.literals,
    };
    let index = root.answers()?;
    let document = answers::text(&index, &query)
        .map_err(|error| Unanswered::new(error, Staleness::default()))?;
    text_answer::show(root, &arguments.text, document)
}
