//! SQLite storage of the graph: all SQL of the engine.
//!
//! One [`Writer`] and one [`Reader`] share a database. The reader is a pool of read-only
//! connections whose [`Snapshot`]s each see one generation. Each table group has a file, and every
//! statement is a `const` above the function that runs it.
//!
//! Limitations: the store does not know the repository. `ingest` decides what is written, and
//! `query` what an answer contains.

mod bulk;
mod cancel;
mod codec;
mod copy;
mod delta;
mod dispatch;
mod dump;
mod edge_sites;
mod edges;
mod export;
mod external;
mod facts;
mod facts_cache;
mod file_uses;
mod files;
mod graph;
mod imports;
mod literals;
mod nodes;
mod package_facts;
mod packages;
mod packed_nodes;
mod reader;
mod row_list;
mod schema;
mod search;
mod share;
mod sign_bits;
mod status;
mod unresolved;
mod vectors;
mod writer;

pub use cancel::Canceller;
pub use copy::copy_database;
pub use delta::{
    Delta, DependencyKeyHash, DependencyRow, EdgeRow, FileKey, FileRow, FullGraph, InputRow,
    NodeChanges, NodeWithHash, ResolvedRows, SpanUpdate, UnresolvedRow, UnresolvedSite, Write,
    WriteReport,
};
pub use dispatch::{
    DispatchRow, dispatch_at, dispatch_below, dispatch_in_file, dispatch_of_kind, dispatch_on_line,
    dispatch_targets,
};
pub use dispatch::{dispatch_with_key, dispatch_without_key};
pub use dump::canonical_dump;
pub use edges::{
    Contained, IncidentEdge, candidates_of, contained, edges_on_line, incident_edges,
    reference_count,
};
pub use export::{
    ExportEdge, ExportNode, ExportSymbol, edges_of_file, export_edges, export_node, export_symbols,
    paths_by_key,
};
pub use external::{
    ExternalRow, ExternalSite, FilePackageUse, StoredExternal, external_packages,
    external_symbols_named, external_symbols_of, external_symbols_within, external_uses_by_file,
    external_uses_in, external_uses_of, packages_of_file,
};
pub use facts::{
    FactsKey, decode_facts, decode_outline, encode_facts, encode_outline, facts_keys, has_facts,
    may_be_facts, pack_plain_facts, plain_facts, read_facts, read_packed, repack,
};
pub use facts_cache::facts_of_file;
pub use file_uses::{external_calls_by_file, uses_between_files};
pub use files::{
    dependency_rows, file_by_path, file_keys, file_path, files, files_ending, files_in_folder,
    files_with_problems, files_with_stem, folders_named, folders_with_last_part, given_up_files,
    inputs, is_written, project_ids, written_files,
};
pub use graph::{
    SymbolBrief, SymbolClass, all_briefs, briefs, children_of, classes, each_use, file_nodes_below,
    files_of_namespace, use_counts,
};
pub use imports::{FIRST_IMPORTED_FILE, ImportRow, ImportedGraph, imports};
pub use literals::{
    LiteralRow, callbacks_of, count_files_with_literal, files_with_literal, tests_titled,
    titled_tests_of,
};
pub use nodes::{
    by_name, by_name_end, by_name_within, by_qualified_name, line_spans, node, node_hash,
    node_ids_of_file, nodes_named_on_line, nodes_of_file, spans_of,
};
pub use package_facts::{PackageFacts, add_package_facts};
pub use packages::{PackageRow, package_paths, package_rows};
pub use packed_nodes::PackedNodes;
pub use reader::{Reader, Snapshot};
pub use row_list::{RowList, spill_file};
pub use schema::{Check, SCHEMA_VERSION, check, move_log, sqlite_differences, sqlite_version};
pub use search::{
    DescribedAmong, DescribedSymbol, Evidence, Hit, Hits, MatchedBy, Score, SearchFilter,
    SimilarSymbols, SimilarityFn, SourceWords, described, is_generated_path, is_test_path,
    is_word_of_names, names_beginning_with, names_ending_with, nearest_names, search,
    telling_roots, tests_with_beginnings, types_with_words, word_roots,
};
pub use share::{GraphDatabase, SharedVersions, copy_graph, shared_keys, shared_versions};
pub use sign_bits::each_block;
pub use status::{
    Counts, LanguageCounts, counts, metadata, percent, unresolved_names, unresolved_with_name,
};
pub use unresolved::{
    UnresolvedFile, unresolved_files_of, unresolved_in_file, unresolved_sites_of,
};
pub use vectors::{
    NodeVector, Pending, VectorSource, lexical_signs, model_vector_count, pending_vectors,
    vectors_mark, vectors_of,
};
pub use writer::{Interrupter, Writer};

/// `_metadata`: number of edges, maintained by the writer.
pub const EDGES_TOTAL: &str = "edges";

/// `_metadata`: number of nodes other than files.
pub const SYMBOLS_TOTAL: &str = "symbols";

/// `_metadata`: start of the last scan, in nanoseconds since 1970.
pub const SCANNED_AT: &str = "scanned_at_ns";

/// `_metadata`: start of the last batch, in nanoseconds since 1970.
pub const BATCH_AT: &str = "batch_at_ns";

/// `_metadata`: number of batches written, maintained by the writer.
pub const GENERATION: &str = "generation";

