//! The requests, one file per kind. Each reads one snapshot per repository.

mod calls;
mod hover;
mod items;
mod navigation;
mod symbols;
mod types;

use codeagent_core::query::QueryError;
use codeagent_core::service::UnsavedError;
use codeagent_core::{Canceller, EngineError, StoreError};
use codeagent_render::answers::AnswerError;
use codeagent_render::{Face, error_text, query_error_text};
use lsp_server::{ErrorCode, RequestId, Response};
use lsp_types::request::{
    CallHierarchyIncomingCalls, CallHierarchyOutgoingCalls, CallHierarchyPrepare,
    DocumentHighlightRequest, DocumentSymbolRequest, GotoDefinition, GotoImplementation,
    GotoTypeDefinition, HoverRequest, References, Request, TypeHierarchyPrepare,
    TypeHierarchySubtypes, TypeHierarchySupertypes, WorkspaceSymbolRequest,
};
use serde_json::{Value, json};

use crate::positions::Encoding;
use crate::view::View;

/// Why a request has no result.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// No such method.
    #[error("the server has no method {0:?}")]
    Unknown(String),
    /// The parameters are not those of the method.
    #[error("{0}")]
    Parameters(String),
    /// The client cancelled the request.
    #[error("cancelled")]
    Cancelled,
    /// The index is damaged, and is being rebuilt.
    #[error("the index is damaged ({0}) and is being rebuilt; try again in a few seconds")]
    Damaged(String),
    /// Anything else; the message says what to do.
    #[error("{0}")]
    Failed(String),
}

impl RequestError {
    /// Returns the response to the request that failed.
    pub fn into_failure(self, id: RequestId) -> Response {
        let code = match &self {
            Self::Unknown(_) => ErrorCode::MethodNotFound,
            Self::Parameters(_) => ErrorCode::InvalidParams,
            Self::Cancelled => ErrorCode::RequestCanceled,
            Self::Damaged(_) | Self::Failed(_) => ErrorCode::RequestFailed,
        };
        Response::new_err(id, code as i32, self.to_string())
    }
}

impl From<StoreError> for RequestError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Cancelled => Self::Cancelled,
            StoreError::Corrupt(reason) => Self::Damaged(reason),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<QueryError> for RequestError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Store(error) => error.into(),
            other => Self::Failed(query_error_text(&other, Face::Tools)),
        }
    }
}

impl From<AnswerError> for RequestError {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Query(error) => error.into(),
            other => Self::Failed(error_text(&other, Face::Tools)),
        }
    }
}

impl From<EngineError> for RequestError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Store(error) => error.into(),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<UnsavedError> for RequestError {
    fn from(error: UnsavedError) -> Self {
        match error {
            UnsavedError::Cancelled => Self::Cancelled,
            other => Self::Failed(other.to_string()),
        }
    }
}

/// Returns the server's capabilities. `lsp-types` has no type hierarchy, so it is added.
pub fn capabilities(encoding: Encoding) -> Value {
    json!({
        "positionEncoding": encoding.kind(),
        "textDocumentSync": { "openClose": true, "change": 2, "save": false },
        "definitionProvider": true,
        "referencesProvider": true,
        "implementationProvider": true,
        "typeDefinitionProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "hoverProvider": true,
        "callHierarchyProvider": true,
        "typeHierarchyProvider": true,
        "workspace": {
            "workspaceFolders": { "supported": true, "changeNotifications": true },
        },
    })
}

/// Returns the result of a request as JSON text.
pub fn answer(
    view: &View,
    canceller: &Canceller,
    method: &str,
    params: Value,
) -> Result<String, RequestError> {
    let ask = Ask { view, canceller };

    match method {
        GotoDefinition::METHOD => ask.run::<GotoDefinition>(params, navigation::definition),
        GotoTypeDefinition::METHOD => {
            ask.run::<GotoTypeDefinition>(params, navigation::type_definition)
        }
        GotoImplementation::METHOD => {
            ask.run::<GotoImplementation>(params, navigation::implementation)
        }
        References::METHOD => ask.run::<References>(params, navigation::references),
        DocumentHighlightRequest::METHOD => {
            ask.run::<DocumentHighlightRequest>(params, navigation::highlights)
        }
        HoverRequest::METHOD => ask.run::<HoverRequest>(params, hover::hover),
        DocumentSymbolRequest::METHOD => {
            ask.run::<DocumentSymbolRequest>(params, symbols::of_document)
        }
        WorkspaceSymbolRequest::METHOD => {
            ask.run::<WorkspaceSymbolRequest>(params, symbols::of_workspace)
        }

        CallHierarchyPrepare::METHOD => ask.run::<CallHierarchyPrepare>(params, calls::prepare),
        CallHierarchyIncomingCalls::METHOD => {
            ask.run::<CallHierarchyIncomingCalls>(params, calls::incoming)
        }
        CallHierarchyOutgoingCalls::METHOD => {
            ask.run::<CallHierarchyOutgoingCalls>(params, calls::outgoing)
        }

        TypeHierarchyPrepare::METHOD => ask.run::<TypeHierarchyPrepare>(params, types::prepare),
        TypeHierarchySupertypes::METHOD => {
            ask.run::<TypeHierarchySupertypes>(params, types::supertypes)
        }
        TypeHierarchySubtypes::METHOD => ask.run::<TypeHierarchySubtypes>(params, types::subtypes),
        other => Err(RequestError::Unknown(other.to_owned())),
    }
}

/// The circumstances of a request.
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// What the editor has open.
    pub view: &'a View,
    /// Cancels the request.
    pub canceller: &'a Canceller,
}

impl<'a> Ask<'a> {
    fn run<R: Request>(
        self,
        params: Value,
        answer: impl FnOnce(Self, R::Params) -> Result<R::Result, RequestError>,
    ) -> Result<String, RequestError> {
        let params = serde_json::from_value(params)
            .map_err(|error| RequestError::Parameters(format!("{}: {error}", R::METHOD)))?;
        let result = answer(self, params)?;
        serde_json::to_string(&result).map_err(|error| RequestError::Failed(error.to_string()))
    }
}
