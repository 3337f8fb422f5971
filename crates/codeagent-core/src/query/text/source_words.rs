//! Finds the words of a sentence in the source of the repository.
//!
//! All indexed files but minified ones are read. Words are compared by root; names count by their
//! camel-case words. The symbols of the files with the rarest words are returned.
//!
//! Limitations: English, in UTF-8; only repositories of at most [`MAX_BYTES`] bytes of code. In a
//! file that has changed since it was indexed, words may count for a neighbouring symbol.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use codeagent_workspace::{RepoPath, Workspace};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::embed::tokenizer::{root, roots};
use crate::model::graph::NodeId;
use crate::store::{self, FileKey, Snapshot, SourceWords, StoreError};

/// The root of a word that only asks: `what happens when ..?`
const ASKING: &str = "happen";

/// Minimum number of words of a sentence.
const MIN_WORDS: usize = 3;

/// Maximum size of the code that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Number of files whose symbols are returned.
const FILES: usize = 150;

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
    roots.retain(|root| root != ASKING);
    let Some(matcher) = matcher(&roots) else {
        return Ok(None);
    };

    let found: Vec<Found> = files
        .par_iter()
        .filter_map(|(path, file, _)| {
            let path = RepoPath::new(path).ok()?;
            let text = workspace.read_bytes(&path, MAX_BYTES).ok()?;
            let words = words_of(&text, &matcher, &roots);
            (!words.is_empty()).then_some(Found { file: *file, words })
        })
        .collect();
    snapshot.check()?;

    let mut words = SourceWords {
        files: files.len(),
        having: having(&found, roots.len()),
        ..SourceWords::default()
    };
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

/// Counts the files that have each of `count` words.
fn having(found: &[Found], count: usize) -> Vec<usize> {
    let mut having = vec![0; count];
    for file in found {
        let words: FxHashSet<usize> = file.words.iter().map(|(_, word)| *word).collect();
        words.into_iter().for_each(|word| having[word] += 1);
    }
    having
}

/// Returns the files with the rarest words.
fn best(mut found: Vec<Found>, words: &SourceWords) -> Vec<Found> {
    found.sort_by_cached_key(|file| {
        let has: FxHashSet<usize> = file.words.iter().map(|(_, word)| *word).collect();
        let sum: f64 = has.into_iter().map(|word| words.rarity(word)).sum();
        (std::cmp::Reverse((sum * 1e6) as u64), file.file.0)
    });
    found.truncate(FILES);
    found
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
    let lines = spans
        .into_iter()
        .map(|(id, lines)| (id, lines.end() + 1 - lines.start()));
    words.lines.extend(lines);
    Ok(())
}

/// Returns the words of a text that have one of the roots, each with its line.
fn words_of(text: &[u8], matcher: &AhoCorasick, roots: &[String]) -> Vec<(u32, usize)> {
    let (mut line, mut counted) = (1, 0);
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
            words.push((line, number));
        }
    }
    words
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
            ("// Carts are\nscheduled.", &[(1, 0), (2, 1)][..]),
            (
                "saveCart(HTTPClient, cartScheduler)",
                &[(1, 0), (1, 2), (1, 0), (1, 1)],
            ),
            ("MAX_CARTS = 1", &[(1, 0)]),
            ("cartoon discart CARTOON", &[]),
        ] {
            assert_eq!(
                words_of(text.as_bytes(), &matcher, &roots),
                expected,
                "{text}"
            );
        }
    }
}
