//! `codeagent lookup`: the symbols of a qualified name, or of the end of one.

use clap::Args;

use crate::commands::ask::{Question, ask};
use crate::commands::{Root, Within};
use crate::output::{Answered, symbol};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Qualified name, or the end of one
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    within: Within,
    /// Maximum number of results [default: all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

pub fn run(root: &Root, arguments: Arguments) -> anyhow::Result<()> {
    let question = Question::default().with("qualified_name", arguments.name);
    let answer = ask(root, "lookup_symbol", arguments.within.question(question))?;
    Answered::new(answer, arguments.limit).print(root, |row, place| vec![symbol(row, place)])
}
