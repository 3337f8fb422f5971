//! Capabilities and folders that a client names when it opens the session.

use std::path::PathBuf;

use lsp_types::InitializeParams;

use crate::uri::path_of;

/// Reports whether the client shows the progress of work that the server starts.
pub fn shows_progress(params: &InitializeParams) -> bool {
    let window = params.capabilities.window.as_ref();
    window
        .and_then(|window| window.work_done_progress)
        .unwrap_or_default()
}

/// Reports whether the client shows the symbols of a document as a tree.
pub fn has_symbol_trees(params: &InitializeParams) -> bool {
    let document = params.capabilities.text_document.as_ref();
    document
        .and_then(|document| document.document_symbol.as_ref())
        .and_then(|symbols| symbols.hierarchical_document_symbol_support)
        .unwrap_or_default()
}

/// Returns the folders that the client works in.
#[allow(deprecated, reason = "older clients name only a root")]
pub fn folders_of(params: &InitializeParams) -> Vec<PathBuf> {
    let named = params.workspace_folders.iter().flatten();
    let named: Vec<PathBuf> = named.filter_map(|folder| path_of(&folder.uri)).collect();
    if !named.is_empty() {
        return named;
    }
    let root = params.root_uri.as_ref().and_then(path_of);
    let root = root.or_else(|| params.root_path.as_ref().map(PathBuf::from));
    root.filter(|root| root.is_absolute()).into_iter().collect()
}
