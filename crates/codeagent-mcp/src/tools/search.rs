//! Which symbols match? `search_symbols` by words, `lookup_symbol` by qualified name,
//! `find_similar` by vectors.
//!
//! **Limits.** Without a model, similar is what has similar names, places and signatures.

use codeagent_core::engine::Answers;
use codeagent_core::model::graph::{Language, NodeId, NodeType};
use codeagent_core::query::{self, SearchFilter, SearchResults, Snapshot, Sources, VectorSource};

use crate::answer::Answer;
use crate::arguments::{Arguments, Fallback, Kind, Parameter};
use crate::error::ToolError;
use crate::output::{NOTE, Output, STALE_FILES};
use crate::page::{Rows, page};
use crate::state::{MODEL_BROKEN, State};
use crate::tools::asked::asked;
use crate::tools::stale::{show, with_stale_files};
use crate::tools::{
    CURSOR, FORMAT, LANGUAGE, NAME_ERRORS, NODE_ID, PLACES, PROJECT_ID, SYMBOL_ERRORS, Tool, words,
};
use crate::wire::{NamedRow, RankedRow, SimilarRow};

/// Results of a search if no limit is given.
const DEFAULT_LIMIT: usize = 20;
/// Similar symbols if no limit is given.
const DEFAULT_SIMILAR: usize = 10;
/// Most results of a search.
const MAX_LIMIT: u64 = 50;
/// Most projects that an error lists.
const MAX_PROJECTS: usize = 30;
/// Longest query, in bytes.
const MAX_QUERY: usize = 1_000;

/// The tools of this file.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "search_symbols",
        title: "Search symbols",
        doc: "Search symbols by words of the name, container, signature or documentation: `client factory`, `HttpClient*`, `HCF`, a sentence. Start here if you don't know the name.",
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
            .or(Fallback::Number(20))
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
        doc: "Symbols with a qualified name (`Shop.Cart.Total`, `src/cart.ts#Cart.total`), else those whose name ends with it (`match`: `suffix`).",
        parameters: &[
            Parameter::required(
                "qualified_name",
                Kind::Name,
                "The qualified name, or its last segments: `Cart.Total`.",
            )
            .hinted("Or its end."),
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
        doc: "Symbols with a similar name, location and signature: how others do it.",
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
            .or(Fallback::Number(10))
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
    let text = arguments.required_text("query");
    if text.trim().is_empty() {
        return Err(ToolError::invalid(
            "`query` is empty; pass a word of the name, or a prefix such as `a*`",
        ));
    }
    if text.len() > MAX_QUERY {
        return Err(ToolError::invalid(format!(
            "`query` has {} bytes, more than {MAX_QUERY}; use fewer words",
            text.len()
        )));
    }
    let filter = SearchFilter {
        project: arguments.text("project_id").map(str::to_owned),
        node_type: arguments.text("node_type").and_then(NodeType::parse),
        language: language(arguments),
    };
    let answers = state.answers_for(arguments)?;
    let snapshot = answers.snapshot()?;
    check_project(&snapshot, arguments)?;
    let found = query::filter_nodes(
        &snapshot,
        Some(answers.vectors()),
        text,
        &filter,
        arguments.number("limit").unwrap_or(DEFAULT_LIMIT),
    )?;
    let rows: Vec<RankedRow> = found.hits.iter().map(RankedRow::new).collect();
    let answer = with_stale_files(
        Answer::new(&rows)?,
        &looked_at(&answers, &snapshot, &found)?,
    )?;
    let broken =
        answers.vectors().is_model_broken() && found.hits.iter().any(|hit| hit.score.is_some());
    let answer = if broken {
        answer.with_note(MODEL_BROKEN)
    } else {
        answer
    };
    let unread = query::unread_like(&snapshot, text)?;
    let answer = if unread.is_empty() {
        answer
    } else {
        answer.with_note(unread.join("; "))
    };
    let note = match (found.quoted, found.some_words) {
        (true, false) => "searched for the words as typed",
        (true, true) => "searched for the words as typed; no exact match, these are the closest",
        (false, true) => "no exact match; these are the closest",
        (false, false) if rows.is_empty() => {
            "nothing matches; try other words, a prefix (`Auth*`) or no filters. Strings, comments and libraries are not searched"
        }
        (false, false) => return Ok(answer),
    };
    let missing = if rows.is_empty() {
        query::unread_note(&snapshot, filter.language)?
    } else {
        None
    };
    Ok(missing
        .into_iter()
        .fold(answer.with_note(note), Answer::with_note))
}

