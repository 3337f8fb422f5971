//! The answers of the page, as JSON: one query each, over one snapshot.

mod changes;
mod folders;
mod graph;
mod lists;
mod parameters;
mod rows;
mod source;
mod symbol;

use std::sync::Arc;

use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use codeagent_core::query::{
    self, QueryError, SearchFilter, SearchQuery, Searched, Snapshot, Sources,
};
use codeagent_core::{Canceller, IndexReader, StoreError};
use codeagent_render::answers::AnswerError;
use codeagent_render::{Face, error_text, note_text, query_error_text};
use serde_json::{Value, json};

pub use folders::problem as file_problem;

use crate::repository::Repository;
use parameters::Parameters;

/// Maximum number of symbols that a search finds.
const MAX_FOUND: usize = 100;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// No such query, symbol or file.
    #[error("{0}")]
    NotFound(String),
    /// The parameters are not those of the query.
    #[error("{0}")]
    Parameters(String),
    /// The index cannot be used yet; the page asks again.
    #[error("{0}")]
    NotReady(String),
    /// The browser no longer wants the answer.
    #[error("cancelled")]
    Cancelled,
    /// The index is damaged, and is being rebuilt.
    #[error("the index is damaged ({0}) and is being rebuilt")]
    Damaged(String),
    /// Anything else; the message says what to do.
    #[error("{0}")]
    Failed(String),
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Cancelled => Self::Cancelled,
            StoreError::Corrupt(reason) => Self::Damaged(reason),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Store(error) => error.into(),
            QueryError::EmptySearch | QueryError::SearchTooLong { .. } => {
                Self::Parameters(error.to_string())
            }
            other => Self::NotFound(query_error_text(&other, Face::Commands)),
        }
    }
}

impl From<AnswerError> for ApiError {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Query(error) => error.into(),
            other => Self::Failed(error_text(&other, Face::Commands)),
        }
    }
}

impl ApiError {
    fn status(&self) -> StatusCode {
        match self {
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::Parameters(_) => StatusCode::BAD_REQUEST,
            Self::NotReady(_) | Self::Cancelled | Self::Damaged(_) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

/// What a query reads.
struct Query<'a> {
    repository: &'a Repository,
    reader: &'a IndexReader,
    snapshot: &'a Snapshot,
    parameters: &'a Parameters,
}

impl Query<'_> {
    fn sources(&self) -> Sources<'_> {
        self.reader.sources(self.snapshot)
    }
}

/// Cancels a query when the browser closes the connection before its answer.
struct CancelOnDrop(Canceller);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Answers the query that an address names.
pub async fn answer(repository: Arc<Repository>, address: Uri) -> Response {
    let canceller = Canceller::default();
    let _cancelled = CancelOnDrop(canceller.clone());
    let work = move || {
        let answered = run(&repository, &address, &canceller);
        if matches!(answered, Err(ApiError::Damaged(_))) {
            repository.rebuild();
        }
        answered
    };

    let answered = tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        let text = "the query failed because of a bug in codeagent".to_owned();
        Err(ApiError::Failed(text))
    });

    match answered {
        Ok(value) => as_json(StatusCode::OK, &value),
        Err(error) => as_json(error.status(), &json!({ "error": error.to_string() })),
    }
}

fn as_json(status: StatusCode, value: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json; charset=utf-8")];
    (status, headers, value.to_string()).into_response()
}

fn run(repository: &Repository, address: &Uri, canceller: &Canceller) -> Result<Value, ApiError> {
    let name = address.path().rsplit('/').next().unwrap_or_default();
    let parameters = Parameters::parse(address.query().unwrap_or_default())?;
    let reading = repository.read(canceller)?;
    let query = Query {
        repository,
        reader: &reading.reader,
        snapshot: &reading.snapshot,
        parameters: &parameters,
    };

    let mut answer = match name {
        "status" => status(&query),
        "search" => search(&query),
        "symbol" => symbol::symbol(&query),
        "source" => source::source(&query),
        "list" => lists::list(&query),
        "graph" => graph::graph(&query),
        "folders" => folders::matrix(&query),
        "crossing" => folders::crossing(&query),
        "health" => folders::health(&query),
        "changes" => changes::changes(&query),
        _ => Err(ApiError::NotFound(format!("there is no query {name:?}"))),
    }?;
    if let Some(stale) = reading.stale {
        answer["stale"] = stale.into();
    }
    Ok(answer)
}

fn status(query: &Query<'_>) -> Result<Value, ApiError> {
    let counts = query::counts(query.snapshot)?;
    Ok(json!({
        "repository": query.repository.name(),
        "files": counts.files,
        "symbols": counts.symbols,
        "edges": counts.edges,
    }))
}

/// Searches as one types: the last word may be the beginning of one.
fn search(query: &Query<'_>) -> Result<Value, ApiError> {
    let typed = query.parameters.text("q")?;
    let is_word = !typed.is_empty() && typed.chars().all(|c| c.is_alphanumeric() || c == '_');
    let text = if is_word {
        format!("{typed}*")
    } else {
        typed.to_owned()
    };
    let filter = SearchFilter::default();
    let asked = SearchQuery {
        text: &text,
        filter: &filter,
        limit: query.parameters.number("limit", MAX_FOUND)?.min(MAX_FOUND),
    };
    let vectors = query.reader.vectors();
    let searched = Searched::without_source(Some(vectors));
    let found = query::search(query.snapshot, searched, &asked)?;
    let notes = found.notes(query.snapshot, vectors, &asked)?;

    let nodes = found.hits.iter().map(|hit| &hit.node);
    let rows = rows::symbols(query.snapshot, nodes)?;
    let notes: Vec<String> = notes
        .iter()
        .map(|note| note_text(note, Face::Commands))
        .collect();
    Ok(json!({ "rows": rows, "notes": notes }))
}
