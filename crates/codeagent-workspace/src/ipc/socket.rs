//! The local socket on Unix: a socket file in a folder that only its owner can enter.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

use crate::DataDir;
use crate::data_dir::make_own_folder;

/// Maximum length of a socket's path, in bytes.
const MAX_SOCKET_BYTES: usize = 100;

pub(super) struct Listener {
    listener: UnixListener,
    path: PathBuf,
}

impl Listener {
    pub fn open(data: &DataDir) -> io::Result<Self> {
        let path = socket_path(data, true)?;
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
        Ok(Self { listener, path })
    }

    pub fn next(&self) -> io::Result<IpcStream> {
        Ok(IpcStream(self.listener.accept()?.0))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // If this fails, the next listener removes the file.
        std::fs::remove_file(&self.path).ok();
    }
}

/// A connection with another process.
pub struct IpcStream(UnixStream);

impl IpcStream {
    /// Connects to the index's writer. Reads and writes fail after `patience`, if given.
    pub fn connect(data: &DataDir, patience: Option<Duration>) -> io::Result<Self> {
        let stream = UnixStream::connect(socket_path(data, false)?)?;
        stream.set_read_timeout(patience)?;
        stream.set_write_timeout(patience)?;
        Ok(Self(stream))
    }

    /// Returns a second handle of the connection.
    pub fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Closes the connection for both sides.
    pub fn close(&self) {
        self.0.shutdown(Shutdown::Both).ok();
    }
}

impl Read for IpcStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for IpcStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns the path of the socket. With `make`, creates its private folder.
fn socket_path(data: &DataDir, make: bool) -> io::Result<PathBuf> {
    let name = format!("{}.sock", &crate::root_mark(data.path())[..16]);

    let runtime = std::env::var_os("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute() && path.is_dir());
    let folder = runtime.map_or_else(
        || data.path().to_owned(),
        |runtime| runtime.join("codeagent"),
    );

    let user = data
        .path()
        .parent()
        .map(|home| home.join(".s"))
        .unwrap_or_default();

    let folder = [folder, user]
        .into_iter()
        .find(|folder| folder.as_os_str().len() + name.len() < MAX_SOCKET_BYTES);
    let folder = folder.ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidFilename,
            "the runtime folder's path is too long",
        )
    })?;

    if make {
        make_own_folder(&folder)?;
    }

    Ok(folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataRoot;

    #[test]
    fn the_socket_is_private_to_its_owner() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let data = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
        let listener = Listener::open(&data).unwrap();
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&listener.path), mode(listener.path.parent().unwrap())),
            (0o600, 0o700)
        );
    }
}
