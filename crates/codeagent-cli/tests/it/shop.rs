//! A copy of `tests/shop` that a test may change.
//!
//! **Limits.** Only what the index would see is copied.

use std::path::Path;

use codeagent_workspace::Workspace;

/// The copy in a folder of a new one, which ends with what is returned.
pub fn copy(folder: &str) -> tempfile::TempDir {
    let outer = tempfile::tempdir().unwrap();
    let original =
        Workspace::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/shop")).unwrap();
    for entry in original.walk().entries {
        let path = outer.path().join(folder).join(entry.path.as_str());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(original.root().join(entry.path.as_str()), path).unwrap();
    }
    outer
}
