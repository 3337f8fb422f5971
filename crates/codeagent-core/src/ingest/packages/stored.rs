//! Finds and stores the facts of packages: in this index, those that all indexes share, or another
//! worktree's index.

use std::sync::Mutex;

use crate::ingest::IngestError;
use crate::ingest::load::{Loader, OpenedStores};
use crate::ingest::summary::Phase;
use crate::ingest::writer_thread::PackedFacts;
use crate::store::FactsKey;

impl Loader<'_> {
    /// Returns the decoded facts of a package: from this index, those that all indexes share, or
    /// another worktree's index.
    pub fn find_package<T>(
        &self,
        opened: &mut OpenedStores,
        key: &FactsKey,
        decode: impl Fn(&[u8]) -> Option<T>,
        packed: &Mutex<PackedFacts>,
    ) -> Result<Option<T>, IngestError> {
        let decode = |blob: Option<Vec<u8>>| {
            let facts = decode(blob.as_deref()?)?;
            Some((facts, blob?))
        };

        let own = self.find_packed(&mut opened.own, key)?;
        let stored = self.timer.time(Phase::Decode, || {
            decode(own).or_else(|| decode(self.packages.find(key)))
        });
        if let Some((facts, _)) = stored {
            return Ok(Some(facts));
        }

        let Some((facts, blob)) = decode(self.shared.find(&mut opened.others, key)) else {
            return Ok(None);
        };
        self.keep_package(*key, blob, packed)?;
        Ok(Some(facts))
    }

    /// Stores the facts of a package: for all indexes, or else in this one.
    pub fn keep_package(
        &self,
        key: FactsKey,
        blob: Vec<u8>,
        packed: &Mutex<PackedFacts>,
    ) -> Result<(), IngestError> {
        if self.packages.is_available() {
            self.packages.add(key, blob);
            return Ok(());
        }
        self.keep(key, blob, packed)
    }
}
