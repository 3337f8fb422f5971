//! Checks that the tables of an assembly's metadata fit into its size before they are read.
//!
//! Limitations: references between rows are not checked here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use clrmeta::reader::Reader;
use clrmeta::{Metadata, MetadataRoot, TablesHeader};

/// Largest number of rows of all tables together; the largest assemblies in use have a million.
const MAX_ROWS: u64 = 4 << 20;

/// Smallest size of a row in bytes.
const MIN_ROW_BYTES: u64 = 2;

/// Reads all tables.
///
/// # Errors
///
/// Fails if the tables are malformed.
pub fn read(data: &[u8]) -> Result<Metadata, String> {
    let root = MetadataRoot::parse(data).map_err(|error| error.to_string())?;
    let stream = root.tables_stream().ok_or("no tables")?;
    let start = stream.offset as usize;
    let tables = start
        .checked_add(stream.size as usize)
        .and_then(|end| data.get(start..end))
        .ok_or("its tables are truncated")?;

    let header =
        TablesHeader::parse(&mut Reader::new(tables), false).map_err(|error| error.to_string())?;
    let context = header.context();
    let (mut rows, mut bytes) = (0, 0);
    for (table, count) in header.tables() {
        rows += u64::from(count);
        bytes += u64::from(count) * (context.row_size(table) as u64).max(MIN_ROW_BYTES);
    }

    if rows > MAX_ROWS || bytes > tables.len() as u64 {
        return Err("its tables are too large".to_owned());
    }

    // The library panics on some invalid numbers in rows, without documenting which.
    match catch_unwind(AssertUnwindSafe(|| Metadata::parse(data))) {
        Ok(parsed) => parsed.map_err(|error| error.to_string()),
        Err(_) => Err("its tables are inconsistent".to_owned()),
    }
}
