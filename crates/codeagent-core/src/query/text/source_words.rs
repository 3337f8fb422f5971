//! Finds the words of a sentence in the source of the repository.
//!
//! All indexed files but minified ones are read. Words are compared by root; names count by their
//! camel-case words, comments for the code below them. The symbols of the files that have the rarest
//! words near each other are returned.
//!
//! Limitations: English, in UTF-8; only repositories of at most [`MAX_BYTES`] bytes of code. In a
//! file that has changed since it was indexed, words may count for a neighbouring symbol.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use codeagent_workspace::{RepoPath, Workspace};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::embed::tokenizer::{root, roots};
use crate::model::graph::NodeId;
use crate::store::{self, FileKey, Snapshot, SourceWords, StoreError};

/// Roots of words that ask, such as `what happens when ..?`, and of further words that say nothing of what is asked for.
const ASIDES: [&str; 46] = [
    "about", "after", "again", "against", "alread", "anoth", "anyth", "befor", "behind", "between",
    "both", "call", "clas", "class", "code", "decid", "down", "dur", "ever", "funct", "happen",
    "help", "just", "like", "method", "more", "most", "other", "out", "over", "own", "per", "real",
    "same", "somebod", "someon", "someth", "somewher", "still", "through", "two", "typ", "type",
    "up", "wheth", "whil",
];

/// Minimum number of words of a sentence.
const MIN_WORDS: usize = 3;

/// Maximum size of the code that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Number of lines within which words are near each other.
const NEAR_LINES: u32 = 30;

/// Number of files whose symbols are returned.
const FILES: usize = 150;

/// What lines of comments and attributes begin with.
const COMMENTS: [&[u8]; 5] = [b"//", b"/*", b"*", b"[", b"@"];

/// A file with words of the sentence.
struct Found {
    file: FileKey,
    /// The line and the index of each word, by line.
    words: Vec<(u32, usize)>,
}

/// Returns where the words of a sentence are; `None` if they are too few, or the code too much.
pub(in crate::query) fn source_words(
    snapshot: &Snapshot,
    workspace: &Workspace,
    sentence: &str,
) -> Result<Option<SourceWords>, StoreError> {
    let mut roots: Vec<String> = roots(sentence).into_iter().map(|(root, _)| root).collect();
    let files = store::written_files(snapshot)?;
    let bytes: u64 = files.iter().map(|(_, _, size)| size).sum();
    if roots.len() < MIN_WORDS || bytes > MAX_BYTES {
        return Ok(None);
    }
    roots.retain(|root| !ASIDES.contains(&root.as_str()));
    let Some(matcher) = matcher(&roots) else {
        return Ok(None);
    };

    let read: Vec<(Found, u64)> = files
        .par_iter()
        .filter_map(|(path, file, _)| {
            let path = RepoPath::new(path).ok()?;
            let text = workspace.read_bytes(&path, MAX_BYTES).ok()?;
            let words = words_of(&text, &matcher, &roots);
            let lines = memchr::memchr_iter(b'\n', &text).count() as u64 + 1;
            Some((Found { file: *file, words }, lines))
        })
        .collect();
    snapshot.check()?;

    let mut words = SourceWords {
        lines: read.iter().map(|(_, lines)| lines).sum(),
        having: having(&read, roots.len()),
        roots,
        ..SourceWords::default()
    };
    let found = read.into_iter().map(|(found, _)| found);
    let found = found.filter(|file| !file.words.is_empty()).collect();
    for file in best(found, &words) {
        add_symbols(snapshot, &file, &mut words)?;
    }
    Ok(Some(words))
}

/// Makes what finds words that begin with roots: `retry`, `Retry` and `RETRY`. Spelt out, because
/// letters of any case cannot be searched for by vector instructions.
fn matcher(roots: &[String]) -> Option<AhoCorasick> {
    let forms = roots.iter().flat_map(|root| {
        let mut capitalized = root.clone();
        if let Some(first) = capitalized.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        [root.clone(), capitalized, root.to_ascii_uppercase()]
    });
    let mut builder = AhoCorasick::builder();
    builder
        .kind(Some(AhoCorasickKind::DFA))
        .match_kind(MatchKind::LeftmostLongest);
    builder.build(forms).ok()
}

/// Number of forms of a root.
const FORMS: usize = 3;

/// Counts the places of each of `count` words.
fn having(read: &[(Found, u64)], count: usize) -> Vec<u64> {
    let mut having = vec![0; count];
    for (_, word) in read.iter().flat_map(|(file, _)| &file.words) {
        having[*word] += 1;
    }
    having
}

/// Returns the files that have the rarest words near each other.
fn best(mut found: Vec<Found>, words: &SourceWords) -> Vec<Found> {
    let rarity: Vec<f64> = (0..words.roots.len())
        .map(|word| words.rarity(word))
        .collect();
    found.sort_by_cached_key(|file| {
        let best = most_within(&file.words, &rarity);
        (std::cmp::Reverse((best * 1e6) as u64), file.file.0)
    });
    found.truncate(FILES);
    found
}

