//! The server's side of a command: starts the jail, collects the outputs and reads the jail's
//! report.
//!
//! The jail's standard input is a socket whose other end is held here. End of file tells the jail
//! that the server has ended, and it kills the command. The jail also enforces the time limit, so
//! this side only waits.

use std::io::{self, Read};
use std::net::Shutdown;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use codeagent_workspace::Workspace;

use super::drain::Drain;
use super::jail::plan::{JailProcess, Plan};
use super::jail::report::Report;
use super::jail::{NO_JAIL, NO_JAIL_MARK};
use super::{ExecError, Launcher, Outcome, Policy, Request, programs, scratch};

/// Extra time for the jail, which also waits for other commands and searches the repository.
const TIMEOUT: Duration = Duration::from_secs(120);

impl Launcher {
    /// Runs a command until it ends or its time is over.
    pub fn run(&self, workspace: &Workspace, request: &Request<'_>) -> Result<Outcome, ExecError> {
        let program = programs::find(workspace, request)?;
        // The handle ensures that the folder is still the one that was checked.
        let handle = workspace.open_folder(request.folder)?;
        let plan = Plan {
            namespaces: self.namespaces,
            policy: request.policy,
            timeout: request.timeout,
            root: workspace.root().to_owned(),
            scratch: scratch::new_path().map_err(ExecError::Io)?,
            folder: workspace.root().join(request.folder.as_str()),
            program,
            arguments: request.arguments.iter().map(Into::into).collect(),
            protected: Vec::new(),
            pinned: Vec::new(),
        };

        self.execute(
            &plan,
            Path::new(&format!("/proc/self/fd/{}", handle.as_raw_fd())),
            request.output_bytes,
        )
    }

    /// Builds a jail that runs nothing; returns an error if that fails.
    pub(super) fn probe(&self) -> Result<(), ExecError> {
        scratch::sweep();
        let root = PathBuf::from("/usr/share");
        let plan = Plan {
            namespaces: self.namespaces,
            policy: Policy::Tools,
            timeout: Duration::from_secs(10),
            folder: root.clone(),
            root,
            scratch: scratch::new_path().map_err(ExecError::Io)?,
            program: PathBuf::new(),
            arguments: Vec::new(),
            protected: Vec::new(),
            pinned: Vec::new(),
        };

        let outcome = self.execute(&plan, Path::new("/"), 1_000)?;
        let no_jail =
            || ExecError::NoJail(format!("the sandbox ended with {:?}", outcome.exit_code));
        (outcome.exit_code == Some(0))
            .then_some(())
            .ok_or_else(no_jail)
    }

    /// Returns the command that starts the jail in a folder.
    fn command(&self, plan: &Plan, folder: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(plan.words(JailProcess::Keep))
            .env_clear()
            .envs([
                ("PATH", "/usr/local/bin:/usr/bin:/bin"),
                ("LC_ALL", "C.UTF-8"),
                ("NO_COLOR", "1"),
            ])
            .env("HOME", &plan.scratch)
            .env("TMPDIR", &plan.scratch)
            // `git status` must not fail because it cannot refresh the index.
            .env("GIT_OPTIONAL_LOCKS", "0")
            .current_dir(folder)
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());

        command
    }

    fn execute(
        &self,
        plan: &Plan,
        folder: &Path,
        output_bytes: usize,
    ) -> Result<Outcome, ExecError> {
        let (ours, theirs) = UnixStream::pair().map_err(ExecError::Io)?;
        let mut command = self.command(plan, folder);
        command.stdin(Stdio::from(OwnedFd::from(theirs)));
        let mut child = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput | io::ErrorKind::ArgumentListTooLong => {
                ExecError::Arguments(error)
            }
            _ => ExecError::Io(error),
        })?;

        // It holds the jail's end of the socket.
        drop(command);
        let stdout = Drain::start(child.stdout.take(), output_bytes);
        let stderr = Drain::start(child.stderr.take(), output_bytes);
        let report = wait(&mut child, ours, plan.timeout * 2 + TIMEOUT).map_err(ExecError::Io)?;

        if let Some(problem) = report.problem {
            return Err(ExecError::NoJail(problem));
        }
        if report.busy {
            return Err(ExecError::Busy);
        }

        let (stdout, stderr) = (stdout.finish(), stderr.finish());
        if report.exit_code == Some(NO_JAIL)
            && let Some(problem) = String::from_utf8_lossy(&stderr.bytes).strip_prefix(NO_JAIL_MARK)
        {
            return Err(ExecError::NoJail(problem.trim().to_owned()));
        }

        Ok(Outcome {
            exit_code: report.exit_code,
            signal: report.signal,
            timed_out: report.timed_out,
            stdout,
            stderr,
            removed: report.removed,
            not_removed: report.not_removed,
        })
    }
}

/// Waits for the jail's report and its end.
fn wait(child: &mut Child, mut socket: UnixStream, patience: Duration) -> io::Result<Report> {
    socket.set_read_timeout(Some(patience))?;
    let mut report = Vec::new();
    let read = socket.read_to_end(&mut report);
    // Tells a late jail that its server no longer waits.
    socket.shutdown(Shutdown::Both).ok();
    child.wait()?;
    read?;
    Report::parse(&report).ok_or_else(|| io::Error::other("the sandbox ended without a report"))
}
