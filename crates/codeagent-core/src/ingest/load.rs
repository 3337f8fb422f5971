//! Loads the facts of each file: from the last batch, the store, another worktree's index, or by
//! parsing. For packages, see `packages/stored.rs`.
//!
//! Limitations: a file that is too large, binary, minified or deleted while it is read stays in the
//! index without symbols, with a problem. So does a file on which the extractor panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use codeagent_lang::project::ProjectModel;
use codeagent_workspace::{Config, FileText, ReadError, Stamp, Workspace};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::ingest::IngestError;
use crate::ingest::package_cache::PackageCache;
use crate::ingest::phase_timer::PhaseTimer;
use crate::ingest::scan::{KnownFiles, NEVER_READ, SourceFile};
use crate::ingest::source::SourceReader;
use crate::ingest::summary::{Phase, Progress};
use crate::ingest::worktree_cache::{WorktreeCache, WorktreeSnapshots};
use crate::ingest::writer_thread::{PackedFacts, WriterThread};
use crate::languages::LANGUAGES;
use crate::model::facts::{DeclId, Facts, Scope, ScopeId, ScopeKind};
use crate::model::graph::{Dialect, ParseStatus};
use crate::store::{self, FactsKey, Reader, Snapshot};

/// Problem reported for a text that exceeded the parse budget.
const GIVEN_UP: &str =
    "parsing was aborted: nested too deeply, too dense or too broken for its size";

/// Number of packed facts sent to the writer at once.
const PACKED_AT_ONCE: usize = 256;

/// A file with its facts.
#[derive(Debug)]
pub struct LoadedFile {
    /// Repo-relative path.
    pub path: Arc<str>,
    /// Its language and syntax.
    pub dialect: Dialect,
    /// Size in bytes when it was read.
    pub size: u64,
    /// Stamp when it was read.
    pub stamp: Stamp,
    /// The blake3 hash of its bytes.
    pub hash: [u8; 32],
    pub key: FactsKey,
    /// Hash of the preprocessor symbols.
    pub defines_hash: u64,
    pub facts: Arc<Facts>,
    /// Why there are no facts.
    pub problem: Option<String>,
    /// Whether this batch parsed it.
    pub parsed: bool,
}

/// The store of facts.
#[derive(Clone, Copy)]
pub struct FactsStore<'a> {
    /// Reads stored facts.
    pub reader: &'a Reader,
    /// Stores new facts.
    pub writer: &'a WriterThread,
}

/// The inputs of loading.
pub struct Loader<'a> {
    /// Reads source texts.
    pub sources: &'a SourceReader,
    /// The files as the index has them.
    pub known: &'a KnownFiles,
    pub projects: &'a ProjectModel,
    /// Facts still in memory from the last batch.
    pub retained: &'a FxHashMap<FactsKey, Arc<Facts>>,
    /// Stored facts, or `None` to parse everything and store nothing.
    pub store: Option<FactsStore<'a>>,
    /// Facts in other worktrees' indexes.
    pub shared: &'a WorktreeCache<'a>,
    /// Facts of packages that all indexes share.
    pub packages: &'a PackageCache<'a>,
    /// Processor time per phase.
    pub timer: &'a PhaseTimer,
    /// Set to stop at the next file.
    pub cancel: &'a AtomicBool,
    /// Callback for progress.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

#[derive(Default)]
struct LoadState {
    packed: Mutex<PackedFacts>,
    texts: Mutex<FxHashMap<FactsKey, SharedFacts>>,
}

/// The facts of one text, set by the first thread that loads it.
type SharedFacts = Arc<Mutex<Option<Arc<Facts>>>>;

impl LoadState {
    fn text(&self, key: FactsKey) -> SharedFacts {
        Arc::clone(
            self.texts
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .entry(key)
                .or_default(),
        )
    }
}

