//! Locates the assemblies of a C# project, from its last restore or its packages.
//!
//! Limitations: those of `nuget`. Links to version and framework folders inside a package folder
//! are not followed.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use codeagent_csharp::project::CSharpProject;
use codeagent_csharp::project::nuget::{Assets, Needs, Range, Version, nearest, needs, newer};
use codeagent_lang::project::paths::{file_name, folder_of};
use codeagent_workspace::{DirListing, ExternalKind, Workspace};
use rustc_hash::FxHashMap;

use super::disk::PackageFiles;
use super::{USER, missing_row};
use crate::store::PackageRow;

/// Maximum number of packages per project.
const MAX_PACKAGES: usize = 5_000;

/// Maximum number of dependency levels below a project.
const MAX_DEPTH: u32 = 64;

/// Maximum size of `project.assets.json`, in bytes.
const MAX_ASSETS_BYTES: u64 = 64 << 20;

#[derive(Clone, Debug)]
pub struct AssemblyFile {
    /// Whether it is in the user's package folder, not in the repository.
    pub is_user: bool,
    /// Path in that folder or in the repository.
    pub path: String,
    /// Version of its package.
    pub version: Option<Version>,
}

impl AssemblyFile {
    /// Returns the lower-case name of the assembly.
    pub fn name(&self) -> String {
        let name = file_name(&self.path).to_ascii_lowercase();
        name.strip_suffix(".dll").unwrap_or(&name).to_owned()
    }

    /// Orders two files of the same assembly by version, then framework.
    pub fn compare(&self, other: &Self) -> Ordering {
        let framework = |found: &Self| file_name(folder_of(&found.path)).to_owned();
        let by_version = self.version.cmp(&other.version);
        by_version
            .then_with(|| newer(&framework(self), &framework(other)))
            .then_with(|| self.path.cmp(&other.path))
    }
}

/// The assemblies of a package for one framework, and the packages it depends on.
#[derive(Clone, Default)]
struct PackageAssets {
    needs: Rc<Needs>,
    assemblies: Rc<[String]>,
}

/// Finds the assemblies of projects.
pub struct Restore<'m> {
    /// Lower-case names of the assemblies that the repository's projects build.
    built: &'m BTreeSet<String>,
    repository: Option<PackageFiles>,
    user: Option<PackageFiles>,
    versions: FxHashMap<String, Rc<[(Version, String)]>>,
    assets: FxHashMap<(String, String, String), PackageAssets>,
}

impl<'m> Restore<'m> {
    pub fn new(workspace: &Workspace, built: &'m BTreeSet<String>) -> Self {
        let disk = |kind, prefix| {
            workspace
                .external(kind)
                .map(|packages| PackageFiles::new(packages, prefix))
        };

        let (repository, user) = (
            disk(ExternalKind::Repository, ""),
            disk(ExternalKind::NuGet, USER),
        );
        Self {
            built,
            repository,
            user,
            versions: FxHashMap::default(),
            assets: FxHashMap::default(),
        }
    }

    /// Reports whether the system ran short of file handles or memory.
    pub fn is_short(&self) -> bool {
        self.repository
            .iter()
            .chain(&self.user)
            .any(|disk| disk.is_short)
    }

    /// Returns a row for every path that was accessed.
    pub fn into_rows(self) -> Vec<PackageRow> {
        // A missing package folder is recorded, so that its creation is noticed.
        let absent = if self.user.is_none() {
            Some(missing_row(USER))
        } else {
            None
        };
        self.repository
            .into_iter()
            .chain(self.user)
            .flat_map(PackageFiles::into_rows)
            .chain(absent)
            .collect()
    }

    /// Returns the assemblies that a project gets.
    pub fn assemblies(
        &mut self,
        project: &CSharpProject,
        projects: &[CSharpProject],
    ) -> Vec<AssemblyFile> {
        let named = project.assemblies.iter().map(|path| AssemblyFile {
            is_user: false,
            path: path.clone(),
            version: None,
        });

        let mut found: Vec<AssemblyFile> = named.collect();
        let requested = Self::requested(project, projects);
        if !requested.is_empty() {
            let framework = &project.target_framework;
            match self.restored(project) {
                Some(restored) => found.extend(restored),
                None => found.extend(self.resolved(requested, framework)),
            }
        }

        found
    }

    /// Returns the packages a project references, directly or through referenced projects. Its own
    /// versions take precedence.
    fn requested(project: &CSharpProject, projects: &[CSharpProject]) -> BTreeMap<String, Range> {
        let mut requested = BTreeMap::new();
        let referenced = project
            .references
            .iter()
            .filter_map(|index| projects.get(*index as usize));
        let theirs = referenced
            .flat_map(|other| &other.packages)
            .filter(|package| !package.is_private);
        for package in project.packages.iter().chain(theirs) {
            let id = package.id.to_ascii_lowercase();
            if let Some(range) = Range::parse(&package.version) {
                requested.entry(id).or_insert(range);
            }
        }
        requested
    }

