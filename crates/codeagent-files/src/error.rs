//! Errors of file tools: one list of kinds, which each contract maps to its own codes.
//!
//! Messages contain repository paths only.

use codeagent_workspace::{PathError, ReadError, WriteError};

use crate::exec::ExecError;

/// Kinds of error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The file does not exist.
    NoFile,
    /// The folder does not exist.
    NoFolder,
    /// The path leads out of the root, or is protected.
    Outside,
    /// The text is not a path.
    BadPath,
    /// The path is not a file.
    NotAFile,
    /// The path is not a folder.
    NotAFolder,
    /// The target already exists.
    Exists,
    /// The folder is not empty.
    NotEmpty,
    /// A file or text is longer than the limit.
    TooLarge,
    /// The file is not text.
    Binary,
    /// The pattern is malformed.
    BadPattern,
    /// The time limit was exceeded.
    TimedOut,
    /// An argument has a wrong type or value.
    BadArguments,
    /// The text to replace is not in the file.
    TextMissing,
    /// The text to replace does not occur the expected number of times.
    CountDiffers,
    /// A patch does not fit the file.
    PatchFailed,
    /// The system denied permission.
    Permission,
    /// The server is read-only.
    ReadOnly,
    /// The command is not allowed.
    CommandRefused,
    /// A bug, or a system error.
    Internal,
}

/// Why a tool failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileToolError {
    /// The kind of error.
    pub kind: ErrorKind,
    /// What happened and what to do.
    pub message: String,
    /// Path concerned, as written by the caller.
    pub path: Option<String>,
}

impl FileToolError {
    /// Creates an error that does not concern a path.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            path: None,
        }
    }

    /// Sets the path that the error concerns.
    #[must_use]
    pub fn about(self, path: &str) -> Self {
        Self {
            path: Some(path.to_owned()),
            ..self
        }
    }

    /// Turns "no such file" into "no such folder", for tools that take a folder.
    #[must_use]
    pub fn of_folder(self) -> Self {
        Self {
            kind: if self.kind == ErrorKind::NoFile {
                ErrorKind::NoFolder
            } else {
                self.kind
            },
            ..self
        }
    }
}

impl From<PathError> for FileToolError {
    fn from(error: PathError) -> Self {
        let kind = match error {
            PathError::Escapes(_) | PathError::Absolute(_) => ErrorKind::Outside,
            PathError::NotNormal(_)
            | PathError::Nul
            | PathError::TooLong(_)
            | PathError::Separator(_)
            | PathError::NotUtf8 => ErrorKind::BadPath,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<ReadError> for FileToolError {
    fn from(error: ReadError) -> Self {
        let kind = match &error {
            ReadError::NotFound(_) | ReadError::RootGone => ErrorKind::NoFile,
            ReadError::Escapes(_) => ErrorKind::Outside,
            ReadError::NotAFile(_) => ErrorKind::NotAFile,
            ReadError::NotADirectory(_) => ErrorKind::NotAFolder,
            ReadError::TooLarge { .. } => ErrorKind::TooLarge,
            ReadError::Binary { .. } => ErrorKind::Binary,
            ReadError::Io { source, .. }
                if source.kind() == std::io::ErrorKind::PermissionDenied =>
            {
                ErrorKind::Permission
            }
            ReadError::Io { .. } => ErrorKind::Internal,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<WriteError> for FileToolError {
    fn from(error: WriteError) -> Self {
        let kind = match error {
            WriteError::Path(error) => return error.into(),
            WriteError::Exists(_) => ErrorKind::Exists,
            WriteError::NotEmpty(_) => ErrorKind::NotEmpty,
            WriteError::Root | WriteError::Protected(_) => ErrorKind::Outside,
            WriteError::IntoItself(_) | WriteError::OtherFileSystem(_) => ErrorKind::BadArguments,
            WriteError::Permission(_) => ErrorKind::Permission,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<ExecError> for FileToolError {
    fn from(error: ExecError) -> Self {
        let kind = match error {
            ExecError::Folder(error) => return Self::from(error).of_folder(),
            ExecError::NotInstalled(_) | ExecError::NoJail(_) | ExecError::Busy => {
                ErrorKind::CommandRefused
            }
            ExecError::Arguments(_) => ErrorKind::BadArguments,
            ExecError::Io(_) => ErrorKind::Internal,
        };
        Self::new(kind, error.to_string())
    }
}
