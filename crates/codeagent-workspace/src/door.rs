//! Where the processes of one user that work on one repository meet: a local socket that only its owner can use.
//!
//! Who has the right to write opens it; others knock. It lies in the user's runtime folder, or beside the index where there is none.
//!
//! **Limits.** Unix only; elsewhere nobody opens and everybody finds it closed.

use std::io;
use std::time::Duration;

use crate::DataDir;

/// Longest path that a socket may have.
#[cfg(unix)]
const MAX_SOCKET_BYTES: usize = 100;

/// A conversation with another process.
#[cfg(unix)]
pub type Conversation = std::os::unix::net::UnixStream;

/// A conversation with another process; there is none here.
#[cfg(not(unix))]
pub type Conversation = io::Empty;

/// The open socket; closed when dropped.
pub struct Door {
    #[cfg(unix)]
    listener: std::os::unix::net::UnixListener,
    #[cfg(unix)]
    path: std::path::PathBuf,
}

#[cfg(unix)]
impl Door {
    /// Opens it. Only for who holds the right to write: what a writer before left there is removed.
    pub fn open(data: &DataDir) -> io::Result<Self> {
        use std::os::unix::fs::PermissionsExt;
        let path = place(data, true)?;
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = std::os::unix::net::UnixListener::bind(&path)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        Ok(Self { listener, path })
    }

    /// Waits for the next who knocks.
    pub fn next(&self) -> io::Result<Conversation> {
        Ok(self.listener.accept()?.0)
    }
}

#[cfg(unix)]
impl Drop for Door {
    fn drop(&mut self) {
        // Whoever opens next removes what is left.
        std::fs::remove_file(&self.path).ok();
    }
}

/// Begins a conversation with who has the right to write.
#[cfg(unix)]
pub fn knock(data: &DataDir, patience: Option<Duration>) -> io::Result<Conversation> {
    let stream = Conversation::connect(place(data, false)?)?;
    stream.set_read_timeout(patience)?;
    stream.set_write_timeout(patience)?;
    Ok(stream)
}

/// The path of the socket; with `make`, its folder is there and the user's own.
#[cfg(unix)]
fn place(data: &DataDir, make: bool) -> io::Result<std::path::PathBuf> {
    let name = format!("{}.sock", &crate::root_mark(data.path())[..16]);
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(std::path::PathBuf::from).filter(|path| path.is_absolute() && path.is_dir());
    let folder = runtime.map_or_else(|| data.path().to_owned(), |runtime| runtime.join("codeagent"));
    let user = data.path().parent().map(|home| home.join(".s")).unwrap_or_default();
    let folder = [folder, user].into_iter().find(|folder| folder.as_os_str().len() + name.len() < MAX_SOCKET_BYTES);
    let folder = folder.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidFilename, "the path of the runtime folder is too long"))?;
    if make {
        crate::data_dir::make_own_folder(&folder)?;
    }
    Ok(folder.join(name))
}

#[cfg(not(unix))]
impl Door {
    /// Nobody opens here.
    pub fn open(_data: &DataDir) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Nobody knocks here.
    pub fn next(&self) -> io::Result<Conversation> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Finds it closed.
#[cfg(not(unix))]
pub fn knock(_data: &DataDir, _patience: Option<Duration>) -> io::Result<Conversation> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::{Read, Write};

    use super::*;
    use crate::DataHome;

    #[test]
    fn who_knocks_is_heard_as_long_as_it_is_open() {
        use std::os::unix::fs::PermissionsExt;
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let data = DataHome::at(home.path()).data_dir(root.path()).unwrap();
        assert!(knock(&data, None).is_err());
        let door = Door::open(&data).unwrap();
        assert_eq!(door.path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let mut outside = knock(&data, Some(Duration::from_secs(10))).unwrap();
        outside.write_all(b"hello").unwrap();
        drop(outside);
        let mut said = String::new();
        door.next().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "hello");
        drop(door);
        assert!(knock(&data, None).is_err());
    }
}
