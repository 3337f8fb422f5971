//! Errors of a model or its runtime, each with what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// How to install a model, as the end of a message.
const INSTALL: &str = "`codeagent model install --from-pip` or `codeagent model install FOLDER` puts a good one there";

/// Why a model gives no vectors. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// There is a model but no runtime.
    #[error("no ONNX Runtime found for the model in {model}; {INSTALL}, or set CODEAGENT_ONNXRUNTIME to its library", model = .0.display())]
    NoRuntime(PathBuf),
    /// A named file or folder, or one of the model's, cannot be read.
    #[error("{path} cannot be read: {source}; {INSTALL}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The library is truncated. Loading it would end the process.
    #[error("{path} is not a complete library: {problem}; {INSTALL}", path = path.display())]
    CutLibrary {
        /// The library.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// The system does not load the library, or it is no ONNX Runtime.
    #[error("{path} cannot be used as ONNX Runtime: {problem}; {INSTALL}", path = path.display())]
    BadLibrary {
        /// The library.
        path: PathBuf,
        /// The loader's message.
        problem: String,
    },
    /// The library is too old.
    #[error("{path} is ONNX Runtime {found}; 1.24 or later is needed; {INSTALL}", path = path.display())]
    OldRuntime {
        /// The library.
        path: PathBuf,
        /// Its version.
        found: String,
    },
    /// This process already uses another library; only one fits into a process.
    #[error("this process already uses {}; start it again to use {}", first.display(), requested.display())]
    OtherRuntime {
        /// The library in use.
        first: PathBuf,
        /// The one asked for.
        requested: PathBuf,
    },
    /// The model or its tokenizer is damaged.
    #[error("the model in {folder} cannot be opened: {problem}; {INSTALL}", folder = folder.display())]
    BadModel {
        /// The folder of the model.
        folder: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// It runs but computes vectors of another model.
    #[error("the model in {folder} is not all-MiniLM-L6-v2: a known text has cosine {likeness:.3} with its vector; {INSTALL}", folder = folder.display())]
    OtherModel {
        /// The folder of the model.
        folder: PathBuf,
        /// Similarity of a known text's vector.
        likeness: f32,
    },
    /// It was opened but fails now.
    #[error("the model failed to compute vectors: {0}; start codeagent again")]
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
