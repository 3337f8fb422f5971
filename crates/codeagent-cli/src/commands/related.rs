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
use crate::output::{Places, PrintedAnswer};
use crate::text::Line;

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
    /// Only results in tests, or none of them
    #[arg(long, value_name = "WHICH", value_parser = PossibleValuesParser::new([PossibleValue::new("only"), PossibleValue::new("exclude").alias("without")]))]
    tests: Option<String>,
    /// Only results of this kind or node type: class, struct, method, ..
    #[arg(long)]
    kind: Option<String>,
    /// Only results with at least this confidence
    #[arg(long, value_name = "CONFIDENCE", value_parser = ["heuristic", "inferred", "exact"])]
    min_confidence: Option<String>,
}

#[derive(Debug, Args)]
pub struct CallersArgs {
    /// Also list who calls the callers, indented
    #[arg(long)]
    tree: bool,
    /// Number of levels [default: 1, with --tree 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,
    #[command(flatten)]
    arguments: Arguments,
}

#[derive(Debug, Args)]
pub struct ImplementationsArgs {
    /// Number of levels [default: all]
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
    PrintedAnswer::new(answer, arguments.limit).print(root, neighbor)
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

/// Formats a related symbol, and below it the locations of its uses.
fn neighbor<R: Row>(row: &R, places: &Places) -> Vec<Line> {
    let verb = row.edge_type().map(|verb| format!("{verb} "));
    let indent = "  ".repeat(2 * (row.depth() - 1));
    let row = row.neighbor();
    let confidence = match row.confidence {
        "exact" => String::new(),
        other => format!(" ({other})"),
    };
    let name = &row.symbol.qualified_name;
    let head = Line::from(format!(
        "{indent}{}{name}{confidence}  ",
        verb.unwrap_or_default()
    ));
    let declared = format!("{}:{}", places.of(&row.file_path), row.line_start);
    let mut lines = vec![head.place(declared)];

    for site in &row.call_sites {
        let path = places.of(site.file_path.as_ref().unwrap_or(&row.file_path));
        let text = site.text.as_deref();
        let text = text.unwrap_or("(the file was changed since it was indexed)");
        let callback = site.callback.as_deref();
        let callback = callback.map(|label| format!("in {label}: "));
        lines.push(
            Line::from(format!("{indent}    "))
                .place(format!("{path}:{}:{}", site.line, site.column))
                .text(format!("  {}{text}", callback.unwrap_or_default())),
        );
        let others = site.candidates.iter();
        lines.extend(others.map(|other| Line::from(format!("{indent}        or {other}"))));
    }

    if let Some(count) = row.site_count {
        let more = count.saturating_sub(row.call_sites.len());
        lines.push(format!("{indent}    and {more} more (--sites {count})").into());
    }
    lines
}
