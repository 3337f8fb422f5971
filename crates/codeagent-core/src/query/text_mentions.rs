//! Mentions of a name in files of languages that are not indexed: markup, templates, configuration.
//!
//! Only rare names are searched, because a short name or one with many mentions is a common word.
//!
//! Limitations: names are matched as whole words, whatever they mean there, in at most
//! [`MAX_FILES`] files and [`MAX_BYTES`] bytes.

use crate::query::text_files::{TextFiles, is_word};
use crate::query::{QueryError, SiteSample, Sources};

/// Maximum number of files searched.
const MAX_FILES: usize = 3_000;

/// Maximum number of bytes searched.
const MAX_BYTES: u64 = 32 << 20;

/// Minimum length of a name, in letters.
const MIN_LETTERS: usize = 5;

/// Maximum number of mentions of a name; with more, it counts as a common word.
const MAX_MENTIONS: u64 = 20;

/// Maximum length of a shown line, in characters.
const MAX_LINE: usize = 120;

/// Mentions of some names in files of other languages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextMentions {
    /// The lines that contain one of the names.
    pub sites: SiteSample,
    /// Whether some files were not searched.
    pub is_cut: bool,
}

/// Finds lines in files of other languages that contain one of these names as a word.
pub fn text_mentions(
    sources: &Sources<'_>,
    texts: &TextFiles,
    names: &[&str],
    limit: usize,
) -> Result<TextMentions, QueryError> {
    let workspace = sources.workspace();
    let names: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| name.chars().count() >= MIN_LETTERS && name.chars().all(is_word))
        .collect();

    let mut mentions = TextMentions::default();
    if names.is_empty() {
        return Ok(mentions);
    }

    let (listing, is_kept) = texts.listing(workspace);
    let mut bytes = 0;
    for (number, text) in listing.files.iter().enumerate() {
        bytes += text.size;
        if number >= MAX_FILES || bytes > MAX_BYTES {
            mentions.is_cut = true;
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
                mentions.sites.count += 1;
                if mentions.sites.count > MAX_MENTIONS {
                    return Ok(TextMentions::default());
                }

                if mentions.sites.first.len() < limit {
                    let line: String = line.trim().chars().take(MAX_LINE).collect();
                    let kind = kind(text.path.file_name());
                    mentions
                        .sites
                        .first
                        .push(format!("{}:{number} ({kind}) {line}", text.path));
                }
            }
        }
    }

    Ok(mentions)
}

fn holds_word(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + name.len()..].chars().next();
        // `resolve-path` is one word, so it does not mention `resolve`.
        let is_joined = |c: char| is_word(c) || c == '-';
        !before.is_some_and(is_joined) && !after.is_some_and(is_joined)
    })
}

/// Returns what kind of file a name belongs to.
fn kind(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match &*ending.to_ascii_lowercase() {
        "cshtml" | "razor" | "vue" | "svelte" | "astro" | "hbs" | "ejs" | "liquid" => "template",
        "html" | "htm" | "xaml" | "axaml" | "svg" => "markup",
        "json" | "jsonc" | "json5" | "yaml" | "yml" | "toml" | "ini" | "config" | "xml"
        | "csproj" | "props" | "targets" | "env" => "configuration",
        "md" | "mdx" | "rst" | "txt" | "adoc" => "documentation",
        "sql" | "graphql" | "gql" | "proto" => "schema",
        "css" | "scss" | "less" | "sass" => "styles",
        "sh" | "ps1" | "bat" | "cmd" => "script",
        _ => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_is_a_whole_word() {
        for (line, expected) in [
            ("@Total()", true),
            ("Cart.Total", true),
            ("Totals", false),
            ("SubTotal", false),
            ("SubTotal Total", true),
            ("\"Total-path\": 1", false),
        ] {
            assert_eq!(holds_word(line, "Total"), expected, "{line}");
        }
    }
}
