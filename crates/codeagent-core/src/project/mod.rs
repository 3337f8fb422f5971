//! Which project owns a file, and what the project says about reading it: preprocessor symbols,
//! usings, references, module paths.
//!
//! Made from the texts of the project files alone: no disk access here, nothing executed, no
//! MSBuild.

pub(crate) mod paths;

mod globs;

mod frameworks;

mod properties;

mod functions;

mod conditions;

mod msbuild;

pub mod implicit_usings;

mod items;

mod csharp;

pub mod nuget;

mod jsonc;

mod packages;

mod tsconfig;

mod typescript;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::graph::Language;

/// All projects of a repository. Built by [`ProjectModel::build`]; equal inputs give an equal
/// model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectModel {
    /// C# projects, by path.
    pub csharp: Vec<CSharpProject>,
    /// TypeScript projects (tsconfig/jsconfig files), by path.
    pub typescript: Vec<TypeScriptProject>,
    /// npm packages of the repository (workspaces), by path.
    pub packages: Vec<Package>,
    /// The owning project of every C# and TypeScript file that has one.
    pub owners: BTreeMap<String, ProjectRef>,
    /// The tsconfigs that cover a TypeScript or JavaScript file, as indices into
    /// [`ProjectModel::typescript`]; files that none covers are left out.
    pub covered: BTreeMap<String, Arc<[u32]>>,
    /// TypeScript configurations by path, each the text of an equivalent one without `extends`.
    pub configs: Arc<BTreeMap<String, Arc<str>>>,
    /// The texts the model was made from, by path: module resolution reads package.json files here.
    pub sources: Arc<BTreeMap<String, Arc<str>>>,
    /// Project files that could not be read, and why; sorted.
    pub warnings: Vec<String>,
}

/// A project of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProjectRef {
    /// Index into [`ProjectModel::csharp`].
    CSharp(u32),
    /// Index into [`ProjectModel::typescript`].
    TypeScript(u32),
}

/// A C# project as MSBuild would see it in configuration Release at its highest target framework.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CSharpProject {
    /// Repo-relative path of the csproj.
    pub path: String,
    /// Assembly name.
    pub assembly_name: String,
    /// Chosen target framework (`net8.0`, `netstandard2.0`, `net45`), empty if none is said.
    pub target_framework: String,
    /// As written (`latest`, `12`), empty if not said.
    pub lang_version: String,
    /// All preprocessor symbols, those implied by the framework included, sorted.
    pub defines: Vec<String>,
    /// Global usings from project files, the SDK's implicit ones included.
    pub usings: Vec<GlobalUsing>,
    /// Projects whose public declarations are visible here (transitively), as indices into
    /// [`ProjectModel::csharp`], sorted.
    pub references: Vec<u32>,
    /// The part of `references` that the project names itself.
    pub direct_references: Vec<u32>,
    /// Assembly names that see this project's internal declarations.
    pub internals_visible_to: Vec<String>,
    /// Packages that it names.
    pub packages: Vec<nuget::PackageReference>,
    /// Assemblies in the repository that it names by their paths.
    pub assemblies: Vec<String>,
    /// Where a restore writes what it resolved, repo-relative; empty if not in the repository.
    pub restored: String,
    /// Files it compiles, repo-relative, sorted; a file may be compiled by several projects.
    pub files: Vec<String>,
}

/// A using that holds in every file of a project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GlobalUsing {
    /// `using A.B;`
    Namespace(String),
    /// `using static A.B;`
    Static(String),
    /// `using X = A.B;`
    Alias(String, String),
}

/// A tsconfig or jsconfig file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeScriptProject {
    /// Repo-relative path of the configuration file.
    pub path: String,
    /// `compilerOptions.allowJs` or a jsconfig.
    pub allow_js: bool,
    /// Libraries whose declarations its files see: those of `compilerOptions.lib`, else what
    /// `target` gets by default.
    pub libraries: Vec<String>,
}

impl TypeScriptProject {
    /// The libraries that files see which belong to no configuration.
    pub const DEFAULT_LIBRARIES: &[&str] = &[tsconfig::NEWEST];
}

/// A package.json of the repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Package {
    /// Folder, repo-relative, empty for the root.
    pub folder: String,
    /// Its name.
    pub name: String,
    /// Some workspace (package.json `workspaces`, pnpm-workspace.yaml, lerna.json) counts it, or it
    /// is the root of one.
    pub is_workspace_member: bool,
}

