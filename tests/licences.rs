//! Is every dependency under a licence that `deny.toml` allows? `cargo test` asks this without
//! cargo-deny.
//!
//! **Limits.** Looks at the dependencies of the machine it runs on; takes each package's word for
//! its licence.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::process::Command;

use codeagent_workspace::{RepoPath, Workspace};
use serde_json::Value;

fn allowed() -> Vec<String> {
    let root = Workspace::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap();
    let text = root
        .read(&RepoPath::new("deny.toml").unwrap())
        .unwrap()
        .text;
    let list = text
        .split_once("allow = [")
        .and_then(|(_, rest)| rest.split_once(']'))
        .unwrap()
        .0;
    list.split(',')
        .map(|word| word.trim().trim_matches('"').to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Packages and their licences, ours left out.
fn dependencies() -> Vec<(String, String)> {
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--offline",
            "--filter-platform",
            host,
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|package| !package["source"].is_null());
    packages
        .map(|package| (text(&package["name"]), text(&package["license"])))
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Whether a licence expression can be met with the allowed licences.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let expression = expression.replace('/', " OR ");
    let expression = expression.trim();
    if let Some((left, right)) = split(expression, " OR ") {
        return is_met(left, allowed) || is_met(right, allowed);
    }
    if let Some((left, right)) = split(expression, " AND ") {
        return is_met(left, allowed) && is_met(right, allowed);
    }
    match expression
        .strip_prefix('(')
        .and_then(|inner| inner.strip_suffix(')'))
    {
        Some(inner) => is_met(inner, allowed),
        None => allowed.iter().any(|licence| licence == expression),
    }
}

/// Splits at the first operator that stands outside parentheses.
fn split<'a>(expression: &'a str, operator: &str) -> Option<(&'a str, &'a str)> {
    let outside =
        |at: usize| expression[..at].matches('(').count() == expression[..at].matches(')').count();
    let (at, _) = expression
        .match_indices(operator)
        .find(|(at, _)| outside(*at))?;
    Some((&expression[..at], &expression[at + operator.len()..]))
}

#[test]
fn all_dependencies_have_an_allowed_licence() {
    let (allowed, dependencies) = (allowed(), dependencies());
    assert!(allowed.len() > 3 && dependencies.len() > 50);
    let wrong: Vec<_> = dependencies
        .iter()
        .filter(|(_, licence)| !is_met(licence, &allowed))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn licence_expressions_are_understood() {
    let allowed = ["MIT".to_owned(), "Zlib".to_owned()];
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("", false),
        ("GPL-3.0 OR MIT", true),
        ("Apache-2.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        ("(GPL-3.0 OR MIT) AND Zlib", true),
        ("(GPL-3.0 OR MIT) AND Apache-2.0", false),
        ("Apache-2.0 WITH LLVM-exception", false),
    ] {
        assert_eq!(is_met(expression, &allowed), expected, "{expression}");
    }
}
