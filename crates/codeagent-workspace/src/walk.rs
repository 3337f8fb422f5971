//! Directory walks: all files that are not ignored, one folder, or the upper levels of a folder.
//!
//! Ignored are the entries that git ignores (see [`crate::ignored`]; also outside a git
//! repository), `node_modules`, `.git`, `.codeagent`, and `bin` and `obj` next to a .NET project
//! file unless git tracks files in them.
//!
//! Limitations: links are not followed, so [`Workspace::walk`] does not find a file that is
//! reachable only through a link.

use std::fs::Metadata;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ignore::{DirEntry, WalkBuilder};

use crate::Workspace;
use crate::ignored::IgnoreRules;
use crate::package_dirs::NODE_MODULES;
use crate::path::{RepoPath, is_hidden_name};
use crate::read::{ReadError, Stamp};
use crate::threads;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// A regular file. In a listing, also a link that is not followed.
    File,
    /// A folder.
    Directory,
}

/// A file or folder of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Path of the entry.
    pub path: RepoPath,
    /// Kind of the entry.
    pub kind: EntryKind,
    /// Size in bytes; 0 for folders.
    pub size: u64,
    /// Stamp of the entry; changes with every change.
    pub stamp: Stamp,
}

impl Entry {
    pub(crate) fn new(path: RepoPath, kind: EntryKind, metadata: &Metadata) -> Self {
        let size = if kind == EntryKind::File {
            metadata.len()
        } else {
            0
        };
        Self {
            path,
            kind,
            size,
            stamp: Stamp::of(metadata),
        }
    }
}

/// The result of a walk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Files and folders, sorted by path.
    pub entries: Vec<Entry>,
    /// For a walk of the whole repository, all folders including the root, sorted by path.
    pub folders: Vec<Entry>,
    /// `node_modules` folders, and links of that name as files; not entered, sorted by path.
    pub packages: Vec<Entry>,
    /// Files with the names that the caller asked for that are not in `entries`, because they are
    /// ignored or links; sorted by path.
    pub left_out: Vec<RepoPath>,
    /// Skipped paths with the reason, sorted: for example names that are not UTF-8, or folders
    /// without permission.
    pub skipped: Vec<String>,
    /// Paths that could not be listed, sorted. Known files below them may still exist.
    pub unlisted: Vec<RepoPath>,
    /// Whether the system ran short of memory or file handles, so that entries may be missing.
    pub is_short: bool,
}

/// What a walk sees and leaves out.
#[derive(Default)]
struct Noted {
    packages: Vec<Entry>,
    left_out: Vec<RepoPath>,
}

impl Workspace {
    /// Returns all regular files that are not ignored, and their folders.
    #[must_use]
    pub fn walk(&self) -> Walk {
        self.walk_noting(&[])
    }

