//! Scans the repository for source and project files that may differ from the index, by size and
//! time alone.
//!
//! The content of a file is compared if its size or stamp differs, if it could not be read, if the
//! caller names it, or if it changed so shortly before the last scan that a later change may have
//! the same time.
//!
//! Files below a folder that could not be listed stay in the index. If the system is short of file
//! handles or memory, the batch fails. Source files that the settings exclude are treated as
//! absent.
//!
//! A package.json or tsconfig.json is read even if an ignore rule hides it: build output is often
//! ignored by `**/package.json`, and without the manifest a package's imports cannot be resolved.
//! So is every file that a tsconfig extends, whatever its name. Paths where such a file was missing
//! are recorded, so that its creation is noticed.

mod inputs;
mod known;

use std::collections::BTreeSet;

use codeagent_lang::project::is_project_file;
use codeagent_workspace::{
    Entry, EntryKind, NODE_MODULES, RepoPath, Stamp, Walk, Watcher, Workspace,
};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::ingest::change::ChangeBatch;
use crate::ingest::source::SourceReader;
use crate::ingest::summary::FileProblem;
use crate::languages::LANGUAGES;
use crate::model::graph::{Dialect, Language};
use crate::store::{InputRow, PackageRow};

pub use inputs::{extended_at, read_inputs};
pub use known::KnownFiles;

/// Coarsest time resolution of a file system (FAT), in nanoseconds.
pub const COARSEST_TIME_NS: i64 = 2_000_000_000;

/// In place of a hash: the content was never read, because reading failed.
pub const NEVER_READ: [u8; 32] = [0; 32];

/// In place of a hash: a project file was looked up at this path and does not exist.
pub const NOT_THERE: [u8; 32] = [0xff; 32];

/// A source file on disk.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub path: RepoPath,
    /// Its language and syntax.
    pub dialect: Dialect,
    /// Size in bytes.
    pub size: u64,
    pub stamp: Stamp,
    /// Whether its content must be compared.
    pub needs_check: bool,
}

/// The files on disk.
#[derive(Debug, Default)]
pub struct Scan {
    /// Source files, by path.
    pub sources: Vec<SourceFile>,
    /// Paths of all files, sorted.
    pub paths: Vec<String>,
    /// Package folders, by path.
    pub packages: Vec<RepoPath>,
    /// Path, size and stamp of project files, by path.
    pub inputs: Vec<(RepoPath, u64, Stamp)>,
    /// Source files of the index that no longer exist, by path.
    pub removed: Vec<String>,
    /// Whether a project file may have changed, appeared or disappeared.
    pub inputs_need_check: bool,
    /// Paths that could not be read.
    pub problems: Vec<FileProblem>,
    /// Whether the system ran short of file handles or memory, so that files may be missing.
    pub is_short: bool,
}

impl Scan {
    /// Reports whether the disk may differ from the index.
    #[must_use]
    pub fn needs_check(&self) -> bool {
        self.inputs_need_check || self.sources_need_check()
    }

    /// Reports whether source files may differ from the index.
    #[must_use]
    pub fn sources_need_check(&self) -> bool {
        !self.removed.is_empty() || self.sources.iter().any(|source| source.needs_check)
    }

    /// Adds a walked file unless the settings exclude it, and marks what may differ from the index.
    /// Returns 1 for a project file of the index, else 0.
    fn add_entry(
        &mut self,
        workspace: &Workspace,
        known: &KnownFiles,
        batch: &ChangeBatch,
        entry: Entry,
    ) -> usize {
        let path = entry.path.as_str();
        let dialect = Dialect::of_path(path);
        if dialect.is_some_and(|dialect| {
            !workspace
                .config()
                .takes(&entry.path, dialect.language().as_str())
        }) {
            return 0;
        }

        let mut known_inputs = 0;
        self.paths.push(path.to_owned());
        if is_project_file(LANGUAGES, path) {
            let before = known.inputs.get(path);
            known_inputs += usize::from(before.is_some());
            self.inputs_need_check |= before
                .is_none_or(|row| known.needs_check(&entry, (row.size, row.stamp, &row.hash)));
            self.inputs
                .push((entry.path.clone(), entry.size, entry.stamp));
        }

        if let Some(dialect) = dialect {
            let before = known.files.get(path);
            let needs_check = batch.names(&entry.path)
                || before
                    .is_none_or(|row| known.needs_check(&entry, (row.size, row.stamp, &row.hash)));
            self.sources.push(SourceFile {
                path: entry.path,
                dialect,
                size: entry.size,
                stamp: entry.stamp,
                needs_check,
            });
        }

        known_inputs
    }

