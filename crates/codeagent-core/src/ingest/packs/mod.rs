//! Interface packs: what another repository publishes, as facts, so that calls into it resolve as in
//! one repository.
//!
//! 1. A pack is made from an index ([`make_pack`]): the facts of the source files of its packages
//!    and assemblies, without tests; the package of each file; and the texts of the project files.
//! 2. The user names a pack; it is checked and kept in the data folder ([`add_pack`]), never in the
//!    repository. Its hash is part of what the index was made by, so that adding, replacing or
//!    removing one resolves all files again.
//! 3. The files enter the world below `pack:NAME/`, where no file of the repository is, together
//!    with the project files. Modules, project references and packages are therefore looked up as
//!    if both repositories were one.
//! 4. The files have no nodes and are not resolved. A use of one of their declarations is a use of
//!    an external symbol (`npm:typeorm#Repository.save`), which names the package and the exported
//!    path as the installed package would.
//! 5. A pack goes before an installed package or assembly of the same name, because the user named
//!    it.
//!
//! Limitations: bodies are part of the facts, because return types may be inferred from them. A pack
//! of another version of codeagent is left out, with a note.

mod format;
mod make;

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use codeagent_lang::WorldFile;
use codeagent_lang::project::paths::pack_folder;
use codeagent_workspace::{DataDir, DataDirError};
use rayon::prelude::*;

use crate::ingest::InspectError;
use crate::model::facts::Facts;
use crate::store::{StoreError, decode_facts};

pub use format::MAX_PACK_BYTES;
pub use make::make_pack;

/// MSBuild takes the nearest of these files at or above a project; an empty one keeps those of the
/// repository from projects of a pack.
const MSBUILD_FILES: [&str; 3] = [
    "Directory.Build.props",
    "Directory.Build.targets",
    "Directory.Packages.props",
];

/// Likewise for TypeScript.
const TSCONFIG: &str = "tsconfig.json";

