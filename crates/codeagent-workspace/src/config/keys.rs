//! The table of settings; the checks and `docs/reference/config.schema.json` are derived from it.

use serde_json::{Map, Value, json};

/// Maximum number of patterns in a list.
pub const MAX_PATTERNS: usize = 1000;

/// Maximum length of a pattern or path, in bytes.
pub const MAX_TEXT_BYTES: usize = 1024;

/// The type of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any value; used by editors only.
    Ignored,
    /// A non-empty list of patterns.
    SomePatterns,
    /// A list of patterns.
    Patterns,
    /// A list of these words.
    Words(&'static [&'static str]),
    /// An integer from 1 to this maximum.
    UpTo(u64),
    /// A map from patterns to paths of project files.
    Projects,
}

/// A setting.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Name in the file.
    pub name: &'static str,
    /// Type of its value.
    pub kind: Kind,
    /// Default value as JSON.
    pub default: &'static str,
    /// Description for editors and documentation.
    pub doc: &'static str,
}

/// Names of the languages.
pub const LANGUAGES: &[&str] = &["csharp", "typescript"];

/// Maximum size of a source file, in bytes. Parsing a text of this size takes at most 2 seconds and
/// 300 MB.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// Maximum average line length of a parsed file, in bytes.
pub const MAX_LINE_BYTES: u64 = 20 << 10;

/// All settings.
pub const KEYS: &[Key] = &[
    Key {
        name: "$schema",
        kind: Kind::Ignored,
        default: "\"\"",
        doc: "Location of this file's schema, for editors.",
    },
    Key {
        name: "include",
        kind: Kind::SomePatterns,
        default: r#"["**"]"#,
        doc: "Source files to index, as globs over paths relative to the root. What git ignores, node_modules, .git and build output stay out.",
    },
    Key {
        name: "exclude",
        kind: Kind::Patterns,
        default: "[]",
        doc: "Source files not to index, as globs over paths relative to the root. Takes \
              precedence over include.",
    },
    Key {
        name: "languages",
        kind: Kind::Words(LANGUAGES),
        default: r#"["csharp","typescript"]"#,
        doc: "Languages to index. typescript includes JavaScript.",
    },
    Key {
        name: "max_file_bytes",
        kind: Kind::UpTo(MAX_FILE_BYTES),
        default: "16777216",
        doc: "Larger source files are not indexed.",
    },
    Key {
        name: "max_line_bytes",
        kind: Kind::UpTo(MAX_LINE_BYTES),
        default: "20480",
        doc: "Source files with more bytes per line on average are treated as generated and not \
              indexed.",
    },
    Key {
        name: "projects",
        kind: Kind::Projects,
        default: "{}",
        doc: "Maps globs to the project file (csproj, tsconfig) that owns the matching files. The first match wins.",
    },
];

/// Returns the setting with this name.
pub fn key(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Returns the JSON schema of the settings file.
#[must_use]
pub fn schema() -> String {
    let properties: Map<String, Value> = KEYS
        .iter()
        .map(|key| (key.name.to_owned(), property(key)))
        .collect();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of codeagent (.codeagent/config.json)",
        "description": "They can only reduce what is indexed.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    });
    format!("{schema:#}\n")
}

fn property(key: &Key) -> Value {
    let text = json!({ "type": "string", "minLength": 1, "maxLength": MAX_TEXT_BYTES });

    let mut property = match key.kind {
        Kind::Ignored => json!({ "type": "string" }),
        Kind::SomePatterns => {
            json!({ "type": "array", "items": text, "minItems": 1, "maxItems": MAX_PATTERNS })
        }
        Kind::Patterns => json!({ "type": "array", "items": text, "maxItems": MAX_PATTERNS }),
        Kind::Words(words) => {
            json!({ "type": "array", "items": { "enum": words }, "minItems": 1, "maxItems": MAX_PATTERNS })
        }
        Kind::UpTo(most) => json!({ "type": "integer", "minimum": 1, "maximum": most }),
        Kind::Projects => {
            json!({ "type": "object", "propertyNames": text, "additionalProperties": text, "maxProperties": MAX_PATTERNS })
        }
    };

    if let (Value::Object(fields), Ok(default)) = (&mut property, serde_json::from_str(key.default))
    {
        fields.insert("description".to_owned(), key.doc.into());
        if key.kind != Kind::Ignored {
            fields.insert("default".to_owned(), default);
        }
    }

    property
}
