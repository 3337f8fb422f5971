//! What is kept from batch to batch, so that a change costs what it changes: what the index knows
//! of the disk and, after an edit, the world.
//!
//! Kept only while the batches go through; one that fails leaves nothing behind, and the next reads
//! everything again.
//!
//! **Limits.** The world of an edited repository stays in memory until it is put down.

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

/// What is known from the last batch.
#[derive(Default)]
pub struct CachedState {
    /// What the index holds.
    pub known: KnownFiles,
    /// All files of the repository, by path.
    pub paths: Vec<String>,
    /// Files that are there and not listed, as the last walk saw it.
    pub unwanted: FxHashSet<RepoPath>,
    /// Folders with packages, by path, as the last walk saw it.
    pub packages: Vec<RepoPath>,
    /// The world as it is linked.
    pub standing: Option<CurrentWorld>,
}

/// The world of a batch.
pub struct WorldState {
    /// Files in their order.
    pub loaded: Vec<LoadedFile>,
    /// Their keys.
    pub keys: Vec<FileKey>,
    /// The projects.
    pub projects: Arc<ProjectModel>,
    /// What packages declare.
    pub installed: Installed,
    /// The world.
    pub world: World,
    /// Its nodes.
    pub nodes: NodeTable,
}

/// A world that is in the index as it is.
pub struct CurrentWorld {
    /// The world.
    pub built: WorldState,
    /// Of all files, in their order.
    pub fingerprints: Vec<Fingerprint>,
    /// What the links of all files asked, once it was needed; without the sources of edges.
    pub links: Option<FxHashMap<FileKey, DependencyRow>>,
    /// Some of it is newer than the index.
    pub is_torn: bool,
}

/// What a batch that names all changes is about.
pub enum ChangeImpact {
    /// Nothing that counts.
    Nothing,
    /// The content of sources that are there as before.
    Sources(Vec<SourceFile>),
    /// What there is at all: one has to look.
    Anything,
}

impl CachedState {
    /// What the named changes may mean.
    pub fn doubts(&self, workspace: &Workspace, batch: &ChangeBatch) -> ChangeImpact {
        let mut sources = Vec::new();
        for path in batch.changes().iter().map(super::Change::path) {
            match self.doubt(workspace, path) {
                ChangeImpact::Nothing => {}
                ChangeImpact::Sources(source) => sources.extend(source),
                ChangeImpact::Anything => return ChangeImpact::Anything,
            }
        }
        if sources.is_empty() {
            ChangeImpact::Nothing
        } else {
            ChangeImpact::Sources(sources)
        }
    }

    fn doubt(&self, workspace: &Workspace, path: &RepoPath) -> ChangeImpact {
        if path.file_name() == ".gitignore" || self.known.is_input(path.as_str()) {
            return ChangeImpact::Anything;
        }
        if path.segments().any(|segment| segment == NODE_MODULES) {
            return self.doubt_package(path);
        }
        if self.known.package(path.as_str()).is_some() {
            return ChangeImpact::Anything;
        }
        let is_listed = || {
            self.paths
                .binary_search_by(|known| known.as_str().cmp(path.as_str()))
                .is_ok()
        };
        let entry = match workspace.entry_at(path) {
            Some(entry) if entry.kind == EntryKind::File => entry,
            Some(_) => return ChangeImpact::Anything,
            None if is_listed() => return ChangeImpact::Anything,
            // It came and went.
            None => return ChangeImpact::Nothing,
        };
        if self.known.files.contains_key(path.as_str()) {
            let Some(dialect) = Dialect::of_path(path.as_str()) else {
                return ChangeImpact::Anything;
            };
            let source = SourceFile {
                path: path.clone(),
                dialect,
                size: entry.size,
                stamp: entry.stamp,
                in_doubt: true,
            };
            return ChangeImpact::Sources(vec![source]);
        }
        if is_listed() || self.unwanted.contains(path) {
            ChangeImpact::Nothing
        } else {
            ChangeImpact::Anything
        }
    }

    /// What a change below a folder with packages may mean: something, if it or the folder around
    /// it was looked at.
    fn doubt_package(&self, path: &RepoPath) -> ChangeImpact {
        let is_known = |path: &RepoPath| self.known.package(path.as_str()).is_some();
        let is_new = path.file_name() == NODE_MODULES && !self.packages.contains(path);
        if is_new || is_known(path) || path.parent().is_some_and(|folder| is_known(&folder)) {
            ChangeImpact::Anything
        } else {
            ChangeImpact::Nothing
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
