//! Hashes of all exported rows by file, which reveal every changed edge, even without gold data.
//!
//! The export of the last run that agreed with the recorded hashes is kept in `target/golden`, to
//! show the changed rows.
//!
//! Limitations: without that export, as in a fresh clone, only the files are shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use codeagent_core::query::ExportTables;

/// Rows by file, each prefixed with its table's name.
pub type Rows = BTreeMap<String, BTreeSet<String>>;

/// Collects all rows of an export.
pub fn collect(tables: &ExportTables) -> Rows {
    let mut rows = Rows::new();

    // The number is the index of the column with the row's file.
    for (name, text, column) in [
        ("symbols", &tables.symbols, 0),
        ("calls", &tables.calls, 0),
        ("inherits", &tables.inherits, 1),
        ("refs", &tables.refs, 0),
    ] {
        for line in text.lines().skip(1) {
            let file = line.split('\t').nth(column).unwrap_or_default();
            rows.entry(file.to_owned())
                .or_default()
                .insert(format!("{name}\t{line}"));
        }
    }

    rows
}

/// Formats one line per file: path, number of rows, hash.
pub fn hashes(rows: &Rows) -> String {
    rows.iter().fold(String::new(), |mut text, (file, rows)| {
        let mut hasher = blake3::Hasher::new();
        for row in rows {
            hasher.update(row.as_bytes()).update(b"\n");
        }
        let _ = writeln!(
            text,
            "{file} {} {}",
            rows.len(),
            &hasher.finalize().to_hex()[..16]
        );
        text
    })
}

/// Saves the rows for the next comparison.
pub fn keep(rows: &Rows, path: &Path) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let text: String = rows
        .values()
        .flatten()
        .flat_map(|row| [row.as_str(), "\n"])
        .collect();
    Ok(std::fs::write(path, zstd::encode_all(text.as_bytes(), 3)?)?)
}

/// Returns the saved rows if they match the recorded hashes.
pub fn previous_rows(path: &Path, committed: &str) -> Option<Rows> {
    let text =
        String::from_utf8(zstd::decode_all(std::fs::read(path).ok()?.as_slice()).ok()?).ok()?;
    let mut rows = Rows::new();
    for line in text.lines() {
        let mut cells = line.split('\t');
        let column = if cells.next() == Some("inherits") {
            1
        } else {
            0
        };
        rows.entry(cells.nth(column)?.to_owned())
            .or_default()
            .insert(line.to_owned());
    }
    (hashes(&rows) == committed).then_some(rows)
}

/// Returns removed rows with `-` and added rows with `+`.
pub fn changes(before: &Rows, now: &Rows) -> Vec<String> {
    let none = BTreeSet::new();
    let files: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let mut lines = Vec::new();
    for file in files {
        let (old, new) = (
            before.get(file).unwrap_or(&none),
            now.get(file).unwrap_or(&none),
        );
        lines.extend(old.difference(new).map(|row| format!("- {row}")));
        lines.extend(new.difference(old).map(|row| format!("+ {row}")));
    }
    lines
}
