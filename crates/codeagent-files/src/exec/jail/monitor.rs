//! The monitor: the process of the jail that stays outside.
//!
//! It starts the processes inside and kills them when the time is over or the server has ended.
//! When the last process has ended, it removes new protected names and the scratch folder. Commands
//! that may write run one at a time per repository, so that a command cannot hide files from
//! another's clean-up; the lock is on the root folder itself.
//!
//! Limitations: if the monitor itself is killed, nothing is cleaned up, but a later server removes
//! the scratch folder. On file systems without locks (some NFS servers) commands may run
//! concurrently.
//! scratch folder. On file systems without locks (some NFS servers) commands are not kept apart.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;
use rustix::process::{getpid, set_child_subreaper};

use super::plan::{JailProcess, Plan};
use super::protected::Protected;
use super::report::Report;
use super::supervise::{ProcessEnd, reap_all, supervise};
use super::{landlock, namespaces};
use crate::exec::scratch::Scratch;

/// Interval of attempts to lock the repository.
const STEP: Duration = Duration::from_millis(20);
/// Extra time for the init after the command's time limit.
const GRACE: Duration = Duration::from_millis(500);

/// Runs a command in a jail and reports on it.
pub fn main(plan: Plan) -> ExitCode {
    close_inherited();
    let report = run(plan).unwrap_or_else(Report::problem);
    report.send();
    ExitCode::SUCCESS
}

/// Closes files that the server inherited from its own parent and passed on unknowingly. This
/// process has not opened any files yet.
fn close_inherited() {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else {
        return;
    };
    let numbers: Vec<i32> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    for number in numbers.into_iter().filter(|number| *number > 2) {
        nix::unistd::close(number).ok();
    }
}

fn run(mut plan: Plan) -> Result<Report, String> {
    let message = |error: io::Error| error.to_string();
    let root = open(
        &plan.root,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .map_err(|error| message(error.into()))?;

    if plan.writes() && !lock(&root, plan.timeout) {
        return Ok(Report {
            busy: true,
            ..Report::default()
        });
    }

    let scratch = Scratch::make(&plan.scratch).map_err(message)?;
    let protected = plan
        .writes()
        .then(|| Protected::find(&root, &plan.root))
        .transpose()?;
    if let Some(protected) = &protected {
        plan.protected = protected.read_only().to_vec();
        plan.pinned = protected.pinned().to_vec();
    }

    let ended = if plan.namespaces {
        in_namespaces(&plan)
    } else {
        in_landlock(&plan)
    };

    let cleaned = protected
        .map(|protected| protected.restore(&root))
        .unwrap_or_default();
    drop(scratch);
    Ok(Report {
        removed: cleaned.removed,
        not_removed: cleaned.not_removed,
        ..ended?
    })
}

/// Waits until no other command writes in the repository. Returns false if this takes too long or
/// the server has ended.
fn lock(root: &OwnedFd, patience: Duration) -> bool {
    let deadline = Instant::now() + patience;
    let stdin = io::stdin();
    loop {
        match flock(root, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK | Errno::INTR) => {}
            _ => return true,
        }
        let mut events = [PollFd::new(&stdin, PollFlags::IN)];
        let waited =
            Timespec::try_from(STEP).is_ok_and(|step| poll(&mut events, Some(&step)) == Ok(0));
        if !waited || Instant::now() >= deadline {
            return false;
        }
    }
}

/// Runs the command below its own init, and returns the report of the init.
fn in_namespaces(plan: &Plan) -> Result<Report, String> {
    let message = |error: io::Error| format!("namespaces: {error}");
    namespaces::enter()?;

    let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().map_err(message)?;
    let end = start(
        Path::new("/proc/self/exe"),
        plan,
        JailProcess::Init,
        Stdio::from(OwnedFd::from(theirs)),
        plan.timeout + GRACE,
    )
    .map_err(message)?;

    let mut words = Vec::new();
    ours.set_read_timeout(Some(Duration::from_secs(1)))
        .map_err(message)?;
    io::Read::read_to_end(&mut ours, &mut words).ok();

    // A killed init sends no report.
    let report = Report::parse(&words).unwrap_or_else(|| Report::ended(end.status));
    Ok(Report {
        timed_out: report.timed_out || end.timed_out,
        ..report
    })
}

/// Runs the command as a child of this process, and waits for all its descendants.
fn in_landlock(plan: &Plan) -> Result<Report, String> {
    let message = |error: io::Error| error.to_string();
    landlock::required()?;
    set_child_subreaper(Some(getpid())).map_err(|error| message(error.into()))?;

    let end = start(
        Path::new("/proc/self/exe"),
        plan,
        JailProcess::Command,
        Stdio::null(),
        plan.timeout,
    )
    .map_err(message)?;

    reap_all();
    Ok(Report {
        timed_out: end.timed_out,
        ..Report::ended(end.status)
    })
}

/// Starts a process of the jail and waits for it.
pub fn start(
    program: &Path,
    plan: &Plan,
    stage: JailProcess,
    stdin: Stdio,
    timeout: Duration,
) -> io::Result<ProcessEnd> {
    let mut command = Command::new(program);
    let child = command
        .args(plan.words(stage))
        .process_group(0)
        .stdin(stdin)
        .spawn()?;
    // It holds the other end of a socket.
    drop(command);
    supervise(child.id(), timeout)
}
