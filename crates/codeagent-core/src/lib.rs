//! The engine: text becomes facts, facts become edges, edges lie in a store and answer questions.
//!
//! What a program needs that asks about a repository stands at the root: [`Engine`] indexes and
//! answers, [`Answers`] reads an index that another process writes, [`IndexService`] keeps it up to
//! date. Questions are functions over a [`Snapshot`], one generation of the index; all of them are in [`query`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use codeagent_core::{
//!     DataHome, EdgeDirection, EdgeType, Engine, EngineOptions, IndexService, NeighborQuery, Role, Sources, get_neighbors, resolve_symbol,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (repository, cache) = (tempfile::tempdir()?, tempfile::tempdir()?);
//! # let (root, cache) = (repository.path(), cache.path());
//! # std::fs::write(root.join("a.ts"), "export function price() { return 1 }\nexport function total() { return price() }\n")?;
//! // Open: indexes lie below `cache`, never in the repository. By default they lie where the command has them.
//! let options = EngineOptions { home: DataHome::at(cache), ..EngineOptions::default() };
//! let engine = Arc::new(Engine::open(root, options)?);
//!
//! // Index: the first time everything, then what changed.
//! let summary = engine.index(&|_progress| {})?;
//! assert!(summary.problems.is_empty());
//!
//! // Ask, as often as you like and from any thread.
//! let answers = engine.answers();
//! let snapshot = answers.snapshot()?;
//! let price = resolve_symbol(&snapshot, "price")?;
//! let mut sources = Sources::new(&snapshot, answers.workspace());
//! let callers = NeighborQuery { node: price.id, edge_type: Some(EdgeType::Calls), direction: EdgeDirection::Incoming, sites: 3 };
//! let found = get_neighbors(&mut sources, &callers)?;
//! assert_eq!(found[0].node.qualified_name, "a.ts#total");
//! assert_eq!((found[0].sites[0].line, found[0].sites[0].column), (2, 34));
//!
//! // Watch: edits are taken in as they are made; a question waits for those made before it.
//! let service = IndexService::with_engine(Arc::clone(&engine), Role::Watch, |_progress| {})?;
//! std::fs::write(root.join("b.ts"), "import { price } from './a'\nexport const twice = () => price() * 2\n")?;
//! assert!(service.wait_until_fresh(None).is_none());
//! let snapshot = answers.snapshot()?;
//! assert_eq!(get_neighbors(&mut Sources::new(&snapshot, answers.workspace()), &callers)?.len(), 2);
//! service.stop();
//! # Ok(())
//! # }
//! ```
//!
//! One engine writes an index at a time; [`Answers::open`] reads what another process has indexed.
//!
//! A file travels one way: `extract` (one text, pure) -> `resolve` (all facts, pure) -> `ingest`
//! (what changed, what must be linked again) -> `store` (all SQL) -> [`query`] (one file per
//! question). See `docs/ARCHITECTURE.md`. The modules that are left out of this page are how it is
//! done and change with it.

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

pub use codeagent_workspace::{DataHome, RepoPath, Workspace};

pub use engine::{Answers, Engine, EngineError, EngineOptions, ErrorKind};
#[doc(hidden)]
pub use ingest::inspect;
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
    Counts, FileKey, Filter, FoundSymbol, Freshness, IndexStatus, LanguageCounts, Match, MatchedBy,
    Neighbor, NeighborQuery, Neighbors, Note, QueryError, Relation, Relations, Score, SearchFilter,
    SearchResults, Similar, Snapshot, Sources, Symbol, SymbolGroup, SymbolMatches, UseSite,
    VectorSource, Vectors, derive_file_id, explain_empty, filter_nodes, find_similar,
    get_neighbors, get_node, get_node_by_qualified_name, get_outline, get_source, resolve_symbol,
    resolve_symbols, status,
};
pub use service::{IndexService, Role, Staleness};
pub use store::{Canceller, StoreError};
