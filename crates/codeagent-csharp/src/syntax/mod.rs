//! C# text before it is walked: tokens, preprocessor conditions, and the parts that the grammar gets
//! wrong, masked at equal length before it is parsed.

pub mod conditions;
pub mod edits;
pub mod keyword_masks;
pub mod kinds;
pub mod lexer;
pub mod parse;
pub mod punctuation_masks;
pub mod repair;
pub mod type_lists;
