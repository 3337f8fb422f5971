//! File content: read once, hashed and decoded. See [`crate::sandbox`] for how files are opened.
//!
//! Limitations: a file is read completely or not at all.

use std::fs::Metadata;
use std::io::{self, Read};
use std::time::{SystemTime, UNIX_EPOCH};

use memchr::memchr_iter;

use crate::Workspace;
use crate::decode::{Encoding, binary_type, decode};
use crate::path::RepoPath;
use crate::walk::{Entry, EntryKind, is_shortage};

/// Why a file cannot be read, classified by what the caller can do.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file does not exist, or is invisible to the caller.
    #[error("{0} does not exist")]
    NotFound(RepoPath),
    /// The root no longer exists.
    #[error("the repository's folder no longer exists")]
    RootGone,
    /// A link leads out of the root.
    #[error("{0} is outside the repository")]
    Escapes(RepoPath),
    /// A folder, pipe, socket or device, where a file was expected.
    #[error("{0} is not a file")]
    NotAFile(RepoPath),
    /// A file, where a folder was expected.
    #[error("{0} is not a folder")]
    NotADirectory(RepoPath),
    /// The file is larger than the limit.
    #[error("{path} has {size} bytes, more than the limit of {limit}")]
    TooLarge {
        /// Path of the file.
        path: RepoPath,
        /// Size of the file, in bytes.
        size: u64,
        /// Limit, in bytes.
        limit: u64,
    },
    /// The file is not text.
    #[error("{path} is binary ({mime})")]
    Binary {
        /// Path of the file.
        path: RepoPath,
        /// Probable MIME type.
        mime: &'static str,
    },
    /// Any other system error.
    #[error("cannot read {path}: {source}")]
    Io {
        /// Path of the file.
        path: RepoPath,
        /// Cause of the failure.
        source: io::Error,
    },
}

impl ReadError {
    /// Reports whether the system ran short of file handles or memory, so that the error says
    /// nothing about the file.
    #[must_use]
    pub fn is_shortage(&self) -> bool {
        matches!(self, Self::Io { source, .. } if is_shortage(source))
    }

    /// Reports whether there is no readable file at the path, as opposed to a failure to read it.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(
            self,
            Self::NotFound(_) | Self::Escapes(_) | Self::NotAFile(_) | Self::NotADirectory(_)
        )
    }
}

/// The bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBytes {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Hash of the bytes.
    pub hash: blake3::Hash,
    /// Stamp of the file when it was read.
    pub stamp: Stamp,
}

/// The decoded text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    /// The text, without byte order mark and with its original line endings.
    pub text: String,
    /// Hash of the bytes on disk, including the byte order mark.
    pub hash: blake3::Hash,
    /// Size on disk, in bytes.
    pub size: u64,
    /// Stamp of the file when it was read.
    pub stamp: Stamp,
    /// Encoding of the bytes.
    pub encoding: Encoding,
    /// Whether invalid bytes were replaced by U+FFFD.
    pub lossy: bool,
}

impl FileText {
    /// Returns the average number of bytes per line, which is high for minified files.
    #[must_use]
    pub fn average_line_bytes(&self) -> usize {
        let lines = memchr_iter(b'\n', self.text.as_bytes()).count()
            + usize::from(!self.text.ends_with('\n'));
        self.text.len() / lines.max(1)
    }
}

impl Workspace {
    /// Reads a text of at most [`Config::max_file_bytes`](crate::Config::max_file_bytes).
    pub fn read(&self, path: &RepoPath) -> Result<FileText, ReadError> {
        self.read_up_to(path, self.config().max_file_bytes)
    }

