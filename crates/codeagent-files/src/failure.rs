//! What can go wrong with a file tool? One list for all profiles; each profile has its own words
//! for it.
//!
//! **Limits.** Messages hold paths of the repository only.

use codeagent_workspace::{PathError, ReadError, WriteError};

/// Kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// There is no such file.
    NoFile,
    /// There is no such folder.
    NoFolder,
    /// The path leads out of the root, or to what no tool may touch.
    Outside,
    /// The text is no path.
    BadPath,
    /// Something else stands where a file is asked.
    NotAFile,
    /// Something else stands where a folder is asked.
    NotAFolder,
    /// Something is there already.
    Exists,
    /// A folder holds something.
    NotEmpty,
    /// A file or text is longer than the limit.
    TooLarge,
    /// Not a text.
    Binary,
    /// A pattern that cannot be read.
    BadPattern,
    /// It took too long.
    TimedOut,
    /// Arguments of a wrong type or value.
    BadArguments,
    /// The text to replace is not in the file.
    TextMissing,
    /// The text to replace is in the file another number of times.
    CountDiffers,
    /// A patch does not fit the file.
    PatchFailed,
    /// The system does not permit it.
    Permission,
    /// The server only reads.
    ReadOnly,
    /// The command may not be run.
    CommandRefused,
    /// A defect, or the system failed.
    Internal,
}

/// Why a tool did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind.
    pub kind: FailureKind,
    /// What is wrong and what to do next.
    pub message: String,
    /// The path it is about, as the caller wrote it.
    pub path: Option<String>,
}

impl Failure {
    /// A failure that is not about a path.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            path: None,
        }
    }

    /// The same about a path.
    #[must_use]
    pub fn about(self, path: &str) -> Self {
        Self {
            path: Some(path.to_owned()),
            ..self
        }
    }

    /// The same where a folder was asked for.
    #[must_use]
    pub fn of_folder(self) -> Self {
        Self {
            kind: if self.kind == FailureKind::NoFile {
                FailureKind::NoFolder
            } else {
                self.kind
            },
            ..self
        }
    }
}

impl From<PathError> for Failure {
    fn from(error: PathError) -> Self {
        let kind = match error {
            PathError::Escapes(_) | PathError::Absolute(_) => FailureKind::Outside,
            PathError::NotNormal(_)
            | PathError::Nul
            | PathError::TooLong(_)
            | PathError::Separator(_)
            | PathError::NotUtf8 => FailureKind::BadPath,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let kind = match &error {
            ReadError::NotFound(_) | ReadError::RootGone => FailureKind::NoFile,
            ReadError::Escapes(_) => FailureKind::Outside,
            ReadError::NotAFile(_) => FailureKind::NotAFile,
            ReadError::NotADirectory(_) => FailureKind::NotAFolder,
            ReadError::TooLarge { .. } => FailureKind::TooLarge,
            ReadError::Binary { .. } => FailureKind::Binary,
            ReadError::Io { source, .. }
                if source.kind() == std::io::ErrorKind::PermissionDenied =>
            {
                FailureKind::Permission
            }
            ReadError::Io { .. } => FailureKind::Internal,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let kind = match error {
            WriteError::Path(error) => return error.into(),
            WriteError::Exists(_) => FailureKind::Exists,
            WriteError::NotEmpty(_) => FailureKind::NotEmpty,
            WriteError::Root | WriteError::Protected(_) => FailureKind::Outside,
            WriteError::IntoItself(_) | WriteError::OtherFileSystem(_) => FailureKind::BadArguments,
            WriteError::Permission(_) => FailureKind::Permission,
        };
        Self::new(kind, error.to_string())
    }
}
