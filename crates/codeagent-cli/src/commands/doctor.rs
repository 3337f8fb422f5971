//! `codeagent doctor`: is everything in order here, and which command mends what is not?
//!
//! **Limits.** Looks and changes nothing. Whether a client really starts the server is for the client to say.

use std::process::ExitCode;

use codeagent_core::engine::Answers;
use codeagent_core::query;
use codeagent_core::store::SCHEMA_VERSION;
use codeagent_core::watch::glance;
use codeagent_workspace::{DataHome, Workspace};
use serde_json::json;

use crate::clients::{CLIENTS, State};
use crate::commands::{Root, model};
use crate::error::told;
use crate::exit;
use crate::output::{self, count};

/// What was found: a line, and whether something is wrong.
struct Finding {
    line: String,
    is_wrong: bool,
}

fn fine(line: impl Into<String>) -> Finding {
    Finding { line: line.into(), is_wrong: false }
}

fn wrong(line: impl Into<String>) -> Finding {
    Finding { line: line.into(), is_wrong: true }
}

pub fn run(root: &Root) -> anyhow::Result<ExitCode> {
    let mut findings = vec![fine(format!("codeagent {}, index layout {SCHEMA_VERSION}", env!("CARGO_PKG_VERSION")))];
    findings.extend(repository(root));
    findings.push(match model::tried() {
        Ok(Some(model)) => fine(format!("model: {model} works")),
        Ok(None) => fine("model: none, so words and letters are compared; `codeagent model install --from-pip` installs one"),
        Err(error) => wrong(format!("model: {error}")),
    });
    findings.extend(clients());
    let is_fine = findings.iter().all(|finding| !finding.is_wrong);
    let code = if is_fine { ExitCode::SUCCESS } else { exit::FOUND.into() };
    if root.json {
        let rows: Vec<_> = findings.iter().map(|finding| json!({ "ok": !finding.is_wrong, "text": finding.line })).collect();
        output::json(&json!({ "results": rows, "notes": [] }))?;
        return Ok(code);
    }
    let lines = findings.iter().map(|finding| format!("{} {}", if finding.is_wrong { "!!" } else { "ok" }, finding.line));
    output::lines(lines)?;
    Ok(code)
}

fn repository(root: &Root) -> Vec<Finding> {
    let workspace = match Workspace::open(&root.folder) {
        Ok(workspace) => workspace,
        Err(error) => return vec![wrong(format!("{error}; name a folder with --root"))],
    };
    let mut findings = vec![fine(format!("repository {}", workspace.root().display()))];
    match workspace.clone().configured(false) {
        Ok(workspace) => {
            findings.extend(workspace.config().remarks.iter().map(|remark| wrong(format!(".codeagent/config.json: {remark}"))))
        }
        Err(error) => findings.push(wrong(format!("{error}; mend .codeagent/config.json"))),
    }
    match DataHome::default().data_dir(workspace.root()) {
        Ok(data) => findings.push(fine(format!("its data lies in {}", data.path().display()))),
        Err(error) => findings.push(wrong(error.to_string())),
    }
    findings.extend(index(root));
    findings
}

fn index(root: &Root) -> Vec<Finding> {
    let looked = root.answers().and_then(|answers: Answers| {
        let snapshot = answers.snapshot()?;
        let status = query::status(&snapshot, answers.vectors())?;
        Ok((status, query::unread_files(&snapshot)?, glance(&answers)))
    });
    match looked {
        Err(error) => vec![wrong(format!("index: {}; run `codeagent index`", told(&error)))],
        Ok((status, failed, lag)) => {
            let counts = status.counts;
            let files = count(counts.files - failed.len() as u64, "file");
            let mut findings = vec![fine(format!("index: {files}, {}", count(counts.symbols, "symbol")))];
            if !lag.is_none() {
                // That there was no time to compare the files is nothing wrong.
                let is_wrong = !lag.everything || lag.failure.is_some();
                findings.push(Finding { line: format!("index: {lag}; run `codeagent index`"), is_wrong });
            }
            if !failed.is_empty() {
                let files = count(failed.len() as u64, "file");
                findings.push(wrong(format!("index: {files} could not be indexed; `codeagent status` lists them")));
            }
            findings
        }
    }
}

fn clients() -> Vec<Finding> {
    let Some(program) = std::env::current_exe().ok().and_then(|path| path.to_str().map(str::to_owned)) else { return Vec::new() };
    let present = CLIENTS.iter().filter(|client| client.is_present());
    let findings = present.map(|client| match client.state(&program) {
        Ok(State::Known) => fine(format!("{}: set up", client.name)),
        Ok(State::Unknown) => fine(format!("{}: not set up; `codeagent install {}`", client.name, client.name)),
        Ok(State::Other) => wrong(format!("{}: set up for another codeagent; `codeagent install {}`", client.name, client.name)),
        Err(error) => wrong(format!("{}: {}", client.name, told(&error))),
    });
    findings.collect()
}
