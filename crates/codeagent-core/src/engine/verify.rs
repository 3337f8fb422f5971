//! Compares the index with a fresh one. No other check finds values that are wrong but valid.
//!
//! Limitations: takes as long as building the index from scratch, and holds both dumps in memory.

use codeagent_workspace::DataRoot;
use rustc_hash::FxHashMap;

use crate::engine::{Engine, EngineError, EngineOptions};
use crate::ingest::{IngestOptions, Progress};
use crate::store::{self, Check, EDGES_TOTAL, SYMBOLS_TOTAL, Snapshot, StoreError};

/// Folder of the fresh index, next to the verified one.
const FOLDER: &str = "verify";

impl Engine {
    /// Updates the index, compares it with a fresh one and rebuilds it if they differ. Returns the
    /// number of differing rows.
    pub fn verify(&self, progress: &(dyn Fn(Progress) + Sync)) -> Result<usize, EngineError> {
        self.index(progress)?;
        let data = self.data().clone();
        data.remove_folder(FOLDER)?;

        let torn = match store::check(&data.database()?, Check::Whole) {
            Err(StoreError::Corrupt(reason)) => Some(reason),
            _ => None,
        };
        let expected = self.fresh_dump(progress);
        data.remove_folder(FOLDER)?;

        let differing = match dump(&self.reader().snapshot()?) {
            Ok(found) => differing(&expected?, &found),
            Err(StoreError::Corrupt(_)) => expected?.len(),
            Err(error) => return Err(error.into()),
        };
        if differing == 0 && torn.is_none() {
            return Ok(0);
        }

        self.rebuild(
            &torn.unwrap_or_else(|| format!("{differing} rows differ from the sources")),
            progress,
        )?;
        Ok(differing.max(1))
    }

    fn fresh_dump(&self, progress: &(dyn Fn(Progress) + Sync)) -> Result<Vec<String>, EngineError> {
        let home = DataRoot::at(self.data().path().join(FOLDER))
            .with_packages(self.options.home.packages());
        let ingest = IngestOptions {
            keep_facts: false,
            ..self.options.ingest.clone()
        };

        let options = EngineOptions {
            ingest,
            home,
            tolerate_config: true,
            imports: Some(self.data().clone()),
            ..EngineOptions::default()
        };

        let fresh = Engine::open(self.reader().workspace().root(), options)?;
        fresh.index(progress)?;
        Ok(dump(&fresh.reader().snapshot()?)?)
    }
}

fn dump(snapshot: &Snapshot) -> Result<Vec<String>, StoreError> {
    let mut lines = store::canonical_dump(snapshot)?;
    for total in [EDGES_TOTAL, SYMBOLS_TOTAL] {
        lines.push(format!(
            "{total}\t{}",
            store::metadata(snapshot, total)?.unwrap_or_default()
        ));
    }
    Ok(lines)
}

/// Returns the number of lines that occur in only one of two dumps.
fn differing(expected: &[String], found: &[String]) -> usize {
    let mut counts: FxHashMap<&str, i64> = FxHashMap::default();
    expected
        .iter()
        .for_each(|line| *counts.entry(line).or_default() += 1);
    found
        .iter()
        .for_each(|line| *counts.entry(line).or_default() -= 1);
    counts
        .values()
        .map(|count| count.unsigned_abs() as usize)
        .sum()
}
