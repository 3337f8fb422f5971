//! `shell_exec`: runs one of a few text tools in a sandbox in which the repository is read-only.
//!
//! The contract's rule on arguments (one that starts with `/` or contains `..` must be below the
//! root) is enforced literally. It does not confine anything by itself: a sed or awk program may
//! start with `/`, and options may contain paths. The sandbox confines the command.
//!
//! Limitations: 30 seconds, 1 MiB per output, no standard input. `stat` of a known path outside the
//! root shows whether it exists.

use std::time::Duration;

use codeagent_workspace::RepoPath;
use serde_json::Value;

use crate::error::{ErrorKind, FileToolError};
use crate::exec::{Outcome, Output, Policy, Request};
use crate::tool::Call;

/// The allowed commands.
pub const ALLOWED: [&str; 18] = [
    "grep", "sed", "awk", "find", "cat", "head", "tail", "wc", "sort", "uniq", "cut", "tr", "diff",
    "file", "stat", "ls", "du", "rg",
];

const TIMEOUT: Duration = Duration::from_secs(30);
const OUTPUT_BYTES: usize = 1 << 20;

/// Runs a command.
pub fn shell_exec(call: &Call<'_>) -> Result<Value, FileToolError> {
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
    for argument in &arguments {
        check(call, argument)?;
    }

    let launcher = call.options.exec.launcher()?;
    let request = Request {
        program: command,
        arguments: &arguments,
        folder: &RepoPath::root(),
        timeout: TIMEOUT,
        output_bytes: OUTPUT_BYTES,
        policy: Policy::Tools,
    };

    let outcome = launcher.run(call.workspace, &request)?;
    Ok(format_outcome(&outcome).into())
}

/// Checks that arguments that look like paths are below the root.
fn check(call: &Call<'_>, argument: &str) -> Result<(), FileToolError> {
    if !argument.starts_with('/') && !argument.contains("..") {
        return Ok(());
    }

    let outside = || {
        let message = format!(
            "the argument {:?} looks like a path outside the root; nothing was run",
            crate::arguments::shortened(argument)
        );
        FileToolError::new(ErrorKind::Outside, message).about(argument)
    };

    let path = call.workspace.resolve(argument).map_err(|_| outside())?;
    // A path that does not exist may be named.
    match call.workspace.stat(&path) {
        Err(codeagent_workspace::ReadError::Escapes(_)) => Err(outside()),
        _ => Ok(()),
    }
}

fn format_outcome(outcome: &Outcome) -> String {
    let code = outcome
        .exit_code
        .unwrap_or_else(|| 128 + outcome.signal.unwrap_or_default());
    let mut text = format!(
        "exit_code: {code}\nstdout:\n{}\nstderr:\n{}",
        shown(&outcome.stdout),
        shown(&outcome.stderr)
    );
    if outcome.timed_out {
        text.push_str(&format!("\n[stopped after {} seconds]", TIMEOUT.as_secs()));
    }
    text
}

fn shown(output: &Output) -> String {
    let mut text = String::from_utf8_lossy(&output.bytes).into_owned();
    if output.truncated {
        text.push_str(&format!("\n[truncated after {} bytes]", output.bytes.len()));
    }
    text
}
