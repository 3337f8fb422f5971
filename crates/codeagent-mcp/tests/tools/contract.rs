//! Which test proves what the specification says of the tools? `docs/contract.md` is written from
//! the schemas and from these tests' sources: every parameter, result and error of a tool is held
//! against a test that calls the tool and names it.
//!
//! **Limits.** That a test names something is looked up; what it says about it is for its reader.

use std::fmt::Write;
use std::path::Path;

use codeagent_mcp::arguments::{Kind, Parameter};
use codeagent_mcp::tools::{self, Tool};
use expect_test::expect_file;
use serde_json::Value;

/// What tests say about all tools at once: a word, and the test whose loop proves it.
const OF_ALL_TOOLS: &[(&str, &str)] = &[
    ("not_found", "an_unknown_symbol_is_not_found"),
    ("invalid_parameter", "every_parameter_is_checked"),
    ("path_escape", "paths_that_lead_out_escape"),
    (
        "engine_unavailable",
        "without_an_engine_symbol_tools_are_unavailable",
    ),
    ("index_error", "a_tool_that_panics_answers_an_error"),
    ("note", "shop_empty_lists_say_why"),
    ("next_cursor", "pages_make_up_the_list"),
    ("total", "pages_make_up_the_list"),
    ("cursor", "a_cursor_answers_its_own_question_only"),
    ("stale", "a_changed_file_is_named_by_every_tool"),
    ("stale_files", "a_changed_file_is_named_by_every_tool"),
    ("parameter_count", "shop_get_symbol"),
    (
        "candidates",
        "the_other_candidates_of_an_inferred_site_are_shown",
    ),
    ("site_count", "sites_are_counted_if_more_than_three"),
    ("limit", "every_parameter_is_checked"),
    ("path", "filters_pick_results"),
    ("tests", "filters_pick_results"),
    ("kind", "filters_pick_results"),
    ("min_confidence", "filters_pick_results"),
    ("folders", "ten_thousand_callers_cost_a_page"),
    ("unresolved_sites", "uses_without_a_target_are_listed"),
    ("unresolved", "uses_without_a_target_are_listed"),
    ("possible_sites", "lower_candidates_are_listed"),
    ("possible", "lower_candidates_are_listed"),
    (
        "textual_sites",
        "files_of_no_language_are_searched_for_a_name_without_users",
    ),
    (
        "textual",
        "files_of_no_language_are_searched_for_a_name_without_users",
    ),
    ("format", "lines_say_what_rows_say_in_less_than_half"),
    ("compact", "lines_say_what_rows_say_in_less_than_half"),
    ("more", "a_tree_of_any_repository_fits_on_a_page"),
    ("file", "several_definitions_are_answered_with_their_counts"),
    ("of", "several_definitions_are_answered_with_their_counts"),
    (
        "symbols",
        "several_definitions_are_answered_with_their_counts",
    ),
    (
        "also_named",
        "beyond_a_sensible_number_there_is_a_list_to_choose_from",
    ),
    ("sites", "sites_are_counted_if_more_than_three"),
];

