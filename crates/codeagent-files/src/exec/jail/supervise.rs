//! Waits until a process ends, times out, or loses the server that started it.

use std::io;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, kill_process_group, pidfd_open, wait,
};

/// Interval of reaping orphaned processes.
const STEP: Duration = Duration::from_millis(250);

/// How a process ended.
pub struct ProcessEnd {
    /// Its status.
    pub status: WaitStatus,
    /// Whether it was killed because its time was over.
    pub timed_out: bool,
}

/// Waits for a child that leads a process group. Kills the group when the time is over, when
/// standard input ends, and when the child has ended.
pub fn supervise(child: u32, timeout: Duration) -> io::Result<ProcessEnd> {
    let child = i32::try_from(child)
        .ok()
        .and_then(Pid::from_raw)
        .ok_or(io::ErrorKind::InvalidInput)?;
    let handle = pidfd_open(child, PidfdFlags::empty())?;
    let mut deadline = Some(Instant::now() + timeout);

    let mut timed_out = false;
    loop {
        let event = wait_for_event(&handle, deadline)?;
        if event != Event::None {
            // Other processes of the group would keep the outputs open. The group's id cannot be
            // reused until the child is reaped.
            kill_process_group(child, Signal::KILL).ok();
        }

        if matches!(event, Event::Late | Event::Alone) {
            timed_out = event == Event::Late;
            deadline = None;
        }

        while let Ok(Some((process, status))) = wait(WaitOptions::NOHANG) {
            if process == child {
                kill_process_group(child, Signal::KILL).ok();
                return Ok(ProcessEnd { status, timed_out });
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    /// No event yet.
    None,
    /// The child has ended.
    Ended,
    /// The time is over.
    Late,
    /// The process at the other end of standard input has ended.
    Alone,
}

/// Waits briefly for an event. Without a deadline, waits only for the child.
fn wait_for_event(child: &OwnedFd, deadline: Option<Instant>) -> io::Result<Event> {
    let stdin = io::stdin();
    let left = deadline.map_or(STEP, |deadline| {
        deadline.saturating_duration_since(Instant::now()).min(STEP)
    });
    let left = Timespec::try_from(left).map_err(io::Error::other)?;
    let mut watched = [
        PollFd::new(child, PollFlags::IN),
        PollFd::new(&stdin, PollFlags::IN),
    ];

    let count = if deadline.is_some() { 2 } else { 1 };
    match poll(&mut watched[..count], Some(&left)) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }

    Ok(match (&watched[0].revents(), &watched[1].revents()) {
        (ended, _) if !ended.is_empty() => Event::Ended,
        (_, alone) if !alone.is_empty() => Event::Alone,
        _ if deadline.is_some_and(|deadline| Instant::now() >= deadline) => Event::Late,
        _ => Event::None,
    })
}

/// Waits for all orphaned processes that this process inherited.
pub fn reap_all() {
    while !matches!(wait(WaitOptions::empty()), Err(Errno::CHILD)) {}
}
