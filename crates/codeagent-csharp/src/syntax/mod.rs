//! C# text before it is lowered: tokens, preprocessor conditions, and equal-length masks for
//! constructs that the grammar gets wrong.

pub mod conditions;
pub mod keyword_masks;
pub mod lexer;
pub mod parse;
pub mod punctuation_masks;
pub mod repair;
pub mod rewriter;
pub mod syntax_kind;
pub mod type_arguments;
