//! `run_command`: runs an interpreter, or a tool that runs the repository's code, in a jail. Unless
//! the server is read-only, the command can write to the repository, except to protected names
//! (`.git`, `.vscode` and the like).
//!
//! Limitations: no network. Commands that may write run one at a time; afterwards the index
//! compares the whole repository.

use std::time::Duration;

use serde_json::{Value, json};

use super::{path, shown};
use crate::error::{ErrorKind, FileToolError};
use crate::exec::{Outcome, Output, Policy, Request};
use crate::tool::Call;

/// The allowed commands.
pub const ALLOWED: [&str; 6] = ["node", "npm", "npx", "python3", "pytest", "tsc"];

/// Runs a command.
pub fn run_command(call: &Call<'_>) -> Result<Value, FileToolError> {
    let command = call.arguments.required_text("command");
    if !ALLOWED.contains(&command) {
        let message = format!(
            "`{}` is not allowed; allowed: {}",
            crate::arguments::shortened(command),
            ALLOWED.join(", ")
        );
        return Err(FileToolError::new(ErrorKind::CommandRefused, message));
    }

    let arguments = call.arguments.texts("args");
    let folder = path(call.arguments.required_text("cwd"), call.workspace)?;
    let number = |name: &str| call.arguments.number(name).unwrap_or_default();
    let writes = !call.options.read_only;
    let launcher = call.options.exec.launcher()?;
    let request = Request {
        program: command,
        arguments: &arguments,
        folder: &folder,
        timeout: Duration::from_millis(number("timeoutMs") as u64),
        output_bytes: number("maxOutputBytes"),
        policy: Policy::Interpreters { writes },
    };

    let outcome = launcher.run(call.workspace, &request)?;
    if writes {
        call.report_changed(&[]);
    }

    let mut answer = json!({
        "command": command,
        "args": arguments,
        "cwd": shown(&folder),
        "exitCode": outcome.exit_code,
        "signal": outcome.signal.map(signal),
        "timedOut": outcome.timed_out,
        "stdout": text(&outcome.stdout),
        "stderr": text(&outcome.stderr),
        "stdoutTruncated": outcome.stdout.truncated,
        "stderrTruncated": outcome.stderr.truncated,
    });

    if let Some(note) = note(&outcome) {
        answer["note"] = note.into();
    }

    Ok(answer)
}

/// Returns a note on the protected files and folders that the command created or replaced.
fn note(outcome: &Outcome) -> Option<String> {
    let removed = format!(
        "commands cannot create or replace these; reverted: {}",
        outcome.removed.join(", ")
    );
    let kept = format!(
        "created by the command; remove before you use git or an editor here: {}",
        outcome.not_removed.join(", ")
    );
    let notes = [(removed, &outcome.removed), (kept, &outcome.not_removed)];
    let notes: Vec<String> = notes
        .into_iter()
        .filter(|(_, paths)| !paths.is_empty())
        .map(|(note, _)| note)
        .collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.bytes).into_owned()
}

fn signal(number: i32) -> String {
    let known = [
        (2, "SIGINT"),
        (4, "SIGILL"),
        (6, "SIGABRT"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (15, "SIGTERM"),
        (24, "SIGXCPU"),
        (25, "SIGXFSZ"),
    ];
    known
        .iter()
        .find(|(known, _)| *known == number)
        .map_or_else(|| format!("SIG{number}"), |(_, name)| (*name).to_owned())
}
