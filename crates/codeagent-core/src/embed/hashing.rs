//! Hashing embedder `lexhash-384`: similarity of texts by their words and letters, without a model.
//!
//! A text is split into camel-case words (`getHttpUrl`: get, http, url), and each word is reduced
//! to its stem. Each word and each run of three or four of its letters is hashed; the hash selects
//! two dimensions of the vector and the signs to add there. Texts that share words or parts of
//! words have similar vectors; everything else cancels out.
//!
//! Limitations: purely lexical, so `delete` and `remove` have nothing in common.

use rustc_hash::FxHashMap;

use crate::embed::tokenizer::{camel_words, is_stop_word, push_lower, runs, stem, without_digits};
use crate::embed::{DIMENSIONS, EmbedError, Embedder, Vector, cosine};

/// The model name of its vectors.
pub const NAME: &str = "lexhash-384";

/// Weights of words on the lines name, qualified name, path and signature.
const LINE_WEIGHTS: [f32; 4] = [4.0, 2.0, 1.0, 1.5];
/// Weight of all letter runs of a word together, relative to the word.
const LETTERS: f32 = 0.35;
/// Minimum length of a word with letter runs.
const MIN_LETTERS: usize = 4;
/// Lengths of letter runs.
const RUNS: [usize; 2] = [3, 4];
/// Number of dimensions per feature.
const CONTRIBUTIONS: u64 = 2;
/// Maximum number of cached words; when exceeded, the cache is emptied.
const MAX_REMEMBERED: usize = 1 << 14;
/// Maximum length of a word in characters; longer words are cut.
const MAX_WORD: usize = 40;

/// The built-in embedder.
#[derive(Clone, Copy, Debug, Default)]
pub struct HashingEmbedder;

impl Embedder for HashingEmbedder {
    fn name(&self) -> &str {
        NAME
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        let mut hasher = Hasher::default();
        Ok(texts.iter().map(|text| hasher.vector(text)).collect())
    }
}

/// A dimension and the value that a feature adds there.
type Contribution = (u16, f32);

/// Computes vectors and caches the contributions of each word.
#[derive(Default)]
pub struct Hasher {
    remembered: FxHashMap<String, Box<[Contribution]>>,
    /// Distinct words of the current text with their weights; the buffer is reused.
    words: Vec<(String, f32)>,
}

impl Hasher {
    /// Returns the vector of a text.
    pub fn vector(&mut self, text: &str) -> Vector {
        let count = self.read(text);

        if self.remembered.len() > MAX_REMEMBERED {
            self.remembered.clear();
        }

        let mut vector = [0.0; DIMENSIONS];
        for (word, weight) in &self.words[..count] {
            // Further occurrences of a word add less and less.
            let worth = if *weight >= 1.0 {
                1.0 + weight.ln()
            } else {
                *weight
            };

            let mut add = |contributions: &[Contribution]| {
                contributions
                    .iter()
                    .for_each(|(place, sign)| vector[usize::from(*place)] += sign * worth)
            };

            match self.remembered.get(word) {
                Some(contributions) => add(contributions),
                None => add(self
                    .remembered
                    .entry(word.clone())
                    .or_insert_with(|| contributions(word))),
            }
        }

        normalise(&mut vector);
        vector
    }

    /// Collects the distinct words of a text and returns their number. The lines of a symbol's text
    /// have different weights; a query has one line.
    fn read(&mut self, text: &str) -> usize {
        let is_question = !text.contains('\n');
        let mut count = 0;
        for (line, line_weight) in text.split('\n').zip(LINE_WEIGHTS) {
            let weight = if is_question { 1.0 } else { line_weight };
            for part in runs(line).flat_map(camel_words).flat_map(without_digits) {
                self.note(part, weight, is_question, &mut count);
            }
        }
        count
    }

