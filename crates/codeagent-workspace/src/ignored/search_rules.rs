//! Ignore rules of a search, as in ripgrep: `.ignore` files first, then, in a git work tree only,
//! git's rules, even for tracked files.
//!
//! Limitations: rules are cached for one folder at a time, so entries of mixed folders are slow. If
//! there are too many rules, the order of the walk determines which ones apply.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{FolderRules, IgnoreRules, below};

/// The rules of one search.
pub struct SearchRules {
    /// Number that distinguishes this search from others.
    number: u64,
    /// Kinds of rules; the first one that decides wins.
    kinds: Vec<IgnoreRules>,
}

/// The folder that was looked up last.
struct LastFolder {
    number: u64,
    folder: PathBuf,
    /// Rules of each kind that apply in the folder.
    levels: Vec<Option<Arc<FolderRules>>>,
}

thread_local!(static LAST_FOLDER: RefCell<Option<LastFolder>> = const { RefCell::new(None) });

impl SearchRules {
    /// Creates the rules for a search that starts at `at`, a path below `root`.
    pub fn new(root: &Path, at: &Path) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);

        let gits = IgnoreRules {
            is_walked: true,
            ..IgnoreRules::new(at)
        };
        let own = IgnoreRules {
            is_walked: true,
            ..IgnoreRules::from_files(".ignore", root)
        };

        let is_work_tree = gits.top.join(".git").exists();
        let kinds = std::iter::once(own)
            .chain(is_work_tree.then_some(gits))
            .collect();

        Self {
            number: COUNT.fetch_add(1, Ordering::Relaxed),
            kinds,
        }
    }

    /// Decides about an entry of a folder that is not ignored: `Some(true)` if the entry is
    /// ignored, `Some(false)` if it is explicitly included, `None` if no rule matches.
    pub fn decision(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let folder = path.parent()?;

        LAST_FOLDER.with_borrow_mut(|last| {
            let is_known = last.as_ref().is_some_and(|last| {
                last.number == self.number && last.folder.as_os_str() == folder.as_os_str()
            });

            if !is_known {
                let levels = self
                    .kinds
                    .iter()
                    .map(|kind| kind.folder_rules(folder))
                    .collect();
                *last = Some(LastFolder {
                    number: self.number,
                    folder: folder.to_owned(),
                    levels,
                });
            }

            let levels = last.iter().flat_map(|last| &last.levels);
            self.kinds.iter().zip(levels).find_map(|(kind, level)| {
                kind.decide(level.as_ref()?, below(path, &kind.top)?, is_folder)
            })
        })
    }
}

impl IgnoreRules {
    fn folder_rules(&self, folder: &Path) -> Option<Arc<FolderRules>> {
        let level = self.level(
            below(folder, &self.top).or_else(|| (folder == self.top).then_some(Path::new("")))?,
        );
        (level.rules.is_some() || level.above.is_some() || !self.general.is_empty())
            .then_some(level)
    }
}
