//! Which test proves what the contracts say? `docs/contract-profiles.md` is written from the tables
//! of tools and from these tests' sources: every parameter, field and error of a tool is held
//! against a test that calls the tool and names it.
//!
//! **Limits.** That a test names something is looked up; what it says about it is for its reader.

use std::collections::BTreeSet;
use std::fmt::Write;

use codeagent_mcp::arguments::{Kind as Takes, Parameter, schema};
use codeagent_mcp::profiles::failure::FailureKind;
use codeagent_mcp::profiles::tool::FileTool;
use codeagent_mcp::profiles::{Options, Profile, ToolSet, assistant, patch, workspace};
use expect_test::expect_file;
use serde_json::{Value, json};

use crate::local_answers::{ERRORS, FIELDS};
use crate::proofs;

/// A profile's word for a failure.
type Word = fn(FailureKind) -> &'static str;

/// The profiles with the source of their tests and their words for failures.
const PROFILES: &[(Profile, &str, Word)] = &[
    (
        Profile::Assistant,
        include_str!("assistant.rs"),
        assistant::code,
    ),
    (
        Profile::Patch,
        concat!(include_str!("patch.rs"), include_str!("exec.rs")),
        patch::code,
    ),
    (
        Profile::Workspace,
        concat!(include_str!("workspace.rs"), include_str!("exec.rs")),
        workspace::code,
    ),
];

/// What needs a test of its own kind.
const ELSEWHERE: &[(&str, &str, &str)] = &[(
    "search_files",
    "search_timeout",
    "a_search_that_takes_too_long_says_so",
)];

/// The input schemas that the contract of `workspace` prints.
fn printed_schemas() -> Vec<(&'static str, Value)> {
    let text = |default: &str| json!({ "type": "string", "default": default });
    let flag = |default: bool| json!({ "type": "boolean", "default": default });
    let string = json!({ "type": "string" });
    let number = |min: u64, max: u64, default: u64| json!({ "type": "integer", "minimum": min, "maximum": max, "default": default });
    let object = |required: &[&str], properties: Value| {
        let mut schema =
            json!({ "type": "object", "additionalProperties": false, "properties": properties });
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema
    };
    vec![
        (
            "list_dir",
            object(
                &[],
                json!({ "dir": text("."), "recursive": flag(false), "maxEntries": number(1, 2_000, 500) }),
            ),
        ),
        (
            "read_file",
            object(
                &["file"],
                json!({ "file": string, "maxBytes": number(1, 1_048_576, 262_144) }),
            ),
        ),
        (
            "edit_file",
            object(
                &["file", "find", "replace"],
                json!({
                    "file": string,
                    "find": { "type": "string", "minLength": 1 },
                    "replace": string,
                    "replaceAll": flag(false),
                    "expectedOccurrences": { "type": "integer", "minimum": 1, "maximum": 1_000_000 },
                }),
            ),
        ),
        (
            "write_file",
            object(
                &["file", "content"],
                json!({ "file": string, "content": string }),
            ),
        ),
        (
            "delete_file",
            object(
                &["path"],
                json!({ "path": string, "recursive": flag(false) }),
            ),
        ),
        (
            "move_file",
            object(
                &["from", "to"],
                json!({ "from": string, "to": string, "overwrite": flag(false) }),
            ),
        ),
        (
            "mkdir",
            object(&["dir"], json!({ "dir": string, "recursive": flag(true) })),
        ),
        (
            "run_command",
            object(
                &["command"],
                json!({
                    "command": { "type": "string", "minLength": 1 },
                    "args": { "type": "array", "items": { "type": "string", "maxLength": 400 }, "maxItems": 64, "default": [] },
                    "cwd": text("."),
                    "timeoutMs": number(100, 60_000, 15_000),
                    "maxOutputBytes": number(1_024, 262_144, 65_536),
                }),
            ),
        ),
    ]
}

#[test]
fn workspace_has_the_printed_schemas() {
    let printed = printed_schemas();
    let names: Vec<_> = printed.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        Profile::Workspace
            .table()
            .iter()
            .map(|tool| tool.name)
            .collect::<Vec<_>>(),
        names
    );
    for (tool, (name, expected)) in Profile::Workspace.table().iter().zip(printed) {
        let mut schema = Value::Object(schema(tool.parameters));
        for (_, property) in schema["properties"].as_object_mut().unwrap() {
            property.as_object_mut().unwrap().remove("description");
        }
        assert_eq!(schema, expected, "{name}");
    }
}

