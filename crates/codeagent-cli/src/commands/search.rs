//! `codeagent search`: symbols by words, best first.

use clap::Args;
use codeagent_core::model::graph::{Language, NodeType};

use crate::commands::Root;
use crate::commands::ask::{Question, ask};
use crate::output::{Answered, symbol};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Words of the name, container, signature or documentation; `Auth*` for a beginning, `HCF` for initials
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
    /// Only symbols of this type: class, method, interface, property, component, file, module, type, constructor
    #[arg(long = "type", value_name = "TYPE", value_parser = |text: &str| NodeType::parse(text).ok_or("no such type"))]
    node_type: Option<NodeType>,
    /// Only symbols of this language: csharp, typescript
    #[arg(long, value_parser = |text: &str| Language::parse(text).ok_or("no such language"))]
    language: Option<Language>,
    /// Only symbols of this project: the path of its project file
    #[arg(long)]
    project: Option<String>,
    /// Most results
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=50))]
    limit: u32,
}

pub fn run(root: &Root, arguments: Arguments) -> anyhow::Result<()> {
    let question = Question::default().with("query", arguments.words.join(" ")).with("limit", arguments.limit);
    let question = question.maybe("node_type", arguments.node_type.map(NodeType::as_str)).maybe("project_id", arguments.project);
    let answer = ask(root, "search_symbols", question.maybe("language", arguments.language.map(Language::as_str)))?;
    Answered::new(answer, None).print(root, |row, place| vec![symbol(row, place)])
}
