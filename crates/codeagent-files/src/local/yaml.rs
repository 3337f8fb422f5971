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
    let indented = |lines: Vec<String>| lines.into_iter().map(|line| format!("  {line}"));
    match value {
        Value::Object(fields) => {
            let full = fields.iter().filter(|(_, value)| !is_empty(value));
            full.flat_map(|(name, value)| match value {
                Value::Object(_) | Value::Array(_) => std::iter::once(format!("{name}:"))
                    .chain(indented(lines(value)))
                    .collect(),
                scalar => vec![format!("{name}: {scalar}")],
            })
            .collect()
        }
        Value::Array(items) => {
            let full = items.iter().filter(|item| !is_empty(item));
            full.flat_map(|item| {
                let lines = lines(item).into_iter().enumerate();
                lines
                    .map(|(index, line)| {
                        if index == 0 {
                            format!("- {line}")
                        } else {
                            format!("  {line}")
                        }
                    })
                    .collect::<Vec<_>>()
            })
            .collect()
        }
        // A JSON string is a valid double-quoted YAML string.
        scalar => vec![scalar.to_string()],
    }
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
