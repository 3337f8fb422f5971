//! The measured repositories: published source packages in fixed versions, fetched into
//! `target/corpora` on demand.
//!
//! An archive is unpacked only if its hash matches, so that every machine measures the same
//! sources.
//!
//! Limitations: needs npm and pip. Debian packages also need apt with source packages enabled, and
//! are fetched only on request.

mod installed;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use codeagent_core::Language;
use codeagent_workspace::DataRoot;

pub use installed::bring_with_packages;

/// Folder of the corpora in the work tree.
pub const FOLDER: &str = "target/corpora";

/// Origin of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registry {
    /// `npm pack PACKAGE@VERSION`
    Npm,
    /// `pip download PACKAGE==VERSION`, the source distribution.
    Pypi,
    /// `apt-get source PACKAGE`. The machine's release determines the version, so only the
    /// archive's hash fixes it.
    Debian,
}

/// One repository.
pub struct Corpus {
    /// Name in golden files.
    pub name: &'static str,
    pub language: Language,
    registry: Registry,
    package: &'static str,
    version: &'static str,
    /// A folder of the archive to leave out: build output that the sources do not need.
    built: Option<&'static str>,
    /// blake3 of the archive.
    hash: &'static str,
    /// Whether `tests/golden/gold` has the compiler's results. Otherwise, rows are only compared
    /// with previous ones.
    pub has_gold: bool,
}

pub const CORPORA: &[Corpus] = &[
    Corpus {
        name: "rxjs",
        language: Language::TypeScript,
        registry: Registry::Npm,
        package: "rxjs",
        version: "7.8.2",
        built: Some("dist"),
        hash: "70274ec0674c8b33bcf6ecbcdbf72c052ce4fc9ca3eeabbc0535932ea377dd7b",
        has_gold: true,
    },
    Corpus {
        name: "mobx",
        language: Language::TypeScript,
        registry: Registry::Npm,
        package: "mobx",
        version: "7.1.3",
        built: Some("dist"),
        hash: "d239e788caec49e45b764201f60d4219642810234facac63b8f557a4475ca78c",
        has_gold: true,
    },
    Corpus {
        name: "reduxjs-toolkit",
        language: Language::TypeScript,
        registry: Registry::Npm,
        package: "@reduxjs/toolkit",
        version: "2.14.0",
        built: None,
        hash: "eba7f5129b4b987b11b39a0b1d0e84c38ab3e6c7288f993579f450a73ac7e9ff",
        has_gold: true,
    },
    Corpus {
        name: "immer",
        language: Language::TypeScript,
        registry: Registry::Npm,
        package: "immer",
        version: "11.2.10",
        built: Some("dist"),
        hash: "f09966ece30b2fc5255b2a0669dea835f11806a293a732b32ea108a5d7958567",
        has_gold: true,
    },
    Corpus {
        name: "pythonnet",
        language: Language::CSharp,
        registry: Registry::Pypi,
        package: "pythonnet",
        version: "3.2.1",
        built: None,
        hash: "e222d34fefa936bcc844f78ab85bda839cef97249a5fdc050cb74d1bff77603e",
        has_gold: true,
    },
    Corpus {
        name: "unitask",
        language: Language::CSharp,
        registry: Registry::Npm,
        package: "com.cysharp.unitask",
        version: "2.2.5",
        built: None,
        hash: "18ffd6f67434789e1d5f68f239dd12fcf21b2740b751541df81865266ddbe206",
        has_gold: false,
    },
    Corpus {
        name: "newtonsoft-json",
        language: Language::CSharp,
        registry: Registry::Debian,
        package: "newtonsoft-json",
        version: "6.0.8",
        built: None,
        hash: "35ed053e59d8a1719a76cb9c5535afa5047ef161aa7aaa43ed2781df5f5bf923",
        has_gold: true,
    },
    Corpus {
        name: "protobuf",
        language: Language::CSharp,
        registry: Registry::Debian,
        package: "protobuf",
        version: "3.21.12",
        built: None,
        hash: "4a7543671979d26c0b7d6df4393e9dea6a995adfff25cf058e9805cdbb2a6a46",
        has_gold: true,
    },
];

/// Returns the data root of the corpora's indexes, which is in the work tree too.
pub fn data_root() -> DataRoot {
    DataRoot::at("target/golden")
}

