//! How is a command run that a model chose? By a copy of this program that locks itself up (`jail`) and then becomes the command; here it is
//! asked for, `run` starts it.
//!
//! Two policies. [`Policy::Tools`] is for text tools that need no help: one program, no further processes, no sockets, the repository read-only.
//! [`Policy::Interpreters`] is for programs that run code of the repository by their nature: they may start others and write in the repository
//! and in a folder of their own, and still reach neither the network nor a file elsewhere.
//!
//! **Limits.** Linux with Landlock (ABI 3, Linux 6.2 or later) on x86-64 and AArch64; elsewhere nothing is run. What the system keeps for all
//! programs (libraries, locales) can be read. Whether a known path outside exists, its size and its times can be asked: Landlock does not cover
//! `stat`. Memory is bounded for `Tools` only.

#[cfg(unix)]
mod drain;
#[cfg(target_os = "linux")]
mod jail;
#[cfg(unix)]
mod run;
#[cfg(target_os = "linux")]
mod syscalls;

use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

#[cfg(not(unix))]
use crate::Workspace;
use crate::path::RepoPath;
use crate::read::ReadError;

/// The first argument that makes this program a jail.
const JAIL: &str = "__jail";
/// With it, and nothing to run, the jail only says whether it can be had.
const CHECK: &str = "check";
/// How a jail ends that could not be built.
const NO_JAIL: i32 = 125;
/// What it says then, before the reason.
const NO_JAIL_MARK: &str = "codeagent: no jail: ";

/// What a command may do.
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
    /// Most bytes kept of each of its outputs.
    pub output_bytes: usize,
    /// What it may do.
    pub policy: Policy,
}

/// What a command did.
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
}

/// The beginning of what was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The bytes kept.
    pub bytes: Vec<u8>,
    /// There were more.
    pub truncated: bool,
}

/// A command that was not run.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The machine has no such program.
    #[error("`{0}` is not installed here")]
    NotInstalled(String),
    /// It could not be locked up, so it was not run.
    #[error("commands are run in a jail only, and there is none here: {0}")]
    NoJail(String),
    /// The folder cannot be used.
    #[error(transparent)]
    Folder(#[from] ReadError),
    /// An argument holds a NUL, or there are too many.
    #[error("the arguments cannot be passed on: {0}")]
    Arguments(io::Error),
    /// The system failed.
    #[error("the command could not be run: {0}")]
    Io(io::Error),
}

/// Runs commands. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Launcher {
    program: PathBuf,
}

impl Launcher {
    /// A launcher that uses the running program, whose `main` calls [`jail_main`].
    pub fn of_this_program() -> Result<Self, ExecError> {
        Self::of(std::env::current_exe().map_err(ExecError::Io)?)
    }

    /// A launcher that uses a program whose `main` calls [`jail_main`]. An error if no jail can be had.
    pub fn of(program: PathBuf) -> Result<Self, ExecError> {
        let checked = Command::new(&program).args([JAIL, CHECK]).env_clear().stdin(Stdio::null()).output().map_err(ExecError::Io)?;
        if checked.status.success() {
            return Ok(Self { program });
        }
        Err(ExecError::NoJail(reason(&String::from_utf8_lossy(&checked.stderr))))
    }

    /// Runs nothing: there is no jail.
    #[cfg(not(unix))]
    pub fn run(&self, _workspace: &Workspace, _request: &Request<'_>) -> Result<Outcome, ExecError> {
        Err(ExecError::NoJail(format!("{} cannot lock itself up on this system", self.program.display())))
    }
}

fn reason(told: &str) -> String {
    told.trim().strip_prefix(NO_JAIL_MARK).unwrap_or("this program cannot lock itself up").to_owned()
}

/// What `main` does first: if the arguments say so, this process becomes a command in a jail and never returns, or ends.
#[must_use]
pub fn jail_main() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != JAIL {
        return None;
    }
    let problem = enter(arguments.collect());
    match problem {
        None => Some(ExitCode::SUCCESS),
        Some(problem) => {
            use std::io::Write;
            writeln!(io::stderr(), "{NO_JAIL_MARK}{problem}").ok();
            Some(ExitCode::from(NO_JAIL as u8))
        }
    }
}

#[cfg(target_os = "linux")]
fn enter(arguments: Vec<std::ffi::OsString>) -> Option<String> {
    jail::enter(&arguments).err()
}

#[cfg(not(target_os = "linux"))]
fn enter(_arguments: Vec<std::ffi::OsString>) -> Option<String> {
    Some("Linux is needed".to_owned())
}
