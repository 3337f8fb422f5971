//! `codeagent callers`, `callees`, `implementations`, `references`, `dependencies`, `dependents`:
//! what a symbol is related to, and where.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use codeagent_core::model::graph::EdgeType;
use serde_json::Value;

use crate::commands::ask::{Question, ask};
use crate::commands::{OfSymbol, Root};
use crate::output::Answered;
use crate::text::Line;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    of: OfSymbol,
    /// Maximum number of results [default: all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Maximum number of locations per result
    #[arg(long, value_name = "N", default_value_t = 3)]
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
pub struct Typed {
    /// Only relationships of this type
    #[arg(long = "type", value_name = "TYPE", value_parser = PossibleValuesParser::new(EdgeType::NAMES.iter().map(|(name, _)| *name)))]
    edge_type: Option<String>,
    #[command(flatten)]
    arguments: Arguments,
}

/// Asks one of the tools that follow the graph.
pub fn run(root: &Root, tool: &str, arguments: &Arguments) -> anyhow::Result<()> {
    follow(root, tool, arguments, Question::default())
}

/// The same for those that follow one type of edge or all.
pub fn run_typed(root: &Root, tool: &str, typed: &Typed) -> anyhow::Result<()> {
    follow(
        root,
        tool,
        &typed.arguments,
        Question::default().maybe("edge_type", typed.edge_type.clone()),
    )
}

/// The tools' word for a choice of tests.
fn in_tool(tests: &str) -> &str {
    if tests == "exclude" { "without" } else { tests }
}

fn follow(
    root: &Root,
    tool: &str,
    arguments: &Arguments,
    question: Question,
) -> anyhow::Result<()> {
    let question = question
        .with("sites", arguments.sites)
        .maybe("path", arguments.path.clone())
        .maybe("tests", arguments.tests.as_deref().map(in_tool));
    let question = question
        .maybe("kind", arguments.kind.clone())
        .maybe("min_confidence", arguments.min_confidence.clone());
    let answer = ask(root, tool, arguments.of.question(root, question)?)?;
    Answered::new(answer, arguments.limit)
        .print(root, |row, place| neighbor(row, &|path| place.of(path)))
}

/// A related symbol and under it the places of its uses.
fn neighbor(row: &Value, shown: &dyn Fn(&str) -> String) -> Vec<Line> {
    let text = |name: &str| row[name].as_str().unwrap_or_default();
    let verb = row["edge_type"]
        .as_str()
        .map(|verb| format!("{verb} "))
        .unwrap_or_default();
    let sure = if matches!(text("confidence"), "exact" | "") {
        String::new()
    } else {
        format!(" ({})", text("confidence"))
    };
    let head = Line::from(format!("{verb}{}{sure}  ", text("qualified_name")));
    let mut lines = vec![head.place(format!(
        "{}:{}",
        shown(text("file_path")),
        row["line_start"]
    ))];
    let sites = row["call_sites"].as_array().map_or(&[][..], Vec::as_slice);
    for site in sites {
        let path = shown(site["file_path"].as_str().unwrap_or(text("file_path")));
        let line = site["text"]
            .as_str()
            .unwrap_or("(the file was changed since it was indexed)");
        lines.push(
            Line::from("    ")
                .place(format!("{path}:{}:{}", site["line"], site["column"]))
                .text(format!("  {line}")),
        );
        let others = site["candidates"].as_array().map_or(&[][..], Vec::as_slice);
        lines.extend(
            others
                .iter()
                .filter_map(Value::as_str)
                .map(|other| Line::from(format!("        or {other}"))),
        );
    }
    if let Some(count) = row["site_count"].as_u64() {
        lines.push(
            format!(
                "    and {} more (--sites {count})",
                count.saturating_sub(sites.len() as u64)
            )
            .into(),
        );
    }
    lines
}