    /// Returns the assemblies listed by the last restore.
    fn restored(&mut self, project: &CSharpProject) -> Option<Vec<AssemblyFile>> {
        let disk = self
            .repository
            .as_mut()
            .filter(|_| !project.restored.is_empty())?;
        let assets = Assets::parse(&disk.text_if_there(&project.restored, MAX_ASSETS_BYTES)?)?;
        let found = assets.assemblies(&project.target_framework)?;

        Some(
            found
                .into_iter()
                .map(|found| AssemblyFile {
                    is_user: true,
                    path: found.path,
                    version: found.version,
                })
                .collect(),
        )
    }

    /// Resolves package dependencies from the packages on disk. They are visited level by level:
    /// the nearest reference wins, and within a level the highest version.
    fn resolved(
        &mut self,
        requested: BTreeMap<String, Range>,
        framework: &str,
    ) -> Vec<AssemblyFile> {
        let mut chosen: BTreeMap<String, (Version, String)> = BTreeMap::new();
        let mut level: Vec<(String, Range)> = requested.into_iter().collect();
        for _ in 0..MAX_DEPTH {
            let mut taken: BTreeMap<String, (Version, String)> = BTreeMap::new();
            // A package that the repository builds is represented by its project.
            level.retain(|(id, _)| !self.built.contains(id));
            for (id, range) in level.drain(..).filter(|(id, _)| !chosen.contains_key(id)) {
                let Some(version) = self.version(&id, &range) else {
                    continue;
                };
                let best = taken.entry(id).or_insert_with(|| version.clone());
                if version > *best {
                    *best = version;
                }
            }
            for (id, version) in &taken {
                level.extend(self.assets(id, &version.1, framework).needs.iter().cloned());
            }
            chosen.extend(taken);
            if level.is_empty() || chosen.len() > MAX_PACKAGES {
                break;
            }
        }

        let mut found = Vec::new();
        for (id, (version, folder)) in chosen {
            let assets = self.assets(&id, &folder, framework);
            found.extend(assets.assemblies.iter().map(|path| AssemblyFile {
                is_user: true,
                path: path.clone(),
                version: Some(version.clone()),
            }));
        }

        found
    }

    /// Returns the version to use for a package, and its folder.
    fn version(&mut self, id: &str, range: &Range) -> Option<(Version, String)> {
        let disk = self.user.as_mut()?;
        let known = self.versions.entry(id.to_owned()).or_insert_with(|| {
            let listing = disk.folder(id);
            let folders = listing.iter().flat_map(|listing| folders(&listing.names));
            folders
                .filter_map(|name| Some((Version::parse(name)?, name.to_owned())))
                .collect()
        });
        let versions: Vec<Version> = known.iter().map(|(version, _)| version.clone()).collect();
        range.choose(&versions).map(|at| known[at].clone())
    }

    fn assets(&mut self, id: &str, version: &str, framework: &str) -> PackageAssets {
        let key = (id.to_owned(), version.to_owned(), framework.to_owned());
        if let Some(assets) = self.assets.get(&key) {
            return assets.clone();
        }
        let Some(disk) = self.user.as_mut() else {
            return PackageAssets::default();
        };

        let folder = format!("{id}/{version}");
        let nuspec = disk
            .entry(&folder, &format!("{id}.nuspec"), true)
            .map(|path| disk.text(&path))
            .unwrap_or_default();
        let assets = PackageAssets {
            needs: Rc::new(needs(&nuspec, framework)),
            assemblies: assemblies_in(disk, &folder, framework).into(),
        };

        self.assets.insert(key, assets.clone());
        assets
    }
}

fn assemblies_in(disk: &mut PackageFiles, folder: &str, framework: &str) -> Vec<String> {
    for kind in ["ref", "lib"] {
        let Some(folder) = disk.entry(folder, kind, false) else {
            continue;
        };
        let Some(listing) = disk.folder(&folder) else {
            continue;
        };

        let names: Vec<&str> = folders(&listing.names).collect();
        if let Some(at) = nearest(framework, &names) {
            let folder = format!("{folder}/{}", names[at]);
            let listing = disk.folder(&folder);
            let files = listing
                .iter()
                .flat_map(|listing| &listing.names)
                .filter(|(name, kind)| *kind == DirListing::File && name.ends_with(".dll"));
            return files.map(|(name, _)| format!("{folder}/{name}")).collect();
        }
    }

    Vec::new()
}

fn folders(names: &[(String, DirListing)]) -> impl Iterator<Item = &str> {
    names
        .iter()
        .filter(|(_, kind)| *kind == DirListing::Folder)
        .map(|(name, _)| name.as_str())
}
