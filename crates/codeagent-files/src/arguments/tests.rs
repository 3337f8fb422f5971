//! Tests of [`super`]: accepted and rejected arguments.

use super::*;

const PARAMETERS: &[Parameter] = &[
    Parameter::required("path", Kind::Text, "Where."),
    Parameter::optional("limit", Kind::Number { min: 1, max: 50 }, "How many.")
        .or(DefaultValue::Number(20)),
    Parameter::optional("kind", Kind::Word(|| vec!["a", "b"]), "Which."),
    Parameter::optional("paths", Kind::Texts(2), "Which ones."),
    Parameter::optional("name", Kind::Name, "What."),
];

fn check(sent: Value) -> Result<Arguments, String> {
    let Value::Object(sent) = sent else {
        panic!("not an object")
    };
    Arguments::check(PARAMETERS, sent).map_err(|error| match error {
        ArgumentError::Invalid(message) => format!("invalid_parameter: {message}"),
        ArgumentError::TooLarge(message) => format!("too_large: {message}"),
    })
}

#[test]
fn valid_arguments_are_read() {
    let arguments =
        check(json!({ "path": "x", "limit": 3.0, "kind": null, "paths": ["a"] })).unwrap();
    assert_eq!(
        (
            arguments.text("path"),
            arguments.number("limit"),
            arguments.text("kind")
        ),
        (Some("x"), Some(3), None)
    );
    assert_eq!(arguments.texts("paths"), ["a"]);
    assert_eq!(
        check(json!({ "path": "", "limit": null }))
            .unwrap()
            .number("limit"),
        Some(20),
        "the default"
    );
}

#[test]
fn invalid_arguments_are_named() {
    for (sent, message) in [
        (
            json!({}),
            "invalid_parameter: missing `path`: expected a string",
        ),
        (
            json!({ "path": 1 }),
            "invalid_parameter: `path` must be a string, got 1",
        ),
        (
            json!({ "path": "x", "limit": "3" }),
            "invalid_parameter: `limit` must be a whole number from 1 to 50, got \"3\"",
        ),
        (
            json!({ "path": "x", "limit": 51 }),
            "invalid_parameter: `limit` must be a whole number from 1 to 50, got 51",
        ),
        (
            json!({ "path": "x", "limit": 1.5 }),
            "invalid_parameter: `limit` must be a whole number from 1 to 50, got 1.5",
        ),
        (
            json!({ "path": "x", "limit": -1 }),
            "invalid_parameter: `limit` must be a whole number from 1 to 50, got -1",
        ),
        (
            json!({ "path": "x", "kind": "c" }),
            "invalid_parameter: `kind` must be one of a, b, got \"c\"",
        ),
        (
            json!({ "path": "x", "paths": [1] }),
            "invalid_parameter: `paths` must be a list of strings, got [1]",
        ),
        (
            json!({ "path": "x", "paths": ["a", "b", "c"] }),
            "too_large: `paths` takes at most 2 values, got 3; call again with the rest",
        ),
        (
            json!({ "path": "x", "pth": 1 }),
            "invalid_parameter: unknown parameter `pth`; the tool takes path, limit, kind, paths, name",
        ),
        (
            json!({ "path": "x", "name": " " }),
            "invalid_parameter: `name` must be a string of 1 to 4096 characters, got \" \"",
        ),
    ] {
        assert_eq!(check(sent).map(|_| ()), Err(message.to_owned()));
    }
}

#[test]
fn schemas_have_one_plain_type_each() {
    let schema = Value::Object(schema(PARAMETERS));
    assert_eq!(schema["required"], json!(["path"]));
    for (_, property) in schema["properties"].as_object().unwrap() {
        assert!(
            property["type"].is_string() && property["format"].is_null(),
            "{property}"
        );
    }
}
