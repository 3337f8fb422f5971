//! The format of patches: packs of facts that are compressed against older facts, those that they replace.
//!
//! A magic word, the number of older facts (4 bytes) and their keys, the decoded size (4 bytes), then one zstd frame. The
//! frame has the new facts one after the other (32 bytes of key, 4 bytes of length, the facts), and its dictionary is the
//! older facts in the order of their keys in the patch. Earlier packs of the same snapshot have these.

use std::io::{Read, Write};

use codeagent_core::engine::{PackedFact, PlainFact, packed_fact};

use crate::ShareError;
use crate::pack::KEY;

/// The first bytes of a patch.
const MAGIC: &[u8; 8] = b"cafacts2";

/// Maximum decoded size of the facts of a patch, in bytes: those of a full pack, of which the last may be the largest
/// that there are.
const MOST_BYTES: usize = 320 << 20;

/// Maximum factor by which facts are compressed, in relation to the frame and the older facts.
const MOST_COMPRESSED: usize = 1_000;

/// Maximum total size of the older facts of a patch, in bytes.
pub const MOST_OLDER_BYTES: usize = 32 << 20;

/// Level of compression, and for patches up to [`SMALL`] bytes, which are most.
const LEVEL: i32 = 9;
const SMALL_LEVEL: i32 = 19;
const SMALL: usize = 2 << 20;

/// Logarithm of the distance in bytes over which equal parts are found: more than the sizes of both sides.
const WINDOW_LOG: u32 = 27;

/// A patch whose older facts are known by their keys.
pub struct Patch<'a> {
    name: &'a str,
    /// The keys of the older facts.
    older: &'a [[u8; KEY]],
    decoded: usize,
    frame: &'a [u8],
}

/// Compresses facts, which are sorted by key, against older ones.
pub fn write(facts: &[PlainFact], older: &[PlainFact]) -> Result<Vec<u8>, ShareError> {
    let mut plain = Vec::new();
    for (key, bytes) in facts {
        plain.extend(key);
        plain.extend((bytes.len() as u32).to_le_bytes());
        plain.extend(bytes);
    }

    let mut patch = MAGIC.to_vec();
    patch.extend((older.len() as u32).to_le_bytes());
    patch.extend(older.iter().flat_map(|(key, _)| key));
    patch.extend((plain.len() as u32).to_le_bytes());

    let dictionary: Vec<u8> = older.iter().flat_map(|(_, plain)| plain).copied().collect();
    let level = if plain.len() <= SMALL {
        SMALL_LEVEL
    } else {
        LEVEL
    };
    let mut encoder = zstd::Encoder::with_ref_prefix(patch, level, &dictionary)?;
    encoder.window_log(WINDOW_LOG)?;
    encoder.long_distance_matching(true)?;
    encoder.include_checksum(true)?;
    encoder.write_all(&plain)?;
    Ok(encoder.finish()?)
}

