//! Facts and graphs that machines share.
//!
//! Facts are keyed by a hash of the text and of everything else that they depend on, so an index
//! uses those of another machine only for equal texts.
//!
//! Limitations: the edges of a graph that is taken over are as true as their maker; only that the
//! files are the same is checked.

use std::io::Read;
use std::path::Path;

use codeagent_workspace::{DataDir, DataDirError, DataRoot, Workspace, WriterLock, root_mark};

use crate::engine::{Engine, EngineError, IndexReader};
use crate::store::{self, FactsKey, GraphDatabase, StoreError};

/// The facts of a text, packed, under their key.
pub type PackedFact = ([u8; 32], Vec<u8>);

/// The facts of a text, serialized but not compressed, under their key.
pub type PlainFact = ([u8; 32], Vec<u8>);

/// Compresses serialized facts.
#[must_use]
pub fn packed_fact(plain: &[u8]) -> Vec<u8> {
    store::pack_plain_facts(plain)
}

impl IndexReader {
    /// Returns the keys of the facts of all files without a problem, sorted.
    pub fn shared_keys(&self) -> Result<Vec<[u8; 32]>, StoreError> {
        let keys = store::shared_keys(&self.snapshot()?)?;
        Ok(keys.into_iter().map(|key| key.0).collect())
    }

    /// Returns the packed facts of these keys, as far as there are any, compressed for sharing.
    pub fn packed_facts(&self, keys: &[[u8; 32]]) -> Result<Vec<PackedFact>, StoreError> {
        let snapshot = self.snapshot()?;
        let mut found = Vec::new();
        for key in keys {
            if let Some(blob) = store::read_packed(&snapshot, &FactsKey(*key))? {
                found.push((FactsKey(*key), blob));
            }
        }
        let found = store::repack(found).into_iter();
        Ok(found.map(|(key, blob)| (key.0, blob)).collect())
    }

    /// Returns the serialized facts of a key; `None` if there are none, or damaged ones.
    pub fn plain_facts(&self, key: &[u8; 32]) -> Result<Option<Vec<u8>>, StoreError> {
        let packed = store::read_packed(&self.snapshot()?, &FactsKey(*key))?;
        Ok(packed.and_then(|packed| store::plain_facts(&packed)))
    }

    /// Returns a database with the graph, for other machines.
    pub fn shared_graph(&self) -> Result<Vec<u8>, EngineError> {
        let scratch = self.data.scratch()?;
        let data = scratch.data_root().data_dir(self.workspace.root())?;
        let _lock = data.lock_writer()?;
        store::copy_graph(&self.snapshot()?, &data.writable_database()?)?;
        Ok(data.read_database().map_err(DataDirError::Io)?)
    }
}

impl Engine {
    /// Stores facts of another machine under keys that have none, and waits for it.
    pub fn add_facts(&self, facts: Vec<PackedFact>) -> Result<usize, EngineError> {
        let known = store::facts_keys(&self.read_side().reader.snapshot()?)?;
        let new = facts
            .into_iter()
            .map(|(key, blob)| (FactsKey(key), blob))
            .filter(|(key, _)| !known.contains(key));
        let new: Vec<_> = new.collect();
        let count = new.len();
        if let Some(pipeline) = self.pipeline().as_ref() {
            pipeline.writer().put_facts(new)?;
            pipeline.checkpoint()?;
        }
        Ok(count)
    }
}

/// A graph of another machine that becomes the index of a repository.
pub struct SharedGraph {
    data: DataDir,
    /// Where the new database is until it replaces that of the index.
    fresh: DataDir,
    database: GraphDatabase,
    fresh_lock: WriterLock,
    _lock: WriterLock,
}

impl SharedGraph {
    /// Reads the graph for the repository at `root`, which must have no index.
    pub fn read(root: &Path, home: &DataRoot, graph: &mut dyn Read) -> Result<Self, EngineError> {
        let workspace = Workspace::open(root)?;
        let data = home.data_dir(workspace.root())?;
        let lock = data.lock_writer()?;
        let fresh = data.rebuilt()?.data_dir(workspace.root())?;
        let fresh_lock = fresh.lock_writer()?;
        let path = fresh.writable_database()?;
        fresh.write_database(graph).map_err(DataDirError::Io)?;
        Ok(Self {
            data,
            fresh,
            database: GraphDatabase::open(&path, &root_mark(workspace.root()))?,
            fresh_lock,
            _lock: lock,
        })
    }

    /// Adds facts of another machine, which are part of the index as soon as the graph is.
    pub fn add_facts(&self, facts: &[PackedFact]) -> Result<(), EngineError> {
        for (key, blob) in facts {
            self.database.put_facts(&FactsKey(*key), blob)?;
        }
        Ok(())
    }

    /// Returns the serialized facts of a key; `None` if there are none, or damaged ones.
    pub fn plain_facts(&self, key: &[u8; 32]) -> Result<Option<Vec<u8>>, EngineError> {
        let packed = self.database.packed_facts(&FactsKey(*key))?;
        Ok(packed.and_then(|packed| store::plain_facts(&packed)))
    }

    /// Makes the graph the index. The next update compares every file with it.
    pub fn take_over(self) -> Result<(), EngineError> {
        self.database.close()?;

        self.fresh.mark_new().map_err(DataDirError::Io)?;
        drop(self.fresh_lock);
        Ok(self.data.replace_database(&self.fresh)?)
    }
}