/// What the specification says in words.
const CONSTRAINTS: &[(&str, &str, &str)] = &[
    (
        "all",
        "an error is `{\"error\":{\"code\",\"message\"}}` in the text and in the structured result",
        "arrays_and_objects_are_wrapped_as_promised",
    ),
    (
        "all",
        "every answer conforms to the output schema, text and structured result carry the same facts",
        "shop_get_symbol",
    ),
    (
        "all",
        "wrong types and values over a maximum are `invalid_parameter` and name the parameter; `null` is absent",
        "every_parameter_is_checked",
    ),
    (
        "all",
        "a default is what a call gets that leaves the parameter out",
        "defaults_are_what_they_are_said_to_be",
    ),
    (
        "all",
        "an unknown tool is the JSON-RPC error -32602",
        "an_unknown_tool_is_a_protocol_error",
    ),
    (
        "all",
        "a request that panics costs that request only",
        "a_tool_that_panics_answers_an_error",
    ),
    (
        "all",
        "paths that lead out of the root are `path_escape`",
        "paths_that_lead_out_escape",
    ),
    (
        "all",
        "links out of the root are not followed",
        "links_out_of_the_root_are_not_followed",
    ),
    (
        "all",
        "`.git` and `.codeagent` do not exist",
        "paths_that_lead_out_escape",
    ),
    (
        "all",
        "lists without a limit come in pages of at most 10,000 characters",
        "pages_make_up_the_list",
    ),
    (
        "all",
        "ten thousand callers cost a page",
        "ten_thousand_callers_cost_a_page",
    ),
    (
        "all",
        "a name, its end or its parameters name a symbol where a node_id is asked",
        "parameters_pick_an_overload",
    ),
    (
        "all",
        "a name that means several symbols is answered for all of them, overloads as one, best first; `file` narrows",
        "several_definitions_are_answered_with_their_counts",
    ),
    (
        "all",
        "beyond twenty meanings there is a list to choose from",
        "beyond_a_sensible_number_there_is_a_list_to_choose_from",
    ),
    (
        "all",
        "a declaring member comes before what implements or overrides it",
        "what_declares_a_member_comes_first",
    ),
    ("all", "`FILE:LINE` is a name", "a_place_is_a_name"),
    (
        "all",
        "`Type.*` is the type with all in it",
        "a_type_with_its_members_is_one",
    ),
    (
        "list_directory",
        "respects `.gitignore`",
        "list_directory_shows_one_level",
    ),
    (
        "read_file",
        "at most 10,000 lines or 500 KB, then `truncated`",
        "read_file_is_cut_at_its_limits",
    ),
    (
        "read_file",
        "a binary file is an error with its MIME type",
        "read_file_shows_lines",
    ),
    (
        "get_directory_tree",
        "respects `.gitignore`; depth 3 by default, 10 at most",
        "get_directory_tree_goes_as_deep_as_asked",
    ),
    (
        "get_directory_tree",
        "at most 48,000 characters; `more` counts what did not fit",
        "a_tree_of_any_repository_fits_on_a_page",
    ),
    (
        "get_directory_tree",
        "of more than 1,000 entries the first 1,000 with `truncated`",
        "large_directories_are_cut_and_say_so",
    ),
    (
        "get_directory_tree",
        "of up to 1,000 entries all, if the tree has room",
        "a_thousand_entries_are_not_cut",
    ),
    (
        "get_directory_tree",
        "each level before the one below it",
        "a_level_of_a_tree_is_shown_before_the_next_one",
    ),
    (
        "search_symbols",
        "ranked by BM25, filtered, at most `limit`",
        "search_symbols_ranks",
    ),
    (
        "lookup_symbol",
        "overloads and suffixes",
        "shop_lookup_symbol",
    ),
    (
        "search_symbols",
        "a sentence is answered by words and vectors, names with all words first",
        "a_sentence_is_answered",
    ),
    (
        "find_similar",
        "cosine of the vectors, most similar first, never what was asked about",
        "shop_find_similar",
    ),
    (
        "get_source_spans",
        "primary first, then by path and line",
        "shop_get_source_spans",
    ),
    (
        "get_file_outline",
        "ordered by line",
        "shop_get_file_outline",
    ),
    (
        "get_implementations",
        "implements and extends, and what overrides a member",
        "shop_get_implementations",
    ),
    (
        "get_references",
        "broader than callers",
        "shop_get_references",
    ),
    (
        "index_files",
        "at most 100 paths",
        "too_much_at_once_is_too_large",
    ),
    (
        "index_files",
        "errors by file; what is gone is removed",
        "index_files_takes_changes_in",
    ),
    (
        "get_status",
        "never shows a path",
        "get_status_never_shows_a_path",
    ),
];

struct Test {
    name: String,
    body: String,
}

