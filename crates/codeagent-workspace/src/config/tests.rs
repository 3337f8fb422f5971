//! Settings: their effect, their errors, and the agreement of schema, table and struct.

use std::path::Path;

use expect_test::expect_file;

use super::*;

fn takes(config: &Config, path: &str, language: &str) -> bool {
    config.takes(&RepoPath::new(path).unwrap(), language)
}

#[test]
fn settings_restrict_the_indexed_files() {
    let config = Config::parse(
        r#"{"include": ["src", "web/**/*.ts"], "exclude": ["**/*.g.cs"], "languages": ["csharp"]}"#,
    )
    .unwrap();
    assert!(takes(&config, "src/a.cs", "csharp"));
    assert!(!takes(&config, "src/a.g.cs", "csharp"));
    assert!(!takes(&config, "other/a.cs", "csharp"));
    assert!(!takes(&config, "web/a.ts", "typescript"));
    assert!(takes(&Config::default(), "web/a.ts", "typescript"));
}

#[test]
fn the_first_matching_glob_selects_the_project() {
    let config =
        Config::parse(r#"{"projects": {"shared/x/**": "./b/B.csproj", "shared": "a/A.csproj"}}"#)
            .unwrap();
    assert_eq!(config.project_of("shared/x/a.cs"), Some("b/B.csproj"));
    assert_eq!(config.project_of("shared/a.cs"), Some("a/A.csproj"));
    assert_eq!(config.project_of("a/a.cs"), None);
}

#[test]
fn errors_name_line_and_column() {
    let cases = [
        (
            "{\n  \"max_file_bytes\": \"many\"}",
            "line 2, column 21: expected a whole number from 1 to 16777216",
        ),
        (
            "{\"max_file_bytes\": 16777217}",
            "line 1, column 20: expected a whole number from 1 to 16777216",
        ),
        (
            "{\"max_line_bytes\": 0}",
            "line 1, column 20: expected a whole number from 1 to 20480",
        ),
        (
            "{\"max_line_bytes\": 1.5}",
            "line 1, column 20: expected a whole number from 1 to 20480",
        ),
        (
            "{\n \"include\": [\"a\",\n  \"../b\"]}",
            "line 3, column 3: it is outside the repository",
        ),
        (
            "{\"include\": []}",
            "line 1, column 13: nothing would be indexed; remove the key to index everything",
        ),
        (
            "{\"exclude\": \"a\"}",
            "line 1, column 13: expected a list of strings",
        ),
        (
            "{\"exclude\": [\"a\", 1]}",
            "line 1, column 19: expected a string of 1 to 1024 bytes",
        ),
        (
            "{\"exclude\": [\"[\"]}",
            "line 1, column 14: unclosed character class; missing ']'",
        ),
        (
            "{\"languages\": [\"c-sharp\"]}",
            "line 1, column 16: \"c-sharp\" is not one of csharp, typescript; did you mean \"csharp\"?",
        ),
        (
            "{\"projects\": {\"a\": \"../B.csproj\"}}",
            "line 1, column 20: \"../B.csproj\" is outside the repository",
        ),
        (
            "{\"projects\": {\"!a\": \"B.csproj\"}}",
            "line 1, column 15: it starts with `!`; use `exclude` instead",
        ),
        (
            "{\"languages\": [\"csharp\"],\n\"languages\": [\"typescript\"]}",
            "line 2, column 1: \"languages\" is a duplicate key",
        ),
        (
            "{\"include\": [\"a\"],}",
            "line 1, column 19: trailing comma",
        ),
        ("[]", "line 1, column 1: expected an object"),
        ("", "line 1, column 0: EOF while parsing a value"),
    ];

    for (text, expected) in cases {
        assert_eq!(
            Config::parse(text).unwrap_err().to_string(),
            format!("{CONFIG_FILE}, {expected}"),
            "{text}"
        );
    }

    let nested = format!("{{\"x\": {}", "[".repeat(100_000));
    assert!(
        Config::parse(&nested)
            .unwrap_err()
            .to_string()
            .contains("recursion limit")
    );
}

#[test]
fn unknown_keys_are_notes() {
    let config =
        Config::parse("{\"$schema\": \"x\",\n \"inculde\": [], \"commands\": [\"rm\"]}").unwrap();
    assert_eq!(
        config.notes,
        [
            ".codeagent/config.json, line 2, column 2: unknown setting \"inculde\"; did you mean \"include\"?",
            ".codeagent/config.json, line 2, column 17: unknown setting \"commands\"",
        ]
    );

    assert_eq!(
        Config {
            notes: Vec::new(),
            ..config
        },
        Config::default()
    );
}

/// A non-default value of each setting.
const OTHER: &[(&str, &str)] = &[
    ("$schema", r#""x""#),
    ("include", r#"["src"]"#),
    ("exclude", r#"["src"]"#),
    ("languages", r#"["csharp"]"#),
    ("max_file_bytes", "10"),
    ("max_line_bytes", "10"),
    ("projects", r#"{"src": "a.csproj"}"#),
];

#[test]
fn the_key_table_matches_the_struct() {
    // Fails to compile for a new field, which must be added here and to the table.
    let Config {
        include: _,
        exclude: _,
        languages: _,
        max_file_bytes: _,
        max_line_bytes: _,
        projects: _,
        notes: _,
    } = Config::default();

    assert_eq!(
        KEYS.iter().map(|key| key.name).collect::<Vec<_>>(),
        OTHER.iter().map(|(name, _)| *name).collect::<Vec<_>>()
    );

    for (key, (name, other)) in KEYS.iter().zip(OTHER) {
        assert_eq!(
            Config::parse(&format!("{{\"{name}\": {}}}", key.default)).unwrap(),
            Config::default(),
            "default of {name}"
        );

        let config = Config::parse(&format!("{{\"{name}\": {other}}}")).unwrap();
        let means_something = key.kind != Kind::Ignored;
        assert_eq!(config != Config::default(), means_something, "{name}");
        assert_eq!(
            config.fingerprint() != Config::default().fingerprint(),
            means_something,
            "{name}"
        );
    }
}

#[test]
fn the_schema_is_shipped() {
    expect_file!["../../../../docs/reference/config.schema.json"].assert_eq(&Config::schema());
}

#[test]
fn schema_and_parser_agree() {
    let schema: Value = serde_json::from_str(&Config::schema()).unwrap();

    let many = format!("[{}]", vec!["\"a\""; 1001].join(","));
    let long = format!("[\"{}\"]", "a".repeat(1025));
    let values = [
        "null",
        "true",
        "0",
        "1",
        "-1",
        "1.5",
        "20480",
        "20481",
        "16777216",
        "16777217",
        "\"\"",
        "\"x\"",
        "[]",
        "[\"\"]",
        "[\"csharp\"]",
        "[\"x\"]",
        "[1]",
        "{}",
        "{\"a\": \"b\"}",
        "{\"a\": \"\"}",
        "{\"\": \"b\"}",
        "{\"a\": 1}",
        &many,
        &long,
    ];

    for name in KEYS.iter().map(|key| key.name).chain(["unknown"]) {
        for value in values {
            let text = format!("{{\"{name}\": {value}}}");
            let parsed = Config::parse(&text).is_ok_and(|config| config.notes.is_empty());
            assert_eq!(
                parsed,
                is_valid(&serde_json::from_str(&text).unwrap(), &schema),
                "{text}"
            );
        }
    }
}

/// Validates a value by the schema keywords in use; an unknown keyword fails.
fn is_valid(value: &Value, schema: &Value) -> bool {
    schema.as_object().unwrap().iter().all(|(word, rule)| {
        let number = || rule.as_u64().unwrap() as usize;
        match word.as_str() {
            "$schema" | "title" | "description" | "default" | "properties" => true,
            "type" => match rule.as_str().unwrap() {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "integer" => value.is_i64() || value.is_u64(),
                other => panic!("type {other}"),
            },
            "enum" => rule.as_array().unwrap().contains(value),
            "minimum" => value.as_i64().is_none_or(|n| n >= rule.as_i64().unwrap()),
            "maximum" => value.as_i64().is_none_or(|n| n <= rule.as_i64().unwrap()),
            "minLength" => value.as_str().is_none_or(|text| text.len() >= number()),
            "maxLength" => value.as_str().is_none_or(|text| text.len() <= number()),
            "minItems" => value.as_array().is_none_or(|items| items.len() >= number()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() <= number()),
            "maxProperties" => value
                .as_object()
                .is_none_or(|fields| fields.len() <= number()),
            "items" => value
                .as_array()
                .is_none_or(|items| items.iter().all(|item| is_valid(item, rule))),
            "propertyNames" => value.as_object().is_none_or(|fields| {
                fields
                    .keys()
                    .all(|name| is_valid(&name.as_str().into(), rule))
            }),
            "additionalProperties" => value.as_object().is_none_or(|fields| {
                fields.iter().all(|(name, field)| {
                    match schema.get("properties").and_then(|known| known.get(name)) {
                        Some(property) => is_valid(field, property),
                        None => rule.as_bool().unwrap_or_else(|| is_valid(field, rule)),
                    }
                })
            }),
            other => panic!("{other} is not checked"),
        }
    })
}

#[test]
fn the_settings_of_this_repository_are_valid() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert!(root.join(CONFIG_FILE).is_file());
    assert_eq!(Config::load(&root).unwrap().notes, [""; 0]);
}

#[test]
fn invalid_settings_files_are_refused() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(Config::load(root.path()).unwrap(), Config::default());

    std::fs::create_dir_all(root.path().join(CONFIG_FILE)).unwrap();
    assert!(matches!(
        Config::load(root.path()),
        Err(ConfigError::NotAFile)
    ));

    let tolerant = Config::load_tolerantly(root.path());
    assert!(tolerant.notes[0].ends_with("using the default settings"));
    assert_eq!(
        Config {
            notes: Vec::new(),
            ..tolerant
        },
        Config::default()
    );

    std::fs::remove_dir(root.path().join(CONFIG_FILE)).unwrap();
    std::fs::write(root.path().join(CONFIG_FILE), b"{\"\xff\"").unwrap();
    assert!(matches!(Config::load(root.path()), Err(ConfigError::Io(_))));
}

#[cfg(unix)]
#[test]
fn a_linked_settings_folder_is_not_followed() {
    let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(
        outside.path().join("config.json"),
        r#"{"auths": {}, "exclude": ["**"]}"#,
    )
    .unwrap();

    std::os::unix::fs::symlink(outside.path(), root.path().join(".codeagent")).unwrap();
    assert!(matches!(Config::load(root.path()), Err(ConfigError::Link)));

    let tolerant = Config::load_tolerantly(root.path());
    assert!(
        tolerant.notes[0].contains(".codeagent is a link") && !tolerant.notes[0].contains("auths"),
        "{:?}",
        tolerant.notes
    );

    assert_eq!(
        Config {
            notes: Vec::new(),
            ..tolerant
        },
        Config::default()
    );
}
