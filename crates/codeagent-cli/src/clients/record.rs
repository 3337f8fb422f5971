//! Records what `install` created in clients' files, so that `uninstall` removes that and no more.
//!
//! The record is one JSON object in the data folder, keyed by the file's path.
//!
//! Limitations: the data folder is a cache. If the record is lost, an empty object remains in the
//! client's file.

#![allow(
    clippy::disallowed_methods,
    reason = "the record is no file of a repository"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use codeagent_workspace::{DataRoot, make_own_folder};
use serde::{Deserialize, Serialize};

/// What was created in addition to the entry.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Created {
    pub file: bool,
    /// The object that holds the servers.
    pub servers: bool,
}

/// Returns what was created in this file.
pub fn recall(path: &Path) -> Created {
    read().remove(&key(path)).unwrap_or_default()
}

/// Records what was created in this file.
pub fn remember(path: &Path, created: Created) -> anyhow::Result<()> {
    let mut record = read();
    record.insert(key(path), created);
    write(&record)
}

/// Removes this file from the record.
pub fn forget(path: &Path) -> anyhow::Result<()> {
    let mut record = read();
    if record.remove(&key(path)).is_none() {
        Ok(())
    } else {
        write(&record)
    }
}

type Record = BTreeMap<String, Created>;

fn key(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn record_path() -> anyhow::Result<PathBuf> {
    Ok(DataRoot::default().path()?.join("clients.json"))
}

/// Reads the record; an unreadable one counts as empty.
fn read() -> Record {
    let text = record_path()
        .ok()
        .and_then(|place| std::fs::read(place).ok());
    text.and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default()
}

fn write(record: &Record) -> anyhow::Result<()> {
    let place = record_path()?;
    if record.is_empty() {
        return Ok(std::fs::remove_file(place)?);
    }
    if let Some(folder) = place.parent().filter(|folder| !folder.exists()) {
        make_own_folder(folder)?;
    }
    super::files::write(&place, &serde_json::to_string_pretty(record)?)
}
