//! Declared packages: those that each project asks for, and the versions its lock file chose.
//!
//! C# projects are evaluated (`PackageReference`, `Directory.Packages.props`), or have a
//! `packages.config`; npm packages have a `package.json`.
//!
//! Limitations: C# packages that are not compiled against, such as analyzers, are left out.

use std::collections::BTreeMap;

use codeagent_csharp::project::nuget::{PackageReference, packages_config};
use codeagent_csharp::project::{CSharpProject, CSharpProjects};
use codeagent_lang::project::ProjectModel;
use codeagent_lang::project::paths::{file_name, folder_of};
use codeagent_workspace::{ExternalKind, Packages, RepoPath, Workspace};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::locks::{NPM_LOCKS, NpmLock, nuget_lock, restored_versions};
use crate::model::external::{OwnPackage, PackageManager};

/// Maximum size of a lock file, in bytes.
const MAX_LOCK_BYTES: u64 = 64 << 20;

/// Sections of a `package.json`. Of a package in several, the first counts.
const SECTIONS: [(&str, DependencyScope); 4] = [
    ("dependencies", DependencyScope::Runtime),
    ("optionalDependencies", DependencyScope::Optional),
    ("peerDependencies", DependencyScope::Peer),
    ("devDependencies", DependencyScope::Development),
];

/// A project with the packages it declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectPackages {
    /// Path of the csproj or package.json.
    pub path: String,
    /// Who distributes the packages.
    pub manager: PackageManager,
    /// The packages, by name.
    pub packages: Vec<DeclaredPackage>,
}

/// A package that a project declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredPackage {
    /// Name as written.
    pub name: String,
    /// Version or range as written; empty if there is none.
    pub requested: String,
    /// The version in the lock file.
    pub resolved: Option<String>,
    /// What it is needed for.
    pub scope: DependencyScope,
    /// Whether the package is in the repository.
    pub is_in_repository: bool,
}

/// What a package is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependencyScope {
    /// To run the project.
    Runtime,
    /// To run the project, if it can be installed.
    Optional,
    /// To run the project, and its user provides the package.
    Peer,
    /// To build or test the project.
    Development,
}

