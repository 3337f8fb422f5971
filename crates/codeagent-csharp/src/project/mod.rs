//! C# projects: what each compiles, references and defines, and which one owns a file.
//!
//! Limitations: F# and Visual Basic projects are not read, and references to them are ignored. A
//! package or assembly with the name of one that a project of the repository produces is taken to
//! be that project, whatever its version. The symbol `RELEASE` is not defined.

mod conditions;
mod frameworks;
mod functions;
pub mod implicit_usings;
mod items;
mod msbuild;
pub mod nuget;
mod properties;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use codeagent_lang::project::paths::{
    PathIndex, file_name, folder_of, has_extension, is_below, join, stem,
};
use codeagent_lang::project::{ProjectSet, ReadProjects};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::project::frameworks::Framework;
use crate::project::items::{Items, NamedReference, ProjectReference};
use crate::project::msbuild::{ProjectEvaluation, Repository, is_solution};
use crate::project::properties::rooted_folder;

/// The C# projects of a repository, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CSharpProjects {
    /// The projects, sorted by path.
    pub projects: Vec<CSharpProject>,
}

/// A C# project as evaluated by MSBuild in configuration Release for its highest target framework.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CSharpProject {
    /// Repo-relative path of the csproj.
    pub path: String,
    pub assembly_name: String,
    /// `PackageId` as written; empty if there is none.
    pub package_id: String,
    /// Chosen target framework (`net8.0`, `netstandard2.0`, `net45`); empty if there is none.
    pub target_framework: String,
    /// Language version as written (`latest`, `12`); empty if there is none.
    pub lang_version: String,
    /// All preprocessor symbols, those implied by the framework included, sorted.
    pub defines: Vec<String>,
    /// Global usings from project files, the SDK's implicit ones included.
    pub usings: Vec<GlobalUsing>,
    /// Projects whose public declarations are visible here (transitively), as indices into
    /// [`CSharpProjects::projects`], sorted.
    pub references: Vec<u32>,
    /// The part of `references` that the project itself lists.
    pub direct_references: Vec<u32>,
    /// Assembly names that see this project's internal declarations.
    pub internals_visible_to: Vec<String>,
    pub packages: Vec<nuget::PackageReference>,
    /// Assemblies in the repository that it references by path.
    pub assemblies: Vec<String>,
    /// The repo-relative path of `project.assets.json`; empty if outside the repository.
    pub restored: String,
    /// Files it compiles, repo-relative, sorted; a file may be compiled by several projects.
    pub files: Vec<String>,
}

impl CSharpProject {
    /// Returns the name under which users of its NuGet package have its symbols.
    #[must_use]
    pub fn published_name(&self) -> String {
        let id = Some(&self.package_id).filter(|id| !id.is_empty());
        let id = id.unwrap_or(&self.assembly_name).to_ascii_lowercase();
        nuget::package_name(&id, &self.assembly_name).to_owned()
    }
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

impl ProjectSet for CSharpProjects {
    fn path(&self, index: u32) -> &str {
        &self.projects[index as usize].path
    }

    fn find(&self, path: &str) -> Option<u32> {
        let found = self
            .projects
            .binary_search_by(|project| project.path.as_str().cmp(path));
        found.ok().map(|index| index as u32)
    }

    fn may_own(&self, path: &str) -> bool {
        has_extension(path, ".cs")
    }

    /// Records the owner, which also compiles the file.
    fn assign(&mut self, path: &str, index: u32) {
        let files = &mut self.projects[index as usize].files;
        if let Err(at) = files.binary_search_by(|file| file.as_str().cmp(path)) {
            files.insert(at, path.to_owned());
        }
    }

    fn defines(&self, index: u32) -> &[String] {
        &self.projects[index as usize].defines
    }

    fn compiling(&self, path: &str) -> Vec<u32> {
        let compiles = |project: &CSharpProject| {
            let files = &project.files;
            files
                .binary_search_by(|file| file.as_str().cmp(path))
                .is_ok()
        };
        let numbered = self.projects.iter().zip(0..);
        numbered
            .filter(|(project, _)| compiles(project))
            .map(|(_, index)| index)
            .collect()
    }

