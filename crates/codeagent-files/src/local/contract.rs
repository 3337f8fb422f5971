//! The recorded contract of `local` as data (`contract.json`). Clients see it unchanged; the same
//! schemas check their calls and fill in defaults.
//!
//! Limitations: implements only the JSON Schema keywords that the contract uses.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

use crate::arguments::shortened;

static CONTRACT: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("contract.json")).unwrap_or_default());

/// Returns the instructions for models.
pub fn instructions() -> &'static str {
    CONTRACT["instructions"].as_str().unwrap_or_default()
}

/// Returns the server's name.
pub fn server_name() -> &'static str {
    CONTRACT["serverName"].as_str().unwrap_or_default()
}

/// Returns the names, descriptions and input schemas of the tools.
pub fn tools() -> impl Iterator<Item = (&'static str, &'static str, &'static Map<String, Value>)> {
    CONTRACT["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| {
            Some((
                tool["name"].as_str()?,
                tool["description"].as_str()?,
                tool["inputSchema"].as_object()?,
            ))
        })
}

/// Returns the names and descriptions of the prompts.
pub fn prompts() -> impl Iterator<Item = (&'static str, &'static str)> {
    CONTRACT["prompts"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|prompt| Some((prompt["name"].as_str()?, prompt["description"].as_str()?)))
}

/// Checks a value against a schema and fills in defaults. The error names the location in the
/// value.
pub fn check(schema: &Value, value: &mut Value, place: &str) -> Result<(), String> {
    let wrong = |expected: &str, value: &Value| {
        Err(format!(
            "`{place}` must be {expected}, got {}",
            shortened(&value.to_string())
        ))
    };

    match schema["type"].as_str() {
        Some("object") => return check_object(schema, value, place),
        Some("array") => return check_array(schema, value, place),
        Some("string") => {
            let Some(text) = value.as_str() else {
                return wrong("a string", value);
            };
            if text.chars().count() < schema["minLength"].as_u64().unwrap_or_default() as usize {
                return wrong("a non-empty string", value);
            }

            if let Some(words) = schema["enum"]
                .as_array()
                .filter(|words| !words.contains(value))
            {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                return wrong(&format!("one of {}", words.join(", ")), value);
            }
        }
        Some("boolean") if !value.is_boolean() => return wrong("true or false", value),
        Some(kind @ ("integer" | "number")) => {
            let Some(number) = value
                .as_f64()
                .filter(|number| kind == "number" || number.fract() == 0.0)
            else {
                return wrong("a number", value);
            };

            let (min, max) = (
                schema["minimum"].as_f64().unwrap_or(f64::MIN),
                schema["maximum"].as_f64().unwrap_or(f64::MAX),
            );
            if number < min || number > max {
                return wrong(&bounds(schema), value);
            }
        }
        _ => {}
    }

    Ok(())
}

fn bounds(schema: &Value) -> String {
    match (schema["minimum"].as_f64(), schema["maximum"].as_f64()) {
        (Some(min), Some(max)) => format!("from {min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        _ => "a number".to_owned(),
    }
}

fn check_object(schema: &Value, value: &mut Value, place: &str) -> Result<(), String> {
    let Some(fields) = value.as_object_mut() else {
        return Err(format!("`{place}` must be an object"));
    };
    let Some(properties) = schema["properties"].as_object() else {
        return Ok(());
    };

    // Models write null for absent fields.
    fields.retain(|_, value| !value.is_null());
    if let Some(unknown) = fields.keys().find(|name| !properties.contains_key(*name)) {
        return Err(format!("`{place}` has no field `{}`", shortened(unknown)));
    }

    for name in schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        if !fields.contains_key(name) {
            return Err(format!("`{place}.{name}` is missing"));
        }
    }

    for (name, property) in properties {
        match fields.get_mut(name) {
            Some(value) => check(property, value, &format!("{place}.{name}"))?,
            None => {
                if let Some(default) = property.get("default") {
                    fields.insert(name.clone(), default.clone());
                }
            }
        }
    }

    Ok(())
}

fn check_array(schema: &Value, value: &mut Value, place: &str) -> Result<(), String> {
    let Some(items) = value.as_array_mut() else {
        return Err(format!("`{place}` must be a list"));
    };
    let (min, max) = (
        schema["minItems"].as_u64().unwrap_or(0),
        schema["maxItems"].as_u64().unwrap_or(u64::MAX),
    );
    if !(min..=max).contains(&(items.len() as u64)) {
        return Err(format!(
            "`{place}` takes {min} to {max} items, got {}",
            items.len()
        ));
    }

    for (index, item) in items.iter_mut().enumerate() {
        check(&schema["items"], item, &format!("{place}[{index}]"))?;
    }

    Ok(())
}

/// One checked query, and its cancellation flag.
#[derive(Clone, Debug)]
pub struct Query(pub Value, pub Arc<AtomicBool>);

impl Query {
    /// Returns a text; empty if absent.
    pub fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_default()
    }

    /// Returns a text, if present.
    pub fn some_text(&self, name: &str) -> Option<&str> {
        self.0[name].as_str().filter(|text| !text.is_empty())
    }

    /// Returns a flag; `false` if absent.
    pub fn flag(&self, name: &str) -> bool {
        self.0[name].as_bool().unwrap_or_default()
    }

    /// Returns an integer, if present.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.0[name].as_f64().map(|number| number as usize)
    }

    /// Returns a list of texts; empty if absent.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        self.0[name].as_array().map_or_else(Vec::new, |items| {
            items.iter().filter_map(Value::as_str).collect()
        })
    }
}
