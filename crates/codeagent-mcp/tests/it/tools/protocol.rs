//! Checks of all tools: server instructions, schemas, wrong calls.

use codeagent_mcp::tools;
use rmcp::model::{CallToolRequestParams, GetPromptRequestParams, PaginatedRequestParams};
use serde_json::{Value, json};

use crate::tools::schema::violations;
use crate::tools::support::Session;

#[tokio::test]
async fn the_server_reports_its_name_and_version() {
    let session = Session::over(&[]).await;
    let info = session.client.peer_info().unwrap();
    let server = info.server_info.as_ref().unwrap();
    assert_eq!(
        (server.name.as_str(), server.version.as_str()),
        ("codeagent", env!("CARGO_PKG_VERSION"))
    );
}

#[tokio::test]
async fn instructions_fit_into_a_prompt() {
    let session = Session::over(&[]).await;
    let instructions = session
        .client
        .peer_info()
        .unwrap()
        .instructions
        .clone()
        .unwrap();
    assert!(
        (500..=2_000).contains(&instructions.chars().count()),
        "{} characters",
        instructions.chars().count()
    );
    // Every word in them that looks like a tool or an argument must be one.
    let known: Vec<&str> = tools::all()
        .flat_map(|tool| {
            tool.parameters
                .iter()
                .map(|each| each.name)
                .chain([tool.name])
        })
        .collect();
    let fields = ["next_cursor", "unresolved_sites", "stale_files"];
    let words = instructions
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.contains('_'));
    let unknown: Vec<&str> = words
        .filter(|word| !known.contains(word) && !fields.contains(word))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[tokio::test]
async fn the_tools_are_described() {
    let tools = Session::over(&[])
        .await
        .client
        .list_all_tools()
        .await
        .unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(
        names.join(" "),
        "list_directory read_file get_directory_tree search_symbols lookup_symbol find_similar get_symbol get_source_spans \
         get_file_outline get_callers get_callees get_implementations get_references get_dependencies get_dependents index_files get_status \
         explore get_impact find_path search_text get_overview get_changes"
    );
    for tool in &tools {
        let name = &tool.name;
        assert!(
            tool.title.as_ref().is_some_and(|title| title.contains(' ')),
            "{name}"
        );
        assert!(
            tool.description
                .as_ref()
                .is_some_and(|text| text.len() > 60),
            "{name} does not say when to use it"
        );
        let hints = tool.annotations.as_ref().unwrap();
        let given = (
            hints.read_only_hint,
            hints.destructive_hint,
            hints.idempotent_hint,
            hints.open_world_hint,
        );
        let writes = (Some(false), Some(false), Some(true), Some(false));
        assert_eq!(
            given,
            if name == "index_files" {
                writes
            } else {
                (Some(true), None, Some(true), Some(false))
            },
            "{name}"
        );
    }
}

#[tokio::test]
async fn schemas_suit_strict_clients() {
    for tool in Session::over(&[])
        .await
        .client
        .list_all_tools()
        .await
        .unwrap()
    {
        let name = &tool.name;
        let input = Value::Object((*tool.input_schema).clone());
        assert_eq!(input["type"], "object", "{name}");
        for (parameter, property) in input["properties"].as_object().unwrap() {
            assert!(property["type"].is_string(), "{name} {parameter}");
            let words = [
                "tests",
                "kind",
                "min_confidence",
                "sites",
                "format",
                "cursor",
                "language",
                "node_type",
                "edge_type",
                "limit",
                "max_chars",
                "from",
                "to",
            ];
            assert_eq!(
                property.get("description").is_none(),
                words.contains(&parameter.as_str())
                    || parameter == "depth" && name != "get_directory_tree",
                "{name} {parameter}"
            );
            if let Some(default) = property.get("default") {
                assert_eq!(
                    violations(property, default, parameter),
                    Vec::<String>::new(),
                    "{name}: the default is a value"
                );
            }
        }
        let Some(output) = tool.output_schema.clone() else {
            assert!(is_text_tool(name), "{name}");
            continue;
        };
        let output = Value::Object((*output).clone());
        assert_eq!(output["type"], "object", "{name}");
        assert!(
            output.get("required").is_none() && output.get("additionalProperties").is_none(),
            "{name}"
        );
        let whole = Value::Object(tools::find(name).unwrap().output.schema());
        assert_eq!(
            whole["properties"]["error"]["properties"]["code"]["enum"]
                .as_array()
                .unwrap()
                .len(),
            7,
            "{name}"
        );
        assert_plain(&input, name);
        assert_plain(&output, name);
    }
}

