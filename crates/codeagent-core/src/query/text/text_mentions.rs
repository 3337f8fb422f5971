//! Mentions of a name where it is not indexed: in files of other languages (markup, templates,
//! configuration) and in C# code excluded by `#if`.
//!
//! Razor files contain C#, so every name of a C# symbol is searched in them. Elsewhere a short name is
//! not searched, and one with many mentions is taken for a common word, unless it is compound
//! (`HoppButton`, `max_size`). Inactive code is treated like Razor, but many mentions of a member
//! that is not compound (`Dispose`) are of others.
//!
//! Limitations: names are matched as whole words, whatever they mean there, in at most
//! [`MAX_FILES`] files and [`MAX_BYTES`] bytes.

use std::sync::Arc;

use codeagent_workspace::RepoPath;

use crate::model::graph::Node;
use crate::query::text::inactive_code::inactive_lines;
use crate::query::text::razor::{RazorNames, code_words};
use crate::query::text::text_files::{Listing, is_word};
use crate::query::{QueryError, SiteSample, Sources};

/// Maximum number of files searched.
const MAX_FILES: usize = 3_000;

/// Maximum number of bytes searched.
const MAX_BYTES: u64 = 32 << 20;

/// Minimum length of a name, in letters.
const MIN_LETTERS: usize = 5;

/// Maximum number of mentions of a name that is not compound; with more, it counts as a common word.
const MAX_MENTIONS: usize = 20;

/// Maximum number of mentions of other names.
const MAX_COMPOUND: usize = 1_000;

/// Maximum length of a shown line, in characters.
const MAX_LINE: usize = 120;

/// Mentions of some names where they are not indexed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextMentions {
    /// The lines that contain one of the names.
    pub lines: Vec<TextMention>,
    /// Whether some files were not searched, or some lines are left out.
    pub is_cut: bool,
}

/// A line that contains a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextMention {
    /// Repo-relative path.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// Kind of the file or code: `template`, `configuration`, `inactive code`.
    pub kind: &'static str,
    /// The trimmed line, cut if it is long.
    pub text: String,
    /// Where the line is.
    pub place: MentionPlace,
}

/// Where a name is mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MentionPlace {
    /// C# code excluded by `#if`.
    InactiveCode,
    /// The code of a Razor file.
    Razor,
    /// Any other text.
    Text,
}

impl TextMentions {
    /// Returns the number of the lines, and the first ones as text.
    pub(in crate::query) fn sample(&self, limit: usize) -> SiteSample {
        let text = |mention: &TextMention| {
            let TextMention {
                path,
                line,
                kind,
                text,
                ..
            } = mention;
            format!("{path}:{line} ({kind}) {text}")
        };
        SiteSample {
            count: self.lines.len() as u64,
            first: self.lines.iter().take(limit).map(text).collect(),
        }
    }
}

/// Finds lines that name one of these symbols and are not indexed: in inactive code, in Razor files,
/// which contain C#, and with `in_all` in every file of another language.
pub fn text_mentions(
    sources: &mut Sources<'_>,
    nodes: &[&Node],
    in_all: bool,
) -> Result<TextMentions, QueryError> {
    let mut mentions = inactive_mentions(sources, nodes)?;
    let others = in_other_languages(sources, nodes, in_all)?;
    mentions.lines.extend(others.lines);
    mentions.is_cut |= others.is_cut;
    Ok(mentions)
}

/// Finds the lines of inactive code that name one of these types after a colon, as a list of bases
/// does, or one of these members.
pub fn inactive_bases(
    sources: &mut Sources<'_>,
    nodes: &[&Node],
) -> Result<TextMentions, QueryError> {
    let mut mentions = inactive_mentions(sources, nodes)?;
    let has_base = |line: &str, name: &str| {
        let bases = line.split_once(':');
        bases.is_some_and(|(_, bases)| holds_word(bases, name))
    };
    let is_named =
        |line: &str, node: &Node| !node.node_type.is_type() || has_base(line, &node.name);
    mentions
        .lines
        .retain(|mention| nodes.iter().any(|node| is_named(&mention.text, node)));
    Ok(mentions)
}

/// Finds the lines of inactive code that name one of these symbols.
fn inactive_mentions(
    sources: &mut Sources<'_>,
    nodes: &[&Node],
) -> Result<TextMentions, QueryError> {
    let found = inactive_lines(sources, nodes)?;
    let is_telling = |node: &&Node| node.node_type.is_type() || is_compound(&node.name);
    if found.lines.len() > MAX_MENTIONS && !nodes.iter().any(is_telling) {
        return Ok(TextMentions::default());
    }

    let mut mentions = TextMentions {
        is_cut: found.is_cut || found.lines.len() > MAX_COMPOUND,
        ..TextMentions::default()
    };
    for (path, line) in found.lines.into_iter().take(MAX_COMPOUND) {
        let source = sources.line(&path, line)?.unwrap_or_default();
        mentions.lines.push(TextMention {
            text: source.trim().chars().take(MAX_LINE).collect(),
            path,
            line,
            kind: "inactive code",
            place: MentionPlace::InactiveCode,
        });
    }
    Ok(mentions)
}