/// `_metadata`: name of the model whose vectors are stored.
pub const EMBEDDING_MODEL: &str = "embedding_model";

/// `_metadata`: number of writes of model vectors, maintained by the writer.
pub const VECTORS_GENERATION: &str = "vectors_generation";

/// `_metadata`: hash of the indexed root directory's path.
pub const ROOT: &str = "root";

/// `_metadata`: fingerprint of the engine that wrote the index.
pub const MADE_BY: &str = "made_by";

/// `_metadata`: hash of the packages' declarations and of resolved package specifiers.
pub const PACKAGES: &str = "packages";

/// `_metadata`: package folders, one per line.
pub const PACKAGE_FOLDERS: &str = "package_folders";

/// `_metadata`: hash of the imports and of their files' times.
pub const IMPORTS: &str = "imports";

/// `_metadata`: notes about project files, one per line.
pub const PROJECT_NOTES: &str = "project_remarks";

/// An error of the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no index.
    #[error("there is no index yet; run `codeagent index`")]
    NotIndexed,
    /// The file at the index's path belongs to another program.
    #[error(
        "{0} is not a codeagent index and was not changed; move it away or set CODEAGENT_DATA_DIR"
    )]
    Foreign(String),
    /// The index was written by a newer codeagent.
    #[error(
        "the index was made by a newer codeagent (schema {found}, this one supports {known}); use \
         that version, or run `codeagent index --rebuild`"
    )]
    Newer {
        /// Schema version of the index.
        found: usize,
        /// Newest version known to this code.
        known: usize,
    },
    /// The index was written by an older codeagent; a writer has to migrate it first.
    #[error("the index has schema {found}, this codeagent needs {known}; run `codeagent index`")]
    Older {
        /// Schema version of the index.
        found: usize,
        /// Version needed by this code.
        known: usize,
    },
    /// The index has the same schema version but another table layout.
    #[error(
        "the index was made by another version of codeagent; run `codeagent index` to rebuild it"
    )]
    OtherLayout,
    /// The index was built for another directory.
    #[error("this index belongs to another folder; run `codeagent index` to rebuild it")]
    OtherRoot,
    /// Rows that wait to be written could not be kept in a file.
    #[error("the rows of the index cannot be kept in its folder until they are written: {0}")]
    Spill(std::io::Error),
    /// The operating system refused to open or write a file of the index.
    #[error(
        "the index cannot be {0}: check the limit of open files (ulimit -n), the permissions of \
         its folder, and files of other programs in it; `codeagent doctor` shows where it is"
    )]
    Refused(&'static str),
    /// The linked SQLite has known defects.
    #[error("SQLite {0} is too old (3.51.3 is needed)")]
    OldSqlite(String),
    /// The database is damaged.
    #[error("the index is damaged ({0})")]
    Corrupt(String),
    /// Another process has locked the database for longer than the time-out.
    #[error("the index is locked by another process; try again when it has finished")]
    Busy,
    /// FTS5 cannot parse the search query, even with quoted words.
    #[error("invalid search query: {0}")]
    Query(String),
    /// A database thread could not be started.
    #[error("cannot start a database thread: {0}")]
    Thread(String),
    /// The operating system refused to write a file of the index.
    #[error(
        "cannot write the index ({0}); check the free disk space and the limit on file sizes \
         (`ulimit -f`)"
    )]
    Unwritten(String),
    /// Any other SQLite error.
    #[error("database: {0}")]
    Sqlite(rusqlite::Error),
    /// The call was cancelled.
    #[error("the call was cancelled")]
    Cancelled,
    /// The connection pool has no connection.
    #[error("no database connection: {0}")]
    Pool(#[from] r2d2::Error),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::{Error, ErrorCode};
        let is_misread = matches!(
            error,
            Error::InvalidColumnType(..)
                | Error::FromSqlConversionFailure(..)
                | Error::IntegralValueOutOfRange(..)
                | Error::Utf8Error(..)
        );

        // Statements name only tables that a migration created, so a missing table means
        // corruption.
        let is_lost = error.to_string().starts_with("no such table");

        match error.sqlite_error_code() {
            _ if is_misread || is_lost => Self::Corrupt(error.to_string()),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Corrupt(error.to_string())
            }
            Some(ErrorCode::OperationInterrupted) => Self::Cancelled,
            Some(ErrorCode::SystemIoFailure) if is_write(&error) => {
                Self::Unwritten(error.to_string())
            }
            Some(ErrorCode::CannotOpen) => Self::Refused("opened"),
            Some(ErrorCode::ReadOnly) => Self::Refused("written"),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Sqlite(error),
        }
    }
}

/// Reports whether SQLite failed to write or extend a file. A full disk has its own error code.
fn is_write(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_WRITE};
    let code = error.sqlite_error().map(|error| error.extended_code);
    code.is_some_and(|code| {
        [
            SQLITE_IOERR_WRITE,
            SQLITE_IOERR_TRUNCATE,
            SQLITE_IOERR_SHMSIZE,
        ]
        .contains(&code)
    })
}

/// Returns the error for a stored value that no version of the engine writes.
fn bad_value(what: &str) -> StoreError {
    StoreError::Corrupt(format!("unknown {what}"))
}

#[cfg(test)]
mod tests;
