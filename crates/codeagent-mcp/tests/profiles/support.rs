//! A repository, a server of a profile over it and a client that talks to it.

use std::path::Path;
use std::sync::Arc;

use codeagent_mcp::profiles::{Options, Profile, ToolSet};
use codeagent_mcp::server::Server;
use codeagent_mcp::state::State;
use codeagent_workspace::DataHome;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use serde_json::{Value, json};

/// A client and what its server is about: `root` lies in `outer`, which also holds what must not be touched.
pub struct Session {
    pub client: RunningService<RoleClient, ()>,
    pub outer: tempfile::TempDir,
    pub state: Arc<State>,
}

impl Session {
    /// A server of a profile over a repository of these files.
    pub async fn of(profile: &str, files: &[(&str, &str)]) -> Self {
        Self::with(profile, Options::default(), files).await
    }

    pub async fn with(profile: &str, options: Options, files: &[(&str, &str)]) -> Self {
        let outer = tempfile::tempdir().unwrap();
        std::fs::create_dir(outer.path().join("outside")).unwrap();
        std::fs::create_dir(outer.path().join("repo-evil")).unwrap();
        for secret in ["outside/secret", "repo-evil/secret"] {
            std::fs::write(outer.path().join(secret), "SECRET").unwrap();
        }
        let root = outer.path().join("repo");
        std::fs::create_dir(&root).unwrap();
        for (path, text) in files {
            write(&root, path, text);
        }
        let state = State::open(&root, DataHome::at(outer.path().join("data"))).unwrap();
        let client = client(&state, ToolSet::new(Profile::of(profile).unwrap(), options)).await;
        Self { client, outer, state }
    }

    pub fn root(&self) -> std::path::PathBuf {
        self.outer.path().canonicalize().unwrap().join("repo")
    }

    /// An absolute path in the root.
    pub fn at(&self, path: &str) -> String {
        self.root().join(path).display().to_string()
    }

    pub fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root().join(path)).ok()
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        self.client.call_tool(CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)).await
    }

    /// The structured result of a call, the same as its text; an error of the protocol as `{"error":{"code","message","data"}}`.
    pub async fn json(&self, tool: &str, arguments: Value) -> Value {
        match self.call(tool, arguments).await {
            Ok(result) => {
                let value = result.structured_content.clone().unwrap();
                assert_eq!(serde_json::from_str::<Value>(&text_of(&result)).unwrap(), value, "text and structured result say the same");
                // What older revisions have as an error of the protocol.
                if value["data"]["error_code"].is_string() { json!({ "error": value }) } else { value }
            }
            Err(ServiceError::McpError(error)) => {
                json!({ "error": { "code": error.code.0, "message": error.message, "data": error.data } })
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// The text of a call.
    pub async fn told(&self, tool: &str, arguments: Value) -> String {
        text_of(&self.call(tool, arguments).await.unwrap())
    }

    /// Nothing outside of the root was made, changed or removed.
    pub fn outside_is_untouched(&self) {
        for folder in ["outside", "repo-evil"] {
            let names: Vec<_> =
                std::fs::read_dir(self.outer.path().join(folder)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(names, ["secret"], "{folder}");
            assert_eq!(std::fs::read_to_string(self.outer.path().join(folder).join("secret")).unwrap(), "SECRET");
        }
    }

    /// Links and other things that a repository may hold to lead a tool astray.
    pub fn plant(&self) {
        let root = self.root();
        let link = |target: &Path, name: &str| std::os::unix::fs::symlink(target, root.join(name)).unwrap();
        link(&self.outer.path().join("outside/secret"), "to-secret");
        link(&self.outer.path().join("outside"), "to-outside");
        link(&self.outer.path().join("outside/new"), "to-nowhere");
        link(Path::new("circle"), "circle");
        link(Path::new("/proc/self/cwd/Cargo.toml"), "to-proc");
        link(Path::new("/dev/zero"), "to-zero");
        let made = std::process::Command::new("mkfifo").arg(root.join("pipe")).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo is part of every Unix");
    }
}

/// A client of a server of its own.
pub async fn client(state: &Arc<State>, tools: ToolSet) -> RunningService<RoleClient, ()> {
    let server = Server::of(Arc::clone(state), tools);
    let (server_end, client_end) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        if let Ok(running) = server.serve(server_end).await {
            running.waiting().await.ok();
        }
    });
    ().serve(client_end).await.unwrap()
}

pub fn text_of(result: &CallToolResult) -> String {
    let texts: Vec<&str> = result.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.as_str()).collect();
    texts.join("\n")
}

pub fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