/// Finds the lines of files in other languages that name one of these symbols: of Razor files, and
/// with `in_all` of every other one.
fn in_other_languages(
    sources: &Sources<'_>,
    nodes: &[&Node],
    in_all: bool,
) -> Result<TextMentions, QueryError> {
    let razor = RazorNames::of(sources.snapshot(), nodes)?;
    let names = match in_all {
        true => rare_names(nodes),
        false => Vec::new(),
    };

    if razor.is_empty() && names.is_empty() {
        return Ok(TextMentions::default());
    }
    let Some(texts) = sources.text_files() else {
        return Ok(TextMentions::default());
    };

    search(sources, texts, &razor, names)
}

/// Finds the lines of these files that contain one of the names; `names` are ignored if they prove
/// to be common words.
fn search(
    sources: &Sources<'_>,
    (listing, is_kept): &(Arc<Listing>, bool),
    razor: &RazorNames<'_>,
    mut names: Vec<&str>,
) -> Result<TextMentions, QueryError> {
    let mut mentions = TextMentions::default();
    let is_compound = names.iter().all(|name| is_compound(name));
    let (mut files, mut bytes, mut others) = (0, 0, 0);
    for text in &listing.files {
        let in_razor = razor.within(text.path.as_str());
        let is_code = !in_razor.is_empty();
        let wanted = if is_code { &in_razor } else { &names };
        if wanted.is_empty() {
            continue;
        }

        (files, bytes) = (files + 1, bytes + text.size);
        if files > MAX_FILES || bytes > MAX_BYTES || mentions.lines.len() > MAX_COMPOUND {
            mentions.is_cut = true;
            break;
        }
        if !text.may_hold(wanted) {
            continue;
        }

        sources.snapshot().check()?;
        let Ok(file) = sources.workspace().read(&text.path) else {
            continue;
        };
        if *is_kept {
            text.note(&file.text);
        }

        let place = match is_code {
            true => MentionPlace::Razor,
            false => MentionPlace::Text,
        };
        let found = lines_with(&file.text, wanted, is_code);
        if !is_code {
            others += found.len();
            if others > MAX_MENTIONS && !is_compound {
                mentions
                    .lines
                    .retain(|mention| mention.place == MentionPlace::Razor);
                names.clear();
                continue;
            }
        }
        mentions.lines.extend(mentions_of(&text.path, found, place));
    }

    mentions.is_cut |= mentions.lines.len() > MAX_COMPOUND;
    mentions.lines.truncate(MAX_COMPOUND);
    Ok(mentions)
}

/// Returns the mentions in these lines of a file.
fn mentions_of(
    path: &RepoPath,
    lines: Vec<(u32, &str)>,
    place: MentionPlace,
) -> impl Iterator<Item = TextMention> {
    lines.into_iter().map(move |(line, found)| TextMention {
        path: path.as_str().to_owned(),
        line,
        kind: kind(path.file_name()),
        text: found.trim().chars().take(MAX_LINE).collect(),
        place,
    })
}

/// Returns the names of symbols that are long enough to be searched, each once.
fn rare_names<'a>(nodes: &[&'a Node]) -> Vec<&'a str> {
    let names = nodes.iter().map(|node| node.name.as_str());
    let mut names: Vec<&str> = names
        .filter(|name| name.chars().count() >= MIN_LETTERS && name.chars().all(is_word))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the lines of a text that contain one of these names as a word, with their numbers.
fn lines_with<'t>(text: &'t str, names: &[&str], is_code: bool) -> Vec<(u32, &'t str)> {
    let holds = |line: &str| {
        if is_code {
            code_words(line).any(|word| names.contains(&word))
        } else {
            names.iter().any(|name| holds_word(line, name))
        }
    };
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| holds(line))
        .collect()
}

/// Reports whether a name is compound, so that it is no word of prose: `HoppButton`, `max_size`.
#[must_use]
pub fn is_compound(name: &str) -> bool {
    let is_seam = |c: char| c.is_uppercase() || c.is_ascii_digit() || c == '_';
    name.chars().any(char::is_lowercase) && name.chars().skip(1).any(is_seam)
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

    #[test]
    fn a_compound_name_has_a_seam() {
        for (name, expected) in [
            ("HoppButton", true),
            ("max_size", true),
            ("total", false),
            ("Total", false),
            ("TOTAL", false),
        ] {
            assert_eq!(is_compound(name), expected, "{name}");
        }
    }
}