/// The files of the symbols found.
fn looked_at<'a>(
    answers: &'a Answers,
    snapshot: &'a Snapshot,
    found: &SearchResults,
) -> Result<Sources<'a>, ToolError> {
    let mut sources = Sources::new(snapshot, answers.workspace());
    for hit in &found.hits {
        show(&mut sources, &hit.node)?;
    }
    Ok(sources)
}

fn lookup_symbol(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let name = arguments.required_text("qualified_name").trim();
    let answers = state.answers_for(arguments)?;
    let snapshot = answers.snapshot()?;
    check_project(&snapshot, arguments)?;
    let mut sources = Sources::new(&snapshot, answers.workspace());
    let found = query::get_node_by_qualified_name(
        &snapshot,
        name,
        language(arguments),
        arguments.text("project_id"),
    )?;
    let rows = Rows {
        count: found.len(),
        key: |index: usize| found[index].0.id.0,
    };
    let answer = page(arguments, rows, |index| {
        let (node, how) = &found[index];
        show(&mut sources, node)?;
        Ok(Some(NamedRow::new(node, *how)))
    })?;
    if !found.is_empty() {
        return with_stale_files(answer, &sources);
    }
    Ok(answer.with_note(query::why_not_found(&snapshot, name)?))
}

fn find_similar(state: &State, arguments: &Arguments) -> Result<Answer, ToolError> {
    let answers = state.answers_for(arguments)?;
    let snapshot = answers.snapshot()?;
    let meant = asked(&snapshot, arguments)?;
    let ids: Vec<NodeId> = meant
        .answered
        .iter()
        .flat_map(|meaning| meaning.nodes.iter().map(|node| node.id))
        .collect();
    let found = query::find_similar(
        &snapshot,
        answers.vectors(),
        &ids,
        arguments.number("limit").unwrap_or(DEFAULT_SIMILAR),
    )?;
    let mut sources = Sources::new(&snapshot, answers.workspace());
    for (node, _) in &found.symbols {
        show(&mut sources, node)?;
    }
    let rows: Vec<SimilarRow> = found
        .symbols
        .iter()
        .map(|(node, score)| SimilarRow::new(node, *score))
        .collect();
    let answer = with_stale_files(Answer::new(&rows)?, &sources)?;
    Ok(match found.source {
        VectorSource::Lexical => answer.with_note(
            "compared by words and letters (lexhash-384), not by meaning: no model is in use",
        ),
        VectorSource::Model => answer,
    })
}

/// A project that there is not would leave everything out.
fn check_project(snapshot: &Snapshot, arguments: &Arguments) -> Result<(), ToolError> {
    let Some(asked) = arguments.text("project_id") else {
        return Ok(());
    };
    let known = query::project_ids(snapshot)?;
    if known.iter().any(|project| project == asked) {
        return Ok(());
    }
    let more = known.len().saturating_sub(MAX_PROJECTS);
    let more = if more > 0 {
        format!("\nand {more} more")
    } else {
        String::new()
    };
    let shown = known
        .into_iter()
        .take(MAX_PROJECTS)
        .collect::<Vec<_>>()
        .join("\n");
    Err(ToolError::invalid(format!(
        "no project {asked:?}; the projects are:\n{shown}{more}"
    )))
}

fn language(arguments: &Arguments) -> Option<Language> {
    arguments.text("language").and_then(Language::parse)
}
