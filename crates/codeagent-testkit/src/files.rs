//! Repositories on disk for tests to change.

#![allow(
    clippy::disallowed_methods,
    reason = "makes the repositories that tests ask about"
)]

use std::io;
use std::path::Path;

/// Writes a file of a repository, creating its parent folders.
///
/// # Panics
/// If the file cannot be written.
pub fn write_file(root: &Path, path: &str, content: impl AsRef<[u8]>) {
    let path = root.join(path);
    let folder = path.parent().unwrap_or(root);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, content))
        .unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}

/// Copies `tests/shop`, the application that the documentation uses, into a folder.
///
/// # Panics
/// If a file cannot be copied.
pub fn copy_shop(target: &Path) {
    let shop = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/shop");
    copy_folder(&shop, target).unwrap_or_else(|error| panic!("cannot copy the shop: {error}"));
}

/// Copies `tests/fixtures`, small repositories with known edges, into a folder.
///
/// # Panics
/// If a file cannot be copied.
pub fn copy_fixtures(target: &Path) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    copy_folder(&fixtures, target)
        .unwrap_or_else(|error| panic!("cannot copy the fixtures: {error}"));
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
