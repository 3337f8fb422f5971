//! The tree of folders, to measure how far files are from each other.
//!
//! Limitations: a folder without files keeps its number.

use rustc_hash::FxHashMap;

/// A folder with files, or around one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FolderId(u32);

/// All folders of a world's files.
#[derive(Debug)]
pub struct Folders {
    by_path: FxHashMap<Box<str>, FolderId>,
    /// The folder around each one and the number of folders around it; the root is around itself.
    around: Vec<(FolderId, u32)>,
}

impl Default for Folders {
    fn default() -> Self {
        Self {
            by_path: FxHashMap::default(),
            around: vec![(FolderId::default(), 0)],
        }
    }
}

impl Folders {
    /// Returns the folder of a file, adding it and those around it if needed.
    pub fn add(&mut self, path: &str) -> FolderId {
        let known = path.rsplit_once('/').map(|(folder, _)| folder);
        if let Some(&folder) = known.and_then(|folder| self.by_path.get(folder)) {
            return folder;
        }

        let mut folder = FolderId::default();
        for (end, _) in path.match_indices('/') {
            let depth = self.around[folder.0 as usize].1 + 1;
            let next = FolderId(self.around.len() as u32);
            let inner = *self.by_path.entry(path[..end].into()).or_insert(next);
            if inner == next {
                self.around.push((folder, depth));
            }
            folder = inner;
        }
        folder
    }

    /// Returns the number of steps in the tree from one folder to another.
    #[must_use]
    pub fn steps_between(&self, mut one: FolderId, mut other: FolderId) -> usize {
        let around = |folder: FolderId| self.around[folder.0 as usize];
        let mut steps = 0;
        while one != other {
            let ((above, depth), (other_above, other_depth)) = (around(one), around(other));
            if depth >= other_depth {
                one = above;
            } else {
                other = other_above;
            }
            steps += 1;
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_up_to_the_common_folder_and_down() {
        let mut folders = Folders::default();
        for (one, other, expected) in [
            ("a.cs", "b.cs", 0),
            ("x/a.cs", "x/b.cs", 0),
            ("x/a.cs", "b.cs", 1),
            ("x/a.cs", "y/b.cs", 2),
            ("x/y/z/a.cs", "x/b.cs", 2),
            ("x/yy/a.cs", "x/y/z/b.cs", 3),
            ("x/y/a.cs", "xx/y/b.cs", 4),
        ] {
            let (first, second) = (folders.add(one), folders.add(other));

            assert_eq!(
                folders.steps_between(first, second),
                expected,
                "{one} {other}"
            );
            assert_eq!(
                folders.steps_between(second, first),
                expected,
                "{other} {one}"
            );
        }
    }
}
