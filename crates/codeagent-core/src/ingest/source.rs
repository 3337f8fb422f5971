//! Source texts to index: an editor's unsaved text if there is one, else the file on disk.
//!
//! Limitations: only source files that exist on disk can have an unsaved text. Project files are
//! always read from disk. Answers show source lines from disk, and report such a file as stale.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use codeagent_workspace::{Encoding, FileText, ReadError, RepoPath, Stamp, Workspace};

use crate::ingest::scan::SourceFile;

type UnsavedTexts = BTreeMap<RepoPath, Arc<str>>;

/// Unsaved texts by path. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Overlay(Arc<Mutex<Arc<UnsavedTexts>>>);

impl Overlay {
    /// Sets the unsaved text of a file, or removes it.
    pub fn set(&self, path: &RepoPath, text: Option<&str>) {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A running batch keeps the texts that it started with.
        let texts = Arc::make_mut(&mut texts);
        match text {
            Some(text) => texts.insert(path.clone(), Arc::from(text)),
            None => texts.remove(path),
        };
    }

    fn texts(&self) -> Arc<UnsavedTexts> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Reads the source files of one batch.
#[derive(Clone, Debug)]
pub struct SourceReader {
    workspace: Workspace,
    unsaved: Arc<UnsavedTexts>,
}

impl SourceReader {
    /// Creates a reader with the overlay's current texts.
    #[must_use]
    pub fn new(workspace: Workspace, overlay: &Overlay) -> Self {
        Self {
            workspace,
            unsaved: overlay.texts(),
        }
    }

    /// Returns the repository on disk.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Reads a text of at most [`codeagent_workspace::Config::max_file_bytes`].
    pub fn read(&self, path: &RepoPath) -> Result<FileText, ReadError> {
        let Some(text) = self.unsaved.get(path) else {
            return self.workspace.read(path);
        };
        let (size, limit) = (text.len() as u64, self.workspace.config().max_file_bytes);
        if size > limit {
            return Err(ReadError::TooLarge {
                path: path.clone(),
                size,
                limit,
            });
        }

        Ok(FileText {
            text: text.to_string(),
            hash: blake3::hash(text.as_bytes()),
            size,
            stamp: Stamp::default(),
            encoding: Encoding::Utf8,
            lossy: false,
        })
    }

    /// Returns the hash of a file's bytes.
    pub fn hash(&self, path: &RepoPath) -> Result<blake3::Hash, ReadError> {
        if self.unsaved.contains_key(path) {
            return Ok(self.read(path)?.hash);
        }
        let limit = self.workspace.config().max_file_bytes;
        Ok(self.workspace.read_bytes_meta(path, limit)?.hash)
    }

    /// Marks files with an unsaved text as changed and sets its size. The stamp matches no file, so
    /// a process without that text compares these files again.
    pub fn apply_overlay(&self, files: &mut [SourceFile]) {
        for (path, text) in &*self.unsaved {
            for file in files.iter_mut().filter(|file| file.path == *path) {
                file.size = text.len() as u64;
                file.stamp = Stamp::default();
                file.needs_check = true;
            }
        }
    }
}
