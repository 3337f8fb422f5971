//! The log of a background process: a file of at most [`LONGEST_LOG`] bytes in the data folder.
//! When it is full, its older half is dropped.
//!
//! Limitations: text that a process writes directly to its standard error is counted only when the
//! next line is written.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::data_dir::{DataDir, DataDirError, make_own_folder, own_with};

/// Maximum size of a log, in bytes.
pub const LONGEST_LOG: u64 = 1 << 20;

pub(crate) const LOG: &str = "daemon.log";

/// Number of bytes at the end that are searched for the last line.
const TAIL: u64 = 4_096;

/// The log, open for appending.
#[derive(Debug)]
pub struct LogFile {
    file: File,
}

impl DataDir {
    /// Opens the log of a background process, creating it and the folder if needed.
    pub fn log(&self) -> Result<LogFile, DataDirError> {
        let path = self.file(LOG)?;
        let opened = make_own_folder(self.path())
            .and_then(|()| own_with(OpenOptions::new().read(true).append(true), &path));
        let file = opened.map_err(|source| DataDirError::Unwritable {
            path: self.path().to_owned(),
            source,
        })?;
        Ok(LogFile { file })
    }

    /// Returns the log's path.
    pub fn log_path(&self) -> Result<std::path::PathBuf, DataDirError> {
        self.file(LOG)
    }
}

impl LogFile {
    /// Returns the last non-empty line.
    pub fn last_line(&mut self) -> io::Result<Option<String>> {
        let length = self.file.metadata()?.len();
        let text = self.from(length.saturating_sub(TAIL))?;
        let text = String::from_utf8_lossy(&text);
        Ok(text
            .lines()
            .rfind(|line| !line.trim().is_empty())
            .map(str::to_owned))
    }

    /// Returns the file, for use as a process's standard error.
    #[must_use]
    pub fn into_file(self) -> File {
        self.file
    }

    fn from(&mut self, start: u64) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        Read::by_ref(&mut self.file)
            .take(LONGEST_LOG * 2)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Drops the older half, up to the start of a line.
    fn shorten(&mut self, length: u64) -> io::Result<()> {
        let newer = self.from(length - LONGEST_LOG / 2)?;
        let start = newer
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        self.file.set_len(0)?;
        self.file.write_all(&newer[start..])
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.file.metadata()?.len();
        if length + bytes.len() as u64 > LONGEST_LOG && length > LONGEST_LOG / 2 {
            self.shorten(length)?;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataRoot;

    #[test]
    fn a_log_keeps_its_newest_lines_within_its_limit() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
        let _lock = dir.lock_writer().unwrap();
        let mut log = dir.log().unwrap();

        assert_eq!(log.last_line().unwrap(), None);

        for number in 0..40_000 {
            writeln!(log, "line {number} of many, as long as those of a log are").unwrap();
            assert!(
                number % 1_000 != 0
                    || dir.log_path().unwrap().metadata().unwrap().len() <= LONGEST_LOG
            );
        }

        let text = std::fs::read_to_string(dir.log_path().unwrap()).unwrap();
        assert!(
            text.len() as u64 <= LONGEST_LOG && text.len() as u64 > LONGEST_LOG / 3,
            "{}",
            text.len()
        );

        assert!(text.starts_with("line ") && text.ends_with("as long as those of a log are\n"));
        assert_eq!(
            log.last_line().unwrap().as_deref(),
            Some("line 39999 of many, as long as those of a log are")
        );
    }
}