    fn note(&mut self, part: &str, weight: f32, is_question: bool, count: &mut usize) {
        if *count == self.words.len() {
            self.words.push((String::new(), 0.0));
        }

        let (before, rest) = self.words.split_at_mut(*count);
        let (word, word_weight) = &mut rest[0];
        word.clear();
        push_lower(word, part);

        if word.len() > MAX_WORD {
            let end = word
                .char_indices()
                .nth(MAX_WORD)
                .map_or(word.len(), |(end, _)| end);
            word.truncate(end);
        }

        let is_letter = word.len() < 2 && !word.starts_with(|c: char| c.is_ascii_digit());
        if is_letter || (is_question && is_stop_word(word)) {
            return;
        }

        word.truncate(stem(word).len());
        match before.iter_mut().find(|(known, _)| known == word) {
            Some((_, sum)) => *sum += weight,
            None => {
                *word_weight = weight;
                *count += 1;
            }
        }
    }
}

/// Returns the contributions of a word and its letter runs.
fn contributions(word: &str) -> Box<[Contribution]> {
    let mut contributions = Vec::new();

    let mut put = |feature: &[u8], worth: f32| {
        for which in 0..CONTRIBUTIONS {
            let hash = hash(feature, which);
            contributions.push((
                (hash % DIMENSIONS as u64) as u16,
                if hash >> 63 == 1 { worth } else { -worth },
            ));
        }
    };

    put(word.as_bytes(), 1.0);
    if word.len() >= MIN_LETTERS {
        let bounded = format!("^{word}$");
        let count: usize = RUNS.iter().map(|length| bounded.len() + 1 - length).sum();
        let worth = LETTERS / (count as f32).sqrt();

        for run in RUNS
            .iter()
            .flat_map(|length| bounded.as_bytes().windows(*length))
        {
            // The prefix keeps a letter run from being hashed like a word.
            let mut feature = [b'#'; 1 + RUNS[1]];
            feature[1..=run.len()].copy_from_slice(run);
            put(&feature[..=run.len()], worth);
        }
    }

    contributions.into()
}

/// Hashes with FNV-1a and a final mix, so that similar texts differ in all bits.
fn hash(bytes: &[u8], seed: u64) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let sum = bytes.iter().fold(start, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (sum ^ (sum >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}

/// Scales a vector to length 1, unless it is zero.
fn normalise(vector: &mut Vector) {
    let length = cosine(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn similarity(a: &str, b: &str) -> f32 {
        let vectors = HashingEmbedder.embed(&[a, b]).unwrap();
        cosine(&vectors[0], &vectors[1])
    }

    const TOTAL: &str = "calculateTotal\nCart.calculateTotal\nsrc/cart.ts\n(items: Item[]) number";

    #[test]
    fn equal_texts_have_equal_vectors() {
        let mut hasher = Hasher::default();
        let first = hasher.vector(TOTAL);
        hasher.vector("something else");
        assert_eq!(first, hasher.vector(TOTAL));
        assert_eq!(first, HashingEmbedder.embed(&["x", TOTAL]).unwrap()[1]);
        assert!((cosine(&first, &first) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn shared_words_and_letters_raise_similarity() {
        let other = "sendMail\nMailer.sendMail\nsrc/mailer.ts\n(text: string) void";
        let question = "calculates the total of a cart";
        assert!(similarity(question, TOTAL) > similarity(question, other) + 0.3);
        // No word in common, only letters.
        let misspelt = [TOTAL, other].map(|text| similarity("calculator subtotals", text));
        assert!(misspelt[0] > misspelt[1] + 0.02, "{misspelt:?}");
    }

    #[test]
    fn the_name_counts_more_than_the_path() {
        let named = "parse\nA.parse\nsrc/x.ts\n()";
        let lying = "x\nA.x\nsrc/parse.ts\n()";
        assert!(similarity("parse", named) > similarity("parse", lying) + 0.1);
    }

    #[test]
    fn stop_words_count_in_names_only() {
        assert_eq!(
            HashingEmbedder.embed(&["the of"]).unwrap()[0],
            [0.0; DIMENSIONS]
        );
        assert!(similarity("is\nA.is\n\n", "is\nB.is\n\n") > 0.5);
    }

    #[test]
    fn an_empty_text_has_no_vector() {
        assert_eq!(
            HashingEmbedder.embed(&["", "$"]).unwrap(),
            [[0.0; DIMENSIONS]; 2]
        );
    }
}
