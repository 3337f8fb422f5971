//! What does a search leave out? What ripgrep does: what `.ignore` files say comes first, then, in
//! a git work tree only, what git's rules say, whatever git tracks.
//!
//! **Limits.** The rules of a folder are looked up once for the entries that come one after the
//! other; where they come mixed, it is slower. Where there are more rules than can be had, which of
//! them count depends on which folder is come to first.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Ignored, Level, below};

/// The rules of one search.
pub struct Searched {
    /// Tells this search from others.
    number: u64,
    /// The first that says something counts.
    kinds: Vec<Ignored>,
}

/// The folder that was asked about last.
struct Last {
    number: u64,
    folder: PathBuf,
    /// Of each kind the rules that count there; nothing where there are none.
    levels: Vec<Option<Arc<Level>>>,
}

thread_local!(static LAST: RefCell<Option<Last>> = const { RefCell::new(None) });

impl Searched {
    /// The rules for a search of what lies at `at`, a path below `root`.
    pub fn new(root: &Path, at: &Path) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let gits = Ignored {
            is_walked: true,
            ..Ignored::new(at)
        };
        let own = Ignored {
            is_walked: true,
            ..Ignored::of_files(".ignore", root)
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

    /// What the rules say of a file or folder in a folder that is not ignored: true if it is, false
    /// if it is not, `None` if they say nothing.
    pub fn said(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let folder = path.parent()?;
        LAST.with_borrow_mut(|last| {
            let is_known = last.as_ref().is_some_and(|last| {
                last.number == self.number && last.folder.as_os_str() == folder.as_os_str()
            });
            if !is_known {
                let levels = self
                    .kinds
                    .iter()
                    .map(|kind| kind.level_with_rules(folder))
                    .collect();
                *last = Some(Last {
                    number: self.number,
                    folder: folder.to_owned(),
                    levels,
                });
            }
            let levels = last.iter().flat_map(|last| &last.levels);
            self.kinds.iter().zip(levels).find_map(|(kind, level)| {
                kind.decides(level.as_ref()?, below(path, &kind.top)?, is_folder)
            })
        })
    }
}

impl Ignored {
    /// What counts in a folder, unless that is nothing.
    fn level_with_rules(&self, folder: &Path) -> Option<Arc<Level>> {
        let level = self.level(
            below(folder, &self.top).or_else(|| (folder == self.top).then_some(Path::new("")))?,
        );
        (level.rules.is_some() || level.above.is_some() || !self.general.is_empty())
            .then_some(level)
    }
}
