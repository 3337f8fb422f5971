//! The format of packs: a magic word, then facts by key: 32 bytes of key, 4 bytes of length, the
//! packed facts. Facts are compressed already.

use codeagent_core::engine::{PackedFact, may_be_facts};

use crate::ShareError;

/// The first bytes of a pack.
const MAGIC: &[u8; 8] = b"cafacts1";

/// Size of a key.
pub const KEY: usize = 32;

/// Bytes of facts from which the next ones go into another pack.
pub const FULL: usize = 32 << 20;

/// Maximum size of a pack: the facts of one text may be larger than [`FULL`].
pub const LARGEST: u64 = 512 << 20;

/// Packs facts, which are sorted by key, for a repository that has none yet; see also [`patch`](crate::patch).
pub fn pack(facts: &[PackedFact]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for (key, blob) in facts {
        bytes.extend(key);
        bytes.extend((blob.len() as u32).to_le_bytes());
        bytes.extend(blob);
    }
    bytes
}

/// Returns the facts of a pack. Refuses anything that [`pack`] does not write, and facts that would
/// take far more memory than they are worth.
pub fn unpack(name: &str, bytes: &[u8]) -> Result<Vec<PackedFact>, ShareError> {
    let refused = |reason: &str| ShareError::refused(name, reason);
    let mut rest = bytes
        .strip_prefix(MAGIC)
        .ok_or_else(|| refused("it is not a pack of facts"))?;

    let mut facts: Vec<PackedFact> = Vec::new();
    while !rest.is_empty() {
        let (key, after) = rest
            .split_first_chunk::<KEY>()
            .ok_or_else(|| refused("it is cut off"))?;
        let (length, after) = after
            .split_first_chunk::<4>()
            .ok_or_else(|| refused("it is cut off"))?;
        let (blob, after) = after
            .split_at_checked(u32::from_le_bytes(*length) as usize)
            .ok_or_else(|| refused("it is cut off"))?;

        if facts.last().is_some_and(|(last, _)| last >= key) {
            return Err(refused("its keys are not sorted"));
        }
        if !may_be_facts(blob) {
            return Err(refused("it has facts of an impossible size"));
        }
        facts.push((*key, blob.to_vec()));
        rest = after;
    }
    Ok(facts)
}

/// Returns the keys of a pack as bytes.
pub fn keys_of(facts: &[([u8; KEY], Vec<u8>)]) -> Vec<u8> {
    facts.iter().flat_map(|(key, _)| *key).collect()
}

/// Reads keys from bytes.
pub fn read_keys(name: &str, bytes: &[u8]) -> Result<Vec<[u8; KEY]>, ShareError> {
    let (keys, rest) = bytes.as_chunks::<KEY>();
    if rest.is_empty() {
        Ok(keys.to_vec())
    } else {
        Err(ShareError::refused(name, "it is cut off"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blob(size: u32, bytes: usize) -> Vec<u8> {
        [&size.to_le_bytes()[..], &vec![7; bytes]].concat()
    }

    #[test]
    fn packs_round_trip_and_every_cut_is_refused() {
        let facts = vec![([1; 32], blob(10, 5)), ([2; 32], blob(20, 9))];
        let bytes = pack(&facts);
        assert_eq!(unpack("p", &bytes).unwrap(), facts);
        for end in 0..bytes.len() {
            let cut = unpack("p", &bytes[..end]);
            assert!(cut.as_ref().is_err() || cut.unwrap().len() < 2, "{end}");
        }
        assert_eq!(
            read_keys("k", &keys_of(&facts)).unwrap(),
            [[1; 32], [2; 32]]
        );
        assert!(read_keys("k", &[0; 33]).is_err());
    }

    #[test]
    fn bombs_and_unsorted_keys_are_refused() {
        for facts in [
            vec![([1; 32], blob(u32::MAX, 100))],
            vec![([1; 32], blob(200 << 20, 100))],
            vec![([1; 32], blob(0, 0))],
            vec![([2; 32], blob(1, 1)), ([1; 32], blob(1, 1))],
            vec![([1; 32], blob(1, 1)), ([1; 32], blob(1, 1))],
        ] {
            assert!(unpack("p", &pack(&facts)).is_err());
        }
    }
}
