//! Interface packs, kept in the data folder so that they survive a rebuild: `packs/NAME.pack`, which
//! is replaced in one step.

use std::io;

use crate::data_dir::{DataDir, DataDirError, make_own_folder};
use crate::imports::{is_import_name, write_whole};

/// Name of the folder of the packs.
const PACKS: &str = "packs";

/// Ending of a pack's name.
const PACK: &str = ".pack";

impl DataDir {
    /// Returns the names of the packs and their first `length` bytes, by name. Files that cannot be
    /// read are left out.
    #[must_use]
    pub fn packs(&self, length: usize) -> Vec<(String, Vec<u8>)> {
        self.named_files(PACKS, PACK, length as u64)
    }

    /// Returns the content of a pack.
    pub fn read_pack(&self, name: &str) -> io::Result<Vec<u8>> {
        if !is_import_name(name) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no name"));
        }
        let folder = self.file(PACKS).map_err(io::Error::other)?;
        std::fs::read(folder.join(format!("{name}{PACK}")))
    }

    /// Adds a pack or replaces the one with its name, which [`is_import_name`] accepts.
    pub fn write_pack(&self, name: &str, content: &[u8]) -> Result<(), DataDirError> {
        let unwritable = |source| DataDirError::Unwritable {
            path: self.path().to_owned(),
            source,
        };
        if !is_import_name(name) {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "no name");
            return Err(unwritable(source));
        }
        let folder = self.file(PACKS)?;
        make_own_folder(&folder).map_err(unwritable)?;
        write_whole(&folder.join(format!("{name}{PACK}")), content).map_err(unwritable)
    }

    /// Removes a pack; reports whether there was one.
    pub fn remove_pack(&self, name: &str) -> Result<bool, DataDirError> {
        if !is_import_name(name) {
            return Ok(false);
        }
        match std::fs::remove_file(self.file(PACKS)?.join(format!("{name}{PACK}"))) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(DataDirError::Remove {
                name: format!("{PACKS}/{name}{PACK}"),
                source,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::DataRoot;

    #[test]
    fn a_pack_is_listed_replaced_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataRoot::at(folder.path().join("data"))
            .data_dir(folder.path())
            .unwrap();
        assert_eq!(data.packs(2), []);

        data.write_pack("orm", b"old").unwrap();
        data.write_pack("orm", b"new").unwrap();
        assert_eq!(data.packs(2), [("orm".to_owned(), b"ne".to_vec())]);
        assert_eq!(data.read_pack("orm").unwrap(), b"new");
        assert!(data.write_pack("../orm", b"x").is_err() && data.read_pack("../orm").is_err());

        assert!(data.remove_pack("orm").unwrap() && !data.remove_pack("orm").unwrap());
        assert_eq!(data.packs(2), []);
    }
}
