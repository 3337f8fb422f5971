//! `codeagent hook`: suggests symbols to an agent that is grepping.
//!
//! The event is read from standard input and answered on standard output, in the form of Claude
//! Code's hooks.
//!
//! Limitations: without an index, a matching symbol or a known event, it prints nothing and
//! succeeds, so that the agent continues.

use std::io::Read;

use codeagent_render::answers::{self, LookupQuery};
use codeagent_render::{NamedRow, Page};
use serde_json::{Value, json};

use crate::commands::Root;
use crate::commands::ask::ask;
use crate::output;
use crate::text::Line;

/// Maximum bytes of an event.
const EVENT: u64 = 1 << 20;

/// Maximum names of a pattern that are looked up, and maximum symbols listed for each.
const NAMES: usize = 4;
const SYMBOLS: usize = 5;

/// What the symbols are, and which tool says more about them. Every profile of the index lists it.
const HEAD: &str =
    "symbols of that name in the codeagent index; call explore to see who uses them:";

pub fn run(root: &Root) -> anyhow::Result<()> {
    match response(root) {
        Some(text) => output::one_json(&text.to_string()),
        None => Ok(()),
    }
}

fn response(root: &Root) -> Option<Value> {
    let mut event = Vec::new();
    std::io::stdin().take(EVENT).read_to_end(&mut event).ok()?;
    let event: Value = serde_json::from_slice(&event).ok()?;
    let (name, pattern) = (
        event["hook_event_name"].as_str()?,
        event["tool_input"]["pattern"].as_str()?,
    );

    let known: Vec<String> = names(pattern)
        .iter()
        .flat_map(|name| symbols(root, name))
        .collect();
    if known.is_empty() {
        return None;
    }

    let text = format!("{HEAD}\n{}", known.join("\n"));
    Some(json!({ "hookSpecificOutput": { "hookEventName": name, "additionalContext": text } }))
}

/// Returns the names in a regular expression: `\bCart\.Total\(` contains `Cart.Total`.
fn names(pattern: &str) -> Vec<String> {
    let mut plain = String::new();
    let mut rest = pattern.chars();
    while let Some(character) = rest.next() {
        // An escaped letter is a class or a boundary; any other escaped character stands for
        // itself.
        plain.push(if character == '\\' {
            rest.next().filter(|escaped| *escaped == '.').unwrap_or(' ')
        } else {
            character
        });
    }

    let is_part =
        |character: char| character.is_alphanumeric() || matches!(character, '_' | '$' | '.');
    let names = plain
        .split(|character| !is_part(character))
        .map(|name| name.trim_matches('.'));
    let mut names: Vec<String> = names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();

    names.dedup();
    names.truncate(NAMES);
    names
}

fn symbols(root: &Root, name: &str) -> Vec<String> {
    let query = LookupQuery {
        name,
        language: None,
        project: None,
    };
    let Ok((answer, _)) = ask(root, |index| answers::lookup(index, &query, &Page::WHOLE)) else {
        return Vec::new();
    };

    let rows = answer.rows;
    let line = |row: &NamedRow| {
        let row = &row.row;
        let parameters = row.signature.all_parameters();
        let line = format!(
            "{} {}{}  {}:{}",
            row.symbol.word(),
            row.symbol.qualified_name,
            parameters,
            row.file_path,
            row.line_start
        );

        // A line break in a name must not start a new line.
        Line::from(line).painted()
    };

    let more =
        (rows.len() > SYMBOLS).then(|| format!("and {} more named {name}", rows.len() - SYMBOLS));
    rows.iter().take(SYMBOLS).map(line).chain(more).collect()
}

#[cfg(test)]
mod tests {
    use codeagent_files::Profile;
    use codeagent_mcp::tools;

    use super::*;

    #[test]
    fn its_text_names_tools_that_every_profile_of_the_index_lists() {
        let named: Vec<&str> = tools::all()
            .map(|tool| tool.name)
            .filter(|tool| HEAD.split(' ').any(|word| word == *tool))
            .collect();
        assert_eq!(named, ["explore"]);
        for profile in [Profile::Index, Profile::Agent] {
            assert!(tools::of_profile(profile).any(|tool| tool.name == named[0]));
        }
    }

    #[test]
    fn names_are_extracted_from_a_pattern() {
        for (pattern, expected) in [
            ("Place", vec!["Place"]),
            (r"\bCart\.Total\(", vec!["Cart.Total"]),
            (
                r"class\s+Order|OrderService",
                vec!["class", "Order", "OrderService"],
            ),
            (r"\w+.*?", vec![]),
            ("a|b|c|d|e", vec!["a", "b", "c", "d"]),
            ("trailing\\", vec!["trailing"]),
        ] {
            assert_eq!(names(pattern), expected, "{pattern}");
        }
    }
}
