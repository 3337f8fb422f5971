//! A file without a name for what waits outside of memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

/// A file that several threads append to and read from. The system removes it with its last user.
#[derive(Clone, Debug)]
pub struct SpillFile(Arc<Mutex<File>>);

/// Bytes in a spill file.
#[derive(Debug)]
pub struct SpilledBytes {
    file: SpillFile,
    start: u64,
    length: usize,
}

impl SpillFile {
    /// Creates a file in a folder.
    pub fn create_in(folder: &Path) -> io::Result<Self> {
        Ok(Self(Arc::new(Mutex::new(tempfile::tempfile_in(folder)?))))
    }

    /// Appends bytes.
    pub fn append(&self, bytes: &[u8]) -> io::Result<SpilledBytes> {
        let mut file = self.lock()?;
        let start = file.seek(SeekFrom::End(0))?;
        file.write_all(bytes)?;
        Ok(SpilledBytes {
            file: self.clone(),
            start,
            length: bytes.len(),
        })
    }

    fn lock(&self) -> io::Result<MutexGuard<'_, File>> {
        let crashed = |_| io::Error::other("a thread crashed while it wrote");
        self.0.lock().map_err(crashed)
    }
}

impl SpilledBytes {
    /// Reads the bytes.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.length];
        let mut file = self.file.lock()?;
        file.seek(SeekFrom::Start(self.start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_and_missing_ones_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = SpillFile::create_in(folder.path()).unwrap();
        let (first, second) = (file.append(b"one").unwrap(), file.append(b"two").unwrap());
        assert_eq!(second.read().unwrap(), b"two");
        assert_eq!(first.read().unwrap(), b"one");

        file.lock().unwrap().set_len(4).unwrap();
        assert!(second.read().is_err());
    }
}
