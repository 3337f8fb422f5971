//! Compares an updated index with a fresh one.
//!
//! Two folders get the same edits. One has a permanent engine, the other is indexed from scratch
//! for each comparison.
//!
//! Limitations: indexes are equal if their canonical dumps are.

use std::fs;
use std::path::{Path, PathBuf};

use codeagent_core::engine::{Engine, EngineOptions};
use codeagent_core::ingest::{ChangeBatch, IngestOptions, Summary};
use codeagent_core::store::canonical_dump;
use codeagent_workspace::{DataRoot, RepoPath};
use tempfile::TempDir;

/// The user's package folder below each root; no file of the repository is in it.
pub const USER_PACKAGES: &str = ".codeagent/nuget";

/// Both folders, and the engine of the first.
pub struct IndexPair {
    folder: TempDir,
    engine: Engine,
}

impl IndexPair {
    /// Creates empty folders. With `keeps`, the engine caches its state between batches, as a
    /// server does.
    pub fn new(keeps: bool) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().join("updated");
        fs::create_dir(&root).expect("a folder can be made");
        fs::create_dir(folder.path().join("fresh")).expect("a folder can be made");
        let engine = open(&root, (2, keeps), false);
        Self { folder, engine }
    }

    /// Returns the folder whose index is updated.
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("updated")
    }

    /// Writes a file in both folders, or removes it if there is no text.
    pub fn apply(&self, path: &str, text: Option<&[u8]>) {
        for root in [self.root(), self.folder.path().join("fresh")] {
            let file = root.join(path);
            match text {
                Some(text) => {
                    fs::create_dir_all(file.parent().expect("a file has a folder"))
                        .expect("a folder can be made");
                    fs::write(file, text).expect("a file can be written");
                }
                None => fs::remove_file(file).expect("a file can be removed"),
            }
        }
    }

    /// Updates the index by a full scan.
    pub fn index(&self) -> Summary {
        index(&self.engine)
    }

    /// Updates the index for the named files, as a watcher does.
    pub fn index_only<'p>(&self, paths: impl IntoIterator<Item = &'p String>) -> Summary {
        let paths = paths
            .into_iter()
            .map(|path| RepoPath::new(path).expect("a path"));
        self.engine
            .process_batch(&ChangeBatch::only(paths), &|_| ())
            .expect("indexing succeeds")
    }

    /// Returns the differences between the updated index (`-`) and a fresh one (`+`).
    pub fn difference(&self, threads: usize) -> Vec<String> {
        let fresh = open(&self.folder.path().join("fresh"), (threads, false), true);
        index(&fresh);
        let dump = |engine: &Engine| {
            canonical_dump(&engine.reader().snapshot().expect("a snapshot")).expect("a dump")
        };
        let (left, right) = (dump(&self.engine), dump(&fresh));
        if left == right {
            return Vec::new();
        }
        let only = |a: &[String], b: &[String], sign: char| -> Vec<String> {
            a.iter()
                .filter(|line| !b.contains(line))
                .take(10)
                .map(|line| format!("{sign} {line}"))
                .collect()
        };
        let lines = [only(&left, &right, '-'), only(&right, &left, '+')].concat();
        if lines.is_empty() {
            vec!["the same lines in another order".to_owned()]
        } else {
            lines
        }
    }
}

fn open(root: &Path, (threads, keep_facts): (usize, bool), rebuild: bool) -> Engine {
    let ingest = IngestOptions {
        threads,
        keep_facts,
        ..IngestOptions::default()
    };
    let home = DataRoot::at(root.join(".codeagent")).with_packages(Some(root.join(USER_PACKAGES)));
    Engine::open(
        root,
        EngineOptions {
            ingest,
            rebuild,
            home,
            ..EngineOptions::default()
        },
    )
    .expect("the engine opens")
}

fn index(engine: &Engine) -> Summary {
    engine.index(&|_| ()).expect("indexing succeeds")
}
