//! The default root: the git work tree that contains a folder, else an indexed folder that contains
//! it, else the folder itself.
//!
//! The file system root and home folders are never used by default: a client may start a server
//! anywhere, and nobody wants to index the whole disk.
//!
//! Limitations: only the first [`MAX_VISITED`] entries are searched for source files, upper levels
//! first.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::data_dir::DataRoot;
use crate::package_dirs::NODE_MODULES;
use crate::path::is_hidden_name;

/// Maximum number of entries searched for a source file.
const MAX_VISITED: usize = 20_000;

/// Why a folder is not served as a repository.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RootError {
    /// The folder is the root of the file system.
    #[error("{path} is the whole file system, not a repository; pass the repository's folder with --root FOLDER", path = .0.display())]
    FileSystem(PathBuf),
    /// The folder is the user's home folder, or contains it.
    #[error(
        "{path} is a home folder, not a repository; pass the repository's folder with --root \
         FOLDER (even if it is the home folder)",
        path = .0.display()
    )]
    Home(PathBuf),
    /// The folder contains no source files.
    #[error("no C# or TypeScript files in {path}; pass the repository's folder with --root FOLDER", path = .0.display())]
    NoSource(PathBuf),
}

/// Returns the root for a command that does not name one.
#[must_use]
pub fn find_root(start: &Path, home: &DataRoot) -> PathBuf {
    root_around(start, home).unwrap_or(start).to_owned()
}

/// Returns the roots for a command that does not name any: the one around the folder, else the
/// indexed folders in it, else the folder itself.
#[must_use]
pub fn find_roots(start: &Path, home: &DataRoot) -> Vec<PathBuf> {
    if let Some(root) = root_around(start, home) {
        return vec![root.to_owned()];
    }

    let is_wide = too_wide(start, &user_home()).is_some();
    let inner = if is_wide {
        Vec::new()
    } else {
        indexed_below(start, home)
    };
    if inner.is_empty() {
        vec![start.to_owned()]
    } else {
        inner
    }
}

fn root_around<'a>(start: &'a Path, home: &DataRoot) -> Option<&'a Path> {
    let candidates = || {
        start
            .ancestors()
            .filter(|folder| too_wide(folder, &user_home()).is_none())
    };
    let is_indexed = |folder: &&Path| {
        home.data_dir(folder)
            .and_then(|data| data.database())
            .is_ok_and(|database| database.exists())
    };
    candidates()
        .find(|folder| is_work_tree(folder))
        .or_else(|| candidates().find(is_indexed))
}

/// Returns the folders below `start` that have an index, without those in another of them.
fn indexed_below(start: &Path, home: &DataRoot) -> Vec<PathBuf> {
    let start = resolved(start);
    let known = home.data_dirs().unwrap_or_default().known;
    let mut roots: Vec<PathBuf> = known
        .iter()
        .filter(|data| data.has_database() && data.root().is_dir())
        .map(|data| data.root().to_owned())
        .filter(|root| *root != start && root.starts_with(&start))
        .collect();
    roots.sort();
    // A folder is sorted directly before those in it.
    roots.dedup_by(|inner, outer| inner.starts_with(outer));
    roots
}

/// Checks a root named by the user: anything but the root of the file system.
pub fn check_named_root(root: &Path) -> Result<(), RootError> {
    let root = resolved(root);
    if root.parent().is_none() {
        Err(RootError::FileSystem(root))
    } else {
        Ok(())
    }
}

/// Checks a default root: neither a home folder nor the root of the file system.
pub fn check_found_root(root: &Path) -> Result<(), RootError> {
    too_wide(root, &user_home()).map_or(Ok(()), Err)
}

/// Reports whether a folder is the top of a git work tree.
#[must_use]
pub fn is_work_tree(folder: &Path) -> bool {
    folder.join(".git").exists()
}

/// Checks that a folder contains a source file. `is_source` decides by name.
pub fn has_source(root: &Path, is_source: impl Fn(&str) -> bool) -> Result<(), RootError> {
    if contains_source(root, is_source) {
        Ok(())
    } else {
        Err(RootError::NoSource(root.to_owned()))
    }
}

fn user_home() -> Option<PathBuf> {
    std::env::home_dir()
        .filter(|home| home.is_absolute())
        .map(|home| resolved(&home))
}

fn resolved(path: &Path) -> PathBuf {
    dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns why a folder is too wide to be one repository.
fn too_wide(folder: &Path, home: &Option<PathBuf>) -> Option<RootError> {
    let folder = resolved(folder);
    if folder.parent().is_none() {
        return Some(RootError::FileSystem(folder));
    }
    home.as_ref()
        .is_some_and(|home| home.starts_with(&folder))
        .then_some(RootError::Home(folder))
}

/// Searches a folder for a source file, level by level.
fn contains_source(root: &Path, is_source: impl Fn(&str) -> bool) -> bool {
    let mut folders = VecDeque::from([root.to_owned()]);
    let mut looked_at = 0;

    while let Some(folder) = folders.pop_front() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if looked_at > MAX_VISITED {
                return false;
            }

            let (name, Ok(kind)) = (entry.file_name(), entry.file_type()) else {
                continue;
            };
            let Some(name) = name
                .to_str()
                .filter(|name| !is_hidden_name(name) && *name != NODE_MODULES)
            else {
                continue;
            };

            if kind.is_dir() {
                folders.push_back(entry.path());
            } else if kind.is_file() && is_source(name) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_system_and_home_folders_are_refused_as_roots() {
        let outer = tempfile::tempdir().unwrap();
        let users = resolved(outer.path());
        let (home, project) = (users.join("me"), users.join("me/project"));
        std::fs::create_dir_all(&project).unwrap();

        let at_home = Some(home.clone());

        assert_eq!(
            too_wide(&home, &at_home),
            Some(RootError::Home(home.clone()))
        );
        assert_eq!(
            too_wide(&home.join("project/.."), &at_home),
            Some(RootError::Home(home))
        );
        assert_eq!(
            too_wide(&users, &at_home),
            Some(RootError::Home(users.clone()))
        );

        assert_eq!(too_wide(&project, &at_home), None);
        assert_eq!(too_wide(&users.join("you"), &at_home), None);

        let top = users.ancestors().last().unwrap().to_owned();
        assert_eq!(
            too_wide(&top, &None),
            Some(RootError::FileSystem(top.clone()))
        );
        assert_eq!(check_named_root(&top), Err(RootError::FileSystem(top)));
        assert_eq!(check_named_root(&users), Ok(()));
    }

    #[test]
    fn sources_are_found_outside_package_folders_only() {
        let folder = tempfile::tempdir().unwrap();
        let is_source = |name: &str| name.ends_with(".ts");
        let missing = Err(RootError::NoSource(folder.path().to_owned()));
        std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
        std::fs::create_dir_all(folder.path().join("node_modules/x")).unwrap();
        std::fs::write(folder.path().join("a/readme.md"), "").unwrap();
        std::fs::write(folder.path().join("node_modules/x/x.ts"), "").unwrap();
        assert_eq!(has_source(folder.path(), is_source), missing);
        std::fs::write(folder.path().join("a/b/x.ts"), "").unwrap();
        assert_eq!(has_source(folder.path(), is_source), Ok(()));
        assert!(!is_work_tree(folder.path()));
    }
}
