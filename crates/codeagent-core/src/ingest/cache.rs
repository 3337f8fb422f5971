//! State kept between batches, so that an edit costs what it changes: what the index knows of the
//! disk and, after an edit, the world.
//!
//! A batch that fails leaves no state behind, and the next one reads everything again.
//!
//! Limitations: the world of an edited repository stays in memory until it is dropped after a while
//! without changes.

use std::sync::Arc;

use codeagent_lang::World;
use codeagent_lang::nodes::NodeTable;
use codeagent_lang::project::ProjectModel;
use codeagent_workspace::{EntryKind, NODE_MODULES, RepoPath, Workspace};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ingest::change::ChangeBatch;
use crate::ingest::load::LoadedFile;
use crate::ingest::packages::Installed;
use crate::ingest::plan::Fingerprint;
use crate::ingest::scan::{KnownFiles, SourceFile};
use crate::model::graph::Dialect;
use crate::store::{DependencyRow, FileKey};

/// Paths that are remembered as not listed.
const MOST_UNWANTED: usize = 10_000;

/// State of the last batch.
#[derive(Default)]
pub struct CachedState {
    /// The contents of the index.
    pub known: KnownFiles,
    /// All files of the repository, by path.
    pub paths: Vec<String>,
    /// Files that are there and not listed, as the last walk saw it.
    pub unwanted: FxHashSet<RepoPath>,
    /// Folders with packages, by path, as the last walk saw it.
    pub packages: Vec<RepoPath>,
    /// The world of the last batch.
    pub world: Option<IndexedWorld>,
}

/// Everything that files are resolved in.
pub struct WorldState {
    /// The files, by path.
    pub loaded: Vec<LoadedFile>,
    /// Their keys.
    pub keys: Vec<FileKey>,
    /// The projects.
    pub projects: Arc<ProjectModel>,
    /// Declarations of the packages.
    pub installed: Installed,
    /// The facts of all files.
    pub world: World,
    /// The nodes of all files.
    pub nodes: NodeTable,
}

/// A world that is in the index as it is.
pub struct IndexedWorld {
    /// The world.
    pub state: WorldState,
    /// The fingerprints of the files, in their order.
    pub fingerprints: Vec<Fingerprint>,
    /// Dependencies of the files' resolutions, loaded on first use; without the sources of edges.
    pub dependencies: Option<FxHashMap<FileKey, DependencyRow>>,
}

/// The state from which a new world can be built.
pub enum CurrentWorld {
    /// The world of the last batch, as the index has it.
    Clean(IndexedWorld),
    /// Some of it is newer than the index, because a patch could not be completed. Good for the
    /// facts it holds only.
    Dirty(WorldState),
}

impl CurrentWorld {
    /// Returns the world.
    pub fn state(&self) -> &WorldState {
        match self {
            Self::Clean(world) => &world.state,
            Self::Dirty(state) => state,
        }
    }
}

/// The possible effect of named changes.
pub enum ChangeImpact {
    /// Nothing in the index.
    None,
    /// The content of known files.
    Edits(Vec<SourceFile>),
    /// Anything: a full scan is needed.
    Unknown,
}

impl CachedState {
    /// Classifies the named changes.
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
            // It came and went.
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
            ChangeImpact::None
        } else {
            ChangeImpact::Unknown
        }
    }

    /// What a change below a folder with packages may mean: something, if it or the folder around
    /// it was looked at.
    fn classify_package(&self, path: &RepoPath) -> ChangeImpact {
        let is_known = |path: &RepoPath| self.known.package(path.as_str()).is_some();
        let is_new = path.file_name() == NODE_MODULES && !self.packages.contains(path);
        if is_new || is_known(path) || path.parent().is_some_and(|folder| is_known(&folder)) {
            ChangeImpact::Unknown
        } else {
            ChangeImpact::None
        }
    }

    /// Remembers which of the named files the last walk did not list. `files`: those that were
    /// files before it; what was no file then or is none now was passed over for that, and may be
    /// one the next time.
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

/// Those of the named paths at which there are files.
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
