//! Binary quantization: approximate nearest neighbours from one bit per number. The query has two
//! more bits per number.
//!
//! A vector is first rotated, so that each number of the result depends on all of its numbers.
//! Otherwise the sign bits of a sparse vector, such as a `lexhash-384` one, would carry little
//! information. The rotation preserves lengths and angles.
//!
//! Limitations: differences are estimates. To find the nearest ten, take some hundred vectors with
//! the smallest differences and compare them exactly.

use crate::embed::{DIMENSIONS, Vector};

/// Number of 64-bit words with one bit per number.
const WORDS: usize = DIMENSIONS / 64;
/// Size of a [`SignBits`], in bytes.
pub const SIGN_BYTES: usize = DIMENSIONS / 8;
/// Number of vectors compared at once.
pub const LANES: usize = 8;
/// Number of dimensions rotated together; a power of two.
const TURNED: usize = 128;
const PARTS: usize = DIMENSIONS / TURNED;
/// Number of standard deviations from which a number of the query gets the highest weight.
const CLIPPED: f32 = 2.5;
/// The highest weight of a number of the query; fits two bits.
const MAX_LEVEL: f32 = 3.0;
/// The largest possible difference.
pub const MAX_DIFFERENCE: usize = DIMENSIONS * MAX_LEVEL as usize;

/// The sign bits of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignBits([u64; WORDS]);

impl SignBits {
    /// Returns the sign bits of a vector.
    #[must_use]
    pub fn of(vector: &Vector) -> Self {
        Self::of_spread(&spread(vector))
    }

    fn of_spread(spread: &Vector) -> Self {
        let word = |numbers: &[f32]| {
            numbers
                .iter()
                .rev()
                .fold(0, |word, number| word << 1 | u64::from(*number > 0.0))
        };
        let mut words = [0; WORDS];
        words
            .iter_mut()
            .zip(spread.chunks_exact(64))
            .for_each(|(out, numbers)| *out = word(numbers));
        Self(words)
    }

    /// Returns the bytes to store.
    #[must_use]
    pub fn to_bytes(self) -> [u8; SIGN_BYTES] {
        let mut bytes = [0; SIGN_BYTES];
        bytes
            .as_chunks_mut::<8>()
            .0
            .iter_mut()
            .zip(self.0)
            .for_each(|(out, word)| *out = word.to_le_bytes());
        bytes
    }

    /// Restores stored bits; returns `None` if the length is wrong.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; SIGN_BYTES] = bytes.try_into().ok()?;
        let mut words = [0; WORDS];
        words
            .iter_mut()
            .zip(bytes.as_chunks::<8>().0)
            .for_each(|(out, bytes)| *out = u64::from_le_bytes(*bytes));
        Some(Self(words))
    }
}

type Lanes = [u64; LANES];

/// Number of lanes added together; as many as fit into registers.
const AT_ONCE: usize = 2;

type Lane = [u64; AT_ONCE];

/// The sign bits of [`LANES`] vectors, interleaved by word.
#[derive(Clone, Copy, Debug, Default)]
pub struct Block([Lanes; WORDS]);

impl Block {
    /// Stores sign bits in a lane.
    pub fn set(&mut self, lane: usize, signs: SignBits) {
        self.0
            .iter_mut()
            .zip(signs.0)
            .for_each(|(lanes, word)| lanes[lane] = word);
    }
}

/// A query vector: sign bits, and the two bits of each number's weight.
#[derive(Clone, Debug)]
pub struct QuerySignature {
    signs: SignBits,
    levels: [[u64; WORDS]; 2],
}

impl QuerySignature {
    /// Prepares a query vector.
    #[must_use]
    pub fn of(vector: &Vector) -> Self {
        let spread = spread(vector);
        let deviation =
            (spread.iter().map(|number| number * number).sum::<f32>() / DIMENSIONS as f32).sqrt();
        let step = (CLIPPED * deviation / MAX_LEVEL).max(f32::MIN_POSITIVE);
        let mut levels = [[0; WORDS]; 2];
        for (at, number) in spread.iter().enumerate() {
            let level = (number.abs() / step).round().min(MAX_LEVEL) as u64;
            levels[0][at / 64] |= (level & 1) << (at % 64);
            levels[1][at / 64] |= (level >> 1) << (at % 64);
        }
        Self {
            signs: SignBits::of_spread(&spread),
            levels,
        }
    }

