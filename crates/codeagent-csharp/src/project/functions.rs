//! MSBuild property functions: `$([MSBuild]::GetPathOfFileAbove('x.props'))`,
//! `$(Name.EndsWith('Tests'))`.
//!
//! Limitations: supports only the functions with which project files find files and compare names,
//! frameworks and versions. Others are unknown (`None`). Nothing is executed and no file is read.

use std::cmp::Ordering;

use codeagent_lang::project::paths::{self, ROOT};

use crate::project::frameworks::Framework;
use crate::project::properties::{PropertyScope, rooted_folder};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PropertyValue {
    /// A string; also numbers and truth values.
    Text(String),
    /// The result of `Split`.
    List(Vec<String>),
}

impl PropertyValue {
    /// Formats the value as MSBuild does.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(parts) => parts.join(";"),
        }
    }
}

/// Evaluates `value[index]`.
pub(super) fn element(value: &PropertyValue, index: usize) -> Option<PropertyValue> {
    match value {
        PropertyValue::Text(text) => text
            .chars()
            .nth(index)
            .map(|c| PropertyValue::Text(c.to_string())),
        PropertyValue::List(parts) => parts.get(index).cloned().map(PropertyValue::Text),
    }
}

/// Evaluates `value.Name(arguments)`.
pub(super) fn member(
    value: &PropertyValue,
    name: &str,
    arguments: &[String],
) -> Option<PropertyValue> {
    let text = match value {
        PropertyValue::Text(text) => text.as_str(),
        PropertyValue::List(parts) => {
            return matches!(name, "Length" | "Count")
                .then(|| PropertyValue::Text(parts.len().to_string()));
        }
    };

    let first = arguments.first().map(String::as_str);
    Some(match name {
        "StartsWith" => truth(text.starts_with(first?)),
        "EndsWith" => truth(text.ends_with(first?)),
        "Contains" => truth(text.contains(first?)),
        "Equals" => truth(text == first?),
        "Length" => PropertyValue::Text(text.len().to_string()),
        "IndexOf" => PropertyValue::Text(
            text.find(first?)
                .map_or_else(|| "-1".to_owned(), |at| at.to_string()),
        ),
        "LastIndexOf" => PropertyValue::Text(
            text.rfind(first?)
                .map_or_else(|| "-1".to_owned(), |at| at.to_string()),
        ),
        "Replace" => PropertyValue::Text(replaced(text, first?, arguments.get(1)?)?),
        "ToLower" | "ToLowerInvariant" => PropertyValue::Text(text.to_lowercase()),
        "ToUpper" | "ToUpperInvariant" => PropertyValue::Text(text.to_uppercase()),
        "ToString" => PropertyValue::Text(text.to_owned()),
        "Trim" => PropertyValue::Text(text.trim_matches(|c| is_trimmed(c, first)).to_owned()),
        "TrimStart" => {
            PropertyValue::Text(text.trim_start_matches(|c| is_trimmed(c, first)).to_owned())
        }
        "TrimEnd" => {
            PropertyValue::Text(text.trim_end_matches(|c| is_trimmed(c, first)).to_owned())
        }
        "Substring" => PropertyValue::Text(substring(text, arguments)?),
        "Split" => split(text, first.unwrap_or(" ")),
        _ => return None,
    })
}

/// Evaluates `[Class]::Name(arguments)`.
pub(super) fn static_member(
    class: &str,
    name: &str,
    arguments: &[String],
    scope: &PropertyScope<'_>,
) -> Option<PropertyValue> {
    match class.to_ascii_lowercase().as_str() {
        "msbuild" => {
            framework_function(name, arguments).or_else(|| intrinsic(name, arguments, scope))
        }
        "system.io.path" => path_function(name, arguments, scope),
        "system.io.file" | "system.io.directory" if name == "Exists" => {
            Some(truth(exists(scope, arguments.first()?)))
        }
        "system.io.directory" if name == "GetParent" => {
            Some(PropertyValue::Text(parent(arguments.first()?).to_owned()))
        }

        "system.string" | "string" => match name {
            "IsNullOrEmpty" => Some(truth(arguments.first()?.is_empty())),
            "IsNullOrWhiteSpace" => Some(truth(arguments.first()?.trim().is_empty())),
            "Equals" => Some(truth(arguments.first()? == arguments.get(1)?)),
            "Copy" | "new" => Some(PropertyValue::Text(arguments.first()?.clone())),
            "Concat" => Some(PropertyValue::Text(arguments.concat())),
            _ => None,
        },

        "system.environment" => match name {
            "GetEnvironmentVariable" => Some(PropertyValue::Text(String::new())),
            "NewLine" => Some(PropertyValue::Text("\n".to_owned())),
            _ => None,
        },
        _ => None,
    }
}

