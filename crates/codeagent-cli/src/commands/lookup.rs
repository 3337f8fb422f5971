//! `codeagent lookup`: the symbols of a qualified name, or of the end of one.

use clap::Args;
use codeagent_core::model::graph::Language;

use crate::commands::Root;
use crate::commands::ask::{Question, ask};
use crate::output::{Answered, symbol};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Qualified name, or the end of one
    #[arg(value_name = "NAME")]
    name: String,
    /// Only symbols of this language: csharp, typescript
    #[arg(long, value_parser = |text: &str| Language::parse(text).ok_or("no such language"))]
    language: Option<Language>,
    /// Only symbols of this project: the path of its project file
    #[arg(long)]
    project: Option<String>,
    /// Most results; all of them if it is left out
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

pub fn run(root: &Root, arguments: Arguments) -> anyhow::Result<()> {
    let question = Question::default().with("qualified_name", arguments.name);
    let question = question.maybe("language", arguments.language.map(Language::as_str)).maybe("project_id", arguments.project);
    let answer = ask(root, "lookup_symbol", question)?;
    Answered::new(answer, arguments.limit).print(root, |row, place| vec![symbol(row, place)])
}
