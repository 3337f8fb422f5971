//! Tables of a repository for engines that read Parquet, in a folder or an object store.
//!
//! 1. A table is a folder, and each repository one file in it: `symbols/shop.parquet`. Exports of
//!    several repositories to one place are read together.
//! 2. Ids join all tables and repositories: a published symbol has the same id in the repository
//!    that declares it and in those that use it (module `graph`).
//! 3. Rows are sorted, so that statistics of row groups and pages tell where a symbol is.
//! 4. Equal indexes give equal bytes.
//! 5. In memory are the declarations of the repository, a bounded number of its uses at a time, and
//!    the row group that is being written.
//!
//! The files of an earlier export of the repository are replaced, one after the other.

mod graph;
mod occurrences;
mod rows;
mod schema;
mod upload;
mod writer;

pub use schema::{Column, Kind, TABLES, Table, VERSION};

use codeagent_core::IndexReader;
use codeagent_core::inspect;
use codeagent_core::query::{self, QueryError};
use parquet::errors::ParquetError;

use crate::remote::check_name;
use crate::{Remote, ShareError};

use graph::Graph;
use rows::Rows;
use upload::Upload;
use writer::{TableWriter, Value};

/// What to export.
#[derive(Clone, Debug)]
pub struct TablesOptions {
    /// Name of the repository in the tables.
    pub repository: String,
    /// Id of the indexed commit; empty if unknown.
    pub commit: String,
}

/// A table that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenTable {
    /// Its name in the store.
    pub name: String,
    /// Number of rows.
    pub rows: u64,
    /// Size of the file.
    pub bytes: u64,
}

/// Writes the tables of an index.
pub fn export_tables(
    remote: &Remote,
    index: &IndexReader,
    options: &TablesOptions,
) -> Result<Vec<WrittenTable>, ShareError> {
    let repository = check_name("repository name", &options.repository)?;
    let snapshot = index.snapshot()?;
    let own = inspect::own_packages(index.workspace())?;
    let declared = inspect::packages(index.workspace())?;
    let files = query::files(&snapshot)?;
    let symbols = query::export_symbols(&snapshot)?;
    let graph = Graph::new(&snapshot, (repository, &own), &files, &symbols)?;

    let rows = Rows {
        repository,
        commit: &options.commit,
        snapshot: &snapshot,
        own: &own,
        declared: &declared,
        symbols: &symbols,
        graph: &graph,
    };
    TABLES
        .iter()
        .map(|table| write_table(remote, table, &rows))
        .collect()
}

fn write_table(
    remote: &Remote,
    table: &Table,
    rows: &Rows<'_>,
) -> Result<WrittenTable, ShareError> {
    let name = format!("{}/{}.parquet", table.name, rows.repository);
    let mut writer = TableWriter::new(table, Upload::new(remote, &name))?;
    rows.write(table, &mut |row: &[Value<'_>]| writer.push(row))?;
    let (rows, upload) = writer.finish()?;
    let bytes = upload.finish().map_err(ParquetError::from)?;
    Ok(WrittenTable { name, rows, bytes })
}

/// Takes the rows of a table.
type Sink<'a> = dyn FnMut(&[Value<'_>]) -> Result<(), ParquetError> + 'a;

impl From<QueryError> for ShareError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Store(error) => Self::Index(error),
            other => Self::Query(Box::new(other)),
        }
    }
}
