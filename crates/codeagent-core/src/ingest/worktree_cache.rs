//! Facts from the indexes of the repository's other worktrees.
//!
//! Facts depend on a file's text alone, so they are copied; nothing else of such an index is read.
//! An index that cannot be read, or was made by other code, has none.
//!
//! Limitations: used by full scans, not for single edits.

use std::sync::OnceLock;

use codeagent_workspace::DataDir;

use crate::store::{self, FactsKey, Reader, Snapshot};

/// The other indexes, opened when the first text is not known here.
pub struct WorktreeCache<'a> {
    of: Option<&'a DataDir>,
    threads: u32,
    readers: OnceLock<Vec<Reader>>,
}

/// Connections of one thread to these indexes.
#[derive(Default)]
pub struct WorktreeSnapshots {
    snapshots: Option<Vec<Snapshot>>,
}

impl<'a> WorktreeCache<'a> {
    /// The indexes of the other work trees of this one's repository, for so many threads.
    pub fn of(data: Option<&'a DataDir>, threads: usize) -> Self {
        Self {
            of: data,
            threads: threads as u32,
            readers: OnceLock::new(),
        }
    }

    /// Whether there are no other indexes.
    pub fn is_empty(&self) -> bool {
        self.readers().is_empty()
    }

    /// Packed facts under this key.
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
