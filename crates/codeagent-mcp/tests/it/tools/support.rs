//! A repository, a server over it, and a client.

use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use codeagent_core::engine::{Engine, EngineOptions};
use codeagent_mcp::server::Server;
use codeagent_mcp::state::State;
use codeagent_mcp::tools;
use codeagent_testkit::files::{copy_shop, write_file};
use codeagent_workspace::{DataRoot, WriterLock};
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult, ClientRequest, CustomRequest};
use rmcp::service::{RoleClient, RunningService};
use serde_json::Value;

use crate::tools::schema::violations;

/// Returns the data root of a test: never the user's own.
pub fn home(root: &Path) -> DataRoot {
    DataRoot::at(root.join(".codeagent"))
}

pub struct Peer {
    pub client: RunningService<RoleClient, ()>,
}

/// A client with its server and repository.
pub struct Session {
    peer: Peer,
    pub root: tempfile::TempDir,
    pub state: Arc<State>,
    /// Held so that the server only reads.
    _lock: Option<WriterLock>,
}

impl Deref for Session {
    type Target = Peer;

    fn deref(&self) -> &Peer {
        &self.peer
    }
}

/// A client of another server over the same repository.
pub struct Another {
    peer: Peer,
    pub state: Arc<State>,
}

impl Deref for Another {
    type Target = Peer;

    fn deref(&self) -> &Peer {
        &self.peer
    }
}

impl Another {
    pub fn close(&self) {
        self.state.close();
    }
}

impl Session {
    /// Starts a server over a repository of these files, without an engine.
    pub async fn over(files: &[(&str, &[u8])]) -> Self {
        let root = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            write_file(root.path(), path, bytes);
        }
        let state = State::open(root.path(), home(root.path())).unwrap();
        Self {
            peer: Peer::of(&state).await,
            root,
            state,
            _lock: None,
        }
    }

    /// Like [`Session::over`], with a complete index.
    pub async fn indexed(files: &[(&str, &[u8])]) -> Self {
        let session = Self::over(files).await;
        session.state.start();
        session.state.wait();
        session
    }

    /// Like [`Session::over`], with a complete index that no service keeps up to date.
    pub async fn left_behind(files: &[(&str, &[u8])]) -> Self {
        let mut session = Self::over(files).await;
        let home = home(session.root.path());
        let engine = Engine::open(
            session.root.path(),
            EngineOptions {
                home: home.clone(),
                ..EngineOptions::default()
            },
        )
        .unwrap();
        engine.index(&|_| {}).unwrap();
        let data = engine.data().clone();
        engine.close().unwrap();
        session._lock = Some(data.lock_writer().unwrap());
        session.state.start();
        session.state.wait();
        session
    }

    /// Starts a second server over the same repository.
    pub async fn another(&self) -> Another {
        let state = State::open(self.root.path(), home(self.root.path())).unwrap();
        state.start();
        state.wait();
        Another {
            peer: Peer::of(&state).await,
            state,
        }
    }

    pub fn write(&self, path: &str, text: &str) {
        write_file(self.root.path(), path, text);
    }

    /// Closes the index, as the end of the process does.
    pub fn close(&self) {
        self.state.close();
    }
}

impl Peer {
    /// Returns a client of a server with this state.
    pub async fn of(state: &Arc<State>) -> Self {
        Self {
            client: connect(Arc::clone(state)).await,
        }
    }

    /// Returns a client of the server over the shop, which all tests share and none changes.
    pub async fn shop() -> Self {
        static SHOP: OnceLock<Arc<State>> = OnceLock::new();
        let state = SHOP.get_or_init(|| {
            let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shop");
            std::fs::remove_dir_all(&root).ok();
            copy_shop(&root);
            let state = State::open(&root, home(&root)).unwrap();
            state.start();
            state.wait();
            state
        });
        Self::of(state).await
    }

    /// Returns the result of a call, after checking it against the tool's output schema.
    pub async fn raw(&self, tool: &str, arguments: Value) -> CallToolResult {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        let result = self
            .client
            .call_tool(CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments))
            .await
            .unwrap();
        assert_conforms(tool, &result);
        result
    }

    /// Returns the structured result of a call.
    pub async fn structured(&self, tool: &str, arguments: Value) -> Value {
        self.raw(tool, arguments).await.structured_content.unwrap()
    }

    /// Returns the error of a request that is not part of the protocol.
    pub async fn custom(&self, method: &str, parameters: Value) -> String {
        let request = ClientRequest::CustomRequest(CustomRequest::new(method, Some(parameters)));
        self.client
            .send_request(request)
            .await
            .map(|_| ())
            .unwrap_err()
            .to_string()
    }

    /// Returns the texts of all content blocks; errors are marked.
    pub async fn ask(&self, tool: &str, arguments: Value) -> String {
        let result = self.raw(tool, arguments).await;
        let texts: Vec<&str> = result
            .content
            .iter()
            .filter_map(|block| block.as_text())
            .map(|text| text.text.as_str())
            .collect();
        format!(
            "{}{}",
            if result.is_error == Some(true) {
                "error: "
            } else {
                ""
            },
            texts.join("\n")
        )
    }
}

/// Iterates over the tools with structured content.
pub fn structured_tools() -> impl Iterator<Item = &'static tools::Tool> {
    tools::all().filter(|tool| !tools::text::TOOLS.iter().any(|text| text.name == tool.name))
}

/// Asserts that structured content matches the tool's output schema, that the texts say the same,
/// and that an error is one that the tool documents.
pub fn assert_conforms(name: &str, result: &CallToolResult) {
    let tool = tools::find(name).unwrap();
    let content = result.structured_content.as_ref().unwrap();
    let violations = violations(&Value::Object(tool.output.schema()), content, name);
    assert!(violations.is_empty(), "{}", violations.join("\n"));
    let mut answer = serde_json::Map::new();
    for block in &result.content {
        let text = &block.as_text().unwrap().text;
        match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => answer.extend(fields),
            Ok(list @ Value::Array(_)) => drop(answer.insert("results".to_owned(), list)),
            _ => drop(answer.insert("compact".to_owned(), text.as_str().into())),
        }
    }
    assert_eq!(&Value::Object(answer), content, "{name}");
    assert_eq!(
        result.is_error == Some(true),
        content.get("error").is_some(),
        "{name}"
    );
    if let Some(error) = content.get("error") {
        assert!(
            tool.errors
                .iter()
                .any(|code| error["code"] == code.as_str()),
            "{name}: {error}"
        );
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.state.close();
    }
}

pub async fn connect(state: Arc<State>) -> RunningService<RoleClient, ()> {
    connect_to(Server::new(state)).await
}

/// Connects a client to a server.
pub async fn connect_to(server: Server) -> RunningService<RoleClient, ()> {
    let (server_end, client_end) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        if let Ok(server) = server.serve(server_end).await {
            server.waiting().await.ok();
        }
    });
    ().serve(client_end).await.unwrap()
}
