//! `codeagent search`: symbols by words, best first.

use clap::Args;
use codeagent_core::model::graph::{Language, NodeType};
use codeagent_core::query::{self, SearchFilter};
use codeagent_mcp::wire::RankedRow;

use crate::commands::{Format, Root};
use crate::output;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Words of the name, container, signature or documentation; `Auth*` for a beginning, `HCF` for initials
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
    /// Only symbols of this type: class, method, interface, property, component, file, module, type, constructor
    #[arg(long = "type", value_parser = |text: &str| NodeType::parse(text).ok_or("no such type"))]
    node_type: Option<NodeType>,
    /// Only symbols of this language: csharp, typescript
    #[arg(long, value_parser = |text: &str| Language::parse(text).ok_or("no such language"))]
    language: Option<Language>,
    /// Only symbols of the project of this path
    #[arg(long)]
    project: Option<String>,
    /// Most results
    #[arg(long, default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    format: Format,
}

pub fn run(root: &Root, arguments: Arguments) -> anyhow::Result<()> {
    let answers = root.answers()?;
    let filter = SearchFilter { project: arguments.project, node_type: arguments.node_type, language: arguments.language };
    let (snapshot, words) = (answers.snapshot()?, arguments.words.join(" "));
    let found = query::filter_nodes(&snapshot, &words, &filter, arguments.limit)?;
    for unread in query::unread_like(&snapshot, &words)? {
        output::note(&unread);
    }
    let rows: Vec<RankedRow> = found.hits.iter().map(|(node, rank)| RankedRow::new(node, *rank)).collect();
    if arguments.format.json {
        return output::json(&rows);
    }
    if rows.is_empty() {
        output::note("nothing matches; try other words or fewer filters");
    } else if found.some_words {
        output::note("no symbol has all of the words; these have some of them");
    }
    output::lines(rows.iter().map(|found| output::symbol(&found.row)))
}
