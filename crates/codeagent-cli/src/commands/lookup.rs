//! `codeagent lookup`: the symbols of a qualified name, or of the end of one.

use clap::Args;
use codeagent_render::Page;
use codeagent_render::answers::{self, LookupQuery};

use crate::commands::ask::ask;
use crate::commands::{Root, Within};
use crate::hits::ListArgs;
use crate::output::PrintedAnswer;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Qualified name or its last segments
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    within: Within,
    /// Maximum number of results [default: all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    list: ListArgs,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let query = LookupQuery {
        name: &arguments.name,
        language: arguments.within.language(),
        project: arguments.within.project.as_deref(),
    };
    let answer = ask(root, |index| answers::lookup(index, &query, &Page::WHOLE))?;
    let form = arguments.list.form();
    PrintedAnswer::new(answer, arguments.limit)
        .print(root, |row, places| vec![form.symbol(&row.row, places)])
}
