//! The index's local socket: the writer listens on it, other processes of the same user connect.
//!
//! On Unix it is a socket in the user's runtime directory, or next to the index if there is none;
//! on Windows it is a named pipe. Only its owner can use it.

#[cfg(windows)]
mod pipe;
#[cfg(unix)]
mod socket;

use std::io;

#[cfg(windows)]
use pipe as system;
#[cfg(unix)]
use socket as system;

use crate::DataDir;

pub use system::IpcStream;

/// A listening socket; closed when dropped.
pub struct IpcListener(system::Listener);

impl IpcListener {
    /// Starts listening; replaces the socket of an earlier process. The caller must hold the write
    /// lock.
    pub fn open(data: &DataDir) -> io::Result<Self> {
        system::Listener::open(data).map(Self)
    }

    /// Waits for the next connection.
    pub fn next(&self) -> io::Result<IpcStream> {
        self.0.next()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::time::Duration;

    use super::*;
    use crate::DataRoot;

    const TIMEOUT: Option<Duration> = Some(Duration::from_secs(60));

    /// Returns a data folder, and the folders that must outlive it.
    fn data() -> (DataDir, [tempfile::TempDir; 2]) {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        (
            DataRoot::at(home.path()).data_dir(root.path()).unwrap(),
            [root, home],
        )
    }

    #[test]
    fn a_listener_accepts_clients_until_it_is_closed() {
        let (data, _folders) = data();
        assert!(IpcStream::connect(&data, None).is_err());
        let listener = IpcListener::open(&data).unwrap();
        let mut outside = IpcStream::connect(&data, TIMEOUT).unwrap();
        outside.write_all(b"hello").unwrap();
        drop(outside);
        let mut received = String::new();
        listener
            .next()
            .unwrap()
            .read_to_string(&mut received)
            .unwrap();
        assert_eq!(received, "hello");
        drop(listener);
        assert!(IpcStream::connect(&data, None).is_err());
    }

    #[test]
    fn a_client_times_out() {
        let (data, _folders) = data();
        let listener = IpcListener::open(&data).unwrap();
        let mut outside = IpcStream::connect(&data, Some(Duration::from_millis(50))).unwrap();
        let inside = listener.next().unwrap();
        let kind = outside.read(&mut [0]).unwrap_err().kind();
        assert!(
            matches!(kind, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut),
            "{kind}"
        );
        drop(inside);
    }

    #[test]
    fn closing_a_stream_ends_both_reads() {
        let (data, _folders) = data();
        let listener = IpcListener::open(&data).unwrap();
        let mut outside = IpcStream::connect(&data, TIMEOUT).unwrap();
        let inside = listener.next().unwrap();
        let mut reader = inside.try_clone().unwrap();
        let read = std::thread::spawn(move || reader.read(&mut [0]).unwrap_or(0));
        inside.close();
        assert_eq!(read.join().unwrap(), 0);
        drop(inside);
        assert_eq!(outside.read(&mut [0]).unwrap_or(0), 0);
    }
}
