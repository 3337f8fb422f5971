//! Where does a name stand in files that no language covers: markup, templates, configuration? Possible uses that no link knows.
//!
//! **Limits.** Names are looked for as whole words, whatever they mean there, in at most [`MAX_FILES`] files and [`MAX_BYTES`] bytes.

use codeagent_workspace::Workspace;

use crate::model::graph::Dialect;
use crate::query::{Places, QueryError, Sources};

/// How many files are looked at.
const MAX_FILES: usize = 3_000;

/// How many bytes are looked at.
const MAX_BYTES: u64 = 32 << 20;

/// Longest file that is looked at: longer ones are data.
const MAX_FILE_BYTES: u64 = 256 << 10;

/// Longest line shown, in characters.
const MAX_LINE: usize = 120;

/// Endings of files that name code: markup, templates, configuration.
const NAMING: [&str; 24] = [
    "razor", "cshtml", "vbhtml", "aspx", "ascx", "master", "xaml", "axaml", "vue", "svelte", "astro", "html", "htm", "hbs", "ejs",
    "config", "resx", "xml", "yml", "yaml", "json", "toml", "props", "targets",
];

/// Endings of further texts, which count for the share of text that is covered.
const OTHER_CODE: [&str; 24] = [
    "py", "java", "kt", "go", "rs", "c", "h", "cpp", "hpp", "cc", "m", "mm", "swift", "rb", "php", "lua", "fs", "fsx", "vb", "sh", "ps1",
    "sql", "css", "scss",
];

/// What files without a language hold of some names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextualUses {
    /// The lines that hold one of the names.
    pub places: Places,
    /// Whether there are more such files than were looked at.
    pub is_cut: bool,
}

/// Lines of files without a language that hold one of these names as a word.
pub fn textual_uses(sources: &Sources<'_>, names: &[&str], shown: usize) -> Result<TextualUses, QueryError> {
    let workspace = sources.workspace();
    let names: Vec<&str> = names.iter().copied().filter(|name| name.len() >= 3 && name.chars().all(is_word)).collect();
    let mut uses = TextualUses::default();
    if names.is_empty() {
        return Ok(uses);
    }
    let (mut files, mut bytes) = (0, 0);
    for entry in workspace.walk().entries {
        let is_naming = ending(entry.path.as_str()).is_some_and(|ending| NAMING.contains(&ending.as_str()));
        if !is_naming || entry.size > MAX_FILE_BYTES {
            continue;
        }
        sources.snapshot().check()?;
        files += 1;
        bytes += entry.size;
        if files > MAX_FILES || bytes > MAX_BYTES {
            uses.is_cut = true;
            break;
        }
        let Ok(file) = workspace.read(&entry.path) else { continue };
        for (number, line) in (1..).zip(file.text.lines()) {
            if names.iter().any(|name| holds_word(line, name)) {
                uses.places.count += 1;
                if uses.places.first.len() < shown {
                    let text: String = line.trim().chars().take(MAX_LINE).collect();
                    uses.places.first.push(format!("{}:{number} {text}", entry.path));
                }
            }
        }
    }
    Ok(uses)
}

/// Bytes of code in a language that is indexed, and of code, markup and configuration in none.
#[must_use]
pub fn covered_bytes(workspace: &Workspace) -> (u64, u64) {
    let (mut covered, mut other) = (0, 0);
    for entry in workspace.walk().entries {
        let ending = ending(entry.path.as_str()).unwrap_or_default();
        if Dialect::of_path(entry.path.as_str()).is_some() {
            covered += entry.size;
        } else if (NAMING.contains(&ending.as_str()) || OTHER_CODE.contains(&ending.as_str())) && entry.size <= MAX_FILE_BYTES {
            other += entry.size;
        }
    }
    (covered, other)
}

fn ending(path: &str) -> Option<String> {
    path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn holds_word(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_whole_words() {
        for (line, expected) in [("@Total()", true), ("Cart.Total", true), ("Totals", false), ("SubTotal", false), ("SubTotal Total", true)]
        {
            assert_eq!(holds_word(line, "Total"), expected, "{line}");
        }
    }
}
