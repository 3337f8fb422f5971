//! Reads and writes clients' settings files, and shows their changes.
//!
//! Limitations: a change is shown as one block, from the first to the last line that differs.

#![allow(
    clippy::disallowed_methods,
    reason = "these are files of the user's clients, not of a repository"
)]

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context as _;

/// Number of unchanged lines shown around a change.
const AROUND: usize = 2;

/// Returns the text of a file, or an empty text if there is none.
pub fn read(path: &Path) -> anyhow::Result<String> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        other => other.with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Replaces a file atomically, keeping its permissions and following links; an empty text removes
/// it.
pub fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    replace(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if text.is_empty() {
        return fs::remove_file(&path);
    }

    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;

    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));

    let draft = folder.join(name);
    let written = (|| {
        let mut file = fs::File::create_new(&draft)?;
        if let Ok(before) = path.metadata() {
            file.set_permissions(before.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, &path)
    })();

    if written.is_err() {
        fs::remove_file(&draft).ok();
    }

    written
}

/// Returns the lines that differ, removed ones with `-` and added ones with `+`.
pub fn diff(before: &str, after: &str) -> String {
    let [old, new]: [Vec<&str>; 2] = [before.lines().collect(), after.lines().collect()];
    let same = old
        .iter()
        .zip(&new)
        .take_while(|(old, new)| old == new)
        .count();

    let most = old.len().min(new.len()) - same;
    let same_end = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(most)
        .take_while(|(old, new)| old == new)
        .count();

    let mut lines = Vec::new();
    lines.extend(
        old[same.saturating_sub(AROUND)..same]
            .iter()
            .map(|line| format!("  {line}")),
    );
    lines.extend(
        old[same..old.len() - same_end]
            .iter()
            .map(|line| format!("- {line}")),
    );
    lines.extend(
        new[same..new.len() - same_end]
            .iter()
            .map(|line| format!("+ {line}")),
    );
    lines.extend(
        old[old.len() - same_end..]
            .iter()
            .take(AROUND)
            .map(|line| format!("  {line}")),
    );

    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_shows_the_lines_around_a_change() {
        assert_eq!(
            diff("a\nb\nc\nd\n", "a\nb\nX\nc\nd\n"),
            "  a\n  b\n+ X\n  c\n  d"
        );
        assert_eq!(diff("a\nb\n", "a\n"), "  a\n- b");
        assert_eq!(diff("", "a\n"), "+ a");
        assert_eq!(diff("a\na\n", "a\na\na\n"), "  a\n  a\n+ a");
    }
}
