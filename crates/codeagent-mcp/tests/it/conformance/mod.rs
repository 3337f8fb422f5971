//! The protocol's conformance suite, run over HTTP in both eras of the protocol.
//!
//! It runs against two servers:
//!
//! * The product, with the scenarios that need nothing but a server. Expected failures are listed
//!   with reasons in the revision's `yml` file.
//! * A fixture with the tools, prompts and resources that all other scenarios need; it must pass
//!   every one, including tasks. It uses the product's own layers (`http::accept`, `guarded`,
//!   `endpoint`) with one difference: the product keeps no state between requests, while the
//!   fixture keeps sessions for revisions before 2026-07-28, because its tools send requests to
//!   their clients.
//!
//! The suite is an npm package, so it runs only if `CODEAGENT_CONFORMANCE` holds the command that
//! starts it (docs/CONTRIBUTING.md). Otherwise the fixture is only listed and called over a pipe.
//!
//! Limitations: the suite tests HTTP only.

#![allow(
    clippy::print_stdout,
    reason = "what the suite counted is worth reading"
)]
#![allow(
    deprecated,
    reason = "the suite asks for what the newest revision deprecates"
)]

mod fixture;
mod rounds;
mod tasks;

use std::path::{Path, PathBuf};
use std::process::Command;

use axum::Router;
use codeagent_mcp::http::{
    ENDPOINT, HttpOptions, Sessions, Stop, accept, endpoint, guarded, router,
};
use codeagent_mcp::server::Server;
use codeagent_mcp::state::State;
use codeagent_workspace::DataRoot;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, GetPromptRequestParams, ReadResourceRequestParams};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::json;
use tokio::net::TcpListener;

use crate::conformance::fixture::Fixture;

const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// Returns the command that starts the suite, if it is to run.
fn suite() -> Option<Command> {
    let words = std::env::var("CODEAGENT_CONFORMANCE").ok()?;
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next()?);
    command.args(words);
    Some(command)
}

/// Runs the suite on a server; returns whether it exited successfully, and its output.
fn judge(mut suite: Command, url: &str, revision: &str, known: Option<PathBuf>) -> (bool, String) {
    let outcome = tempfile::tempdir().unwrap();
    suite
        .args(["server", "--url", url, "--requirements", revision, "-o"])
        .arg(outcome.path());
    if let Some(known) = known {
        suite.arg("--expected-failures").arg(known);
    }
    let output = suite.output().unwrap();
    (
        output.status.success(),
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
    )
}

/// Starts a server and runs the suite on it, once per revision.
async fn judged(
    routes: impl FnOnce(HttpOptions, &Stop) -> Router,
    known: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<(bool, String)> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let options = HttpOptions {
        address,
        hosts: Vec::new(),
        origins: Vec::new(),
        token: None,
        legacy_sse: false,
    };
    let stop = Stop::default();
    let serving = tokio::spawn(accept(listener, routes(options, &stop), stop.clone()));
    let url = format!("http://{address}{ENDPOINT}");
    let mut verdicts = Vec::new();
    for revision in REVISIONS {
        let (url, known) = (url.clone(), known(revision));
        let verdict =
            tokio::task::spawn_blocking(move || judge(suite().unwrap(), &url, revision, known));
        verdicts.push(verdict.await.unwrap());
    }
    stop.now();
    serving.await.unwrap();
    verdicts
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_fixture_passes_every_scenario_on_the_products_transport() {
    if suite().is_none() {
        return;
    }
    let routes = |options, stop: &Stop| {
        let sessions = Sessions::kept(LocalSessionManager::default());
        guarded(
            endpoint(ENDPOINT, Fixture::default(), sessions, stop),
            options,
        )
    };
    for (is_passed, printed) in judged(routes, |_| None).await {
        // The exit code covers only scored scenarios.
        let total = printed
            .lines()
            .rfind(|line| line.starts_with("Total: "))
            .unwrap_or(&printed);
        assert!(is_passed && total.ends_with(" 0 failed"), "{printed}");
        println!("{total}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_product_passes_the_scenarios_without_a_fixture() {
    if suite().is_none() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("a.ts"), "export function f() {}\n").unwrap();
    let state = State::open(root.path(), DataRoot::at(root.path().join(".codeagent"))).unwrap();
    state.start();
    let server = Server::new(state.clone());
    let known = |revision: &str| {
        Some(
            Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(format!("tests/it/conformance/{revision}.yml")),
        )
    };
    for (is_passed, printed) in judged(|options, stop| router(server, options, stop), known).await {
        assert!(is_passed, "{printed}");
    }
    state.close();
}

#[tokio::test]
async fn the_fixture_can_be_read_and_called() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let serving = tokio::spawn(async move {
        Fixture::default()
            .serve(ours)
            .await
            .unwrap()
            .waiting()
            .await
    });
    let client = ().serve(theirs).await.unwrap();
    let tools = client.list_all_tools().await.unwrap();
    let mut answered = 0;
    for tool in &tools {
        // Tools that send requests to the client fail with this client; those that need tasks do
        // too.
        let call = CallToolRequestParams::new(tool.name.clone())
            .with_arguments(json!({ "seconds": 0 }).as_object().unwrap().clone());
        answered += usize::from(client.call_tool(call).await.is_ok());
    }
    assert!(
        tools.len() > 30 && answered > 20,
        "{answered} of {}",
        tools.len()
    );
    for prompt in client.list_all_prompts().await.unwrap() {
        client
            .get_prompt(GetPromptRequestParams::new(prompt.name.clone()))
            .await
            .unwrap();
    }
    for resource in client.list_all_resources().await.unwrap() {
        client
            .read_resource(ReadResourceRequestParams::new(resource.uri.clone()))
            .await
            .unwrap();
    }
    assert_eq!(client.list_all_resource_templates().await.unwrap().len(), 1);
    client.cancel().await.unwrap();
    serving.await.unwrap().unwrap();
}
