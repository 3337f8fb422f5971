//! Imported SCIP indexes: files of other languages in the same graph.
//!
//! An import is kept in the data folder ([`add_import`]): its content, and a manifest with the hash
//! of each file's text at that time. Every scan of the repository compares the imports and the
//! times of their files with what is stored ([`state`]); if anything differs, all imported rows are
//! made again from the contents ([`graph`]), so the result depends on the files only.
//!
//! A file is left out if the index has it from its own sources, if its text is not the one at the
//! time of the import, or if the names in the text are not where the import says.
//!
//! Limitations: an index that was cut off between two documents cannot be recognized. Uses of
//! symbols that no document defines are counted only.

mod convert;
mod descriptors;
mod positions;

use std::collections::BTreeMap;
use std::path::Path;

use codeagent_workspace::{
    DataDir, DataDirError, RepoPath, Workspace, is_import_name, path_of_file_uri, read_input,
};
use protobuf::Message as _;
use rustc_hash::FxHashSet;
use scip::types::Index;
use serde::{Deserialize, Serialize};

use crate::store::{ImportRow, ImportedGraph};

/// Maximum size of a SCIP index, in bytes.
pub const MAX_SCIP_BYTES: u64 = 1 << 30;

/// Level of compression of the stored contents.
const LEVEL: i32 = 3;

/// What the data folder says about an import.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Manifest {
    /// Name and version of the tool that made the index.
    tool: String,
    /// Folder of the repository that the documents' paths are relative to; empty for the root.
    folder: String,
    /// Hash of the stored content.
    content: String,
    /// Hashes of the texts at the time of the import, by path from the root.
    files: BTreeMap<String, String>,
}

/// Why an index was not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be read.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// The path as given.
        path: String,
        /// Cause of the failure.
        reason: String,
    },
    /// The file is no SCIP index.
    #[error("{path} is not a complete SCIP index ({reason}); make it again with the indexer")]
    NotScip {
        /// The path as given.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// No document is a file of the repository.
    #[error(
        "none of the {documents} documents of {path} is a file of this repository (the first is \
         {first}); pass --folder if their paths begin in a sub-folder"
    )]
    Foreign {
        /// The path as given.
        path: String,
        /// Number of documents.
        documents: usize,
        /// Path of the first document, from the root.
        first: String,
    },
    /// All files are indexed from their sources.
    #[error("all {0} files of this index are indexed by codeagent itself; nothing was imported")]
    OwnFiles(usize),
    /// The name cannot be used.
    #[error(
        "{0:?} cannot name an import; use letters, digits, `-`, `_` and `.`, at most 64 characters"
    )]
    Name(String),
    /// The folder is not in the repository.
    #[error("--folder: {0} is not a folder of the repository")]
    Folder(String),
    /// The data folder cannot be written.
    #[error(transparent)]
    Data(#[from] DataDirError),
}

/// An index to import.
#[derive(Clone, Debug)]
pub struct ImportRequest<'a> {
    /// The SCIP index.
    pub path: &'a Path,
    /// Name of the import; replaces one with the same name.
    pub name: &'a str,
    /// Folder that the documents' paths are relative to; `None` for the one in the index if it is
    /// in the repository, else the root.
    pub folder: Option<&'a str>,
}

/// Checks an index and puts it into the data folder. `own` are the paths that are indexed from
/// their sources. The next scan adds its symbols to the graph.
pub fn add_import(
    workspace: &Workspace,
    data: &DataDir,
    request: &ImportRequest<'_>,
    own: &FxHashSet<String>,
) -> Result<(), ImportError> {
    if !is_import_name(request.name) {
        return Err(ImportError::Name(request.name.to_owned()));
    }
    let path = request.path.display().to_string();
    let bytes = read_input(request.path, MAX_SCIP_BYTES).map_err(|error| {
        let reason = error.to_string();
        ImportError::Unreadable {
            path: path.clone(),
            reason,
        }
    })?;
    let index = parse(&bytes).map_err(|reason| ImportError::NotScip {
        path: path.clone(),
        reason,
    })?;
    let folder = folder(workspace, request, &index)?;

    let mut files = BTreeMap::new();
    let mut shadowed = 0;
    for document in &index.documents {
        let Some(file) = document_path(&folder, &document.relative_path) else {
            continue;
        };
        if own.contains(file.as_str()) {
            shadowed += 1;
        } else if let Ok(text) = workspace.read(&file) {
            files.insert(file.to_string(), text.hash.to_hex().to_string());
        }
    }
    if files.is_empty() && shadowed > 0 {
        return Err(ImportError::OwnFiles(shadowed));
    }
    if files.is_empty() {
        let first = &index.documents[0].relative_path;
        let first = document_path(&folder, first).map_or(first.clone(), |path| path.to_string());
        return Err(ImportError::Foreign {
            path,
            documents: index.documents.len(),
            first,
        });
    }

    let manifest = Manifest {
        tool: tool(&index),
        folder,
        content: blake3::hash(&bytes).to_hex().to_string(),
        files,
    };
    let packed = zstd::encode_all(&*bytes, LEVEL).map_err(DataDirError::Io)?;
    let text = serde_json::to_vec(&manifest).map_err(|error| DataDirError::Io(error.into()))?;
    data.write_import(request.name, &text, (&manifest.content, &packed))?;
    remove_unused(data);
    Ok(())
}