    fn only_adds(&self, path: &str, before: &dyn ProjectSet) -> bool {
        let mut without = self.clone();
        for project in &mut without.projects {
            project.files.retain(|file| file != path);
        }
        (before as &dyn Any).downcast_ref() == Some(&without)
    }
}

/// Reads all C# projects.
pub(crate) fn read(paths: &[String], texts: &BTreeMap<String, Arc<str>>) -> ReadProjects {
    let repository = Repository::new(paths, texts);
    let sources = PathIndex::new(
        paths
            .iter()
            .map(String::as_str)
            .filter(|path| has_extension(path, ".cs")),
    );
    let files: Vec<&String> = texts
        .keys()
        .filter(|path| has_extension(path, ".csproj"))
        .collect();
    let mut projects: Vec<ReadProject> = files
        .into_par_iter()
        .filter_map(|path| read_project(&repository, &sources, path))
        .collect();
    let solutions: FxHashSet<String> = texts
        .keys()
        .filter(|path| is_solution(path))
        .map(|path| stem(path).to_ascii_lowercase())
        .collect();
    let precedences = precedences(&projects, &solutions);
    link_references(&mut projects, &precedences);
    let mut warnings: Vec<String> = repository.warnings.into_values().collect();
    let cut = projects
        .iter()
        .filter(|read| read.is_cut)
        .map(|read| &read.project.path);
    warnings.extend(
        cut.map(|path| format!("{path}: it and its imports are too large; only a part was read")),
    );

    let lost = projects.iter().flat_map(|read| {
        let path = read.project.path.as_str();
        read.lost_references.iter().map(move |to| (path, to))
    });
    warnings
        .extend(lost.map(|(path, to)| format!("{path}: no project found for the reference {to}")));

    let projects: Vec<CSharpProject> = projects.into_iter().map(|read| read.project).collect();
    ReadProjects {
        owners: owners(&projects, &precedences),
        set: Box::new(CSharpProjects { projects }),
        warnings,
    }
}

/// Reports whether the text of a file is needed, by its name in lower case.
pub(crate) fn is_project_file(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(
        extension,
        "csproj" | "shproj" | "projitems" | "props" | "targets" | "sln" | "slnx"
    )
}

struct ReadProject {
    project: CSharpProject,
    references: Vec<ProjectReference>,
    named_references: Vec<NamedReference>,
    lost_references: Vec<String>,
    sees_direct_references_only: bool,
    /// Part of the project was not read.
    is_cut: bool,
}

/// Evaluates a project for the newest of its target frameworks.
fn evaluate_newest<'r>(
    repository: &'r Repository<'r>,
    path: &'r str,
) -> Option<ProjectEvaluation<'r>> {
    let evaluation = ProjectEvaluation::new(repository, path, None)?;
    let is_open = evaluation
        .properties
        .get("TargetFramework")
        .trim()
        .is_empty();

    match frameworks::newest(evaluation.properties.get("TargetFrameworks")).filter(|_| is_open) {
        Some(newest) => {
            let newest = newest.to_owned();
            ProjectEvaluation::new(repository, path, Some(&newest))
        }
        None => Some(evaluation),
    }
}

fn read_project(
    repository: &Repository<'_>,
    sources: &PathIndex<'_>,
    path: &str,
) -> Option<ReadProject> {
    let mut evaluation = evaluate_newest(repository, path)?;
    let items = items::evaluate(&mut evaluation, sources);
    let framework = framework_of(&evaluation);
    let Items {
        compile,
        usings,
        references,
        named_references,
        mut internals_visible_to,
        packages,
        hint_paths,
        lost_references,
        ..
    } = items;

    internals_visible_to.sort_unstable();
    internals_visible_to.dedup();
    let properties = &evaluation.properties;
    let text = |name: &str| properties.get(name).trim().to_owned();
    let project = CSharpProject {
        path: path.to_owned(),
        assembly_name: Some(text("AssemblyName"))
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| stem(path).to_owned()),
        package_id: text("PackageId"),
        target_framework: framework.name(),
        lang_version: text("LangVersion"),
        defines: defines(&evaluation, &framework),
        usings,
        files: compile.into_iter().map(str::to_owned).collect(),
        internals_visible_to,
        packages: packages.into_values().collect(),
        assemblies: hint_paths.into_iter().collect(),
        restored: restored(&evaluation),
        ..CSharpProject::default()
    };

    let sees_direct_references_only = properties.is_true("DisableTransitiveProjectReferences");
    let is_cut = evaluation.is_spent();

    Some(ReadProject {
        project,
        references,
        named_references,
        lost_references,
        sees_direct_references_only,
        is_cut,
    })
}

