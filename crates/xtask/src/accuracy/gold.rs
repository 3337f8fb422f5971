//! Compact gold data as committed: the columns that the comparison reads, with all tables in one
//! compressed text.
//!
//! Limitations: the input is the output of a compiler harness outside this repository; see
//! `tests/golden/gold/NOTICE.md`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use codeagent_core::Language;

use crate::accuracy::tables::Table;

/// zstd level: small files matter, compression time does not.
const LEVEL: i32 = 19;

/// The tables that the comparison reads, each with its columns. Symbol numbers are row numbers,
/// from 1.
type Columns = [(&'static str, &'static str); 4];

const TYPESCRIPT_COLUMNS: Columns = [
    (
        "symbols",
        "file kind name line_start name_line parent_sid scope opt",
    ),
    (
        "calls",
        "caller_file site_line site_col site_name expr_line expr_col status callee_sids",
    ),
    (
        "inherits",
        "kind child_file child_sid parent_sids parent_name status",
    ),
    ("refs", "file line col name sub decl_sids"),
];

const CSHARP_COLUMNS: Columns = [
    (
        "symbols",
        "file kind name container line_start name_line parent_sid canon_sid",
    ),
    (
        "calls",
        "caller_file site_line site_col call_kind status callee_sid",
    ),
    ("inherits", "kind child_file child_sid parent_sid status"),
    ("refs", "file line col status decl_sid"),
];

/// Reads a committed gold text.
pub fn read(path: &Path) -> anyhow::Result<String> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(String::from_utf8(zstd::decode_all(bytes.as_slice())?)?)
}

/// Compacts the harness's `PREFIX.symbols.tsv.gz` and the files next to it.
pub fn compact(prefix: &Path, language: Language, out: &Path) -> anyhow::Result<()> {
    let mut text = String::new();

    writeln!(text, "#files\tfile")?;
    for line in files(prefix)?.lines() {
        writeln!(text, "{line}")?;
    }

    let tables = match language {
        Language::TypeScript => TYPESCRIPT_COLUMNS,
        Language::CSharp | Language::Imported => CSHARP_COLUMNS,
    };

    for (name, columns) in tables {
        let Some(full) = table(prefix, name)? else {
            continue;
        };

        let full = Table::parse(&full);
        let columns: Vec<&str> = columns.split(' ').collect();
        writeln!(text, "#{name}\t{}", columns.join("\t"))?;

        for (at, row) in full.rows().enumerate() {
            ensure!(
                name != "symbols" || row.number("sid") == at + 1,
                "{name}: symbols are not numbered in order"
            );

            let cells: Vec<&str> = columns.iter().map(|column| row.text(column)).collect();
            ensure!(!cells[0].starts_with('#'), "{name}: a row begins with #");
            writeln!(text, "{}", cells.join("\t"))?;
        }
    }

    std::fs::write(out, zstd::encode_all(text.as_bytes(), LEVEL)?)?;
    Ok(())
}

fn with_ending(prefix: &Path, ending: &str) -> std::path::PathBuf {
    let mut path = prefix.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

/// Returns the files that the gold covers, one per line.
fn files(prefix: &Path) -> anyhow::Result<String> {
    let list = with_ending(prefix, ".files.txt");
    if list.exists() {
        return Ok(std::fs::read_to_string(list)?);
    }
    let text = std::fs::read_to_string(with_ending(prefix, ".files.tsv"))?;
    Ok(Table::parse(&text)
        .rows()
        .fold(String::new(), |text, row| text + row.text("file") + "\n"))
}

fn table(prefix: &Path, name: &str) -> anyhow::Result<Option<String>> {
    let path = with_ending(prefix, &format!(".{name}.tsv.gz"));
    if !path.exists() {
        return Ok(None);
    }
    let output = Command::new("gzip")
        .arg("-dc")
        .arg(&path)
        .output()
        .context("cannot start gzip")?;
    if !output.status.success() {
        bail!("gzip cannot read {}", path.display());
    }
    Ok(Some(String::from_utf8(output.stdout)?))
}
