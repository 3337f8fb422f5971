//! Tool lists and input schemas as the contracts print them.

use serde_json::{Value, json};

use crate::arguments::schema;
use crate::{Options, Profile, ToolSet};

/// Returns the input schemas that the contract of `workspace` prints.
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
    assert!(names(Profile::Agent).is_empty());
    for (name, profile) in Profile::NAMES {
        assert_eq!((Profile::of(name), profile.as_str()), (Some(profile), name));
    }
}
