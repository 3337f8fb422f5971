//! An in-memory file system for the module resolver, built from the world's paths and the texts of
//! its project files.
//!
//! Limitations: no links; only project files have content.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use codeagent_lang::project::ProjectModel;
use oxc_resolver::{FileMetadata, FileSystem, ResolveError};
use rustc_hash::FxHashSet;

use crate::project::TypeScriptProjects;

/// Where the repository is mounted.
pub const MOUNT: &str = "/r";

#[derive(Default)]
struct Tree {
    files: RwLock<FxHashSet<Arc<str>>>,
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
        let (mut files, mut folders) = (FxHashSet::default(), FxHashSet::default());
        for path in paths {
            files.insert(Arc::clone(path));
            add_folders(&mut folders, path);
        }

        for path in projects.sources.keys() {
            add_folders(&mut folders, path);
        }

        Self {
            tree: Arc::new(Tree {
                files: RwLock::new(files),
                folders,
                texts,
                configs,
            }),
        }
    }

    /// Adds a file to a folder that exists.
    pub fn add(&self, path: &Arc<str>) {
        let files = self.tree.files.write();
        let mut files = files.unwrap_or_else(PoisonError::into_inner);
        files.insert(Arc::clone(path));
    }

    /// Removes a file.
    pub fn remove(&self, path: &str) {
        let files = self.tree.files.write();
        files.unwrap_or_else(PoisonError::into_inner).remove(path);
    }

    fn has_file(&self, path: &str) -> bool {
        let files = self.tree.files.read();
        files.unwrap_or_else(PoisonError::into_inner).contains(path)
    }

    /// Reports whether the text of a project file contains a word.
    pub fn mentions(&self, word: &str) -> bool {
        let finder = memchr::memmem::Finder::new(word);
        let mut texts = self.tree.texts.values().chain(self.tree.configs.values());
        texts.any(|text| finder.find(text.as_bytes()).is_some())
    }

    fn find(&self, path: &Path) -> Option<FileMetadata> {
        let text = path.to_str()?.replace('\\', "/");
        if text == "/" || text == MOUNT {
            return Some(FileMetadata::new(false, true, false));
        }

        let relative = text.strip_prefix(MOUNT)?.strip_prefix('/')?;
        let Tree { texts, configs, .. } = &*self.tree;
        let is_project_file = texts.contains_key(relative) || configs.contains_key(relative);
        if is_project_file || self.has_file(relative) {
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
