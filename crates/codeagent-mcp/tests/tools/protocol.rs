//! What holds for all tools: introduction, schemas, wrong calls.

use rmcp::model::CallToolRequestParams;
use serde_json::{Value, json};

use crate::support::Session;

#[tokio::test]
async fn the_server_introduces_itself() {
    let session = Session::over(&[]).await;
    let info = session.client.peer_info().unwrap();
    let server = info.server_info.as_ref().unwrap();
    assert_eq!((server.name.as_str(), server.version.as_str()), ("codeagent", env!("CARGO_PKG_VERSION")));
}

#[tokio::test]
async fn schemas_suit_strict_clients() {
    let tools = Session::over(&[]).await.client.list_all_tools().await.unwrap();
    assert!(!tools.is_empty());
    for tool in tools {
        assert!(tool.description.is_some_and(|text| text.len() > 20), "{}", tool.name);
        let schema = Value::Object((*tool.input_schema).clone());
        assert_eq!(schema["type"], "object", "{}", tool.name);
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["type"].is_string() && property["format"].is_null(), "{} {name}", tool.name);
            assert!(property["description"].is_string(), "{} {name}", tool.name);
        }
    }
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error() {
    let session = Session::over(&[]).await;
    let error = session.client.call_tool(CallToolRequestParams::new("nothing")).await.unwrap_err().to_string();
    assert!(error.contains("-32602") && error.contains("read_file"), "{error}");
}

#[tokio::test]
async fn wrong_arguments_are_errors_of_the_tool() {
    let session = Session::over(&[]).await;
    let answer = session.ask("read_file", json!({ "path": 3 })).await;
    assert_eq!(answer, r#"error: {"error":{"code":"invalid_parameter","message":"`path` must be a string, got 3"}}"#);
}
