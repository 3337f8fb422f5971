//! Packages that the repository uses and that are not installed.
//!
//! The types of such a package are unknown, so uses of its values are unresolved, or `inferred` from
//! what the repository declares.
//!
//! Limitations: npm only. A package of which no file was read counts as not installed. A use in a
//! file that imports one may be unresolved or `inferred` for another reason.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use crate::languages::package_of_path;
use crate::model::external::PackageManager;
use crate::query::{Note, QueryError, Relations, Site, used_packages};
use crate::store::{self, FileKey, Snapshot, StoreError};

/// Maximum number of packages in a note.
const MAX_NAMED: usize = 3;

/// The lines of unresolved and `inferred` uses in an answer.
pub(in crate::query) type UncertainLines = BTreeSet<(FileKey, u32)>;

/// Returns the npm packages that code uses and that are not installed, the one in most files first.
pub fn absent_packages(snapshot: &Snapshot) -> Result<Vec<String>, QueryError> {
    let installed = installed(snapshot)?;
    let used = used_packages(snapshot)?.into_iter();
    let absent = used
        .filter(|used| used.manager == PackageManager::Npm)
        .map(|used| used.package)
        .filter(|package| !installed.contains(package));
    Ok(absent.collect())
}

/// Notes the absent packages of the files with unresolved or `inferred` uses.
pub fn absent_packages_note(
    snapshot: &Snapshot,
    found: &Relations,
    unresolved: &[Site],
) -> Result<Option<Note>, QueryError> {
    let mut lines = found.inferred_lines();
    let (mut last, mut file) = ("", None);
    for (path, line, _) in unresolved {
        if path != last {
            file = store::file_by_path(snapshot, path)?.map(|row| row.id);
            last = path;
        }
        lines.extend(file.map(|file| (file, *line)));
    }
    note_of_lines(snapshot, &lines)
}

/// Notes the absent packages of the files of uncertain uses.
pub(in crate::query) fn note_of_lines(
    snapshot: &Snapshot,
    lines: &UncertainLines,
) -> Result<Option<Note>, QueryError> {
    let mut lines_by_file: BTreeMap<FileKey, usize> = BTreeMap::new();
    for (file, _) in lines {
        *lines_by_file.entry(*file).or_default() += 1;
    }

    let mut packages_by_file = Vec::new();
    for (file, count) in lines_by_file {
        let packages = store::packages_of_file(snapshot, file, PackageManager::Npm)?;
        if !packages.is_empty() {
            packages_by_file.push((count, packages));
        }
    }
    if packages_by_file.is_empty() {
        return Ok(None);
    }

    let installed = installed(snapshot)?;
    let (mut uses, mut files_by_package) = (0, BTreeMap::new());
    for (count, mut packages) in packages_by_file {
        packages.retain(|package| !installed.contains(package));
        uses += if packages.is_empty() { 0 } else { count };
        for package in packages {
            *files_by_package.entry(package).or_insert(0) += 1;
        }
    }

    let mut packages: Vec<(String, u32)> = files_by_package.into_iter().collect();
    packages.sort_by_key(|(_, files)| std::cmp::Reverse(*files));
    let more = packages.len().saturating_sub(MAX_NAMED);
    packages.truncate(MAX_NAMED);
    let packages: Vec<String> = packages.into_iter().map(|(package, _)| package).collect();
    Ok((uses > 0).then_some(Note::AbsentPackages {
        uses,
        packages,
        more,
    }))
}

/// Returns the npm packages of which a file was read.
fn installed(snapshot: &Snapshot) -> Result<FxHashSet<String>, StoreError> {
    let paths = store::package_paths(snapshot)?;
    let packages = paths.iter().filter_map(|path| package_of_path(path));
    let of_npm = packages.filter(|(manager, _)| *manager == PackageManager::Npm);
    Ok(of_npm.map(|(_, package)| package).collect())
}