    /// Reads a text of at most `limit` bytes.
    pub fn read_up_to(&self, path: &RepoPath, limit: u64) -> Result<FileText, ReadError> {
        let FileBytes { bytes, hash, stamp } = self.read_bytes_meta(path, limit)?;

        if let Some(mime) = binary_type(path.file_name(), &bytes) {
            return Err(ReadError::Binary {
                path: path.clone(),
                mime,
            });
        }

        let size = bytes.len() as u64;
        let decoded = decode(bytes);

        Ok(FileText {
            text: decoded.text,
            hash,
            size,
            stamp,
            encoding: decoded.encoding,
            lossy: decoded.lossy,
        })
    }

    /// Reads the bytes of a file of at most `limit` bytes, with their hash and stamp.
    pub fn read_bytes_meta(&self, path: &RepoPath, limit: u64) -> Result<FileBytes, ReadError> {
        let (bytes, metadata) = self.load(path, limit)?;
        Ok(FileBytes {
            hash: blake3::hash(&bytes),
            bytes,
            stamp: Stamp::of(&metadata),
        })
    }

    /// Reads the bytes of a file of at most `limit` bytes.
    pub fn read_bytes(&self, path: &RepoPath, limit: u64) -> Result<Vec<u8>, ReadError> {
        Ok(self.load(path, limit)?.0)
    }

    fn load(&self, path: &RepoPath, limit: u64) -> Result<(Vec<u8>, Metadata), ReadError> {
        let io = |source| io_error(path, source);
        let file = self.open_file(path)?;
        let metadata = file.metadata().map_err(io)?;
        if !metadata.is_file() {
            return Err(ReadError::NotAFile(path.clone()));
        }

        let too_large = |size| ReadError::TooLarge {
            path: path.clone(),
            size,
            limit,
        };

        if metadata.len() > limit {
            return Err(too_large(metadata.len()));
        }

        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
        // The file may grow while it is read.
        file.take(limit.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(io)?;

        if bytes.len() as u64 > limit {
            return Err(too_large(bytes.len() as u64));
        }
        Ok((bytes, metadata))
    }

    /// Returns the entry at a path, following links inside the root.
    pub fn stat(&self, path: &RepoPath) -> Result<Entry, ReadError> {
        let metadata = self
            .look(path)?
            .metadata()
            .map_err(|source| io_error(path, source))?;
        let kind = match metadata.file_type() {
            kind if kind.is_dir() => EntryKind::Directory,
            kind if kind.is_file() => EntryKind::File,
            _ => return Err(ReadError::NotAFile(path.clone())),
        };
        Ok(Entry::new(path.clone(), kind, &metadata))
    }

    /// Returns the system's metadata for a path, following links inside the root.
    pub fn metadata(&self, path: &RepoPath) -> Result<Metadata, ReadError> {
        self.look(path)?
            .metadata()
            .map_err(|source| io_error(path, source))
    }

    /// Returns the time at which a file's content was last changed.
    pub fn modified(&self, path: &RepoPath) -> Result<SystemTime, ReadError> {
        let modified = self
            .look(path)?
            .metadata()
            .and_then(|metadata| metadata.modified());
        modified.map_err(|source| io_error(path, source))
    }
}

fn io_error(path: &RepoPath, source: io::Error) -> ReadError {
    match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::InvalidFilename => {
            ReadError::NotFound(path.clone())
        }
        _ => ReadError::Io {
            path: path.clone(),
            source,
        },
    }
}

/// Identifies a state of a file without reading it. Equal stamps and sizes mean equal content, as
/// far as the system's clock resolves: a program can reset the modification time, but not the
/// change time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The later of modification and status-change time, in nanoseconds since 1970; 0 if unknown.
    pub changed_ns: i64,
    /// Inode number; 0 on platforms without inodes.
    pub inode: u64,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().map_or(0, since_1970);

        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let state = metadata
                .ctime()
                .saturating_mul(1_000_000_000)
                .saturating_add(metadata.ctime_nsec());
            Self {
                changed_ns: modified.max(state),
                inode: metadata.ino(),
            }
        }
        #[cfg(not(unix))]
        Self {
            changed_ns: modified,
            inode: 0,
        }
    }
}

pub(crate) fn since_1970(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |ns| -ns),
    }
}
