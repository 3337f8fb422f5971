//! Sandboxed execution of commands that a model chose.
//!
//! [`Launcher::run`] starts a copy of this program, the jail, which confines itself and then
//! becomes the command. Two policies exist. [`Policy::Tools`] is for text tools: one process, the
//! repository read-only, no scratch folder. [`Policy::Interpreters`] is for programs that run the
//! repository's code: they may start processes and write in the repository and in a scratch folder.
//!
//! Layers, each with its own promise:
//!
//! | layer | module | promise |
//! |---|---|---|
//! | namespaces | `jail::namespaces`, `jail::mounts` | files outside the root are absent, protected files are read-only, no network, no process outlives the run |
//! | Landlock | `jail::landlock` | the same files can be opened by path, and no others; no TCP, no signals to other processes |
//! | seccomp | `jail::syscalls` | no system call that leads out: sockets, mounts, namespaces, tracing, the kernel itself |
//! | limits | `jail::limits` | bounded CPU time, file size, open files; `jail::supervise` bounds the wall time |
//! | protected names | `jail::protected` | what editors, shells and git run by themselves is not changed, and not left behind if it is new |
//!
//! Namespaces are used where the kernel grants them. Elsewhere Landlock alone must hold (ABI 3,
//! Linux 6.2; `Interpreters` need ABI 6, Linux 6.12), with stricter rules: new entries at the top
//! of the repository, `chmod`, new sessions are refused. Where neither exists, nothing is run.
//!
//! Limitations: Linux on x86-64 and AArch64. The system's programs and libraries can be read.
//! Memory is bounded for `Tools` only. With Landlock alone, `stat` of a path outside the root still
//! answers.

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

/// The first argument that makes this program a jail.
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
    /// Its arguments.
    pub arguments: &'a [&'a str],
    /// Where it runs.
    pub folder: &'a RepoPath,
    /// How long it may run.
    pub timeout: Duration,
    /// Maximum stored bytes per output.
    pub output_bytes: usize,
    /// Its rights.
    pub policy: Policy,
}

/// The result of a command.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended, unless a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Its time was over.
    pub timed_out: bool,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
    /// Protected files and folders that were new or replaced after the command and were removed or
    /// put back.
    pub removed: Vec<String>,
    /// The same, where that failed.
    pub not_removed: Vec<String>,
}

/// The beginning of an output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The stored bytes.
    pub bytes: Vec<u8>,
    /// There were more.
    pub truncated: bool,
}

/// A command that was not run.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The machine has no such program.
    #[error("`{0}` is not installed")]
    NotInstalled(String),
    /// It could not be locked up, so it was not run.
    #[error("commands need a sandbox, which is unavailable: {0}")]
    NoJail(String),
    /// Commands that write run one at a time.
    #[error("another command is still running in this repository; try again when it has ended")]
    Busy,
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] ReadError),
    /// An argument holds a NUL, or there are too many.
    #[error("cannot pass the arguments: {0}")]
    Arguments(io::Error),
    /// The system failed.
    #[error("cannot run the command: {0}")]
    Io(io::Error),
}

/// Runs commands. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Launcher {
    #[cfg_attr(
        not(target_os = "linux"),
        allow(dead_code, reason = "nothing is run there")
    )]
    program: PathBuf,
    /// Whether the jail uses namespaces, or Landlock alone.
    #[cfg_attr(
        not(target_os = "linux"),
        allow(dead_code, reason = "nothing is run there")
    )]
    namespaces: bool,
}

impl Launcher {
    /// Returns a launcher that uses the running program, whose `main` calls [`jail_main`].
    pub fn of_this_program() -> Result<Self, ExecError> {
        Self::of(std::env::current_exe().map_err(ExecError::Io)?)
    }

    /// Returns a launcher that uses a program whose `main` calls [`jail_main`], with namespaces if
    /// the system grants them.
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

    /// Returns a launcher that uses Landlock alone, as on a system that grants no namespaces.
    pub fn without_namespaces(program: PathBuf) -> Result<Self, ExecError> {
        let launcher = Self {
            program,
            namespaces: false,
        };
        launcher.probe().map(|()| launcher)
    }

    /// Reports whether the jail has namespaces, its stronger form.
    #[must_use]
    pub fn has_namespaces(&self) -> bool {
        self.namespaces
    }

    #[cfg(not(target_os = "linux"))]
    fn probe(&self) -> Result<(), ExecError> {
        Err(ExecError::NoJail("Linux is needed".to_owned()))
    }

    /// Runs nothing: there is no jail.
    #[cfg(not(target_os = "linux"))]
    pub fn run(
        &self,
        _workspace: &Workspace,
        _request: &Request<'_>,
    ) -> Result<Outcome, ExecError> {
        Err(ExecError::NoJail("Linux is needed".to_owned()))
    }
}

/// What `main` does first: if the arguments say so, this process is a part of a jail, and returns
/// how it ends.
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