    /// Like [`Self::walk`]; also notes the files with these names that are left out.
    #[must_use]
    pub fn walk_noting(&self, names: &[&'static str]) -> Walk {
        let mut walk = self.scan(&RepoPath::root(), None, names);
        let (folders, files) = std::mem::take(&mut walk.entries)
            .into_iter()
            .partition(|entry| entry.kind == EntryKind::Directory);
        walk.entries = files;
        walk.folders = folders;
        if let Ok(metadata) = self.root().symlink_metadata() {
            walk.folders.insert(
                0,
                Entry::new(RepoPath::root(), EntryKind::Directory, &metadata),
            );
        }
        walk
    }

    /// Returns the entry at a path, without following a link; `None` if it is neither a file nor a
    /// folder.
    #[must_use]
    pub fn entry_at(&self, path: &RepoPath) -> Option<Entry> {
        let metadata = self.root().join(path.as_str()).symlink_metadata().ok()?;
        let kind = match metadata.file_type() {
            kind if kind.is_file() => EntryKind::File,
            kind if kind.is_dir() => EntryKind::Directory,
            _ => return None,
        };
        Some(Entry::new(path.clone(), kind, &metadata))
    }

    /// Lists a folder without ignored entries. Links are followed to tell files from folders, but
    /// never out of the root.
    pub fn list(&self, folder: &RepoPath) -> Result<Walk, ReadError> {
        self.tree(folder, 1)
    }

    /// Like [`Self::list`], down to `depth` levels. Folders come before their content.
    pub fn tree(&self, folder: &RepoPath, depth: usize) -> Result<Walk, ReadError> {
        self.must_be_there()?;
        if self.stat(folder)?.kind != EntryKind::Directory {
            return Err(ReadError::NotADirectory(folder.clone()));
        }
        Ok(self.scan(folder, Some(depth), &[]))
    }

    /// Returns an error if the root is gone: its handle survives a rename, but a walk by path would
    /// find nothing.
    pub(crate) fn must_be_there(&self) -> Result<(), ReadError> {
        if self.is_there() {
            Ok(())
        } else {
            Err(ReadError::RootGone)
        }
    }

    /// Walks from the root, so that all ignore files on the way apply, down to `depth` levels below
    /// `folder`.
    fn scan(&self, folder: &RepoPath, depth: Option<usize>, names: &[&'static str]) -> Walk {
        let ignored = Arc::new(IgnoreRules::new(self.root()));
        let walk = self.scan_under(&ignored, folder, depth, names);
        if !ignored.exceeds_limit() {
            return walk;
        }
        drop(walk);
        self.scan_under(
            &Arc::new(IgnoreRules::top_level_only(self.root())),
            folder,
            depth,
            names,
        )
    }

    fn scan_under(
        &self,
        ignored: &Arc<IgnoreRules>,
        folder: &RepoPath,
        depth: Option<usize>,
        names: &[&'static str],
    ) -> Walk {
        let levels = folder.segments().count();
        let target = self.root().join(folder.as_str());
        let rules = Arc::clone(ignored);
        let noted = Arc::new(Mutex::new(Noted::default()));
        let (notes, root) = (Arc::clone(&noted), Arc::clone(&self.root));
        let names = names.to_vec();

        let mut builder = WalkBuilder::new(self.root());
        builder
            .standard_filters(false)
            .follow_links(false)
            .max_depth(depth.map(|depth| levels + depth))
            .filter_entry(move |entry| {
                if !on_the_way(entry.path(), &target) {
                    return false;
                }
                let packages = packages_of(entry, &root);
                let is_wanted = is_wanted(entry, &rules);
                let left_out = left_out(entry, is_wanted, &names, &root);
                if packages.is_some() || left_out.is_some() {
                    let mut notes = lock(&notes);
                    notes.packages.extend(packages);
                    notes.left_out.extend(left_out);
                }
                is_wanted
            });

        let found = Mutex::new(Walk::default());
        // Threads would cost more than they save in a listing's few folders.
        let threads = if depth.is_some() { 1 } else { 0 };

        threads::walk(&mut builder, threads, || {
            Box::new(|result| {
                self.visit(result, levels, depth.is_some(), &found);
                if ignored.exceeds_limit() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
        });

        let mut walk = found.into_inner().unwrap_or_else(PoisonError::into_inner);

        walk.entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        walk.skipped.extend(ignored.skipped());
        walk.skipped.sort_unstable();
        walk.unlisted.sort_unstable();

        let noted = std::mem::take(&mut *lock(&noted));
        (walk.packages, walk.left_out) = (noted.packages, noted.left_out);
        walk.packages.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        walk.left_out.sort_unstable();

        walk
    }

    fn visit(
        &self,
        result: Result<DirEntry, ignore::Error>,
        levels: usize,
        links: bool,
        found: &Mutex<Walk>,
    ) {
        let mut failed = None;
        let outcome = match result {
            Ok(entry) if entry.depth() <= levels => return,
            Ok(entry) => self.entry(&entry, links).transpose(),
            Err(error) => {
                failed = Some((
                    self.failed_path(&error),
                    error.io_error().is_some_and(is_shortage),
                ));
                Some(Err(self.without_root(&error)))
            }
        };

        let Some(outcome) = outcome else { return };

        let mut walk = lock(found);
        if let Some((path, is_short)) = failed {
            walk.unlisted.extend(path);
            walk.is_short |= is_short;
        }

        match outcome {
            Ok(entry) => walk.entries.push(entry),
            Err(problem) => walk.skipped.push(problem),
        }
    }

    /// Converts an entry; returns `None` if it is neither a file nor a folder.
    fn entry(&self, found: &DirEntry, links: bool) -> Result<Option<Entry>, String> {
        let inside = found
            .path()
            .strip_prefix(self.root())
            .map_err(|error| error.to_string())?;

        let path = RepoPath::from_relative(inside)
            .map_err(|error| format!("{}: {error}", inside.display()))?;
        let metadata = found
            .metadata()
            .map_err(|error| self.without_root(&error))?;

        let kind = match metadata.file_type() {
            kind if kind.is_file() => EntryKind::File,
            kind if kind.is_dir() => EntryKind::Directory,
            kind if kind.is_symlink() && links => return Ok(Some(self.link(path, &metadata))),
            _ => return Ok(None),
        };

        Ok(Some(Entry::new(path, kind, &metadata)))
    }

    /// Converts a link to an entry of its target's kind, if the target is inside the root.
    fn link(&self, path: RepoPath, metadata: &Metadata) -> Entry {
        self.stat(&path)
            .unwrap_or_else(|_| Entry::new(path, EntryKind::File, metadata))
    }

    /// Returns the path of an error, if known.
    fn failed_path(&self, error: &ignore::Error) -> Option<RepoPath> {
        match error {
            ignore::Error::WithPath { path, .. } => {
                RepoPath::from_relative(path.strip_prefix(self.root()).ok()?).ok()
            }
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
                self.failed_path(err)
            }
            ignore::Error::Partial(errors) => {
                errors.iter().find_map(|error| self.failed_path(error))
            }
            _ => None,
        }
    }

    /// Returns an error message without absolute paths.
    fn without_root(&self, error: &ignore::Error) -> String {
        error.to_string().replace(
            &format!("{}{}", self.root().display(), std::path::MAIN_SEPARATOR),
            "",
        )
    }
}

/// Reports whether an error means that the system ran short of file handles or memory.
pub(crate) fn is_shortage(error: &std::io::Error) -> bool {
    #[cfg(target_os = "linux")]
    {
        use rustix::io::Errno;
        [Errno::MFILE, Errno::NFILE, Errno::NOMEM]
            .iter()
            .any(|short| error.raw_os_error() == Some(short.raw_os_error()))
    }
    #[cfg(not(target_os = "linux"))]
    {
        error.kind() == std::io::ErrorKind::OutOfMemory
    }
}

/// Reports whether a path is an ancestor of `target`, is `target` or is below it.
fn on_the_way(path: &Path, target: &Path) -> bool {
    path.starts_with(target) || target.starts_with(path)
}

/// Converts a `node_modules` folder, or a link of that name.
fn packages_of(entry: &DirEntry, root: &Path) -> Option<Entry> {
    let kind = entry
        .file_type()
        .filter(|kind| entry.depth() > 0 && entry.file_name() == NODE_MODULES && !kind.is_file())?;
    let path = RepoPath::from_relative(entry.path().strip_prefix(root).ok()?).ok()?;
    let kind = if kind.is_dir() {
        EntryKind::Directory
    } else {
        EntryKind::File
    };
    Some(Entry::new(path, kind, &entry.metadata().ok()?))
}

/// Returns the path of a file with one of these names that is not listed: an ignored one or a link.
fn left_out(entry: &DirEntry, is_wanted: bool, names: &[&str], root: &Path) -> Option<RepoPath> {
    let kind = entry.file_type().filter(|kind| !kind.is_dir())?;
    if is_wanted && !kind.is_symlink() {
        return None;
    }
    let name = entry.file_name().to_str()?;
    names
        .contains(&name)
        .then(|| RepoPath::from_relative(entry.path().strip_prefix(root).ok()?).ok())?
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_wanted(entry: &DirEntry, rules: &IgnoreRules) -> bool {
    if entry.depth() == 0 {
        return true;
    }
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    if let Some(name) = entry.file_name().to_str() {
        let is_output =
            is_folder && is_build_output_name(name) && has_project_sibling(entry.path());
        if is_hidden_name(name)
            || (is_folder && name == NODE_MODULES)
            || (is_output && !rules.tracks(entry.path()))
        {
            return false;
        }
    }
    !rules.ignores(entry.path(), is_folder)
}

fn is_build_output_name(name: &str) -> bool {
    name.eq_ignore_ascii_case("bin") || name.eq_ignore_ascii_case("obj")
}

/// Reports whether the folder of `path` contains a .NET project file.
fn has_project_sibling(path: &Path) -> bool {
    let Some(Ok(entries)) = path.parent().map(std::fs::read_dir) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let extension = Path::new(&name)
            .extension()
            .and_then(|extension| extension.to_str())
            .unwrap_or_default()
            .to_ascii_lowercase();
        matches!(
            extension.as_str(),
            "csproj" | "vbproj" | "fsproj" | "shproj" | "vcxproj"
        )
    })
}
