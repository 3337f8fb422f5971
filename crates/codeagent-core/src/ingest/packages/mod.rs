//! Declarations of installed packages: npm `.d.ts` files in `node_modules` that the sources import,
//! directly or indirectly, and the NuGet assemblies of C# projects (`nuget`).
//!
//! Every folder and file that was accessed is recorded with its size and time. The next batch
//! compares these records to detect changes, without resolving anything.
//!
//! Limitations: npm packages without `.d.ts` files are unknown. Nothing outside `node_modules` is
//! read, and no `@types` package that is neither imported, referenced nor seen by a tsconfig. The
//! numbers of files, bytes and specifiers are limited; a note counts those left out.

mod closure;
mod compare;
mod declarations;
mod declared;
mod disk;
mod locks;
mod lookup;
mod manifest;
mod nuget;
mod restore;
mod stored;

use std::sync::Arc;

use codeagent_csharp::project::CSharpProjects;
use codeagent_csharp::resolve::PackageAssemblies;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::{FileFacts, FileId, InstalledPackages, World, WorldFile};
use codeagent_typescript::resolve::PackageAnswers;
use codeagent_workspace::{ExternalKind, NODE_MODULES, RepoPath, Stamp};

use crate::ingest::IngestError;
use crate::ingest::load::{LoadedFile, Loader};
use crate::ingest::scan::NEVER_READ;
use crate::store::{FactsKey, PackageRow};

use declarations::{CachedDeclarations, LoadLog};
use nuget::CachedAssemblies;

pub use compare::{PackageFreshness, compare, watch};
pub use declared::{DeclaredPackage, DependencyScope, ProjectPackages, declared, own_packages};

/// Maximum number of notes on single files.
const MAX_NOTES: usize = 20;

/// Prefix of row paths in the user's NuGet folder; no repository path starts like this.
const USER: &str = "nuget://";

/// Declarations of the installed packages.
#[derive(Default)]
pub struct Installed {
    /// Resolved TypeScript specifiers.
    pub answers: Arc<PackageAnswers>,
    /// C# assemblies, by name.
    pub assemblies: Arc<PackageAssemblies>,
    /// Declaration files, by path.
    pub files: Vec<DeclarationFile>,
    /// Facts keys of the assemblies, in the same order.
    pub keys: Vec<FactsKey>,
    /// Every path that was accessed, sorted.
    pub rows: Vec<PackageRow>,
    /// What was left out, and why.
    pub notes: Vec<String>,
    /// What happened while facts of declaration files were loaded on demand.
    pub log: Arc<LoadLog>,
}

/// What an earlier batch read, and this one may use.
#[derive(Default)]
pub struct CachedPackages {
    assemblies: CachedAssemblies,
    declarations: CachedDeclarations,
}

/// Reads the packages that the sources import and the projects reference.
pub fn gather(
    loader: &Loader<'_>,
    folders: &[RepoPath],
    loaded: &[LoadedFile],
    cached: &CachedPackages,
) -> Result<Installed, IngestError> {
    let mut installed = closure::gather(loader, folders, loaded, &cached.declarations)?;
    let nuget::ProjectAssemblies {
        assemblies,
        rows,
        notes,
    } = nuget::gather(loader, &cached.assemblies)?;
    loader.packages.write();

    let (keys, assemblies): (Vec<_>, Vec<_>) = assemblies.into_iter().unzip();
    (installed.keys, installed.assemblies) = (keys, Arc::new(PackageAssemblies(assemblies)));
    installed.rows.extend(rows);
    installed.rows.sort_by(|a, b| a.path.cmp(&b.path));
    installed.rows.dedup_by(|a, b| a.path == b.path);
    installed.notes.extend(notes);

    Ok(installed)
}

pub struct DeclarationFile {
    /// Repo-relative, link-free path.
    pub path: Arc<str>,
    pub key: FactsKey,
    pub facts: FileFacts,
}

impl Installed {
    /// Returns the assemblies as world files.
    pub fn installed(&self) -> InstalledPackages {
        InstalledPackages::default()
            .with(Arc::clone(&self.answers))
            .with(Arc::clone(&self.assemblies))
    }

