//! The engine: text becomes facts, facts become edges, edges lie in a store and answer questions.
//!
//! A file travels one way: `extract` (one text, pure) -> `resolve` (all facts, pure) -> `ingest` (what changed, what must be linked again)
//! -> `store` (all SQL) -> `query` (one file per question). See `docs/ARCHITECTURE.md`.

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