impl ProjectModel {
    /// Reads the model.
    ///
    /// `paths` are all files of the repository (sorted, repo-relative), `texts` the contents of
    /// those that [`is_project_file`] accepts and [`add_extended`] adds.
    #[must_use]
    pub fn build(paths: &[String], texts: BTreeMap<String, Arc<str>>) -> Self {
        let mut model = Self::default();
        for (_, language) in Language::NAMES {
            match language {
                Language::CSharp => csharp::read(&mut model, paths, &texts),
                Language::TypeScript => {
                    packages::read(&mut model, &texts);
                    typescript::read(&mut model, paths, &texts);
                }
            }
        }
        model.warnings.sort_unstable();
        model.sources = Arc::new(texts);
        model
    }

    /// The same model, where files belong to the project that `owner` names for them, if it is one
    /// of the model and of their language.
    #[must_use]
    pub fn with_owners<'c>(
        mut self,
        paths: &[String],
        owner: impl Fn(&str) -> Option<&'c str>,
    ) -> Self {
        let mut missing = BTreeSet::new();
        for path in paths {
            let Some(named) = owner(path) else { continue };
            match self.project(named) {
                Some(project) if self.is_for(project, path) => self.assign(path, project),
                Some(_) => {}
                None => drop(missing.insert(named)),
            }
        }
        self.warnings.extend(
            missing.into_iter().map(|named| {
                format!("{named}: the settings name it as a project, and there is none")
            }),
        );
        self.warnings.sort_unstable();
        self
    }

    fn project(&self, path: &str) -> Option<ProjectRef> {
        let of = |language: &Language| match language {
            Language::CSharp => {
                let found = self
                    .csharp
                    .binary_search_by(|project| project.path.as_str().cmp(path));
                found.ok().map(|index| ProjectRef::CSharp(index as u32))
            }
            Language::TypeScript => {
                let found = self
                    .typescript
                    .binary_search_by(|project| project.path.as_str().cmp(path));
                found.ok().map(|index| ProjectRef::TypeScript(index as u32))
            }
        };
        Language::NAMES
            .iter()
            .find_map(|(_, language)| of(language))
    }

    fn is_for(&self, project: ProjectRef, path: &str) -> bool {
        match project {
            ProjectRef::CSharp(_) => paths::has_extension(path, ".cs"),
            ProjectRef::TypeScript(_) => typescript::script_kind(path).is_some(),
        }
    }

    /// Makes a project the owner of a file; a C# project compiles what it owns.
    fn assign(&mut self, path: &str, owner: ProjectRef) {
        match owner {
            ProjectRef::CSharp(index) => {
                let files = &mut self.csharp[index as usize].files;
                if let Err(at) = files.binary_search_by(|file| file.as_str().cmp(path)) {
                    files.insert(at, path.to_owned());
                }
            }
            ProjectRef::TypeScript(index) => {
                drop(self.covered.insert(path.to_owned(), Arc::from([index])))
            }
        }
        self.owners.insert(path.to_owned(), owner);
    }

    /// The tsconfigs that cover a file, `None` if there is none.
    #[must_use]
    pub fn covering(&self, path: &str) -> Option<&[u32]> {
        self.covered.get(path).map(|all| &**all)
    }

    /// The `project_id` of a file: the path of the project file that owns it, else `.`.
    #[must_use]
    pub fn project_id(&self, path: &str) -> &str {
        match self.owners.get(path) {
            Some(ProjectRef::CSharp(index)) => &self.csharp[*index as usize].path,
            Some(ProjectRef::TypeScript(index)) => &self.typescript[*index as usize].path,
            None => ".",
        }
    }

    /// The preprocessor symbols a file is read with.
    #[must_use]
    pub fn defines(&self, path: &str) -> &[String] {
        match self.owners.get(path) {
            Some(ProjectRef::CSharp(index)) => &self.csharp[*index as usize].defines,
            Some(ProjectRef::TypeScript(_)) | None => &[],
        }
    }
}

/// Adds the project files that others name and whose names do not tell them apart
/// (`"extends": "./base.json"`). `read` gives the text of a path, `None` if there is no such file.
pub fn add_extended(
    texts: &mut BTreeMap<String, Arc<str>>,
    read: impl FnMut(&str) -> Option<Arc<str>>,
) {
    let mut packages = ProjectModel::default();
    packages::read(&mut packages, texts);
    typescript::add_extended(texts, &packages.packages, read);
}

/// Whether the name of a file says that its text is needed to build the model.
#[must_use]
pub fn is_project_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    Language::NAMES.iter().any(|(_, language)| match language {
        Language::CSharp => csharp::is_project_file(&name),
        Language::TypeScript => {
            packages::is_project_file(&name) || typescript::is_project_file(&name)
        }
    })
}

#[cfg(test)]
mod tests;
