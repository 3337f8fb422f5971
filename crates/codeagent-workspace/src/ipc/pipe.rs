//! The local socket on Windows: a named pipe that only its owner and the system can open.
//!
//! Pipes have no time-outs and a blocked read cannot be interrupted. Reads and writes therefore run
//! on a small asynchronous runtime while their callers wait.

use std::future::Future;
use std::io::{self, Read, Write};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

use interprocess::local_socket::tokio::prelude::*;
use interprocess::local_socket::{GenericNamespaced, ListenerOptions, Name};
use interprocess::os::windows::local_socket::ListenerOptionsExt as _;
use interprocess::os::windows::security_descriptor::SecurityDescriptor;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use widestring::{U16CStr, u16cstr};

use crate::DataDir;

/// Security descriptor: full access for the owner and the system, none for others, no inheritance.
const OWNER_ONLY: &U16CStr = u16cstr!("D:P(A;;GA;;;OW)(A;;GA;;;SY)");

/// Maximum number of bytes per read or write.
const MOST_BYTES: usize = 64 << 10;

pub(super) struct Listener(Arc<LocalSocketListener>);

impl Listener {
    pub fn open(data: &DataDir) -> io::Result<Self> {
        let (name, rights) = (name(data)?, SecurityDescriptor::deserialize(OWNER_ONLY)?);
        let listener = run(async move {
            ListenerOptions::new()
                .name(name)
                .security_descriptor(rights)
                .create_tokio()
        })??;
        Ok(Self(Arc::new(listener)))
    }

    pub fn next(&self) -> io::Result<IpcStream> {
        let listener = Arc::clone(&self.0);
        Ok(IpcStream::new(
            run(async move { listener.accept().await })??,
            None,
        ))
    }
}

/// A connection with another process.
pub struct IpcStream {
    stream: Arc<LocalSocketStream>,
    patience: Option<Duration>,
    is_closed: watch::Sender<bool>,
}

impl IpcStream {
    /// Connects to the index's writer. Reads and writes fail after `patience`, if given.
    pub fn connect(data: &DataDir, patience: Option<Duration>) -> io::Result<Self> {
        let name = name(data)?;
        let stream = run(limited(patience, async move {
            LocalSocketStream::connect(name).await
        }))??;
        Ok(Self::new(stream, patience))
    }

    fn new(stream: LocalSocketStream, patience: Option<Duration>) -> Self {
        Self {
            stream: Arc::new(stream),
            patience,
            is_closed: watch::Sender::new(false),
        }
    }

    /// Returns a second handle of the connection.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self {
            stream: Arc::clone(&self.stream),
            patience: self.patience,
            is_closed: self.is_closed.clone(),
        })
    }

    /// Closes the connection for both sides.
    pub fn close(&self) {
        self.is_closed.send_replace(true);
    }

    /// Waits for an operation; returns `None` if the connection was closed.
    fn wait<T: Send + 'static>(
        &self,
        operation: impl Future<Output = io::Result<T>> + Send + 'static,
    ) -> io::Result<Option<T>> {
        let (mut closed, patience) = (self.is_closed.subscribe(), self.patience);
        run(async move {
            tokio::select! {
                _ = closed.wait_for(|closed| *closed) => Ok(None),
                done = limited(patience, operation) => done.map(Some),
            }
        })?
    }
}

impl Read for IpcStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (stream, length) = (Arc::clone(&self.stream), buffer.len().min(MOST_BYTES));
        let read = self.wait(async move {
            let mut bytes = vec![0; length];
            let length = match (&*stream).read(&mut bytes).await {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
                other => other?,
            };
            bytes.truncate(length);
            Ok(bytes)
        })?;
        let bytes = read.unwrap_or_default();
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

impl Write for IpcStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (stream, bytes) = (
            Arc::clone(&self.stream),
            bytes[..bytes.len().min(MOST_BYTES)].to_vec(),
        );
        self.wait(async move { (&*stream).write(&bytes).await })?
            .ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the pipe's name, derived from the path of the data folder and so unique per user.
fn name(data: &DataDir) -> io::Result<Name<'static>> {
    format!("codeagent-{}", &crate::root_mark(data.path())[..32]).to_ns_name::<GenericNamespaced>()
}

/// Runs an operation with a time-out.
async fn limited<T>(
    patience: Option<Duration>,
    operation: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    match patience {
        Some(patience) => tokio::time::timeout(patience, operation)
            .await
            .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?,
        None => operation.await,
    }
}

/// Waits for an operation on the runtime. The calling thread may belong to another runtime, which
/// must not drive this one.
fn run<T: Send + 'static>(operation: impl Future<Output = T> + Send + 'static) -> io::Result<T> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let started = RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .ok()
    });
    let runtime = started
        .as_ref()
        .ok_or_else(|| io::Error::other("cannot start the threads of the local socket"))?;
    let (reply, answer) = mpsc::sync_channel(1);
    runtime.spawn(async move { reply.send(operation.await).ok() });
    answer.recv().map_err(|_| io::ErrorKind::BrokenPipe.into())
}
