//! `codeagent symbol`: all about one symbol, or about each that a name means.

use codeagent_core::model::graph::Language;
use codeagent_mcp::answer::Answer;
use serde_json::Value;

use crate::commands::ask::{Question, ask};
use crate::commands::{OfSymbol, Root};
use crate::output::{Answered, count, symbol};
use crate::text::Line;

pub fn run(root: &Root, of: &OfSymbol) -> anyhow::Result<()> {
    let mut answer = ask(root, "get_symbol", of.question(root, Question::default())?)?;
    // The tool tells all about the first one and lists the others.
    let others: Vec<String> = match answer.added.shift_remove("symbols") {
        Some(Value::Array(lines)) => lines
            .iter()
            .skip(1)
            .filter_map(Value::as_str)
            .filter_map(id_of)
            .collect(),
        _ => Vec::new(),
    };
    let mut details = vec![answer.value.take()];
    for id in others {
        details.push(ask(root, "get_symbol", Question::default().with("node_id", id))?.value);
    }
    let answer = Answer {
        value: details.into(),
        ..answer
    };
    Answered::new(answer, None).print(root, |detail, place| {
        let mut lines = vec![symbol(detail, place)];
        lines.extend(
            detail["doc"]
                .as_str()
                .map(|doc| Line::from(format!("    {doc}"))),
        );
        let text = |name: &str| detail[name].as_str().unwrap_or_default();
        let used = count(
            detail["reference_count"].as_u64().unwrap_or_default(),
            "time",
        );
        lines.push(
            format!(
                "    node_id {}, project {}, used {used}",
                text("node_id"),
                text("project_id")
            )
            .into(),
        );
        lines.push(format!("    {}", modifiers(detail)).into());
        let start = format!("{}:{}", place.of(text("file_path")), detail["line_start"]);
        let more = match detail["declarations"].as_u64() {
            Some(all @ 2..) => format!(
                " and at {} more (codeagent declarations)",
                count(all - 1, "place")
            ),
            _ => String::new(),
        };
        lines.push(
            Line::from("    declared ")
                .place(start)
                .text(format!("-{}{more}", detail["line_end"])),
        );
        lines
    })
}

/// The node id at the beginning of what is said of a symbol.
fn id_of(line: &str) -> Option<String> {
    line.split(' ').next().map(str::to_owned)
}

fn modifiers(detail: &Value) -> String {
    let language = detail["language"].as_str().and_then(Language::parse);
    let flags = [
        ("is_static", "static"),
        ("is_abstract", "abstract"),
        ("is_async", "async"),
        ("is_override", "override"),
        ("is_deprecated", "deprecated"),
        (
            "is_public_api",
            language.map_or("public", |language| language.rules().public_api),
        ),
    ];
    let access = detail["access_modifier"].as_str().into_iter();
    access
        .chain(
            flags
                .iter()
                .filter(|(flag, _)| detail[flag] == true)
                .map(|(_, word)| *word),
        )
        .collect::<Vec<_>>()
        .join(", ")
}
