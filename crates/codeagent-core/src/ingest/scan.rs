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

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use codeagent_lang::project::{add_extended, is_project_file};
use codeagent_workspace::{
    Entry, EntryKind, NODE_MODULES, RepoPath, Stamp, Walk, Watcher, Workspace,
};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ingest::change::ChangeBatch;
use crate::ingest::source::SourceReader;
use crate::ingest::summary::FileProblem;
use crate::languages::LANGUAGES;
use crate::model::graph::{Dialect, Language};
use crate::store::{
    self, FileRow, InputRow, MADE_BY, PACKAGE_FOLDERS, PACKAGES, PackageRow, SCANNED_AT, Snapshot,
    StoreError,
};

/// Coarsest time resolution of a file system (FAT), in nanoseconds.
pub const COARSEST_TIME_NS: i64 = 2_000_000_000;

/// In place of a hash: the content was never read, because reading failed.
pub const NEVER_READ: [u8; 32] = [0; 32];

/// In place of a hash: a project file was looked up at this path and does not exist.
pub const NOT_THERE: [u8; 32] = [0xff; 32];

/// Maximum size of a project file, in bytes.
const MAX_PROJECT_BYTES: u64 = 2 << 20;

/// The files as the index has them.
#[derive(Debug, Default)]
pub struct KnownFiles {
    /// Source files by path.
    pub files: FxHashMap<String, FileRow>,
    /// Project files by path.
    pub inputs: FxHashMap<String, InputRow>,
    /// Package files that were read, by path.
    pub packages: Vec<PackageRow>,
    /// Package folders, by path.
    pub package_folders: Vec<String>,
    /// See `Installed::fingerprint`.
    pub packages_hash: String,
    /// Start of the last scan, in nanoseconds since 1970.
    pub scanned_at: i64,
    /// Fingerprint of the engine that made the index.
    pub made_by: String,
}

impl KnownFiles {
    /// Loads the file tables of a snapshot.
    pub fn load(snapshot: &Snapshot) -> Result<Self, StoreError> {
        Ok(Self {
            files: store::files(snapshot)?
                .into_iter()
                .map(|file| (file.path.clone(), file))
                .collect(),
            inputs: store::inputs(snapshot)?
                .into_iter()
                .map(|input| (input.path.clone(), input))
                .collect(),
            packages: store::package_rows(snapshot)?,
            package_folders: store::metadata(snapshot, PACKAGE_FOLDERS)?
                .unwrap_or_default()
                .lines()
                .map(str::to_owned)
                .collect(),
            packages_hash: store::metadata(snapshot, PACKAGES)?.unwrap_or_default(),
            scanned_at: store::metadata(snapshot, SCANNED_AT)?
                .and_then(|text| text.parse().ok())
                .unwrap_or(0),
            made_by: store::metadata(snapshot, MADE_BY)?.unwrap_or_default(),
        })
    }

    /// Returns all known sources by path, updated with those in `seen`.
    pub fn sources(&self, seen: impl Iterator<Item = SourceFile>) -> Vec<SourceFile> {
        let mut seen: FxHashMap<String, SourceFile> = seen
            .map(|source| (source.path.as_str().to_owned(), source))
            .collect();
        let known = self.files.values().filter_map(|row| {
            let path = RepoPath::new(&row.path).ok()?;
            let known = SourceFile {
                path,
                dialect: row.dialect,
                size: row.size,
                stamp: row.stamp,
                needs_check: false,
            };
            Some(seen.remove(&row.path).unwrap_or(known))
        });

        let mut sources: Vec<SourceFile> = known.collect();
        sources.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        sources
    }

    /// Reports whether a file's content may differ from that of a row.
    fn needs_check(&self, entry: &Entry, row: (u64, Stamp, &[u8; 32])) -> bool {
        self.may_be_another((entry.size, entry.stamp), row)
    }

    /// Reports whether content with this size and stamp may differ from that of a row; always true
    /// for content that was never read.
    pub fn may_be_another(
        &self,
        now: (u64, Stamp),
        (size, stamp, hash): (u64, Stamp, &[u8; 32]),
    ) -> bool {
        let is_recent = now.1.changed_ns > self.scanned_at.saturating_sub(COARSEST_TIME_NS);
        now != (size, stamp) || is_recent || *hash == NEVER_READ
    }

