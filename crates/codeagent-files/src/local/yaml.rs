//! Writes answers as YAML. Every text is quoted, so that no text can be mistaken for structure.
//! Empty values are left out.

use serde_json::Value;

/// Converts a value to YAML.
#[must_use]
pub fn yaml(value: &Value) -> String {
    let lines = lines(value);
    lines
        .iter()
        .fold(String::new(), |text, line| text + line + "\n")
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().all(is_empty),
        Value::Object(fields) => fields.values().all(is_empty),
        _ => false,
    }
}

fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let full = fields.iter().filter(|(_, value)| !is_empty(value));
            full.flat_map(|(name, value)| field_lines(name, value))
                .collect()
        }
        Value::Array(items) => {
            let full = items.iter().filter(|item| !is_empty(item));
            full.flat_map(item_lines).collect()
        }
        // A JSON string is a valid double-quoted YAML string.
        scalar => vec![scalar.to_string()],
    }
}

fn field_lines(name: &str, value: &Value) -> Vec<String> {
    if !value.is_object() && !value.is_array() {
        return vec![format!("{name}: {value}")];
    }

    let below = lines(value).into_iter().map(|line| format!("  {line}"));
    std::iter::once(format!("{name}:")).chain(below).collect()
}

fn item_lines(item: &Value) -> Vec<String> {
    let lines = lines(item).into_iter().enumerate();
    lines
        .map(|(index, line)| {
            let mark = if index == 0 { "-" } else { " " };
            format!("{mark} {line}")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn strings_are_quoted_and_empty_values_omitted() {
        let value = json!({
            "results": [
                { "status": "hasResults", "data": { "path": "a: b", "n": 1, "none": null, "no": [], "hints": ["x\n- y", "z"] } },
                { "status": "empty", "data": { "flag": false } },
            ],
            "nothing": {},
        });
        let expected = "results:\n  - status: \"hasResults\"\n    data:\n      path: \"a: b\"\n      n: 1\n      hints:\n        - \"x\\n- y\"\n        \
                        - \"z\"\n  - status: \"empty\"\n    data:\n      flag: false\n";
        assert_eq!(yaml(&value), expected);
    }
}
