//! Making of interface packs from an index.

use codeagent_lang::project::paths::{ancestors, folder_of};
use codeagent_workspace::{Workspace, is_import_name};
use rustc_hash::FxHashMap;

use super::format::{Header, PackedFile, encode};
use super::{PackError, PackInfo};
use crate::ingest::inspect;
use crate::model::graph::Language;
use crate::store::{self, FactsKey, FileRow, Snapshot, is_test_path};
use crate::versions::FACTS_VERSION;

/// Maximum size of a project file, in bytes.
const MAX_PROJECT_BYTES: u64 = 2 << 20;

/// Number of texts whose facts are compressed at once.
const AT_ONCE: usize = 256;

/// Makes a pack of everything that the packages and assemblies of an indexed repository compile,
/// without tests.
pub fn make_pack(
    workspace: &Workspace,
    snapshot: &Snapshot,
    (name, commit): (&str, &str),
) -> Result<(Vec<u8>, PackInfo), PackError> {
    if !is_import_name(name) {
        return Err(PackError::Name(name.to_owned()));
    }
    let packages = Packages::of(workspace)?;
    let rows = store::files(snapshot)?;
    let published = rows.iter().filter_map(|row| {
        let is_used = row.problem.is_none() && !is_test_path(&row.path);
        Some((row, packages.of_file(row).filter(|_| is_used)?))
    });

    let mut header = Header {
        name: name.to_owned(),
        commit: commit.to_owned(),
        made_by: env!("CARGO_PKG_VERSION").to_owned(),
        facts_version: FACTS_VERSION.to_owned(),
        ..Header::default()
    };
    let mut keys = Vec::new();
    for (row, package) in published {
        keys.push(row.facts_key);
        header.files.push(PackedFile {
            path: row.path.clone(),
            package: package.to_owned(),
        });
    }
    if keys.is_empty() {
        return Err(PackError::NoPackage);
    }

    for input in store::inputs(snapshot)? {
        let Ok(path) = workspace.resolve(&input.path) else {
            continue;
        };
        // A file that a tsconfig names need not exist.
        let Ok(file) = workspace.read_up_to(&path, MAX_PROJECT_BYTES) else {
            continue;
        };
        if *file.hash.as_bytes() != input.hash {
            return Err(PackError::Changed(input.path));
        }
        if !is_test_path(&input.path) {
            header.texts.insert(input.path, file.text);
        }
    }

    let facts = packed_facts(snapshot, &mut header, keys)?;
    Ok((encode(&header, &facts)?, PackInfo::of(&header)))
}

/// Returns the packed facts of the files of a header; files without facts are removed from it.
fn packed_facts(
    snapshot: &Snapshot,
    header: &mut Header,
    keys: Vec<FactsKey>,
) -> Result<Vec<Vec<u8>>, PackError> {
    let mut by_key: FxHashMap<FactsKey, Vec<u8>> = FxHashMap::default();
    for some in keys.chunks(AT_ONCE) {
        let mut found = Vec::new();
        for key in some {
            if let Some(blob) = store::read_packed(snapshot, key)? {
                found.push((*key, blob));
            }
        }
        by_key.extend(store::repack(found));
    }

    let mut facts = Vec::with_capacity(keys.len());
    let mut keys = keys.into_iter();
    header.files.retain(|_| {
        let blob = keys.next().and_then(|key| by_key.get(&key));
        facts.extend(blob.cloned());
        blob.is_some()
    });
    Ok(facts)
}

/// The packages of a repository, by the csproj or folder that their files belong to.
struct Packages {
    assemblies: FxHashMap<String, String>,
    npm: FxHashMap<String, String>,
}

impl Packages {
    fn of(workspace: &Workspace) -> Result<Self, PackError> {
        let mut packages = Self {
            assemblies: FxHashMap::default(),
            npm: FxHashMap::default(),
        };

        for own in inspect::own_packages(workspace)? {
            if own.name.is_empty() {
                continue;
            }
            if own.manifest.ends_with("package.json") {
                let folder = folder_of(&own.manifest).to_owned();
                packages.npm.insert(folder, own.published);
            } else {
                packages.assemblies.insert(own.manifest, own.published);
            }
        }

        Ok(packages)
    }

    /// Returns the name of the package that a file is part of.
    fn of_file(&self, row: &FileRow) -> Option<&str> {
        let found = match row.dialect.language() {
            Language::CSharp => self.assemblies.get(&row.project_id),
            Language::TypeScript => {
                ancestors(folder_of(&row.path)).find_map(|folder| self.npm.get(folder))
            }
            Language::Imported => None,
        };
        found.map(String::as_str)
    }
}
