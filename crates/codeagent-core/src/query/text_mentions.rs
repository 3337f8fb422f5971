//! Where does a name stand in files that no language covers: markup, templates, configuration?
//! Possible uses that no link knows.
//!
//! **Limits.** Names are looked for as whole words, whatever they mean there, in at most
//! [`MAX_FILES`] files and [`MAX_BYTES`] bytes.

use crate::query::texts::{Texts, is_word};
use crate::query::{Places, QueryError, Sources};

/// How many files are looked at.
const MAX_FILES: usize = 3_000;

/// How many bytes are looked at.
const MAX_BYTES: u64 = 32 << 20;

/// Longest line shown, in characters.
const MAX_LINE: usize = 120;

/// What files without a language hold of some names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextualUses {
    /// The lines that hold one of the names.
    pub places: Places,
    /// Whether there are more such files than were looked at.
    pub is_cut: bool,
}

/// Lines of files without a language that hold one of these names as a word.
pub fn textual_uses(
    sources: &Sources<'_>,
    texts: &Texts,
    names: &[&str],
    shown: usize,
) -> Result<TextualUses, QueryError> {
    let workspace = sources.workspace();
    let names: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| name.len() >= 3 && name.chars().all(is_word))
        .collect();
    let mut uses = TextualUses::default();
    if names.is_empty() {
        return Ok(uses);
    }
    let (listing, is_kept) = texts.listing(workspace);
    let mut bytes = 0;
    for (number, text) in listing.files.iter().enumerate() {
        bytes += text.size;
        if number >= MAX_FILES || bytes > MAX_BYTES {
            uses.is_cut = true;
            break;
        }
        if !text.may_hold(&names) {
            continue;
        }
        sources.snapshot().check()?;
        let Ok(file) = workspace.read(&text.path) else {
            continue;
        };
        if is_kept {
            text.note(&file.text);
        }
        for (number, line) in (1..).zip(file.text.lines()) {
            if names.iter().any(|name| holds_word(line, name)) {
                uses.places.count += 1;
                if uses.places.first.len() < shown {
                    let line: String = line.trim().chars().take(MAX_LINE).collect();
                    uses.places
                        .first
                        .push(format!("{}:{number} {line}", text.path));
                }
            }
        }
    }
    Ok(uses)
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
        for (line, expected) in [
            ("@Total()", true),
            ("Cart.Total", true),
            ("Totals", false),
            ("SubTotal", false),
            ("SubTotal Total", true),
        ] {
            assert_eq!(holds_word(line, "Total"), expected, "{line}");
        }
    }
}
