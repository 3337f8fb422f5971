//! Compressed facts of each text, under a key that covers everything they depend on.
//!
//! Limitations: a blob that cannot be decoded counts as missing, and the caller parses the text
//! again.

use std::cell::RefCell;

use codeagent_lang::DeclarationOutline;
use rusqlite::{Connection, OptionalExtension, params};
use rustc_hash::FxHashSet;
use serde::Serialize;
use serde::de::DeserializeOwned;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::compress_bound;

use crate::model::facts::Facts;
use crate::model::graph::Dialect;
use crate::store::codec::hash_column;
use crate::store::{Snapshot, StoreError};
use crate::versions::FACTS_VERSION;

/// The key of a text's facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactsKey(pub [u8; 32]);

impl FactsKey {
    /// Derives the key from a text's hash, its dialect and the conditions it was parsed under (see
    /// `extract::conditions`).
    #[must_use]
    pub fn new(dialect: Dialect, conditions: &str, content: &[u8; 32]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(FACTS_VERSION.as_bytes());
        hasher.update(&[dialect as u8]);
        hasher.update(&(conditions.len() as u64).to_le_bytes());
        hasher.update(conditions.as_bytes());
        hasher.update(content);
        Self(*hasher.finalize().as_bytes())
    }
}

const ZSTD_LEVEL: i32 = 1;

/// Maximum decoded size, in bytes; far above the facts of the largest admitted file.
const MAX_FACTS_BYTES: usize = 1 << 28;

/// Maximum size of a buffer that is reused for the next file, in bytes.
const KEPT_BUFFER_BYTES: usize = 1 << 20;

/// Compressor and buffers, reused from file to file.
struct BundleWriter {
    compressor: Compressor<'static>,
    plain: Vec<u8>,
    packed: Vec<u8>,
}

thread_local! {
    /// One per thread, because the tables and buffers are large compared with a file's facts.
    static PACKER: RefCell<BundleWriter> = RefCell::new(BundleWriter {
        compressor: compressor(ZSTD_LEVEL),
        plain: Vec::new(),
        packed: Vec::new(),
    });
    static DECOMPRESSOR: RefCell<Decompressor<'static>> =
        RefCell::new(Decompressor::new().expect("zstd has memory for its state"));
}

/// Adds a checksum to each blob, so that a damaged one is detected.
fn compressor(level: i32) -> Compressor<'static> {
    let mut compressor = Compressor::new(level).expect("the level is one that zstd has");
    compressor
        .include_checksum(true)
        .expect("it is a parameter that zstd has");
    compressor
}

/// Serializes and compresses facts.
#[must_use]
pub fn encode_facts(facts: &Facts) -> Vec<u8> {
    encode(facts)
}

/// Serializes and compresses the outline of a declaration file, which may have none.
#[must_use]
pub fn encode_outline(outline: &Option<DeclarationOutline>) -> Vec<u8> {
    encode(outline)
}

fn encode(value: &impl Serialize) -> Vec<u8> {
    PACKER.with_borrow_mut(|packer| packer.pack(value))
}

impl BundleWriter {
    fn pack(&mut self, value: &impl Serialize) -> Vec<u8> {
        self.plain = postcard::to_extend(value, std::mem::take(&mut self.plain))
            .expect("facts have no values that postcard refuses");
        self.compress()
    }

    /// Compresses the plain bytes, and clears the buffers.
    fn compress(&mut self) -> Vec<u8> {
        self.packed.reserve(compress_bound(self.plain.len()));
        let packed = self
            .compressor
            .compress_to_buffer(&self.plain, &mut self.packed)
            .expect("the buffer is large enough");

        let blob = [
            &(self.plain.len() as u32).to_le_bytes()[..],
            &self.packed[..packed],
        ]
        .concat();

        for buffer in [&mut self.plain, &mut self.packed] {
            buffer.clear();
            buffer.shrink_to(KEPT_BUFFER_BYTES);
        }

        blob
    }
}

/// Decodes facts; returns `None` if the blob is damaged.
#[must_use]
pub fn decode_facts(blob: &[u8]) -> Option<Facts> {
    decode(blob)
}

/// Decodes an outline; the outer `None` if the blob is damaged.
#[must_use]
#[allow(
    clippy::option_option,
    reason = "a file without an outline is stored too"
)]
pub fn decode_outline(blob: &[u8]) -> Option<Option<DeclarationOutline>> {
    decode(blob)
}

fn decode<T: DeserializeOwned>(blob: &[u8]) -> Option<T> {
    postcard::from_bytes(&decompress(blob)?).ok()
}

/// Compresses encoded facts.
#[must_use]
pub fn pack_plain_facts(plain: &[u8]) -> Vec<u8> {
    PACKER.with_borrow_mut(|packer| {
        packer.plain.extend(plain);
        packer.compress()
    })
}

/// Returns the encoded facts of a blob; `None` if it is damaged.
#[must_use]
pub fn plain_facts(blob: &[u8]) -> Option<Vec<u8>> {
    decompress(blob)
}

fn decompress(blob: &[u8]) -> Option<Vec<u8>> {
    let (length, packed) = blob.split_first_chunk::<4>()?;
    let length = (u32::from_le_bytes(*length) as usize).min(MAX_FACTS_BYTES);
    DECOMPRESSOR
        .with_borrow_mut(|it| it.decompress(packed, length))
        .ok()
}

/// Level at which facts are compressed for other machines.
const SHARED_LEVEL: i32 = 9;

