//! A copy of `tests/shop` that a test may change.

use codeagent_testkit::files::copy_shop;

/// Copies the shop to `folder` in a new temporary folder, which is removed with the result.
pub fn copy(folder: &str) -> tempfile::TempDir {
    let outer = tempfile::tempdir().unwrap();
    copy_shop(&outer.path().join(folder));
    outer
}
