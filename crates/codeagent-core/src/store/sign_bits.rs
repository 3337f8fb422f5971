//! Sign bits of vectors, in table `vec_signs`. Each row holds many symbols: half a million take
//! four thousand rows.
//!
//! Ids are hashes, so their leading bits distribute symbols evenly over the rows, and the row
//! contents are a function of the symbols alone. Changes are written row by row.
//!
//! Limitations: changing one symbol rewrites its whole row: some kilobytes in the largest indexes.

use rusqlite::{Connection, OptionalExtension, params};

use crate::embed::{Block, LANES, SIGN_BYTES, SignBits};
use crate::model::graph::NodeId;
use crate::store::{Snapshot, StoreError, VectorSource, bad_value, bulk};

/// Number of leading bits of the 60-bit ids that select the row.
const ROW_BITS: u32 = 12;
const REST_BITS: u32 = 60 - ROW_BITS;
const ID_BYTES: usize = 8;
/// Bytes per symbol in a row.
const ENTRY_BYTES: usize = ID_BYTES + SIGN_BYTES;

type SignEntry = [u8; ENTRY_BYTES];

fn row_of(source: VectorSource, id: NodeId) -> i64 {
    (source as i64) << ROW_BITS | (id.0 >> REST_BITS) as i64
}

/// Returns the row-id range of a vector source, as `[start, end)`.
fn rows_of(source: VectorSource) -> [i64; 2] {
    [(source as i64) << ROW_BITS, (source as i64 + 1) << ROW_BITS]
}

fn entry(id: NodeId, signs: SignBits) -> SignEntry {
    let mut entry = [0; ENTRY_BYTES];
    entry[..ID_BYTES].copy_from_slice(&id.0.to_le_bytes());
    entry[ID_BYTES..].copy_from_slice(&signs.to_bytes());
    entry
}

fn id_of(entry: &SignEntry) -> NodeId {
    let mut bytes = [0; ID_BYTES];
    bytes.copy_from_slice(&entry[..ID_BYTES]);
    NodeId(u64::from_le_bytes(bytes))
}

/// Splits a row into its symbols.
fn entries(blob: &[u8]) -> Result<&[SignEntry], StoreError> {
    let (entries, rest) = blob.as_chunks::<ENTRY_BYTES>();
    if rest.is_empty() {
        Ok(entries)
    } else {
        Err(bad_value("signs"))
    }
}

const ROW: &str = "SELECT symbols FROM vec_signs WHERE row = ?1";
const WRITE: &str = "INSERT OR REPLACE INTO vec_signs VALUES (?1, ?2)";
const DELETE: &str = "DELETE FROM vec_signs WHERE row = ?1";
const DELETE_ALL: &str = "DELETE FROM vec_signs WHERE row >= ?1 AND row < ?2";

/// Sets or removes the sign bits of symbols, which must be sorted by id and distinct.
pub(super) fn change(
    connection: &Connection,
    source: VectorSource,
    changes: impl Iterator<Item = (NodeId, Option<SignBits>)>,
) -> Result<(), StoreError> {
    let mut changes = changes.peekable();
    while let Some((first, _)) = changes.peek() {
        let row = row_of(source, *first);

        let before: Vec<u8> = connection
            .prepare_cached(ROW)?
            .query_row([row], |row| row.get(0))
            .optional()?
            .unwrap_or_default();

        let mut kept = entries(&before)?.iter().peekable();
        let mut after: Vec<u8> = Vec::with_capacity(before.len() + ENTRY_BYTES);

        while let Some((id, signs)) = changes.next_if(|(id, _)| row_of(source, *id) == row) {
            while let Some(smaller) = kept.next_if(|entry| id_of(entry) < id) {
                after.extend_from_slice(smaller);
            }

            kept.next_if(|entry| id_of(entry) == id);
            if let Some(signs) = signs {
                after.extend_from_slice(&entry(id, signs));
            }
        }

        kept.for_each(|larger| after.extend_from_slice(larger));

        if after.is_empty() {
            connection.prepare_cached(DELETE)?.execute([row])?;
        } else if after != before {
            connection
                .prepare_cached(WRITE)?
                .execute(params![row, after])?;
        }
    }

    Ok(())
}

/// Replaces all sign bits of a source. The symbols must be sorted by id and distinct.
pub(super) fn replace(
    connection: &Connection,
    source: VectorSource,
    signs: &[(NodeId, SignBits)],
) -> Result<(), StoreError> {
    delete_all(connection, source)?;
    let rows = signs.chunk_by(|(a, _), (b, _)| row_of(source, *a) == row_of(source, *b));
    bulk::insert(connection, ("vec_signs", 2), rows, |symbols, values| {
        values.push(symbols.first().map(|(first, _)| row_of(source, *first)))?;
        let entries: Vec<SignEntry> = symbols
            .iter()
            .map(|(id, signs)| entry(*id, *signs))
            .collect();
        values.push(entries.as_flattened())
    })
}

