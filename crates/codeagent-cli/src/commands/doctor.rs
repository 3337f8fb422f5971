//! `codeagent doctor`: checks the setup and names the command that fixes each problem.
//!
//! Limitations: changes nothing. Only a client itself can tell whether it really starts the server.

use std::process::ExitCode;

use clap::Args;
use codeagent_core::engine::IndexReader;
use codeagent_core::service::{ipc, quick_check};
use codeagent_core::{engine, query};
use codeagent_mcp::http;
use codeagent_render::staleness_text;
use codeagent_workspace::{DataDir, DataRoot, WatchError, Watcher, Workspace};
use serde_json::json;

use crate::clients::{CLIENTS, EntryState};
use crate::commands::{Root, model, report};
use crate::error::message;
use crate::exit;
use crate::output::{self, count};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Print versions, sizes and timings for a bug report; no paths, names or code
    #[arg(long)]
    report: bool,
}

/// The line of a check, and whether it is a problem.
struct Finding {
    line: String,
    is_wrong: bool,
}

fn ok_finding(line: impl Into<String>) -> Finding {
    Finding {
        line: line.into(),
        is_wrong: false,
    }
}

fn bad_finding(line: impl Into<String>) -> Finding {
    Finding {
        line: line.into(),
        is_wrong: true,
    }
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if arguments.report {
        let lines = report::lines(root);
        if root.json {
            output::json(&json!({ "results": lines, "notes": [] }))?;
        } else {
            output::lines(lines)?;
        }
        return Ok(ExitCode::SUCCESS);
    }

    let mut findings = vec![ok_finding(versions())];
    if let Ok(differences) = engine::sqlite_differences()
        && !differences.is_empty()
    {
        let how =
            "parallel queries wait for each other; see docs/embedding.md for how to compile it";
        findings.push(ok_finding(format!(
            "SQLite: compiled {}; {how}",
            differences.join(", ")
        )));
    }

    findings.extend(repository(root));
    findings.push(match model::test_model() {
        Ok(Some(model)) => ok_finding(format!("model: {model} works")),
        Ok(None) => ok_finding(
            "model: none, search compares words and letters; install one with \
             `codeagent model install --from-pip`",
        ),
        Err(error) => bad_finding(format!("model: {error}")),
    });
    findings.extend(clients());

    let is_fine = findings.iter().all(|finding| !finding.is_wrong);
    let code = if is_fine {
        ExitCode::SUCCESS
    } else {
        exit::FOUND.into()
    };

    if root.json {
        let rows: Vec<_> = findings
            .iter()
            .map(|finding| json!({ "ok": !finding.is_wrong, "text": finding.line }))
            .collect();
        output::json(&json!({ "results": rows, "notes": [] }))?;
        return Ok(code);
    }

    let lines = findings.iter().map(|finding| {
        format!(
            "{} {}",
            if finding.is_wrong { "!!" } else { "ok" },
            finding.line
        )
    });

    output::lines(lines)?;
    Ok(code)
}

pub fn versions() -> String {
    let grammars: Vec<String> = engine::grammars()
        .map(|(language, version)| format!("{} {version}", language.as_str()))
        .collect();
    let (layout, sqlite) = (engine::SCHEMA_VERSION, engine::sqlite_version());
    format!(
        "codeagent {}, index layout {layout}, SQLite {sqlite}, grammars of version {}",
        env!("CARGO_PKG_VERSION"),
        grammars.join(", ")
    )
}

fn repository(root: &Root) -> Vec<Finding> {
    let workspace = match Workspace::open(&root.folder) {
        Ok(workspace) => workspace,
        Err(error) => return vec![bad_finding(format!("{error}; pass a folder with --root"))],
    };
    if let Err(reason) = root.check() {
        return vec![bad_finding(format!("repository: {reason}"))];
    }

    let mut findings = vec![ok_finding(format!(
        "repository {}",
        workspace.root().display()
    ))];
    match workspace.clone().configured(false) {
        Ok(workspace) => findings.extend(
            workspace
                .config()
                .notes
                .iter()
                .map(|note| bad_finding(format!(".codeagent/config.json: {note}"))),
        ),
        Err(error) => findings.push(bad_finding(format!("{error}; fix .codeagent/config.json"))),
    }

    match DataRoot::default().data_dir(workspace.root()) {
        Ok(data) => {
            findings.push(ok_finding(format!("data in {}", data.path().display())));
            findings.extend(index_findings(&data));
        }
        Err(error) => findings.push(bad_finding(error.to_string())),
    }

    findings.push(watched(&workspace));
    findings.extend(index(root));
    findings
}

