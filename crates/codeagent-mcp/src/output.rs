//! What may a tool answer? The schema of its result, made from the struct that is sent and from the
//! table of what may be added to it.
//!
//! A list is described as `results`, because a structured result is an object. Clients check errors
//! against the same schema, so nothing is required at the top and nothing forbidden, and `error` is
//! described too. Strict clients know neither `format: uint32` nor lists of types, so both are
//! taken out of what is generated.
//!
//! **Limits.** Describes `structuredContent`; the texts of an answer carry the same facts.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::error::Code;

/// What a tool answers.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    /// The schema of the value, or of one row of it.
    shape: fn() -> Value,
    /// What a list is a list of.
    rows: Option<&'static str>,
    /// What may be added.
    pub added: &'static [Addition],
}

/// A fact that answers may carry beside their value.
#[derive(Clone, Copy, Debug)]
pub struct Addition {
    /// Its name.
    pub name: &'static str,
    /// Its JSON type: `string`, `integer`, or `array` for a list of texts.
    pub json_type: &'static str,
    /// What it says, written for a model.
    pub doc: &'static str,
}

/// A remark.
pub const NOTE: Addition = Addition {
    name: "note",
    json_type: "string",
    doc: "What to know about this answer: why a list is empty, what to ask next.",
};

/// A list as lines.
pub const COMPACT: Addition = Addition {
    name: "compact",
    json_type: "string",
    doc: "With `format: compact`, instead of `results`: the same as lines, grouped by file.",
};

/// Where the next page begins.
pub const NEXT_CURSOR: Addition = Addition {
    name: "next_cursor",
    json_type: "string",
    doc: "There is more: ask the same again with this as `cursor`. Absent on the last page.",
};

/// How long the list is.
pub const TOTAL: Addition = Addition {
    name: "total",
    json_type: "integer",
    doc: "Number of rows on all pages, if there are several pages.",
};

/// Where a long list leads.
pub const FOLDERS: Addition = Addition {
    name: "folders",
    json_type: "array",
    doc: "If there are several pages: the folders with most rows, `folder: number`; select one with `path`.",
};

/// Files whose places may be wrong.
pub const STALE_FILES: Addition = Addition {
    name: "stale_files",
    json_type: "array",
    doc: "Files shown here that changed since they were indexed: line numbers may be off. Pass them to index_files, then ask again.",
};

/// Uses that may belong to an answer.
pub const UNRESOLVED_SITES: Addition = Addition {
    name: "unresolved_sites",
    json_type: "integer",
    doc: "Uses that could not be resolved and may belong to this list: of the symbol's name anywhere or, for callees, calls in the symbol.",
};

/// Where the first of them are.
pub const UNRESOLVED: Addition = Addition {
    name: "unresolved",
    json_type: "array",
    doc: "The first of unresolved_sites: `path:line:column text`.",
};

/// Uses that more likely are of other symbols.
pub const POSSIBLE_SITES: Addition = Addition {
    name: "possible_sites",
    json_type: "integer",
    doc: "Uses counted as `inferred` uses of another symbol of that name that may belong to this one.",
};

/// Where the first of them are.
pub const POSSIBLE: Addition = Addition {
    name: "possible",
    json_type: "array",
    doc: "The first of possible_sites: `path:line:column text`.",
};

/// Lines of files that no language covers.
pub const TEXTUAL_SITES: Addition = Addition {
    name: "textual_sites",
    json_type: "integer",
    doc: "If the list is empty: lines of markup, templates and configuration that contain the symbol's name and may use it.",
};

/// Where the first of them are.
pub const TEXTUAL: Addition = Addition {
    name: "textual",
    json_type: "array",
    doc: "The first of textual_sites: `path:line text`.",
};

/// What may belong to a list of related symbols.
pub const UNCERTAIN: [Addition; 6] = [
    UNRESOLVED_SITES,
    UNRESOLVED,
    POSSIBLE_SITES,
    POSSIBLE,
    TEXTUAL_SITES,
    TEXTUAL,
];

/// The symbols that an answer is about.
pub const SYMBOLS: Addition = Addition {
    name: "symbols",
    json_type: "array",
    doc: "If the name matches several symbols: each as `node_id name(signature) path:line: number of rows`, best first. Rows say in `of` which \
          they belong to.",
};

/// What is not answered for.
pub const ALSO_NAMED: Addition = Addition {
    name: "also_named",
    json_type: "array",
    doc: "More symbols of that name that are not answered; ask for one by its node_id.",
};

/// How a text was read.
pub const ENCODING_NOTE: Addition = Addition {
    name: "encoding_note",
    json_type: "string",
    doc: "How a file that is not plain UTF-8 was read.",
};

/// What goes on with the index.
pub const INDEXING: Addition = Addition {
    name: "indexing",
    json_type: "string",
    doc: "What the index is doing now.",
};

/// What is odd about the settings.
pub const CONFIGURATION: Addition = Addition {
    name: "configuration",
    json_type: "array",
    doc: "Problems in `.codeagent/config.json`.",
};

impl Addition {
    fn schema(&self) -> Value {
        let mut schema = json!({ "type": self.json_type });
        if self.json_type == "array" {
            schema["items"] = json!({ "type": "string" });
        }
        schema["description"] = self.doc.into();
        schema
    }
}

impl Output {
    /// A list of `T`, with what its rows are.
    #[must_use]
    pub const fn list<T: JsonSchema>(rows: &'static str, added: &'static [Addition]) -> Self {
        Self {
            shape: shape_of::<T>,
            rows: Some(rows),
            added,
        }
    }

    /// One `T`.
    #[must_use]
    pub const fn object<T: JsonSchema>(added: &'static [Addition]) -> Self {
        Self {
            shape: shape_of::<T>,
            rows: None,
            added,
        }
    }

    /// The types of `structuredContent` alone. What they mean, which words there are and what is
    /// always there stands in `docs/tools.md`: a model that reads an answer does not need it.
    #[must_use]
    pub fn bare_schema(&self) -> Map<String, Value> {
        let mut schema = Value::Object(self.schema());
        without_words(&mut schema);
        schema.as_object().cloned().unwrap_or_default()
    }

    /// The schema of `structuredContent`.
    #[must_use]
    pub fn schema(&self) -> Map<String, Value> {
        let shape = (self.shape)();
        let mut properties = match self.rows {
            Some(rows) => Map::from_iter([
                (
                    "results".to_owned(),
                    json!({ "type": "array", "description": rows, "items": shape }),
                ),
                (COMPACT.name.to_owned(), COMPACT.schema()),
            ]),
            None => shape["properties"].as_object().cloned().unwrap_or_default(),
        };
        properties.extend(
            self.added
                .iter()
                .map(|added| (added.name.to_owned(), added.schema())),
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
        "description": "Instead of everything else: why there is no answer.",
        "properties": {
            "code": { "type": "string", "enum": Code::ALL.map(Code::as_str), "description": "What kind of error." },
            "message": { "type": "string", "description": "What is wrong and what to do next." },
        },
        "required": ["code", "message"],
    })
}

/// Takes out what is no type. A property may be named as a rule is; then an object stands there.
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

/// Takes out what strict clients reject. Shapes are as deep as our structs, no deeper.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.contains_key("type") {
                fields.remove("format");
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