/// Removes all sign bits of a source.
pub(super) fn delete_all(connection: &Connection, source: VectorSource) -> Result<(), StoreError> {
    connection.execute(DELETE_ALL, rows_of(source))?;
    Ok(())
}

const SIGNS: &str = "SELECT symbols FROM vec_signs WHERE row >= ?1 AND row < ?2";

/// Calls `take` with the sign bits of all symbols, block by block, in id order. Lanes beyond the
/// ids of a block are undefined.
pub fn each_block(
    snapshot: &Snapshot,
    source: VectorSource,
    mut take: impl FnMut(&[NodeId], &Block),
) -> Result<(), StoreError> {
    let mut statement = snapshot.connection().prepare_cached(SIGNS)?;
    let mut rows = statement.query(rows_of(source))?;
    let (mut ids, mut block) = (Vec::with_capacity(LANES), Block::default());

    while let Some(row) = rows.next()? {
        for entry in entries(row.get_ref(0)?.as_blob().map_err(|_| bad_value("signs"))?)? {
            block.set(
                ids.len(),
                SignBits::from_bytes(&entry[ID_BYTES..]).ok_or_else(|| bad_value("signs"))?,
            );

            ids.push(id_of(entry));
            if ids.len() == LANES {
                take(&ids, &block);
                ids.clear();
            }
        }
    }

    if !ids.is_empty() {
        take(&ids, &block);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::{Embedder, HashingEmbedder};

    fn signs(text: &str) -> SignBits {
        SignBits::of(&HashingEmbedder.embed(&[text]).unwrap()[0])
    }

    /// Ids, of which the first two share a row.
    const IDS: [NodeId; 3] = [NodeId(7), NodeId(9), NodeId(9 << REST_BITS)];

    fn rows(connection: &Connection) -> Vec<(i64, Vec<u8>)> {
        let mut statement = connection
            .prepare("SELECT row, symbols FROM vec_signs ORDER BY row")
            .unwrap();
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }

    fn changed(connection: &Connection, changes: &[(usize, Option<&str>)]) -> Vec<(i64, Vec<u8>)> {
        let changes = changes.iter().map(|(id, text)| (IDS[*id], text.map(signs)));
        change(connection, VectorSource::Lexical, changes).unwrap();
        rows(connection)
    }

    #[test]
    fn rows_depend_on_the_symbols_and_not_on_the_history() {
        let empty = || {
            let connection = Connection::open_in_memory().unwrap();
            connection
                .execute_batch(include_str!(concat!(
                    env!("MIGRATIONS"),
                    "/0003_vectors.sql"
                )))
                .unwrap();
            connection
                .execute_batch(include_str!(concat!(env!("MIGRATIONS"), "/0004_signs.sql")))
                .unwrap();
            connection
        };

        let (at_once, one_by_one) = (empty(), empty());

        let expected = changed(
            &at_once,
            &[(0, Some("a cart")), (1, Some("total")), (2, Some("mail"))],
        );
        assert_eq!(
            expected
                .iter()
                .map(|(row, symbols)| (*row, symbols.len()))
                .collect::<Vec<_>>(),
            [(0, 2 * ENTRY_BYTES), (9, ENTRY_BYTES)]
        );

        changed(&one_by_one, &[(1, Some("another")), (2, Some("mail"))]);
        changed(&one_by_one, &[(0, Some("a cart"))]);
        assert_eq!(changed(&one_by_one, &[(1, Some("total"))]), expected);

        // Rows of the other source stay, and a row without symbols is removed.
        change(
            &at_once,
            VectorSource::Model,
            IDS.iter().map(|id| (*id, Some(signs("x")))),
        )
        .unwrap();

        assert_eq!(
            changed(&at_once, &[(0, None), (2, None)])
                .iter()
                .map(|(row, _)| *row)
                .collect::<Vec<_>>(),
            [0, 1 << ROW_BITS, 9 | 1 << ROW_BITS]
        );
        assert_eq!(changed(&at_once, &[(1, None), (2, None)]).len(), 2);

        delete_all(&at_once, VectorSource::Model).unwrap();
        assert_eq!(rows(&at_once), []);

        let all = ["a cart", "another", "mail"]
            .iter()
            .zip(IDS)
            .map(|(text, id)| (id, signs(text)))
            .collect::<Vec<_>>();

        changed(&at_once, &[(0, Some("x"))]);
        replace(&at_once, VectorSource::Lexical, &all).unwrap();
        assert_eq!(
            changed(&one_by_one, &[(1, Some("another"))]),
            rows(&at_once)
        );
    }

    #[test]
    fn a_truncated_row_is_an_error() {
        assert!(entries(&[0; 2 * ENTRY_BYTES]).is_ok_and(|entries| entries.len() == 2));
        assert!(entries(&[0; 2 * ENTRY_BYTES - 1]).is_err());
    }
}