/// Returns the projects with their declared packages, by path.
pub fn declared(workspace: &Workspace, projects: &ProjectModel) -> Vec<ProjectPackages> {
    let mut locks = LockFiles {
        files: workspace.external(ExternalKind::Repository),
        npm: FxHashMap::default(),
    };

    let mut found: Vec<ProjectPackages> = projects
        .of::<CSharpProjects>()
        .projects
        .iter()
        .map(|project| csharp_packages(project, &locks))
        .collect();
    found.extend(npm_packages(projects, &mut locks));
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Returns the packages that the repository contains, by path of their manifests.
pub fn own_packages(projects: &ProjectModel) -> Vec<OwnPackage> {
    let csharp = &projects.of::<CSharpProjects>().projects;
    let assemblies = csharp.iter().map(|project| OwnPackage {
        manifest: project.path.clone(),
        name: project.assembly_name.clone(),
        published: project.published_name(),
        version: String::new(),
    });
    let npm = manifests(projects).map(|(path, manifest)| {
        let text = |key| manifest.get(key).and_then(Value::as_str);
        let name = text("name").unwrap_or_default();
        OwnPackage {
            manifest: path.to_owned(),
            name: name.to_owned(),
            published: name.to_owned(),
            version: text("version").unwrap_or_default().to_owned(),
        }
    });

    let mut found: Vec<OwnPackage> = assemblies.chain(npm).collect();
    found.sort_by(|a, b| a.manifest.cmp(&b.manifest));
    found
}

/// Returns each `package.json` with its path; those that cannot be read are left out.
fn manifests(projects: &ProjectModel) -> impl Iterator<Item = (&str, Value)> {
    projects
        .sources
        .iter()
        .filter(|(path, _)| file_name(path) == "package.json")
        .filter_map(|(path, text)| {
            let value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
            Some((path.as_str(), value))
        })
}

fn csharp_packages(project: &CSharpProject, locks: &LockFiles) -> ProjectPackages {
    let folder = folder_of(&project.path);
    let config = locks.read(&below(folder, "packages.config"));
    let config = config.and_then(|text| packages_config(&text));
    let pinned = config.unwrap_or_default();
    let resolved = match locks.read(&below(folder, "packages.lock.json")) {
        Some(text) => nuget_lock(&text),
        None => locks
            .read(&project.restored)
            .map(|text| restored_versions(&text))
            .unwrap_or_default(),
    };

    let package = |reference: &PackageReference, resolved: Option<String>| DeclaredPackage {
        name: reference.id.clone(),
        requested: reference.version.clone(),
        resolved,
        scope: DependencyScope::Runtime,
        is_in_repository: false,
    };
    let referenced = project.packages.iter().map(|reference| {
        let version = resolved.get(&reference.id.to_ascii_lowercase());
        package(reference, version.cloned())
    });
    let pinned = pinned.iter().map(|reference| DeclaredPackage {
        scope: if reference.is_private {
            DependencyScope::Development
        } else {
            DependencyScope::Runtime
        },
        ..package(reference, Some(reference.version.clone()))
    });

    let mut packages: Vec<DeclaredPackage> = referenced.chain(pinned).collect();
    packages.sort_by_key(|package| package.name.to_ascii_lowercase());
    packages.dedup_by_key(|package| package.name.to_ascii_lowercase());
    ProjectPackages {
        path: project.path.clone(),
        manager: PackageManager::NuGet,
        packages,
    }
}

/// Returns the packages of each `package.json`.
fn npm_packages(projects: &ProjectModel, locks: &mut LockFiles) -> Vec<ProjectPackages> {
    let manifests: Vec<(&str, Value)> = manifests(projects).collect();
    let own: FxHashSet<&str> = manifests
        .iter()
        .filter_map(|(_, manifest)| manifest.get("name")?.as_str())
        .collect();

    manifests
        .iter()
        .map(|(path, manifest)| ProjectPackages {
            path: (*path).to_owned(),
            manager: PackageManager::Npm,
            packages: sections(manifest)
                .into_iter()
                .map(|(name, ranges)| {
                    let (scope, requested) = ranges[0];
                    let is_in_repository = own.contains(name);
                    let resolved = ranges
                        .iter()
                        .find_map(|(_, range)| locks.npm_version(folder_of(path), name, range))
                        .filter(|_| !is_in_repository);
                    DeclaredPackage {
                        name: name.to_owned(),
                        requested: requested.to_owned(),
                        resolved,
                        scope,
                        is_in_repository,
                    }
                })
                .collect(),
        })
        .collect()
}

/// Returns the ranges of each package, in the order of the sections.
fn sections(manifest: &Value) -> BTreeMap<&str, Vec<(DependencyScope, &str)>> {
    let mut found: BTreeMap<&str, Vec<(DependencyScope, &str)>> = BTreeMap::new();
    for (section, scope) in SECTIONS {
        let entries = manifest.get(section).and_then(Value::as_object);
        for (name, range) in entries.into_iter().flatten() {
            let range = range.as_str().unwrap_or_default();
            found.entry(name).or_default().push((scope, range));
        }
    }
    found
}

/// Reads lock files, those of npm once.
struct LockFiles {
    files: Option<Packages>,
    /// The lock files of npm by path; `None` if there is no valid one.
    npm: FxHashMap<String, Option<NpmLock>>,
}

impl LockFiles {
    fn read(&self, path: &str) -> Option<String> {
        let path = RepoPath::new(path).ok()?;
        let file = self.files.as_ref()?.read(&path, MAX_LOCK_BYTES).ok()?;
        Some(file.text)
    }

    /// Returns the version of a package in the nearest lock file at or above a folder.
    fn npm_version(&mut self, project: &str, name: &str, range: &str) -> Option<String> {
        let mut folder = project;
        loop {
            for file in NPM_LOCKS {
                let path = below(folder, file);
                if !self.npm.contains_key(&path) {
                    let text = self.read(&path);
                    let lock = text.and_then(|text| NpmLock::parse(file, &text));
                    self.npm.insert(path.clone(), lock);
                }

                if let Some(lock) = &self.npm[&path] {
                    let inner = project.strip_prefix(folder).unwrap_or_default();
                    return lock.version(inner.trim_start_matches('/'), name, range);
                }
            }

            if folder.is_empty() {
                return None;
            }
            folder = folder_of(folder);
        }
    }
}

fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() {
        name.to_owned()
    } else {
        format!("{folder}/{name}")
    }
}
