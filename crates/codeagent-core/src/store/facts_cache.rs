//! The facts that queries decoded last, shared by the snapshots of a reader.
//!
//! A key covers all that its facts depend on, so cached facts never become stale.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::facts::Facts;
use crate::store::facts::{FactsKey, read_facts};
use crate::store::{Snapshot, StoreError, file_by_path};

/// Maximum size of the texts whose facts are cached, in bytes; facts are a few times as large.
const MAX_TEXT_BYTES: usize = 2 << 20;

/// The cached facts; those used last are at the back.
#[derive(Default)]
pub(super) struct FactsCache(Mutex<VecDeque<(FactsKey, Arc<Facts>)>>);

impl FactsCache {
    fn get(&self, key: &FactsKey) -> Option<Arc<Facts>> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = cached.iter().position(|(known, _)| known == key)?;
        let entry = cached.remove(at)?;
        let facts = Arc::clone(&entry.1);
        cached.push_back(entry);
        Some(facts)
    }

    fn insert(&self, key: FactsKey, facts: &Arc<Facts>) {
        let size = |facts: &Facts| facts.header.bytes as usize;
        if size(facts) > MAX_TEXT_BYTES {
            return;
        }
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cached.push_back((key, Arc::clone(facts)));

        let mut bytes: usize = cached.iter().map(|(_, facts)| size(facts)).sum();
        while bytes > MAX_TEXT_BYTES {
            let Some((_, oldest)) = cached.pop_front() else {
                return;
            };
            bytes -= size(&oldest);
        }
    }
}

/// Returns the facts of the file at a path, from the cache if they are there; `None` if the file is not indexed or its
/// facts cannot be read.
pub fn facts_of_file(snapshot: &Snapshot, path: &str) -> Result<Option<Arc<Facts>>, StoreError> {
    match file_by_path(snapshot, path)? {
        Some(file) => cached_facts(snapshot, &file.facts_key),
        None => Ok(None),
    }
}

/// Returns the facts under a key like [`read_facts`], from the cache if they are there.
fn cached_facts(snapshot: &Snapshot, key: &FactsKey) -> Result<Option<Arc<Facts>>, StoreError> {
    if let Some(facts) = snapshot.facts().get(key) {
        return Ok(Some(facts));
    }
    let Some(facts) = read_facts(snapshot, key)?.map(Arc::new) else {
        return Ok(None);
    };
    snapshot.facts().insert(*key, &facts);
    Ok(Some(facts))
}