/// The tests of this folder and of the library.
fn tests() -> Vec<Test> {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for folder in ["tests/tools", "src"] {
        let mut files: Vec<_> = std::fs::read_dir(crate_root.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        let sources = files
            .iter()
            .filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
        texts.extend(
            sources
                .filter(|path| !path.ends_with("contract.rs"))
                .map(|path| std::fs::read_to_string(path).unwrap()),
        );
    }
    let chunks = texts.iter().flat_map(|text| {
        text.split("::test]\n")
            .chain(text.split("#[test]\n"))
            .skip(1)
    });
    let named = chunks.filter_map(|chunk| {
        let (_, rest) = chunk
            .split_once("fn ")
            .filter(|(before, _)| before.trim_end().len() < 40)?;
        Some(Test {
            name: rest.split('(').next()?.trim().to_owned(),
            body: rest.split("\n}\n").next()?.to_owned(),
        })
    });
    named.collect()
}

/// The test that calls a tool and names a word; the shop's own first.
fn proof<'t>(tests: &'t [Test], tool: &Tool, word: &str) -> Option<&'t str> {
    let shop = format!("shop_{}", tool.name);
    let of_all = OF_ALL_TOOLS
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, test)| *test);
    let names = |test: &&Test| {
        let body = test.body.replace('\\', "");
        body.contains(&format!("\"{}\"", tool.name)) && body.contains(&format!("\"{word}\""))
    };
    let direct = tests
        .iter()
        .find(|test| test.name == shop && names(test))
        .or_else(|| tests.iter().find(names));
    let general = || tests.iter().find(|test| Some(test.name.as_str()) == of_all);
    direct.or_else(general).map(|test| test.name.as_str())
}

fn fields(schema: &Value, above: &str, out: &mut Vec<(String, String)>) {
    for (name, property) in schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| *name != "error")
    {
        let whole = format!("{above}{name}");
        fields(property, &format!("{whole}."), out);
        fields(&property["items"], &format!("{whole}[]."), out);
        if property["items"]["properties"].is_null() || name != "results" {
            out.push((whole, name.clone()));
        }
    }
}

fn limits(parameter: &Parameter) -> String {
    let mut text = match parameter.kind {
        Kind::Number { min, max: u64::MAX } => format!("from {min}"),
        Kind::Number { min, max } => format!("{min} to {max}"),
        Kind::Texts(max) => format!("at most {max}"),
        Kind::Word(words) => format!("one of {}", words().len()),
        Kind::ShortTexts { max, each } => format!("at most {max} of at most {each} characters"),
        Kind::Name | Kind::Something => "not empty".to_owned(),
        Kind::Text | Kind::Flag => String::new(),
    };
    if let Some(default) = parameter.default {
        write!(
            text,
            "{}default {}",
            if text.is_empty() { "" } else { ", " },
            Value::from(default)
        )
        .unwrap();
    }
    if parameter.required {
        write!(text, "{}required", if text.is_empty() { "" } else { ", " }).unwrap();
    }
    text
}

#[test]
fn every_promise_has_a_test() {
    let tests = tests();
    let mut missing = Vec::new();
    let mut text = "# What is specified, and the test that proves it\n\nWritten by a test; the tests are in `crates/codeagent-mcp`.\n\n\
                    | tool | what is said | test |\n|---|---|---|\n"
        .to_owned();
    for (tool, words, test) in CONSTRAINTS {
        assert!(
            tests.iter().any(|each| each.name == *test),
            "there is no test {test}"
        );
        writeln!(text, "| {tool} | {words} | `{test}` |").unwrap();
    }
    for (_, test) in OF_ALL_TOOLS {
        assert!(
            tests.iter().any(|each| each.name == *test),
            "there is no test {test}"
        );
    }
    for tool in tools::all() {
        write!(
            text,
            "\n## {}\n\n| | | | test |\n|---|---|---|---|\n",
            tool.name
        )
        .unwrap();
        let mut row =
            |kind: &str, what: &str, word: &str, limits: &str| match proof(&tests, tool, word) {
                Some(test) => {
                    writeln!(text, "| {kind} | `{what}` | {limits} | `{test}` |").unwrap()
                }
                None => missing.push(format!("{} {kind} {what}", tool.name)),
            };
        for parameter in tool.parameters {
            row(
                "parameter",
                parameter.name,
                parameter.name,
                &limits(parameter),
            );
        }
        let mut results = Vec::new();
        fields(&Value::Object(tool.output.schema()), "", &mut results);
        for (what, word) in &results {
            row("result", what, word, "");
        }
        for code in tool.errors {
            row("error", code.as_str(), code.as_str(), "");
        }
    }
    assert!(missing.is_empty(), "no test names\n{}", missing.join("\n"));
    expect_file!["../../../../docs/contract.md"].assert_eq(&text);
}