/// Returns the root of a corpus by name, fetching it if needed.
pub fn fetched_root(name: &str) -> anyhow::Result<PathBuf> {
    let corpus = CORPORA.iter().find(|corpus| corpus.name == name);
    corpus
        .with_context(|| format!("no corpus named {name}"))?
        .fetched_root(Path::new(FOLDER))
}

impl Corpus {
    /// Reports whether the corpus is fetched only on request.
    pub fn is_optional(&self) -> bool {
        self.registry == Registry::Debian
    }

    /// Returns the corpus's root below `folder`.
    pub fn root(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}-{}", self.name, self.version))
    }

    /// Returns the corpus's root, fetching it from its registry if needed.
    pub fn fetched_root(&self, folder: &Path) -> anyhow::Result<PathBuf> {
        let root = self.root(folder);
        if !root.exists() {
            self.fetch(folder, &root)
                .with_context(|| format!("cannot download {} {}", self.package, self.version))?;
        }
        Ok(root)
    }

    fn fetch(&self, folder: &Path, root: &Path) -> anyhow::Result<()> {
        let work = folder.join(format!("{}.part", self.name));
        if work.exists() {
            std::fs::remove_dir_all(&work)?;
        }

        let unpacked = work.join("unpacked");
        self.archive().unpack(&work.join("archive"), &unpacked)?;
        if let Some(built) = self.built {
            std::fs::remove_dir_all(unpacked.join(built))?;
        }

        std::fs::rename(&unpacked, root)?;
        std::fs::remove_dir_all(&work)?;

        Ok(())
    }

    fn archive(&self) -> Archive {
        Archive {
            registry: self.registry,
            package: self.package,
            version: self.version,
            hash: self.hash,
        }
    }
}

/// A published archive in a fixed version.
struct Archive {
    registry: Registry,
    package: &'static str,
    version: &'static str,
    /// Its blake3 hash.
    hash: &'static str,
}

impl Archive {
    /// Downloads the archive into a new folder, checks its hash, and unpacks it into another.
    fn unpack(&self, archives: &Path, unpacked: &Path) -> anyhow::Result<()> {
        std::fs::create_dir_all(archives)?;
        run(self.download().current_dir(archives))?;
        let archive = only_archive(archives)?;

        let hash = blake3::hash(&std::fs::read(&archive)?).to_hex();
        ensure!(
            hash.as_str() == self.hash,
            "{} has the hash {hash}, not {}",
            archive.display(),
            self.hash
        );

        std::fs::create_dir_all(unpacked)?;
        run(Command::new("tar")
            .arg("--strip-components=1")
            .arg("-C")
            .arg(unpacked)
            .arg("-xf")
            .arg(&archive))
    }

    fn download(&self) -> Command {
        let (program, arguments): (&str, Vec<String>) = match self.registry {
            Registry::Npm => (
                "npm",
                vec![
                    "pack".to_owned(),
                    "--silent".to_owned(),
                    format!("{}@{}", self.package, self.version),
                ],
            ),
            Registry::Pypi => {
                let wanted = format!("{}=={}", self.package, self.version);
                let fixed =
                    ["download", "--quiet", "--no-deps", "--no-binary", ":all:"].map(str::to_owned);
                ("pip", fixed.into_iter().chain([wanted]).collect())
            }
            Registry::Debian => (
                "apt-get",
                ["source", "--tar-only", "--download-only", self.package]
                    .map(str::to_owned)
                    .to_vec(),
            ),
        };

        let mut command = Command::new(program);
        command.args(arguments);
        command
    }
}

/// Returns the path of the only archive in a folder.
fn only_archive(folder: &Path) -> anyhow::Result<PathBuf> {
    let mut files = Vec::new();

    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();

        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();

        if name.contains(".tar.") || name.ends_with(".tgz") {
            files.push(path);
        }
    }

    files.sort();
    match files.as_slice() {
        [one] => Ok(one.clone()),
        _ => bail!("{} archives came instead of one", files.len()),
    }
}

/// Runs a program to completion and shows its output if it fails.
fn run(command: &mut Command) -> anyhow::Result<()> {
    let output = command
        .output()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    if !output.status.success() {
        bail!(
            "{} failed: {}",
            command.get_program().display(),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(())
}
