//! How long does a command run, and what is taken of it? Its output is taken, and it is killed with all it started when its time is over.
//!
//! **Limits.** Unix only; what the command may do is the jail's concern.

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::drain::Drain;
use super::{ExecError, JAIL, Launcher, NO_JAIL, NO_JAIL_MARK, Outcome, Policy, Request, reason};
use crate::Workspace;
use crate::read::ReadError;
use crate::sandbox::{LOOK, READ};

/// Where programs are looked for.
const FOLDERS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// How often the end of a command is looked for.
const STEP: Duration = Duration::from_millis(5);

impl Launcher {
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