    /// Returns the index's source files that were not found, sorted.
    fn absent_of(&self, known: &KnownFiles) -> Vec<String> {
        let present: FxHashSet<&str> = self
            .sources
            .iter()
            .map(|source| source.path.as_str())
            .collect();

        let paths = known.files.keys();
        let mut absent: Vec<String> = paths
            .filter(|path| !present.contains(path.as_str()))
            .cloned()
            .collect();
        absent.sort_unstable();
        absent
    }
}

/// Maximum number of walks while new folders keep appearing.
const MOST_WALKS: usize = 5;

/// Lists the repository and watches its folders. Files created in a folder before it is watched are
/// not reported, so the walk is repeated until it finds no new folder.
fn walk(workspace: &Workspace, known: &KnownFiles, watcher: Option<&Watcher>) -> Walk {
    let manifests: Vec<&str> = manifests().collect();
    let mut walk = workspace.walk_noting(&manifests);
    let Some(watcher) = watcher else { return walk };
    let mut others = package_folders(workspace, &known.packages);
    others.extend(extended_folders(workspace, known));
    for _ in 1..MOST_WALKS {
        if !watcher.watch_dirs(&watched(&walk, &others)) {
            return walk;
        }
        walk = workspace.walk_noting(&manifests);
    }
    if watcher.watch_dirs(&watched(&walk, &others)) {
        watcher.request_rescan();
    }
    walk
}

/// Returns the folders to watch: those of the walk, `node_modules` folders, and others from which
/// files were read.
fn watched(walk: &Walk, others: &[Entry]) -> Vec<Entry> {
    let roots = walk
        .packages
        .iter()
        .filter(|entry| entry.kind == EntryKind::Directory);
    let mut seen = FxHashSet::default();
    walk.folders
        .iter()
        .chain(roots)
        .chain(others)
        .filter(|entry| seen.insert(&entry.path))
        .cloned()
        .collect()
}

/// Returns the folders below `node_modules` that were listed or read.
pub fn package_folders(workspace: &Workspace, rows: &[PackageRow]) -> Vec<Entry> {
    let mut folders: BTreeSet<RepoPath> = BTreeSet::new();
    for path in rows.iter().filter_map(|row| RepoPath::new(&row.path).ok()) {
        let is_package = |path: &RepoPath| path.segments().any(|segment| segment == NODE_MODULES);
        let around = path.parent();
        folders.extend(
            [Some(path), around]
                .into_iter()
                .flatten()
                .filter(is_package),
        );
    }
    entries(workspace, folders)
}

/// Returns the folders of files that a tsconfig extends; they may be ignored. Of a folder that is missing or a
/// link, the nearest one above it.
fn extended_folders(workspace: &Workspace, known: &KnownFiles) -> Vec<Entry> {
    let is_folder = |path: &RepoPath| {
        let entry = workspace.entry_at(path);
        entry.is_some_and(|entry| entry.kind == EntryKind::Directory)
    };
    let nearest = |(path, _): (RepoPath, &InputRow)| {
        std::iter::successors(path.parent(), RepoPath::parent).find(is_folder)
    };
    entries(workspace, known.extended().filter_map(nearest).collect())
}

fn entries(workspace: &Workspace, folders: BTreeSet<RepoPath>) -> Vec<Entry> {
    let entries = folders.iter().filter_map(|path| workspace.entry_at(path));
    entries
        .filter(|entry| entry.kind == EntryKind::Directory)
        .collect()
}

/// Walks the repository and compares sizes and times with the index.
pub fn scan(
    workspace: &Workspace,
    known: &KnownFiles,
    batch: &ChangeBatch,
    watcher: Option<&Watcher>,
) -> Scan {
    let walk = walk(workspace, known, watcher);
    let manifests = ignored_manifests(workspace, &walk);
    let packages = walk.packages.into_iter().map(|entry| entry.path).collect();
    let mut scan = Scan {
        is_short: walk.is_short,
        packages,
        ..Scan::default()
    };

    scan.problems
        .extend(walk.skipped.into_iter().map(|message| FileProblem {
            path: String::new(),
            message,
        }));
    let mut entries = walk.entries;
    entries.extend(manifests);
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let mut known_inputs = 0;
    for entry in entries {
        known_inputs += scan.add_entry(workspace, known, batch, entry);
    }

    known_inputs += retain_unlisted(known, &walk.unlisted, &mut scan);
    for (path, row) in known.extended() {
        known_inputs += 1;
        scan.inputs_need_check |= match extended_at(workspace, &path) {
            Ok((size, stamp, false)) => {
                known.may_be_another((size, stamp), (row.size, row.stamp, &row.hash))
            }
            Ok((.., true)) => row.hash != NOT_THERE,
            Err(_) => true,
        };
    }

    scan.inputs_need_check |= known_inputs != known.inputs.len();
    scan.removed = scan.absent_of(known);
    scan
}

