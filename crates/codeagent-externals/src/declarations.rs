//! Packs TypeScript's libraries, `lib.*.d.ts`, into one blob.
//!
//! Comments are dropped, white space is reduced, and declarations are split into members, so that a
//! reader can select members by name.
//!
//! Limitations: splits at semicolons and braces, which suffices for TypeScript's own library files.
//! The reader parses the texts.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use codeagent_typescript::stdlib::dts_bundle::{Declaration, words};
use codeagent_typescript::stdlib::javascript::LibraryBundleWriter;

/// Packs declaration files, given by library name (`es5`, `dom.iterable`) and text, into a blob.
///
/// # Errors
/// Returns an error that names a library with a reference to a missing one.
pub fn blob(files: &BTreeMap<String, String>) -> Result<(Vec<u8>, LibraryBundleWriter)> {
    let mut packer = LibraryBundleWriter::default();
    let mut order: Vec<&str> = Vec::new();

    for name in files.keys() {
        put_in_order(name, files, &mut order)
            .with_context(|| format!("{name} refers to what is not there"))?;
    }

    for name in order {
        let text = &files[name];
        packer.library(name, references(text));
        for statement in global_statements(&stripped(text)) {
            let declaration = declaration(&statement)
                .with_context(|| format!("{name}: nothing is declared by `{statement:.60}`"))?;
            packer.add(declaration);
        }
    }

    Ok((packer.finish(), packer))
}

/// Orders a library after those it references.
fn put_in_order<'f>(
    name: &str,
    files: &'f BTreeMap<String, String>,
    order: &mut Vec<&'f str>,
) -> Option<()> {
    let (name, text) = files.get_key_value(name)?;
    for reference in references(text) {
        put_in_order(&reference, files, order)?;
    }
    if !order.contains(&name.as_str()) {
        order.push(name);
    }
    Some(())
}

/// Returns the library name of a file: `es2015.core` for `lib.es2015.core.d.ts`. The default
/// library of a target is called `TARGET.full`.
#[must_use]
pub fn library(file: &str) -> Option<String> {
    match file {
        "lib.d.ts" => Some("es5.full".to_owned()),
        "lib.es6.d.ts" => Some("es2015.full".to_owned()),
        _ => Some(file.strip_prefix("lib.")?.strip_suffix(".d.ts")?.to_owned()),
    }
}

/// Returns the libraries that a file references: `/// <reference lib="es5" />`.
fn references(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .filter(|line| line.starts_with("/// <reference lib="));
    lines
        .filter_map(|line| line.split('"').nth(1))
        .map(str::to_ascii_lowercase)
        .collect()
}

/// Removes comments and reduces each run of white space to one space.
pub(crate) fn stripped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() / 3);
    let mut rest = text;

    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' | '`' => quoted(rest, first),
            _ if first.is_whitespace() => rest
                .find(|other: char| !other.is_whitespace())
                .unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };

        let (token, after) = rest.split_at(length);
        let is_gap = first.is_whitespace() || token.starts_with("/*") || token.starts_with("//");

        if !is_gap {
            // The text of a template may contain line endings within `${}`.
            out.push_str(&token.replace('\n', " "));
        } else if !out.ends_with(' ') && !out.is_empty() {
            out.push(' ');
        }

        rest = after;
    }
    out.trim_end().to_owned()
}

/// Returns the length of the string at the start of a text.
pub(crate) fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, other) in text.char_indices().skip(1) {
        if other == quote && !is_escaped {
            return at + other.len_utf8();
        }
        is_escaped = other == '\\' && !is_escaped;
    }
    text.len()
}

/// Splits a text without comments into statements, or a body into members.
pub(crate) fn statements(text: &str) -> Vec<&str> {
    let mut all = Vec::new();

    let (mut depth, mut start, mut at) = (0_usize, 0, 0);
    while let Some(next) = text[at..].chars().next() {
        let mut length = next.len_utf8();
        let mut ends = false;

        match next {
            '"' | '\'' | '`' => length = quoted(&text[at..], next),
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => {
                depth = depth.saturating_sub(1);
                let after = text[at + 1..].trim_start();
                // These braces belong to type parameters or arguments of the head.
                let is_in_head = after.starts_with(['>', ',', '=', '|', '&', '[']);
                ends = next == '}'
                    && depth == 0
                    && !is_in_head
                    && is_block(text[start..].trim_start());
            }
            ';' => ends = depth == 0,
            _ => {}
        }

        at += length;
        if ends {
            all.push(text[start..at].trim());
            start = at;
        }
    }

    all.push(text[start..].trim());
    all.retain(|statement| !statement.is_empty() && *statement != ";");
    all
}

/// Modifiers that may precede the declared name.
const MODIFIERS: &[&str] = &[
    "export",
    "declare",
    "abstract",
    "private",
    "protected",
    "public",
    "override",
    "static",
    "readonly",
    "default",
    "get",
    "set",
];

/// Reports whether a statement ends with its body.
fn is_block(statement: &str) -> bool {
    let mut words = statement
        .split_whitespace()
        .skip_while(|word| MODIFIERS.contains(word));
    match words.next() {
        Some("interface" | "namespace" | "class" | "module" | "enum" | "global") => true,
        Some("const") => words.next() == Some("enum"),
        _ => false,
    }
}

