//! Versions of what the index holds: hashes of the sources that make it (`build.rs`), so that an
//! index made by other code is built again and nobody has to raise a number.

/// Version of the facts and of the extractors; part of the key under which facts are stored.
pub const FACTS_VERSION: &str = env!("FACTS_VERSION");

/// Version of what makes edges of facts.
pub const LINK_VERSION: &str = env!("LINK_VERSION");
