//! The report that a process of the jail sends to its parent: one JSON object over its standard
//! input, a socket.

use std::io::{self, Write};
use std::os::fd::AsFd;

use rustix::process::WaitStatus;
use serde_json::{Value, json};

/// How a command ended, or why it did not start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Exit code, unless a signal ended the command.
    pub exit_code: Option<i32>,
    /// Signal that ended the command.
    pub signal: Option<i32>,
    /// Whether the time limit was exceeded.
    pub timed_out: bool,
    /// Whether another command was running for the whole waiting time.
    pub busy: bool,
    /// Protected paths that were removed or restored afterwards.
    pub removed: Vec<String>,
    /// Protected paths that could not be removed or restored.
    pub not_removed: Vec<String>,
    /// Why the command was not run.
    pub problem: Option<String>,
}

impl Report {
    /// Returns the report of a command that ended.
    pub fn ended(status: WaitStatus) -> Self {
        Self {
            exit_code: status.exit_status(),
            signal: status.terminating_signal(),
            ..Self::default()
        }
    }

    /// Returns the report of a command that was not run.
    pub fn problem(problem: impl Into<String>) -> Self {
        Self {
            problem: Some(problem.into()),
            ..Self::default()
        }
    }

    /// Sends the report to the parent process.
    pub fn send(&self) {
        let message = json!({
            "exit_code": self.exit_code, "signal": self.signal, "timed_out": self.timed_out, "busy": self.busy,
            "removed": self.removed, "not_removed": self.not_removed, "problem": self.problem,
        });
        let send = || -> io::Result<()> {
            let mut socket = std::fs::File::from(io::stdin().as_fd().try_clone_to_owned()?);
            socket.write_all(message.to_string().as_bytes())
        };
        // If the parent has ended, nobody needs the report.
        send().ok();
    }

    pub fn parse(message: &[u8]) -> Option<Self> {
        let message: Value = serde_json::from_slice(message).ok()?;
        let number = |name: &str| {
            message[name]
                .as_i64()
                .and_then(|number| i32::try_from(number).ok())
        };

        let texts = |name: &str| {
            message[name]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|text| text.as_str().map(str::to_owned))
                .collect()
        };

        Some(Self {
            exit_code: number("exit_code"),
            signal: number("signal"),
            timed_out: message["timed_out"].as_bool()?,
            busy: message["busy"].as_bool()?,
            removed: texts("removed"),
            not_removed: texts("not_removed"),
            problem: message["problem"].as_str().map(str::to_owned),
        })
    }
}
