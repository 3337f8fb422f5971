//! Expansion of MSBuild expressions: `$(RepoRoot)src\$(Name.Replace('.', '/'))`.
//!
//! Limitations: item metadata (`%(Filename)`), item transforms (`@(X->'..')`), the registry and
//! functions outside `functions.rs` are unknown, and so is an expression that contains one; the
//! caller decides what that means (a condition is false, a property empty). The environment is
//! empty.

use codeagent_lang::project::paths::{self, PathIndex, ROOT};
use rustc_hash::FxHashMap;

use crate::project::functions::{self, PropertyValue};

/// Deepest nesting of `$(..)`; deeper ones are unknown.
const MAX_DEPTH: u32 = 24;
/// Longest value; a longer one is unknown, because properties that double themselves would fill the
/// memory.
const MAX_LENGTH: usize = 1 << 18;

/// The properties of one evaluation. Names are compared without regard to case.
#[derive(Debug, Default)]
pub(super) struct Properties {
    values: FxHashMap<String, String>,
    globals: FxHashMap<String, String>,
}

impl Properties {
    /// Returns the value of a property; empty if it has none.
    pub(super) fn get(&self, name: &str) -> &str {
        let name = name.to_ascii_lowercase();
        self.globals
            .get(&name)
            .or_else(|| self.values.get(&name))
            .map_or("", String::as_str)
    }

    /// Sets a property as a project file does: global properties keep their value.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.values
            .insert(name.to_ascii_lowercase(), value.to_owned());
    }

    /// Sets a property if it is empty.
    pub(super) fn set_default(&mut self, name: &str, value: &str) {
        if self.get(name).is_empty() {
            self.set(name, value);
        }
    }

    /// Sets a property as the command line does.
    pub(super) fn set_global(&mut self, name: &str, value: &str) {
        self.globals
            .insert(name.to_ascii_lowercase(), value.to_owned());
    }

    /// Reports whether a property is `true` (or `enable`).
    pub(super) fn is_true(&self, name: &str) -> bool {
        let value = self.get(name).trim();
        value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("enable")
    }

    /// Reports whether a property is `false`.
    pub(super) fn is_false(&self, name: &str) -> bool {
        self.get(name).trim().eq_ignore_ascii_case("false")
    }

    /// Sets the properties that describe the file being read.
    pub(super) fn enter_file(&mut self, path: &str) {
        let folder = rooted_folder(paths::folder_of(path));
        self.set("MSBuildThisFile", paths::file_name(path));
        self.set("MSBuildThisFileName", paths::stem(path));
        self.set("MSBuildThisFileFullPath", &format!("{ROOT}{path}"));
        self.set("MSBuildThisFileDirectory", &folder);
    }
}

/// Returns a folder as MSBuild writes it: rooted, with a trailing slash.
pub(super) fn rooted_folder(folder: &str) -> String {
    if folder.is_empty() {
        ROOT.to_owned()
    } else {
        format!("{ROOT}{folder}/")
    }
}

/// The properties and items that an expression can refer to.
#[derive(Clone, Copy)]
pub(super) struct PropertyScope<'e> {
    pub properties: &'e Properties,
    /// Identities of the items so far, by lower-case item name; absent while properties are
    /// evaluated.
    pub items: Option<&'e FxHashMap<String, Vec<String>>>,
    /// All files of the repository.
    pub files: &'e PathIndex<'e>,
    /// The folder to which relative paths refer.
    pub folder: &'e str,
}

impl PropertyScope<'_> {
    /// Expands an expression; `None` if part of it is unknown.
    pub(super) fn expand(&self, text: &str) -> Option<String> {
        self.expand_at(text, 0)
    }

    pub(super) fn expand_at(&self, text: &str, depth: u32) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }

        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['$', '@', '%']) {
            out.push_str(&rest[..at]);
            let tail = &rest[at..];
            let Some(inner) = tail.get(1..).filter(|inner| inner.starts_with('(')) else {
                out.push_str(&tail[..1]);
                rest = &tail[1..];
                continue;
            };

            let end = closing(inner)?;
            let body = &inner[1..end];
            match tail.as_bytes()[0] {
                b'$' => out.push_str(&self.property(body, depth)?.text()),
                b'@' => out.push_str(&self.item_list(body)?),
                _ => return None,
            }

            rest = &inner[end + 1..];
            if out.len() > MAX_LENGTH {
                return None;
            }
        }

        out.push_str(rest);
        (out.len() <= MAX_LENGTH).then_some(out)
    }

    fn item_list(&self, body: &str) -> Option<String> {
        let (name, separator) = body
            .split_once(',')
            .map_or((body, ";"), |(name, separator)| {
                (name, separator.trim().trim_matches('\''))
            });

        let items = self.items?;
        let name = name.trim().to_ascii_lowercase();
        if name.contains("->") {
            return None;
        }

        Some(
            items
                .get(&name)
                .map(|items| items.join(separator))
                .unwrap_or_default(),
        )
    }

    /// Evaluates the inside of `$( .. )`: a name or a static call, then any number of members.
    fn property(&self, body: &str, depth: u32) -> Option<PropertyValue> {
        let body = body.trim();
        let (mut value, mut rest) = if body.starts_with('[') {
            self.static_call(body, depth)?
        } else {
            let end = body
                .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
                .unwrap_or(body.len());
            (
                PropertyValue::Text(self.properties.get(&body[..end]).to_owned()),
                &body[end..],
            )
        };

        while !rest.is_empty() {
            if let Some(tail) = rest.strip_prefix('[') {
                let (index, tail) = tail.split_once(']')?;
                value = functions::element(&value, index.trim().parse().ok()?)?;
                rest = tail;
            } else {
                let tail = rest.strip_prefix('.')?;
                let (name, arguments, tail) = self.call(tail, depth)?;
                value = functions::member(&value, name, &arguments)?;
                rest = tail;
            }
        }

        Some(value)
    }

    fn static_call<'t>(&self, body: &'t str, depth: u32) -> Option<(PropertyValue, &'t str)> {
        let (class, rest) = body.strip_prefix('[')?.split_once(']')?;
        let (name, arguments, rest) = self.call(rest.strip_prefix("::")?, depth)?;
        Some((
            functions::static_member(class.trim(), name, &arguments, self)?,
            rest,
        ))
    }

    /// Parses `Name(arguments)` or `Name`; returns it and the rest.
    fn call<'t>(&self, text: &'t str, depth: u32) -> Option<(&'t str, Vec<String>, &'t str)> {
        let end = text
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        if !rest.starts_with('(') {
            return Some((name, Vec::new(), rest));
        }
        let close = closing(rest)?;
        let arguments = split_arguments(&rest[1..close])
            .into_iter()
            .map(|argument| self.expand_at(unquoted(argument), depth + 1));
        Some((name, arguments.collect::<Option<_>>()?, &rest[close + 1..]))
    }
}

