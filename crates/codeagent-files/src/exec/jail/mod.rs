//! The jail: this program, started again, in up to three processes.
//!
//! 1. The *monitor* ([`monitor`]) stays outside. It creates the scratch folder, finds protected
//!    names, and watches the time and the server. When every process of the command has ended, it
//!    cleans up, even if the server was killed.
//! 2. The *init* ([`namespaces::init`]) is process 1 of new namespaces. It builds the root that the
//!    command sees and reaps processes. When it ends, the kernel kills all others. With Landlock
//!    alone there is no init, and the monitor takes its place.
//! 3. The last process ([`become_command`]) gives up its remaining rights and becomes the command.
//!
//! Each step only removes rights, and a failed step ends the run before the command starts.

mod landlock;
mod limits;
mod monitor;
mod mounts;
mod namespaces;
pub mod plan;
pub mod protected;
pub mod report;
mod supervise;
mod syscalls;

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::process::{Signal, set_parent_process_death_signal};

use plan::{JailProcess, Plan};

/// Exit code of the last process if it could not become the command.
pub const NO_JAIL: i32 = 125;
/// Prefix of the reason on standard error.
pub const NO_JAIL_MARK: &str = "codeagent: no jail: ";

/// Runs the process of a jail selected by the arguments.
pub fn main(words: Vec<OsString>) -> ExitCode {
    let problem = match Plan::parse(words) {
        Some((JailProcess::Keep, plan)) => return monitor::main(plan),
        Some((JailProcess::Init, plan)) => return namespaces::init(&plan),
        Some((JailProcess::Command, plan)) => become_command(&plan).err(),
        None => Some("unknown arguments".to_owned()),
    };
    let Some(problem) = problem else {
        return ExitCode::SUCCESS;
    };
    writeln!(std::io::stderr(), "{NO_JAIL_MARK}{problem}").ok();
    ExitCode::from(NO_JAIL as u8)
}

/// Gives up all rights that the plan does not grant and becomes the command. Returns only on
/// failure, or if there is no command.
fn become_command(plan: &Plan) -> Result<(), String> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| error.to_string())?;
    limits::restrict(plan)?;
    landlock::restrict(plan)?;
    syscalls::restrict(plan)?;
    if plan.program.as_os_str().is_empty() {
        return Ok(());
    }
    Err(format!(
        "cannot start the program: {}",
        Command::new(&plan.program).args(&plan.arguments).exec()
    ))
}
