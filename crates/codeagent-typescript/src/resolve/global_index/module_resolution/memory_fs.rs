//! An in-memory file system for the module resolver, built from the world's paths and the texts of
//! its project files.
//!
//! Limitations: no links; only project files have content.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use codeagent_lang::project::ProjectModel;
use oxc_resolver::{FileMetadata, FileSystem, ResolveError};
use rustc_hash::FxHashSet;

use crate::project::TypeScriptProjects;

/// Where the repository is mounted.
pub const MOUNT: &str = "/r";

#[derive(Default)]
struct Tree {
    files: FxHashSet<Arc<str>>,
    folders: FxHashSet<String>,
    texts: Arc<BTreeMap<String, Arc<str>>>,
    configs: Arc<BTreeMap<String, Arc<str>>>,
}

/// The in-memory file system.
#[derive(Clone, Default)]
pub struct MemoryFs {
    tree: Arc<Tree>,
}

impl MemoryFs {
    /// Creates a file system from all paths, the texts of project files, and the TypeScript
    /// configurations with everything they inherit.
    pub fn new<'a>(paths: impl Iterator<Item = &'a Arc<str>>, projects: &ProjectModel) -> Self {
        let configs = Arc::clone(&projects.of::<TypeScriptProjects>().configs);
        let texts = Arc::clone(&projects.sources);
        let mut tree = Tree {
            texts,
            configs,
            ..Tree::default()
        };

        for path in paths {
            tree.files.insert(Arc::clone(path));
            add_folders(&mut tree.folders, path);
        }

        for path in projects.sources.keys() {
            add_folders(&mut tree.folders, path);
        }

        Self {
            tree: Arc::new(tree),
        }
    }

    fn find(&self, path: &Path) -> Option<FileMetadata> {
        let text = path.to_str()?.replace('\\', "/");
        if text == "/" || text == MOUNT {
            return Some(FileMetadata::new(false, true, false));
        }
        let relative = text.strip_prefix(MOUNT)?.strip_prefix('/')?;
        if self.tree.files.contains(relative) || self.tree.texts.contains_key(relative) {
            return Some(FileMetadata::new(true, false, false));
        }
        if self.tree.folders.contains(relative) {
            return Some(FileMetadata::new(false, true, false));
        }
        let inside = relative.split_once("node_modules")?.1;
        (!inside.rsplit('/').next().unwrap_or("").contains('.'))
            .then(|| FileMetadata::new(false, true, false))
    }
}

fn add_folders(folders: &mut FxHashSet<String>, path: &str) {
    let mut rest = path;
    while let Some((folder, _)) = rest.rsplit_once('/') {
        if !folders.insert(folder.to_owned()) {
            return;
        }
        rest = folder;
    }
}

fn missing() -> io::Error {
    io::Error::from(io::ErrorKind::NotFound)
}

impl FileSystem for MemoryFs {
    fn new() -> Self {
        Self::default()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read_to_string(path).map(String::into_bytes)
    }

    fn read_to_string(&self, path: &Path) -> io::Result<String> {
        let text = path.to_str().ok_or_else(missing)?.replace('\\', "/");
        let relative = text
            .strip_prefix(MOUNT)
            .and_then(|rest| rest.strip_prefix('/'))
            .ok_or_else(missing)?;
        if let Some(content) = self
            .tree
            .configs
            .get(relative)
            .or_else(|| self.tree.texts.get(relative))
        {
            return Ok(content.to_string());
        }
        Err(missing())
    }

    fn metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        self.find(path).ok_or_else(missing)
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        self.metadata(path)
    }

    fn read_link(&self, _path: &Path) -> Result<PathBuf, ResolveError> {
        Err(missing().into())
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_path_buf())
    }
}
