//! Scans the repository for source and project files that may differ from the index, by size and
//! time alone.
//!
//! The content of a file is compared if its size or stamp differ, if it was changed so shortly
//! before the last scan that a later change may have the same time, if it could not be read, or if
//! the caller names it.
//!
//! Files below a folder that could not be listed stay in the index. If the system is short of file
//! handles or memory, there is no batch at all. Source files that the settings exclude are treated
//! as absent.
//!
//! A package.json or tsconfig.json that an ignore rule hides is read all the same: build output is
//! often ignored by `**/package.json`, and without the manifest the imports of a package cannot be
//! resolved. So is every file that a tsconfig extends, whatever its name; paths where such a file
//! was not found are recorded, so that it is noticed when it appears.

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

/// Some file systems keep times in steps of two seconds.
pub const COARSEST_TIME_NS: i64 = 2_000_000_000;

/// In the place of a hash: the content was never read, because the system refused.
pub const NEVER_READ: [u8; 32] = [0; 32];

/// In the place of a hash: a project file is looked for at this path, and there is none.
pub const NOT_THERE: [u8; 32] = [0xff; 32];

/// Longest project file that is read.
const MAX_PROJECT_BYTES: u64 = 2 << 20;

/// The files as the index knows them.
#[derive(Debug, Default)]
pub struct KnownFiles {
    /// Source files by path.
    pub files: FxHashMap<String, FileRow>,
    /// Project files by path.
    pub inputs: FxHashMap<String, InputRow>,
    /// Package files that were read, by path.
    pub packages: Vec<PackageRow>,
    /// The folders with packages, by path.
    pub package_folders: Vec<String>,
    /// See `Installed::fingerprint`.
    pub packages_hash: String,
    /// When the last scan began, nanoseconds since 1970.
    pub scanned_at: i64,
    /// Which engine made the index.
    pub made_by: String,
}

impl KnownFiles {
    /// Reads it.
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

    /// Returns all known sources by path, updated with those now on disk.
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

    /// Whether the content of a file may be another one than that of a row: of what was never read
    /// nothing is known.
    fn needs_check(&self, entry: &Entry, row: (u64, Stamp, &[u8; 32])) -> bool {
        self.may_be_another((entry.size, entry.stamp), row)
    }

    /// The same for a file of this size and stamp.
    pub fn may_be_another(
        &self,
        now: (u64, Stamp),
        (size, stamp, hash): (u64, Stamp, &[u8; 32]),
    ) -> bool {
        let is_recent = now.1.changed_ns > self.scanned_at.saturating_sub(COARSEST_TIME_NS);
        now != (size, stamp) || is_recent || *hash == NEVER_READ
    }

    /// Reports whether a change of a file may change project settings.
    pub fn is_input(&self, path: &str) -> bool {
        is_project_file(LANGUAGES, path) || self.inputs.contains_key(path)
    }

    /// Project files that only the files which extend them tell apart from others.
    fn extended(&self) -> impl Iterator<Item = (RepoPath, &InputRow)> {
        let rows = self
            .inputs
            .values()
            .filter(|row| !is_project_file(LANGUAGES, &row.path));
        rows.filter_map(|row| Some((RepoPath::new(&row.path).ok()?, row)))
    }

    /// Those of them whose size or time differ, or that came or went.
    pub fn changed_extended(&self, workspace: &Workspace) -> impl Iterator<Item = RepoPath> {
        let differs = |(path, row): &(RepoPath, &InputRow)| {
            extended_at(workspace, path) != Ok((row.size, row.stamp, row.hash == NOT_THERE))
        };
        self.extended()
            .filter(move |known| differs(known))
            .map(|(path, _)| path)
    }

    /// Rows of sources whose content is as before, with the sizes and times they have now.
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

    /// Adds rows of files, or puts them in the place of older ones.
    pub fn add_files(&mut self, rows: Vec<FileRow>) {
        self.files
            .extend(rows.into_iter().map(|row| (row.path.clone(), row)));
    }

    /// Sets the project files.
    pub fn set_inputs(&mut self, inputs: Vec<InputRow>) {
        self.inputs = inputs
            .into_iter()
            .map(|input| (input.path.clone(), input))
            .collect();
    }

    /// The row of a path in a package.
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
    /// Where.
    pub path: RepoPath,
    /// How it is read.
    pub dialect: Dialect,
    /// Bytes on disk.
    pub size: u64,
    /// Its size and stamp.
    pub stamp: Stamp,
    /// Its content must be compared.
    pub needs_check: bool,
}

/// The files on disk.
#[derive(Debug, Default)]
pub struct Scan {
    /// Source files, by path.
    pub sources: Vec<SourceFile>,
    /// Paths of all files, by path.
    pub paths: Vec<String>,
    /// Folders with packages, by path.
    pub packages: Vec<RepoPath>,
    /// Project files, by path: path, size, stamp.
    pub inputs: Vec<(RepoPath, u64, Stamp)>,
    /// Source files that the index knows and the disk does not, by path.
    pub removed: Vec<String>,
    /// Whether a project file may have changed, or some came or went.
    pub inputs_need_check: bool,
    /// Paths that could not be read.
    pub problems: Vec<FileProblem>,
    /// The system was short of file handles or memory: anything may be missing.
    pub is_short: bool,
}

impl Scan {
    /// Whether the disk may differ from the index at all.
    #[must_use]
    pub fn needs_check(&self) -> bool {
        self.inputs_need_check || self.sources_need_check()
    }

    /// Whether the sources may.
    #[must_use]
    pub fn sources_need_check(&self) -> bool {
        !self.removed.is_empty() || self.sources.iter().any(|source| source.needs_check)
    }
}

/// How often a repository is looked at whose folders come faster than they can be watched.
const MOST_WALKS: usize = 5;

/// Lists the repository. What is made in a folder before it is watched is told by nobody, so one
/// looks until no folder is new.
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

/// The folders that are watched: those of the walk, those called `node_modules`, and others of
/// which something was read.
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

/// The folders of files that a tsconfig extends, which may be ignored.
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

/// Walks the repository and compares.
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

/// Adds what the index knows below folders that the system did not list; gives the number of
/// project files among it.
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

/// The manifests of folders with sources of a language that has them, and of the folders above,
/// that the walk did not list.
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

/// Compares the content of files in doubt that the index knows; those that are as before are in
/// doubt no more.
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

/// The texts of the project files, and the rows to keep of them.
pub fn read_inputs(
    workspace: &Workspace,
    scan: &mut Scan,
) -> (Vec<InputRow>, BTreeMap<String, Arc<str>>) {
    let mut rows = Vec::with_capacity(scan.inputs.len());
    let mut texts = BTreeMap::new();
    for (path, size, stamp) in std::mem::take(&mut scan.inputs) {
        let (row, text) = read_input(workspace, scan, (&path, size, stamp));
        rows.push(row);
        // The folder of a csproj that cannot be read holds a project all the same.
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

/// Size and stamp of a file that a tsconfig extends, and whether there is none; the error says
/// whether the system was short of something.
fn extended_at(workspace: &Workspace, path: &RepoPath) -> Result<(u64, Stamp, bool), bool> {
    match workspace.stat(path) {
        Ok(entry) if entry.kind == EntryKind::File => Ok((entry.size, entry.stamp, false)),
        Err(error) if !error.is_missing() => Err(error.is_shortage()),
        _ => Ok((0, Stamp::default(), true)),
    }
}

/// A stored project file, with its text if it can be read.
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