    /// Returns the difference of each vector in a block from the query: the summed weights of the
    /// numbers with another sign, up to [`MAX_DIFFERENCE`].
    #[must_use]
    #[inline]
    pub fn differences(&self, block: &Block) -> [u16; LANES] {
        let mut differences = [0; LANES];
        for (at, some) in differences
            .as_chunks_mut::<AT_ONCE>()
            .0
            .iter_mut()
            .enumerate()
        {
            *some = self.some_differences(block, at * AT_ONCE);
        }
        differences
    }

    /// Returns the differences of [`AT_ONCE`] lanes, starting at `first`.
    #[inline]
    fn some_differences(&self, block: &Block, first: usize) -> [u16; AT_ONCE] {
        let differing = |level: usize| -> [Lane; WORDS] {
            let word = |word: usize, lane: usize| {
                (block.0[word][first + lane] ^ self.signs.0[word]) & self.levels[level][word]
            };
            std::array::from_fn(|at| std::array::from_fn(|lane| word(at, lane)))
        };
        let [ones, ones_twos, ones_fours] = added(&differing(0));
        let [twos, twos_fours, eights] = added(&differing(1));
        std::array::from_fn(|lane| {
            // No byte overflows: the first sum is at most 104, the second at most 8.
            let low = counted(ones[lane])
                + 2 * (counted(ones_twos[lane]) + counted(twos[lane]))
                + 4 * (counted(ones_fours[lane]) + counted(twos_fours[lane]));
            sum_of_pairs(pairs(low) + 8 * pairs(counted(eights[lane])))
        })
    }
}

/// Adds six words bitwise into ones, twos and fours (a carry-save adder).
#[inline]
fn added(words: &[Lane; WORDS]) -> [Lane; 3] {
    let (sum_a, carry_a) = full_add(&words[0], &words[1], &words[2]);
    let (sum_b, carry_b) = full_add(&words[3], &words[4], &words[5]);
    let (ones, carry_c) = full_add(&sum_a, &sum_b, &[0; AT_ONCE]);
    let (twos, fours) = full_add(&carry_a, &carry_b, &carry_c);
    [ones, twos, fours]
}

#[inline]
fn full_add(a: &Lane, b: &Lane, c: &Lane) -> (Lane, Lane) {
    let (mut sum, mut carry) = ([0; AT_ONCE], [0; AT_ONCE]);
    for lane in 0..AT_ONCE {
        let half = a[lane] ^ b[lane];
        sum[lane] = half ^ c[lane];
        carry[lane] = (a[lane] & b[lane]) | (half & c[lane]);
    }
    (sum, carry)
}

/// Counts the bits of each byte. `count_ones` is not vectorized without a CPU instruction for it.
#[inline]
fn counted(word: u64) -> u64 {
    let word = word - ((word >> 1) & 0x5555_5555_5555_5555);
    let word = (word & 0x3333_3333_3333_3333) + ((word >> 2) & 0x3333_3333_3333_3333);
    (word + (word >> 4)) & 0x0f0f_0f0f_0f0f_0f0f
}

/// Adds adjacent bytes.
#[inline]
fn pairs(word: u64) -> u64 {
    (word & 0x00ff_00ff_00ff_00ff) + ((word >> 8) & 0x00ff_00ff_00ff_00ff)
}

/// Adds the four 16-bit parts of a word.
#[inline]
fn sum_of_pairs(word: u64) -> u16 {
    let word = word + (word >> 32);
    (word + (word >> 16)) as u16
}

/// Rotates a vector: applies a Hadamard matrix to each part, redistributes the numbers over the
/// parts and applies the matrix again.
fn spread(vector: &Vector) -> Vector {
    let mut turned = *vector;
    turned.as_chunks_mut::<TURNED>().0.iter_mut().for_each(turn);
    let mut dealt = [0.0; DIMENSIONS];
    for (part, out) in dealt.as_chunks_mut::<TURNED>().0.iter_mut().enumerate() {
        out.iter_mut()
            .enumerate()
            .for_each(|(at, number)| *number = turned[PARTS * at + part]);
    }
    dealt.as_chunks_mut::<TURNED>().0.iter_mut().for_each(turn);
    dealt
}