#[test]
fn profiles_have_their_tools() {
    let names = |profile| {
        ToolSet::new(profile, Options::default())
            .tools()
            .map(|tool| tool.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(Profile::Assistant),
        [
            "list_files",
            "read_file",
            "search_files",
            "get_repo_overview"
        ]
    );
    assert_eq!(
        names(Profile::Patch),
        [
            "patch_apply",
            "append",
            "write_file",
            "create_directory",
            "move_file"
        ]
    );
    assert!(names(Profile::Index).is_empty());
    for (name, profile) in Profile::NAMES {
        assert_eq!((Profile::of(name), profile.as_str()), (Some(profile), name));
    }
}

/// The tests of a source with their bodies.
pub fn tests(source: &str) -> Vec<(String, String)> {
    let chunks = source.split("test]\n").skip(1);
    let named = chunks.filter_map(|chunk| {
        let (_, rest) = chunk.split_once("fn ")?;
        Some((
            rest.split('(').next()?.to_owned(),
            rest.split("\n}\n").next()?.to_owned(),
        ))
    });
    named.collect()
}

/// The test that calls a tool and names a word.
fn proof(tests: &[(String, String)], tool: &FileTool, word: &str) -> Option<String> {
    if let Some((_, _, test)) = ELSEWHERE
        .iter()
        .find(|(name, known, _)| *name == tool.name && *known == word)
    {
        return Some((*test).to_owned());
    }
    let names = |(_, body): &&(String, String)| {
        body.contains(&format!("\"{}\"", tool.name)) && body.contains(&format!("\"{word}\""))
    };
    tests.iter().find(names).map(|(name, _)| name.clone())
}

fn limits(parameter: &Parameter) -> String {
    let mut words = match parameter.kind {
        Takes::Number { min, max: u64::MAX } => vec![format!("from {min}")],
        Takes::Number { min, max } => vec![format!("{min} to {max}")],
        Takes::Texts(max) => vec![format!("at most {max}")],
        Takes::ShortTexts { max, each } => {
            vec![format!("at most {max} of at most {each} characters")]
        }
        Takes::Word(known) => vec![format!("one of {}", known().join(" "))],
        Takes::Name | Takes::Something => vec!["not empty".to_owned()],
        Takes::Text | Takes::Flag => Vec::new(),
    };
    words.extend(
        parameter
            .default
            .map(|default| format!("default {}", Value::from(default))),
    );
    words.extend(parameter.required.then(|| "required".to_owned()));
    words.join(", ")
}

/// What holds for the limits and defaults of all parameters.
const LIMITS: &str = "every_parameter_is_checked_and_every_default_holds";

/// The rows of `local`, whose parameters are in its contract.
fn local(text: &mut String, missing: &mut Vec<String>) {
    let tests = tests(concat!(
        include_str!("local.rs"),
        include_str!("local_answers.rs")
    ));
    let contract: Value =
        serde_json::from_str(include_str!("../../src/profiles/local/contract.json")).unwrap();
    writeln!(
        text,
        "\n## local\n\n| tool | | | | test |\n|---|---|---|---|---|"
    )
    .unwrap();
    for tool in contract["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let query = &tool["inputSchema"]["properties"]["queries"]["items"];
        for (parameter, schema) in query["properties"].as_object().unwrap() {
            let mut limits = Vec::new();
            for (word, shown) in [
                ("minimum", "from"),
                ("maximum", "to"),
                ("minLength", "at least"),
                ("enum", "one of"),
                ("default", "default"),
            ] {
                limits
                    .extend((!schema[word].is_null()).then(|| format!("{shown} {}", schema[word])));
            }
            limits.extend(
                query["required"]
                    .as_array()
                    .unwrap()
                    .contains(&json!(parameter))
                    .then(|| "required".to_owned()),
            );
            let sent = |(_, body): &&(String, String)| {
                body.contains(&format!("\"{name}\"")) && body.contains(&format!("\"{parameter}\""))
            };
            match tests.iter().find(sent) {
                Some((test, _)) => writeln!(
                    text,
                    "| {name} | parameter | `{parameter}` | {} | {} |",
                    limits.join(" "),
                    shown(test, !limits.is_empty())
                )
                .unwrap(),
                None => missing.push(format!("local {name} parameter {parameter}")),
            }
        }
        let words = |table: &[(&str, &'static str)]| {
            table
                .iter()
                .find(|(tool, _)| *tool == name)
                .map_or("", |(_, words)| *words)
                .split_whitespace()
        };
        for field in words(FIELDS) {
            writeln!(
                text,
                "| {name} | field | `{field}` | | `every_field_is_told_and_no_other` |"
            )
            .unwrap();
        }
        for code in words(ERRORS) {
            writeln!(
                text,
                "| {name} | error | `{code}` | | `every_error_is_told` |"
            )
            .unwrap();
        }
    }
}

/// The test of a row, and that of its limits.
fn shown(test: &str, has_limits: bool) -> String {
    if has_limits {
        format!("`{test}`, `{LIMITS}`")
    } else {
        format!("`{test}`")
    }
}

/// The tests that a row names, each of which there is.
pub fn named(known: &BTreeSet<String>, row: &str, names: &str) -> String {
    let unknown: Vec<&str> = names
        .split_whitespace()
        .filter(|name| !known.contains(*name))
        .collect();
    assert!(unknown.is_empty(), "{row}: there is no test {unknown:?}");
    names
        .split_whitespace()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The rows about no one tool, each test of which there is.
fn others(text: &mut String) {
    let known: BTreeSet<String> = proofs::SOURCES
        .iter()
        .flat_map(|source| tests(source))
        .map(|(name, _)| name)
        .collect();
    assert!(known.contains(LIMITS));
    for (head, table) in [
        ("Other promises", proofs::MORE),
        ("Hostile inputs", proofs::HOSTILE),
    ] {
        writeln!(text, "\n## {head}\n\n| | | tests |\n|---|---|---|").unwrap();
        for (about, what, names) in table {
            writeln!(
                text,
                "| {about} | {what} | {} |",
                named(&known, &format!("{about} {what}"), names)
            )
            .unwrap();
        }
    }
}

#[test]
fn every_promise_of_the_profiles_has_a_test() {
    let mut missing = Vec::new();
    let mut text = "# What the contracts of the profiles say, and the test that proves it\n\nWritten by a test; the tests are in \
                    `crates/codeagent-mcp/tests/profiles`, or beside the code.\n"
        .to_owned();
    let known: BTreeSet<String> = PROFILES
        .iter()
        .flat_map(|(_, source, _)| tests(source))
        .map(|(name, _)| name)
        .collect();
    for (profile, source, code) in PROFILES {
        let tests = tests(source);
        writeln!(
            text,
            "\n## {}\n\n| tool | | | | test |\n|---|---|---|---|---|",
            profile.as_str()
        )
        .unwrap();
        for tool in profile.table() {
            let mut row = |kind: &str, what: &str, word: &str, limits: &str| match proof(
                &tests, tool, word,
            ) {
                Some(test) => writeln!(
                    text,
                    "| {} | {kind} | `{what}` | {limits} | {} |",
                    tool.name,
                    shown(&test, !limits.is_empty())
                )
                .unwrap(),
                None => missing.push(format!("{} {} {kind} {what}", profile.as_str(), tool.name)),
            };
            for parameter in tool.parameters {
                row(
                    "parameter",
                    parameter.name,
                    parameter.name,
                    &limits(parameter),
                );
            }
            for field in tool.fields {
                row(
                    "field",
                    field,
                    field.rsplit(['.', ']']).next().unwrap_or_default(),
                    "",
                );
            }
            for kind in tool.errors {
                row("error", code(*kind), code(*kind), "");
            }
        }
    }
    local(&mut text, &mut missing);
    others(&mut text);
    for (_, _, test) in ELSEWHERE {
        assert!(known.contains(*test), "there is no test {test}");
    }
    assert!(missing.is_empty(), "no test names\n{}", missing.join("\n"));
    expect_file!["../../../../docs/contract-profiles.md"].assert_eq(&text);
}

#[test]
fn no_kind_of_hostile_input_is_left_out() {
    let kinds = [
        ('P', 19),
        ('F', 5),
        ('Q', 4),
        ('W', 4),
        ('X', 3),
        ('H', 1),
        ('I', 1),
    ];
    let expected = kinds
        .into_iter()
        .flat_map(|(letter, count)| (1..=count).map(move |number| format!("{letter}{number}")));
    let rows: Vec<&str> = proofs::HOSTILE.iter().map(|(row, ..)| *row).collect();
    assert_eq!(rows, expected.collect::<Vec<_>>());
}
