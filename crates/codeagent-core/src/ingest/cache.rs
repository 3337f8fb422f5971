//! State cached between batches, so that the cost of an edit depends on its size.
//!
//! The index's file table is always cached; the world of all files is cached after an edit. A batch
//! that fails leaves no state behind, and the next one reads everything again.
//!
//! Limitations: the world of an edited repository stays in memory until there have been no changes
//! for a while.

use std::sync::Arc;

use codeagent_lang::World;
use codeagent_lang::nodes::NodeTable;
use codeagent_lang::project::{ProjectModel, is_project_file};
use codeagent_workspace::{EntryKind, NODE_MODULES, RepoPath, Workspace};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ingest::change::ChangeBatch;
use crate::ingest::load::LoadedFile;
use crate::ingest::packages::Installed;
use crate::ingest::plan::Fingerprint;
use crate::ingest::scan::{KnownFiles, SourceFile};
use crate::languages::LANGUAGES;
use crate::model::facts::Facts;
use crate::model::graph::Dialect;
use crate::store::{DependencyRow, FileKey};

/// Maximum number of remembered unlisted paths.
const MOST_UNWANTED: usize = 10_000;

/// State left by the last batch.
#[derive(Default)]
pub struct CachedState {
    /// The files as the index has them.
    pub known: KnownFiles,
    /// All files of the repository, by path.
    pub paths: Vec<String>,
    /// Files that exist but that the last walk did not list.
    pub unwanted: FxHashSet<RepoPath>,
    /// Package folders that the last walk found, by path.
    pub packages: Vec<RepoPath>,
    /// The world of the last batch, if it is still in memory.
    pub world: Option<IndexedWorld>,
}

/// A world, with the data it was built from.
pub struct WorldState {
    pub loaded: Vec<LoadedFile>,
    /// Keys of the files, in the same order.
    pub keys: Vec<FileKey>,
    pub projects: Arc<ProjectModel>,
    /// Declarations of the installed packages.
    pub installed: Installed,
    pub world: World,
    pub nodes: NodeTable,
}

impl WorldState {
    /// Frees what only resolution needs. Of the facts, the headers are left, and the nodes have
    /// theirs until they are taken.
    pub fn keep_rows_only(&mut self) {
        self.world.clear();
        for file in &mut self.loaded {
            let header = file.facts.header.clone();
            let facts = Facts::of(file.dialect);
            file.facts = Arc::new(Facts { header, ..facts });
        }
    }
}

/// A world that the index agrees with.
pub struct IndexedWorld {
    pub state: WorldState,
    /// Fingerprints of the files, in the same order.
    pub fingerprints: Vec<Fingerprint>,
    /// Dependencies of the files' resolutions, without edge sources; loaded on first use.
    pub dependencies: Option<FxHashMap<FileKey, DependencyRow>>,
}

/// A world in memory that the next one can be built from.
pub enum CurrentWorld {
    /// The index agrees with it.
    Clean(IndexedWorld),
    /// A patch was not completed, so parts are newer than the index. Only its facts can be reused.
    Dirty(WorldState),
}

impl CurrentWorld {
    pub fn state(&self) -> &WorldState {
        match self {
            Self::Clean(world) => &world.state,
            Self::Dirty(state) => state,
        }
    }
}

/// How the named changes can affect the index.
pub enum ChangeImpact {
    /// Not at all.
    None,
    /// Only the contents of these files may differ, or they are new.
    Edits(Vec<SourceFile>),
    /// Unknown, so a full scan is needed.
    Unknown,
}

impl CachedState {
    pub fn classify_changes(&self, workspace: &Workspace, batch: &ChangeBatch) -> ChangeImpact {
        let mut sources = Vec::new();
        for path in batch.changes().iter().map(super::Change::path) {
            match self.classify(workspace, path) {
                ChangeImpact::None => {}
                ChangeImpact::Edits(source) => sources.extend(source),
                ChangeImpact::Unknown => return ChangeImpact::Unknown,
            }
        }
        if sources.is_empty() {
            ChangeImpact::None
        } else {
            ChangeImpact::Edits(sources)
        }
    }

