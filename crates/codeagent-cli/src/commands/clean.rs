//! `codeagent clean`: removes indexes and reports their sizes and those that cannot be removed.
//!
//! Limitations: a running server of the repository rebuilds the index as soon as it can lock it.

use clap::Args;
use codeagent_core::engine::EngineError;
use codeagent_workspace::{DataDir, DataDirError, DataRoot};
use serde_json::{Value, json};

use crate::commands::Root;
use crate::output::{self, count};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Remove the indexes of repositories that no longer exist, instead of this one's
    #[arg(long)]
    all: bool,
    /// List what would be removed
    #[arg(long)]
    dry_run: bool,
}

struct Row {
    data: DataDir,
    bytes: u64,
    refused: Option<DataDirError>,
}

pub fn run(root: &Root, arguments: &Arguments) -> anyhow::Result<()> {
    let (rows, notes) = if arguments.all {
        orphans(arguments.dry_run)?
    } else {
        (own(root, arguments.dry_run)?, Vec::new())
    };

    if root.json {
        let rows: Vec<Value> = rows
            .iter()
            .map(|row| as_json(row, arguments.dry_run))
            .collect();
        return output::json(&json!({ "results": rows, "notes": notes }));
    }

    notes.iter().for_each(|note| output::note(note));
    if rows.is_empty() {
        return output::lines(["nothing to remove"]);
    }

    output::lines(rows.iter().map(|row| line(row, arguments.dry_run)))
}

/// Removes the index of this repository, if there is one.
fn own(root: &Root, is_dry: bool) -> anyhow::Result<Vec<Row>> {
    let data = root.data()?;
    let bytes = data.index_bytes();
    if bytes == 0 {
        return Ok(Vec::new());
    }
    if !is_dry {
        data.remove_index().map_err(EngineError::from)?;
    }
    Ok(vec![Row {
        data,
        bytes,
        refused: None,
    }])
}

/// Removes the indexes of missing repositories. A failure does not stop the others.
fn orphans(is_dry: bool) -> anyhow::Result<(Vec<Row>, Vec<String>)> {
    let kept = DataRoot::default().data_dirs().map_err(EngineError::from)?;
    let orphans = kept.known.into_iter().filter(DataDir::is_orphan);
    let rows = orphans.map(|data| {
        let bytes = data.bytes();
        let refused = if is_dry { None } else { data.remove().err() };
        Row {
            data,
            bytes,
            refused,
        }
    });

    let unknown = count(kept.unknown as u64, "folder");
    let note = format!(
        "{unknown} of an older codeagent version were kept; their repositories are recorded when \
         they are next indexed"
    );

    Ok((
        rows.collect(),
        Some(note)
            .filter(|_| kept.unknown > 0)
            .into_iter()
            .collect(),
    ))
}

fn line(row: &Row, is_dry: bool) -> String {
    let what = format!(
        "{} ({}), the index of {}",
        row.data.path().display(),
        size(row.bytes),
        row.data.root().display()
    );
    match &row.refused {
        Some(error) => format!("kept {what}: {error}"),
        None if is_dry => format!("would remove {what}"),
        None => format!("removed {what}"),
    }
}

fn as_json(row: &Row, is_dry: bool) -> Value {
    json!({
        "path": row.data.path().to_string_lossy(),
        "root": row.data.root().to_string_lossy(),
        "bytes": row.bytes,
        "removed": !is_dry && row.refused.is_none(),
        "reason": row.refused.as_ref().map(ToString::to_string),
    })
}

/// Formats a size: `12.3 MB`.
pub fn size(bytes: u64) -> String {
    let (mut number, mut unit) = (bytes as f64, "B");
    for larger in ["kB", "MB", "GB"] {
        if number < 1_000.0 {
            break;
        }
        (number, unit) = (number / 1_000.0, larger);
    }
    if unit == "B" {
        format!("{bytes} B")
    } else {
        format!("{number:.1} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_printed_with_a_unit() {
        for (bytes, expected) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (1_234_567, "1.2 MB"),
            (5_000_000_000_000, "5000.0 GB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
    }
}
