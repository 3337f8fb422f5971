//! How is a process of this program started that outlives the one that starts it, and its terminal?
//!
//! It runs in the root of the file system, hears nothing, and what it says goes into the log of the data folder. It leaves the session itself
//! ([`leave_session`]): only a process can do that for its own part.
//!
//! **Limits.** Unix only.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command, Stdio};

use crate::data_dir::DataDir;

/// Starts this program once more with these arguments, for a repository's data folder.
pub fn start_detached(data: &DataDir, arguments: &[OsString]) -> io::Result<Child> {
    let log = data.log().map_err(io::Error::other)?.into_file();
    let program = std::env::current_exe()?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    // A path that is relative here means nothing there.
    command.env("CODEAGENT_DATA_DIR", data.path().parent().unwrap_or(data.path()));
    command.spawn()
}

/// Leaves the session of the process that started this one, so that the end of its terminal is none of ours.
pub fn leave_session() -> io::Result<()> {
    Ok(rustix::process::setsid().map(drop)?)
}
