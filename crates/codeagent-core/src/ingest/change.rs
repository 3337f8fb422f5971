//! Changes to the repository, as named by the caller of the indexer.

use codeagent_workspace::RepoPath;

use crate::model::graph::Dialect;

/// A change to one path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// The file was created or written, or must be compared although nobody reported a change.
    Written(RepoPath),
    /// The file was removed.
    Removed(RepoPath),
}

impl Change {
    /// Returns the path that changed.
    #[must_use]
    pub fn path(&self) -> &RepoPath {
        match self {
            Self::Written(path) | Self::Removed(path) => path,
        }
    }
}

/// Changes that are processed together.
///
/// The contents of the named files are compared even if size and time are unchanged, and the
/// summary reports on them. All other differences on disk are indexed too: resolution is correct
/// only if the world matches the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeBatch {
    changes: Vec<Change>,
    complete: bool,
}

impl ChangeBatch {
    /// Returns a batch that covers every difference from the index.
    #[must_use]
    pub fn everything() -> Self {
        Self::default()
    }

    /// Returns a batch that names these changes; other files may differ as well.
    #[must_use]
    pub fn new(mut changes: Vec<Change>) -> Self {
        changes.sort();
        changes.dedup();
        Self {
            changes,
            complete: false,
        }
    }

    /// Returns a batch of written or removed paths, stating that nothing else changed since the
    /// last batch.
    #[must_use]
    pub fn only(paths: impl IntoIterator<Item = RepoPath>) -> Self {
        Self {
            complete: true,
            ..Self::of_paths(paths)
        }
    }

    /// Reports whether nothing but the named paths changed since the last batch.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Reports whether only files in an indexed language can have changed.
    #[must_use]
    pub fn is_only_code(&self) -> bool {
        self.complete
            && self
                .changes
                .iter()
                .all(|change| Dialect::of_path(change.path().as_str()).is_some())
    }

    /// Returns a batch that names these paths, written or removed.
    #[must_use]
    pub fn of_paths(paths: impl IntoIterator<Item = RepoPath>) -> Self {
        Self::new(paths.into_iter().map(Change::Written).collect())
    }

    /// Returns the changes, sorted.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Reports whether the batch names `path`.
    #[must_use]
    pub fn names(&self, path: &RepoPath) -> bool {
        let split = self
            .changes
            .partition_point(|change| matches!(change, Change::Written(_)));
        let (written, removed) = self.changes.split_at(split);
        [written, removed].iter().any(|part| {
            part.binary_search_by(|change| change.path().cmp(path))
                .is_ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_batches_of_named_sources_skip_the_full_scan() {
        let paths = |names: &[&str]| {
            names
                .iter()
                .map(|name| RepoPath::new(name).expect("a path"))
                .collect::<Vec<_>>()
        };
        assert!(ChangeBatch::only(paths(&["a.ts", "b.cs"])).is_only_code());
        assert!(!ChangeBatch::only(paths(&["a.ts", "b.html"])).is_only_code());
        assert!(
            !ChangeBatch::of_paths(paths(&["a.ts"])).is_only_code(),
            "and who knows what else"
        );
        assert!(!ChangeBatch::everything().is_only_code());
    }
}
