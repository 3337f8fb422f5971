//! The answer of several repositories: one per repository, as a server of that repository alone
//! gives it.
//!
//! Repositories that do not have the symbol, file or words are named in a note. If only one has an
//! answer, that is the answer. All answers name their repository.
//!
//! Limitations: rows of different repositories are not ranked against each other.

use std::sync::Arc;

use rmcp::model::Tool as ToolDescription;
use serde_json::{Map, Value, json};

use crate::answer::{Answer, Part};
use crate::error::{Code, ToolError};
use crate::output::{NOTE, REPO_FIELD, REPOSITORIES};
use crate::roots::{REPO, Roots};
use crate::tools::{Tool, search};

/// The answer of each repository.
pub type Answers<'a> = Vec<(&'a str, Result<Answer, ToolError>)>;

/// Adds the name of the repository to its answer.
pub fn of_one(name: &str, mut answer: Answer) -> Answer {
    match &mut answer.text {
        Some(text) => text.name_first(name),
        None => answer.add(&REPO_FIELD, name),
    }
    answer
}

/// Makes one answer of those of all repositories.
pub fn merge(tool: &Tool, answers: Answers<'_>) -> Result<Answer, ToolError> {
    let (mut found, mut empty, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    for (name, answer) in answers {
        match answer {
            Ok(answer) if is_empty(tool, &answer) => empty.push((name, answer)),
            Ok(answer) => found.push((name, answer)),
            Err(error) => failed.push((name, error)),
        }
    }

    if found.is_empty() && empty.is_empty() {
        return Err(error_of(&failed));
    }
    let absent = notes(&empty, &failed);
    if found.is_empty() {
        let answer = empty.swap_remove(0).1;
        return Ok(Answer {
            notes: absent,
            ..answer
        });
    }

    let mut answer = match found.len() {
        1 => {
            let (name, answer) = found.swap_remove(0);
            of_one(name, answer)
        }
        _ => together(found)?,
    };
    answer.notes.extend(absent);
    Ok(answer)
}

/// Reports whether a search found nothing. Other empty lists are about a symbol that exists.
fn is_empty(tool: &Tool, answer: &Answer) -> bool {
    let is_search = search::TOOLS.iter().any(|other| other.name == tool.name);
    is_search && answer.value.as_array().is_some_and(Vec::is_empty)
}

/// Puts answers of several repositories next to each other.
fn together(found: Vec<(&str, Answer)>) -> Result<Answer, ToolError> {
    if found.iter().all(|(_, answer)| answer.text.is_some()) {
        let texts = found.into_iter().filter_map(|(name, answer)| {
            let mut text = answer.text?;
            text.add_notes(answer.notes);
            text.name_first(name);
            Some(text)
        });
        let merged = texts.reduce(|mut merged, text| {
            merged.parts.extend(text.parts);
            merged
        });
        return merged
            .map(Answer::of_text)
            .ok_or_else(|| ToolError::index("no repository answered"));
    }

    let named = found.into_iter().map(|(name, answer)| {
        let mut fields = Map::from_iter([(REPO.to_owned(), Value::from(name))]);
        fields.extend(answer.into_fields());
        Value::Object(fields)
    });
    Answer::new(json!({ REPOSITORIES.name: named.collect::<Vec<_>>() }))
}

/// Returns what the repositories without an answer said, equal messages once.
fn notes(empty: &[(&str, Answer)], failed: &[(&str, ToolError)]) -> Vec<String> {
    let of_empty = empty.iter().map(|(name, answer)| {
        let notes = answer.notes.join("; ");
        (
            *name,
            if notes.is_empty() {
                "no results".to_owned()
            } else {
                notes
            },
        )
    });
    let of_failed = failed
        .iter()
        .map(|(name, error)| (*name, error.message.clone()));
    grouped(of_empty.chain(of_failed))
}

fn grouped<'a>(said: impl Iterator<Item = (&'a str, String)>) -> Vec<String> {
    let mut groups: Vec<(Vec<&str>, String)> = Vec::new();
    for (name, message) in said {
        match groups.iter_mut().find(|(_, other)| *other == message) {
            Some((names, _)) => names.push(name),
            None => groups.push((vec![name], message)),
        }
    }
    groups
        .into_iter()
        .map(|(names, message)| format!("{}: {message}", names.join(", ")))
        .collect()
}

