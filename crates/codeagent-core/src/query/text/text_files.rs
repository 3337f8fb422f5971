//! Text files in no indexed language: which ones exist, and which words they contain.
//!
//! Listing them takes a walk over the repository. If the repository is watched, the list is cached
//! until a batch contains changes to such files. A process that only reads the index caches it as
//! long as the writer reports the same state.
//!
//! Limitations: words are stored as hashes, so a file may be searched in vain.

use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, OnceLock};

use codeagent_workspace::{NODE_MODULES, RepoPath, Workspace};
use rustc_hash::FxBuildHasher;

use crate::model::graph::Dialect;
use crate::query::unpoisoned;

/// Maximum size of a file, in bytes; larger files are data.
const MAX_FILE_BYTES: u64 = 256 << 10;

/// Extensions of files that may name symbols: markup, templates, configuration.
const NAMING: [&str; 34] = [
    "razor",
    "cshtml",
    "vbhtml",
    "aspx",
    "ascx",
    "master",
    "xaml",
    "axaml",
    "vue",
    "svelte",
    "astro",
    "html",
    "htm",
    "hbs",
    "ejs",
    "config",
    "resx",
    "xml",
    "yml",
    "yaml",
    "json",
    "toml",
    "props",
    "targets",
    "tsrx",
    "liquid",
    "mustache",
    "handlebars",
    "njk",
    "twig",
    "pug",
    "eta",
    "scriban",
    "tt",
];

/// Extensions of other code, which counts for the coverage only.
const OTHER_CODE: [&str; 24] = [
    "py", "java", "kt", "go", "rs", "c", "h", "cpp", "hpp", "cc", "m", "mm", "swift", "rb", "php",
    "lua", "fs", "fsx", "vb", "sh", "ps1", "sql", "css", "scss",
];

/// The result of a walk.
#[derive(Debug, Default)]
pub struct Listing {
    /// Files that may name symbols.
    pub files: Vec<TextFile>,
    /// Bytes of code, markup and configuration in languages that are not indexed.
    pub other: u64,
}

/// A file that may name symbols.
#[derive(Debug)]
pub struct TextFile {
    /// Path of the file.
    pub path: RepoPath,
    /// Size, in bytes.
    pub size: u64,
    words: OnceLock<Box<[u32]>>,
}

impl TextFile {
    /// Reports whether the file may contain one of these names; true if its words are not known
    /// yet.
    pub fn may_hold(&self, names: &[&str]) -> bool {
        self.words.get().is_none_or(|words| {
            names
                .iter()
                .any(|name| words.binary_search(&hash(name)).is_ok())
        })
    }

    /// Records the words of the file.
    pub fn note(&self, text: &str) {
        self.words.get_or_init(|| {
            let mut words: Vec<u32> = text
                .split(|c| !is_word(c))
                .filter(|word| !word.is_empty())
                .map(hash)
                .collect();
            words.sort_unstable();
            words.dedup();
            words.into_boxed_slice()
        });
    }
}

/// Cached list of a repository's text files. Clones share it.
#[derive(Clone, Default)]
pub struct TextFiles(Arc<Shared>);

#[derive(Default)]
struct Shared {
    kept: Mutex<CachedTexts>,
    /// Held during a walk, so that other callers wait for its result.
    walk: Mutex<()>,
}

#[derive(Default)]
struct CachedTexts {
    is_told: bool,
    /// The state that the writer reported, in a process that reads the index.
    told: Option<String>,
    batches: u64,
    listing: Option<Arc<Listing>>,
}

impl TextFiles {
    /// Sets whether changes are reported by `forget`, so that the list may be cached.
    pub fn set_told(&self, is_told: bool) {
        let mut kept = unpoisoned(&self.0.kept);
        kept.is_told = is_told;
        kept.listing = None;
    }

    /// Returns the number of the state of the files, if changes are reported.
    pub fn state(&self) -> Option<u64> {
        let kept = unpoisoned(&self.0.kept);
        kept.is_told.then_some(kept.batches)
    }

    /// Sets the state that the writer of the index reports, so that the list may be cached until it
    /// reports another one; `None` if it is unknown.
    pub fn set_state(&self, state: Option<&str>) {
        let mut kept = unpoisoned(&self.0.kept);
        kept.is_told = state.is_some();
        if state.is_none() || kept.told.as_deref() != state {
            kept.told = state.map(str::to_owned);
            kept.batches += 1;
            kept.listing = None;
        }
    }

