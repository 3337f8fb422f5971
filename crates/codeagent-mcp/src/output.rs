//! Schemas of tool results, generated from the structs that are sent and the fields that may be
//! added.
//!
//! A list is described as `results`, because a structured result is an object. Clients check errors
//! against the same schema, so it describes `error` too, and requires and forbids nothing at the
//! top level. Strict clients know neither `format: uint32` nor lists of types, so both are removed
//! from the generated schemas.
//!
//! Limitations: schemas describe `structuredContent`; the texts of an answer have the same content.

pub use codeagent_render::{
    ALSO_NAMED, EXTERNAL, ExtraField, FOLDERS, NEXT_CURSOR, POSSIBLE, POSSIBLE_SITES, STALE_FILES,
    SYMBOLS, TEXTUAL, TEXTUAL_SITES, TOTAL, UNRESOLVED, UNRESOLVED_CURSOR, UNRESOLVED_SITES,
};

use crate::roots::REPO;
use codeagent_render::Code;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The description of a tool's output.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// Returns the schema of the value, or of one row.
    shape: fn() -> Value,
    /// Description of the rows, for a list.
    rows: Option<&'static str>,
    /// Fields that may be added.
    pub added: &'static [ExtraField],
    /// Whether the result is a text, which has no schema.
    pub is_text: bool,
}

/// Notes for the reader.
pub const NOTE: ExtraField = ExtraField {
    name: "note",
    json_type: "string",
    doc: "Notes on this answer, such as why a list is empty and what to call next.",
};

/// A list as lines, in place of its rows.
pub const COMPACT: ExtraField = ExtraField {
    name: "compact",
    json_type: "string",
    doc: "The results as lines grouped by file, with `format: compact`.",
};

/// The fields about possible results.
pub const UNCERTAIN: [ExtraField; 7] = [
    UNRESOLVED_SITES,
    UNRESOLVED,
    UNRESOLVED_CURSOR,
    POSSIBLE_SITES,
    POSSIBLE,
    TEXTUAL_SITES,
    TEXTUAL,
];

/// How a file was decoded.
pub const ENCODING_NOTE: ExtraField = ExtraField {
    name: "encoding_note",
    json_type: "string",
    doc: "How a file that is not plain UTF-8 was read.",
};

/// The state of the index.
pub const INDEXING: ExtraField = ExtraField {
    name: "indexing",
    json_type: "string",
    doc: "Current activity of the index.",
};

/// Problems in the configuration.
pub const CONFIGURATION: ExtraField = ExtraField {
    name: "configuration",
    json_type: "array",
    doc: "Problems in `.codeagent/config.json`.",
};

/// The repository of an answer, if the server has several.
pub const REPO_FIELD: ExtraField = ExtraField {
    name: REPO,
    json_type: "string",
    doc: "The repository of this answer.",
};

/// The answers of several repositories.
pub const REPOSITORIES: ExtraField = ExtraField {
    name: "repositories",
    json_type: "array",
    doc: "The answer of each repository, with its name as `repo`.",
};

fn field_schema(field: &ExtraField) -> Value {
    let mut schema = json!({ "type": field.json_type });
    if field.json_type == "array" {
        schema["items"] = json!({ "type": "string" });
    }
    schema["description"] = field.doc.into();
    schema
}

impl Output {
    /// Describes a list of `T`; `rows` says what its rows are.
    #[must_use]
    pub const fn list<T: JsonSchema>(rows: &'static str, added: &'static [ExtraField]) -> Self {
        Self {
            shape: shape_of::<T>,
            rows: Some(rows),
            added,
            is_text: false,
        }
    }

    /// Describes one `T`.
    #[must_use]
    pub const fn object<T: JsonSchema>(added: &'static [ExtraField]) -> Self {
        Self {
            shape: shape_of::<T>,
            rows: None,
            added,
            is_text: false,
        }
    }

    /// A text.
    pub const TEXT: Self = Self {
        shape: || Value::Null,
        rows: None,
        added: &[],
        is_text: true,
    };

    /// Returns the schema of `structuredContent` with types alone. Meanings, possible words and
    /// required fields are in `docs/reference/tools.md`, because a model that reads an answer does
    /// not need them.
    #[must_use]
    pub fn bare_schema(&self) -> Map<String, Value> {
        let mut schema = Value::Object(self.schema());
        without_words(&mut schema);
        schema.as_object().cloned().unwrap_or_default()
    }

    /// Returns the schema of `structuredContent`.
    #[must_use]
    pub fn schema(&self) -> Map<String, Value> {
        let shape = (self.shape)();
        let mut properties = match self.rows {
            Some(rows) => Map::from_iter([
                (
                    "results".to_owned(),
                    json!({ "type": "array", "description": rows, "items": shape }),
                ),
                (COMPACT.name.to_owned(), field_schema(&COMPACT)),
            ]),
            None => shape["properties"].as_object().cloned().unwrap_or_default(),
        };

        properties.extend(
            self.added
                .iter()
                .map(|added| (added.name.to_owned(), field_schema(added))),
        );
        properties.insert("error".to_owned(), error_schema());
        Map::from_iter([
            ("type".to_owned(), "object".into()),
            ("properties".to_owned(), properties.into()),
        ])
    }
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "description": "Present instead of all other fields if the call failed.",
        "properties": {
            "code": { "type": "string", "enum": Code::ALL.map(Code::as_str), "description": "Kind of error." },
            "message": { "type": "string", "description": "What went wrong and what to do next." },
        },
        "required": ["code", "message"],
    })
}

/// Removes everything but types. A property may have the name of a keyword; its value is an object
/// then.
fn without_words(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.retain(|name, rule| {
                !matches!(name.as_str(), "description" | "enum" | "required") || rule.is_object()
            });
            fields.values_mut().for_each(without_words);
        }
        Value::Array(items) => items.iter_mut().for_each(without_words),
        _ => {}
    }
}

fn shape_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
    let mut shape = Value::from(settings.into_generator().into_root_schema_for::<T>());
    if let Some(fields) = shape.as_object_mut() {
        fields.remove("title");
        fields.remove("description");
    }
    plain(&mut shape);
    shape
}

/// Removes what strict clients reject. Recursion is as deep as our structs.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.contains_key("type") {
                fields.remove("format");
            }

            // Doc comments are wrapped; descriptions are not.
            if let Some(Value::String(doc)) = fields.get_mut("description") {
                *doc = doc.replace('\n', " ");
            }

            if let Some(Value::Array(types)) = fields.get("type")
                && let [known, Value::String(null)] = types.as_slice()
                && null == "null"
            {
                let known = known.clone();
                fields.insert("type".to_owned(), known);
            }

            fields.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}
