//! Lookup: from the text of a question (names, locations, kinds, sentences) to symbols, and the
//! symbols that a file or folder declares.

pub(super) mod cursor;
pub(super) mod described;
pub(super) mod described_noun;
pub(super) mod described_tests;
pub(super) mod folder;
pub(super) mod kind;
pub(super) mod namesakes;
pub(super) mod not_found;
pub(super) mod outline;
pub(super) mod parameters;
pub(super) mod position;
pub(super) mod question;
pub(super) mod symbol;
pub(super) mod symbol_lookup;
pub(super) mod target;
pub(super) mod target_nodes;