/// Returns the index of the parenthesis that closes the one at the start of `text`, skipping quoted
/// ones.
pub(super) fn closing(text: &str) -> Option<usize> {
    let mut open = 0_u32;
    let mut quote: Option<u8> = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(q), _) if q == byte => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"' | b'`') => quote = Some(byte),
            (None, b'(') => open += 1,
            (None, b')') => {
                open -= 1;
                if open == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }

    None
}

fn split_arguments(text: &str) -> Vec<&str> {
    if text.trim().is_empty() {
        return Vec::new();
    }

    let (mut open, mut from, mut quote) = (0_i32, 0, None);
    let mut arguments = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(q), _) if q == byte => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"' | b'`') => quote = Some(byte),
            (None, b'(') => open += 1,
            (None, b')') => open -= 1,
            (None, b',') if open == 0 => {
                arguments.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }

    arguments.push(&text[from..]);
    arguments
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    for quote in ['\'', '"', '`'] {
        if let Some(inner) = text
            .strip_prefix(quote)
            .and_then(|inner| inner.strip_suffix(quote))
        {
            return inner;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> Option<String> {
        let mut properties = Properties::default();
        properties.set("Name", "Acme.Core");
        properties.set("TargetFramework", "net8.0");
        properties.set("Version", "1.2-rc");
        properties.set_global("Configuration", "Release");
        properties.set("configuration", "Debug");
        properties.enter_file("src/eng/Common.props");
        let files = PathIndex::new(["Directory.Build.props", "src/eng/Common.props"].into_iter());
        let items =
            FxHashMap::from_iter([("friend".to_owned(), vec!["A".to_owned(), "B".to_owned()])]);

        PropertyScope {
            properties: &properties,
            items: Some(&items),
            files: &files,
            folder: "src",
        }
        .expand(text)
    }

    #[test]
    fn property_expressions_are_expanded() {
        let cases = [
            ("a$(name)b", "aAcme.Coreb"),
            ("$(Missing)", ""),
            ("$(Configuration)", "Release"),
            ("100% $5 @home", "100% $5 @home"),
            ("$(MSBuildThisFileDirectory)..", "/_/src/eng/.."),
            ("$(Name.Replace('.', '/'))", "Acme/Core"),
            ("$(Name.ToUpperInvariant().Substring(0, 4))", "ACME"),
            ("$(Version.Split('-')[1])", "rc"),
            ("$(Name.Contains(`Core`))", "True"),
            ("$(Name.StartsWith('$(Missing)Ac'))", "True"),
            ("$([System.IO.Path]::Combine('a', 'b', 'c'))", "a/b/c"),
            (
                "$([MSBuild]::GetTargetFrameworkIdentifier($(TargetFramework)))",
                ".NETCoreApp",
            ),
            (
                "$([MSBuild]::IsTargetFrameworkCompatible('$(TargetFramework)', 'net6.0'))",
                "True",
            ),
            (
                "$([MSBuild]::GetPathOfFileAbove('Directory.Build.props', '$(MSBuildThisFileDirectory)../'))",
                "/_/Directory.Build.props",
            ),
            (
                "$([MSBuild]::GetDirectoryNameOfFileAbove($(MSBuildThisFileDirectory), 'Directory.Build.props'))",
                "/_/",
            ),
            ("$([MSBuild]::IsOSPlatform('Windows'))", "False"),
            ("$([System.String]::IsNullOrEmpty('$(Missing)'))", "True"),
            ("@(Friend)", "A;B"),
        ];

        for (text, expected) in cases {
            assert_eq!(expand(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn unsupported_expressions_do_not_expand() {
        for text in [
            "%(Filename)",
            "$(Name",
            "$([System.Guid]::NewGuid())",
            "$(Name.Frobnicate())",
            "@(X->'%(Identity)')",
            "$(Name)$(Name.Split('.')[7])",
        ] {
            assert_eq!(expand(text), None, "{text}");
        }

        let deep = format!(
            "{}{}",
            "$(Name.Replace('a', ".repeat(5_000),
            "))".repeat(5_000)
        );

        assert_eq!(expand(&deep), None);
    }
}