    fn classify(&self, workspace: &Workspace, path: &RepoPath) -> ChangeImpact {
        if path.file_name() == ".gitignore" || self.known.is_input(path.as_str()) {
            return ChangeImpact::Unknown;
        }
        if path.segments().any(|segment| segment == NODE_MODULES) {
            return self.classify_package(path);
        }
        if self.known.package(path.as_str()).is_some() {
            return ChangeImpact::Unknown;
        }

        let is_listed = || {
            self.paths
                .binary_search_by(|known| known.as_str().cmp(path.as_str()))
                .is_ok()
        };

        let entry = match workspace.entry_at(path) {
            Some(entry) if entry.kind == EntryKind::File => entry,
            Some(_) => return ChangeImpact::Unknown,
            None if is_listed() => return ChangeImpact::Unknown,
            // The file was created and removed since the last batch.
            None => return ChangeImpact::None,
        };

        if self.known.files.contains_key(path.as_str()) {
            let Some(dialect) = Dialect::of_path(path.as_str()) else {
                return ChangeImpact::Unknown;
            };
            let source = SourceFile {
                path: path.clone(),
                dialect,
                size: entry.size,
                stamp: entry.stamp,
                needs_check: true,
            };
            return ChangeImpact::Edits(vec![source]);
        }

        if is_listed() || self.unwanted.contains(path) {
            return ChangeImpact::None;
        }
        match self.new_source(workspace, path) {
            Some(source) => ChangeImpact::Edits(vec![source]),
            None => ChangeImpact::Unknown,
        }
    }

    /// Returns a new file if it can be indexed without a full scan: a source file beside a known
    /// file.
    fn new_source(&self, workspace: &Workspace, path: &RepoPath) -> Option<SourceFile> {
        let dialect = Dialect::of_path(path.as_str())?;
        let folder = path.parent()?;
        let prefix = format!("{folder}/");
        let at = self.paths.partition_point(|known| *known < prefix);
        let is_known = self.paths.get(at)?.starts_with(&prefix);
        if !is_known
            || is_project_file(LANGUAGES, path.as_str())
            || !LANGUAGES.of(dialect.language()).adds_files()
            || !workspace.config().takes(path, dialect.language().as_str())
        {
            return None;
        }

        let listed = workspace.list(&folder).ok()?;
        let mut entries = listed.entries.into_iter();
        let entry = entries.find(|entry| entry.path == *path)?;
        Some(SourceFile {
            path: entry.path,
            dialect,
            size: entry.size,
            stamp: entry.stamp,
            needs_check: true,
        })
    }

    /// Classifies a change below a package folder. Only paths that were read, or whose parent was
    /// listed, can affect the index.
    fn classify_package(&self, path: &RepoPath) -> ChangeImpact {
        let is_known = |path: &RepoPath| self.known.package(path.as_str()).is_some();
        let is_new = path.file_name() == NODE_MODULES && !self.packages.contains(path);
        if is_new || is_known(path) || path.parent().is_some_and(|folder| is_known(&folder)) {
            ChangeImpact::Unknown
        } else {
            ChangeImpact::None
        }
    }

    /// Remembers those of `files` that the last walk did not list. `files` are the named paths that
    /// were files before the walk. Other paths are not remembered: the walk skipped them because
    /// they were not files, and they may be files next time.
    pub fn note_unwanted(
        &mut self,
        workspace: &Workspace,
        batch: &ChangeBatch,
        files: Vec<RepoPath>,
    ) {
        let asks_again = |path: &RepoPath| {
            path.file_name() == ".gitignore" || self.known.is_input(path.as_str())
        };
        let mut paths = batch.changes().iter().map(super::Change::path);
        if !batch.is_complete() || paths.any(asks_again) || self.unwanted.len() > MOST_UNWANTED {
            self.unwanted.clear();
        }

        let unlisted = files.into_iter().filter(|path| {
            self.paths
                .binary_search_by(|known| known.as_str().cmp(path.as_str()))
                .is_err()
        });

        self.unwanted
            .extend(unlisted.filter(|path| is_file(workspace, path)));
    }
}

/// Returns the named paths that are files.
pub fn files_of(workspace: &Workspace, batch: &ChangeBatch) -> Vec<RepoPath> {
    batch
        .changes()
        .iter()
        .map(super::Change::path)
        .filter(|path| is_file(workspace, path))
        .cloned()
        .collect()
}

fn is_file(workspace: &Workspace, path: &RepoPath) -> bool {
    workspace
        .entry_at(path)
        .is_some_and(|entry| entry.kind == EntryKind::File)
}