/// Reports whether a file or folder exists in the repository or in the SDK.
pub(super) fn exists(scope: &PropertyScope<'_>, path: &str) -> bool {
    !path.trim().is_empty()
        && (path.starts_with(SDK)
            || paths::join(scope.folder, path).is_some_and(|path| scope.files.exists(&path)))
}

/// The value of the properties that name MSBuild's own folders.
pub(super) const SDK: &str = "/msbuild/";

fn truth(value: bool) -> PropertyValue {
    PropertyValue::Text(if value { "True" } else { "False" }.to_owned())
}

fn is_trimmed(c: char, set: Option<&str>) -> bool {
    set.map_or_else(|| c.is_whitespace(), |set| set.contains(c))
}

/// Replaces all occurrences; `None` if the result would be too long.
fn replaced(text: &str, from: &str, to: &str) -> Option<String> {
    if from.is_empty() {
        return Some(text.to_owned());
    }
    let growth = text.matches(from).count().saturating_mul(to.len());
    (growth < 1 << 18).then(|| text.replace(from, to))
}

fn substring(text: &str, arguments: &[String]) -> Option<String> {
    let from: usize = arguments.first()?.trim().parse().ok()?;
    let length: usize = match arguments.get(1) {
        Some(length) => length.trim().parse().ok()?,
        None => text.len().checked_sub(from)?,
    };
    text.get(from..from.checked_add(length)?).map(str::to_owned)
}

fn split(text: &str, separators: &str) -> PropertyValue {
    PropertyValue::List(
        text.split(|c| separators.contains(c))
            .map(str::to_owned)
            .collect(),
    )
}

fn framework_function(name: &str, arguments: &[String]) -> Option<PropertyValue> {
    let framework = || Framework::parse(arguments.first().map_or("", String::as_str));

    Some(match name {
        "IsTargetFrameworkCompatible" => {
            truth(framework().is_compatible_with(&Framework::parse(arguments.get(1)?)))
        }
        "GetTargetFrameworkIdentifier" => PropertyValue::Text(framework().identifier().to_owned()),
        "GetTargetFrameworkVersion" => PropertyValue::Text(framework().version_text()),
        "GetTargetPlatformIdentifier" => {
            PropertyValue::Text(framework().platform_name().to_owned())
        }
        "GetTargetPlatformVersion" => PropertyValue::Text(
            framework()
                .platform
                .trim_start_matches(framework().platform_name())
                .to_owned(),
        ),
        _ => return None,
    })
}

fn intrinsic(name: &str, arguments: &[String], scope: &PropertyScope<'_>) -> Option<PropertyValue> {
    let first = arguments.first()?.as_str();
    let second = arguments.get(1).map(String::as_str);
    let compared = |wanted: fn(Ordering) -> bool| {
        second.map(|second| truth(wanted(compare_versions(first, second))))
    };
    match name {
        "GetPathOfFileAbove" => {
            let start = paths::join(
                scope.folder,
                second.unwrap_or_else(|| scope.properties.get("MSBuildThisFileDirectory")),
            )?;

            Some(PropertyValue::Text(
                folder_above(scope, &start, first).map_or_else(String::new, |folder| {
                    format!("{}{first}", rooted_folder(folder))
                }),
            ))
        }
        "GetDirectoryNameOfFileAbove" => {
            let start = paths::join(scope.folder, first)?;
            Some(PropertyValue::Text(
                folder_above(scope, &start, second?).map_or_else(String::new, rooted_folder),
            ))
        }
        "IsOSPlatform" => Some(truth(first.eq_ignore_ascii_case("linux"))),
        "IsOSUnixLike" => Some(truth(true)),
        "ValueOrDefault" => Some(PropertyValue::Text(
            if first.is_empty() { second? } else { first }.to_owned(),
        )),
        "EnsureTrailingSlash" => Some(PropertyValue::Text(with_slash(first))),
        "NormalizePath" => Some(PropertyValue::Text(rooted(scope, &arguments.join("/"))?)),
        "NormalizeDirectory" => Some(PropertyValue::Text(with_slash(&rooted(
            scope,
            &arguments.join("/"),
        )?))),
        "MakeRelative" => Some(PropertyValue::Text(second?.strip_prefix(first)?.to_owned())),
        "Escape" | "Unescape" => Some(PropertyValue::Text(first.to_owned())),
        "VersionEquals" => compared(Ordering::is_eq),
        "VersionNotEquals" => compared(Ordering::is_ne),
        "VersionGreaterThan" => compared(Ordering::is_gt),
        "VersionGreaterThanOrEquals" => compared(Ordering::is_ge),
        "VersionLessThan" => compared(Ordering::is_lt),
        "VersionLessThanOrEquals" => compared(Ordering::is_le),
        _ => None,
    }
}

