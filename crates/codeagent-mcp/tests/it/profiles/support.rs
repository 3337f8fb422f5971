//! A repository, a server with a profile over it, and a client.

use std::path::Path;
use std::sync::Arc;

use codeagent_files::{Options, Profile, ToolSet};
use codeagent_mcp::server::Server;
use codeagent_mcp::state::State;
pub use codeagent_testkit::files::write_file;
use codeagent_workspace::DataRoot;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use serde_json::{Value, json};

/// A client with its server and repository: the root is in `outer`, beside files that must not be
/// touched.
pub struct Session {
    pub client: RunningService<RoleClient, ()>,
    pub outer: tempfile::TempDir,
    pub state: Arc<State>,
}

impl Session {
    /// Starts a server with a profile over a repository of these files.
    pub async fn of(profile: &str, files: &[(&str, &str)]) -> Self {
        Self::with(profile, Options::default(), files).await
    }

    pub async fn with(profile: &str, options: Options, files: &[(&str, &str)]) -> Self {
        Self::below(tempfile::tempdir().unwrap(), profile, options, files).await
    }

    /// Like [`Session::with`], in the given folder.
    pub async fn below(
        outer: tempfile::TempDir,
        profile: &str,
        options: Options,
        files: &[(&str, &str)],
    ) -> Self {
        std::fs::create_dir(outer.path().join("outside")).unwrap();
        std::fs::create_dir(outer.path().join("repo-evil")).unwrap();
        for secret in ["outside/secret", "repo-evil/secret"] {
            std::fs::write(outer.path().join(secret), "SECRET").unwrap();
        }
        let root = outer.path().join("repo");
        std::fs::create_dir(&root).unwrap();
        for (path, text) in files {
            write_file(&root, path, text);
        }
        let state = State::open(&root, DataRoot::at(outer.path().join("data"))).unwrap();
        let client = client(&state, ToolSet::new(Profile::of(profile).unwrap(), options)).await;
        Self {
            client,
            outer,
            state,
        }
    }

    pub fn root(&self) -> std::path::PathBuf {
        self.outer.path().canonicalize().unwrap().join("repo")
    }

    /// Returns the absolute path of a file in the root.
    pub fn at(&self, path: &str) -> String {
        self.root().join(path).display().to_string()
    }

    pub fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root().join(path)).ok()
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        self.client
            .call_tool(CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments))
            .await
    }

    /// Returns the structured result of a call, after checking that the text says the same; a
    /// protocol error becomes `{"error":{"code","message","data"}}`.
    pub async fn json(&self, tool: &str, arguments: Value) -> Value {
        match self.call(tool, arguments).await {
            Ok(result) => {
                let value = result.structured_content.clone().unwrap();
                assert_eq!(
                    serde_json::from_str::<Value>(&text_of(&result)).unwrap(),
                    value,
                    "text and structured result say the same"
                );
                // An error result, which older revisions send as a protocol error.
                if value["data"]["error_code"].is_string() {
                    json!({ "error": value })
                } else {
                    value
                }
            }
            Err(ServiceError::McpError(error)) => {
                json!({ "error": { "code": error.code.0, "message": error.message, "data": error.data } })
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns a client of another profile over the same repository.
    pub async fn beside(&self, profile: &str) -> Beside {
        Beside(
            client(
                &self.state,
                ToolSet::new(Profile::of(profile).unwrap(), Options::default()),
            )
            .await,
        )
    }

    /// Returns the structured result of a call, whatever its text.
    pub async fn structured(&self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments)
            .await
            .unwrap()
            .structured_content
            .unwrap()
    }

    /// Returns `ok`, or the code of the call's error.
    pub async fn word(&self, tool: &str, arguments: Value) -> String {
        word(self.call(tool, arguments).await)
    }

    /// Returns the text of a call.
    pub async fn call_text(&self, tool: &str, arguments: Value) -> String {
        text_of(&self.call(tool, arguments).await.unwrap())
    }

    /// Asserts that nothing outside the root was created, changed or removed.
    pub fn outside_is_untouched(&self) {
        for folder in ["outside", "repo-evil"] {
            let names: Vec<_> = std::fs::read_dir(self.outer.path().join(folder))
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
                .collect();
            assert_eq!(names, ["secret"], "{folder}");
            assert_eq!(
                std::fs::read_to_string(self.outer.path().join(folder).join("secret")).unwrap(),
                "SECRET"
            );
        }
    }

    /// Creates links and other things that could lead a tool astray.
    pub fn plant(&self) {
        let root = self.root();
        let link = |target: &Path, name: &str| {
            std::os::unix::fs::symlink(target, root.join(name)).unwrap()
        };
        link(&self.outer.path().join("outside/secret"), "to-secret");
        link(&self.outer.path().join("outside"), "to-outside");
        link(&self.outer.path().join("outside/new"), "to-nowhere");
        link(Path::new("circle"), "circle");
        link(Path::new("/proc/self/cwd/Cargo.toml"), "to-proc");
        link(Path::new("/dev/zero"), "to-zero");
        link(&Path::new("/proc/self/root").join("etc/passwd"), "to-root");
        link(Path::new("/proc/self/environ"), "to-environment");
        link(Path::new("/proc/self/fd/3"), "to-handle");
        link(Path::new("/dev/fd/0"), "to-input");
        let made = std::process::Command::new("mkfifo")
            .arg(root.join("pipe"))
            .status();
        assert!(
            made.is_ok_and(|status| status.success()),
            "mkfifo is part of every Unix"
        );
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Without this, dropping would wait for the index service.
        self.state.close();
    }
}

/// A client of another profile.
pub struct Beside(RunningService<RoleClient, ()>);

impl Beside {
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        self.0
            .call_tool(CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments))
            .await
    }

    pub async fn word(&self, tool: &str, arguments: Value) -> String {
        word(self.call(tool, arguments).await)
    }
}

/// Returns `ok` or the error's code, wherever the profile puts it.
pub fn word(answer: Result<CallToolResult, ServiceError>) -> String {
    let data = match answer {
        Ok(result) => match &result.structured_content {
            Some(value) => {
                let codes = ["/error/code", "/errors/0/code", "/data/error_code"]
                    .map(|at| value.pointer(at).and_then(Value::as_str));
                return codes
                    .into_iter()
                    .flatten()
                    .next()
                    .unwrap_or("ok")
                    .to_owned();
            }
            // The `local` profile puts it in the text.
            None => {
                let text = text_of(&result);
                if text.starts_with("Input validation error") {
                    return "invalid".to_owned();
                }
                return text
                    .split("errorCode: \"")
                    .nth(1)
                    .and_then(|rest| rest.split('"').next())
                    .unwrap_or("ok")
                    .to_owned();
            }
        },
        Err(ServiceError::McpError(error)) => error.data,
        Err(error) => panic!("{error}"),
    };
    data.and_then(|data| data["error_code"].as_str().map(str::to_owned))
        .unwrap_or_else(|| "protocol".to_owned())
}

/// Returns a client with a server of its own.
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
    let texts: Vec<&str> = result
        .content
        .iter()
        .filter_map(|block| block.as_text())
        .map(|text| text.text.as_str())
        .collect();
    texts.join("\n")
}
