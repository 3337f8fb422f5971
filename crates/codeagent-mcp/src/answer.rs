//! How is an answer told to a client? The specified value as `content[0]`, what we add to it as `content[1]`, and both together as
//! `structuredContent`, because clients show the model only one of the two.
//!
//! **Limits.** A page is cut between rows, so one row may exceed the size of a page.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::error::ToolError;

/// Most characters of a list without a limit of its own.
const PAGE_CHARACTERS: usize = 10_000;

/// What a tool answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The value as specified: an array or an object.
    pub value: Value,
    /// Further facts by name; not sent if empty.
    pub added: Map<String, Value>,
}

impl Answer {
    /// An answer without additions.
    pub fn new(value: impl Serialize) -> Result<Self, ToolError> {
        Ok(Self { value: to_value(value)?, added: Map::new() })
    }

    /// One page of rows, from where `cursor` says on.
    pub fn page<T: Serialize>(rows: &[T], cursor: Option<&str>) -> Result<Self, ToolError> {
        let start = match cursor {
            None => 0,
            Some(cursor) => parse_cursor(cursor, rows.len())?,
        };
        let mut page = Vec::new();
        let mut characters = 0;
        for row in &rows[start..] {
            let row = to_value(row)?;
            characters += row.to_string().chars().count();
            if characters > PAGE_CHARACTERS && !page.is_empty() {
                break;
            }
            page.push(row);
        }
        let next = start + page.len();
        let mut answer = Self { value: page.into(), added: Map::new() };
        if next < rows.len() {
            answer.add("next_cursor", format!("c{next}"));
            answer.add("total", rows.len());
        }
        Ok(answer)
    }

    /// Adds a fact.
    pub fn add(&mut self, name: &str, fact: impl Into<Value>) {
        self.added.insert(name.to_owned(), fact.into());
    }

    /// With a remark for the reader.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.add("note", note.into());
        self
    }

    /// Whether the value is an empty list.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.value.as_array().is_some_and(Vec::is_empty)
    }

    /// As the protocol has it.
    #[must_use]
    pub fn into_result(self) -> CallToolResult {
        let mut content = vec![ContentBlock::text(self.value.to_string())];
        if !self.added.is_empty() {
            content.push(ContentBlock::text(Value::Object(self.added.clone()).to_string()));
        }
        let mut whole = match self.value {
            Value::Object(fields) => fields,
            value => Map::from_iter([("results".to_owned(), value)]),
        };
        whole.extend(self.added);
        let mut result = CallToolResult::success(content);
        result.structured_content = Some(whole.into());
        result
    }
}

/// An error as the protocol has it.
#[must_use]
pub fn error_result(error: &ToolError) -> CallToolResult {
    let value = json!({ "error": { "code": error.code.as_str(), "message": error.message } });
    let mut result = CallToolResult::error(vec![ContentBlock::text(value.to_string())]);
    result.structured_content = Some(value);
    result
}

fn to_value(value: impl Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(value).map_err(|error| ToolError::index(format!("the answer cannot be written: {error}")))
}

fn parse_cursor(cursor: &str, rows: usize) -> Result<usize, ToolError> {
    let start = cursor.strip_prefix('c').and_then(|digits| digits.parse().ok()).filter(|start| *start <= rows);
    start.ok_or_else(|| {
        ToolError::invalid("`cursor` must be a `next_cursor` of an answer to the same question; leave it out to start again")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_come_in_pages() {
        let rows: Vec<String> = (0..30).map(|i| format!("{i}{}", "x".repeat(999))).collect();
        let first = Answer::page(&rows, None).unwrap();
        assert_eq!(first.value.as_array().unwrap().len(), 9);
        assert_eq!(first.added["next_cursor"], "c9");
        let last = Answer::page(&rows, Some("c27")).unwrap();
        assert_eq!((last.value.as_array().unwrap().len(), last.added.len()), (3, 0));
        assert!(Answer::page(&rows, Some("c31")).is_err());
        assert!(Answer::page(&rows, Some("27")).is_err());
        assert_eq!(Answer::page(&["y".repeat(20_000)], None).unwrap().value.as_array().unwrap().len(), 1);
    }

    #[test]
    fn arrays_and_objects_are_wrapped_as_promised() {
        let list = Answer::new([1, 2]).unwrap().with_note("n").into_result();
        assert_eq!(list.structured_content, Some(json!({ "results": [1, 2], "note": "n" })));
        assert_eq!(list.content.len(), 2);
        let object = Answer::new(json!({ "a": 1 })).unwrap().into_result();
        assert_eq!(object.structured_content, Some(json!({ "a": 1 })));
        assert_eq!(object.content.len(), 1);
        let error = error_result(&ToolError::invalid("m"));
        assert_eq!(error.structured_content, Some(json!({ "error": { "code": "invalid_parameter", "message": "m" } })));
        assert_eq!(error.is_error, Some(true));
    }
}