fn path_function(
    name: &str,
    arguments: &[String],
    scope: &PropertyScope<'_>,
) -> Option<PropertyValue> {
    let first = arguments.first()?.replace('\\', "/");
    Some(PropertyValue::Text(match name {
        "Combine" | "Join" => combined(arguments),
        "GetFullPath" => rooted(scope, &first)?,
        "GetDirectoryName" => parent(&first).to_owned(),

        "GetFileName" => paths::file_name(&first).to_owned(),
        "GetFileNameWithoutExtension" => paths::stem(&first).to_owned(),
        "GetExtension" => paths::file_name(&first)
            .rfind('.')
            .map_or(String::new(), |at| {
                paths::file_name(&first)[at..].to_owned()
            }),
        "IsPathRooted" => return Some(truth(first.starts_with('/'))),
        _ => return None,
    }))
}

fn combined(parts: &[String]) -> String {
    let mut out = String::new();
    for part in parts.iter().map(|part| part.replace('\\', "/")) {
        if part.starts_with('/') {
            out.clear();
        } else if !out.is_empty() && !out.ends_with('/') {
            out.push('/');
        }
        out.push_str(&part);
    }
    out
}

/// Returns the folder of a path without a trailing slash, except for the root.
fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(at) if at < ROOT.len() => &path[..=at],
        Some(at) => &path[..at],
        None => "",
    }
}

fn rooted(scope: &PropertyScope<'_>, path: &str) -> Option<String> {
    paths::join(scope.folder, path).map(|path| format!("{ROOT}{path}"))
}

fn with_slash(path: &str) -> String {
    if path.is_empty() || path.ends_with(['/', '\\']) {
        path.to_owned()
    } else {
        format!("{path}/")
    }
}

fn folder_above<'s>(scope: &PropertyScope<'_>, start: &'s str, name: &str) -> Option<&'s str> {
    paths::ancestors(start).find(|folder| {
        paths::join(folder, name).is_some_and(|path| scope.files.find(&path).is_some())
    })
}

/// Compares `17.8` and `v17.10` number by number.
pub(super) fn compare_versions(a: &str, b: &str) -> Ordering {
    let numbers = |text: &str| -> Vec<u64> {
        let text = text.trim().trim_start_matches(['v', 'V']);
        let mut numbers: Vec<u64> = text
            .split(['.', '-', '+'])
            .map_while(|part| part.parse().ok())
            .collect();
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        numbers
    };
    numbers(a).cmp(&numbers(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        for (a, b, expected) in [
            ("17.8", "17.10", Ordering::Less),
            ("v5.0", "5", Ordering::Equal),
            ("9.0.100", "9.0", Ordering::Greater),
        ] {
            assert_eq!(compare_versions(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn string_members_are_evaluated() {
        let text = |text: &str| PropertyValue::Text(text.to_owned());
        let call = |name: &str, arguments: &[&str]| {
            member(
                &text("a/b.cs"),
                name,
                &arguments
                    .iter()
                    .map(|a| (*a).to_owned())
                    .collect::<Vec<_>>(),
            )
        };

        assert_eq!(call("EndsWith", &[".cs"]), Some(text("True")));
        assert_eq!(call("TrimEnd", &["cs"]), Some(text("a/b.")));
        assert_eq!(call("Substring", &["9"]), None);
        assert_eq!(call("Substring", &["2", "1"]), Some(text("b")));
        assert_eq!(call("IndexOf", &["x"]), Some(text("-1")));
        assert_eq!(
            element(&call("Split", &["/."]).unwrap(), 1),
            Some(text("b"))
        );

        assert_eq!(parent("/_/x"), "/_/");
        assert_eq!(parent("/_/a/b"), "/_/a");
    }
}