    /// Reports whether a change to a file can change project settings.
    pub fn is_input(&self, path: &str) -> bool {
        is_project_file(LANGUAGES, path) || self.inputs.contains_key(path)
    }

    /// Returns project files that are such only because a tsconfig extends them.
    fn extended(&self) -> impl Iterator<Item = (RepoPath, &InputRow)> {
        let rows = self
            .inputs
            .values()
            .filter(|row| !is_project_file(LANGUAGES, &row.path));
        rows.filter_map(|row| Some((RepoPath::new(&row.path).ok()?, row)))
    }

    /// Returns the extended project files that were created, deleted, or changed in size or time.
    pub fn changed_extended(&self, workspace: &Workspace) -> impl Iterator<Item = RepoPath> {
        let differs = |(path, row): &(RepoPath, &InputRow)| {
            extended_at(workspace, path) != Ok((row.size, row.stamp, row.hash == NOT_THERE))
        };
        self.extended()
            .filter(move |known| differs(known))
            .map(|(path, _)| path)
    }

    /// Returns the rows of unchanged sources with their new sizes and times.
    pub fn touched<'a>(&self, sources: impl IntoIterator<Item = &'a SourceFile>) -> Vec<FileRow> {
        let stale = sources
            .into_iter()
            .filter_map(|source| Some((source, self.files.get(source.path.as_str())?)));
        let touched =
            stale.filter(|(source, row)| (row.size, row.stamp) != (source.size, source.stamp));
        touched
            .map(|(source, row)| FileRow {
                size: source.size,
                stamp: source.stamp,
                ..row.clone()
            })
            .collect()
    }

    /// Adds the rows of files, replacing older rows.
    pub fn add_files(&mut self, rows: Vec<FileRow>) {
        self.files
            .extend(rows.into_iter().map(|row| (row.path.clone(), row)));
    }

    /// Replaces the project files.
    pub fn set_inputs(&mut self, inputs: Vec<InputRow>) {
        self.inputs = inputs
            .into_iter()
            .map(|input| (input.path.clone(), input))
            .collect();
    }

    /// Returns the row of a package file.
    pub fn package(&self, path: &str) -> Option<&PackageRow> {
        let at = self
            .packages
            .binary_search_by(|row| row.path.as_str().cmp(path))
            .ok()?;
        Some(&self.packages[at])
    }
}

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
}

/// Maximum number of walks while new folders keep appearing.
const MOST_WALKS: usize = 5;

