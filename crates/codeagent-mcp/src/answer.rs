//! Answers as the protocol sends them.
//!
//! `content[0]` is the specified value, `content[1]` the fields added to it, and
//! `structuredContent` has both, because clients show the model only one of the two.
//!
//! Limitations: only fields described in `output` can be added.

use codeagent_render::text::{Document, MAX_JSON_ROWS};
use codeagent_render::{Face, PagedRows, answers, compact, note_text};
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::error::ToolError;
use crate::output::{COMPACT, ExtraField, NEXT_CURSOR, NOTE, REPOSITORIES, TOTAL};
use crate::roots::REPO;
use crate::several;

/// The answer of a tool.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The value as specified: an array or an object.
    pub value: Value,
    /// Further fields by name; not sent if empty.
    pub added: Map<String, Value>,
    /// Notes for the reader, sent as one.
    pub notes: Vec<String>,
    /// Sends a list as lines.
    pub is_compact: bool,
    /// An answer that is one text; nothing else is sent.
    pub text: Option<TextAnswer>,
}

/// An answer as text.
#[derive(Clone, Debug)]
pub struct TextAnswer {
    /// The full content, before it is cut: one part per repository.
    pub parts: Vec<Part>,
    /// Maximum characters of the result.
    pub max_chars: usize,
    /// Sends the facts as JSON, with a limit of rows instead of characters.
    pub is_json: bool,
}

/// The part of a repository in a text.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Name of the repository, if the server has several.
    pub repo: Option<String>,
    /// Its full content.
    pub document: Document,
}

impl Answer {
    /// Creates an answer without further fields.
    pub fn new(value: impl Serialize) -> Result<Self, ToolError> {
        Ok(Self {
            value: serde_json::to_value(value).map_err(ToolError::unwritable)?,
            added: Map::new(),
            notes: Vec::new(),
            is_compact: false,
            text: None,
        })
    }

    /// Creates an answer that is a text.
    #[must_use]
    pub fn of_text(text: TextAnswer) -> Self {
        Self {
            value: Value::Null,
            added: Map::new(),
            notes: Vec::new(),
            is_compact: false,
            text: Some(text),
        }
    }

    /// Creates the answer of a list.
    pub fn list(list: &answers::Answer<impl Serialize>) -> Result<Self, ToolError> {
        Ok(Self::new(&list.rows)?.with_fields_of(list))
    }

    /// Creates an answer of a list's first row.
    pub fn first(list: &answers::Answer<impl Serialize>) -> Result<Self, ToolError> {
        Ok(Self::new(list.rows.first())?.with_fields_of(list))
    }

    fn with_fields_of<T>(self, list: &answers::Answer<T>) -> Self {
        let notes = list.notes.iter().map(|note| note_text(note, Face::Tools));
        Self {
            added: list.extra.fields(),
            notes: notes.collect(),
            ..self
        }
    }

    /// Creates the answer of a page of rows.
    pub fn page(page: PagedRows<impl Serialize>) -> Result<Self, ToolError> {
        let mut answer = Self::new(page.rows)?;
        if let Some(cursor) = page.next_cursor {
            answer.add(&NEXT_CURSOR, cursor);
        }
        if let Some(total) = page.total {
            answer.add(&TOTAL, total);
        }
        Ok(answer)
    }

    /// Adds a field.
    pub fn add(&mut self, field: &ExtraField, fact: impl Into<Value>) {
        self.added.insert(field.name.to_owned(), fact.into());
    }

    /// Appends a note.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Converts the answer to the protocol's form.
    #[must_use]
    pub fn into_result(mut self) -> CallToolResult {
        if let Some(text) = self.text {
            return text.into_result(self.notes);
        }

        let lines = self.lines();
        let mut content = vec![ContentBlock::text(
            lines.clone().unwrap_or_else(|| self.value.to_string()),
        )];
        self.add_notes();
        if !self.added.is_empty() {
            content.push(ContentBlock::text(
                Value::Object(self.added.clone()).to_string(),
            ));
        }

        let mut result = CallToolResult::success(content);
        result.structured_content = Some(self.fields(lines).into());

        result
    }

    /// Returns the answer as the fields of structured content.
    #[must_use]
    pub fn into_fields(mut self) -> Map<String, Value> {
        self.add_notes();
        let lines = self.lines();
        self.fields(lines)
    }

    fn fields(self, lines: Option<String>) -> Map<String, Value> {
        let mut whole = match (self.value, lines) {
            (_, Some(lines)) => Map::from_iter([(COMPACT.name.to_owned(), lines.into())]),
            (Value::Object(fields), None) => fields,
            (value, None) => Map::from_iter([("results".to_owned(), value)]),
        };
        whole.extend(self.added);
        whole
    }

    fn add_notes(&mut self) {
        if !self.notes.is_empty() {
            self.added
                .insert(NOTE.name.to_owned(), self.notes.join("; ").into());
        }
    }

    /// Returns the rows as lines, if the caller wants them so.
    fn lines(&self) -> Option<String> {
        let rows = self.value.as_array().filter(|_| self.is_compact)?;
        Some(compact(rows))
    }
}

impl Part {
    /// Returns the line before the text, if the server has several repositories.
    #[must_use]
    pub fn heading(&self) -> String {
        let name = self.repo.as_ref();
        name.map_or_else(String::new, |name| format!("# {name}\n\n"))
    }

    fn json(&self) -> Value {
        let mut value = self.document.json(MAX_JSON_ROWS);
        if let Some(name) = &self.repo {
            value[REPO] = name.as_str().into();
        }
        value
    }
}

impl TextAnswer {
    /// Sets the name of the repository that the text is about.
    pub fn name_first(&mut self, name: &str) {
        if let Some(part) = self.parts.first_mut() {
            part.repo = Some(name.to_owned());
        }
    }

    /// Adds notes to the text.
    pub fn add_notes(&mut self, notes: Vec<String>) {
        if let Some(part) = self.parts.first_mut() {
            notes.into_iter().for_each(|note| part.document.note(note));
        }
    }

    fn into_result(mut self, notes: Vec<String>) -> CallToolResult {
        self.add_notes(notes);
        let text = match (self.is_json, self.parts.as_slice()) {
            (true, [only]) => only.json().to_string(),
            (true, parts) => {
                let parts: Vec<Value> = parts.iter().map(Part::json).collect();
                json!({ REPOSITORIES.name: parts }).to_string()
            }
            (false, [only]) if only.repo.is_none() => only.document.render(self.max_chars),
            (false, parts) => several::fit(parts, self.max_chars),
        };
        CallToolResult::success(vec![ContentBlock::text(text)])
    }
}

/// Converts an error of a tool that answers text to the protocol's form.
#[must_use]
pub fn error_text_result(error: &ToolError) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!(
        "{}: {}",
        error.code.as_str(),
        error.message
    ))])
}

/// Converts an error to the protocol's form.
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
    fn arrays_objects_and_errors_become_structured_content() {
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
