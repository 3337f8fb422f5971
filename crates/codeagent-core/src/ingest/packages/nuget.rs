//! The assemblies that each C# project gets from NuGet packages.
//!
//! If a project was restored, its `project.assets.json` lists them. Otherwise its packages are
//! looked up in the user's package folder, together with their `.nuspec` dependencies. The packages
//! come from `PackageReference`s (with versions also from `Directory.Packages.props`), including
//! those of referenced projects. The lowest version in range is used, with direct references before
//! transitive ones. In each package the folder of the nearest framework is used, `ref` before
//! `lib`. Assemblies in the repository are named by the `HintPath` of a `Reference`. Nothing is
//! fetched.
//!
//! Of each assembly, one file is read: the newest that any project gets. Assemblies built by a
//! project of the repository are replaced by that project; framework assemblies are built in.
//!
//! The facts of an assembly are stored under the hash of its content. Every folder and file that
//! was accessed is recorded, so that a later batch can detect changes.
//!
//! Limitations: fallback folders, other sources and `repositoryPath` of `NuGet.config` are ignored,
//! and so are packages restored by other tools (`paket`). A restore is noticed by the next full
//! scan, not by the watcher.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use codeagent_csharp::project::{CSharpProject, CSharpProjects};
use codeagent_csharp::resolve::PackageAssembly;
use codeagent_csharp::stdlib::Library;
use codeagent_csharp::stdlib::metadata::Compiled;
use codeagent_lang::project::paths::is_packed;
use codeagent_workspace::{ExternalKind, Packages, ReadError, RepoPath};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::restore::{AssemblyFile, Restore};
use super::{MAX_NOTES, kind_and_path, missing_row, row_path};
use crate::ingest::IngestError;
use crate::ingest::load::{Loader, OpenedStores};
use crate::ingest::summary::Phase;
use crate::ingest::writer_thread::PackedFacts;
use crate::model::graph::Dialect;
use crate::store::{FactsKey, PackageRow};

/// Key part in place of preprocessor symbols: the version of this reader.
const ASSEMBLY: &str = concat!("assembly ", env!("LINK_VERSION"));

/// Maximum number of assemblies per repository.
const MAX_ASSEMBLIES: usize = 2_000;

/// Maximum total size of the assemblies, in bytes.
const MAX_BYTES: u64 = 512 << 20;

/// Maximum size of one assembly, in bytes.
const MAX_ASSEMBLY_BYTES: u64 = 64 << 20;

/// Number of assemblies read before the total size is checked.
const AT_ONCE: usize = 32;

/// Assemblies in memory, by facts key.
pub type CachedAssemblies = FxHashMap<FactsKey, PackageAssembly>;

#[derive(Default)]
pub struct ProjectAssemblies {
    /// Assemblies, by name.
    pub assemblies: Vec<(FactsKey, PackageAssembly)>,
    /// Every path that was accessed, unsorted.
    pub rows: Vec<PackageRow>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// An assembly file, with the projects that get it.
struct AssemblyRequest {
    found: AssemblyFile,
    seen_by: BTreeSet<u32>,
}

/// Finds and reads the assemblies that the projects reference.
pub fn gather(
    loader: &Loader<'_>,
    cached: &CachedAssemblies,
) -> Result<ProjectAssemblies, IngestError> {
    let projects = &loader.projects.of::<CSharpProjects>().projects;
    if projects
        .iter()
        .all(|project| project.packages.is_empty() && project.assemblies.is_empty())
    {
        return Ok(ProjectAssemblies::default());
    }

    let built: BTreeSet<String> = projects
        .iter()
        .map(|project| project.assembly_name.to_ascii_lowercase())
        .collect();
    let mut restore = Restore::new(loader.workspace(), &built);

    let wanted = requests(loader, projects, &built, &mut restore)?;
    if restore.is_short() {
        return Err(IngestError::Shortage);
    }

    let mut gathered = ProjectAssemblies {
        rows: restore.into_rows(),
        ..ProjectAssemblies::default()
    };
    let reading = AssemblyReader {
        loader,
        cached,
        packed: Mutex::default(),
        repository: loader.workspace().external(ExternalKind::Repository),
        user: loader.workspace().external(ExternalKind::NuGet),
    };

    reading.read_all(wanted.into_values().collect(), &mut gathered)?;
    loader.send(
        reading
            .packed
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
    )?;
    gathered.assemblies.sort_by(|a, b| a.1.name.cmp(&b.1.name));
    gathered.notes.truncate(MAX_NOTES);

    Ok(gathered)
}

/// Returns the newest file of each assembly that the projects get and do not build, by name.
fn requests(
    loader: &Loader<'_>,
    projects: &[CSharpProject],
    built: &BTreeSet<String>,
    restore: &mut Restore<'_>,
) -> Result<BTreeMap<String, AssemblyRequest>, IngestError> {
    let mut wanted: BTreeMap<String, AssemblyRequest> = BTreeMap::new();
    let numbered = (0..).zip(projects);
    for (number, project) in numbered.filter(|(_, project)| !is_packed(&project.path)) {
        for found in restore.assemblies(project, projects) {
            let name = found.name();
            if built.contains(&name) {
                continue;
            }

            let known = wanted.entry(name).or_insert_with(|| AssemblyRequest {
                found: found.clone(),
                seen_by: BTreeSet::new(),
            });
            known.seen_by.insert(number);
            if found.compare(&known.found).is_gt() {
                known.found = found;
            }
        }

        if loader.is_cancelled() {
            return Err(IngestError::Interrupted);
        }
    }

    Ok(wanted)
}

struct AssemblyReader<'r> {
    loader: &'r Loader<'r>,
    cached: &'r CachedAssemblies,
    packed: Mutex<PackedFacts>,
    repository: Option<Packages>,
    user: Option<Packages>,
}

