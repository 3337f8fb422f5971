//! Access of one resolution to other files, with a record of what it reads.
//!
//! [`Session`] owns the access to the world: every read of a file's facts goes through it and is
//! recorded. The exceptions are at the end of the type, each with its reason.
//!
//! **Limits.** The tables of a language are outside of it: a lookup in one of them has to be recorded
//! by its caller ([`Session::record_lookup`]).

use std::cell::Cell;

use codeagent_model::facts::{Declaration, Facts, ScopeId};

use super::names::{Name, Names};
use super::recorder::DependencyRecorder;
use crate::dependencies::{Dependencies, DependencyKey, KeyTable};
use crate::world::{DeclRef, FileId, World};

/// One link: its file, the other files, and the record of everything that was asked.
pub struct Session<'w> {
    world: &'w World,
    /// The file that is linked.
    pub file: FileId,
    recorder: DependencyRecorder,
    last_read: Cell<FileId>,
}

impl<'w> Session<'w> {
    /// Nothing asked yet.
    #[must_use]
    pub fn new(world: &'w World, file: FileId) -> Self {
        Self {
            world,
            file,
            recorder: DependencyRecorder::default(),
            last_read: Cell::new(file),
        }
    }

    /// Everything that was asked.
    #[must_use]
    pub fn finish(self, names: &Names) -> Dependencies {
        self.recorder.finish(self.file, names)
    }

    /// What a file says, on whose interface the link depends from now on.
    #[inline]
    pub fn facts(&self, file: FileId) -> &'w Facts {
        self.read(file);
        self.world.facts(file)
    }

    /// A declaration of any file.
    #[inline]
    pub fn decl(&self, decl: DeclRef) -> &'w Declaration {
        self.facts(decl.file).decl(decl.decl)
    }

    /// Records that the interface of a file counts.
    #[inline]
    pub fn read(&self, file: FileId) {
        if file != self.last_read.get() {
            self.last_read.set(file);
            self.recorder.file(file);
        }
    }

    /// Records that a world-wide table was asked for a name.
    pub fn record_lookup(&self, table: KeyTable, name: Name) {
        self.recorder.name(table, name);
    }

    /// The same of a name that no file has.
    pub fn record_text_lookup(&self, table: KeyTable, name: &str) {
        self.recorder.key(table.key(name));
    }

    /// Records that a key was asked.
    pub fn record_key(&self, key: DependencyKey) {
        self.recorder.key(key);
    }

    /// What the file that is linked says. Not recorded: a file that changes is linked again.
    #[inline]
    pub fn own_facts(&self) -> &'w Facts {
        self.world.facts(self.file)
    }

    /// Whether a file is of a library. Not recorded: where a file stands does not change, and when
    /// libraries change everything is linked again.
    #[inline]
    pub fn is_external_file(&self, file: FileId) -> bool {
        self.world.file(file).external
    }

    /// The path of a file, to be shown. Not recorded: no edge depends on it.
    pub fn path(&self, file: FileId) -> &'w str {
        &self.world.file(file).path
    }

    /// The scope that a block opens which adds to a module from elsewhere. Not recorded: a name is
    /// looked up in it, and who comes to declare that publishes it.
    pub fn scope_of_block(&self, block: DeclRef) -> ScopeId {
        self.world.decl(block).inner
    }
}
