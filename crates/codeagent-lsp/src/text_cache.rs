//! Texts of files with their lines, kept until the files change.
//!
//! References may be in hundreds of files, and an editor asks again and again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use codeagent_workspace::{RepoPath, Stamp, Workspace};

use crate::file_text::FileText;

/// Maximum size of all texts, in bytes. When it is exceeded, all are dropped.
const MOST_BYTES: u64 = 64 << 20;

/// The texts of one repository.
#[derive(Default)]
pub struct TextCache(Mutex<Cached>);

#[derive(Default)]
struct Cached {
    texts: HashMap<RepoPath, CachedText>,
    bytes: u64,
}

struct CachedText {
    size: u64,
    stamp: Stamp,
    text: Arc<FileText>,
}

impl TextCache {
    /// Returns a file's text; `None` if it cannot be read.
    pub fn get(&self, workspace: &Workspace, path: &RepoPath) -> Option<Arc<FileText>> {
        let entry = workspace.stat(path).ok()?;
        let is_same = |text: &&CachedText| (text.size, text.stamp) == (entry.size, entry.stamp);
        if let Some(known) = self.lock().texts.get(path).filter(is_same) {
            return Some(Arc::clone(&known.text));
        }

        let file = workspace.read(path).ok()?;
        let text = Arc::new(FileText::new(Arc::from(file.text)));
        let kept = CachedText {
            size: file.size,
            stamp: file.stamp,
            text: Arc::clone(&text),
        };

        let mut cached = self.lock();
        cached.bytes += kept.size;
        if cached.bytes > MOST_BYTES {
            cached.texts.clear();
            cached.bytes = kept.size;
        }
        if let Some(before) = cached.texts.insert(path.clone(), kept) {
            cached.bytes = cached.bytes.saturating_sub(before.size);
        }
        Some(text)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Cached> {
        // A panic leaves at most the sum of the sizes wrong.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_again_when_its_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.ts");
        let workspace = Workspace::open(folder.path()).unwrap();
        let (cache, path) = (TextCache::default(), RepoPath::new("a.ts").unwrap());
        let line = || {
            let text = cache.get(&workspace, &path)?;
            Some(text.lines().line(0).to_owned())
        };
        assert_eq!(line(), None);
        for text in ["one", "three"] {
            write(&file, text);
            assert_eq!(line().as_deref(), Some(text));
            assert_eq!(line().as_deref(), Some(text));
        }
    }

    #[allow(clippy::disallowed_methods, reason = "the test makes the file")]
    fn write(file: &std::path::Path, text: &str) {
        std::fs::write(file, text).unwrap();
    }
}