/// An assembly file that was read.
struct AssemblyRead {
    row: PackageRow,
    /// Its declarations, or why there are none.
    declares: Result<(FactsKey, PackageAssembly), String>,
}

impl AssemblyReader<'_> {
    fn read_all(
        &self,
        wanted: Vec<AssemblyRequest>,
        gathered: &mut ProjectAssemblies,
    ) -> Result<(), IngestError> {
        let (mut bytes, mut left_out) = (0, 0);
        for some in wanted.chunks(AT_ONCE) {
            let room = if bytes >= MAX_BYTES {
                0
            } else {
                MAX_ASSEMBLIES
                    .saturating_sub(gathered.assemblies.len())
                    .min(some.len())
            };

            left_out += some.len() - room;
            let read: Result<Vec<AssemblyRead>, IngestError> = some[..room]
                .par_iter()
                .map_init(OpenedStores::default, |opened, wanted| {
                    self.read_one(opened, &wanted.found)
                })
                .collect();

            for (AssemblyRead { row, declares }, wanted) in read?.into_iter().zip(some) {
                bytes += row.size;
                match declares {
                    Ok((key, assembly)) if bytes <= MAX_BYTES => {
                        let seen_by = wanted.seen_by.iter().copied().collect();
                        gathered.assemblies.push((
                            key,
                            PackageAssembly {
                                seen_by,
                                ..assembly
                            },
                        ));
                    }
                    Ok(_) => left_out += 1,
                    Err(problem) => gathered
                        .notes
                        .push(format!("{}: left out: {problem}", row.path)),
                }

                gathered.rows.push(row);
            }
        }

        if left_out > 0 {
            gathered.notes.push(format!(
                "{left_out} assemblies of packages were not read: more than {MAX_ASSEMBLIES} files \
                 or {} MB are referenced",
                MAX_BYTES >> 20
            ));
        }

        Ok(())
    }

    fn read_one(
        &self,
        opened: &mut OpenedStores,
        found: &AssemblyFile,
    ) -> Result<AssemblyRead, IngestError> {
        if self.loader.is_cancelled() {
            return Err(IngestError::Interrupted);
        }

        let at = row_path(found.is_user, &found.path);
        let missing = missing_row(&at);
        let gone = |row| AssemblyRead {
            row,
            declares: Err("not found; restore the project's packages".to_owned()),
        };
        let packages = if found.is_user {
            &self.user
        } else {
            &self.repository
        };
        let (Some(packages), Ok(path)) = (packages, RepoPath::new(&found.path)) else {
            return Ok(gone(missing));
        };
        if let Some(read) = self.stored_facts(opened, packages, &at)? {
            return Ok(read);
        }

        let file = match packages.read_bytes(&path, MAX_ASSEMBLY_BYTES) {
            Ok(file) => file,
            Err(ReadError::NotFound(_)) => return Ok(gone(missing)),
            Err(error) if error.is_shortage() => return Err(IngestError::Shortage),
            Err(error) => {
                let (size, stamp) = packages.stat(&path).unwrap_or_default();
                return Ok(AssemblyRead {
                    row: PackageRow {
                        size,
                        stamp,
                        ..missing
                    },
                    declares: Err(error.to_string()),
                });
            }
        };

        let key = FactsKey::new(Dialect::CSharp, ASSEMBLY, file.hash.as_bytes());
        let declares = match self.known(opened, &key, &at)? {
            Some(assembly) => Ok((key, assembly)),
            None => self
                .compiled(key, &file.bytes, &at)?
                .map(|assembly| (key, assembly)),
        };

        let facts_key = declares.is_ok().then_some(key);
        let (size, stamp, hash) = (file.bytes.len() as u64, file.stamp, *file.hash.as_bytes());

        Ok(AssemblyRead {
            row: PackageRow {
                path: at,
                size,
                stamp,
                hash,
                facts_key,
            },
            declares,
        })
    }

    /// Returns the stored facts of an unchanged file.
    fn stored_facts(
        &self,
        opened: &mut OpenedStores,
        packages: &Packages,
        at: &str,
    ) -> Result<Option<AssemblyRead>, IngestError> {
        let known = self.loader.known;
        let Some((row, key)) = known
            .package(at)
            .and_then(|row| Some((row, row.facts_key?)))
        else {
            return Ok(None);
        };
        let Some(Ok(seen)) = kind_and_path(at).1.map(|path| packages.stat(&path)) else {
            return Ok(None);
        };

        if key_is_of_other_reader(&key, row)
            || known.may_be_another(seen, (row.size, row.stamp, &row.hash))
        {
            return Ok(None);
        }

        let assembly = self.known(opened, &key, at)?;
        Ok(assembly.map(|assembly| AssemblyRead {
            row: row.clone(),
            declares: Ok((key, assembly)),
        }))
    }

    /// Loads facts from memory or where they are stored.
    fn known(
        &self,
        opened: &mut OpenedStores,
        key: &FactsKey,
        at: &str,
    ) -> Result<Option<PackageAssembly>, IngestError> {
        // Two packages may hold the same file.
        let is_here =
            |cached: &&PackageAssembly| cached.library.place().strip_suffix('#') == Some(at);
        if let Some(cached) = self.cached.get(key).filter(is_here) {
            return Ok(Some(cached.clone()));
        }

        let decode = |blob: &[u8]| assembly(blob, at);
        self.loader.find_package(opened, key, decode, &self.packed)
    }

    fn compiled(
        &self,
        key: FactsKey,
        bytes: &[u8],
        at: &str,
    ) -> Result<Result<PackageAssembly, String>, IngestError> {
        let read = || catch_unwind(AssertUnwindSafe(|| Compiled::read(bytes)));
        let compiled = match self.loader.timer.time(Phase::Extract, read) {
            Ok(Ok(compiled)) => compiled,
            Ok(Err(problem)) => return Ok(Err(problem)),
            Err(_) => {
                return Ok(Err("the reader crashed; please report the file".to_owned()));
            }
        };

        let blob = compiled.encode();
        let built =
            assembly(&blob, at).ok_or_else(|| "its declarations cannot be stored".to_owned());
        if built.is_ok() {
            self.loader.keep_package(key, blob, &self.packed)?;
        }

        Ok(built)
    }
}

/// Reports whether another version of the assembly reader wrote the row.
fn key_is_of_other_reader(key: &FactsKey, row: &PackageRow) -> bool {
    *key != FactsKey::new(Dialect::CSharp, ASSEMBLY, &row.hash)
}

/// Decodes a stored assembly, with an empty project list.
fn assembly(blob: &[u8], at: &str) -> Option<PackageAssembly> {
    let Compiled {
        name,
        references,
        blob,
    } = Compiled::decode(blob)?;
    let library = Arc::new(Library::read(&format!("{at}#"), &blob).ok()?);
    Some(PackageAssembly {
        name,
        references,
        library,
        seen_by: Vec::new(),
    })
}
