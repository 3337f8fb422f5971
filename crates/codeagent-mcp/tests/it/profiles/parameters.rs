//! Checks every parameter of every tool of the four profiles: values that the schema forbids are
//! refused, permitted ones are accepted, the default equals leaving the parameter out, and null
//! counts as absent.

use codeagent_files::{ExecPolicy, Options};
use serde_json::{Map, Value, json};

use crate::profiles::support::Session;

/// Returns valid arguments for a tool.
fn good(profile: &str, tool: &str) -> Value {
    match (profile, tool) {
        ("assistant", "read_file") => json!({ "path": "a.txt" }),
        (_, "search_files") => json!({ "pattern": "a" }),
        ("patch", "patch_apply") => json!({ "path": "a.txt", "patch": "@@ -1 +1 @@\n-a\n+a\n" }),
        ("patch", "append") => json!({ "path": "a.txt", "content": "" }),
        ("patch", "write_file") => json!({ "path": "a.txt", "content": "a\n" }),
        (_, "create_directory") => json!({ "path": "d" }),
        ("patch", "move_file") => json!({ "source": "a.txt", "destination": "a.txt" }),
        (_, "shell_exec") => json!({ "command": "cat" }),
        (_, "read_file") => json!({ "file": "a.txt" }),
        (_, "edit_file") => json!({ "file": "a.txt", "find": "a", "replace": "a" }),
        (_, "write_file") => json!({ "file": "a.txt", "content": "a\n" }),
        (_, "delete_file") => json!({ "path": "gone" }),
        (_, "move_file") => json!({ "from": "gone", "to": "b" }),
        (_, "mkdir") => json!({ "dir": "d" }),
        (_, "run_command") => json!({ "command": "node" }),
        (_, "local_ripgrep") => json!({ "path": ".", "pattern": "a" }),
        (_, "local_view_structure" | "local_find_files") => json!({ "path": "." }),
        (_, "local_fetch_content") => json!({ "path": "a.txt" }),
        _ => json!({}),
    }
}

/// Returns values that the schema forbids.
fn forbidden(schema: &Value) -> Vec<Value> {
    let mut wrong = vec![json!({ "a": 1 })];
    match schema["type"].as_str().unwrap() {
        "string" => {
            wrong.extend([json!(7), json!(true)]);
            wrong.extend((schema["minLength"] == 1).then(|| json!("")));
            wrong.extend(schema["enum"].is_array().then(|| json!("no such word")));
        }
        "boolean" => wrong.extend([json!("yes"), json!(1)]),
        "array" => {
            wrong.extend([json!("x"), json!([1])]);
            wrong.extend(
                schema["maxItems"]
                    .as_u64()
                    .map(|most| json!(vec!["x"; most as usize + 1])),
            );
            wrong.extend(
                schema["items"]["maxLength"]
                    .as_u64()
                    .map(|most| json!(["x".repeat(most as usize + 1)])),
            );
        }
        kind => {
            wrong.extend([json!("1"), json!(true)]);
            wrong.extend((kind == "integer").then(|| json!(1.5)));
            wrong.extend(schema["minimum"].as_i64().map(|least| json!(least - 1)));
            wrong.extend(schema["maximum"].as_i64().map(|most| json!(most + 1)));
        }
    }
    wrong
}

/// Returns the extreme values that the schema permits.
fn permitted(schema: &Value) -> Vec<Value> {
    let ends = [&schema["minimum"], &schema["maximum"]]
        .into_iter()
        .filter(|end| end.is_number())
        .cloned();
    let words = schema["enum"].as_array().cloned().unwrap_or_default();
    let full = schema["maxItems"]
        .as_u64()
        .map(|most| json!(vec!["x"; most as usize]));
    let long = schema["items"]["maxLength"]
        .as_u64()
        .map(|most| json!(["x".repeat(most as usize)]));
    ends.chain(words).chain(full).chain(long).collect()
}

