//! How is an answer told to a client? The specified value as `content[0]`, what we add to it as
//! `content[1]`, and both together as `structuredContent`, because clients show the model only one
//! of the two.
//!
//! **Limits.** What may be added is described in `output`, and nothing else can be added.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::compact::compact;
use crate::error::ToolError;
use crate::output::{Addition, COMPACT, NOTE};

/// What a tool answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The value as specified: an array or an object.
    pub value: Value,
    /// Further facts by name; not sent if empty.
    pub added: Map<String, Value>,
    /// Remarks for the reader, sent as one.
    pub notes: Vec<String>,
    /// Whether a list is told as lines.
    pub is_compact: bool,
}

impl Answer {
    /// An answer without additions.
    pub fn new(value: impl Serialize) -> Result<Self, ToolError> {
        Ok(Self {
            value: serde_json::to_value(value).map_err(ToolError::unwritable)?,
            added: Map::new(),
            notes: Vec::new(),
            is_compact: false,
        })
    }

    /// Adds a fact.
    pub fn add(&mut self, addition: &Addition, fact: impl Into<Value>) {
        self.added.insert(addition.name.to_owned(), fact.into());
    }

    /// With a remark for the reader, after those made before.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// With the additions and remarks of another answer.
    #[must_use]
    pub fn with_all_of(mut self, other: Self) -> Self {
        self.added.extend(other.added);
        self.notes.extend(other.notes);
        self
    }

    /// How many characters its additions take.
    #[must_use]
    pub fn characters(&self) -> usize {
        self.added
            .iter()
            .map(|(name, fact)| name.len() + fact.to_string().chars().count() + 4)
            .sum()
    }

    /// Whether the value is an empty list.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.value.as_array().is_some_and(Vec::is_empty)
    }

    /// As the protocol has it.
    #[must_use]
    pub fn into_result(mut self) -> CallToolResult {
        if !self.notes.is_empty() {
            self.added
                .insert(NOTE.name.to_owned(), self.notes.join("; ").into());
        }
        let lines = self
            .value
            .as_array()
            .filter(|_| self.is_compact)
            .map(|rows| compact(rows));
        let mut content = vec![ContentBlock::text(
            lines.clone().unwrap_or_else(|| self.value.to_string()),
        )];
        if !self.added.is_empty() {
            content.push(ContentBlock::text(
                Value::Object(self.added.clone()).to_string(),
            ));
        }
        let mut whole = match (self.value, lines) {
            (_, Some(lines)) => Map::from_iter([(COMPACT.name.to_owned(), lines.into())]),
            (Value::Object(fields), None) => fields,
            (value, None) => Map::from_iter([("results".to_owned(), value)]),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_and_objects_are_wrapped_as_promised() {
        let list = Answer::new([1, 2]).unwrap().with_note("n").into_result();
        assert_eq!(
            list.structured_content,
            Some(json!({ "results": [1, 2], "note": "n" }))
        );
        assert_eq!(list.content.len(), 2);
        let object = Answer::new(json!({ "a": 1 })).unwrap().into_result();
        assert_eq!(object.structured_content, Some(json!({ "a": 1 })));
        assert_eq!(object.content.len(), 1);
        let error = error_result(&ToolError::invalid("m"));
        assert_eq!(
            error.structured_content,
            Some(json!({ "error": { "code": "invalid_parameter", "message": "m" } }))
        );
        assert_eq!(error.is_error, Some(true));
    }
}
