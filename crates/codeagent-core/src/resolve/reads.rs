//! What a link asked of the world, so that one knows when it must be done again.
//!
//! Two kinds of questions: "what does file F declare" (asked by whoever looks at a declaration of F or looks into F in vain) and "who in the
//! world bears name N in this table" (asked by whoever looks a name up in a world-wide table, in vain or not). The second kind is a [`slot`].

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use crate::resolve::world::FileId;

/// The questions of one link, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadSet {
    /// Files whose interface was looked at, without the file itself.
    pub files: Vec<FileId>,
    /// Slots that were looked up; see [`slot`].
    pub slots: Vec<u64>,
}

/// The key of an open-ended question about a name: the table asked and the name.
///
/// A file *publishes* a slot for every name it adds to the table; a change of its interface changes the answers of all slots it published
/// before or publishes now. Of a table whose name begins with `?` it is only asked whether a project has the name at all: the answers change
/// only if the first file of a project comes to publish it or the last one ceases to; see [`is_presence`].
#[must_use]
pub fn slot(table: &str, name: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(table.as_bytes());
    hasher.update(&[0]);
    hasher.update(name.as_bytes());
    let hash = u64::from_le_bytes(hasher.finalize().as_bytes()[..8].try_into().expect("a hash has 32 bytes"));
    hash & !1 | u64::from(table.starts_with('?'))
}

/// Whether a slot, or the low half of one, is a question for presence alone.
#[must_use]
pub fn is_presence(slot: u32) -> bool {
    slot & 1 == 1
}

/// Collects a [`ReadSet`] during a link.
#[derive(Debug, Default)]
pub struct Recorder {
    files: RefCell<FxHashSet<FileId>>,
    slots: RefCell<FxHashSet<u64>>,
}

impl Recorder {
    /// The interface of a file was looked at.
    pub fn file(&self, file: FileId) {
        self.files.borrow_mut().insert(file);
    }

    /// The interfaces of these files count.
    pub fn files(&self, files: impl IntoIterator<Item = FileId>) {
        self.files.borrow_mut().extend(files);
    }

    /// A world-wide table was asked.
    pub fn slot(&self, slot: u64) {
        self.slots.borrow_mut().insert(slot);
    }

    /// The finished set of the link of `own`.
    #[must_use]
    pub fn finish(self, own: FileId) -> ReadSet {
        let mut files: Vec<FileId> = self.files.into_inner().into_iter().filter(|file| *file != own).collect();
        files.sort_unstable();
        let mut slots: Vec<u64> = self.slots.into_inner().into_iter().collect();
        slots.sort_unstable();
        ReadSet { files, slots }
    }
}
