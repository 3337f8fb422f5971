//! The engine: indexes the symbols of a repository and answers queries about them.
//!
//! The crate's root is its interface: [`Engine`] indexes and answers, [`IndexReader`] reads an index
//! that another process writes, [`IndexService`] keeps an index up to date. Queries are functions
//! over a [`Snapshot`], one generation of the index; [`query`] has all of them.
//!
//! ```
//! use std::sync::Arc;
//!
//! use codeagent_core::{
//!     DataRoot, EdgeDirection, EdgeType, Engine, EngineOptions, IndexService, NeighborQuery, Role,
//!     Sources, get_neighbors, resolve_symbol,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (repository, cache) = (tempfile::tempdir()?, tempfile::tempdir()?);
//! # let (root, cache) = (repository.path(), cache.path());
//! # std::fs::write(root.join("a.ts"), "export function price() { return 1 }\nexport function total() { return price() }\n")?;
//! // Open. The index is stored below `cache`, never in the repository.
//! let options = EngineOptions { home: DataRoot::at(cache), ..EngineOptions::default() };
//! let engine = Arc::new(Engine::open(root, options)?);
//!
//! // Index: everything the first time, then only changes.
//! let summary = engine.index(&|_progress| {})?;
//! assert!(summary.problems.is_empty());
//!
//! // Query, from any thread.
//! let reader = engine.reader();
//! let snapshot = reader.snapshot()?;
//! let price = resolve_symbol(&snapshot, "price")?;
//! let mut sources = reader.sources(&snapshot);
//! let callers = NeighborQuery {
//!     node: price.id,
//!     edge_type: Some(EdgeType::Calls),
//!     direction: EdgeDirection::Incoming,
//!     sites: 3,
//! };
//! let found = get_neighbors(&mut sources, &callers)?;
//! assert_eq!(found[0].node.qualified_name, "a.ts#total");
//! assert_eq!((found[0].sites[0].line, found[0].sites[0].column), (2, 34));
//!
//! // Watch: edits are indexed in the background; a query waits for earlier ones.
//! let service = IndexService::with_engine(Arc::clone(&engine), Role::Watch, |_progress| {})?;
//! std::fs::write(root.join("b.ts"), "import { price } from './a'\nexport const twice = () => price() * 2\n")?;
//! assert!(service.wait_until_fresh(None).is_none());
//! let snapshot = reader.snapshot()?;
//! let mut sources = reader.sources(&snapshot);
//! assert_eq!(get_neighbors(&mut sources, &callers)?.len(), 2);
//! service.stop();
//! # Ok(())
//! # }
//! ```
//!
//! The hidden modules are implementation details and may change in any version. The crate's layers
//! are described in `docs/ARCHITECTURE.md`.

#![warn(missing_docs)]

mod languages;
mod versions;

#[doc(inline)]
pub use codeagent_model as model;
#[doc(hidden)]
pub use languages::LANGUAGES;

pub mod embed;

#[doc(hidden)]
pub mod store;

#[doc(hidden)]
pub mod ingest;

pub mod query;

pub mod engine;

pub mod service;

pub use codeagent_workspace::{DataRoot, RepoPath, Workspace};

pub use engine::{Engine, EngineError, EngineOptions, ErrorKind, IndexReader};
#[doc(hidden)]
pub use ingest::imports;
#[doc(hidden)]
pub use ingest::inspect;
#[doc(hidden)]
pub use ingest::packs;
pub use ingest::{
    Change, ChangeBatch, FileProblem, IngestError, IngestOptions, InspectError, Phase, PhaseTime,
    Progress, Summary,
};
pub use model::graph::{
    Access, Confidence, Dialect, Edge, EdgeDirection, EdgeType, Language, Node, NodeFlags, NodeId,
    NodeKind, NodeSpan, NodeType, ParseStatus,
};
pub use model::span::{Position, Span};
pub use query::{
    Counts, FileKey, Filter, FoundSymbol, IndexStatus, LanguageCounts, Match, MatchedBy, Neighbor,
    NeighborQuery, Neighbors, Note, QueryError, Relation, Relations, Score, SearchFilter,
    SearchResults, Similar, Snapshot, SourceState, Sources, Symbol, SymbolGroup, SymbolMatches,
    UseSite, VectorSource, Vectors, derive_file_id, explain_empty, filter_nodes, find_similar,
    get_neighbors, get_node, get_node_by_qualified_name, get_outline, get_source, resolve_symbol,
    resolve_symbols, status,
};
pub use service::{IndexService, Role, Staleness};
pub use store::{Canceller, StoreError};
