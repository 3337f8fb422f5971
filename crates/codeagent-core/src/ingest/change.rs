//! Changes in the repository, as the caller of the indexer knows them.

use codeagent_workspace::RepoPath;

use crate::model::graph::Dialect;

/// A change of one path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It was made or written, or somebody wants to be sure that the index knows it.
    Written(RepoPath),
    /// It was removed.
    Removed(RepoPath),
}

impl Change {
    /// Where.
    #[must_use]
    pub fn path(&self) -> &RepoPath {
        match self {
            Self::Written(path) | Self::Removed(path) => path,
        }
    }
}

/// Changes that are processed together.
///
/// The paths are those whose content is compared even if their size and time are as before, and
/// about which the summary reports; what else changed on disk is taken up as well, because a link
/// is only right in a world that is as the disk is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeBatch {
    changes: Vec<Change>,
    complete: bool,
}

impl ChangeBatch {
    /// Everything that differs from the index.
    #[must_use]
    pub fn everything() -> Self {
        Self::default()
    }

    /// These changes.
    #[must_use]
    pub fn new(mut changes: Vec<Change>) -> Self {
        changes.sort();
        changes.dedup();
        Self {
            changes,
            complete: false,
        }
    }

    /// These paths, written or removed, and nothing else since the last batch.
    #[must_use]
    pub fn only(paths: impl IntoIterator<Item = RepoPath>) -> Self {
        Self {
            complete: true,
            ..Self::of_paths(paths)
        }
    }

    /// Whether nothing but the named paths has changed since the last batch.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether no file that is in no language can have changed.
    #[must_use]
    pub fn is_only_code(&self) -> bool {
        self.complete
            && self
                .changes
                .iter()
                .all(|change| Dialect::of_path(change.path().as_str()).is_some())
    }

    /// These paths, written or removed.
    #[must_use]
    pub fn of_paths(paths: impl IntoIterator<Item = RepoPath>) -> Self {
        Self::new(paths.into_iter().map(Change::Written).collect())
    }

    /// The changes, sorted.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Whether a path is named.
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