/// Returns the global declarations of a file; for a module, those in `declare global`.
fn global_statements(text: &str) -> Vec<String> {
    let all = statements(text);
    if !all.iter().any(|statement| statement.starts_with("export ")) {
        return all.into_iter().map(str::to_owned).collect();
    }
    let bodies = all.iter().filter_map(|statement| {
        statement
            .strip_prefix("declare global {")?
            .strip_suffix('}')
    });
    bodies
        .flat_map(statements)
        .map(|statement| format!("declare {statement}"))
        .collect()
}

/// Splits a statement into the members of its declaration.
pub(crate) fn declaration(statement: &str) -> Option<Declaration> {
    let mut words = words(statement);
    let keyword = words.find(|word| !MODIFIERS.contains(word))?;

    if ![
        "interface",
        "namespace",
        "class",
        "type",
        "var",
        "let",
        "const",
        "function",
        "enum",
    ]
    .contains(&keyword)
    {
        return None;
    }

    // `const enum`
    let name = words.find(|word| *word != "enum")?.to_owned();

    let whole = || vec![(None, statement.to_owned())];
    // Only these declarations are split. Types in a function or an alias have no members, and
    // members of a namespace refer to each other.
    let opening = body(statement).filter(|_| ["interface", "class", "var"].contains(&keyword));

    let parts = match opening.and_then(|opening| Some((opening, statement.rfind('}')?))) {
        Some((opening, closing)) => {
            let members = statements(&statement[opening + 1..closing]).into_iter();
            let members = members.map(|member| (member_name(member), member.to_owned()));
            let (head, tail) = (
                statement[..=opening].to_owned(),
                statement[closing..].to_owned(),
            );
            std::iter::once((None, head))
                .chain(members)
                .chain([(None, tail)])
                .collect()
        }
        None => whole(),
    };

    Some(Declaration {
        name,
        imports: Vec::new(),
        parts,
    })
}

/// Returns the opening brace of a statement's body, the last one: earlier ones may be in the bound
/// of a type parameter.
fn body(statement: &str) -> Option<usize> {
    let (mut open, mut last, mut at) = (Vec::new(), None, 0);
    while let Some(next) = statement[at..].chars().next() {
        match next {
            '"' | '\'' | '`' => at += quoted(&statement[at..], next) - next.len_utf8(),
            '{' => open.push(at),
            '}' => last = open.pop(),
            _ => {}
        }
        at += next.len_utf8();
    }
    last
}

/// Returns the name of a member; `None` for a signature.
fn member_name(member: &str) -> Option<String> {
    let rest = MODIFIERS.iter().fold(member, |rest, word| {
        let after = rest
            .strip_prefix(word)
            .and_then(|after| after.strip_prefix(' '));
        after
            .filter(|after| after.starts_with(|c: char| c.is_alphabetic() || "_$[\"".contains(c)))
            .unwrap_or(rest)
    });

    match rest.chars().next()? {
        '"' => rest[1..].split('"').next().map(str::to_owned),
        '[' => {
            let key = &rest[..rest.find(']')? + 1];
            (!key.contains(':') && !key.contains(" in ")).then(|| key.to_owned())
        }
        first if first.is_alphanumeric() || "_$".contains(first) => {
            let name = rest
                .split(|c: char| !(c.is_alphanumeric() || "_$".contains(c)))
                .next()?;
            // `new (..)` is a construct signature; no library has a method called `new`.
            (name != "new").then(|| name.to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(statement: &str) -> Vec<(Option<String>, String)> {
        declaration(statement).unwrap_or_default().parts
    }

    #[test]
    fn comments_and_whitespace_are_removed_outside_strings() {
        let text = "/*! notice */\n/// <reference lib=\"es5\" />\ndeclare  var a: \"// no /* comment\"; // b\n\ninterface B { /** c */ d: 1; }";
        assert_eq!(
            stripped(text),
            "declare var a: \"// no /* comment\"; interface B { d: 1; }"
        );
        assert_eq!(references(text), ["es5"]);
        assert_eq!(
            statements(&stripped(text)),
            [
                "declare var a: \"// no /* comment\";",
                "interface B { d: 1; }"
            ]
        );
    }

    #[test]
    fn interfaces_are_split_at_members() {
        let parts = cut(
            "interface A<T> extends B { readonly c: T; d(e: { f: 1; }): void; new (g: T): A<T>; (h: T): T; [i: string]: T; [Symbol.j]: T; \"k\": T; get: T; }",
        );

        let names: Vec<Option<&str>> = parts.iter().map(|part| part.0.as_deref()).collect();
        let wanted = [
            None,
            Some("c"),
            Some("d"),
            None,
            None,
            None,
            Some("[Symbol.j]"),
            Some("k"),
            Some("get"),
            None,
        ];

        assert_eq!(names, wanted);
    }

    #[test]
    fn namespace_members_are_kept_together() {
        assert_eq!(
            cut("declare namespace A { interface B { c: 1; } var d: B; }").len(),
            1
        );
        assert_eq!(cut("declare function a(b: { c: 1; }): void;").len(), 1);
        assert_eq!(cut("type A = { b: 1; };").len(), 1);
    }

    #[test]
    fn only_global_statements_of_a_module_are_bundled() {
        let text = "export {}; declare class A { b(): void; } declare global { interface C { d: 1; } var e: C; }";
        assert_eq!(
            global_statements(text),
            ["declare interface C { d: 1; }", "declare var e: C;"]
        );
    }

    #[test]
    fn a_missing_library_file_is_named() {
        let files = BTreeMap::from([("a".to_owned(), "/// <reference lib=\"b\" />".to_owned())]);
        assert!(blob(&files).is_err());
    }
}