/// Reports whether the arguments were refused, and the answer without what differs from call to
/// call.
async fn ask(session: &Session, profile: &str, tool: &str, arguments: Value) -> (bool, Value) {
    if profile == "local" {
        let reply = session
            .call_text(tool, json!({ "queries": [arguments] }))
            .await;
        // The time taken differs from call to call, like `duration_ms` below.
        let reply: Vec<&str> = reply
            .lines()
            .filter(|line| !line.contains("searchTime"))
            .collect();
        return (
            reply[0].starts_with("Input validation error"),
            reply.join("\n").into(),
        );
    }
    let answer = session.call(tool, arguments).await;
    let mut value = match &answer {
        Ok(result) => result
            .structured_content
            .clone()
            .unwrap_or_else(|| crate::profiles::support::text_of(result).into()),
        Err(rmcp::service::ServiceError::McpError(error)) => {
            json!({ "data": error.data, "message": error.message })
        }
        Err(error) => panic!("{error}"),
    };
    let code = value
        .pointer("/error/code")
        .or_else(|| value.pointer("/data/error_code"))
        .and_then(Value::as_str)
        .unwrap_or_default();
    let refused = matches!(
        code,
        "invalid_arguments" | "InvalidArguments" | "VALIDATION_ERROR"
    );
    if let Some(fields) = value.as_object_mut() {
        fields.remove("duration_ms");
    }
    (refused, value)
}

/// Returns the properties of a tool's arguments (for `local`, of a query), and the required ones.
fn properties(profile: &str, schema: &Map<String, Value>) -> (Map<String, Value>, Vec<Value>) {
    let schema = Value::Object(schema.clone());
    let schema = if profile == "local" {
        &schema["properties"]["queries"]["items"]
    } else {
        &schema
    };
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    assert_eq!(schema["additionalProperties"], false);
    (schema["properties"].as_object().unwrap().clone(), required)
}

#[tokio::test]
async fn every_parameter_is_checked_and_every_default_holds() {
    // Arguments of a command are checked before the command is refused; only refusals of arguments
    // count here.
    let options = Options {
        exec: ExecPolicy::Refused("not here".to_owned()),
        ..Options::default()
    };
    for (profile, tools) in [
        ("assistant", 4),
        ("patch", 6),
        ("workspace", 8),
        ("local", 4),
    ] {
        let session = Session::with(
            profile,
            options.clone(),
            &[("a.txt", "a\n"), ("src/b.ts", "let a;\n")],
        )
        .await;
        let described = session.client.list_all_tools().await.unwrap();
        assert_eq!(described.len(), tools);
        for tool in described {
            let name = tool.name.as_ref();
            let (properties, required) = properties(profile, &tool.input_schema);
            let with = |parameter: &str, value: Value| {
                let mut arguments = good(profile, name);
                arguments[parameter] = value;
                ask(&session, profile, name, arguments)
            };
            // The first call may create a file that the second one finds.
            ask(&session, profile, name, good(profile, name)).await;
            let (refused, usual) = ask(&session, profile, name, good(profile, name)).await;
            assert!(!refused, "{profile} {name}: {usual}");
            for (parameter, schema) in &properties {
                for value in forbidden(schema) {
                    let (refused, answer) = with(parameter, value.clone()).await;
                    assert!(
                        refused && answer.to_string().contains(parameter.as_str()),
                        "{profile} {name} {parameter} {value}: {answer}"
                    );
                }
                for value in permitted(schema) {
                    let (refused, answer) = with(parameter, value.clone()).await;
                    assert!(
                        !refused,
                        "{profile} {name} {parameter} {value:.100}: {answer}"
                    );
                }
                let is_required = required.contains(&json!(parameter));
                let (refused, answer) = with(parameter, Value::Null).await;
                assert_eq!(
                    refused, is_required,
                    "{profile} {name} without {parameter}: {answer}"
                );
                let default = schema.get("default").cloned();
                for same in default
                    .into_iter()
                    .chain((!is_required).then_some(Value::Null))
                {
                    assert_eq!(
                        with(parameter, same).await.1,
                        usual,
                        "{profile} {name} {parameter}"
                    );
                }
            }
            assert!(
                with("no_such_parameter", json!(1)).await.0,
                "{profile} {name}"
            );
        }
    }
}
