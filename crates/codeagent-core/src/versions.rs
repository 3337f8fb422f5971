//! Versions of the index's contents: hashes of the sources that produce them (see `build.rs`). An
//! index made by other code is rebuilt, and nobody has to raise a number.

/// Version of the facts and extractors; part of the key under which facts are stored.
pub const FACTS_VERSION: &str = env!("FACTS_VERSION");

/// Version of the code that turns facts into edges.
pub const LINK_VERSION: &str = env!("LINK_VERSION");
