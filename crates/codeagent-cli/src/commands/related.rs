//! `codeagent callers`, `callees`, `implementations`, `references`, `dependencies`, `dependents`:
//! related symbols and the locations of their uses.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use codeagent_core::model::graph::{Confidence, EdgeDirection, EdgeType};
use codeagent_core::query::{Filter, Relation};
use codeagent_render::answers::{self, RelatedQuery};
use codeagent_render::{DependencyRow, NeighborRow, Page, Row, UseRow};

use crate::commands::ask::ask;
use crate::commands::{Root, SymbolArgs};
use crate::hits::ListArgs;
use crate::output::{self, PrintedAnswer};

/// Default number of levels of callers.
const TREE_DEPTH: u32 = 3;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    symbol: SymbolArgs,
    /// Maximum number of results [default: all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Maximum number of locations per result
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    sites: u32,
    /// Only results declared in this file or folder, or in files that match this glob (src/**/*.cs)
    #[arg(long, value_name = "GLOB")]
    path: Option<String>,
    /// Only results in tests, or without tests
    #[arg(long, value_name = "WHICH", value_parser = PossibleValuesParser::new([PossibleValue::new("only"), PossibleValue::new("exclude").alias("without")]))]
    tests: Option<String>,
    /// Only results of this kind or node type: class, struct, method, ..
    #[arg(long)]
    kind: Option<String>,
    /// Only results with at least this confidence
    #[arg(long, value_name = "CONFIDENCE", value_parser = ["heuristic", "inferred", "exact"])]
    min_confidence: Option<String>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Args)]
pub struct CallersArgs {
    /// Also list the callers of callers, indented
    #[arg(long)]
    tree: bool,
    /// Maximum number of levels [default: 1, with --tree 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,
    #[command(flatten)]
    arguments: Arguments,
}

#[derive(Debug, Args)]
pub struct ImplementationsArgs {
    /// Maximum number of levels [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
    #[command(flatten)]
    arguments: Arguments,
}

#[derive(Debug, Args)]
pub struct EdgeTypeArgs {
    /// Only relationships of this type
    #[arg(long = "type", value_name = "TYPE", value_parser = PossibleValuesParser::new(EdgeType::NAMES.iter().map(|(name, _)| *name)))]
    edge_type: Option<String>,
    #[command(flatten)]
    arguments: Arguments,
}

impl Arguments {
    fn filter(&self) -> Filter {
        Filter {
            min_confidence: self.min_confidence.as_deref().and_then(Confidence::parse),
            path: self.path.clone(),
            tests: self.tests.as_deref().map(|which| which == "only"),
            kind: self.kind.clone(),
        }
    }
}

/// Lists the symbols related to a symbol by a relation.
pub fn run<R: Row>(
    root: &Root,
    relation: Relation<'_>,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    run_levels::<R>(root, relation, arguments, 1)
}

/// Lists the callers of a symbol, and with `--tree` their callers.
pub fn run_callers(root: &Root, callers: &CallersArgs) -> anyhow::Result<()> {
    let depth = callers
        .depth
        .unwrap_or(if callers.tree { TREE_DEPTH } else { 1 });
    if depth == 1 {
        return run::<NeighborRow>(root, Relation::CALLERS, &callers.arguments);
    }
    run_levels::<UseRow>(root, Relation::CALLERS, &callers.arguments, depth as usize)
}

/// Lists the symbols that implement, extend or override a symbol, at all levels.
pub fn run_implementations(root: &Root, arguments: &ImplementationsArgs) -> anyhow::Result<()> {
    let depth = arguments.depth.map_or(usize::MAX, |depth| depth as usize);
    run_levels::<UseRow>(root, Relation::IMPLEMENTATIONS, &arguments.arguments, depth)
}

fn run_levels<R: Row>(
    root: &Root,
    relation: Relation<'_>,
    arguments: &Arguments,
    depth: usize,
) -> anyhow::Result<()> {
    let symbol = arguments.symbol.resolve(root)?;
    let query = RelatedQuery {
        symbol: symbol.query(),
        relation,
        filter: arguments.filter(),
        sites: arguments.sites as usize,
        depth,
    };

    let answer = ask(root, |index| {
        answers::related::<R>(index, &query, &Page::WHOLE)
    })?;
    let form = arguments.list.form();
    let mut printed = PrintedAnswer::new(answer, arguments.limit);
    let hidden = hidden_note(printed.rows()).filter(|_| !root.json);

    printed.note(hidden);
    printed.print_hits(root, &form, |row, places| form.hits(row, relation, places))
}

/// Lists the symbols related to a symbol in a direction, by one type of edges or by any.
pub fn run_typed(
    root: &Root,
    direction: EdgeDirection,
    arguments: &EdgeTypeArgs,
) -> anyhow::Result<()> {
    let edge_type = arguments.edge_type.as_deref().and_then(EdgeType::parse);
    let relation = match &edge_type {
        Some(verb) => Relation {
            direction,
            edge_types: std::slice::from_ref(verb),
        },
        None => Relation::all(direction),
    };
    run::<DependencyRow>(root, relation, &arguments.arguments)
}

/// Words the number of locations that are not printed, and how to print them.
fn hidden_note<R: Row>(rows: &[R]) -> Option<String> {
    let counts = rows.iter().filter_map(|row| {
        let row = row.neighbor();
        row.site_count.map(|count| (count, row.call_sites.len()))
    });
    let (mut hidden, mut most) = (0, 0);
    for (count, shown) in counts {
        hidden += count.saturating_sub(shown);
        most = most.max(count);
    }
    let hidden = output::count(hidden as u64, "more location");
    (most > 0).then(|| format!("{hidden} of these results (--sites {most})"))
}
