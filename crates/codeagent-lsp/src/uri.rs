//! File URIs and paths.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use codeagent_workspace::{file_uri, path_of_file_uri};
use lsp_types::Uri;

/// Returns the path of a `file:` URI; `None` for any other URI.
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    path_of_file_uri(uri.as_str())
}

/// Returns the URI of an absolute path; `None` if it is not UTF-8.
pub fn uri_of(path: &Path) -> Option<Uri> {
    Uri::from_str(&file_uri(path)?).ok()
}
