//! `codeagent report`: what was understood and what changed, as a file for CI.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use codeagent_render::staleness_text;
use codeagent_view::{ReportOptions, html_report};

use crate::commands::Root;
use crate::commands::ask::Unanswered;
use crate::output;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The HTML file to write
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
    /// Also show what changed since this commit, or in this range (A..B)
    #[arg(long, value_name = "COMMIT")]
    base: Option<String>,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let (index, staleness) = root.up_to_date_reader()?;
    let folder = index.workspace().root().file_name();
    let title = folder.map_or_else(|| "repository".into(), |name| name.to_string_lossy());
    let options = ReportOptions {
        title: &title,
        base: arguments.base.as_deref(),
    };
    let page = match html_report(&index, &options) {
        Ok(page) => page,
        Err(error) => return Err(Unanswered::new(error, staleness).into()),
    };

    let path = &arguments.html;
    codeagent_workspace::write_output(path, &page)
        .with_context(|| format!("cannot write {}", path.display()))?;
    let written = path.display().to_string();
    if root.json {
        return output::json(&serde_json::json!({ "results": [written], "notes": [] }));
    }
    output::lines([written])?;
    if !staleness.is_none() {
        output::note(&staleness_text(&staleness));
    }
    Ok(())
}
