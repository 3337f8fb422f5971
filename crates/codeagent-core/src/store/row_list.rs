//! Lists of rows that wait to be written. The rows of a large repository wait in a file rather than in memory, where they
//! would be a quarter of what a first index holds.

use std::io;
use std::path::Path;

use codeagent_workspace::{SpillFile, SpilledBytes};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::store::{Snapshot, StoreError};

/// Rows in the order in which they were added.
#[derive(Debug)]
pub struct RowList<T> {
    parts: Vec<Part<T>>,
}

#[derive(Debug)]
enum Part<T> {
    Memory(Vec<T>),
    // Boxed, because most lists have one short part.
    Spilled(Box<Block>),
}

/// Rows in a file, encoded with `postcard`.
#[derive(Debug)]
struct Block {
    bytes: SpilledBytes,
    rows: usize,
}

impl Block {
    fn write<T: Serialize>(rows: &[T], file: &SpillFile) -> io::Result<Self> {
        let mut bytes = Vec::new();
        for row in rows {
            bytes = postcard::to_extend(row, bytes).map_err(io::Error::other)?;
        }
        Ok(Self {
            bytes: file.append(&bytes)?,
            rows: rows.len(),
        })
    }

    fn read<T: DeserializeOwned>(&self) -> io::Result<Vec<T>> {
        let bytes = self.bytes.read()?;
        let (mut rows, mut rest) = (Vec::with_capacity(self.rows), bytes.as_slice());
        while !rest.is_empty() {
            let (row, after) = postcard::take_from_bytes(rest).map_err(io::Error::other)?;
            rows.push(row);
            rest = after;
        }
        Ok(rows)
    }
}

/// Creates a file for rows in the folder of an index.
pub fn spill_file(snapshot: &Snapshot) -> Result<SpillFile, StoreError> {
    let index = Path::new(snapshot.connection().path().unwrap_or_default());
    let folder = index.parent().unwrap_or(index);
    SpillFile::create_in(folder).map_err(StoreError::Spill)
}

impl<T> Default for RowList<T> {
    fn default() -> Self {
        Self { parts: Vec::new() }
    }
}

impl<T> RowList<T> {
    /// Adds a row.
    pub fn push(&mut self, row: T) {
        self.extend([row]);
    }

    /// Adds the rows of another list, in no more memory than they need.
    pub fn append(&mut self, other: Self) {
        for mut part in other.parts {
            if let Part::Memory(rows) = &mut part {
                rows.shrink_to_fit();
            }
            self.parts.push(part);
        }
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        let length = |part: &Part<T>| match part {
            Part::Memory(rows) => rows.len(),
            Part::Spilled(block) => block.rows,
        };
        self.parts.iter().map(length).sum()
    }

    /// Reports whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the rows that are in memory.
    pub fn in_memory(&self) -> impl Iterator<Item = &T> {
        self.parts.iter().flat_map(|part| match part {
            Part::Memory(rows) => rows.as_slice(),
            Part::Spilled(_) => &[],
        })
    }
}

impl<T> Extend<T> for RowList<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, added: I) {
        match self.parts.last_mut() {
            Some(Part::Memory(rows)) => rows.extend(added),
            _ => self.parts.push(Part::Memory(added.into_iter().collect())),
        }
    }
}

impl<T: Serialize + DeserializeOwned> RowList<T> {
    /// Moves the rows into a file.
    pub fn spill(&mut self, file: &SpillFile) -> io::Result<()> {
        for part in &mut self.parts {
            if let Part::Memory(rows) = part {
                *part = Part::Spilled(Box::new(Block::write(rows, file)?));
            }
        }
        Ok(())
    }

    /// Returns the rows, and frees them part by part.
    pub fn into_rows(self) -> impl Iterator<Item = Result<T, StoreError>> {
        self.parts.into_iter().flat_map(|part| {
            let rows = match part {
                Part::Memory(rows) => Ok(rows),
                Part::Spilled(block) => block.read(),
            };
            let (rows, error) = match rows {
                Ok(rows) => (rows, None),
                Err(error) => (Vec::new(), Some(Err(StoreError::Spill(error)))),
            };
            rows.into_iter().map(Ok).chain(error)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: u32) -> (u32, String) {
        (number, "x".repeat(number as usize))
    }

    #[test]
    fn rows_come_back_in_order_from_memory_and_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = SpillFile::create_in(folder.path()).unwrap();
        let mut rows = RowList::default();
        for first in [0, 100, 200] {
            let mut item = RowList::default();
            item.extend((first..first + 100).map(row));
            if first < 200 {
                item.spill(&file).unwrap();
            }
            rows.append(item);
        }
        rows.push(row(300));

        assert_eq!(rows.len(), 301);
        assert_eq!(rows.in_memory().count(), 101);
        let read: Vec<(u32, String)> = rows.into_rows().map(Result::unwrap).collect();
        assert_eq!(read, (0..301).map(row).collect::<Vec<_>>());
    }
}