/// Removes an import from the data folder; reports whether there was one. The next scan removes its
/// symbols from the graph.
pub fn remove_import(data: &DataDir, name: &str) -> Result<bool, ImportError> {
    let removed = data.remove_import(name)?;
    remove_unused(data);
    Ok(removed)
}

fn remove_unused(data: &DataDir) {
    let manifests = manifests(data);
    let used: Vec<&str> = manifests
        .iter()
        .map(|(_, manifest)| manifest.content.as_str())
        .collect();
    data.remove_unused_imports(&used);
}

/// Parses an index; an error says what is wrong.
fn parse(bytes: &[u8]) -> Result<Index, String> {
    let index = Index::parse_from_bytes(bytes).map_err(|error| error.to_string())?;
    let has_tool = index
        .metadata
        .as_ref()
        .is_some_and(|metadata| metadata.tool_info.is_some());
    if !has_tool {
        return Err("it does not name the tool that made it".to_owned());
    }
    if index.documents.is_empty() {
        return Err("it has no documents".to_owned());
    }
    Ok(index)
}

/// Returns the name and version of the tool that made an index.
fn tool(index: &Index) -> String {
    let tool = &index.metadata.tool_info;
    let version = tool.version.split_whitespace().next().unwrap_or_default();
    let text = format!("{} {version}", tool.name);
    text.trim()
        .replace(char::is_control, " ")
        .chars()
        .take(80)
        .collect()
}

/// Returns the folder that the documents' paths are relative to.
fn folder(
    workspace: &Workspace,
    request: &ImportRequest<'_>,
    index: &Index,
) -> Result<String, ImportError> {
    if let Some(folder) = request.folder {
        let path = workspace
            .resolve(folder)
            .ok()
            .filter(|path| path.is_root() || workspace.stat(path).is_ok());
        return path
            .map(|path| path.to_string())
            .ok_or_else(|| ImportError::Folder(folder.to_owned()));
    }

    let below_root = path_of_file_uri(&index.metadata.project_root)
        .and_then(|root| workspace.resolve(root.to_str()?).ok());
    Ok(below_root.map_or_else(String::new, |path| path.to_string()))
}

/// Returns a document's path from the root; `None` if it leaves the repository.
fn document_path(folder: &str, relative: &str) -> Option<RepoPath> {
    let joined = if folder.is_empty() || folder == "." {
        relative.to_owned()
    } else {
        format!("{folder}/{relative}")
    };
    let path = RepoPath::normalized(&joined).ok()?;
    (!path.is_root() && !path.is_hidden() && !relative.starts_with('/')).then_some(path)
}

/// Returns the readable manifests of the imports, by name.
fn manifests(data: &DataDir) -> Vec<(String, Manifest)> {
    data.imports()
        .into_iter()
        .filter_map(|(name, text)| Some((name, serde_json::from_slice(&text).ok()?)))
        .collect()
}

/// Returns a hash of the imports and of the sizes and times of their files; empty if there are no
/// imports. `own` reports whether a path is indexed from its source.
pub fn state(data: &DataDir, workspace: &Workspace, own: &dyn Fn(&str) -> bool) -> String {
    let manifests = manifests(data);
    if manifests.is_empty() {
        return String::new();
    }

    let mut hasher = blake3::Hasher::new();
    for (name, manifest) in &manifests {
        hasher.update(format!("{name}\0{}\0{}\0", manifest.content, manifest.folder).as_bytes());
        for (path, hash) in &manifest.files {
            let entry = RepoPath::new(path)
                .ok()
                .and_then(|path| workspace.stat(&path).ok());
            let stamp = entry.map(|entry| (entry.size, entry.stamp));
            hasher.update(format!("{path}\0{hash}\0{stamp:?}\0{}\0", own(path)).as_bytes());
        }
    }

    hasher.finalize().to_hex().to_string()
}

/// Makes the rows of all imports.
pub fn graph(data: &DataDir, workspace: &Workspace, own: &dyn Fn(&str) -> bool) -> ImportedGraph {
    let mut conversion = convert::Conversion::default();
    for (name, manifest) in manifests(data) {
        let row = ImportRow {
            name,
            tool: manifest.tool.clone(),
            folder: manifest.folder.clone(),
            ..ImportRow::default()
        };
        let content = data
            .import_content(&manifest.content)
            .and_then(|packed| zstd::decode_all(&*packed))
            .map_err(|error| error.to_string())
            .and_then(|bytes| parse(&bytes));
        match content {
            Ok(index) => conversion.add(row, &manifest, index, (workspace, own)),
            Err(reason) => conversion.add_problem(row, reason),
        }
    }

    conversion.finish()
}

#[cfg(test)]
mod tests;
