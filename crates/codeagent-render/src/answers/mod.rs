//! Answers: each function runs one query and creates its rows, extra fields and notes.

mod changes;
mod diagrams;
mod dispatch;
mod explore;
mod hover;
mod impact;
mod overview;
mod packages;
mod path;
mod related;
mod search;
mod symbol_line;
mod symbols;
mod text;

pub use changes::{affected, affected_json, break_text, changes};
pub use diagrams::{impact_diagram, overview_diagram, path_diagram};
pub use explore::{ExploreQuery, explore};
pub use hover::{HoverQuery, LocalHover, hover_text, local_text};
pub use impact::{IMPACT_DEPTH, impact};
pub use overview::overview;
pub use packages::{PackageUseRow, packages};
pub use path::path;
pub use related::{RelatedQuery, related};
pub use search::{LookupQuery, lookup, search, similar};
pub use symbols::{SymbolQuery, declarations, details, outline};
pub use text::text;

use codeagent_core::StoreError;
use codeagent_core::model::graph::Node;
use codeagent_core::query::{Note, QueryError, Sources};
use codeagent_workspace::{GitError, PathError, ReadError, RepoPath};

use crate::extra::Extra;
use crate::page::{CursorError, PagedRows};

/// The answer to a query.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// One entry for each result.
    pub rows: Vec<T>,
    /// Fields in addition to the rows.
    pub extra: Extra,
    /// Notes about what the rows do not show.
    pub notes: Vec<Note>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// The query failed.
    #[error("{0}")]
    Query(#[from] QueryError),
    /// The cursor cannot be used.
    #[error(transparent)]
    Cursor(#[from] CursorError),
    /// git cannot answer.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The path is invalid.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A directory cannot be outlined.
    #[error("{0} is not a file")]
    NotAFile(RepoPath),
    /// The file exists, but is not in the index.
    #[error("{0} is not in the index")]
    NotIndexed(RepoPath),
}

impl From<StoreError> for AnswerError {
    fn from(error: StoreError) -> Self {
        Self::Query(error.into())
    }
}

impl<T> Answer<T> {
    fn new(rows: Vec<T>) -> Self {
        Self {
            rows,
            extra: Extra::default(),
            notes: Vec::new(),
        }
    }

    /// Creates the answer of a page, with fields that were collected before its rows.
    fn of_page(page: PagedRows<T>, extra: Extra) -> Self {
        Self {
            rows: page.rows,
            extra: Extra {
                next_cursor: page.next_cursor,
                total: page.total,
                ..extra
            },
            notes: Vec::new(),
        }
    }

    fn with_notes(mut self, notes: impl IntoIterator<Item = Note>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// Adds the files that changed since they were indexed.
    fn with_stale_files(mut self, sources: &Sources<'_>) -> Self {
        let note = sources.stale_note();
        if let Some(Note::Stale { files, .. }) = &note {
            self.extra.stale_files.clone_from(files);
        }
        self.with_notes(note)
    }
}

/// Compares the file in which a symbol is shown with the index.
fn check_file(sources: &mut Sources<'_>, node: &Node) -> Result<(), StoreError> {
    node.spans
        .first()
        .map_or(Ok(()), |span| sources.freshness(&span.path).map(drop))
}
