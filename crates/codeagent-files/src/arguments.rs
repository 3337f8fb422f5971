//! Tool parameters: one table yields both the schema that clients see and the checks of calls, so
//! that they cannot disagree.
//!
//! A wrong type, an unknown name, and a missing or out-of-range value are errors that name the
//! parameter. `null` counts as absent, because models write it for optional parameters.
//!
//! Limitations: parameters are texts, integers, booleans and lists of texts. A default that depends
//! on the call is only described in the parameter's text.

use serde_json::{Map, Value, json};

/// One parameter of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name of the parameter.
    pub name: &'static str,
    /// Type of its value.
    pub kind: Kind,
    /// Whether a call must have it.
    pub required: bool,
    /// Value used if it is absent.
    pub default: Option<DefaultValue>,
    /// Description in the documentation.
    pub doc: &'static str,
    /// Description in the brief schema; empty if the server's introduction explains it.
    pub hint: &'static str,
}

/// The default of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum DefaultValue {
    /// A text.
    Text(&'static str),
    /// A number.
    Number(u64),
    /// A boolean.
    Flag(bool),
    /// An empty list.
    NoTexts,
}

impl From<DefaultValue> for Value {
    fn from(default: DefaultValue) -> Self {
        match default {
            DefaultValue::Text(text) => text.into(),
            DefaultValue::Number(number) => number.into(),
            DefaultValue::Flag(flag) => flag.into(),
            DefaultValue::NoTexts => Value::Array(Vec::new()),
        }
    }
}

/// Maximum length of a name or query, in characters.
const MAX_NAME: usize = 4_096;

