//! The merge base of two commits.

use std::collections::{BinaryHeap, HashMap};

use gix_hash::ObjectId;

use crate::git::objects::Commit;
use crate::git::{GitError, GitRepository};

const FIRST: u8 = 1;
const SECOND: u8 = 2;
const BOTH: u8 = FIRST | SECOND;
/// Flag of ancestors of a common commit.
const OLDER: u8 = 4;

const MAX_COMMITS: usize = 1_000_000;

impl GitRepository {
    /// Returns the newest commit in both histories. Commits are visited newest first, until only
    /// ancestors of common commits remain.
    pub(super) fn merge_base(
        &self,
        (first_name, first): (&str, ObjectId),
        (second_name, second): (&str, ObjectId),
    ) -> Result<ObjectId, GitError> {
        if first == second {
            return Ok(first);
        }

        let mut marks: HashMap<ObjectId, u8> = HashMap::from([(first, FIRST), (second, SECOND)]);
        let mut queue = BinaryHeap::new();
        for id in [first, second] {
            queue.push((self.read_commit(id)?.time, id));
        }

        let mut common = Vec::new();
        while queue.iter().any(|(_, id)| marks[id] & OLDER == 0) && marks.len() < MAX_COMMITS {
            let Some((_, id)) = queue.pop() else { break };
            let mut mark = marks[&id];
            if mark & BOTH == BOTH {
                if mark & OLDER == 0 && !common.contains(&id) {
                    common.push(id);
                }
                mark |= OLDER;
            }

            for parent in self.read_commit(id)?.parents {
                let known = marks.entry(parent).or_default();
                if *known & mark != mark {
                    *known |= mark;
                    queue.push((self.read_commit(parent)?.time, parent));
                }
            }
        }

        let found = common.into_iter().find(|id| marks[id] & OLDER == 0);
        found.ok_or_else(|| {
            let (first, second) = (first_name.to_owned(), second_name.to_owned());
            if self.objects.is_shallow() {
                GitError::Shallow(first)
            } else {
                GitError::NoMergeBase(first, second)
            }
        })
    }

    fn read_commit(&self, id: ObjectId) -> Result<Commit, GitError> {
        let found = self.objects.commit(id)?;
        let missing = || GitError::Missing(id.to_hex_with_len(10).to_string());
        found.map(|(_, commit)| commit).ok_or_else(missing)
    }
}