/// Lists the repository and watches its folders. Files created in a folder before it is watched are
/// not reported, so the walk is repeated until it finds no new folder.
fn walk(workspace: &Workspace, known: &KnownFiles, watcher: Option<&Watcher>) -> Walk {
    let mut walk = workspace.walk();
    let Some(watcher) = watcher else { return walk };
    let mut others = package_folders(workspace, &known.packages);
    others.extend(extended_folders(workspace, known));
    for _ in 1..MOST_WALKS {
        if !watcher.watch_dirs(&watched(&walk, &others)) {
            return walk;
        }
        walk = workspace.walk();
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

/// Returns the folders of files that a tsconfig extends; they may be ignored.
fn extended_folders(workspace: &Workspace, known: &KnownFiles) -> Vec<Entry> {
    entries(
        workspace,
        known
            .extended()
            .filter_map(|(path, _)| path.parent())
            .collect(),
    )
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
    let mut known_inputs = 0;
    let manifests = ignored_manifests(workspace, &walk.entries);
    let mut entries = walk.entries;

    entries.extend(manifests);
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    for entry in entries {
        let path = entry.path.as_str();
        let dialect = Dialect::of_path(path);
        if dialect.is_some_and(|dialect| {
            !workspace
                .config()
                .takes(&entry.path, dialect.language().as_str())
        }) {
            continue;
        }

        scan.paths.push(path.to_owned());
        if is_project_file(LANGUAGES, path) {
            let before = known.inputs.get(path);
            known_inputs += usize::from(before.is_some());
            scan.inputs_need_check |= before
                .is_none_or(|row| known.needs_check(&entry, (row.size, row.stamp, &row.hash)));
            scan.inputs
                .push((entry.path.clone(), entry.size, entry.stamp));
        }

        if let Some(dialect) = dialect {
            let before = known.files.get(path);
            let needs_check = batch.names(&entry.path)
                || before
                    .is_none_or(|row| known.needs_check(&entry, (row.size, row.stamp, &row.hash)));
            scan.sources.push(SourceFile {
                path: entry.path,
                dialect,
                size: entry.size,
                stamp: entry.stamp,
                needs_check,
            });
        }
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
    let present: FxHashSet<&str> = scan
        .sources
        .iter()
        .map(|source| source.path.as_str())
        .collect();

    scan.removed = known
        .files
        .keys()
        .filter(|path| !present.contains(path.as_str()))
        .cloned()
        .collect();
    scan.removed.sort_unstable();
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

/// Returns manifests that the walk did not list, from folders with sources of a language that has
/// manifests and from their parents.
fn ignored_manifests(workspace: &Workspace, entries: &[Entry]) -> Vec<Entry> {
    let listed: FxHashSet<&str> = entries
        .iter()
        .map(|entry| entry.path.as_str())
        .filter(|path| is_project_file(LANGUAGES, path))
        .collect();

    let mut folders: FxHashSet<(Language, &str)> = FxHashSet::default();
    for entry in entries {
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

    let missing: FxHashSet<String> = folders
        .into_iter()
        .flat_map(|(language, folder)| {
            language
                .rules()
                .manifests
                .iter()
                .map(move |name| format!("{folder}/{name}"))
        })
        .collect();

    missing
        .into_iter()
        .filter(|path| !listed.contains(path.as_str()))
        .filter_map(|path| workspace.stat(&RepoPath::new(&path).ok()?).ok())
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

/// Reads the project files; returns their rows and texts.
pub fn read_inputs(
    workspace: &Workspace,
    scan: &mut Scan,
) -> (Vec<InputRow>, BTreeMap<String, Arc<str>>) {
    let mut rows = Vec::with_capacity(scan.inputs.len());
    let mut texts = BTreeMap::new();
    for (path, size, stamp) in std::mem::take(&mut scan.inputs) {
        let (row, text) = read_input(workspace, scan, (&path, size, stamp));
        rows.push(row);
        // A csproj that cannot be read still marks its folder as a project.
        let text = text.or_else(|| path.as_str().ends_with(".csproj").then(|| Arc::from("")));
        texts.extend(text.map(|text| (path.to_string(), text)));
    }

    add_extended(LANGUAGES, &mut texts, |path| {
        let path = RepoPath::new(path).ok()?;
        match extended_at(workspace, &path) {
            Ok((size, stamp, false)) => {
                let (row, text) = read_input(workspace, scan, (&path, size, stamp));
                rows.push(row);
                text
            }
            outcome => {
                scan.is_short |= outcome.is_err_and(|is_short| is_short);
                let hash = if outcome.is_ok() {
                    NOT_THERE
                } else {
                    NEVER_READ
                };

                rows.push(InputRow {
                    path: path.to_string(),
                    size: 0,
                    stamp: Stamp::default(),
                    hash,
                });
                None
            }
        }
    });
    rows.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    (rows, texts)
}

/// Returns the size and stamp of a file that a tsconfig extends, and whether it is missing. The
/// error tells whether the system ran short of resources.
fn extended_at(workspace: &Workspace, path: &RepoPath) -> Result<(u64, Stamp, bool), bool> {
    match workspace.stat(path) {
        Ok(entry) if entry.kind == EntryKind::File => Ok((entry.size, entry.stamp, false)),
        Err(error) if !error.is_missing() => Err(error.is_shortage()),
        _ => Ok((0, Stamp::default(), true)),
    }
}

/// Reads a project file; returns its row, and its text if it is readable.
fn read_input(
    workspace: &Workspace,
    scan: &mut Scan,
    (path, size, stamp): (&RepoPath, u64, Stamp),
) -> (InputRow, Option<Arc<str>>) {
    match workspace.read_up_to(path, MAX_PROJECT_BYTES) {
        Ok(file) => {
            let row = InputRow {
                path: path.to_string(),
                size: file.size,
                stamp: file.stamp,
                hash: *file.hash.as_bytes(),
            };
            (row, Some(Arc::from(file.text)))
        }
        Err(error) => {
            scan.is_short |= error.is_shortage();
            scan.problems.push(FileProblem {
                path: path.to_string(),
                message: error.to_string(),
            });

            (
                InputRow {
                    path: path.to_string(),
                    size,
                    stamp,
                    hash: NEVER_READ,
                },
                None,
            )
        }
    }
}