/// Reports the content of the index's folder, and the process that writes it.
fn index_findings(data: &DataDir) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let Ok(keeping) = ipc::writer_info(data) {
        findings.push(ok_finding(format!(
            "index: kept up to date by process {} (codeagent {})",
            keeping.process,
            keeping.role.as_str()
        )));
    }

    if data.has_database() {
        let checked = data.database().map_err(|error| error.to_string());
        findings.push(
            match checked
                .and_then(|path| engine::check_database(&path).map_err(|error| error.to_string()))
            {
                Ok(()) => ok_finding(
                    "index: consistent; `codeagent status --verify` compares it with a fresh one",
                ),
                Err(error) => {
                    bad_finding(format!("index: {error}; run `codeagent index --rebuild`"))
                }
            },
        );
    }

    match http::token_rights(data) {
        None => {}
        Some((true, _)) => findings.push(ok_finding("token for HTTP: only its owner can read it")),
        Some((false, path)) => {
            let path = path.display();
            findings.push(bad_finding(format!(
                "token for HTTP: others may have read {path}; remove it, and the next `codeagent \
                 mcp --http` creates a new one"
            )));
        }
    }

    findings
}

/// Reports whether the system can watch the repository.
fn watched(workspace: &Workspace) -> Finding {
    let folders = workspace.walk().folders;
    let failure = match Watcher::new(workspace, None) {
        Ok(watcher) => {
            watcher.watch_dirs(&folders);
            watcher
                .failure()
                .map(|error| (error.to_string(), matches!(error, WatchError::Limit)))
        }
        Err(error) => Some((error.to_string(), matches!(error, WatchError::Limit))),
    };

    match failure {
        None => ok_finding(format!(
            "watching: {} can be watched",
            count(folders.len() as u64, "folder")
        )),
        // A system without any watcher is not a problem.
        Some((error, is_wrong)) => Finding {
            line: format!("watching: {error}; polling the files instead"),
            is_wrong,
        },
    }
}

fn index(root: &Root) -> Vec<Finding> {
    let looked = root.answers().and_then(|answers: IndexReader| {
        let snapshot = answers.snapshot()?;
        let status = query::status(&snapshot, answers.vectors())?;
        Ok((
            status,
            query::failed_files(&snapshot)?,
            quick_check(&answers),
        ))
    });

    match looked {
        Err(error) => {
            let error = message(&error);
            let hint = if error.contains("`codeagent index") {
                ""
            } else {
                "; run `codeagent index`"
            };
            vec![bad_finding(format!("index: {error}{hint}"))]
        }
        Ok((status, failed, staleness)) => {
            let counts = status.counts;
            let files = count(counts.files - failed.len() as u64, "file");
            let mut findings = vec![ok_finding(format!(
                "index: {files}, {}",
                count(counts.symbols, "symbol")
            ))];

            if !staleness.is_none() {
                // Lack of time to compare the files is not a problem.
                let is_wrong = !staleness.everything || staleness.failure.is_some();
                let hint = if is_wrong {
                    "; run `codeagent index`"
                } else {
                    ""
                };

                findings.push(Finding {
                    line: format!("index: {}{hint}", staleness_text(&staleness)),
                    is_wrong,
                });
            }

            if !failed.is_empty() {
                let files = count(failed.len() as u64, "file");
                findings.push(bad_finding(format!(
                    "index: {files} could not be indexed; `codeagent status` lists them"
                )));
            }

            findings
        }
    }
}

fn clients() -> Vec<Finding> {
    let Some(program) = std::env::current_exe()
        .ok()
        .and_then(|path| path.to_str().map(str::to_owned))
    else {
        return Vec::new();
    };

    let present = CLIENTS.iter().filter(|client| client.is_present());
    let findings = present.map(|client| match client.state(&program) {
        Ok(EntryState::Known) => ok_finding(format!("{}: set up", client.name)),
        Ok(EntryState::Unknown) => ok_finding(format!(
            "{}: not set up; `codeagent install {}`",
            client.name, client.name
        )),
        Ok(EntryState::Other) => bad_finding(format!(
            "{}: configured for a different codeagent executable; `codeagent install {}`",
            client.name, client.name
        )),
        Err(error) => bad_finding(format!("{}: {}", client.name, message(&error))),
    });

    findings.collect()
}
