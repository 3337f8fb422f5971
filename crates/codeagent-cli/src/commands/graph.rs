//! `codeagent impact`, `path` and `overview`: queries about the graph, answered in one text.

use clap::Args;
use codeagent_core::query::MAX_IMPACT_DEPTH;
use codeagent_render::answers::{self, IMPACT_DEPTH};

use crate::commands::Root;
use crate::commands::text_answer::{TextArgs, print};

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
    text: TextArgs,
}

#[derive(Debug, Args)]
pub struct PathArguments {
    /// Start of the path: a name, its last segments, or FILE:LINE
    from: String,
    /// End of the path
    to: String,
    #[command(flatten)]
    text: TextArgs,
}

#[derive(Debug, Args)]
pub struct OverviewArguments {
    /// A folder or project [default: the whole repository]
    path: Option<String>,
    #[command(flatten)]
    text: TextArgs,
}

pub fn impact(root: &Root, arguments: &ImpactArguments) -> anyhow::Result<()> {
    let targets = arguments.targets.join(" ");
    let depth = arguments.depth as usize;
    print(root, &arguments.text, |index| {
        answers::impact(index, &targets, depth)
    })
}

pub fn path(root: &Root, arguments: &PathArguments) -> anyhow::Result<()> {
    print(root, &arguments.text, |index| {
        answers::path(index, &arguments.from, &arguments.to)
    })
}

pub fn overview(root: &Root, arguments: &OverviewArguments) -> anyhow::Result<()> {
    print(root, &arguments.text, |index| {
        answers::overview(index, arguments.path.as_deref())
    })
}
