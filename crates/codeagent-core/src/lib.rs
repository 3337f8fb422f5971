//! The engine: text becomes facts, facts become edges, edges lie in a store and answer questions.
//!
//! A file travels one way: `extract` (one text, pure) -> `resolve` (all facts, pure) -> `ingest` (what changed, what must be linked again)
//! -> `store` (all SQL) -> `query` (one file per question). See `docs/ARCHITECTURE.md`.
//!
//! A program that asks it indexes a folder once, or again after changes, and asks as often as it likes, from any thread:
//!
//! ```
//! use codeagent_core::engine::{Engine, EngineOptions};
//! use codeagent_core::model::graph::{EdgeDirection, EdgeType};
//! use codeagent_core::query::{Sources, get_neighbors, resolve_symbol};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (repository, cache) = (tempfile::tempdir()?, tempfile::tempdir()?);
//! # std::fs::write(repository.path().join("a.ts"), "export function price() { return 1 }\nexport function total() { return price() }\n")?;
//! # let home = codeagent_workspace::DataHome::at(cache.path());
//! let options = EngineOptions { home, ..EngineOptions::default() };
//! let engine = Engine::open(repository.path(), options)?;
//! let summary = engine.index(&|_progress| {})?;
//! assert!(summary.problems.is_empty());
//!
//! let answers = engine.answers();
//! let snapshot = answers.snapshot()?;
//! let price = resolve_symbol(&snapshot, "price")?;
//! let mut sources = Sources::new(&snapshot, answers.workspace());
//! let callers = get_neighbors((price.id, Some(EdgeType::Calls), EdgeDirection::Incoming), &mut sources, 3)?;
//! assert_eq!(callers[0].node.qualified_name, "a.ts#total");
//! assert_eq!((callers[0].sites[0].line, callers[0].sites[0].column), (2, 34));
//! engine.close()?;
//! # Ok(())
//! # }
//! ```
//!
//! One engine writes at a time; [`engine::Answers::open`] reads what another process has indexed.

pub mod model;

pub mod project;

pub mod library;

pub mod extract;

pub mod resolve;

pub mod embed;

pub mod store;

pub mod ingest;

pub mod query;

pub mod engine;

pub mod watch;