    /// Drops the cached list, and prevents a running walk from caching its result.
    pub fn forget(&self) {
        let mut kept = unpoisoned(&self.0.kept);
        kept.batches += 1;
        kept.listing = None;
    }

    /// Returns the list, and whether it is cached.
    pub fn listing(&self, workspace: &Workspace) -> (Arc<Listing>, bool) {
        if let Some(listing) = self.cached() {
            return (listing, true);
        }
        let _others_wait = unpoisoned(&self.0.walk);
        if let Some(listing) = self.cached() {
            return (listing, true);
        }
        let batches = unpoisoned(&self.0.kept).batches;
        let listing = Arc::new(look(workspace));
        let mut kept = unpoisoned(&self.0.kept);
        if kept.is_told && kept.batches == batches {
            kept.listing = Some(Arc::clone(&listing));
        }
        (listing, kept.is_told)
    }

    fn cached(&self) -> Option<Arc<Listing>> {
        unpoisoned(&self.0.kept).listing.clone()
    }
}

fn look(workspace: &Workspace) -> Listing {
    let mut listing = Listing::default();
    for entry in workspace.walk().entries {
        let is_of_package = entry.path.segments().any(|segment| segment == NODE_MODULES);
        if is_of_package || Dialect::of_path(entry.path.as_str()).is_some() {
            continue;
        }

        let Some((_, ending)) = entry
            .path
            .as_str()
            .rsplit_once('.')
            .filter(|_| entry.size <= MAX_FILE_BYTES)
        else {
            continue;
        };

        let is_one_of = |endings: &[&str]| {
            endings
                .iter()
                .any(|known| known.eq_ignore_ascii_case(ending))
        };

        if is_one_of(&NAMING) {
            listing.other += entry.size;
            listing.files.push(TextFile {
                path: entry.path,
                size: entry.size,
                words: OnceLock::new(),
            });
        } else if is_one_of(&OTHER_CODE) {
            listing.other += entry.size;
        }
    }

    listing
}

/// Reports whether a character may be part of a name.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn hash(word: &str) -> u32 {
    FxBuildHasher.hash_one(word) as u32
}

#[cfg(test)]
#[allow(
    clippy::disallowed_methods,
    reason = "tests make the repository they ask about"
)]
mod tests {
    use super::*;

    #[test]
    fn search_results_are_cached_only_while_files_are_watched() {
        let root = tempfile::tempdir().expect("a folder");
        let workspace = Workspace::open(root.path()).expect("a repository");
        let texts = TextFiles::default();
        let found = || texts.listing(&workspace).0.files.len();
        let add = |name: &str| std::fs::write(root.path().join(name), "<a Total>").expect("a file");

        add("a.html");
        assert_eq!(found(), 1);
        add("b.html");
        assert_eq!(found(), 2, "nobody tells");
        texts.set_told(true);
        assert_eq!(found(), 2);
        add("c.html");
        assert_eq!(found(), 2, "not told yet");
        texts.forget();
        assert_eq!(found(), 3);
        texts.set_state(Some("1"));
        add("d.html");
        assert_eq!(found(), 4);
        add("e.html");
        texts.set_state(Some("1"));
        assert_eq!(found(), 4, "the writer reports the same state");
        texts.set_state(Some("2"));
        assert_eq!(found(), 5);
        add("f.html");
        texts.set_state(None);
        assert_eq!(found(), 6);
        add("g.html");
        assert_eq!(found(), 7, "the state is unknown");
        texts.set_told(true);
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(found)).collect();
            assert!(
                all.into_iter()
                    .all(|one| one.join().is_ok_and(|count| count == 7))
            );
        });
    }

    #[test]
    fn a_file_is_searched_only_for_words_it_contains() {
        let file = TextFile {
            path: RepoPath::new("a.html").expect("a path"),
            size: 9,
            words: OnceLock::new(),
        };
        assert!(file.may_hold(&["Total"]));
        file.note("<a Total=\"b\">");
        assert!(file.may_hold(&["Nothing", "Total"]) && !file.may_hold(&["Tot"]));
    }
}
