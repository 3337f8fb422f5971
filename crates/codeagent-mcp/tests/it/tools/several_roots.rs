//! A server over several repositories: which of them answer, and when they are open.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use codeagent_files::{Options, Profile, ToolSet};
use codeagent_mcp::repositories::Repositories;
use codeagent_mcp::roots::{Opening, Roots};
use codeagent_mcp::server::Server;
use codeagent_mcp::state::Indexing;
use codeagent_testkit::files::write_file;
use codeagent_workspace::DataRoot;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Value, json};

use crate::tools::support::connect_to;

const NAMES: [&str; 3] = ["orders", "prices", "web"];

/// Three repositories. `total` is in two of them, `only_NAME` in one.
struct Place {
    outer: tempfile::TempDir,
}

struct Session {
    client: RunningService<RoleClient, ()>,
    repositories: Arc<Repositories>,
}

impl Place {
    fn new() -> Self {
        let place = Self {
            outer: tempfile::tempdir().unwrap(),
        };
        for name in NAMES {
            let total = if name == "web" { "sum" } else { "total" };
            let text = format!(
                "/** Adds up {name}. */\nexport function {total}(items: number[]) {{ return items.length }}\n\
                 export function only_{name}() {{ return {total}([]) }}\n"
            );
            write_file(&place.folder(name), "src/a.ts", text);
        }
        place
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.outer.path().canonicalize().unwrap().join(name)
    }

    /// Starts a server of these repositories. Each server has indexes of its own.
    async fn serve(&self, names: &[&str], profile: Profile) -> Session {
        let home = format!("data/{}/{}", names.join("+"), profile.as_str());
        let opening = Opening {
            home: DataRoot::at(self.outer.path().join(home)),
            indexing: Indexing::default(),
            is_indexed: true,
        };
        let folders: Vec<PathBuf> = names.iter().map(|name| self.folder(name)).collect();
        let repositories = Repositories::named(&folders, &opening).unwrap();
        let tools = ToolSet::new(profile, Options::default());
        Session {
            client: connect_to(Server::about(Arc::clone(&repositories), tools)).await,
            repositories,
        }
    }
}

impl Session {
    async fn call(&self, tool: &str, arguments: Value) -> Value {
        let request = CallToolRequestParams::new(tool.to_owned())
            .with_arguments(arguments.as_object().cloned().unwrap());
        let result = self.client.call_tool(request).await.unwrap();
        let text = || result.content[0].as_text().unwrap().text.clone();
        result.structured_content.unwrap_or_else(|| text().into())
    }

    fn roots(&self) -> Arc<Roots> {
        self.repositories.known_roots().unwrap()
    }

    fn open(&self) -> Vec<String> {
        let roots = self.roots();
        let open = roots.iter().filter(|root| root.is_open());
        open.map(|root| root.name.clone()).collect()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.repositories.close();
    }
}

