//! Sandboxed execution of commands chosen by a model.
//!
//! [`Launcher::run`] starts a copy of this program, the jail, which confines itself and then
//! becomes the command. There are two policies. [`Policy::Tools`] is for text tools: one process,
//! the repository read-only, no scratch folder. [`Policy::Interpreters`] is for programs that run
//! the repository's code: they may start processes and write to the repository and to a scratch
//! folder.
//!
//! The layers and the guarantee of each:
//!
//! | layer | module | guarantee |
//! |---|---|---|
//! | namespaces | `jail::namespaces`, `jail::mounts` | files outside the root are absent, protected files are read-only, no network, no process outlives the run |
//! | Landlock | `jail::landlock` | only the same files can be opened by path; no TCP, no signals to other processes |
//! | seccomp | `jail::syscalls` | no system call that leads out: sockets, mounts, namespaces, tracing, the kernel itself |
//! | limits | `jail::limits` | bounded CPU time, file size, open files; `jail::supervise` bounds the wall time |
//! | protected names | `jail::protected` | files that editors, shells and git run automatically are not changed, and new ones are removed |
//!
//! Namespaces are used where the kernel allows them. Elsewhere Landlock alone must suffice (ABI 3,
//! Linux 6.2; `Interpreters` need ABI 6, Linux 6.12), with stricter rules: no new entries at the
//! top of the repository, no `chmod`, no new sessions. Without either, nothing is run.
//!
//! Limitations: Linux on x86-64 and AArch64 only. The system's programs and libraries are readable.
//! Memory is bounded for `Tools` only. With Landlock alone, `stat` works on paths outside the root.

#![allow(
    clippy::disallowed_methods,
    reason = "the sandbox builds its own root, outside of any repository"
)]

#[cfg(target_os = "linux")]
mod drain;
#[cfg(target_os = "linux")]
mod jail;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod scratch;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[cfg(not(target_os = "linux"))]
use codeagent_workspace::Workspace;
use codeagent_workspace::{ReadError, RepoPath};

/// First argument of a process that is part of a jail.
const JAIL: &str = "__jail";

/// The rights of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Read the repository.
    Tools,
    /// Run code of the repository.
    Interpreters {
        /// Whether it may change the repository.
        writes: bool,
    },
}

/// A command to run.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Name of the program, without a folder.
    pub program: &'a str,
    /// Arguments of the program.
    pub arguments: &'a [&'a str],
    /// Working folder.
    pub folder: &'a RepoPath,
    /// Time limit.
    pub timeout: Duration,
    /// Maximum number of stored bytes per output.
    pub output_bytes: usize,
    /// Rights of the command.
    pub policy: Policy,
}

/// The result of a command.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Exit code, unless a signal ended the command.
    pub exit_code: Option<i32>,
    /// Signal that ended the command.
    pub signal: Option<i32>,
    /// Whether the time limit was exceeded.
    pub timed_out: bool,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
    /// Protected paths that the command created or replaced, and that were removed or restored.
    pub removed: Vec<String>,
    /// Protected paths that could not be removed or restored.
    pub not_removed: Vec<String>,
}

/// The start of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The stored bytes.
    pub bytes: Vec<u8>,
    /// Whether the output was longer.
    pub truncated: bool,
}

/// Why a command was not run.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The program is not installed.
    #[error("`{0}` is not installed")]
    NotInstalled(String),
    /// The command could not be confined.
    #[error("commands need a sandbox, which is unavailable: {0}")]
    NoJail(String),
    /// Another command that writes is still running.
    #[error("another command is still running in this repository; try again when it has finished")]
    Busy,
    /// The working folder cannot be used.
    #[error(transparent)]
    Folder(#[from] ReadError),
    /// An argument contains a NUL, or there are too many arguments.
    #[error("cannot pass the arguments: {0}")]
    Arguments(io::Error),
    /// A system error.
    #[error("cannot run the command: {0}")]
    Io(io::Error),
}

/// Runs commands. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Launcher {
    #[cfg_attr(
        not(target_os = "linux"),
        allow(dead_code, reason = "commands run on Linux only")
    )]
    program: PathBuf,
    /// Whether the jail uses namespaces rather than Landlock alone.
    #[cfg_attr(
        not(target_os = "linux"),
        allow(dead_code, reason = "commands run on Linux only")
    )]
    namespaces: bool,
}

impl Launcher {
    /// Returns a launcher that uses the running program, whose `main` calls [`jail_main`].
    pub fn of_this_program() -> Result<Self, ExecError> {
        Self::of(std::env::current_exe().map_err(ExecError::Io)?)
    }

    /// Returns a launcher that uses a program whose `main` calls [`jail_main`]. It has namespaces
    /// if the system allows them.
    pub fn of(program: PathBuf) -> Result<Self, ExecError> {
        let with = Self {
            program: program.clone(),
            namespaces: true,
        };
        match with.probe() {
            Ok(()) => Ok(with),
            Err(refused) => {
                Self::without_namespaces(program).map_err(|error| match (refused, error) {
                    (ExecError::NoJail(first), ExecError::NoJail(second)) => {
                        ExecError::NoJail(format!("{first}; {second}"))
                    }
                    (_, error) => error,
                })
            }
        }
    }

    /// Returns a launcher that uses Landlock alone, as on a system without namespaces.
    pub fn without_namespaces(program: PathBuf) -> Result<Self, ExecError> {
        let launcher = Self {
            program,
            namespaces: false,
        };
        launcher.probe().map(|()| launcher)
    }

    /// Reports whether the jail has namespaces, which are the stronger form.
    #[must_use]
    pub fn has_namespaces(&self) -> bool {
        self.namespaces
    }

    #[cfg(not(target_os = "linux"))]
    fn probe(&self) -> Result<(), ExecError> {
        Err(ExecError::NoJail("Linux is needed".to_owned()))
    }

    /// Returns an error: there is no jail on this platform.
    #[cfg(not(target_os = "linux"))]
    pub fn run(
        &self,
        _workspace: &Workspace,
        _request: &Request<'_>,
    ) -> Result<Outcome, ExecError> {
        Err(ExecError::NoJail("Linux is needed".to_owned()))
    }
}

/// Runs a process of a jail if the arguments ask for one, and returns its exit code. `main` must
/// call this first.
#[must_use]
pub fn jail_main() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != JAIL {
        return None;
    }
    #[cfg(target_os = "linux")]
    return Some(jail::main(arguments.collect()));
    #[cfg(not(target_os = "linux"))]
    return Some(ExitCode::FAILURE);
}