/// Why a pack cannot be made or used.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// Its content is not what [`make_pack`] writes.
    #[error("the pack was refused: {0}; the index was not changed")]
    Refused(String),
    /// Its facts are of another version.
    #[error(
        "the pack {name} was made by another version of codeagent ({made_by}); make it again with \
         this one"
    )]
    OtherVersion {
        /// Its name.
        name: String,
        /// The version that made it.
        made_by: String,
    },
    /// No source file belongs to a package.
    #[error(
        "no indexed file belongs to a package; a pack needs a package.json with a name, or a csproj"
    )]
    NoPackage,
    /// A project file differs from the one that was indexed.
    #[error("{0} changed since it was indexed; run `codeagent index`")]
    Changed(String),
    /// The name cannot be used.
    #[error(
        "{0:?} cannot name a pack; use letters, digits, `-`, `_` and `.`, at most 64 characters"
    )]
    Name(String),
    /// The index cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The projects cannot be read.
    #[error(transparent)]
    Projects(#[from] InspectError),
    /// The data folder cannot be written.
    #[error(transparent)]
    Data(#[from] DataDirError),
    /// A buffer is not available.
    #[error("cannot read or write the pack: {0}")]
    Io(#[from] io::Error),
}

/// A pack in the data folder, or one that was just made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackInfo {
    /// Name of the repository.
    pub name: String,
    /// Id of the commit; empty if unknown.
    pub commit: String,
    /// Names of the packages and assemblies, sorted.
    pub packages: Vec<String>,
    /// Number of source files.
    pub files: usize,
}

impl PackInfo {
    fn of(header: &format::Header) -> Self {
        let mut packages: Vec<String> = header
            .files
            .iter()
            .map(|file| file.package.clone())
            .collect();
        packages.sort_unstable();
        packages.dedup();
        Self {
            name: header.name.clone(),
            commit: header.commit.clone(),
            packages,
            files: header.files.len(),
        }
    }
}

/// Checks a pack and puts it into the data folder. The next update of the index uses it.
pub fn add_pack(data: &DataDir, bytes: &[u8]) -> Result<PackInfo, PackError> {
    let (header, facts) = format::decode(bytes)?;
    if !facts.par_iter().all(|blob| decode_facts(blob).is_some()) {
        return Err(PackError::Refused("it has damaged facts".to_owned()));
    }
    data.write_pack(&header.name, bytes)?;
    Ok(PackInfo::of(&header))
}

/// Returns the packs in a data folder, by name, or why one is not used.
pub fn packs(data: &DataDir) -> Vec<Result<PackInfo, PackError>> {
    let names = data.packs(0).into_iter().map(|(name, _)| name);
    let read = |name: String| -> Result<PackInfo, PackError> {
        let bytes = data.read_pack(&name)?;
        Ok(PackInfo::of(&format::decode(&bytes)?.0))
    };
    names.map(read).collect()
}

/// Returns what distinguishes the packs in a data folder; empty without packs.
pub fn state(data: &DataDir) -> String {
    let packs = data.packs(format::HEAD);
    if packs.is_empty() {
        return String::new();
    }
    let mut hasher = blake3::Hasher::new();
    for (name, head) in packs {
        hasher.update(name.as_bytes()).update(&[0]).update(&head);
    }
    format!(" packs {}", &hasher.finalize().to_hex()[..32])
}

/// The packs of an index, ready for its world.
#[derive(Default)]
pub struct PackSet {
    /// What [`state`] returned for them, and whether some are damaged.
    pub state: String,
    /// The source files.
    pub files: Vec<WorldFile>,
    /// The texts of the project files, by path.
    pub texts: BTreeMap<String, Arc<str>>,
    /// Which packs are left out, and why.
    pub notes: Vec<String>,
}

impl PackSet {
    /// Reads the packs in a data folder. `state` is what [`state`] returned for it.
    pub fn load(data: &DataDir, state: String) -> Self {
        let mut set = Self {
            state,
            ..Self::default()
        };

        for (name, _) in data.packs(0) {
            let bytes = data.read_pack(&name).map_err(PackError::from);
            let added = bytes.and_then(|bytes| set.add(&bytes));
            if let Err(error) = added {
                set.notes.push(format!("pack {name}: left out: {error}"));
            }
        }

        // The head of a damaged pack may be that of the whole one that replaces it.
        if !set.notes.is_empty() {
            set.state.push_str(" damaged");
        }

        set
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), PackError> {
        let (header, facts) = format::decode(bytes)?;
        let facts: Option<Vec<Facts>> = facts.into_par_iter().map(decode_facts).collect();
        let facts = facts.ok_or_else(|| PackError::Refused("it has damaged facts".to_owned()))?;

        let folder = pack_folder(&header.name);
        let mut packages: BTreeMap<String, Arc<str>> = BTreeMap::new();
        for (file, facts) in header.files.iter().zip(facts) {
            let package = packages
                .entry(file.package.clone())
                .or_insert_with(|| Arc::from(file.package.as_str()));
            self.files.push(WorldFile {
                path: Arc::from(format!("{folder}/{}", file.path)),
                facts: Arc::new(facts).into(),
                external: false,
                package: Some(Arc::clone(package)),
            });
        }

        for name in MSBUILD_FILES {
            let path = format!("{folder}/{name}");
            self.texts.insert(path, Arc::from("<Project />"));
        }
        self.texts
            .insert(format!("{folder}/{TSCONFIG}"), Arc::from("{}"));
        for (path, text) in header.texts {
            self.texts
                .insert(format!("{folder}/{path}"), Arc::from(text));
        }
        Ok(())
    }

    /// Returns the paths of a repository and of the packs, sorted.
    pub fn paths(&self, own: &[String]) -> Vec<String> {
        let sources = self.files.iter().map(|file| file.path.to_string());
        let mut paths = own.to_vec();
        paths.extend(sources.chain(self.texts.keys().cloned()));
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}
