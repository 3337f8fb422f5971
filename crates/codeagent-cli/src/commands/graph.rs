//! `codeagent impact`, `path` and `overview`: queries about the graph, answered in one text or as a
//! diagram.

use anyhow::bail;
use clap::{Args, ValueEnum};
use codeagent_core::engine::IndexReader;
use codeagent_core::query::MAX_IMPACT_DEPTH;
use codeagent_render::answers::{self, AnswerError, IMPACT_DEPTH};
use codeagent_render::text::Document;
use codeagent_render::{Diagram, DiagramFormat, staleness_text};

use crate::commands::Root;
use crate::commands::ask::Unanswered;
use crate::commands::text_answer::{TextArgs, print};
use crate::error::Usage;
use crate::output;

/// The form of an answer.
#[derive(Debug, Args)]
struct FormArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    format: AnswerFormat,
    #[command(flatten)]
    text: TextArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum AnswerFormat {
    /// Lines to read
    Text,
    /// A Mermaid flowchart
    Mermaid,
    /// A Graphviz graph
    Dot,
}

#[derive(Debug, Args)]
pub struct ImpactArguments {
    /// Names or their last segments (Cart.Total, Cart.*), FILE:LINE, files or folders, or a git
    /// range (main..HEAD)
    #[arg(value_name = "TARGET", required = true)]
    targets: Vec<String>,
    /// Maximum number of steps to follow
    #[arg(long, value_name = "N", default_value_t = IMPACT_DEPTH as u32, value_parser = clap::value_parser!(u32).range(1..=MAX_IMPACT_DEPTH as i64))]
    depth: u32,
    #[command(flatten)]
    form: FormArgs,
}

#[derive(Debug, Args)]
pub struct PathArguments {
    /// Start of the path: a name, its last segments, or FILE:LINE
    from: String,
    /// End of the path
    to: String,
    #[command(flatten)]
    form: FormArgs,
}

#[derive(Debug, Args)]
pub struct OverviewArguments {
    /// A folder or project [default: the whole repository]
    path: Option<String>,
    #[command(flatten)]
    form: FormArgs,
}

pub fn impact(root: &Root, arguments: &ImpactArguments) -> anyhow::Result<()> {
    let targets = arguments.targets.join(" ");
    let depth = arguments.depth as usize;
    answer(
        root,
        &arguments.form,
        |index| answers::impact(index, &targets, depth),
        |index| answers::impact_diagram(index, &targets, depth),
    )
}

pub fn path(root: &Root, arguments: &PathArguments) -> anyhow::Result<()> {
    let (from, to) = (&arguments.from, &arguments.to);
    answer(
        root,
        &arguments.form,
        |index| answers::path(index, from, to),
        |index| answers::path_diagram(index, from, to),
    )
}

pub fn overview(root: &Root, arguments: &OverviewArguments) -> anyhow::Result<()> {
    let path = arguments.path.as_deref();
    answer(
        root,
        &arguments.form,
        |index| answers::overview(index, path),
        |index| answers::overview_diagram(index, path),
    )
}

fn answer(
    root: &Root,
    form: &FormArgs,
    text: impl FnOnce(&IndexReader) -> Result<Document, AnswerError>,
    diagram: impl FnOnce(&IndexReader) -> Result<Diagram, AnswerError>,
) -> anyhow::Result<()> {
    let format = match form.format {
        AnswerFormat::Text => return print(root, &form.text, text),
        AnswerFormat::Mermaid => DiagramFormat::Mermaid,
        AnswerFormat::Dot => DiagramFormat::Dot,
    };
    if root.json {
        bail!(Usage(
            "--format: a diagram is not JSON; omit --json or --format".to_owned()
        ));
    }

    let (index, staleness) = root.up_to_date_reader()?;
    let diagram = match diagram(&index) {
        Ok(diagram) => diagram,
        Err(error) => return Err(Unanswered::new(error, staleness).into()),
    };
    output::lines(diagram.render(format).lines())?;
    diagram.notes.iter().for_each(|note| output::note(note));
    if !staleness.is_none() {
        output::note(&staleness_text(&staleness));
    }
    Ok(())
}