/// Compresses packed facts further, for other machines. Leaves out damaged ones, and those that
/// [`may_be_facts`] would refuse.
#[must_use]
pub fn repack(blobs: Vec<(FactsKey, Vec<u8>)>) -> Vec<(FactsKey, Vec<u8>)> {
    let mut compressor = compressor(SHARED_LEVEL);
    let mut repack = |blob: &[u8]| {
        let packed = compressor.compress(&decompress(blob)?).ok()?;
        Some([&blob[..4], &packed].concat())
    };
    blobs
        .into_iter()
        .filter_map(|(key, blob)| Some((key, repack(&blob)?)))
        .filter(|(_, blob)| may_be_facts(blob))
        .collect()
}

/// Maximum factor by which facts of a usual text are compressed.
const MOST_COMPRESSED: usize = 1_000;

/// Reports whether a blob may be packed facts: its decoded size is possible, and not so large
/// compared with the blob that decoding costs more than the blob is worth.
#[must_use]
pub fn may_be_facts(blob: &[u8]) -> bool {
    let Some((length, packed)) = blob.split_first_chunk::<4>() else {
        return false;
    };
    let length = u32::from_le_bytes(*length) as usize;
    !packed.is_empty() && length <= MAX_FACTS_BYTES && length / MOST_COMPRESSED <= packed.len()
}

const SELECT: &str = "SELECT data FROM facts WHERE key = ?1";

/// Returns the facts under a key, if present and intact.
pub fn read_facts(snapshot: &Snapshot, key: &FactsKey) -> Result<Option<Facts>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(SELECT)?;
    let found = statement
        .query_row([&key.0[..]], |row| {
            Ok(row.get_ref(0)?.as_blob().ok().and_then(decode_facts))
        })
        .optional()?;
    Ok(found.flatten())
}

/// Returns the packed blob under a key, which may be damaged.
pub fn read_packed(snapshot: &Snapshot, key: &FactsKey) -> Result<Option<Vec<u8>>, StoreError> {
    packed(snapshot.connection(), key)
}

pub(super) fn packed(
    connection: &Connection,
    key: &FactsKey,
) -> Result<Option<Vec<u8>>, StoreError> {
    let mut statement = connection.prepare_cached(SELECT)?;
    Ok(statement
        .query_row([&key.0[..]], |row| row.get(0))
        .optional()?)
}

const ANY: &str = "SELECT EXISTS (SELECT 1 FROM facts)";

/// Reports whether there are any facts.
pub fn has_facts(snapshot: &Snapshot) -> Result<bool, StoreError> {
    Ok(snapshot.connection().query_row(ANY, [], |row| row.get(0))?)
}

const KEYS: &str = "SELECT key FROM facts";

pub fn facts_keys(snapshot: &Snapshot) -> Result<FxHashSet<FactsKey>, StoreError> {
    let mut statement = snapshot.connection().prepare_cached(KEYS)?;
    let mut rows = statement.query([])?;
    let mut keys = FxHashSet::default();
    while let Some(row) = rows.next()? {
        keys.insert(FactsKey(hash_column(row, 0)?));
    }
    Ok(keys)
}

/// `OR REPLACE`, because facts are written again only if the stored blob was damaged.
const INSERT: &str = "INSERT OR REPLACE INTO facts (key, data) VALUES (?1, ?2)";

pub(super) fn insert(
    connection: &Connection,
    key: &FactsKey,
    blob: &[u8],
) -> Result<(), StoreError> {
    connection
        .prepare_cached(INSERT)?
        .execute(params![&key.0[..], blob])?;
    Ok(())
}

const COUNT: &str = "SELECT count(*) FROM facts";
const COUNT_USED: &str = "SELECT (SELECT count(DISTINCT facts_key) FROM files) + (SELECT count(facts_key) FROM packages)";
const DELETE_UNUSED: &str = "DELETE FROM facts WHERE key NOT IN (SELECT facts_key FROM files) \
    AND key NOT IN (SELECT facts_key FROM packages WHERE facts_key IS NOT NULL)";

/// Deletes unused facts once they outnumber the used ones. Keeping some saves parsing when a branch
/// is checked out again.
pub(super) fn collect_garbage(connection: &Connection) -> Result<(), StoreError> {
    let all: i64 = connection.query_row(COUNT, [], |row| row.get(0))?;
    let used: i64 = connection.query_row(COUNT_USED, [], |row| row.get(0))?;
    if all > 2 * used + 1000 {
        connection.execute(DELETE_UNUSED, [])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_round_trip() {
        let mut facts = Facts::of(Dialect::Ts);
        facts.names.push("name");
        facts.header.lines = 3;
        assert_eq!(decode_facts(&encode_facts(&facts)), Some(facts));
    }

    #[test]
    fn damaged_facts_decode_to_none() {
        let mut blob = encode_facts(&Facts::of(Dialect::Ts));
        assert_eq!(decode_facts(&blob[..3]), None);
        blob.truncate(blob.len() - 2);
        assert_eq!(decode_facts(&blob), None);
        let mut facts = Facts::of(Dialect::Ts);
        facts.names.push("a name that is stored as it is written");
        let blob = encode_facts(&facts);
        for at in 4..blob.len() {
            let mut damaged = blob.clone();
            damaged[at] ^= 1;
            assert!(
                decode_facts(&damaged).is_none_or(|read| read == facts),
                "a flipped bit at {at}"
            );
        }
    }

    #[test]
    fn the_cache_key_depends_on_every_input() {
        let key = FactsKey::new(Dialect::Ts, "", &[0; 32]);
        assert_ne!(key, FactsKey::new(Dialect::Tsx, "", &[0; 32]));
        assert_ne!(key, FactsKey::new(Dialect::Ts, "A=1", &[0; 32]));
        assert_ne!(key, FactsKey::new(Dialect::Ts, "", &[1; 32]));
    }
}
