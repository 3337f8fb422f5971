//! Text: sources and their string literals, the texts of interfaces, and files in languages that
//! are not indexed.

pub(super) mod environment;
pub(super) mod inactive_code;
pub(super) mod indented;
pub(super) mod interface_texts;
pub(super) mod literals;
pub(super) mod razor;
pub(super) mod shared_literals;
pub(super) mod source;
pub(super) mod source_words;
pub(super) mod text_files;
pub(super) mod text_mentions;
pub(super) mod text_search;
