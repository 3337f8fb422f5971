//! `docs/reference/tools.md` matches the tools' own descriptions and schemas; `UPDATE_EXPECT=1
//! cargo test` regenerates it.

use std::fmt::Write;

use codeagent_mcp::arguments::schema;
use codeagent_mcp::tools::{self, Tool};
use expect_test::expect_file;
use serde_json::Value;

const HEAD: &str = "\
# Tools

Written by a test from the tools' own descriptions; change those.

What a tool is specified to answer, an array or an object, is the first text of its result; what is added to it (`next_cursor`, `note`, ...) is
the second, if there is any. Both together are the structured result, an array as `results`. An error is
`{\"error\": {\"code\": ..., \"message\": ...}}` in both. Optional parameters may be `null`. Lists come in pages of at most 10,000 characters.
";

#[test]
fn tools_are_documented() {
    let mut text = HEAD.to_owned();
    for tool in tools::all() {
        document(&mut text, tool);
    }
    expect_file!["../../../../../docs/reference/tools.md"].assert_eq(&text);
}

fn document(out: &mut String, tool: &Tool) {
    write!(out, "\n## {}\n\n{}\n", tool.name, tool.doc).unwrap();
    if !tool.parameters.is_empty() {
        out.push_str("\n| parameter | type | default | |\n|---|---|---|---|\n");
        let schema = Value::Object(schema(tool.parameters));
        for parameter in tool.parameters {
            let property = &schema["properties"][parameter.name];
            let default = if parameter.required {
                "required".to_owned()
            } else {
                property.get("default").map_or_else(String::new, code)
            };
            writeln!(
                out,
                "| `{}` | {} | {default} | {} |",
                parameter.name,
                type_of(property),
                parameter.doc
            )
            .unwrap();
        }
    }
    out.push_str("\n| result | type | |\n|---|---|---|\n");
    fields(out, &Value::Object(tool.output.schema()), "");
    let errors: Vec<String> = tool
        .errors
        .iter()
        .map(|code| format!("`{}`", code.as_str()))
        .collect();
    writeln!(out, "\nErrors: {}.", errors.join(", ")).unwrap();
}

/// Returns a description without line breaks, which would end a table row.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn code(value: &Value) -> String {
    format!("`{value}`")
}

/// Writes the properties of an object and of the objects in it. The error format is written only
/// once, for all tools.
fn fields(out: &mut String, schema: &Value, above: &str) {
    for (name, property) in schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| *name != "error")
    {
        writeln!(
            out,
            "| `{above}{name}` | {} | {} |",
            type_of(property),
            one_line(property["description"].as_str().unwrap())
        )
        .unwrap();
        fields(out, property, &format!("{above}{name}."));
        fields(out, &property["items"], &format!("{above}{name}[]."));
    }
}

/// Returns the type with its limits.
fn type_of(property: &Value) -> String {
    let mut text = match &property["anyOf"] {
        Value::Array(types) => types.iter().map(type_of).collect::<Vec<_>>().join(" or "),
        _ => property["type"].as_str().unwrap().to_owned(),
    };
    if let Some(words) = property["enum"].as_array() {
        text = words
            .iter()
            .map(|word| format!("`{}`", word.as_str().unwrap()))
            .collect::<Vec<_>>()
            .join(", ");
    }
    let limit = |name: &str| property[name].as_u64();
    match (
        limit("minimum")
            .filter(|_| property.get("maximum").is_some() || limit("minimum") > Some(0)),
        limit("maximum"),
    ) {
        (Some(min), Some(max)) => write!(text, ", {min} to {max}").unwrap(),
        (Some(min), None) => write!(text, ", from {min}").unwrap(),
        _ => {}
    }
    if let Some(max) = limit("maxItems") {
        write!(text, ", at most {max}").unwrap();
    }
    if let Some(max) = limit("maxLength") {
        write!(text, ", at most {max} characters").unwrap();
    }
    text
}
