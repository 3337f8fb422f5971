//! Validation of JSON values by the part of JSON Schema that our schemas use; an unknown keyword
//! fails.

use serde_json::{Map, Value};

/// Returns every violation with its location. Properties that the schema does not mention are
/// violations too.
pub fn violations(schema: &Value, value: &Value, at: &str) -> Vec<String> {
    schema
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(keyword, rule)| check(keyword, rule, value, at))
        .collect()
}

fn check(keyword: &str, rule: &Value, value: &Value, at: &str) -> Vec<String> {
    let fails = |fails: bool| {
        if fails {
            vec![format!("{at}: {value} breaks {keyword} {rule}")]
        } else {
            Vec::new()
        }
    };
    match keyword {
        "type" => fails(!is_type(value, rule.as_str().unwrap())),
        "enum" => fails(!rule.as_array().unwrap().contains(value)),
        "minimum" => fails(
            value
                .as_f64()
                .is_some_and(|number| number < rule.as_f64().unwrap()),
        ),
        "maximum" => fails(
            value
                .as_f64()
                .is_some_and(|number| number > rule.as_f64().unwrap()),
        ),
        "maxItems" => fails(
            value
                .as_array()
                .is_some_and(|items| items.len() as u64 > rule.as_u64().unwrap()),
        ),
        "minLength" => fails(
            value
                .as_str()
                .is_some_and(|text| (text.chars().count() as u64) < rule.as_u64().unwrap()),
        ),
        "maxLength" => fails(
            value
                .as_str()
                .is_some_and(|text| text.chars().count() as u64 > rule.as_u64().unwrap()),
        ),
        "anyOf" => fails(
            !rule
                .as_array()
                .unwrap()
                .iter()
                .any(|schema| violations(schema, value, at).is_empty()),
        ),
        "items" => {
            let items = value.as_array().into_iter().flatten().enumerate();
            items
                .flat_map(|(index, item)| violations(rule, item, &format!("{at}[{index}]")))
                .collect()
        }
        "required" => {
            let names = rule.as_array().unwrap().iter().filter_map(Value::as_str);
            names
                .filter(|name| value.get(name).is_none())
                .map(|name| format!("{at}: `{name}` is missing"))
                .collect()
        }
        "properties" => properties(rule.as_object().unwrap(), value, at),
        "additionalProperties" | "description" | "default" => Vec::new(),
        other => vec![format!("{at}: the keyword `{other}` is not checked")],
    }
}

fn properties(known: &Map<String, Value>, value: &Value, at: &str) -> Vec<String> {
    let of = |(name, value): (&String, &Value)| match known.get(name) {
        Some(schema) => violations(schema, value, &format!("{at}.{name}")),
        None => vec![format!("{at}: `{name}` is not described")],
    };
    value
        .as_object()
        .into_iter()
        .flatten()
        .flat_map(of)
        .collect()
}

fn is_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        _ => false,
    }
}