/// Returns the largest sum of the rarities of different words that are within [`NEAR_LINES`] lines.
fn most_within(words: &[(u32, usize)], rarity: &[f64]) -> f64 {
    let mut counts = vec![0u32; rarity.len()];
    let (mut first, mut sum, mut most) = (0, 0.0, 0.0_f64);

    for (line, word) in words {
        if counts[*word] == 0 {
            sum += rarity[*word];
        }
        counts[*word] += 1;

        while words[first].0 + NEAR_LINES < *line {
            let gone = words[first].1;
            counts[gone] -= 1;
            if counts[gone] == 0 {
                sum -= rarity[gone];
            }
            first += 1;
        }
        most = most.max(sum);
    }

    most
}

/// Adds the innermost symbols around the words of a file.
fn add_symbols(
    snapshot: &Snapshot,
    file: &Found,
    words: &mut SourceWords,
) -> Result<(), StoreError> {
    let spans = store::line_spans(snapshot, file.file)?;

    let mut symbols: FxHashMap<NodeId, FxHashMap<usize, u32>> = FxHashMap::default();
    for (line, word) in &file.words {
        if let Some((id, _)) = spans.iter().find(|(_, lines)| lines.contains(line)) {
            *symbols.entry(*id).or_default().entry(*word).or_default() += 1;
        }
    }
    words.symbols.extend(symbols);

    for (id, lines) in spans {
        *words.lengths.entry(id).or_default() += lines.end() + 1 - lines.start();
    }

    Ok(())
}

/// Returns the words of a text that have one of the roots, each with its line; a word of a comment with that of the code
/// below it, which it describes.
fn words_of(text: &[u8], matcher: &AhoCorasick, roots: &[String]) -> Vec<(u32, usize)> {
    let (mut line, mut counted) = (1, 0);
    let mut code = CodeLine::default();
    let mut words = Vec::new();

    for hit in matcher.find_iter(text) {
        let (start, end) = (hit.start(), word_end(text, hit.start()));
        if !is_word_start(text, start) || end < hit.end() {
            continue;
        }

        let word = text[start..end].to_ascii_lowercase();
        let number = hit.pattern().as_usize() / FORMS;
        if str::from_utf8(&word).is_ok_and(|word| root(word) == roots[number]) {
            line += memchr::memchr_iter(b'\n', &text[counted..start]).count() as u32;
            counted = start;
            words.push((code.at(text, (line, start)), number));
        }
    }

    words
}

/// The line of code below the comments that were looked at last.
#[derive(Default)]
struct CodeLine {
    /// Offset of its start.
    offset: usize,
    line: u32,
}

impl CodeLine {
    /// Returns the number of the line of an offset, or that of the next line of code if it is one of a comment.
    /// Offsets are asked for in ascending order.
    fn at(&mut self, text: &[u8], (line, offset): (u32, usize)) -> u32 {
        if offset < self.offset {
            return self.line;
        }
        let start = memchr::memrchr(b'\n', &text[..offset]).map_or(0, |at| at + 1);
        *self = Self {
            offset: start,
            line,
        };
        while is_comment(&text[self.offset..])
            && let Some(length) = memchr::memchr(b'\n', &text[self.offset..])
        {
            self.offset += length + 1;
            self.line += 1;
        }
        self.line
    }
}

/// Reports whether a line is one of a comment or an attribute.
fn is_comment(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    COMMENTS.iter().any(|start| text.starts_with(start))
}

/// Reports whether a camel-case word starts at an offset.
fn is_word_start(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| bytes[before]) else {
        return true;
    };
    let is_after_capitals = before.is_ascii_uppercase()
        && bytes
            .get(at + 1)
            .is_none_or(|next| !next.is_ascii_lowercase());
    !before.is_ascii_alphabetic() || bytes[at].is_ascii_uppercase() && !is_after_capitals
}

/// Returns the end of the camel-case word that starts at an offset.
fn word_end(bytes: &[u8], start: usize) -> usize {
    let is_capital = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_uppercase);
    let is_small = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    let mut end = start + 1;
    if is_capital(start) && is_capital(end) {
        while is_capital(end) {
            end += 1;
        }
        return if is_small(end) { end - 1 } else { end };
    }
    while is_small(end) {
        end += 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names_and_prose_are_found_by_their_roots() {
        let roots: Vec<String> = ["cart", "schedul", "http"].map(str::to_owned).into();
        let matcher = matcher(&roots).expect("roots");

        for (text, expected) in [
            ("# Carts are\nscheduled.", &[(1, 0), (2, 1)][..]),
            (
                "saveCart(HTTPClient, cartScheduler)",
                &[(1, 0), (1, 2), (1, 0), (1, 1)],
            ),
            ("MAX_CARTS = 1", &[(1, 0)]),
            ("cartoon discart CARTOON", &[]),
            (
                "// Saves carts\n// and schedules.\n@Cart()\nsave();\n// cart",
                &[(4, 0), (4, 1), (4, 0), (5, 0)],
            ),
        ] {
            assert_eq!(
                words_of(text.as_bytes(), &matcher, &roots),
                expected,
                "{text}"
            );
        }
    }
}
