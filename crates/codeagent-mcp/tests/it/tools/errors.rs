//! Wrong arguments, and calls at a wrong time, for every tool.

use codeagent_mcp::arguments::Kind;
use codeagent_mcp::error::Code;
use codeagent_mcp::tools::Tool;
use serde_json::{Value, json};

use crate::tools::support::{Peer, Session, structured_tools};

/// Returns valid arguments for a tool.
fn good(tool: &Tool) -> Value {
    let required = tool.parameters.iter().filter(|each| each.required);
    let value = |name: &str| match name {
        "path" => json!("src/Shop.Domain/Order.cs"),
        "node_id" => json!("OrderService.Place"),
        "query" | "qualified_name" => json!("Order"),
        "paths" => json!(["src/Shop.Domain/Order.cs"]),
        other => panic!("what is a good `{other}`?"),
    };
    Value::Object(
        required
            .map(|each| (each.name.to_owned(), value(each.name)))
            .collect(),
    )
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn every_parameter_is_checked() {
    let shop = Peer::shop().await;
    for tool in structured_tools() {
        for parameter in tool.parameters {
            let mut wrong = vec![json!({ "a": 1 }), json!(true)];
            match parameter.kind {
                Kind::Text => wrong.push(json!(7)),
                Kind::Name => wrong.extend([json!(""), json!("x".repeat(4_097))]),
                Kind::Word(_) => wrong.extend([json!("no such word"), json!("")]),
                Kind::Number { min, max: u64::MAX } => {
                    wrong.extend([json!(min - 1), json!(-1), json!(1.5), json!("1")])
                }
                Kind::Number { min, max } => {
                    wrong.extend([
                        json!(min - 1),
                        json!(max + 1),
                        json!(-1),
                        json!(1.5),
                        json!(1e9),
                        json!("5"),
                        json!([min]),
                    ]);
                }
                Kind::Texts(_) | Kind::ShortTexts { .. } => {
                    wrong.extend([json!("a.cs"), json!([1])])
                }
                Kind::Something => wrong.push(json!("")),
                Kind::Flag => wrong.push(json!("yes")),
            }
            for value in wrong {
                let mut arguments = good(tool);
                arguments[parameter.name] = value.clone();
                let answer = shop.structured(tool.name, arguments).await;
                assert_eq!(
                    code(&answer),
                    "invalid_parameter",
                    "{} {}: {value}",
                    tool.name,
                    parameter.name
                );
                assert!(
                    answer["error"]["message"]
                        .as_str()
                        .unwrap()
                        .contains(&format!("`{}`", parameter.name)),
                    "{answer}"
                );
            }
            let mut missing = good(tool);
            missing[parameter.name] = Value::Null;
            let answer = shop.structured(tool.name, missing).await;
            if parameter.required {
                assert_eq!(
                    code(&answer),
                    "invalid_parameter",
                    "{} without {}",
                    tool.name,
                    parameter.name
                );
            } else {
                assert_eq!(
                    answer,
                    shop.structured(tool.name, good(tool)).await,
                    "null is absent: {} {}",
                    tool.name,
                    parameter.name
                );
            }
        }
        let mut unknown = good(tool);
        unknown["no_such_parameter"] = json!(1);
        assert_eq!(
            code(&shop.structured(tool.name, unknown).await),
            "invalid_parameter",
            "{}",
            tool.name
        );
    }
}

/// Passing a parameter's documented default gives the same answer as leaving it out.
#[tokio::test]
async fn documented_defaults_apply() {
    let shop = Peer::shop().await;
    for tool in structured_tools() {
        for parameter in tool.parameters {
            let Some(default) = parameter.default else {
                continue;
            };
            let mut arguments = good(tool);
            arguments[parameter.name] = default.into();
            assert_eq!(
                shop.structured(tool.name, arguments).await,
                shop.structured(tool.name, good(tool)).await,
                "{} {}",
                tool.name,
                parameter.name
            );
        }
    }
    let found = shop
        .structured("search_symbols", json!({ "query": "order*" }))
        .await;
    assert_eq!(found["results"].as_array().unwrap().len(), 20);
    let most = shop
        .structured("search_symbols", json!({ "query": "order*", "limit": 50 }))
        .await;
    assert_eq!(most["results"].as_array().unwrap().len(), 50);
}

#[tokio::test]
async fn an_unknown_symbol_is_not_found() {
    let shop = Peer::shop().await;
    for tool in
        structured_tools().filter(|tool| tool.parameters.iter().any(|each| each.name == "node_id"))
    {
        for unknown in [
            "naaaaaaaaaaaa",
            "Shop.No.Such",
            "\u{0}",
            "(",
            "Order(",
            ")",
            "a.b.c()",
            "<>",
        ] {
            let answer = shop
                .structured(tool.name, json!({ "node_id": unknown }))
                .await;
            assert_eq!(
                code(&answer),
                "not_found",
                "{} {unknown:?}: {answer}",
                tool.name
            );
        }
    }
}

#[tokio::test]
async fn paths_outside_the_root_are_refused() {
    let shop = Peer::shop().await;
    let names_a_file = |tool: &&Tool| tool.parameters.iter().all(|each| each.name != "node_id");
    for tool in structured_tools()
        .filter(|tool| tool.parameters.iter().any(|each| each.name == "path"))
        .filter(names_a_file)
    {
        for outside in [
            "..",
            "src/../../x.cs",
            "/etc/passwd",
            "../../../../../../etc/passwd",
        ] {
            let answer = shop.structured(tool.name, json!({ "path": outside })).await;
            assert_eq!(
                code(&answer),
                "path_escape",
                "{} {outside}: {answer}",
                tool.name
            );
        }
        for invalid in ["a\u{0}b".to_owned(), "x/".repeat(3_000), "y".repeat(300)] {
            let answer = shop.structured(tool.name, json!({ "path": invalid })).await;
            assert_eq!(
                code(&answer),
                "invalid_parameter",
                "{}: {answer}",
                tool.name
            );
        }
        for hidden in [".git", ".codeagent", ".codeagent/index.db", "no/such.cs"] {
            let answer = shop.structured(tool.name, json!({ "path": hidden })).await;
            assert_eq!(
                code(&answer),
                "not_found",
                "{} {hidden}: {answer}",
                tool.name
            );
        }
        // Outlines are of files and of folders.
        if tool.name == "get_file_outline" {
            continue;
        }
        let wrong_kind = if tool.name.contains("director") {
            "src/Shop.Domain/Order.cs"
        } else {
            "src"
        };
        let answer = shop
            .structured(tool.name, json!({ "path": wrong_kind }))
            .await;
        assert_eq!(
            code(&answer),
            "invalid_parameter",
            "{}: {answer}",
            tool.name
        );
    }
}

#[tokio::test]
async fn without_an_engine_symbol_tools_are_unavailable() {
    let session = Session::over(&[("src/Shop.Domain/Order.cs", b"class Order { }")]).await;
    for tool in structured_tools() {
        let answer = session.structured(tool.name, good(tool)).await;
        let needs_engine = tool.errors.contains(&Code::EngineUnavailable);
        assert_eq!(
            code(&answer) == "engine_unavailable",
            needs_engine,
            "{}: {answer}",
            tool.name
        );
    }
}

#[tokio::test]
async fn too_many_paths_and_oversized_files_are_refused() {
    let session =
        Session::indexed(&[("a.cs", b"class A { }"), ("big.cs", &vec![b' '; 17 << 20])]).await;
    let many: Vec<String> = (0..101).map(|i| format!("{i}.cs")).collect();
    let answer = session
        .structured("index_files", json!({ "paths": many }))
        .await;
    assert_eq!(code(&answer), "too_large");
    let answer = session
        .structured("index_files", json!({ "paths": &many[..100] }))
        .await;
    assert_eq!(
        answer["errors"].as_array().unwrap().len(),
        100,
        "a hundred are taken"
    );
    let answer = session
        .structured(
            "index_files",
            json!({ "paths": ["big.cs", "a.cs", "a\u{0}.cs", "../b.cs"] }),
        )
        .await;
    let errors: Vec<&str> = answer["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["code"].as_str().unwrap())
        .collect();
    assert_eq!(
        (errors, &answer["indexed"]),
        (
            vec!["too_large", "invalid_parameter", "path_escape"],
            &json!(1)
        )
    );
    std::fs::File::create(session.root.path().join("huge.txt"))
        .unwrap()
        .set_len((64 << 20) + 1)
        .unwrap();
    let answer = session
        .structured("read_file", json!({ "path": "huge.txt" }))
        .await;
    assert_eq!(answer["error"]["code"], "too_large");
}