/// Returns the answer of each repository, without its name.
fn by_repository(answer: &Value) -> BTreeMap<String, Value> {
    let parts = answer["repositories"].as_array().cloned();
    let parts = parts.unwrap_or_else(|| vec![answer.clone()]);
    let named = parts.into_iter().filter_map(|mut part| {
        let name = part.as_object_mut()?.remove("repo")?;
        Some((name.as_str()?.to_owned(), part))
    });
    named.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn several_repositories_answer_as_each_does_alone() {
    let place = Place::new();
    let all = place.serve(&NAMES, Profile::Index).await;
    let mut alone = Vec::new();
    for name in NAMES {
        alone.push((name, place.serve(&[name], Profile::Index).await));
    }

    let mut asked = 0;
    for symbol in [
        "total",
        "sum",
        "only_orders",
        "only_web",
        "nowhere",
        "src/a.ts:2",
    ] {
        for (tool, argument) in [
            ("search_symbols", "query"),
            ("lookup_symbol", "qualified_name"),
            ("get_symbol", "node_id"),
            ("get_callers", "node_id"),
            ("get_callees", "node_id"),
            ("get_references", "node_id"),
            ("get_source_spans", "node_id"),
            ("find_similar", "node_id"),
        ] {
            let arguments = json!({ argument: symbol });
            let merged = all.call(tool, arguments.clone()).await;
            let merged = by_repository(&merged);
            let several = merged.len() > 1;
            for (name, session) in &alone {
                let single = session.call(tool, arguments.clone()).await;
                let is_absent = !single["error"].is_null()
                    || (single["results"] == json!([])
                        && matches!(tool, "search_symbols" | "lookup_symbol"));
                let mut part = merged.get(*name).cloned();
                if let (Some(part), false) = (&mut part, several) {
                    // The only answer also says what the others lack.
                    part["note"] = single["note"].clone();
                    if part["note"].is_null() {
                        part.as_object_mut().unwrap().remove("note");
                    }
                }
                assert_eq!(
                    part,
                    Some(single).filter(|_| !is_absent),
                    "{tool} {symbol} {name}"
                );
            }
            asked += 1;
        }
    }
    assert_eq!(asked, 48);
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_say_which_repository_and_which_has_none() {
    let place = Place::new();
    let session = place.serve(&NAMES, Profile::Index).await;
    let one = session
        .call("get_symbol", json!({ "node_id": "only_web" }))
        .await;
    assert_eq!(one["repo"], "web");
    let note = one["note"].as_str().unwrap();
    assert!(note.starts_with("orders, prices: no symbol"), "{note}");

    let named = json!({ "node_id": "total", "repo": "prices" });
    let named = session.call("get_callers", named).await;
    assert_eq!(named["repo"], "prices");
    assert_eq!(named["results"].as_array().unwrap().len(), 1, "{named}");

    let path = place.folder("orders").join("src/a.ts");
    let file = session.call("read_file", json!({ "path": path })).await;
    assert_eq!(file["repo"], "orders", "{file}");

    let missing = session
        .call("get_symbol", json!({ "node_id": "nowhere" }))
        .await;
    let message = missing["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("orders, prices, web: "), "{message}");

    let unknown = json!({ "node_id": "total", "repo": "mail" });
    let unknown = session.call("get_symbol", unknown).await;
    let message = unknown["error"]["message"].as_str().unwrap();
    assert!(message.ends_with("orders, prices, web"), "{message}");

    for (tool, arguments) in [
        ("get_callers", json!({ "node_id": "total", "cursor": "x" })),
        ("index_files", json!({ "paths": ["src/a.ts"] })),
    ] {
        let refused = session.call(tool, arguments).await;
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("pass `repo`"), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_several_repositories_share_the_budget() {
    let place = Place::new();
    let session = place.serve(&NAMES, Profile::Agent).await;
    let explored = session.call("explore", json!({ "query": "total" })).await;
    let text = explored.as_str().unwrap();
    assert!(
        text.contains("# orders\n") && text.contains("# prices\n") && !text.contains("# web\n"),
        "{text}"
    );
    assert!(text.contains("web: no symbol"), "{text}");

    let short = json!({ "query": "total", "max_chars": 600 });
    let short = session.call("explore", short).await;
    assert!(short.as_str().unwrap().chars().count() <= 600, "{short}");

    let data = json!({ "query": "total", "format": "json" });
    let data = session.call("explore", data).await;
    let data: Value = serde_json::from_str(data.as_str().unwrap()).unwrap();
    assert_eq!(data["repositories"][1]["repo"], "prices", "{data}");
}

#[tokio::test(flavor = "multi_thread")]
async fn repositories_are_opened_when_asked_and_closed_when_unused() {
    let place = Place::new();
    let session = place.serve(&NAMES, Profile::Index).await;
    let status = session.call("get_status", json!({})).await;
    assert_eq!(by_repository(&status).len(), 3);
    assert_eq!(session.open(), Vec::<String>::new());

    let one = json!({ "node_id": "only_web", "repo": "web" });
    session.call("get_symbol", one.clone()).await;
    assert_eq!(session.open(), ["web"]);

    session.roots().close_unused(Duration::from_secs(600));
    assert_eq!(session.open(), ["web"]);
    session.roots().close_unused(Duration::ZERO);
    assert_eq!(session.open(), Vec::<String>::new());

    // What changed meanwhile is found when the repository is opened again.
    write_file(
        &place.folder("web"),
        "src/b.ts",
        "export function added() {}\n",
    );
    let added = json!({ "node_id": "added", "repo": "web" });
    let added = session.call("get_symbol", added).await;
    assert_eq!(added["name"], "added", "{added}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_one_repository_changes_no_other() {
    let place = Place::new();
    let session = place.serve(&NAMES, Profile::Index).await;
    let asked = json!({ "node_id": "total" });
    let before = by_repository(&session.call("get_callers", asked.clone()).await);
    write_file(
        &place.folder("orders"),
        "src/b.ts",
        "import { total } from './a'\nexport function again() { return total([]) }\n",
    );
    let after = by_repository(&session.call("get_callers", asked).await);
    assert_eq!(after["orders"]["results"].as_array().unwrap().len(), 2);
    assert_eq!(after["prices"], before["prices"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_have_the_argument_only_if_there_are_several_repositories() {
    let place = Place::new();
    for profile in [
        Profile::Index,
        Profile::Agent,
        Profile::Workspace,
        Profile::Local,
    ] {
        for (names, is_listed) in [(&NAMES[..], true), (&NAMES[..1], false)] {
            let session = place.serve(names, profile).await;
            for tool in session.client.list_all_tools().await.unwrap() {
                let repo = tool.input_schema["properties"].get("repo");
                assert_eq!(repo.is_some(), is_listed, "{}", tool.name);
            }
            let instructions = session.client.peer_info().unwrap().instructions.clone();
            assert_eq!(
                instructions
                    .unwrap_or_default()
                    .contains("orders, prices, web"),
                is_listed
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn file_tools_change_only_the_repository_that_is_meant() {
    let place = Place::new();
    let session = place.serve(&NAMES, Profile::Workspace).await;
    let write = |path: &str, repo: Option<&str>| {
        let mut arguments = json!({ "file": path, "content": "changed\n" });
        if let Some(repo) = repo {
            arguments["repo"] = repo.into();
        }
        arguments
    };
    let text = |name: &str| std::fs::read_to_string(place.folder(name).join("src/new.txt")).ok();

    let refused = session.call("write_file", write("src/new.txt", None)).await;
    assert!(refused.to_string().contains("pass `repo`"), "{refused}");
    assert_eq!(NAMES.map(text), [None, None, None]);

    session
        .call("write_file", write("src/new.txt", Some("prices")))
        .await;
    assert_eq!(NAMES.map(text), [None, Some("changed\n".to_owned()), None]);

    let outside = place.folder("web").join("src/new.txt");
    let outside = outside.to_str().unwrap();
    let refused = session
        .call("write_file", write(outside, Some("orders")))
        .await;
    assert_eq!(text("web"), None, "{refused}");
    let refused = session
        .call("write_file", write("../web/src/new.txt", Some("orders")))
        .await;
    assert_eq!(text("web"), None, "{refused}");
}
