//! Evicts old indexes when their total size exceeds the limit: first those of repositories that no
//! longer exist, then those written longest ago. The facts of packages, which the indexes share,
//! count as one of them.
//!
//! Limitations: folders that do not record their repository are neither counted nor removed. An
//! index that is only read counts as old.

use std::time::SystemTime;

use crate::data_dir::{DataDir, DataRoot};
use crate::lock::LOCK;

/// Default limit for all indexes of a data root, in bytes: several hundred repositories of a
/// million lines.
pub const MAX_TOTAL_BYTES: u64 = 20 << 30;

impl DataDir {
    /// Removes other indexes of the same data root until at most `limit` bytes are left; returns
    /// the removed ones. Indexes that are being written are kept.
    #[must_use]
    pub fn evict_old_indexes(&self, limit: u64) -> Vec<Self> {
        let Some(home) = self.path().parent() else {
            return Vec::new();
        };

        let home = DataRoot::at(home);
        let dirs = home.data_dirs().unwrap_or_default().known;
        let shared = home.package_facts().into_iter();
        let mut sized: Vec<(u64, Self)> = dirs
            .into_iter()
            .chain(shared.filter(|data| data.path().is_dir()))
            .map(|data| (data.bytes(), data))
            .collect();
        let mut total: u64 = sized.iter().map(|(bytes, _)| bytes).sum();

        if total <= limit {
            return Vec::new();
        }

        sized.retain(|(_, data)| data.path() != self.path());
        sized.sort_by_cached_key(|(_, data)| (!data.is_orphan(), used(data)));

        let mut removed = Vec::new();
        for (bytes, data) in sized {
            if total <= limit {
                break;
            }
            if data.remove().is_ok() {
                total -= bytes;
                removed.push(data);
            }
        }

        removed
    }
}

/// Returns when the write lock was last taken.
fn used(data: &DataDir) -> SystemTime {
    let lock = data.path().join(LOCK).symlink_metadata();
    lock.and_then(|metadata| metadata.modified())
        .unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use std::fs::{File, FileTimes};
    use std::time::Duration;

    use super::*;

    /// Creates data folders with indexes of a megabyte, used one after the other, all long ago.
    fn folders(outer: &std::path::Path, names: &[&str]) -> Vec<DataDir> {
        let folder = |(at, name): (usize, &&str)| {
            let root = outer.join(name);
            std::fs::create_dir(&root).unwrap();

            let data = DataRoot::at(outer.join("home")).data_dir(&root).unwrap();
            drop(data.lock_writer().unwrap());
            std::fs::write(data.path().join("index.db"), vec![0; 1 << 20]).unwrap();

            let used = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + at as u64);
            File::options()
                .write(true)
                .open(data.path().join(LOCK))
                .unwrap()
                .set_times(FileTimes::new().set_modified(used))
                .unwrap();

            data
        };
        names.iter().enumerate().map(folder).collect()
    }

    #[test]
    fn shared_facts_of_packages_are_evicted_with_the_indexes() {
        let outer = tempfile::tempdir().unwrap();
        let data = folders(outer.path(), &["own"]);
        let shared = DataRoot::at(outer.path().join("home"))
            .package_facts()
            .unwrap();
        drop(shared.lock_writer().unwrap());
        std::fs::write(shared.path().join("index.db"), vec![0; 1 << 20]).unwrap();

        assert_eq!(data[0].evict_old_indexes(3 << 20), []);
        assert_eq!(
            data[0].evict_old_indexes(3 << 19),
            std::slice::from_ref(&shared)
        );
        assert!(!shared.path().exists() && data[0].has_database());
    }

    #[test]
    fn orphaned_indexes_are_evicted_first_then_the_oldest() {
        let outer = tempfile::tempdir().unwrap();
        let data = folders(outer.path(), &["oldest", "old", "gone", "own", "written"]);
        std::fs::remove_dir(data[2].root()).unwrap();

        assert_eq!(data[3].evict_old_indexes(6 << 20), []);
        assert_eq!(
            data[3].evict_old_indexes(9 << 19),
            [data[2].clone()],
            "five are too many"
        );

        let _lock = data[0].lock_writer().unwrap();
        assert_eq!(
            data[3].evict_old_indexes(1),
            [data[1].clone(), data[4].clone()],
            "neither this one nor one that is written"
        );

        assert!(data[0].has_database() && data[3].has_database());
    }
}
