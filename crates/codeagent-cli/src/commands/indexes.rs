//! `codeagent status --all`: the indexes of all repositories of this user, with their state.
//!
//! Limitations: an index is not updated to be listed; its figures are those of the last update.

use codeagent_core::engine::{EngineError, IndexReader};
use codeagent_core::query;
use codeagent_core::service::ipc;
use codeagent_render::StatusReport;
use codeagent_workspace::{DataDir, DataRoot};
use serde::Serialize;
use serde_json::json;

use crate::commands::Root;
use crate::commands::clean::size;
use crate::output::{self, count};

/// One index.
#[derive(Serialize)]
struct Row {
    root: String,
    state: State,
    files: Option<u64>,
    symbols: Option<u64>,
    last_batch_at: Option<String>,
    /// The process that keeps the index up to date.
    process: Option<u32>,
    role: Option<&'static str>,
    bytes: u64,
}

/// The state of an index.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// A process keeps it up to date.
    Watched,
    /// It is as of its last update.
    Idle,
    /// It is empty, or its first update was interrupted.
    Incomplete,
    /// It cannot be read, or was made by another version; the next update rebuilds it.
    Outdated,
    /// The repository no longer exists.
    Gone,
}

impl State {
    fn text(self) -> &'static str {
        match self {
            Self::Watched => "watched",
            Self::Idle => "not watched",
            Self::Incomplete => "not indexed yet",
            Self::Outdated => "made by another version; the next command rebuilds it",
            Self::Gone => "the folder no longer exists (`codeagent clean --all` removes the index)",
        }
    }
}

pub fn run(root: &Root) -> anyhow::Result<()> {
    let home = DataRoot::default();
    let known = home.data_dirs().map_err(EngineError::from)?.known;
    let mut rows: Vec<Row> = known.iter().map(|data| row(data, &home)).collect();
    rows.sort_by(|a, b| a.root.cmp(&b.root));

    if root.json {
        return output::json(&json!({ "results": rows, "notes": [] }));
    }
    if rows.is_empty() {
        return output::lines(["no repository is indexed (run `codeagent index`)"]);
    }
    output::lines(rows.iter().map(line))
}

fn row(data: &DataDir, home: &DataRoot) -> Row {
    let writer = ipc::writer_info(data).ok();
    let status = if data.is_orphan() {
        Err(State::Gone)
    } else {
        read(data, home)
    };

    let state = match &status {
        Err(state) => *state,
        Ok(_) if writer.is_some() => State::Watched,
        Ok(_) => State::Idle,
    };
    let status = status.ok();
    Row {
        root: data.root().to_string_lossy().into_owned(),
        state,
        files: status.as_ref().map(|status| status.indexed_files),
        symbols: status.as_ref().map(|status| status.indexed_symbols),
        last_batch_at: status.and_then(|status| status.last_batch_at),
        process: writer.as_ref().map(|writer| writer.process),
        role: writer.as_ref().map(|writer| writer.role.as_str()),
        bytes: data.index_bytes(),
    }
}

/// Reads the figures of an index as it is.
fn read(data: &DataDir, home: &DataRoot) -> Result<StatusReport, State> {
    if !data.has_database() {
        return Err(State::Incomplete);
    }
    let reader = IndexReader::open(data.root(), home).map_err(|_| State::Outdated)?;
    if !reader.is_complete().map_err(|_| State::Outdated)? {
        return Err(State::Incomplete);
    }
    let snapshot = reader.snapshot().map_err(|_| State::Outdated)?;
    let status = query::status(&snapshot, reader.vectors()).map_err(|_| State::Outdated)?;
    Ok(StatusReport::new(&status, true))
}

fn line(row: &Row) -> String {
    let mut parts = Vec::new();
    parts.extend(row.files.map(|files| count(files, "file")));
    parts.extend(row.symbols.map(|symbols| count(symbols, "symbol")));
    if row.bytes > 0 {
        parts.push(size(row.bytes));
    }
    let at = row.last_batch_at.as_deref();
    parts.extend(at.map(|at| format!("updated {at}")));
    parts.push(match (row.state, row.process, row.role) {
        (State::Watched, Some(process), Some(role)) => {
            format!("watched by process {process} (codeagent {role})")
        }
        (state, ..) => state.text().to_owned(),
    });
    format!("{}: {}", row.root, parts.join(", "))
}
