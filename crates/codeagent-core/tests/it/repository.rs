//! A repository on disk with an index, for the tests of installed packages in `packages.rs` and
//! `nuget.rs`.
//!
//! Every time it is indexed, the index is compared with a fresh one.
//!
//! Limitations: it is not watched.

use std::fs;
use std::path::{Path, PathBuf};

use codeagent_core::engine::{Engine, EngineOptions};
use codeagent_core::ingest::{ChangeBatch, Summary};
use codeagent_core::model::graph::EdgeType;
use codeagent_core::store::canonical_dump;
use codeagent_workspace::{DataRoot, RepoPath};

/// A repository, its engine, and a folder around it for files outside the repository.
pub struct Repository {
    pub outer: tempfile::TempDir,
    pub engine: Option<Engine>,
}

impl Repository {
    pub fn of(files: &[(&str, &str)]) -> Self {
        let outer = tempfile::tempdir().unwrap();
        fs::create_dir(outer.path().join("root")).unwrap();
        let repository = Self {
            outer,
            engine: None,
        };
        repository.write(files);
        repository
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.outer.path().join("root").join(path)
    }

    pub fn write(&self, files: &[(&str, &str)]) {
        files
            .iter()
            .for_each(|(path, text)| self.write_bytes(&format!("root/{path}"), text.as_bytes()));
    }

    /// Writes a file inside or outside the repository.
    pub fn write_bytes(&self, path: &str, bytes: &[u8]) {
        let path = self.outer.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    #[cfg(unix)]
    pub fn link(&self, at: &str, target: impl AsRef<Path>) {
        fs::create_dir_all(self.path(at).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, self.path(at)).unwrap();
    }

    /// Returns a data root that includes the user's packages.
    fn home(&self, path: impl Into<PathBuf>) -> DataRoot {
        DataRoot::at(path).with_packages(Some(self.outer.path().join("nuget")))
    }

    pub fn open(&self, home: &str) -> Engine {
        let home = self.home(self.outer.path().join(home));
        Engine::open(
            &self.path(""),
            EngineOptions {
                home,
                ..EngineOptions::default()
            },
        )
        .unwrap()
    }

    /// Updates the index by a full scan, and compares it with a fresh one.
    pub fn index(&mut self) -> Summary {
        let engine = self.engine.take().unwrap_or_else(|| self.open("index"));
        let summary = engine.index(&|_| ()).unwrap();
        self.engine = Some(engine);
        self.compare();
        summary
    }

    /// Updates the index for one named file, and compares it with a fresh one.
    pub fn index_only(&mut self, path: &str) -> Summary {
        let batch = ChangeBatch::only([RepoPath::new(path).unwrap()]);
        let summary = self
            .engine
            .as_ref()
            .unwrap()
            .process_batch(&batch, &|_| ())
            .unwrap();
        self.compare();
        summary
    }

    pub fn compare(&self) {
        let fresh = tempfile::tempdir().unwrap();
        let home = self.home(fresh.path());
        let fresh = Engine::open(
            &self.path(""),
            EngineOptions {
                home,
                ..EngineOptions::default()
            },
        )
        .unwrap();
        fresh.index(&|_| ()).unwrap();
        assert_eq!(
            self.dump(),
            dump(&fresh),
            "the index differs from a fresh one"
        );
    }

    pub fn dump(&self) -> Vec<String> {
        dump(self.engine.as_ref().unwrap())
    }

    /// Returns the resolved calls as `line -> name`, by line.
    pub fn calls(&self) -> Vec<String> {
        let dump = self.dump();
        let rows = |what: &str| -> Vec<Vec<&str>> {
            let lines = dump
                .iter()
                .filter_map(|line| line.strip_prefix(what)?.strip_prefix('\t'));
            lines.map(|line| line.split('\t').collect()).collect()
        };
        let nodes = rows("node");
        let name = |id: &str| {
            nodes
                .iter()
                .find(|node| node[0] == id)
                .map_or("gone", |node| node[3])
        };
        let code = (EdgeType::Calls as u8).to_string();
        let mut calls: Vec<(u32, String)> = rows("edge")
            .iter()
            .filter(|edge| edge[1] == code)
            .map(|edge| {
                (
                    edge[4].parse().unwrap(),
                    format!("{} -> {}", edge[4], name(edge[2])),
                )
            })
            .collect();
        calls.sort();
        calls.into_iter().map(|call| call.1).collect()
    }
}

fn dump(engine: &Engine) -> Vec<String> {
    let dump = canonical_dump(&engine.reader().snapshot().unwrap()).unwrap();
    let is_input = |line: &str| line.starts_with("package\t") || line.starts_with("input\t");
    let is_of_package = |line: &&String| !is_input(line) && line.contains("node_modules");
    assert_eq!(
        dump.iter().find(is_of_package),
        None,
        "a package is in the graph"
    );
    dump
}
