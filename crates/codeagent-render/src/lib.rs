//! Renders query results, for the MCP server and the command line.
//!
//! `answers` runs a query and creates its rows, `page` cuts them to a character budget, `compact`
//! writes them as lines, and `text` fits sections into a budget. `note_text` and `error_text` word
//! notes and errors for a [`Face`].

pub mod answers;
mod code;
mod compact;
mod diagram;
mod error_text;
mod extra;
mod face;
mod note_text;
mod page;
mod rows;
mod staleness_text;
mod status;
pub mod text;
mod unavailable_text;

pub use code::Code;
pub use compact::compact;
pub use diagram::{Diagram, DiagramFormat, LineStyle};
pub use error_text::{error_text, query_error_text};
pub use extra::{
    ALSO_NAMED, AlsoNamed, AnsweredSymbol, EXTERNAL, Extra, ExtraField, FOLDERS, NEXT_CURSOR,
    POSSIBLE, POSSIBLE_SITES, STALE_FILES, SYMBOLS, TEXTUAL, TEXTUAL_SITES, TOTAL, UNRESOLVED,
    UNRESOLVED_CURSOR, UNRESOLVED_SITES,
};
pub use face::Face;
pub use note_text::{label_text, note_text, partially_parsed_text, symbol_text};
pub use page::{CursorError, Page, PagedRows, Rows, paged};
pub use rows::{
    DependencyRow, NamedRow, NeighborRow, OutlineRow, RankedRow, Row, Signature, SimilarRow, Site,
    SourceSpan, SymbolDetail, SymbolName, SymbolRow, UseRow, words,
};
pub use staleness_text::staleness_text;
pub use status::{LanguageQuality, StatusReport, timestamp};
pub use unavailable_text::{building_text, unavailable_text};