/// Adds the index's files below folders that could not be listed. Returns the number of project
/// files among them.
fn retain_unlisted(known: &KnownFiles, unlisted: &[RepoPath], scan: &mut Scan) -> usize {
    if unlisted.is_empty() {
        return 0;
    }

    let listed: FxHashSet<String> = scan.paths.iter().cloned().collect();
    let is_retained = |path: &str| {
        !listed.contains(path) && unlisted.iter().any(|folder| is_in(path, folder.as_str()))
    };
    for row in known.files.values().filter(|row| is_retained(&row.path)) {
        if let Ok(path) = RepoPath::new(&row.path) {
            scan.paths.push(row.path.clone());
            scan.sources.push(SourceFile {
                path,
                dialect: row.dialect,
                size: row.size,
                stamp: row.stamp,
                needs_check: false,
            });
        }
    }

    let inputs: Vec<&InputRow> = known
        .inputs
        .values()
        .filter(|row| is_project_file(LANGUAGES, &row.path) && is_retained(&row.path))
        .collect();

    for row in &inputs {
        if let Ok(path) = RepoPath::new(&row.path) {
            scan.paths.push(row.path.clone());
            scan.inputs.push((path, row.size, row.stamp));
        }
    }

    scan.paths.sort_unstable();
    scan.paths.dedup();
    scan.sources.sort_by(|a, b| a.path.cmp(&b.path));
    scan.inputs.sort_by(|a, b| a.0.cmp(&b.0));

    inputs.len()
}

fn is_in(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the names of the manifests of all languages.
fn manifests() -> impl Iterator<Item = &'static str> {
    let rules = LANGUAGES.iter().map(|support| support.language().rules());
    rules.flat_map(|rules| rules.manifests).copied()
}

/// Returns manifests that the walk left out, from folders with sources of a language that has
/// manifests and from their parents.
fn ignored_manifests(workspace: &Workspace, walk: &Walk) -> Vec<Entry> {
    if walk.left_out.is_empty() {
        return Vec::new();
    }

    let mut folders: FxHashSet<(Language, &str)> = FxHashSet::default();
    for entry in &walk.entries {
        let Some(dialect) = Dialect::of_path(entry.path.as_str()) else {
            continue;
        };
        let language = dialect.language();
        if language.rules().manifests.is_empty() {
            continue;
        }

        let mut folder = entry.path.as_str();
        while let Some((parent, _)) = folder.rsplit_once('/') {
            if !folders.insert((language, parent)) {
                break;
            }
            folder = parent;
        }
    }

    let is_manifest = |path: &RepoPath| {
        let (folder, name) = path.as_str().rsplit_once('/').unwrap_or_default();
        LANGUAGES.iter().any(|support| {
            let language = support.language();
            language.rules().manifests.contains(&name) && folders.contains(&(language, folder))
        })
    };

    let left_out = walk.left_out.iter().filter(|path| is_manifest(path));
    left_out
        .filter_map(|path| workspace.stat(path).ok())
        .filter(|entry| entry.kind == EntryKind::File)
        .collect()
}

/// Compares the contents of files marked `needs_check` and clears the mark if they are unchanged.
pub fn compare_contents(reader: &SourceReader, known: &KnownFiles, sources: &mut [SourceFile]) {
    sources
        .par_iter_mut()
        .filter(|source| source.needs_check)
        .for_each(|source| {
            let Some(row) = known
                .files
                .get(source.path.as_str())
                .filter(|row| row.size == source.size)
            else {
                return;
            };

            source.needs_check = match reader.hash(&source.path) {
                Ok(hash) => hash.as_bytes() != &row.hash,
                Err(error) => row.problem != Some(error.to_string()),
            };
        });
}