    /// Returns the declaration files as world files.
    pub fn world_files(&self) -> impl Iterator<Item = WorldFile> + '_ {
        self.files.iter().map(|file| WorldFile {
            path: Arc::clone(&file.path),
            facts: file.facts.clone(),
            external: true,
            package: None,
        })
    }

    /// Returns what the next batch may use.
    pub fn cached(&self) -> CachedPackages {
        let declaration = |file: &DeclarationFile| {
            let facts = (file.key, file.facts.clone());
            (Arc::clone(&file.path), facts)
        };
        let assemblies = self.assemblies.0.iter().cloned();
        CachedPackages {
            assemblies: self.keys.iter().copied().zip(assemblies).collect(),
            declarations: self.files.iter().map(declaration).collect(),
        }
    }

    /// Records as changed the declaration files that could not be read on demand; returns whether
    /// there are any.
    pub fn forget_unreadable(&mut self) -> bool {
        let unreadable = self.log.take_unreadable();
        for path in &unreadable {
            let row = self.rows.iter_mut().find(|row| row.path == path.as_str());
            if let Some(row) = row {
                *row = missing_row(path.as_str());
            }
        }
        !unreadable.is_empty()
    }

    /// Hashes everything about packages that resolution can depend on. If the hash changes, all
    /// files are resolved again. Empty if there are no packages.
    pub fn fingerprint(&self, world: &World, projects: &ProjectModel) -> String {
        let PackageAnswers {
            of_repository,
            of_packages,
            ..
        } = &*self.answers;
        if of_repository.is_empty() && self.files.is_empty() && self.keys.is_empty() {
            return String::new();
        }

        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &str| {
            hasher.update(text.as_bytes()).update(&[0]);
        };
        for answers in [of_repository, of_packages] {
            let mut answers: Vec<_> = answers
                .iter()
                .filter_map(|(requested, path)| Some((requested, path.as_deref()?)))
                .collect();
            answers.sort_unstable();
            for ((from, specifier), path) in answers {
                [from, specifier, path].into_iter().for_each(&mut add);
            }
            add("|");
        }

        for (number, file) in world
            .files()
            .iter()
            .enumerate()
            .filter(|(_, file)| file.external)
        {
            if let Ok(at) = self
                .files
                .binary_search_by(|declared| declared.path.cmp(&file.path))
            {
                add(&file.path);
                add(&blake3::Hash::from_bytes(self.files[at].key.0).to_hex());
                let (file, number) = (&file.facts, FileId(number as u32));
                let support = world.support(number);
                let is_seen = match file.outline() {
                    Some(outline) => outline.globals().chain(outline.ambient()).next().is_some(),
                    None => !support.provided_keys(file).is_empty(),
                };
                if is_seen {
                    let programs = support.programs(number, world);
                    programs.into_iter().flatten().for_each(&mut add);
                }
            }
        }

        let projects = &projects.of::<CSharpProjects>().projects;
        for (key, assembly) in self.keys.iter().zip(self.assemblies.0.iter()) {
            add(&blake3::Hash::from_bytes(key.0).to_hex());
            // The names of external symbols contain the package, which the content does not.
            add(assembly.library.place());
            let projects = assembly
                .seen_by
                .iter()
                .filter_map(|index| projects.get(*index as usize));
            projects.for_each(|project| add(&project.path));
            add("|");
        }

        hasher.finalize().to_hex()[..32].to_owned()
    }
}

fn row_path(is_user: bool, path: &str) -> String {
    if is_user {
        format!("{USER}{path}")
    } else {
        path.to_owned()
    }
}

/// Parses the path of a row; `None` if it is not a valid path.
fn kind_and_path(row: &str) -> (ExternalKind, Option<RepoPath>) {
    match row.strip_prefix(USER) {
        Some(path) => (ExternalKind::NuGet, RepoPath::new(path).ok()),
        None => {
            let path = RepoPath::new(row).ok();
            let is_package = path
                .as_ref()
                .is_some_and(|path| path.segments().any(|segment| segment == NODE_MODULES));

            (
                if is_package {
                    ExternalKind::NodeModules
                } else {
                    ExternalKind::Repository
                },
                path,
            )
        }
    }
}

fn missing_row(path: &str) -> PackageRow {
    PackageRow {
        path: path.to_owned(),
        size: 0,
        stamp: Stamp::default(),
        hash: NEVER_READ,
        facts_key: None,
    }
}

fn texts(paths: &[RepoPath]) -> impl Iterator<Item = &str> {
    paths.iter().map(RepoPath::as_str)
}
