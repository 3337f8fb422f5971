//! The packages of each project: declared versions joined with the uses in the index.
//!
//! A use belongs to the C# project of its file, or to the nearest `package.json` above it. The
//! libraries of .NET, Node.js and ECMAScript are not declared, so they are not listed.

use std::collections::{BTreeMap, BTreeSet};

use codeagent_core::engine::IndexReader;
use codeagent_core::inspect::{DeclaredPackage, DependencyScope, ProjectPackages};
use codeagent_core::model::external::{PackageManager, declared_package};
use codeagent_core::query::{self, FilePackageUse, Note};
use serde::Serialize;

use super::{Answer, AnswerError};

/// A package of a project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PackageUseRow {
    /// Repo-relative path of the project file; empty for uses in no project.
    pub project: String,
    /// `nuget`, `npm`, or `assembly` for an assembly in the repository.
    pub manager: &'static str,
    /// Name of the package.
    pub package: String,
    /// Version or range as the project declares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested: Option<String>,
    /// Version in the lock file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<String>,
    /// `optional`, `peer` or `dev`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<&'static str>,
    /// Whether the project declares the package.
    pub declared: bool,
    /// Whether the package is in the repository; its uses are then those of its symbols.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_repository: bool,
    /// Number of uses in the project's files.
    pub uses: usize,
    /// Number of the project's files that use it.
    pub files: usize,
}

/// Name under which uses of Node.js are counted.
const NODE: &str = "node";

/// Uses by project, manager, and package in lower case; with the name and the number of files.
type Uses = BTreeMap<(String, PackageManager, String), (String, usize, usize)>;

/// Lists packages by project and name; with `only`, those with this name.
pub fn packages(
    index: &IndexReader,
    projects: &[ProjectPackages],
    only: Option<&str>,
) -> Result<Answer<PackageUseRow>, AnswerError> {
    let snapshot = index.snapshot()?;
    let mut uses = uses_by_project(query::package_uses_by_file(&snapshot)?, projects);

    let mut rows = Vec::new();
    let mut declared = BTreeSet::new();
    for project in projects {
        for package in &project.packages {
            let name = counted_name(&package.name, project.manager);
            let key = (project.path.clone(), project.manager, name);
            rows.push(declared_row(project, package, uses.get(&key)));
            declared.insert(key);
        }
    }
    uses.retain(|key, _| key.2 != NODE && !declared.contains(key));
    rows.extend(uses.into_iter().map(undeclared_row));
    rows.sort_by(|a, b| (&a.project, &a.package).cmp(&(&b.project, &b.package)));

    let answer = Answer::new(Vec::new());
    if rows.is_empty() {
        return Ok(answer.with_notes([Note::NoPackages]));
    }
    if let Some(only) = only {
        let all = std::mem::take(&mut rows);
        let (named, others): (Vec<_>, Vec<_>) = all
            .into_iter()
            .partition(|row| row.package.eq_ignore_ascii_case(only));
        if named.is_empty() {
            return Ok(answer.with_notes([not_found(only, &others)]));
        }
        rows = named;
    }
    Ok(Answer::new(rows))
}

/// Names the packages with a similar name.
fn not_found(asked: &str, rows: &[PackageUseRow]) -> Note {
    let asked_lower = asked.to_lowercase();
    let mut similar: Vec<String> = rows
        .iter()
        .filter(|row| row.package.to_lowercase().contains(&asked_lower))
        .map(|row| row.package.clone())
        .collect();
    similar.sort();
    similar.dedup();
    Note::NoPackage {
        asked: asked.to_owned(),
        similar,
    }
}

fn uses_by_project(uses: Vec<FilePackageUse>, projects: &[ProjectPackages]) -> Uses {
    let is_manifest = |path: &str| {
        projects
            .binary_search_by(|project| project.path.as_str().cmp(path))
            .is_ok()
    };

    let mut found = Uses::new();
    for used in uses {
        let project = match used.manager {
            PackageManager::NuGet | PackageManager::Assembly => used.project,
            PackageManager::Npm | PackageManager::Node => nearest_manifest(&used.path, is_manifest),
            PackageManager::DotNet | PackageManager::Lib => continue,
        };
        // Node.js is declared as `@types/node`.
        let (manager, package) = match used.manager {
            PackageManager::Node => (PackageManager::Npm, NODE.to_owned()),
            manager => (manager, used.package),
        };
        let key = (project, manager, package.to_lowercase());
        let entry = found.entry(key).or_insert((package, 0, 0));
        entry.1 += used.uses;
        entry.2 += 1;
    }
    found
}

/// Returns the nearest `package.json` above a file; empty if there is none.
fn nearest_manifest(path: &str, is_manifest: impl Fn(&str) -> bool) -> String {
    let mut folder = path;
    while let Some((above, _)) = folder.rsplit_once('/') {
        let manifest = format!("{above}/package.json");
        if is_manifest(&manifest) {
            return manifest;
        }
        folder = above;
    }
    let top = "package.json";
    if is_manifest(top) {
        top.to_owned()
    } else {
        String::new()
    }
}

/// Returns the name under which uses of a declared package are counted, in lower case: those of
/// `@types/babel__core` are uses of `@babel/core`.
fn counted_name(name: &str, manager: PackageManager) -> String {
    let lower = name.to_lowercase();
    match manager {
        PackageManager::Npm => declared_package(&lower).into_owned(),
        _ => lower,
    }
}

fn declared_row(
    project: &ProjectPackages,
    package: &DeclaredPackage,
    used: Option<&(String, usize, usize)>,
) -> PackageUseRow {
    let (uses, files) = used.map_or((0, 0), |(_, uses, files)| (*uses, *files));

    PackageUseRow {
        project: project.path.clone(),
        manager: project.manager.as_str(),
        package: package.name.clone(),
        requested: Some(package.requested.clone()).filter(|range| !range.is_empty()),
        resolved: package.resolved.clone(),
        scope: match package.scope {
            DependencyScope::Runtime => None,
            DependencyScope::Optional => Some("optional"),
            DependencyScope::Peer => Some("peer"),
            DependencyScope::Development => Some("dev"),
        },
        declared: true,
        in_repository: package.is_in_repository,
        uses,
        files,
    }
}

fn undeclared_row(
    ((project, manager, _), (package, uses, files)): (
        (String, PackageManager, String),
        (String, usize, usize),
    ),
) -> PackageUseRow {
    PackageUseRow {
        project,
        manager: manager.as_str(),
        package,
        requested: None,
        resolved: None,
        scope: None,
        // An assembly is referenced by its path.
        declared: manager == PackageManager::Assembly,
        in_repository: false,
        uses,
        files,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_npm_has_packages_of_declarations() {
        for (manager, expected) in [
            (PackageManager::Npm, "@babel/core"),
            (PackageManager::NuGet, "@types/babel__core"),
        ] {
            assert_eq!(counted_name("@types/Babel__Core", manager), expected);
        }
    }

    #[test]
    fn uses_belong_to_the_nearest_manifest() {
        let manifests = ["package.json", "web/package.json"];
        for (path, expected) in [
            ("web/src/a.ts", "web/package.json"),
            ("api/a.ts", "package.json"),
        ] {
            let found = nearest_manifest(path, |path| manifests.contains(&path));
            assert_eq!(found, expected, "{path}");
        }
        assert_eq!(nearest_manifest("a.ts", |_| false), "");
    }
}