/// Returns the error of all repositories. Its code is that of an error other than `not_found`, if
/// there is one: the symbol may be in that repository.
fn error_of(failed: &[(&str, ToolError)]) -> ToolError {
    let codes = failed.iter().map(|(_, error)| error.code);
    let code = codes
        .clone()
        .find(|code| !matches!(code, Code::NotFound | Code::PathEscape))
        .or_else(|| codes.clone().next());
    let said = failed
        .iter()
        .map(|(name, error)| (*name, error.message.clone()));
    ToolError::new(code.unwrap_or(Code::IndexError), grouped(said).join("; "))
}

/// Adds the argument that names a repository to the tools of a server with several, and to the
/// schemas of their results the fields that do.
pub fn described(tools: Vec<ToolDescription>, roots: &Roots) -> Vec<ToolDescription> {
    let argument = json!({
        "type": "string",
        "enum": roots.names(),
        "description": "Repository. Default: all that have an answer; required for changes.",
    });

    let describe = |mut tool: ToolDescription| {
        add_property(&mut tool.input_schema, REPO, &argument);
        if let Some(output) = &mut tool.output_schema {
            add_property(output, REPO, &json!({ "type": "string" }));
            let each = json!({ "type": "array", "items": { "type": "object" } });
            add_property(output, REPOSITORIES.name, &each);
            add_property(output, NOTE.name, &json!({ "type": "string" }));
        }
        tool
    };

    tools.into_iter().map(describe).collect()
}

fn add_property(schema: &mut Arc<Map<String, Value>>, name: &str, property: &Value) {
    let properties = Arc::make_mut(schema)
        .entry("properties")
        .or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.insert(name.to_owned(), property.clone());
    }
}

/// Adds the names of the repositories to the instructions.
pub fn instructed(instructions: String, roots: &Roots) -> String {
    format!(
        "{instructions}\n\nThis server has several repositories: {}. Pass `{REPO}` to ask one; \
         otherwise each that has an answer gives its own, and the answer names them. Paths are \
         relative to the root of their repository.",
        roots.names().join(", ")
    )
}

/// Fits texts of several repositories into one budget: short texts are kept whole, and the others
/// share what is left.
pub fn fit(parts: &[Part], max_chars: usize) -> String {
    let heads: Vec<String> = parts.iter().map(Part::heading).collect();
    let lengths: Vec<usize> = parts
        .iter()
        .map(|part| part.document.render(max_chars).chars().count())
        .collect();
    let taken: usize = heads.iter().map(|head| head.chars().count() + 2).sum();
    let share = share(&lengths, max_chars.saturating_sub(taken));

    let texts = parts.iter().zip(&heads).map(|(part, head)| {
        let text = part.document.render(share.min(max_chars));
        format!("{head}{}", text.trim_end())
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Returns the largest limit for each length so that all together take at most `room`.
fn share(lengths: &[usize], room: usize) -> usize {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let mut left = room;
    for (at, length) in sorted.iter().enumerate() {
        let each = left / (sorted.len() - at);
        if *length > each {
            return each;
        }
        left -= length;
    }
    room
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_whole_and_long_ones_share_the_rest() {
        assert_eq!(share(&[10, 20], 100), 100);
        assert_eq!(share(&[10, 200, 300], 100), 45);
        assert_eq!(share(&[200, 200], 100), 50);
    }

    #[test]
    fn equal_messages_are_grouped() {
        let said = [("a", "none"), ("b", "busy"), ("c", "none")];
        let said = said.map(|(name, message)| (name, message.to_owned()));
        assert_eq!(grouped(said.into_iter()), ["a, c: none", "b: busy"]);
    }
}