/// Returns the path of `project.assets.json`; empty if outside the repository.
fn restored(evaluation: &ProjectEvaluation<'_>) -> String {
    const NAME: &str = "project.assets.json";
    let properties = &evaluation.properties;
    let verdict = ["MSBuildProjectExtensionsPath", "BaseIntermediateOutputPath"]
        .into_iter()
        .map(|name| properties.get(name).trim());
    let folder = match verdict.into_iter().find(|folder| !folder.is_empty()) {
        Some(folder) => folder.to_owned(),
        None if properties.is_true("UseArtifactsOutput") => {
            let verdict = properties.get("ArtifactsPath").trim();
            let artifacts = if verdict.is_empty() {
                rooted_folder(evaluation.directory_props_folder()) + "artifacts"
            } else {
                verdict.to_owned()
            };
            format!("{artifacts}/obj/{}", stem(evaluation.project))
        }
        None => "obj".to_owned(),
    };

    join(evaluation.folder(), &format!("{folder}/{NAME}")).unwrap_or_default()
}

/// Returns the framework of the evaluation: the last one set, as in a list with one element, or the
/// pair of identifier and version of old projects.
fn framework_of(evaluation: &ProjectEvaluation<'_>) -> Framework {
    let properties = &evaluation.properties;
    let verdict = properties.get("TargetFramework");
    if !verdict.trim().is_empty() || evaluation.is_sdk_style() {
        return Framework::parse(verdict);
    }
    let version = properties.get("TargetFrameworkVersion");
    if version.is_empty() {
        Framework::parse("")
    } else {
        Framework::from_identifier(properties.get("TargetFrameworkIdentifier"), version)
    }
}

/// The framework assumed for a project whose own is set by an SDK outside the repository.
const CURRENT: &str = "net10.0";

/// Returns the symbols of `DefineConstants`, plus those that the SDK adds.
fn defines(evaluation: &ProjectEvaluation<'_>, framework: &Framework) -> Vec<String> {
    let properties = &evaluation.properties;
    let is_symbol = |symbol: &&str| {
        symbol.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && symbol.chars().all(|c| c.is_alphanumeric() || c == '_')
    };

    let verdict = properties
        .get("DefineConstants")
        .split([';', ',', ' ', '\n', '\r', '\t'])
        .filter(is_symbol);

    let mut symbols: BTreeSet<String> = verdict.map(str::to_owned).collect();
    if evaluation.is_sdk_style() {
        symbols.insert("TRACE".to_owned());
        if !properties.is_true("DisableImplicitFrameworkDefines") {
            let is_known = !framework.name().is_empty();
            symbols.extend(if is_known {
                framework.symbols()
            } else {
                Framework::parse(CURRENT).symbols()
            });
        }
    }

    symbols.into_iter().collect()
}

/// Resolves referenced paths and names to indices and adds the projects visible through other ones.
fn link_references(projects: &mut [ReadProject], precedences: &[Precedence]) {
    let direct = direct_references(projects, precedences);
    for (index, read) in projects.iter_mut().enumerate() {
        let mut visible: BTreeSet<u32> = direct[index].iter().map(|(target, _)| *target).collect();
        read.project.direct_references = visible.iter().copied().collect();
        let mut open: Vec<u32> = if read.sees_direct_references_only {
            Vec::new()
        } else {
            read.project.direct_references.clone()
        };

        while let Some(next) = open.pop() {
            for (target, is_private) in &direct[next as usize] {
                if !is_private && visible.insert(*target) {
                    open.push(*target);
                }
            }
        }

        visible.remove(&u32::try_from(index).unwrap_or(u32::MAX));
        read.project.references = visible.into_iter().collect();
    }
}

