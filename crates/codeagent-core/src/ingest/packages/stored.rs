//! Loads the facts of packages: from memory, this index, those that all indexes share, another
//! worktree's index, or by parsing.

use std::sync::{Arc, Mutex};

use codeagent_workspace::FileText;

use crate::ingest::IngestError;
use crate::ingest::load::{Loader, OpenedStores};
use crate::ingest::summary::Phase;
use crate::ingest::writer_thread::PackedFacts;
use crate::languages::LANGUAGES;
use crate::model::facts::Facts;
use crate::model::graph::{Dialect, ParseStatus};
use crate::store::{self, FactsKey};

/// Key part in place of preprocessor symbols, for files of which only declarations are stored.
const DECLARATIONS: &str = "declarations";

impl Loader<'_> {
    /// Returns the facts of a package's declaration file, or `None` on a parse error.
    pub fn declarations(
        &self,
        opened: &mut OpenedStores,
        dialect: Dialect,
        file: &FileText,
        packed: &Mutex<PackedFacts>,
    ) -> Result<(FactsKey, Option<Arc<Facts>>), IngestError> {
        let key = FactsKey::new(dialect, DECLARATIONS, file.hash.as_bytes());
        let kept = self.kept_declarations(opened, &key, packed)?;
        if kept.is_some() {
            return Ok((key, kept));
        }

        let Some(facts) = self
            .parse(|| LANGUAGES.extract_declarations(&file.text, dialect))
            .filter(|facts| facts.header.parse_status != ParseStatus::Failed)
        else {
            return Ok((key, None));
        };

        if self.store.is_some() {
            let blob = self
                .timer
                .time(Phase::Store, || store::encode_facts(&facts));
            self.keep_package(key, blob, packed)?;
        }

        Ok((key, Some(Arc::new(facts))))
    }

    /// Returns the facts of a package's declaration file, if in memory or stored.
    pub fn kept_declarations(
        &self,
        opened: &mut OpenedStores,
        key: &FactsKey,
        packed: &Mutex<PackedFacts>,
    ) -> Result<Option<Arc<Facts>>, IngestError> {
        if let Some(facts) = self.retained.get(key) {
            return Ok(Some(Arc::clone(facts)));
        }
        let decode = |blob: &[u8]| store::decode_facts(blob).map(Arc::new);
        self.find_package(opened, key, decode, packed)
    }

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
