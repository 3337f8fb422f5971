//! The facts of declaration files, loaded when resolution first reads them.
//!
//! Most declaration files are imported by others and never read. A file is therefore outlined
//! first; the outline and, if they are stored, the packed facts are kept in memory. A file without
//! stored facts is parsed when it is first read, and the facts are stored after the batch
//! ([`LoadLog`]). Files without an outline are loaded at once.
//!
//! A file that changes between its outline and its first use has no facts. The batch then records
//! the file as changed, so that the next one reads it again.
//!
//! Limitations: that a file cannot be parsed is not noted if it is loaded on demand, and its time
//! counts as resolution. Without the
//! cache of all indexes, outlines and facts that were parsed on demand are not stored.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codeagent_lang::FileFacts;
use codeagent_workspace::{FileText, Packages, RepoPath};
use rustc_hash::FxHashMap;

use super::closure::MAX_FILE_BYTES;
use crate::ingest::IngestError;
use crate::ingest::load::{Loader, OpenedStores, failed};
use crate::ingest::summary::Phase;
use crate::ingest::writer_thread::PackedFacts;
use crate::languages::LANGUAGES;
use crate::model::facts::Facts;
use crate::model::graph::{Dialect, ParseStatus};
use crate::store::{self, FactsKey};

/// Key part in place of preprocessor symbols, for files of which only declarations are stored.
const DECLARATIONS: &str = "declarations";

/// The same, for outlines.
const OUTLINE: &str = "outline";

/// The facts of an earlier batch, by path.
pub type CachedDeclarations = FxHashMap<Arc<str>, (FactsKey, FileFacts)>;

/// What happened while facts were loaded on demand.
#[derive(Default)]
pub struct LoadLog {
    /// Facts that were parsed and are not stored yet.
    parsed: Mutex<PackedFacts>,
    /// The files whose content was another, or that could not be read.
    unreadable: Mutex<Vec<RepoPath>>,
}

impl LoadLog {
    /// Takes the facts that were parsed since the last call.
    pub fn take_parsed(&self) -> PackedFacts {
        std::mem::take(&mut *unpoisoned(&self.parsed))
    }

    /// Takes the files that could not be read since the last call.
    pub fn take_unreadable(&self) -> Vec<RepoPath> {
        std::mem::take(&mut *unpoisoned(&self.unreadable))
    }
}

/// Loads the facts of declaration files.
pub struct DeclarationLoader<'l> {
    pub loader: &'l Loader<'l>,
    pub packages: Packages,
    pub cached: &'l CachedDeclarations,
    pub packed: Mutex<PackedFacts>,
    pub log: Arc<LoadLog>,
}

/// A declaration file whose content is known by its hash.
#[derive(Clone, Copy)]
pub struct DeclarationText<'a> {
    pub path: &'a RepoPath,
    pub dialect: Dialect,
    pub hash: &'a [u8; 32],
}

impl DeclarationText<'_> {
    /// Returns the key of its facts.
    pub fn key(&self) -> FactsKey {
        FactsKey::new(self.dialect, DECLARATIONS, self.hash)
    }

    fn outline_key(&self) -> FactsKey {
        FactsKey::new(self.dialect, OUTLINE, self.hash)
    }
}

