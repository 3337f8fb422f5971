//! Records the dependencies of one resolution: files by number, names by the lookup table. A failed
//! lookup is a dependency too.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use super::names::{Name, Names};
use crate::dependencies::{Dependencies, DependencyKey, KeyTable};
use crate::world::FileId;

/// Collects [`Dependencies`] while a file is resolved.
#[derive(Debug, Default)]
pub struct DependencyRecorder {
    files: RefCell<FxHashSet<FileId>>,
    keys: RefCell<FxHashSet<DependencyKey>>,
    names: RefCell<FxHashSet<(KeyTable, Name)>>,
}

impl DependencyRecorder {
    /// Records that the interface of a file was read.
    pub fn file(&self, file: FileId) {
        self.files.borrow_mut().insert(file);
    }

    /// Records a key.
    pub fn key(&self, key: DependencyKey) {
        self.keys.borrow_mut().insert(key);
    }

    /// Records that a name was looked up in a table.
    pub fn name(&self, table: KeyTable, name: Name) {
        self.names.borrow_mut().insert((table, name));
    }

    /// Returns the dependencies collected while resolving `own`.
    #[must_use]
    pub fn finish(self, own: FileId, names: &Names) -> Dependencies {
        let mut files: Vec<FileId> = self
            .files
            .into_inner()
            .into_iter()
            .filter(|file| *file != own)
            .collect();
        files.sort_unstable();

        let mut keys: Vec<DependencyKey> = self.keys.into_inner().into_iter().collect();
        let lookups = self.names.into_inner().into_iter();
        keys.extend(lookups.map(|(table, name)| table.key(names.text(name))));
        keys.sort_unstable();
        keys.dedup();

        Dependencies { files, keys }
    }
}
