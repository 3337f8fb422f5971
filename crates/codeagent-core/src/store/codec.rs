//! Encoding of lists and codes in blobs and columns.

use rusqlite::Row;

use crate::model::graph::NodeId;
use crate::store::{FileKey, StoreError, bad_value};

/// Adds a number in LEB128 encoding.
pub fn push_number(out: &mut Vec<u8>, value: u32) {
    let mut rest = value;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Takes the next number that [`push_number`] added; `None` at the end, or if it is cut off.
pub fn take_number(blob: &mut &[u8]) -> Option<u32> {
    let (mut value, mut shift) = (0u32, 0);
    loop {
        let (byte, rest) = blob.split_first()?;
        *blob = rest;
        value |= u32::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
}

/// Packs sorted numbers as LEB128-encoded differences.
pub fn pack_sorted(values: impl Iterator<Item = u32>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut last = 0;
    for value in values {
        push_number(&mut out, value.wrapping_sub(last));
        last = value;
    }
    out
}

/// Reverses [`pack_sorted`].
pub fn unpack_sorted(mut blob: &[u8]) -> Vec<u32> {
    let mut values = Vec::with_capacity(blob.len() / 2);
    let mut last = 0u32;
    while let Some(value) = take_number(&mut blob) {
        last = last.wrapping_add(value);
        values.push(last);
    }
    values
}

/// Packs node ids, eight bytes each.
pub fn pack_ids(ids: &[NodeId]) -> Vec<u8> {
    ids.iter().flat_map(|id| id.0.to_le_bytes()).collect()
}

/// Reverses [`pack_ids`].
pub fn unpack_ids(blob: &[u8]) -> Vec<NodeId> {
    blob.as_chunks::<8>()
        .0
        .iter()
        .map(|bytes| NodeId(u64::from_le_bytes(*bytes)))
        .collect()
}

pub fn pack_files(files: &[FileKey]) -> Vec<u8> {
    pack_sorted(files.iter().map(|file| file.0))
}

pub fn unpack_files(blob: &[u8]) -> Vec<FileKey> {
    unpack_sorted(blob).into_iter().map(FileKey).collect()
}

/// Reads a hash column of fixed length.
pub fn hash_column<const N: usize>(row: &Row<'_>, index: usize) -> Result<[u8; N], StoreError> {
    let blob = row
        .get_ref(index)?
        .as_blob()
        .map_err(|_| bad_value("hash"))?;
    blob.try_into().map_err(|_| bad_value("hash"))
}

/// Reads a column that holds an enum's code.
pub fn word_column<T>(
    row: &Row<'_>,
    index: usize,
    from_code: fn(u8) -> Option<T>,
) -> Result<T, StoreError> {
    from_code(row.get(index)?).ok_or_else(|| bad_value("code"))
}

pub fn id_column(row: &Row<'_>, index: usize) -> Result<NodeId, StoreError> {
    Ok(NodeId(row.get::<_, i64>(index)? as u64))
}

pub fn stored_id(id: NodeId) -> i64 {
    id.0 as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_lists_round_trip() {
        let values = vec![0, 1, 127, 128, 70_000, u32::MAX];
        assert_eq!(unpack_sorted(&pack_sorted(values.iter().copied())), values);
        let ids = vec![NodeId(1), NodeId(u64::MAX >> 4)];
        assert_eq!(unpack_ids(&pack_ids(&ids)), ids);
    }

    #[test]
    fn damaged_blobs_do_not_panic() {
        assert_eq!(unpack_sorted(&[0xff; 9]), Vec::<u32>::new());
        assert_eq!(unpack_ids(&[1, 2, 3]), Vec::new());
    }
}