/// The type of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Any text.
    Text,
    /// A non-empty text of limited length.
    Name,
    /// One of these words.
    Word(fn() -> Vec<&'static str>),
    /// An integer within bounds.
    Number {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// A list of at most this many texts.
    Texts(usize),
    /// A non-empty text.
    Something,
    /// A boolean.
    Flag,
    /// A list of at most `max` texts of at most `each` characters.
    ShortTexts {
        /// Maximum number of texts.
        max: usize,
        /// Maximum length of each, in characters.
        each: usize,
    },
}

impl Parameter {
    /// Creates a required parameter.
    #[must_use]
    pub const fn required(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self {
            name,
            kind,
            required: true,
            default: None,
            doc,
            hint: doc,
        }
    }

    /// Creates an optional parameter.
    #[must_use]
    pub const fn optional(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self {
            name,
            kind,
            required: false,
            default: None,
            doc,
            hint: doc,
        }
    }

    /// Sets the default.
    #[must_use]
    pub const fn or(self, default: DefaultValue) -> Self {
        Self {
            default: Some(default),
            ..self
        }
    }

    /// Sets the description in the brief schema.
    #[must_use]
    pub const fn hinted(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    /// Returns its JSON schema: one plain type, without `null` and `format`, which strict clients
    /// reject.
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Name => json!({ "type": "string", "minLength": 1, "maxLength": MAX_NAME }),
            Kind::Word(words) => json!({ "type": "string", "enum": words() }),
            // JavaScript clients cannot represent bounds beyond 2^53.
            Kind::Number { min, max: u64::MAX } => json!({ "type": "integer", "minimum": min }),
            Kind::Number { min, max } => {
                json!({ "type": "integer", "minimum": min, "maximum": max })
            }
            Kind::Texts(max) => {
                json!({ "type": "array", "items": { "type": "string" }, "maxItems": max })
            }
            Kind::Something => json!({ "type": "string", "minLength": 1 }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::ShortTexts { max, each } => {
                json!({ "type": "array", "items": { "type": "string", "maxLength": each }, "maxItems": max })
            }
        };

        if let Some(default) = self.default {
            schema["default"] = default.into();
        }

        schema["description"] = self.doc.into();
        schema
    }

    fn expected(&self) -> String {
        match self.kind {
            Kind::Text => "a string".to_owned(),
            Kind::Name => format!("a string of 1 to {MAX_NAME} characters"),
            Kind::Word(words) => format!("one of {}", words().join(", ")),
            Kind::Number { min, max: u64::MAX } => format!("a whole number of at least {min}"),
            Kind::Number { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Texts(_) => "a list of strings".to_owned(),
            Kind::Something => "a non-empty string".to_owned(),
            Kind::Flag => "true or false".to_owned(),
            Kind::ShortTexts { max, each } => {
                format!("a list of at most {max} strings of at most {each} characters")
            }
        }
    }

    fn check(&self, value: &Value) -> Result<(), ArgumentError> {
        let fits = match self.kind {
            Kind::Text => value.is_string(),
            Kind::Name => value
                .as_str()
                .is_some_and(|text| !text.trim().is_empty() && text.chars().count() <= MAX_NAME),
            Kind::Word(words) => value.as_str().is_some_and(|word| words().contains(&word)),
            Kind::Number { min, max } => {
                whole_number(value).is_some_and(|number| (min..=max).contains(&number))
            }
            Kind::Texts(_) => value
                .as_array()
                .is_some_and(|values| values.iter().all(Value::is_string)),
            Kind::Something => value.as_str().is_some_and(|text| !text.is_empty()),
            Kind::Flag => value.is_boolean(),
            Kind::ShortTexts { max, each } => value.as_array().is_some_and(|values| {
                let is_short = |value: &Value| {
                    value
                        .as_str()
                        .is_some_and(|text| text.chars().count() <= each)
                };
                values.len() <= max && values.iter().all(is_short)
            }),
        };

        if !fits {
            return Err(ArgumentError::Invalid(format!(
                "`{}` must be {}, got {}",
                self.name,
                self.expected(),
                shown(value)
            )));
        }

        match (self.kind, value.as_array()) {
            (Kind::Texts(max), Some(values)) if values.len() > max => {
                Err(ArgumentError::TooLarge(format!(
                    "`{}` takes at most {max} values, got {}; call again with the rest",
                    self.name,
                    values.len()
                )))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the schema of a tool's arguments.
#[must_use]
pub fn schema(parameters: &[Parameter]) -> Map<String, Value> {
    let properties: Map<String, Value> = parameters
        .iter()
        .map(|each| (each.name.to_owned(), each.schema()))
        .collect();
    let required: Vec<&str> = parameters
        .iter()
        .filter(|each| each.required)
        .map(|each| each.name)
        .collect();

    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }

    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

/// Returns a shorter schema, for tool lists that models read completely. Leaves out rules that are
/// checked anyway and do not help to write a call.
#[must_use]
pub fn brief_schema(parameters: &[Parameter]) -> Map<String, Value> {
    let mut schema = schema(parameters);
    schema.remove("additionalProperties");
    for parameter in parameters {
        let Some(property) = schema["properties"][parameter.name].as_object_mut() else {
            continue;
        };
        property
            .retain(|rule, _| !matches!(rule.as_str(), "minLength" | "maxLength" | "description"));
        if !parameter.hint.is_empty() {
            property.insert("description".to_owned(), parameter.hint.into());
        }
    }
    schema
}

/// Why a call's arguments are rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// A parameter is unknown or missing, or has a wrong type or value.
    #[error("{0}")]
    Invalid(String),
    /// A list has too many values.
    #[error("{0}")]
    TooLarge(String),
}

/// The checked arguments of a call, including defaults.
#[derive(Clone, Debug)]
pub struct Arguments(Map<String, Value>);

impl Arguments {
    /// Checks the arguments of a call.
    pub fn check(
        parameters: &[Parameter],
        mut sent: Map<String, Value>,
    ) -> Result<Self, ArgumentError> {
        sent.retain(|_, value| !value.is_null());
        if let Some(unknown) = sent
            .keys()
            .find(|name| !parameters.iter().any(|each| each.name == name.as_str()))
        {
            let known: Vec<&str> = parameters.iter().map(|each| each.name).collect();
            let known = if known.is_empty() {
                "the tool takes none".to_owned()
            } else {
                format!("the tool takes {}", known.join(", "))
            };

            return Err(ArgumentError::Invalid(format!(
                "unknown parameter `{}`; {known}",
                shortened(unknown)
            )));
        }

        for parameter in parameters {
            match sent.get(parameter.name) {
                Some(value) => parameter.check(value)?,
                None if parameter.required => {
                    return Err(ArgumentError::Invalid(format!(
                        "missing `{}`: expected {}",
                        parameter.name,
                        parameter.expected()
                    )));
                }
                None => {
                    if let Some(default) = parameter.default {
                        sent.insert(parameter.name.to_owned(), default.into());
                    }
                }
            }
        }

        Ok(Self(sent))
    }

    /// Returns a value, if present.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Returns a text, if present.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// Returns the text of a required parameter.
    #[must_use]
    pub fn required_text(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    /// Returns a number, if present.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<usize> {
        usize::try_from(whole_number(self.0.get(name)?)?).ok()
    }

    /// Returns a flag; `false` if absent.
    #[must_use]
    pub fn flag(&self, name: &str) -> bool {
        self.0
            .get(name)
            .and_then(Value::as_bool)
            .unwrap_or_default()
    }

    /// Returns a list of texts; empty if absent.
    #[must_use]
    pub fn texts(&self, name: &str) -> Vec<&str> {
        self.0
            .get(name)
            .and_then(Value::as_array)
            .map_or_else(Vec::new, |values| {
                values.iter().filter_map(Value::as_str).collect()
            })
    }
}

/// Returns an integer. Some clients write `3.0` for `3`.
fn whole_number(value: &Value) -> Option<u64> {
    let float = || {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && (0.0..9e15).contains(number))
            .map(|number| number as u64)
    };
    value.as_u64().or_else(float)
}

/// Returns a value as shown in messages.
fn shown(value: &Value) -> String {
    shortened(&value.to_string())
}

/// Returns the start of a caller's text, for a message.
#[must_use]
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
