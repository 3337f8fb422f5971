//! `codeagent search`: symbols by name or description, best match first.

use clap::Args;
use clap::builder::PossibleValuesParser;
use codeagent_core::model::graph::NodeType;
use codeagent_core::query::{SearchFilter, SearchQuery};
use codeagent_render::answers;

use crate::commands::ask::ask;
use crate::commands::{Root, Within};
use crate::hits::ListArgs;
use crate::output::PrintedAnswer;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Words of the name, container, signature or documentation; Auth* matches prefixes, HCF
    /// initials
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
    /// Only symbols of this type
    #[arg(long = "type", value_name = "TYPE", value_parser = PossibleValuesParser::new(NodeType::NAMES.iter().map(|(name, _)| *name)))]
    node_type: Option<String>,
    #[command(flatten)]
    within: Within,
    /// Maximum number of results
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=50))]
    limit: u32,
    #[command(flatten)]
    list: ListArgs,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let filter = SearchFilter {
        project: arguments.within.project.clone(),
        node_type: arguments.node_type.as_deref().and_then(NodeType::parse),
        language: arguments.within.language(),
    };
    let query = SearchQuery {
        text: &arguments.words.join(" "),
        filter: &filter,
        limit: arguments.limit as usize,
    };
    let answer = ask(root, |index| answers::search(index, &query))?;
    let form = arguments.list.form();
    PrintedAnswer::new(answer, None).print(root, |row, places| vec![form.symbol(&row.row, places)])
}
