//! Reads a command's output: stores the first bytes and drops the rest, so that the command never
//! blocks.
//!
//! Limitations: if a process keeps the pipe open after the command has ended, reading stops after
//! one second.

use std::io::Read;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::Output;

const TIMEOUT: Duration = Duration::from_secs(1);

/// A pipe that is being read.
pub struct Drain {
    output: Arc<Mutex<Output>>,
    ended: Receiver<()>,
}

impl Drain {
    /// Reads a pipe on its own thread and stores the first `most` bytes.
    pub fn start(pipe: Option<impl Read + Send + 'static>, most: usize) -> Self {
        let output = Arc::new(Mutex::new(Output::default()));
        let (end, ended) = channel();
        let shared = Arc::clone(&output);

        std::thread::spawn(move || {
            let mut buffer = vec![0; 1 << 16];
            let Some(mut pipe) = pipe else { return };

            loop {
                match pipe.read(&mut buffer) {
                    Ok(0) => break,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                    Ok(count) => {
                        let mut output = shared.lock().unwrap_or_else(PoisonError::into_inner);
                        let room = most - output.bytes.len();
                        output.bytes.extend_from_slice(&buffer[..count.min(room)]);
                        output.truncated |= count > room;
                    }
                }
            }

            end.send(()).ok();
        });
        Self { output, ended }
    }

    /// Returns the output. Waits a limited time for the pipe to close.
    pub fn finish(self) -> Output {
        // After a time-out, the output so far is returned.
        self.ended.recv_timeout(TIMEOUT).ok();
        self.output
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
