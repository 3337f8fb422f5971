//! Imported indexes, kept in the data folder so that they survive a rebuild: for each a manifest
//! `NAME.json`, and its content under the name of its hash.
//!
//! The manifest names the content and is replaced in one step, so that a reader sees an import
//! either whole or not at all.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::data_dir::{DataDir, DataDirError, make_own_folder, open_own};

/// Name of the folder of the imports.
const IMPORTS: &str = "imports";

/// Ending of a manifest's name.
const MANIFEST: &str = ".json";

/// Maximum length of an import's name, in bytes.
const LONGEST_NAME: usize = 64;

/// Reports whether an import may have a name: letters, digits, `-`, `_` and `.`, not first.
#[must_use]
pub fn is_import_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !name.is_empty()
        && name.len() <= LONGEST_NAME
        && !name.starts_with('.')
        && name.chars().all(is_allowed)
}

impl DataDir {
    /// Returns the names and manifests of the imports, by name. Files that cannot be read are left
    /// out.
    #[must_use]
    pub fn imports(&self) -> Vec<(String, Vec<u8>)> {
        self.named_files(IMPORTS, MANIFEST, u64::MAX)
    }

    /// Returns the names, without their ending, of the files of a data folder and their first
    /// `length` bytes, by name. Files that cannot be read are left out.
    pub(crate) fn named_files(
        &self,
        folder: &str,
        ending: &str,
        length: u64,
    ) -> Vec<(String, Vec<u8>)> {
        let Ok(entries) = self
            .file(folder)
            .map_err(io::Error::other)
            .and_then(std::fs::read_dir)
        else {
            return Vec::new();
        };

        let mut found: Vec<(String, Vec<u8>)> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let name = entry.file_name().into_string().ok()?;
                let name = name.strip_suffix(ending)?;
                let mut start = Vec::new();
                let file = File::open(entry.path()).ok()?;
                file.take(length).read_to_end(&mut start).ok()?;
                is_import_name(name).then(|| (name.to_owned(), start))
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// Returns the content with a hash.
    pub fn import_content(&self, hash: &str) -> io::Result<Vec<u8>> {
        std::fs::read(self.content_path(hash)?)
    }

    /// Adds an import or replaces the one with its name.
    pub fn write_import(
        &self,
        name: &str,
        manifest: &[u8],
        (hash, content): (&str, &[u8]),
    ) -> Result<(), DataDirError> {
        let unwritable = |source| DataDirError::Unwritable {
            path: self.path().to_owned(),
            source,
        };
        let folder = self.file(IMPORTS)?;
        make_own_folder(&folder).map_err(unwritable)?;

        let path = self.content_path(hash).map_err(unwritable)?;
        write_whole(&path, content).map_err(unwritable)?;
        write_whole(&folder.join(format!("{name}{MANIFEST}")), manifest).map_err(unwritable)
    }

    /// Removes an import; reports whether there was one.
    pub fn remove_import(&self, name: &str) -> Result<bool, DataDirError> {
        if !is_import_name(name) {
            return Ok(false);
        }
        let path = self.file(IMPORTS)?.join(format!("{name}{MANIFEST}"));
        match std::fs::remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(DataDirError::Remove {
                name: format!("{IMPORTS}/{name}{MANIFEST}"),
                source,
            }),
        }
    }

    /// Removes contents that no manifest names. `used` are the hashes that are named.
    pub fn remove_unused_imports(&self, used: &[&str]) {
        let Ok(folder) = self.file(IMPORTS) else {
            return;
        };
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if !name.ends_with(MANIFEST) && !used.contains(&name.as_str()) {
                std::fs::remove_file(entry.path()).ok();
            }
        }
    }

    fn content_path(&self, hash: &str) -> io::Result<PathBuf> {
        if hash.is_empty() || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no hash"));
        }
        let folder = self.file(IMPORTS).map_err(io::Error::other)?;
        Ok(folder.join(hash))
    }
}

/// Writes a file under another name and then renames it.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let draft = path.with_extension(format!("draft-{}", std::process::id()));
    std::fs::remove_file(&draft).ok();
    let written = open_own(&draft)
        .and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&draft, path));
    if written.is_err() {
        std::fs::remove_file(&draft).ok();
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_dir::DataRoot;

    #[test]
    fn an_import_is_listed_replaced_and_removed() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let data = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
        assert_eq!(data.imports(), []);

        data.write_import("rust", b"1", ("ab", b"old")).unwrap();
        data.write_import("rust", b"2", ("cd", b"new")).unwrap();
        assert_eq!(data.imports(), [("rust".to_owned(), b"2".to_vec())]);
        assert_eq!(data.import_content("cd").unwrap(), b"new");

        data.remove_unused_imports(&["cd"]);
        assert!(data.import_content("ab").is_err() && data.import_content("cd").is_ok());
        assert!(data.remove_import("rust").unwrap() && !data.remove_import("rust").unwrap());
        assert_eq!(data.imports(), []);
    }

    #[test]
    fn no_name_or_hash_leaves_the_folder() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let data = DataRoot::at(home.path()).data_dir(root.path()).unwrap();
        for name in ["", ".", "..", ".x", "a/b", "../a", "a b", &"a".repeat(65)] {
            assert!(!is_import_name(name), "{name}");
            assert!(!data.remove_import(name).unwrap());
        }
        assert!(data.import_content("../index.db").is_err() && is_import_name("a.b-c_1"));
    }
}
