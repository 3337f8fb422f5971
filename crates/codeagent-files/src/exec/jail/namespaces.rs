//! Namespaces: the monitor enters new user, process, network, IPC and host-name namespaces; its
//! child, process 1 of these namespaces, creates the mount namespace.
//!
//! In the user namespace the command has the user's id, or 1000 for root, and no rights beyond the
//! user's files. The init has the single capability to mount, and drops it before the command
//! starts.
//!
//! Limitations: if the server runs as root, commands can write only to files owned by root.

use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};

use nix::sched::CloneFlags;
use rustix::process::{DumpableBehavior, getegid, geteuid, set_dumpable_behavior};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    configure_capability_in_ambient_set, set_capabilities, set_no_new_privs,
};

use super::monitor::start;
use super::mounts;
use super::plan::{JailProcess, Plan};
use super::report::Report;

/// User and group id of root in a jail, where it has no special rights.
const NOT_ROOT: u32 = 1_000;

/// Enters new namespaces. The next started process becomes process 1 of them.
pub fn enter() -> Result<(), String> {
    let message = |error: &dyn std::fmt::Display| format!("namespaces: {error}");
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let inner = |number: u32| if number == 0 { NOT_ROOT } else { number };

    let flags = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;

    nix::sched::unshare(flags).map_err(|error| message(&error))?;
    // Groups can be mapped only if changing them is disabled.
    std::fs::write("/proc/self/setgroups", "deny").map_err(|error| message(&error))?;
    std::fs::write("/proc/self/uid_map", format!("{} {user} 1", inner(user)))
        .map_err(|error| message(&error))?;
    std::fs::write("/proc/self/gid_map", format!("{} {group} 1", inner(group)))
        .map_err(|error| message(&error))?;

    let mount = CapabilitySet::SYS_ADMIN;
    set_capabilities(
        None,
        CapabilitySets {
            effective: mount,
            permitted: mount,
            inheritable: mount,
        },
    )
    .map_err(|error| message(&error))?;
    configure_capability_in_ambient_set(mount, true).map_err(|error| message(&error))
}

/// Runs process 1: builds the command's root, starts the command and reports its end. When this
/// returns, the kernel kills all other processes.
pub fn init(plan: &Plan) -> ExitCode {
    let report = run(plan).unwrap_or_else(Report::problem);
    report.send();
    ExitCode::SUCCESS
}

fn run(plan: &Plan) -> Result<Report, String> {
    let program = mounts::enter(plan)?;
    drop_rights().map_err(|error| format!("namespaces: {error}"))?;
    let path = PathBuf::from(format!("/proc/self/fd/{}", program.as_raw_fd()));
    let end = start(
        &path,
        plan,
        JailProcess::Command,
        Stdio::null(),
        plan.timeout,
    )
    .map_err(|error| format!("namespaces: {error}"))?;
    Ok(Report {
        timed_out: end.timed_out,
        ..Report::ended(end.status)
    })
}

fn drop_rights() -> Result<(), rustix::io::Errno> {
    let none = CapabilitySet::empty();
    clear_ambient_capability_set()?;
    set_capabilities(
        None,
        CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        },
    )?;
    set_no_new_privs(true)?;
    // The command runs as the same user and must not inspect this process.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
}
