//! `docs/tools.md` says what the tools' own descriptions and schemas say; `UPDATE_EXPECT=1 cargo test` writes it anew.

use std::fmt::Write;

use codeagent_mcp::arguments::schema;
use codeagent_mcp::tools::{self, Tool};
use expect_test::expect_file;
use serde_json::Value;

#[test]
fn tools_are_documented() {
    let mut text = "# Tools\n\nWritten by a test from the tools' own descriptions; change those.\n".to_owned();
    for tool in tools::all() {
        document(&mut text, tool);
    }
    expect_file!["../../../../docs/tools.md"].assert_eq(&text);
}

fn document(out: &mut String, tool: &Tool) {
    write!(out, "\n## {}\n\n{}\n", tool.name, tool.doc).unwrap();
    if tool.parameters.is_empty() {
        return;
    }
    out.push_str("\n| parameter | type | |\n|---|---|---|\n");
    let schema = Value::Object(schema(tool.parameters));
    for parameter in tool.parameters {
        let property = &schema["properties"][parameter.name];
        let kind = property["type"].as_str().unwrap();
        let required = if parameter.required { ", required" } else { "" };
        writeln!(out, "| `{}` | {kind}{required} | {} |", parameter.name, parameter.doc).unwrap();
    }
}