/// Returns the projects that each project references directly, and whether they are private to it.
fn direct_references(
    projects: &[ReadProject],
    precedences: &[Precedence],
) -> Vec<Vec<(u32, bool)>> {
    let by_path: FxHashMap<&str, u32> = projects
        .iter()
        .zip(0..)
        .map(|(read, index)| (read.project.path.as_str(), index))
        .collect();

    let mut by_name: FxHashMap<String, u32> = FxHashMap::default();
    for (read, index) in projects.iter().zip(0_u32..) {
        for name in [&read.project.assembly_name, &read.project.package_id]
            .into_iter()
            .filter(|name| !name.is_empty())
        {
            let place = |index: u32| precedences[index as usize].among_siblings;
            let known = by_name.entry(name.to_ascii_lowercase()).or_insert(index);
            *known = std::cmp::min_by_key(*known, index, |index| (place(*index), *index));
        }
    }

    let of = |read: &ReadProject, own: u32| {
        let paths = read.references.iter().filter_map(|reference| {
            Some((*by_path.get(reference.path.as_str())?, reference.is_private))
        });
        let names = read.named_references.iter();
        let names = names.filter_map(|reference| {
            Some((
                *by_name.get(&reference.name.to_ascii_lowercase())?,
                reference.is_private,
            ))
        });

        paths
            .chain(names)
            .filter(|(target, _)| *target != own)
            .collect()
    };

    projects
        .iter()
        .zip(0..)
        .map(|(read, own)| of(read, own))
        .collect()
}

/// Returns the project that owns each file: among those that compile it, the one with the nearest
/// enclosing folder; else the first by path.
fn owners(projects: &[CSharpProject], precedences: &[Precedence]) -> BTreeMap<String, u32> {
    let mut owners: FxHashMap<&str, u32> = FxHashMap::default();
    for (project, index) in projects.iter().zip(0_u32..) {
        for file in &project.files {
            let key = |index: u32| {
                let holder = &precedences[index as usize];
                let holds = is_below(file, &holder.folder);
                (
                    Reverse(holds.then_some(holder.folder.len())),
                    if holds { holder.among_siblings } else { 0 },
                    index,
                )
            };

            owners
                .entry(file)
                .and_modify(|owner| {
                    *owner = std::cmp::min_by_key(*owner, index, |index| key(*index))
                })
                .or_insert(index);
        }
    }

    owners
        .into_iter()
        .map(|(file, index)| (file.to_owned(), index))
        .collect()
}

struct Precedence {
    folder: String,
    /// The rank among the projects of the same folder, the preferred one first.
    among_siblings: usize,
}

fn precedences(projects: &[ReadProject], solutions: &FxHashSet<String>) -> Vec<Precedence> {
    let mut by_folder: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, read) in projects.iter().enumerate() {
        by_folder
            .entry(folder_of(&read.project.path))
            .or_default()
            .push(index);
    }

    let mut places = vec![0; projects.len()];
    for (folder, mut siblings) in by_folder {
        siblings.sort_by(|a, b| {
            let (a, b) = (&projects[*a].project, &projects[*b].project);
            let by_name = |project: &CSharpProject| {
                let name = stem(&project.path);
                let is_solution = || solutions.contains(&name.to_ascii_lowercase());
                if name.eq_ignore_ascii_case(file_name(folder)) {
                    0
                } else {
                    1 + u8::from(!is_solution())
                }
            };

            let framework = |project: &CSharpProject| Framework::parse(&project.target_framework);
            by_name(a)
                .cmp(&by_name(b))
                .then_with(|| framework(b).rank(&framework(a)))
                .then_with(|| a.path.cmp(&b.path))
        });

        siblings
            .into_iter()
            .enumerate()
            .for_each(|(place, index)| places[index] = place);
    }

    let folders = projects
        .iter()
        .map(|read| folder_of(&read.project.path).to_owned());

    folders
        .zip(places)
        .map(|(folder, among_siblings)| Precedence {
            folder,
            among_siblings,
        })
        .collect()
}