impl DeclarationLoader<'_> {
    /// Returns the facts of a file that are in memory or stored, to be loaded on demand if its
    /// outline is stored.
    pub fn stored(
        &self,
        opened: &mut OpenedStores,
        file: DeclarationText<'_>,
    ) -> Result<Option<FileFacts>, IngestError> {
        let key = file.key();
        if let Some((cached, facts)) = self.cached.get(file.path.as_str())
            && *cached == key
            && facts
                .loaded()
                .is_none_or(|facts| facts.header.parse_status != ParseStatus::Failed)
        {
            return Ok(Some(facts.clone()));
        }

        let outline_key = file.outline_key();
        let found =
            self.loader
                .find_package(opened, &outline_key, store::decode_outline, &self.packed)?;
        match found {
            Some(Some(outline)) => {
                let unread = self.unread(opened, file)?;
                let load = move || unread.load();
                Ok(Some(FileFacts::on_demand(file.dialect, outline, load)))
            }
            Some(None) => {
                let decode = |blob: &[u8]| store::decode_facts(blob).map(Arc::new);
                let facts = self
                    .loader
                    .find_package(opened, &key, decode, &self.packed)?;
                Ok(facts.map(FileFacts::from))
            }
            None => Ok(None),
        }
    }

    /// Returns the facts of a text; `None` on a parse error.
    pub fn of_text(
        &self,
        opened: &mut OpenedStores,
        file: DeclarationText<'_>,
        text: &FileText,
    ) -> Result<Option<FileFacts>, IngestError> {
        if let Some(facts) = self.stored(opened, file)? {
            return Ok(Some(facts));
        }

        let outline = self.loader.timer.time(Phase::Extract, || {
            LANGUAGES.outline_declarations(&text.text, file.dialect)
        });
        if self.loader.packages.is_available() {
            let blob = store::encode_outline(&outline);
            self.loader.packages.add(file.outline_key(), blob);
        }

        let unread = self.unread(opened, file)?;
        match outline {
            Some(outline) => {
                let load = move || unread.load();
                Ok(Some(FileFacts::on_demand(file.dialect, outline, load)))
            }
            None => self.at_once(&unread, &text.text),
        }
    }

    /// Returns the facts of a file without an outline.
    fn at_once(
        &self,
        unread: &UnreadDeclarations,
        text: &str,
    ) -> Result<Option<FileFacts>, IngestError> {
        if let Some(facts) = unread.decoded() {
            return Ok(Some(facts.into()));
        }

        let timer = self.loader.timer;
        let Some(facts) = timer.time(Phase::Extract, || unread.parse(text)) else {
            return Ok(None);
        };
        let blob = timer.time(Phase::Store, || store::encode_facts(&facts));
        self.loader.keep_package(unread.key, blob, &self.packed)?;
        Ok(Some(Arc::new(facts).into()))
    }

    fn unread(
        &self,
        opened: &mut OpenedStores,
        file: DeclarationText<'_>,
    ) -> Result<UnreadDeclarations, IngestError> {
        let key = file.key();
        let packed = |blob: &[u8]| Some(blob.to_vec());
        let blob = self
            .loader
            .find_package(opened, &key, packed, &self.packed)?;

        Ok(UnreadDeclarations {
            packages: self.packages.clone(),
            path: file.path.clone(),
            dialect: file.dialect,
            hash: *file.hash,
            key,
            blob: Mutex::new(blob),
            log: Arc::clone(&self.log),
        })
    }
}

/// A file whose facts have not been read.
struct UnreadDeclarations {
    packages: Packages,
    path: RepoPath,
    dialect: Dialect,
    hash: [u8; 32],
    key: FactsKey,
    /// The packed facts, if they were stored.
    blob: Mutex<Option<Vec<u8>>>,
    log: Arc<LoadLog>,
}

impl UnreadDeclarations {
    fn load(&self) -> Arc<Facts> {
        self.decoded()
            .or_else(|| self.read_and_parse())
            .unwrap_or_else(|| failed(self.dialect))
    }

    fn decoded(&self) -> Option<Arc<Facts>> {
        let blob = unpoisoned(&self.blob).take()?;
        store::decode_facts(&blob).map(Arc::new)
    }

    fn read_and_parse(&self) -> Option<Arc<Facts>> {
        let file = self.packages.read(&self.path, MAX_FILE_BYTES).ok();
        let Some(file) = file.filter(|file| *file.hash.as_bytes() == self.hash) else {
            unpoisoned(&self.log.unreadable).push(self.path.clone());
            return None;
        };

        let facts = self.parse(&file.text)?;
        unpoisoned(&self.log.parsed).push((self.key, store::encode_facts(&facts)));
        Some(Arc::new(facts))
    }

    /// Returns the facts of the file's text; `None` on a parse error.
    fn parse(&self, text: &str) -> Option<Facts> {
        let extract = || LANGUAGES.extract_declarations(text, self.dialect);
        let facts = catch_unwind(AssertUnwindSafe(extract)).ok()?;
        (facts.header.parse_status != ParseStatus::Failed).then_some(facts)
    }
}

fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
