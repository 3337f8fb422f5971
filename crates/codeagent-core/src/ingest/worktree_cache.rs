//! Reuses facts from the indexes of the repository's other worktrees.
//!
//! Facts depend on a file's text alone, so they can be copied; nothing else of such an index is
//! read. An index that cannot be read, or was made by another engine version, is skipped.
//!
//! Limitations: used by full scans, not for single edits.

use std::sync::OnceLock;

use codeagent_workspace::DataDir;

use crate::store::{self, FactsKey, Reader, Snapshot};

/// The other indexes, opened at the first text whose facts are not in this index.
pub struct WorktreeCache<'a> {
    of: Option<&'a DataDir>,
    threads: u32,
    readers: OnceLock<Vec<Reader>>,
}

/// One thread's snapshots of the other indexes.
#[derive(Default)]
pub struct WorktreeSnapshots {
    snapshots: Option<Vec<Snapshot>>,
}

impl<'a> WorktreeCache<'a> {
    /// Creates a cache over the other worktrees' indexes, for this number of threads.
    pub fn of(data: Option<&'a DataDir>, threads: usize) -> Self {
        Self {
            of: data,
            threads: threads as u32,
            readers: OnceLock::new(),
        }
    }

    /// Reports whether there are no other indexes.
    pub fn is_empty(&self) -> bool {
        self.readers().is_empty()
    }

    pub fn find(&self, sharing: &mut WorktreeSnapshots, key: &FactsKey) -> Option<Vec<u8>> {
        let snapshots = sharing.snapshots.get_or_insert_with(|| {
            self.readers()
                .iter()
                .filter_map(|reader| reader.snapshot().ok())
                .collect()
        });
        snapshots
            .iter()
            .find_map(|snapshot| store::read_packed(snapshot, key).ok()?)
    }

    fn readers(&self) -> &[Reader] {
        self.readers.get_or_init(|| {
            let databases = self
                .of
                .iter()
                .flat_map(|data| data.siblings())
                .filter_map(|data| data.database().ok());
            databases
                .filter_map(|path| Reader::open(&path, self.threads).ok())
                .collect()
        })
    }
}
