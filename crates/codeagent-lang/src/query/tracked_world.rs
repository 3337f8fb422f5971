//! Access of one resolution to other files, with a record of its reads.
//!
//! [`TrackedWorld`] owns the access to the world: every read of a file's facts goes through it and is
//! recorded. The exceptions are at the end of the type, each with its reason.
//!
//! Limitations: the tables of a language are not part of it. The caller of a lookup in one of them
//! has to record it ([`TrackedWorld::record_lookup`]).

use std::cell::Cell;
use std::sync::Arc;

use codeagent_model::facts::{Declaration, Facts, ScopeId};

use super::names::{Name, Names};
use super::recorder::DependencyRecorder;
use crate::dependencies::{Dependencies, DependencyKey, KeyTable};
use crate::world::{DeclRef, FileId, World};

/// One resolution: its file, the other files, and the record of its reads.
pub struct TrackedWorld<'w> {
    world: &'w World,
    /// The file being resolved.
    pub file: FileId,
    recorder: DependencyRecorder,
    last_read: Cell<FileId>,
}

impl<'w> TrackedWorld<'w> {
    /// Starts a resolution with an empty record.
    #[must_use]
    pub fn new(world: &'w World, file: FileId) -> Self {
        Self {
            world,
            file,
            recorder: DependencyRecorder::default(),
            last_read: Cell::new(file),
        }
    }

    /// Returns the recorded dependencies.
    #[must_use]
    pub fn finish(self, names: &Names) -> Dependencies {
        self.recorder.finish(self.file, names)
    }

    /// Returns the facts of a file and records a dependency on its interface.
    #[inline]
    pub fn facts(&self, file: FileId) -> &'w Facts {
        self.read(file);
        self.world.facts(file)
    }

    /// Returns a declaration of any file.
    #[inline]
    pub fn decl(&self, decl: DeclRef) -> &'w Declaration {
        self.facts(decl.file).decl(decl.decl)
    }

    /// Records a dependency on the interface of a file.
    #[inline]
    pub fn read(&self, file: FileId) {
        if file != self.last_read.get() {
            self.last_read.set(file);
            self.recorder.file(file);
        }
    }

    /// Records that a name was looked up in a world-wide table.
    pub fn record_lookup(&self, table: KeyTable, name: Name) {
        self.recorder.name(table, name);
    }

    /// Records the lookup of a name that no file contains.
    pub fn record_text_lookup(&self, table: KeyTable, name: &str) {
        self.recorder.key(table.key(name));
    }

    pub fn record_key(&self, key: DependencyKey) {
        self.recorder.key(key);
    }

    /// Returns the facts of the file being resolved. Not recorded: a file that changes is resolved
    /// again.
    #[inline]
    pub fn own_facts(&self) -> &'w Facts {
        self.world.facts(self.file)
    }

    /// Reports whether a file is part of a library. Not recorded: a file's path does not change,
    /// and when libraries change, everything is resolved again.
    #[inline]
    pub fn is_external_file(&self, file: FileId) -> bool {
        self.world.file(file).external
    }

    /// Returns the package that publishes a file of an interface pack. Not recorded, for the same
    /// reason.
    #[inline]
    pub fn package_of(&self, file: FileId) -> Option<&'w Arc<str>> {
        self.world.file(file).package.as_ref()
    }

    /// Returns the path of a file. Not recorded: it does not change, and the nearest of several
    /// declarations, which paths decide, depends on a recorded lookup of their name.
    pub fn path(&self, file: FileId) -> &'w str {
        &self.world.file(file).path
    }

    /// Returns the scope of a block that augments a module from another file. Not recorded: only
    /// names are looked up in it, and a file that declares one publishes it.
    pub fn scope_of_block(&self, block: DeclRef) -> ScopeId {
        self.world.decl(block).inner
    }
}
