//! Reading a command's output: the first bytes are kept, the rest is read and dropped, so that the
//! command is never held up.
//!
//! Limitations: a process that keeps the pipe open after the end is waited for one second.

use std::io::Read;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::Output;

const PATIENCE: Duration = Duration::from_secs(1);

/// A pipe that is being read.
pub struct Drain {
    kept: Arc<Mutex<Output>>,
    ended: Receiver<()>,
}

impl Drain {
    /// Reads a pipe on a thread of its own and keeps `most` bytes.
    pub fn start(pipe: Option<impl Read + Send + 'static>, most: usize) -> Self {
        let kept = Arc::new(Mutex::new(Output::default()));
        let (end, ended) = channel();
        let shared = Arc::clone(&kept);
        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            let Some(mut pipe) = pipe else { return };
            loop {
                match pipe.read(&mut buffer) {
                    Ok(0) => break,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                    Ok(count) => {
                        let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                        let room = most - kept.bytes.len();
                        kept.bytes.extend_from_slice(&buffer[..count.min(room)]);
                        kept.truncated |= count > room;
                    }
                }
            }
            end.send(()).ok();
        });
        Self { kept, ended }
    }

    /// What was written until the end.
    pub fn finish(self) -> Output {
        // A thread that ended has hung up.
        self.ended.recv_timeout(PATIENCE).ok();
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
