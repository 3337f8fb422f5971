//! Arguments of tools about symbols.

use codeagent_core::model::graph::Confidence;
use codeagent_core::query::Filter;
use codeagent_render::Page;
use codeagent_render::answers::SymbolQuery;

use crate::arguments::Arguments;

/// Parses the symbol that a call is about.
pub fn symbol(arguments: &Arguments) -> SymbolQuery<'_> {
    SymbolQuery {
        name: arguments.required_text("node_id"),
        file: arguments.text("file"),
    }
}

/// Parses the filter of a call for related symbols.
pub fn filter(arguments: &Arguments) -> Filter {
    Filter {
        min_confidence: arguments.text("min_confidence").and_then(Confidence::parse),
        path: arguments.text("path").map(str::to_owned),
        tests: arguments.text("tests").map(|word| word == "only"),
        kind: arguments.text("kind").map(str::to_owned),
    }
}

/// Parses the requested page of a list.
pub fn page(arguments: &Arguments) -> Page<'_> {
    Page::at(arguments.text("cursor"), arguments.question())
}
