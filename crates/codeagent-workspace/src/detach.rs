//! Background processes of this program that outlive their parent and its terminal.
//!
//! Such a process has no input and does not use the user's working directory; its output goes to
//! the log in the data folder. On Unix it leaves the session itself ([`leave_session`]); on Windows
//! it is started without a console.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command, Stdio};

use crate::data_dir::DataDir;

/// `DETACHED_PROCESS` and `CREATE_NEW_PROCESS_GROUP` of the Windows API.
#[cfg(windows)]
const DETACHED: u32 = 0x0000_0008 | 0x0000_0200;

/// Starts this program again with the given arguments, for a repository's data folder.
pub fn start_detached(data: &DataDir, arguments: &[OsString]) -> io::Result<Child> {
    let log = data.log().map_err(io::Error::other)?.into_file();
    let program = std::env::current_exe()?;

    let mut command = Command::new(program);
    let home = data.path().parent().unwrap_or(data.path());

    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log);
    command.current_dir(if cfg!(unix) {
        std::path::Path::new("/")
    } else {
        home
    });

    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, DETACHED);

    // A relative path would be resolved in another working directory.
    command.env("CODEAGENT_DATA_DIR", home);
    command.spawn()
}

/// Leaves the parent's session, so that closing its terminal does not end this process.
pub fn leave_session() -> io::Result<()> {
    #[cfg(unix)]
    rustix::process::setsid()?;
    Ok(())
}
