//! Which declarations have the packages that are installed: of npm `.d.ts` files below
//! `node_modules`, from those that the sources import on, with all that these import themselves; of
//! NuGet the assemblies that C# projects get (`nuget`).
//!
//! Of npm only what an import leads to is read, and nothing outside of `node_modules`. Every folder
//! and file that was looked at is kept with its size and time, so that the next batch sees whether
//! anything may differ without looking anything up.
//!
//! **Limits.** Declarations alone: of an npm package that ships sources or JavaScript without
//! declarations nothing is known. What no import and no `/// <reference>` leads to is not read,
//! `@types` packages among it. Counted limits on files, bytes and specifiers; who was left out is
//! said.

mod closure;
mod compare;
mod disk;
mod lookup;
mod manifest;
mod nuget;
mod restore;

use std::sync::Arc;

use codeagent_csharp::project::CSharpProjects;
use codeagent_csharp::resolve::PackageAssemblies;
use codeagent_lang::project::ProjectModel;
use codeagent_lang::{FileId, Supplied, World, WorldFile};
use codeagent_typescript::resolve::PackageAnswers;
use codeagent_workspace::{External, NODE_MODULES, RepoPath, Stamp};

use crate::ingest::IngestError;
use crate::ingest::load::{LoadedFile, Loader};
use crate::ingest::scan::NEVER_READ;
use crate::model::facts::Facts;
use crate::store::{FactsKey, PackageRow};

pub use compare::{PackageFreshness, compare, watch};
pub use nuget::CachedAssemblies;

/// Remarks on single files.
const MAX_REMARKS: usize = 20;

/// What stands in rows before a path in the user's folder of packages; no path of a repository
/// begins like that.
const USER: &str = "nuget://";

/// What the packages declare.
#[derive(Default)]
pub struct Installed {
    /// Where specifiers of TypeScript lead.
    pub answers: Arc<PackageAnswers>,
    /// The assemblies of C#, by name.
    pub assemblies: Arc<PackageAssemblies>,
    /// The declaration files, by path.
    pub files: Vec<DeclarationFile>,
    /// Where the declarations of the assemblies are kept, in their order.
    pub keys: Vec<FactsKey>,
    /// Everything that was looked at, by path.
    pub rows: Vec<PackageRow>,
    /// What was left out and why.
    pub remarks: Vec<String>,
}

/// What the packages declare that the sources import from these folders and the projects ask for.
pub fn gather(
    loader: &Loader<'_>,
    folders: &[RepoPath],
    loaded: &[LoadedFile],
    held: &CachedAssemblies,
) -> Result<Installed, IngestError> {
    let mut installed = closure::gather(loader, folders, loaded)?;
    let nuget::Gathered {
        assemblies,
        rows,
        remarks,
    } = nuget::gather(loader, held)?;
    let (keys, assemblies): (Vec<_>, Vec<_>) = assemblies.into_iter().unzip();
    (installed.keys, installed.assemblies) = (keys, Arc::new(PackageAssemblies(assemblies)));
    installed.rows.extend(rows);
    installed.rows.sort_by(|a, b| a.path.cmp(&b.path));
    installed.rows.dedup_by(|a, b| a.path == b.path);
    installed.remarks.extend(remarks);
    Ok(installed)
}

/// A declaration file.
pub struct DeclarationFile {
    /// Repo-relative path without links.
    pub path: Arc<str>,
    /// Where its facts are kept.
    pub key: FactsKey,
    /// What it declares.
    pub facts: Arc<Facts>,
}

impl Installed {
    /// What they give a world beside the declaration files.
    pub fn supplied(&self) -> Supplied {
        Supplied::default()
            .with(Arc::clone(&self.answers))
            .with(Arc::clone(&self.assemblies))
    }

    /// The declarations as files of a world.
    pub fn world_files(&self) -> impl Iterator<Item = WorldFile> + '_ {
        self.files.iter().map(|file| WorldFile {
            path: Arc::clone(&file.path),
            facts: Arc::clone(&file.facts),
            external: true,
        })
    }

    /// The assemblies by where their declarations are kept.
    pub fn held(&self) -> CachedAssemblies {
        self.keys
            .iter()
            .copied()
            .zip(self.assemblies.0.iter().cloned())
            .collect()
    }

    /// A hash of all that a link can see of packages in a world: another one, and everything is
    /// linked again. Empty without packages.
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
                .filter_map(|(asked, path)| Some((asked, path.as_deref()?)))
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
                if !support.published(file).is_empty() {
                    let programs = support.programs(number, world);
                    programs.into_iter().flatten().for_each(&mut add);
                }
            }
        }
        let projects = &projects.of::<CSharpProjects>().projects;
        for (key, assembly) in self.keys.iter().zip(self.assemblies.0.iter()) {
            add(&blake3::Hash::from_bytes(key.0).to_hex());
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

/// The path of a row.
fn row_path(is_user: bool, path: &str) -> String {
    if is_user {
        format!("{USER}{path}")
    } else {
        path.to_owned()
    }
}

/// Where what a row speaks of lies; no path: nowhere.
fn place_of(row: &str) -> (External, Option<RepoPath>) {
    match row.strip_prefix(USER) {
        Some(path) => (External::NuGet, RepoPath::new(path).ok()),
        None => {
            let path = RepoPath::new(row).ok();
            let is_package = path
                .as_ref()
                .is_some_and(|path| path.segments().any(|segment| segment == NODE_MODULES));
            (
                if is_package {
                    External::NodeModules
                } else {
                    External::Repository
                },
                path,
            )
        }
    }
}

/// The row of what is not there.
fn missing_row(path: &str) -> PackageRow {
    PackageRow {
        path: path.to_owned(),
        size: 0,
        stamp: Stamp::default(),
        hash: NEVER_READ,
        facts_key: None,
    }
}

/// A path of the walk as a text.
fn texts(paths: &[RepoPath]) -> impl Iterator<Item = &str> {
    paths.iter().map(RepoPath::as_str)
}
