//! `codeagent search`: symbols by name or description, best match first.

use clap::Args;
use clap::builder::PossibleValuesParser;
use codeagent_core::model::graph::NodeType;

use crate::commands::ask::{Question, ask};
use crate::commands::{Root, Within};
use crate::output::{Answered, symbol};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Words of the name, container, signature or documentation; Auth* finds beginnings, HCF
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
}

pub fn run(root: &Root, arguments: Arguments) -> anyhow::Result<()> {
    let question = Question::default()
        .with("query", arguments.words.join(" "))
        .with("limit", arguments.limit);
    let question = arguments
        .within
        .question(question.maybe("node_type", arguments.node_type));
    let answer = ask(root, "search_symbols", question)?;
    Answered::new(answer, None).print(root, |row, place| vec![symbol(row, place)])
}