fn is_text_tool(name: &str) -> bool {
    tools::text::TOOLS.iter().any(|tool| tool.name == name)
}

/// Asserts that a schema has no formats, lists of types or references.
fn assert_plain(schema: &Value, at: &str) {
    assert!(
        !schema["type"].is_array() && schema["format"].is_null() && schema["$ref"].is_null(),
        "{at}: {schema}"
    );
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        assert_plain(property, &format!("{at}.{name}"));
    }
    if let Some(items) = schema.get("items") {
        assert_plain(items, &format!("{at}[]"));
    }
}

/// Limits what a client's model reads before its first call; four bytes count as a token.
#[tokio::test]
async fn the_list_of_tools_is_short() {
    let tools = Session::over(&[])
        .await
        .client
        .list_all_tools()
        .await
        .unwrap();
    let size = |with_outputs: bool| {
        let each = tools.iter().map(|tool| {
            let mut tool = serde_json::to_value(tool).unwrap();
            if !with_outputs {
                tool.as_object_mut().unwrap().remove("outputSchema");
            }
            tool.to_string().len() + 1
        });
        each.sum::<usize>() / 4
    };
    assert!(
        size(false) <= 3_800 && size(true) <= 8_000,
        "{} tokens, {} with output schemas: of 3,800 and 8,000",
        size(false),
        size(true)
    );
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error() {
    let session = Session::over(&[]).await;
    let error = session
        .client
        .call_tool(CallToolRequestParams::new("nothing"))
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("-32602") && error.contains("read_file"),
        "{error}"
    );
}

#[tokio::test]
async fn wrong_arguments_are_errors_of_the_tool() {
    let session = Session::over(&[]).await;
    let answer = session.ask("read_file", json!({ "path": 3 })).await;
    assert_eq!(
        answer,
        r#"error: {"error":{"code":"invalid_parameter","message":"`path` must be a string, got 3"}}"#
    );
}

#[tokio::test]
async fn unsupported_methods_and_wrong_parameters_are_errors() {
    let session = Session::over(&[]).await;
    for (error, expected) in [
        (
            session
                .client
                .list_all_resources()
                .await
                .unwrap_err()
                .to_string(),
            "-32601",
        ),
        (
            session
                .client
                .list_all_resource_templates()
                .await
                .unwrap_err()
                .to_string(),
            "-32601",
        ),
        (
            session
                .custom("tools/call", json!({ "arguments": {} }))
                .await,
            "-32602",
        ),
        (session.custom("no/such", json!({})).await, "-32601"),
    ] {
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn prompts_use_their_argument_and_unknown_cursors_are_refused() {
    let session = Session::over(&[]).await;
    let prompts = session.client.list_all_prompts().await.unwrap();
    assert_eq!(
        prompts
            .iter()
            .map(|prompt| prompt.name.as_str())
            .collect::<Vec<_>>(),
        ["impact", "explain", "tour"]
    );
    let asked = |arguments: Value| {
        GetPromptRequestParams::new("impact").with_arguments(arguments.as_object().unwrap().clone())
    };
    let got = session
        .client
        .get_prompt(asked(json!({ "symbol": "Cart.Add" })))
        .await
        .unwrap();
    assert!(
        serde_json::to_string(&got.messages)
            .unwrap()
            .contains("`Cart.Add`")
    );
    let page = || Some(PaginatedRequestParams::default().with_cursor(Some("x".to_owned())));
    for error in [
        session
            .client
            .get_prompt(asked(json!({ "symbol": " " })))
            .await
            .unwrap_err()
            .to_string(),
        session
            .client
            .get_prompt(GetPromptRequestParams::new("none"))
            .await
            .unwrap_err()
            .to_string(),
        session
            .client
            .list_tools(page())
            .await
            .unwrap_err()
            .to_string(),
        session
            .client
            .list_prompts(page())
            .await
            .unwrap_err()
            .to_string(),
    ] {
        assert!(error.contains("-32602"), "{error}");
    }
}