/// Snapshots that one thread has open.
#[derive(Default)]
pub struct OpenedStores {
    /// This repository's index.
    pub own: Option<Snapshot>,
    /// Those of the repository's other worktrees.
    pub others: WorktreeSnapshots,
}

impl Loader<'_> {
    /// Returns the facts of all sources, in order. Files deleted in the meantime are left out.
    pub fn load(&self, sources: &[SourceFile]) -> Result<Vec<LoadedFile>, IngestError> {
        let done = AtomicUsize::new(0);
        let made = LoadState::default();
        let loaded: Result<Vec<Option<LoadedFile>>, IngestError> = sources
            .par_iter()
            .map_init(OpenedStores::default, |opened, source| {
                if self.cancel.load(Ordering::Relaxed) {
                    return Err(IngestError::Interrupted);
                }

                let loaded = self.load_one(opened, source, &made)?;
                (self.progress)(Progress {
                    phase: Phase::Extract,
                    done: done.fetch_add(1, Ordering::Relaxed) + 1,
                    total: sources.len(),
                });
                Ok(loaded)
            })
            .collect();

        let rest = made
            .packed
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let loaded = loaded?.into_iter().flatten().collect();
        self.send(rest)?;

        Ok(loaded)
    }

    pub fn workspace(&self) -> &Workspace {
        self.sources.workspace()
    }

    /// Reports whether the caller asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// Sends the remaining packed facts to the writer.
    pub fn send(&self, rest: PackedFacts) -> Result<(), IngestError> {
        match self.store.filter(|_| !rest.is_empty()) {
            Some(store) => store.writer.put_facts(rest),
            None => Ok(()),
        }
    }

    fn load_one(
        &self,
        opened: &mut OpenedStores,
        source: &SourceFile,
        made: &LoadState,
    ) -> Result<Option<LoadedFile>, IngestError> {
        let defines_hash = hash_of(self.projects.defines(source.path.as_str()));
        if let Some(known) = self.load_known(opened, source, defines_hash)? {
            return Ok(Some(known));
        }

        let file = match self
            .timer
            .time(Phase::Read, || self.sources.read(&source.path))
        {
            Ok(file) => file,
            Err(ReadError::NotFound(_) | ReadError::NotAFile(_)) => return Ok(None),
            Err(error) if error.is_shortage() => return Err(IngestError::Shortage),
            Err(error) => {
                let hash = self.hash_of_unread(source, &error);
                let problem = Some(error.to_string());
                return Ok(Some(self.unread(source, hash, defines_hash, problem)));
            }
        };

        if let Some(problem) = self.generated_code_problem(&file) {
            let hash = *file.hash.as_bytes();
            return Ok(Some(self.unread(source, hash, defines_hash, Some(problem))));
        }

        self.read(opened, source, &file, made).map(Some)
    }

    /// Returns a file from the index if it is unchanged and its facts are stored.
    fn load_known(
        &self,
        opened: &mut OpenedStores,
        source: &SourceFile,
        defines_hash: u64,
    ) -> Result<Option<LoadedFile>, IngestError> {
        let path = source.path.as_str();
        let row = self.known.files.get(path);
        let Some(row) = row.filter(|row| !source.needs_check && row.defines_hash == defines_hash)
        else {
            return Ok(None);
        };

        if row.problem.is_some() {
            let problem = row.problem.clone();
            return Ok(Some(self.unread(source, row.hash, defines_hash, problem)));
        }

        let facts = self.find(&mut opened.own, &row.facts_key)?;
        Ok(facts.map(|facts| LoadedFile {
            path: path.into(),
            dialect: source.dialect,
            size: source.size,
            stamp: source.stamp,
            hash: row.hash,
            key: row.facts_key,
            defines_hash,
            facts,
            problem: None,
            parsed: false,
        }))
    }

    /// Returns why a file is treated as generated, if its lines are too long.
    fn generated_code_problem(&self, file: &FileText) -> Option<String> {
        let limit = self.workspace().config().max_line_bytes;
        if file.average_line_bytes() <= limit {
            return None;
        }

        let lowered = if limit < Config::default().max_line_bytes {
            "; raise max_line_bytes in .codeagent/config.json to index it"
        } else {
            ""
        };
        Some(format!(
            "treated as generated: lines of more than {limit} bytes on average{lowered}"
        ))
    }

    /// Returns the facts of a text. Files with equal text wait for the first of them to be loaded
    /// and share its facts.
    fn read(
        &self,
        opened: &mut OpenedStores,
        source: &SourceFile,
        file: &FileText,
        made: &LoadState,
    ) -> Result<LoadedFile, IngestError> {
        let defines = self.projects.defines(source.path.as_str());
        let hash = *file.hash.as_bytes();
        let key = FactsKey::new(
            source.dialect,
            &LANGUAGES.conditions(&file.text, source.dialect, defines),
            &hash,
        );

        let text = made.text(key);
        let mut known = text.lock().unwrap_or_else(PoisonError::into_inner);
        let retained = match known.clone() {
            Some(facts) => Some(facts),
            None => self.retained(opened, key, &made.packed)?,
        };
        let parsed = retained.is_none();
        let facts = match retained {
            Some(facts) => facts,
            None => {
                let Some(facts) = self.extract(&file.text, source.dialect, defines) else {
                    let problem = "the extractor crashed; please report the file".to_owned();
                    return Ok(self.unread(source, hash, hash_of(defines), Some(problem)));
                };
                // Facts of an aborted parse are not stored, so the next engine version tries again.
                if self.store.is_some() && facts.header.parse_status != ParseStatus::Failed {
                    let blob = self
                        .timer
                        .time(Phase::Store, || store::encode_facts(&facts));
                    self.keep(key, blob, &made.packed)?;
                }

                Arc::new(facts)
            }
        };

        *known = Some(Arc::clone(&facts));
        drop(known);
        if facts.header.parse_status == ParseStatus::Failed {
            let unread = self.unread(source, hash, hash_of(defines), Some(GIVEN_UP.to_owned()));
            return Ok(LoadedFile { parsed, ..unread });
        }

        Ok(LoadedFile {
            path: source.path.as_str().into(),
            dialect: source.dialect,
            size: file.size,
            stamp: file.stamp,
            hash,
            key,
            defines_hash: hash_of(defines),
            facts,
            problem: None,
            parsed,
        })
    }

    /// Returns the facts of a key from memory, the index or another worktree's index.
    fn retained(
        &self,
        opened: &mut OpenedStores,
        key: FactsKey,
        packed: &Mutex<PackedFacts>,
    ) -> Result<Option<Arc<Facts>>, IngestError> {
        match self.find(&mut opened.own, &key)? {
            Some(facts) => Ok(Some(facts)),
            None => self.take(&mut opened.others, key, packed),
        }
    }

    fn extract(&self, text: &str, dialect: Dialect, defines: &[String]) -> Option<Facts> {
        self.parse(|| LANGUAGES.extract(text, dialect, defines))
    }

    /// Runs an extractor; `None` if it panics.
    pub fn parse(&self, extract: impl FnOnce() -> Facts) -> Option<Facts> {
        self.timer.time(Phase::Extract, || {
            catch_unwind(AssertUnwindSafe(extract)).ok()
        })
    }

    /// Returns the packed facts of a key, if stored.
    pub fn find_packed(
        &self,
        snapshot: &mut Option<Snapshot>,
        key: &FactsKey,
    ) -> Result<Option<Vec<u8>>, IngestError> {
        Ok(match self.snapshot(snapshot)? {
            Some(snapshot) => store::read_packed(snapshot, key)?,
            None => None,
        })
    }

    /// Copies facts from another worktree's index into this one.
    fn take(
        &self,
        others: &mut WorktreeSnapshots,
        key: FactsKey,
        packed: &Mutex<PackedFacts>,
    ) -> Result<Option<Arc<Facts>>, IngestError> {
        if self.shared.is_empty() {
            return Ok(None);
        }

        let found = self.timer.time(Phase::Decode, || {
            let blob = self.shared.find(others, &key)?;
            Some((Arc::new(store::decode_facts(&blob)?), blob))
        });
        let Some((facts, blob)) = found else {
            return Ok(None);
        };

        self.keep(key, blob, packed)?;
        Ok(Some(facts))
    }

    /// Queues packed facts for the writer and sends them in batches.
    pub fn keep(
        &self,
        key: FactsKey,
        blob: Vec<u8>,
        packed: &Mutex<PackedFacts>,
    ) -> Result<(), IngestError> {
        let Some(store) = self.store else {
            return Ok(());
        };
        let mut waiting = packed.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.push((key, blob));
        if waiting.len() < PACKED_AT_ONCE {
            return Ok(());
        }

        let ready = std::mem::take(&mut *waiting);
        drop(waiting);
        store.writer.put_facts(ready)
    }

    /// Returns the facts of a key, if in memory or stored.
    pub fn find(
        &self,
        snapshot: &mut Option<Snapshot>,
        key: &FactsKey,
    ) -> Result<Option<Arc<Facts>>, IngestError> {
        if let Some(facts) = self.retained.get(key) {
            return Ok(Some(Arc::clone(facts)));
        }
        let Some(snapshot) = self.snapshot(snapshot)? else {
            return Ok(None);
        };
        Ok(self
            .timer
            .time(Phase::Decode, || store::read_facts(snapshot, key))?
            .map(Arc::new))
    }

    /// Returns a snapshot of the index, unless it has no facts.
    fn snapshot<'s>(
        &self,
        snapshot: &'s mut Option<Snapshot>,
    ) -> Result<Option<&'s Snapshot>, IngestError> {
        let Some(store) = self.store.filter(|_| self.known.has_facts) else {
            return Ok(None);
        };
        if snapshot.is_none() {
            *snapshot = Some(store.reader.snapshot()?);
        }
        Ok(snapshot.as_ref())
    }

    /// Returns the hash of a file that has no text. A binary file is hashed, because its content is
    /// why it has none; a read error says nothing about the content.
    fn hash_of_unread(&self, source: &SourceFile, error: &ReadError) -> [u8; 32] {
        let ReadError::Binary { .. } = error else {
            return NEVER_READ;
        };
        let hash = self.sources.hash(&source.path);
        hash.map_or(NEVER_READ, |hash| *hash.as_bytes())
    }

    fn unread(
        &self,
        source: &SourceFile,
        hash: [u8; 32],
        defines_hash: u64,
        problem: Option<String>,
    ) -> LoadedFile {
        LoadedFile {
            path: source.path.as_str().into(),
            dialect: source.dialect,
            size: source.size,
            stamp: source.stamp,
            hash,
            key: FactsKey::new(source.dialect, "unread", &hash),
            defines_hash,
            facts: failed(source.dialect),
            problem,
            parsed: false,
        }
    }
}

/// Returns empty facts for a file whose parsing was aborted.
pub fn failed(dialect: Dialect) -> Arc<Facts> {
    let mut facts = Facts::of(dialect);
    facts.header.parse_status = ParseStatus::Failed;
    facts.scopes.push(Scope {
        kind: ScopeKind::File,
        parent: ScopeId::NONE,
        owner: DeclId::NONE,
    });
    Arc::new(facts)
}

/// Hashes a sequence of texts.
pub fn hash_of<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(text.as_ref().as_bytes());
        hasher.update(&[0]);
    }
    u64::from_le_bytes(
        hasher.finalize().as_bytes()[..8]
            .try_into()
            .expect("a hash has 32 bytes"),
    )
}
