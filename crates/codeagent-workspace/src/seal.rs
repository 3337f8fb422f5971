//! Is the database still what its last writer left? A seal beside it says how it looked when it was closed in good order.
//!
//! Size, time and number of the file tell at no cost that nobody touched it since. Where they differ (damage, a copy, a restored backup), the
//! hash of its content decides. There is no seal while somebody writes, nor after a process that ended without closing.
//!
//! **Limits.** Content that decays while size and time of the file stay is not seen here: `codeagent status --verify` sees it.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::data_dir::DataDir;
use crate::read::Stamp;

const SEAL: &str = "index.seal";
const DATABASE: &str = "index.db";
const LOG: &str = "index.db-wal";

/// What a seal says about the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Soundness {
    /// It is as it was left.
    Whole,
    /// Nothing is known: somebody writes, or did not close it, or it was never written.
    Unknown,
    /// It is not what was left.
    Damaged,
}

/// How a database looked when it was closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seal {
    size: u64,
    stamp: Stamp,
    hash: String,
}

impl Seal {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let size = words.next()?.parse().ok()?;
        let stamp = Stamp { changed_ns: words.next()?.parse().ok()?, inode: words.next()?.parse().ok()? };
        Some(Self { size, stamp, hash: words.next()?.to_owned() })
    }

    fn looks_like(&self, database: &Path) -> io::Result<bool> {
        let metadata = database.metadata()?;
        Ok((self.size, self.stamp) == (metadata.len(), Stamp::of(&metadata)))
    }
}

impl DataDir {
    /// Whether there is a database with something in it, or one that lost it.
    #[must_use]
    pub fn has_database(&self) -> bool {
        let metadata = self.path().join(DATABASE).metadata();
        metadata.is_ok_and(|metadata| metadata.len() > 0 || self.read_seal().is_some())
    }

    /// Whether the database looks as it was left, at the cost of asking the system for its size and time.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.read_seal().is_some_and(|seal| seal.looks_like(&self.path().join(DATABASE)).unwrap_or(false))
    }

    /// Whether the database is as it was left. Reads all of it only if it was touched. Only for who holds the right to write.
    #[must_use]
    pub fn soundness(&self) -> Soundness {
        let Some(seal) = self.read_seal() else { return Soundness::Unknown };
        let database = self.path().join(DATABASE);
        let is_same = seal.looks_like(&database).unwrap_or(false) || hash_of(&database).is_ok_and(|hash| hash == seal.hash);
        if is_same { Soundness::Whole } else { Soundness::Damaged }
    }

    /// Takes the seal away, before anything is written. Only for who holds the right to write.
    pub fn break_seal(&self) -> io::Result<Option<Seal>> {
        let seal = self.read_seal();
        match std::fs::remove_file(self.path().join(SEAL)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(seal),
        }
    }

    /// Seals a database that was closed, under the seal it had before if nothing was written. One with a log is left without. Only for who
    /// holds the right to write.
    pub fn seal(&self, before: Option<&Seal>) -> io::Result<()> {
        let database = self.path().join(DATABASE);
        if self.path().join(LOG).metadata().is_ok_and(|log| log.len() > 0) {
            return Ok(());
        }
        let unchanged = before.map(|seal| seal.looks_like(&database)).transpose()?.unwrap_or(false);
        let seal = match before {
            Some(before) if unchanged => before.clone(),
            _ => {
                let metadata = database.metadata()?;
                Seal { size: metadata.len(), stamp: Stamp::of(&metadata), hash: hash_of(&database)? }
            }
        };
        let text = format!("{} {} {} {}\n", seal.size, seal.stamp.changed_ns, seal.stamp.inode, seal.hash);
        let path = self.file(SEAL).map_err(io::Error::other)?;
        std::fs::write(path, text)
    }

    fn read_seal(&self) -> Option<Seal> {
        Seal::parse(&std::fs::read_to_string(self.path().join(SEAL)).ok()?)
    }
}

fn hash_of(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DataHome;

    #[test]
    fn a_seal_holds_until_the_content_changes() {
        let (root, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = DataHome::at(home.path()).data_dir(root.path()).unwrap();
        assert_eq!(dir.soundness(), Soundness::Unknown);
        let _lock = dir.lock_writer().unwrap();
        let database = dir.writable_database().unwrap();
        std::fs::write(&database, "content").unwrap();
        dir.seal(None).unwrap();
        assert_eq!(dir.soundness(), Soundness::Whole);
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(&database, "content").unwrap();
        assert_eq!(dir.soundness(), Soundness::Whole, "touched only");
        for damage in ["contemt", "conten", ""] {
            std::fs::write(&database, damage).unwrap();
            assert_eq!(dir.soundness(), Soundness::Damaged, "{damage:?}");
        }
        let seal = dir.break_seal().unwrap();
        assert_eq!(dir.soundness(), Soundness::Unknown);
        std::fs::write(&database, "other").unwrap();
        dir.seal(seal.as_ref()).unwrap();
        assert_eq!(dir.soundness(), Soundness::Whole, "made anew for what was written");
    }
}
