//! How alike are two texts in their words and letters? `lexhash-384`: a vector without a model.
//!
//! Each word of a text, in parts as names are written (`getHttpUrl`: get, http, url) and without
//! its ending, and each run of three or four letters of it, adds to two places of the vector that a
//! hash chooses, with a sign that the hash chooses too. Texts that share words or parts of words
//! then have similar vectors; what else they have cancels out.
//!
//! **Limits.** Lexical: `delete` and `remove` have nothing in common.

use rustc_hash::FxHashMap;

use crate::embed::words::{humps, is_stop_word, push_lower, runs, stem, without_digits};
use crate::embed::{DIMENSIONS, EmbedError, Embedder, Vector, cosine};

/// The name under which its vectors are known.
pub const NAME: &str = "lexhash-384";

/// What a word is worth by the line it stands on: name, qualified name, path, signature.
const LINE_WEIGHTS: [f32; 4] = [4.0, 2.0, 1.0, 1.5];
/// What all runs of letters of a word are worth together, against the word.
const LETTERS: f32 = 0.35;
/// Shorter words are not looked at in runs of letters.
const MIN_LETTERS: usize = 4;
/// Lengths of runs of letters.
const RUNS: [usize; 2] = [3, 4];
/// Each feature adds to so many places.
const PLACES: u64 = 2;
/// Words remembered from text to text; with more, it begins anew.
const MAX_REMEMBERED: usize = 1 << 14;
/// Longer words are cut, in letters.
const MAX_WORD: usize = 40;

/// The vectors named `lexhash-384`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lexhash;

impl Embedder for Lexhash {
    fn name(&self) -> &str {
        NAME
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        let mut hasher = Hasher::default();
        Ok(texts.iter().map(|text| hasher.vector(text)).collect())
    }
}

/// What a feature adds: where, and with which sign.
type Place = (u16, f32);

/// Makes vectors, and remembers what each word adds.
#[derive(Default)]
pub struct Hasher {
    remembered: FxHashMap<String, Box<[Place]>>,
    /// Words of the present text with their weights; used again from text to text.
    words: Vec<(String, f32)>,
}

impl Hasher {
    /// The vector of a text.
    pub fn vector(&mut self, text: &str) -> Vector {
        let count = self.read(text);
        if self.remembered.len() > MAX_REMEMBERED {
            self.remembered.clear();
        }
        let mut vector = [0.0; DIMENSIONS];
        for (word, weight) in &self.words[..count] {
            // The second occurrence of a word says less than the first.
            let worth = if *weight >= 1.0 {
                1.0 + weight.ln()
            } else {
                *weight
            };
            let mut add = |places: &[Place]| {
                places
                    .iter()
                    .for_each(|(place, sign)| vector[usize::from(*place)] += sign * worth)
            };
            match self.remembered.get(word) {
                Some(places) => add(places),
                None => add(self
                    .remembered
                    .entry(word.clone())
                    .or_insert_with(|| places(word))),
            }
        }
        normalise(&mut vector);
        vector
    }

    /// Notes the words of a text, each once, and tells how many there are. Of a symbol's text lines
    /// have weights; a question has one line.
    fn read(&mut self, text: &str) -> usize {
        let is_question = !text.contains('\n');
        let mut count = 0;
        for (line, line_weight) in text.split('\n').zip(LINE_WEIGHTS) {
            let weight = if is_question { 1.0 } else { line_weight };
            for part in runs(line).flat_map(humps).flat_map(without_digits) {
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

/// What a word and its runs of letters add.
fn places(word: &str) -> Box<[Place]> {
    let mut places = Vec::new();
    let mut put = |feature: &[u8], worth: f32| {
        for which in 0..PLACES {
            let hash = hash(feature, which);
            places.push((
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
            // Marked, so that no run of letters is taken for a word.
            let mut feature = [b'#'; 1 + RUNS[1]];
            feature[1..=run.len()].copy_from_slice(run);
            put(&feature[..=run.len()], worth);
        }
    }
    places.into()
}

/// FNV-1a, with its bits mixed once more: neighbouring texts differ in all of them.
fn hash(bytes: &[u8], seed: u64) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let sum = bytes.iter().fold(start, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mixed = (sum ^ (sum >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}

/// Gives a vector length 1, unless it is zero.
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
        let vectors = Lexhash.embed(&[a, b]).unwrap();
        cosine(&vectors[0], &vectors[1])
    }

    const TOTAL: &str = "calculateTotal\nCart.calculateTotal\nsrc/cart.ts\n(items: Item[]) number";

    #[test]
    fn a_vector_is_a_function_of_its_text() {
        let mut hasher = Hasher::default();
        let first = hasher.vector(TOTAL);
        hasher.vector("something else");
        assert_eq!(first, hasher.vector(TOTAL));
        assert_eq!(first, Lexhash.embed(&["x", TOTAL]).unwrap()[1]);
        assert!((cosine(&first, &first) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn words_and_their_letters_make_texts_alike() {
        let other = "sendMail\nMailer.sendMail\nsrc/mailer.ts\n(text: string) void";
        let question = "calculates the total of a cart";
        assert!(similarity(question, TOTAL) > similarity(question, other) + 0.3);
        // No word in common, but letters.
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
        assert_eq!(Lexhash.embed(&["the of"]).unwrap()[0], [0.0; DIMENSIONS]);
        assert!(similarity("is\nA.is\n\n", "is\nB.is\n\n") > 0.5);
    }

    #[test]
    fn nothing_is_no_vector() {
        assert_eq!(Lexhash.embed(&["", "$"]).unwrap(), [[0.0; DIMENSIONS]; 2]);
    }
}
