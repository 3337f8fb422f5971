//! What has a link asked so far: files by number, names by the table they are looked up in.
//!
//! **Limits.** Says nothing of what was answered: who asks in vain depends on the answer too.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use super::names::{Name, Names};
use crate::dependencies::{ReadSet, slot};
use crate::world::FileId;

/// Collects a [`ReadSet`] during a link.
#[derive(Debug, Default)]
pub struct Reads {
    files: RefCell<FxHashSet<FileId>>,
    slots: RefCell<FxHashSet<u64>>,
    names: RefCell<FxHashSet<(&'static str, Name)>>,
}

impl Reads {
    /// The interface of a file was looked at.
    pub fn file(&self, file: FileId) {
        self.files.borrow_mut().insert(file);
    }

    /// A slot was asked; see [`slot`].
    pub fn slot(&self, slot: u64) {
        self.slots.borrow_mut().insert(slot);
    }

    /// A table was asked for a name.
    pub fn name(&self, table: &'static str, name: Name) {
        self.names.borrow_mut().insert((table, name));
    }

    /// The finished set of the link of `own`.
    #[must_use]
    pub fn finish(self, own: FileId, names: &Names) -> ReadSet {
        let mut files: Vec<FileId> = self
            .files
            .into_inner()
            .into_iter()
            .filter(|file| *file != own)
            .collect();
        files.sort_unstable();
        let mut slots: Vec<u64> = self.slots.into_inner().into_iter().collect();
        slots.extend(
            self.names
                .into_inner()
                .into_iter()
                .map(|(table, name)| slot(table, names.text(name))),
        );
        slots.sort_unstable();
        slots.dedup();
        ReadSet { files, slots }
    }
}
