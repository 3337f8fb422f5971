//! Finds the indexes of other worktrees of the same git repository.
//!
//! The last writer of a data folder records the git folder that its worktree shares with others;
//! only data folders are searched. The record is not trusted: it is used only to find texts that
//! are likely to be equal.
//!
//! Limitations: returns at most [`MOST`] indexes, those written last. A folder without a record is
//! not found.

use std::io;
use std::path::Path;
use std::time::SystemTime;

use crate::data_dir::{DataDir, DataRoot};
use crate::ignored::shared_git_folder;
use crate::lock::read_short;

/// Name of the file with a hash of the shared git folder's path.
const GIT: &str = "git";

/// Maximum number of worktrees to use.
const MOST: usize = 8;

impl DataDir {
    /// Returns the data folders of other worktrees, the last written first. Any of them may be
    /// deleted, damaged or in use.
    #[must_use]
    pub fn siblings(&self) -> Vec<Self> {
        let (Some(mark), Some(home)) = (recorded_mark(self), self.path().parent()) else {
            return Vec::new();
        };

        let dirs = DataRoot::at(home).data_dirs().unwrap_or_default();
        let others = dirs
            .known
            .into_iter()
            .filter(|other| other.path() != self.path() && recorded_mark(other) == Some(mark));

        let mut dated: Vec<(SystemTime, Self)> = others
            .filter_map(|other| Some((written(&other)?, other)))
            .collect();
        dated.sort_by(|(first, _), (second, _)| second.cmp(first));

        dated
            .into_iter()
            .map(|(_, other)| other)
            .take(MOST)
            .collect()
    }

    /// Records the shared git folder, if there is one. The caller must hold the lock.
    pub(crate) fn note_git(&self) -> io::Result<()> {
        let Some(folder) = shared_git_folder(self.root()) else {
            return Ok(());
        };
        self.note(
            GIT,
            blake3::hash(folder.as_os_str().as_encoded_bytes()).as_bytes(),
        )
    }
}

fn recorded_mark(data: &DataDir) -> Option<[u8; 32]> {
    read_short(&data.file(GIT).ok()?).ok()?.try_into().ok()
}

/// Returns when the database or its log was last written; `None` if there is none.
fn written(data: &DataDir) -> Option<SystemTime> {
    let changed = |path: &Path| {
        path.symlink_metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
    };
    let log = changed(&data.path().join("index.db-wal"));
    changed(&data.database().ok()?).map(|database| log.map_or(database, |log| log.max(database)))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// Creates data folders, with databases, of the work trees below `outer`, written in this
    /// order.
    fn marked_folders(outer: &Path, trees: &[&str]) -> Vec<DataDir> {
        let folder = |tree: &&str| {
            let data = DataRoot::at(outer.join("home"))
                .data_dir(&outer.join(tree))
                .unwrap();
            let _lock = data.lock_writer().unwrap();
            data.writable_database().unwrap();
            data
        };
        trees.iter().map(folder).collect()
    }

    /// Creates a repository `main` with a work tree `second`, and a repository `other`.
    fn repositories() -> tempfile::TempDir {
        let outer = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path: PathBuf = outer.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };

        write("main/.git/worktrees/second/commondir", "../..\n");
        write("main/src/a.cs", "");
        write(
            "second/.git",
            &format!(
                "gitdir: {}\n",
                outer.path().join("main/.git/worktrees/second").display()
            ),
        );
        write("other/.git/HEAD", "");
        write("plain/a.cs", "");

        outer
    }

    #[test]
    fn worktrees_of_one_repository_find_each_other() {
        let outer = repositories();
        let [main, second, part, other, plain] = &marked_folders(
            outer.path(),
            &["main", "second", "main/src", "other", "plain"],
        )[..] else {
            unreachable!()
        };

        let mut found = main.siblings();
        found.sort_by(|first, second| first.root().cmp(second.root()));
        assert_eq!(
            found,
            [part.clone(), second.clone()],
            "a folder of a work tree as well"
        );

        assert!(second.siblings().contains(main));
        assert!(other.siblings().is_empty() && plain.siblings().is_empty());
    }

    #[test]
    fn folders_without_an_index_are_not_worktrees() {
        let outer = repositories();
        let [main, second] = &marked_folders(outer.path(), &["main", "second"])[..] else {
            unreachable!()
        };
        std::fs::remove_file(second.database().unwrap()).unwrap();
        assert_eq!(main.siblings(), []);
        second.writable_database().unwrap();
        assert_eq!(main.siblings(), std::slice::from_ref(second));
        #[cfg(unix)]
        {
            let note = second.path().join(GIT);
            std::fs::rename(&note, outer.path().join("note")).unwrap();
            std::os::unix::fs::symlink(outer.path().join("note"), &note).unwrap();
            assert_eq!(main.siblings(), []);
        }
    }
}
