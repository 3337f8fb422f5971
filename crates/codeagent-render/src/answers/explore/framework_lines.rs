//! Sections about the lines by which frameworks know what a question asks for: jobs, options, environment variables.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use codeagent_core::model::graph::Node;
use codeagent_core::query::{self, Occurrences};

use super::connection::is_form;
use super::wants::WANTED;
use super::{others, type_symbol};
use crate::answers::AnswerError;
use crate::text::{Document, NameRow, Section};

/// Title of all environment variables.
const ENVIRONMENT: &str = "environment variables";

/// Maximum number of variables whose reads are listed in answer to a question for one.
const MAX_LIKELIEST: usize = 6;

/// Maximum characters of the lines that start timers.
const MAX_TIMERS: usize = 800;

/// Adds the lines by which frameworks know what a question asks for; reports whether there are any.
pub(super) fn sections(
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    (text, folders): (&str, &[&str]),
) -> Result<bool, AnswerError> {
    let Some(lines) = query::asked_framework_lines(occurrences, (text, folders))? else {
        return Ok(false);
    };
    let query::FoundText {
        mut code,
        others,
        mut tests,
        timed_out,
        ..
    } = lines.found;
    if let left_out @ 1.. = lines.left_out {
        document.note(format!(
            "{left_out} more lines match and were not read; name a folder"
        ));
    }
    type_symbol::add_arguments(occurrences, &mut code)?;
    if timed_out {
        document.note("the search was stopped after its time limit; name a folder");
    }
    let of_others = match code.as_slice() {
        [] => lines.title,
        _ => "such lines in files of other languages",
    };
    let mut title = lines.title;
    if lines.reads_environment {
        let of_one = asks_for_one_variable(text);
        if of_one {
            code.append(&mut tests);
        }
        let variables = query::environment_variables(occurrences, code)?;
        match of_one {
            true => likeliest_variables(document, variables.reads, text),
            false => {
                let rows = variables.reads.into_iter().map(variable_row).collect();
                document.section(variables_section(ENVIRONMENT, rows));
            }
        }
        code = variables.unnamed;
        title = "reads of variables whose name is computed";
    }

    let mut declared = Vec::new();
    for place in code.iter().take(others::MAX_SOURCES) {
        let function = query::function_around(occurrences, place)?;
        let is_here = |node: &Node| node.spans.iter().any(|span| span.name_line == place.line);
        declared.extend(function.filter(is_here).map(|node| node.id));
    }
    for (key, title, found, weight) in [
        ("lines", title, code, WANTED),
        ("other", of_others, others, 10),
        ("tests", "such lines in tests", tests, 5),
    ] {
        document.section(Section::occurrence_rows(key, title, found).weighing(weight));
    }
    if text.contains(" each ") {
        others::add_sources(document, occurrences, &declared)?;
    }
    let timers = Section::occurrence_rows("timers", "lines that start timers", lines.timers);
    document.section(timers.weighing(5).at_most(MAX_TIMERS));
    Ok(true)
}

/// Reports whether a question describes one environment variable: `which environment variable turns colors off?`
fn asks_for_one_variable(question: &str) -> bool {
    let question = question.to_lowercase();
    ["environment variable ", "env var ", "env variable "]
        .iter()
        .any(|one| question.contains(one))
}

/// Adds environment variables whose names share most words with a question for one, and the names of the others.
fn likeliest_variables(
    document: &mut Document,
    variables: BTreeMap<String, Vec<(String, u32)>>,
    question: &str,
) {
    let said: Vec<String> = query::name_words(question);
    let is_said = |word: &String| said.iter().any(|said| is_form(said, word));
    let shared = |name: &str| {
        let words = query::name_words(name);
        words.iter().filter(|word| is_said(word)).count()
    };
    let mut variables: Vec<(String, Vec<(String, u32)>)> = variables.into_iter().collect();
    variables.sort_by_cached_key(|(name, _)| Reverse(shared(name)));

    let others = variables.split_off(MAX_LIKELIEST.min(variables.len()));
    let rows = variables.into_iter().map(variable_row).collect();
    let title = "environment variables whose names have most words of the question";
    document.section(variables_section(title, rows));
    let others = others.into_iter().map(|(name, _)| name).collect();
    let others = Section::list("other variables", "other environment variables", others);
    document.section(others.weighing(20));
}

/// Formats an environment variable with the places that read it.
fn variable_row((name, places): (String, Vec<(String, u32)>)) -> NameRow {
    let mut at: Vec<String> = Vec::new();
    for by_file in places.chunk_by(|one, other| one.0 == other.0) {
        let lines: Vec<String> = by_file.iter().map(|place| place.1.to_string()).collect();
        at.push(format!("{}:{}", by_file[0].0, lines.join(",")));
    }
    NameRow {
        full: format!("{name}  {}", at.join(", ")),
        short: name,
    }
}

fn variables_section(title: &str, rows: Vec<NameRow>) -> Section {
    Section::names("variables", title, rows).weighing(WANTED)
}