/// Replaces the halves of each group of `WIDTH` numbers by their sums and differences. A constant
/// `WIDTH` allows vectorization.
fn turn_halves<const WIDTH: usize>(part: &mut [f32; TURNED]) {
    for both in part.as_chunks_mut::<WIDTH>().0 {
        let (low, high) = both.split_at_mut(WIDTH / 2);
        for (a, b) in low.iter_mut().zip(high) {
            (*a, *b) = (*a + *b, *a - *b);
        }
    }
}

fn turn(part: &mut [f32; TURNED]) {
    for four in part.as_chunks_mut::<4>().0 {
        let [a, b, c, d] = *four;
        let (sum, difference, other_sum, other_difference) = (a + b, a - b, c + d, c - d);
        *four = [
            sum + other_sum,
            difference + other_difference,
            sum - other_sum,
            difference - other_difference,
        ];
    }

    turn_halves::<8>(part);
    turn_halves::<16>(part);
    turn_halves::<32>(part);
    turn_halves::<64>(part);
    turn_halves::<TURNED>(part);

    let keeping_length = 1.0 / (TURNED as f32).sqrt();
    part.iter_mut().for_each(|number| *number *= keeping_length);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{Embedder, HashingEmbedder, cosine};

    fn vectors(texts: &[&str]) -> Vec<Vector> {
        HashingEmbedder.embed(texts).unwrap()
    }

    #[test]
    fn spreading_keeps_angles_and_leaves_no_zeros() {
        let [a, b] = vectors(&["parse the file", "file parser"])
            .try_into()
            .unwrap();
        assert!((cosine(&a, &b) - cosine(&spread(&a), &spread(&b))).abs() < 1e-5);
        assert!(a.iter().filter(|number| **number == 0.0).count() > DIMENSIONS / 2);
        assert!(
            spread(&a)
                .iter()
                .filter(|number| number.abs() < 1e-7)
                .count()
                < DIMENSIONS / 8
        );
    }

    #[test]
    fn sign_bits_round_trip_through_bytes() {
        let signs = SignBits::of(&vectors(&["a cart of products"])[0]);
        assert_eq!(SignBits::from_bytes(&signs.to_bytes()), Some(signs));
        assert_eq!(SignBits::from_bytes(&[0; 47]), None);
    }

    #[test]
    fn distances_equal_a_bitwise_count() {
        let texts = [
            "a",
            "cart total",
            "parse file",
            "send mail now",
            "x y z",
            "http client factory",
            "observable",
            "retry policy",
        ];

        let vectors = vectors(&texts);
        let probe = QuerySignature::of(&vectors[5]);

        let mut block = Block::default();
        vectors
            .iter()
            .enumerate()
            .for_each(|(lane, vector)| block.set(lane, SignBits::of(vector)));

        let expected: Vec<u16> = vectors
            .iter()
            .map(|vector| {
                let signs = SignBits::of(vector);
                let of_level = |level: usize| {
                    (0..WORDS)
                        .map(move |word| (word, level))
                        .collect::<Vec<_>>()
                };

                let count = |(word, level): (usize, usize)| {
                    (((signs.0[word] ^ probe.signs.0[word]) & probe.levels[level][word])
                        .count_ones()
                        << level) as u16
                };

                [of_level(0), of_level(1)]
                    .concat()
                    .into_iter()
                    .map(count)
                    .sum()
            })
            .collect();

        assert_eq!(probe.differences(&block).to_vec(), expected);
        assert_eq!(expected[5], 0);
    }

    #[test]
    fn no_sum_overflows() {
        let probe = QuerySignature {
            signs: SignBits([0; WORDS]),
            levels: [[u64::MAX; WORDS]; 2],
        };
        let mut block = Block::default();
        block.set(3, SignBits([u64::MAX; WORDS]));
        assert_eq!(usize::from(probe.differences(&block)[3]), MAX_DIFFERENCE);
    }
}
