//! Writes an object in parts, so that a large one is never in memory as a whole.

use std::io::{self, Write};

use object_store::{MultipartUpload, ObjectStoreExt, PutPayload, path::Path};

use crate::Remote;

/// Size of a part, in bytes. Stores ask for at least 5 MB, except for the last.
const PART: usize = 8 << 20;

/// An object that is being written. Readers see nothing of it before [`Self::finish`].
pub struct Upload<'a> {
    remote: &'a Remote,
    path: Path,
    waiting: Vec<u8>,
    parts: Option<Box<dyn MultipartUpload>>,
    bytes: u64,
}

impl<'a> Upload<'a> {
    /// Begins an object.
    pub fn new(remote: &'a Remote, name: &str) -> Self {
        Self {
            remote,
            path: remote.at(name),
            waiting: Vec::new(),
            parts: None,
            bytes: 0,
        }
    }

    /// Writes the rest and returns the size of the object in bytes.
    pub fn finish(mut self) -> io::Result<u64> {
        if self.parts.is_none() {
            let payload = PutPayload::from(std::mem::take(&mut self.waiting));
            let put = async { self.remote.store.put(&self.path, payload).await };
            self.remote.runtime.block_on(put)?;
            return Ok(self.bytes);
        }
        self.send_part()?;
        if let Some(mut parts) = self.parts.take() {
            self.remote.runtime.block_on(parts.complete())?;
        }
        Ok(self.bytes)
    }

    fn send_part(&mut self) -> io::Result<()> {
        let payload = PutPayload::from(std::mem::take(&mut self.waiting));
        let runtime = &self.remote.runtime;
        let parts = match &mut self.parts {
            Some(parts) => parts,
            None => {
                let begin = async { self.remote.store.put_multipart(&self.path).await };
                self.parts.insert(runtime.block_on(begin)?)
            }
        };
        runtime.block_on(parts.put_part(payload))?;
        Ok(())
    }
}

impl Write for Upload<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        self.bytes += bytes.len() as u64;
        if self.waiting.len() >= PART {
            self.send_part()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Upload<'_> {
    fn drop(&mut self) {
        if let Some(mut parts) = self.parts.take() {
            // The parts of an object that is not finished are of no use; a failure leaves them.
            let _ = self.remote.runtime.block_on(parts.abort());
        }
    }
}
