//! The tools that find symbols: by words, by qualified name, by similarity.

use codeagent_core::model::graph::{Language, NodeType};
use codeagent_core::query::{SearchFilter, SearchQuery};
use codeagent_render::answers::{self, LookupQuery};
use codeagent_render::{NamedRow, RankedRow, SimilarRow};

use crate::answer::Answer;
use crate::arguments::{Arguments, DefaultValue, Kind, Parameter};
use crate::error::ToolError;
use crate::output::{NOTE, Output, STALE_FILES};
use crate::state::State;
use crate::tools::symbol_args::{page, symbol};
use crate::tools::{
    CURSOR, FORMAT, LANGUAGE, NAME_ERRORS, NODE_ID, PLACES, PROJECT_ID, SYMBOL_ERRORS, Tool, words,
};

const DEFAULT_LIMIT: usize = 20;
const DEFAULT_SIMILAR: usize = 10;
const MAX_LIMIT: u64 = 50;

/// The tools of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "search_symbols",
        title: "Search symbols",
        doc: "Searches symbols by words of the name, container, signature or documentation: \
              `client factory`, `HttpClient*`, `HCF`, a sentence. Start here if you don't know the \
              name.",
        parameters: &[
            Parameter::required(
                "query",
                Kind::Text,
                "Words or an FTS5 query: `user service`, `Authenticate*`, `name:Cart OR Basket`.",
            )
            .hinted("Words or FTS5: `user service`, `Auth*`, `name:Cart OR Basket`."),
            PROJECT_ID,
            Parameter::optional(
                "node_type",
                Kind::Word(|| words(NodeType::NAMES)),
                "Only symbols of this type.",
            )
            .hinted(""),
            LANGUAGE,
            Parameter::optional(
                "limit",
                Kind::Number {
                    min: 1,
                    max: MAX_LIMIT,
                },
                "Maximum number of results.",
            )
            .or(DefaultValue::Number(20))
            .hinted(""),
            FORMAT,
        ],
        output: Output::list::<RankedRow>("Symbols, best first.", &[NOTE, STALE_FILES]),
        errors: NAME_ERRORS,
        run: search_symbols,
        writes: false,
    },
    Tool {
        name: "lookup_symbol",
        title: "Look up a name",
        doc: "Finds the symbols with a qualified name (`Shop.Cart.Total`, \
              `src/cart.ts#Cart.total`), else those whose name ends with it (`match`: `suffix`).",
        parameters: &[
            Parameter::required(
                "qualified_name",
                Kind::Name,
                "The qualified name or its last segments: `Cart.Total`.",
            )
            .hinted("Or its last segments."),
            LANGUAGE,
            PROJECT_ID,
            FORMAT,
            CURSOR,
        ],
        output: Output::list::<NamedRow>(
            "Symbols of that name, by qualified name, path and line.",
            PLACES,
        ),
        errors: NAME_ERRORS,
        run: lookup_symbol,
        writes: false,
    },
    Tool {
        name: "find_similar",
        title: "Find similar symbols",
        doc: "Finds symbols with a similar name, location and signature: how others do it.",
        parameters: &[
            NODE_ID,
            Parameter::optional(
                "limit",
                Kind::Number {
                    min: 1,
                    max: MAX_LIMIT,
                },
                "Maximum number of results.",
            )
            .or(DefaultValue::Number(10))
            .hinted(""),
            FORMAT,
        ],
        output: Output::list::<SimilarRow>("Symbols, most similar first.", &[NOTE, STALE_FILES]),
        errors: SYMBOL_ERRORS,
        run: find_similar,
        writes: false,
    },
];

fn search_symbols(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let filter = SearchFilter {
        project: arguments.text("project_id").map(str::to_owned),
        node_type: arguments.text("node_type").and_then(NodeType::parse),
        language: language(arguments),
    };
    let query = SearchQuery {
        text: arguments.required_text("query"),
        filter: &filter,
        limit: arguments.number("limit").unwrap_or(DEFAULT_LIMIT),
    };
    query.check()?;
    Answer::list(&answers::search(&state.answers_for(arguments)?, &query)?)
}

fn lookup_symbol(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let index = state.answers_for(arguments)?;
    let query = LookupQuery {
        name: arguments.required_text("qualified_name"),
        language: language(arguments),
        project: arguments.text("project_id"),
    };
    Answer::list(&answers::lookup(&index, &query, &page(arguments))?)
}

fn find_similar(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let index = state.answers_for(arguments)?;
    let limit = arguments.number("limit").unwrap_or(DEFAULT_SIMILAR);
    Answer::list(&answers::similar(&index, &symbol(arguments), limit)?)
}

fn language(arguments: &Arguments) -> Option<Language> {
    arguments.text("language").and_then(Language::parse)
}