impl<'a> Patch<'a> {
    /// Reads the head of a patch; `None` if the bytes are those of something else.
    pub fn read(name: &'a str, bytes: &'a [u8]) -> Result<Option<Self>, ShareError> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Ok(None);
        };
        let cut_off = || ShareError::refused(name, "it is cut off");
        let (count, rest) = rest.split_first_chunk::<4>().ok_or_else(cut_off)?;
        let size = (u32::from_le_bytes(*count) as usize).checked_mul(KEY);
        let parts = size.and_then(|size| rest.split_at_checked(size));
        let (keys, rest) = parts.ok_or_else(cut_off)?;
        let (decoded, frame) = rest.split_first_chunk::<4>().ok_or_else(cut_off)?;
        Ok(Some(Self {
            name,
            older: keys.as_chunks::<KEY>().0,
            decoded: u32::from_le_bytes(*decoded) as usize,
            frame,
        }))
    }

    /// Returns the facts of the patch; `older` returns those of a key. Refuses anything that [`write`] does not write
    /// for these older facts.
    pub fn facts(
        &self,
        older: impl FnMut(&[u8; KEY]) -> Result<Option<Vec<u8>>, ShareError>,
    ) -> Result<Vec<PackedFact>, ShareError> {
        let refused = |reason: &str| ShareError::refused(self.name, reason);
        let dictionary = self.dictionary(older)?;
        let most = (self.frame.len() + dictionary.len()).saturating_mul(MOST_COMPRESSED);
        if self.decoded > most.min(MOST_BYTES) {
            return Err(refused("it has facts of an impossible size"));
        }

        let mut plain = Vec::new();
        let mut decoder = zstd::Decoder::with_ref_prefix(self.frame, &dictionary)?;
        decoder.window_log_max(WINDOW_LOG)?;
        let read = decoder
            .take(self.decoded as u64 + 1)
            .read_to_end(&mut plain);
        if read.is_err() || plain.len() != self.decoded {
            return Err(refused("it is damaged"));
        }

        let mut facts: Vec<PackedFact> = Vec::new();
        let mut rest = &plain[..];
        while !rest.is_empty() {
            let next = rest.split_first_chunk::<KEY>().and_then(|(key, after)| {
                let (length, after) = after.split_first_chunk::<4>()?;
                let length = u32::from_le_bytes(*length) as usize;
                let (bytes, after) = after.split_at_checked(length)?;
                Some((key, bytes, after))
            });
            let (key, bytes, after) = next.ok_or_else(|| refused("it is cut off"))?;
            if facts.last().is_some_and(|(last, _)| last >= key) {
                return Err(refused("its keys are not sorted"));
            }
            facts.push((*key, packed_fact(bytes)));
            rest = after;
        }
        Ok(facts)
    }

    /// Returns the older facts as one text.
    fn dictionary(
        &self,
        mut older: impl FnMut(&[u8; KEY]) -> Result<Option<Vec<u8>>, ShareError>,
    ) -> Result<Vec<u8>, ShareError> {
        let refused = |reason: &str| ShareError::refused(self.name, reason);
        let mut dictionary = Vec::new();

        for key in self.older {
            let plain = older(key)?;
            let plain =
                plain.ok_or_else(|| refused("it changes facts that no earlier pack has"))?;

            // A key may be repeated without end.
            if dictionary.len() + plain.len() > MOST_OLDER_BYTES {
                return Err(refused("it changes facts of an impossible size"));
            }

            dictionary.extend(plain);
        }

        Ok(dictionary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fact(key: u8, text: &str) -> PlainFact {
        ([key; KEY], text.repeat(40).into_bytes())
    }

    fn read(bytes: &[u8], older: &[PlainFact]) -> Result<Vec<PackedFact>, ShareError> {
        let plain = |key: &[u8; KEY]| {
            let known = older.iter().find(|(known, _)| known == key);
            Ok(known.map(|(_, plain)| plain.clone()))
        };
        let patch = Patch::read("p", bytes)?;
        patch.map_or(Ok(Vec::new()), |patch| patch.facts(plain))
    }

    #[test]
    fn facts_that_change_little_are_small() {
        let text: String = (0..2_000)
            .map(|n| format!("name{} ", n * 7 % 1_999))
            .collect();
        let older = [([1; KEY], text.clone().into_bytes())];
        let newer = [([2; KEY], text.replace("name700 ", "other ").into_bytes())];
        let alone = write(&newer, &[]).unwrap();
        let patch = write(&newer, &older).unwrap();
        assert!(
            patch.len() * 10 < alone.len(),
            "{} {}",
            patch.len(),
            alone.len()
        );

        let expected = vec![(newer[0].0, packed_fact(&newer[0].1))];
        assert_eq!(read(&patch, &older).unwrap(), expected);
        assert_eq!(read(&alone, &[]).unwrap(), expected);
        assert!(read(&patch, &[]).is_err());
    }

    #[test]
    fn every_damage_is_refused() {
        let older = [fact(1, "older"), fact(2, "old")];
        let newer = [fact(3, "newer"), fact(4, "new")];
        let patch = write(&newer, &older).unwrap();
        let whole = read(&patch, &older).unwrap();
        for end in MAGIC.len()..patch.len() {
            assert!(read(&patch[..end], &older).is_err(), "{end}");
        }
        for at in MAGIC.len()..patch.len() {
            let mut flipped = patch.clone();
            flipped[at] ^= 1;
            let found = read(&flipped, &older);
            assert!(found.is_err() || found.unwrap() == whole, "{at}");
        }
        let unsorted = [fact(4, "new"), fact(3, "newer")];
        assert!(read(&write(&unsorted, &older).unwrap(), &older).is_err());
    }

    #[test]
    fn patches_that_would_take_much_memory_are_refused() {
        let mut patch = write(&[fact(3, "new")], &[]).unwrap();
        let size = MAGIC.len() + 4;
        patch[size..size + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(&patch, &[]).is_err());

        let half = ([1; KEY], vec![7; MOST_OLDER_BYTES / 2 + 1]);
        let twice = [half.clone(), half];
        let patch = write(&[fact(3, "new")], &twice).unwrap();
        assert!(read(&patch, &twice).is_err());
    }
}
