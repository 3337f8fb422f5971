//! How is a command run that a model chose? By a copy of this program that locks itself up (`jail`) and then becomes the command; here it is
//! started, its output taken, and it is killed with all it started when its time is over.
//!
//! Two policies. [`Policy::Tools`] is for text tools that need no help: one program, no further processes, no sockets, the repository read-only.
//! [`Policy::Interpreters`] is for programs that run code of the repository by their nature: they may start others and write in the repository
//! and in a folder of their own, and still reach neither the network nor a file elsewhere.
//!
//! **Limits.** Linux with Landlock (ABI 3, Linux 6.2 or later) on x86-64 and AArch64; elsewhere nothing is run. What the system keeps for all
//! programs (libraries, locales) can be read. Whether a known path outside exists, its size and its times can be asked: Landlock does not cover
//! `stat`. Memory is bounded for `Tools` only.

mod drain;
#[cfg(target_os = "linux")]
mod jail;
#[cfg(target_os = "linux")]
mod syscalls;

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use crate::Workspace;
use crate::path::RepoPath;
use crate::read::ReadError;
use crate::sandbox::{LOOK, READ};
use drain::Drain;
pub use drain::Output;

/// The first argument that makes this program a jail.
const JAIL: &str = "__jail";
/// With it, and nothing to run, the jail only says whether it can be had.
const CHECK: &str = "check";
/// How a jail ends that could not be built.
const NO_JAIL: i32 = 125;
/// What it says then, before the reason.
const NO_JAIL_MARK: &str = "codeagent: no jail: ";
/// Where programs are looked for.
const FOLDERS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// How often the end of a command is looked for.
const STEP: Duration = Duration::from_millis(5);

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

    /// Runs a command to its end or the end of its time.
    pub fn run(&self, workspace: &Workspace, request: &Request<'_>) -> Result<Outcome, ExecError> {
        let program = installed(request.program)?;
        // The folder is entered by its handle, whatever stands at its path by then.
        let handle = workspace.open_inside(request.folder, LOOK)?;
        let handle = openat(&handle, ".", READ | OFlags::DIRECTORY, Mode::empty()).map_err(|error| match error {
            Errno::NOTDIR => ExecError::Folder(ReadError::NotADirectory(request.folder.clone())),
            other => ExecError::Io(other.into()),
        })?;
        let scratch = Scratch::new().map_err(ExecError::Io)?;
        let policy = match request.policy {
            Policy::Tools => "tools",
            Policy::Interpreters { writes: false } => "interpreters",
            Policy::Interpreters { writes: true } => "writing-interpreters",
        };
        let mut command = Command::new(&self.program);
        command
            .args([JAIL, policy, &request.timeout.as_secs().to_string()])
            .arg(workspace.root())
            .arg(&scratch.0)
            .arg(&program)
            .args(request.arguments)
            .env_clear()
            .envs([("PATH", "/usr/local/bin:/usr/bin:/bin"), ("LC_ALL", "C.UTF-8"), ("NO_COLOR", "1")])
            .env("HOME", &scratch.0)
            .env("TMPDIR", &scratch.0)
            .current_dir(format!("/proc/self/fd/{}", handle.as_raw_fd()))
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::ArgumentListTooLong => ExecError::Arguments(error),
            _ => ExecError::Io(error),
        })?;
        let outcome = watch(child, request).map_err(ExecError::Io)?;
        let told = String::from_utf8_lossy(&outcome.stderr.bytes);
        if outcome.exit_code == Some(NO_JAIL) && told.starts_with(NO_JAIL_MARK) {
            return Err(ExecError::NoJail(reason(&told)));
        }
        Ok(outcome)
    }
}

fn reason(told: &str) -> String {
    told.trim().strip_prefix(NO_JAIL_MARK).unwrap_or("this program cannot lock itself up").to_owned()
}

/// The program of a name; a name with a folder in it has none.
fn installed(name: &str) -> Result<PathBuf, ExecError> {
    let missing = || ExecError::NotInstalled(name.to_owned());
    if name.is_empty() || name.contains(['/', '\0']) || matches!(name, "." | "..") {
        return Err(missing());
    }
    FOLDERS.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.is_file()).ok_or_else(missing)
}

/// Takes the output of a command until it ends; its group is killed when its time is over, and in any case at its end.
fn watch(mut child: Child, request: &Request<'_>) -> io::Result<Outcome> {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidInput)?;
    let stdout = Drain::start(child.stdout.take(), request.output_bytes);
    let stderr = Drain::start(child.stderr.take(), request.output_bytes);
    let end = Instant::now() + request.timeout;
    let ended = || waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT);
    let mut timed_out = false;
    while ended()?.is_none() && !timed_out {
        timed_out = Instant::now() >= end;
        std::thread::sleep(STEP);
    }
    // What it left behind would hold its outputs open. As long as it is not waited for, the number of the group is its own.
    kill_process_group(group, Signal::KILL).ok();
    let status = child.wait()?;
    Ok(Outcome { exit_code: status.code(), signal: status.signal(), timed_out, stdout: stdout.finish(), stderr: stderr.finish() })
}

/// A folder that a command may write in, gone when it has ended.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> io::Result<Self> {
        use std::sync::atomic::{AtomicU64, Ordering};
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let base = std::env::temp_dir().canonicalize()?;
        for _ in 0..100 {
            let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
            let name = format!("codeagent-{}-{}-{nanos}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            let mode = Mode::RUSR | Mode::WUSR | Mode::XUSR;
            match rustix::fs::mkdir(base.join(&name), mode) {
                Ok(()) => return Ok(Self(base.join(name))),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Links in it are removed, not followed.
        std::fs::remove_dir_all(&self.0).ok();
    }
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
