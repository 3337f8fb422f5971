//! `codeagent callers`, `callees`, `implementations`, `references`, `dependencies`, `dependents`:
//! what a symbol is related to, and where.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use codeagent_core::model::graph::{Confidence, EdgeDirection, EdgeType};
use codeagent_core::query::{Filter, Relation};
use codeagent_render::answers::{self, RelatedQuery};
use codeagent_render::{DependencyRow, Page, Row};

use crate::commands::ask::ask;
use crate::commands::{Root, SymbolArgs};
use crate::output::{Places, PrintedAnswer};
use crate::text::Line;

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

/// Lists what is related to a symbol by a relation.
pub fn run<R: Row>(
    root: &Root,
    relation: Relation<'_>,
    arguments: &Arguments,
) -> anyhow::Result<()> {
    let symbol = arguments.symbol.resolve(root)?;
    let query = RelatedQuery {
        symbol: symbol.query(),
        relation,
        filter: arguments.filter(),
        sites: arguments.sites as usize,
    };
    let answer = ask(root, |index| {
        answers::related::<R>(index, &query, &Page::WHOLE)
    })?;
    PrintedAnswer::new(answer, arguments.limit).print(root, neighbor)
}

/// Lists what is related to a symbol in a direction, by one type of edges or by any.
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

/// Writes a related symbol and below it the locations of its uses.
fn neighbor<R: Row>(row: &R, places: &Places) -> Vec<Line> {
    let verb = row.edge_type().map(|verb| format!("{verb} "));
    let row = row.neighbor();
    let confidence = match row.confidence {
        "exact" => String::new(),
        other => format!(" ({other})"),
    };
    let name = &row.symbol.qualified_name;
    let head = Line::from(format!("{}{name}{confidence}  ", verb.unwrap_or_default()));
    let declared = format!("{}:{}", places.of(&row.file_path), row.line_start);
    let mut lines = vec![head.place(declared)];

    for site in &row.call_sites {
        let path = places.of(site.file_path.as_ref().unwrap_or(&row.file_path));
        let text = site.text.as_deref();
        let text = text.unwrap_or("(the file was changed since it was indexed)");
        let callback = site.callback.as_deref();
        let callback = callback.map(|label| format!("in {label}: "));
        lines.push(
            Line::from("    ")
                .place(format!("{path}:{}:{}", site.line, site.column))
                .text(format!("  {}{text}", callback.unwrap_or_default())),
        );
        let others = site.candidates.iter();
        lines.extend(others.map(|other| Line::from(format!("        or {other}"))));
    }

    if let Some(count) = row.site_count {
        let more = count.saturating_sub(row.call_sites.len());
        lines.push(format!("    and {more} more (--sites {count})").into());
    }
    lines
}
