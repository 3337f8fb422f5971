//! Keys of texts in resources, and the code and markup that uses them.

use std::collections::BTreeSet;

use codeagent_lang::surroundings::{Around, AroundKind, Surroundings};
use codeagent_workspace::{Case, FileHits};

use super::matching::escaped;
use super::search::{
    MatchingFiles, ending, is_generated, matching_lines, may_use_keys, place, read, surroundings,
};
use super::{TextPlace, markup, search};
use crate::model::graph::Dialect;
use crate::query::dispatch::object_keys::is_of_name;
use crate::query::{Occurrences, QueryError, is_compound};
use crate::store::is_test_path;

/// Maximum number of uses of a key.
const MAX_USES: usize = 20;

/// Endings of the keys of plural forms.
const PLURALS: [&str; 6] = ["_zero", "_one", "_two", "_few", "_many", "_other"];

/// Attributes of XML that name an entry.
const KEY_ATTRIBUTES: [&str; 4] = ["Name", "name", "Key", "key"];

/// Number of texts beside another one by which an object literal is taken for a resource.
const MIN_TEXTS: usize = 3;

/// A key of a resource that has a text.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub key: String,
    pub at: (String, u32),
    pub others: usize,
    pub text: String,
}

/// The places that use a key.
#[derive(Default)]
pub(super) struct KeyUses {
    pub places: Vec<TextPlace>,
    /// Whether there may be more.
    pub is_cut: bool,
}

/// Returns the key of the text at an offset of a resource; `None` if nothing there is the text of a key.
pub(super) fn key_at(
    path: &str,
    text: &str,
    offset: usize,
    found: &Surroundings,
) -> Option<String> {
    let around = &found.around;
    let key = match ending(path).as_str() {
        "resx" | "resw" => {
            let [value, data, ..] = around.as_slice() else {
                return None;
            };
            let is_value = value.name == "value" && data.name == "data";
            attribute(data, text, "name").filter(|_| is_value)
        }
        "xml" => xml_key(around, text, offset),
        "json" => around.first().map(|one| one.name.clone()),
        "xaml" | "axaml" => {
            let element = around.first()?;
            let is_content = !element.span.contains(&offset);
            attribute(element, text, "x:Key").filter(|_| is_content)
        }
        _ if Dialect::of_path(path).is_some() => object_key(around, text, offset),
        _ => None,
    };

    // A text of a list has no key.
    key.filter(|key| !key.is_empty())
}

/// Returns the key of a text in XML: the name of its element (`<string name="save">Save</string>`) or, if that is
/// its value, of the element around it (`<Resource Name="Save"><Value>Save</Value></Resource>`).
fn xml_key(around: &[Around], text: &str, offset: usize) -> Option<String> {
    let element = around.first()?;
    if element.parts.iter().any(|part| part.span.contains(&offset)) {
        return None;
    }
    let entry = match element.name.eq_ignore_ascii_case("value") {
        true => around.get(1)?,
        false => element,
    };
    KEY_ATTRIBUTES
        .iter()
        .find_map(|name| attribute(entry, text, name))
}

/// Returns the value of an element's attribute.
pub(super) fn attribute(element: &Around, text: &str, name: &str) -> Option<String> {
    let part = element.parts.iter().find(|part| part.name == name)?;
    markup::value(text.get(part.span.clone())?).map(str::to_owned)
}

/// Returns the path of keys of a text in nested object literals that hold nothing but texts.
fn object_key(around: &[Around], text: &str, offset: usize) -> Option<String> {
    let objects = || around.iter().filter(|one| one.kind == AroundKind::Object);
    let innermost = around
        .first()
        .filter(|one| one.kind == AroundKind::Object)?;
    let is_text = |part: &str| part.trim_end().ends_with(['"', '\'', '`']);
    let texts = innermost.parts.iter();
    let texts = texts.filter(|part| text.get(part.span.clone()).is_some_and(is_text));
    if texts.count() < innermost.parts.len().max(MIN_TEXTS) {
        return None;
    }

    let mut keys = Vec::new();
    for object in objects() {
        let mut parts = object.parts.iter();
        let part = parts.find(|part| part.span.contains(&offset))?;
        keys.push(part.name.trim_matches(['"', '\'']));
    }
    keys.reverse();
    Some(keys.join("."))
}

/// Returns the string at an offset of a JSON text, with the path of its keys as the name of what contains it.
pub(super) fn json_text(text: &str, offset: usize) -> Surroundings {
    let mut path: Vec<String> = Vec::new();
    let mut key = String::new();
    let mut at = 0;
    let bytes = text.as_bytes();

    while at < bytes.len() && at <= offset {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                let string = text.get(at + 1..end).unwrap_or_default();
                let is_key = text[(end + 1).min(text.len())..]
                    .trim_start()
                    .starts_with(':');
                if is_key {
                    string.clone_into(&mut key);
                } else if (at..end).contains(&offset) {
                    return json_string(string, &path, &key);
                }
                at = end;
            }
            b'{' | b'[' => path.push(std::mem::take(&mut key)),
            b'}' | b']' => {
                path.pop();
            }
            _ => {}
        }
        at += 1;
    }

    Surroundings::default()
}

fn json_string(string: &str, path: &[String], key: &str) -> Surroundings {
    let keys = path.iter().map(String::as_str).chain([key]);
    let keys: Vec<&str> = keys.filter(|key| !key.is_empty()).collect();
    let object = Around {
        kind: AroundKind::Object,
        name: keys.join("."),
        span: 0..0,
        parts: Vec::new(),
        has_other_texts: false,
    };
    Surroundings {
        text: Some(string.replace("\\n", " ").replace('\\', "")),
        around: vec![object],
    }
}

/// Returns the offset of the quotation mark that ends a JSON string.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

/// Merges the definitions of one key in several languages.
pub(super) fn grouped(definitions: Vec<Definition>) -> Vec<Definition> {
    let mut groups: Vec<Definition> = Vec::new();
    let mut definitions = definitions;
    definitions.retain(|one| !is_test_path(&one.at.0));
    definitions.sort_by_cached_key(|one| (!is_original(&one.at.0), one.at.0.len(), one.at.clone()));
    for one in definitions {
        let known = groups
            .iter_mut()
            .find(|known| known.key == one.key && family(&known.at.0) == family(&one.at.0));
        match known {
            Some(known) => known.others += 1,
            None => groups.push(one),
        }
    }
    groups
}

/// Reports whether a file has no code of a language, or that of English: `Strings.resx`, `en-US/app.json`.
fn is_original(path: &str) -> bool {
    if ending(path) == "resx" && path.len() == family(path).len() + ".resx".len() {
        return true;
    }
    let mut parts = path.split(['/', '.', '_', '-']);
    parts.any(|part| part.eq_ignore_ascii_case("en"))
}

/// Returns what the files of one resource in all languages have in common: `Strings` of `Strings.de.resx`.
fn family(path: &str) -> &str {
    if !ending(path).starts_with("res") {
        return "";
    }
    let folder = path.rfind('/').map_or(0, |at| at + 1);
    let end = path[folder..]
        .find('.')
        .map_or(path.len(), |at| folder + at);
    &path[..end]
}

/// Finds the source and markup that may use some keys, in one search.
pub(super) fn files_with(
    occurrences: &Occurrences<'_, '_>,
    definitions: &[Definition],
) -> Result<MatchingFiles, QueryError> {
    let parts: BTreeSet<&str> = definitions.iter().map(searched_part).collect();
    let parts: Vec<String> = parts
        .iter()
        .map(|part| part.chars().map(escaped).collect())
        .collect();
    search::matching_files(occurrences, &parts.join("|"), Case::Sensitive, may_use_keys)
}

/// Returns the part of a key that all its uses have.
fn searched_part(definition: &Definition) -> &str {
    let key = definition.key.as_str();
    match ending(&definition.at.0).as_str() {
        "resx" | "resw" => key.rsplit_once('.').map_or(key, |(control, _)| control),
        "xaml" | "axaml" => key,
        _ => {
            let key = without_plural(key);
            key.rsplit('.').find(|part| !part.is_empty()).unwrap_or(key)
        }
    }
}

/// Returns a key without the ending of a plural form.
fn without_plural(key: &str) -> &str {
    let mut plurals = PLURALS.iter();
    plurals
        .find_map(|ending| key.strip_suffix(ending))
        .unwrap_or(key)
}

/// Finds the places in some files that use a key.
pub(super) fn uses(
    occurrences: &mut Occurrences<'_, '_>,
    matching: &MatchingFiles,
    definition: &Definition,
) -> Result<KeyUses, QueryError> {
    let (path, key) = (definition.at.0.as_str(), definition.key.as_str());
    match ending(path).as_str() {
        "resx" | "resw" => of_resource(occurrences, matching, path, key),
        "xaml" | "axaml" => find(occurrences, matching, key, |_, before, after| {
            let is_start = before.ends_with(['"', '\'', ' ', '}']);
            let is_definition = before.ends_with("x:Key=\"");
            is_start && !is_definition && after.starts_with(['"', '\'', '}', ','])
        }),
        _ => of_path(occurrences, matching, definition),
    }
}

/// Finds the uses of the path of a key in translations: `t("settings.delete")`, or the end of it where the file
/// names its beginning.
fn of_path(
    occurrences: &mut Occurrences<'_, '_>,
    matching: &MatchingFiles,
    definition: &Definition,
) -> Result<KeyUses, QueryError> {
    let mut key = without_plural(&definition.key);
    if key == definition.text {
        return Ok(KeyUses::default());
    }

    // The file may be the beginning of the path, or its namespace: `general.create`,
    // `general:create`.
    let file = definition.at.0.rsplit('/').next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or_default();
    let namespaces = [format!("{stem}."), format!("{stem}:")];
    let found = find(occurrences, matching, key, |_, before, after| {
        let is_below = namespaces.iter().any(|namespace| {
            let before = before.strip_suffix(namespace.as_str());
            before.is_some_and(|before| before.ends_with(['.', ':', '"', '\'', '`']))
        });
        is_below && after.starts_with(['"', '\'', '`'])
    })?;
    if !found.places.is_empty() {
        return Ok(found);
    }

    let mut beginning = String::new();
    loop {
        let is_whole = beginning.is_empty();
        let quoted = ['"', '\'', '`'].map(|quote| format!("{quote}{beginning}"));
        let found = find(occurrences, matching, key, |text, before, after| {
            let is_named = is_whole || quoted.iter().any(|start| text.contains(start));
            is_named && uses_path(before, after, key)
        })?;
        let is_next = |(_, rest): &(&str, &str)| found.places.is_empty() && !rest.is_empty();
        let Some((first, rest)) = key.split_once('.').filter(is_next) else {
            return Ok(found);
        };
        if !beginning.is_empty() {
            beginning.push('.');
        }
        beginning.push_str(first);
        key = rest;
    }
}

/// Finds the places that compute a key from its beginning, the longest one that any has:
/// `` t(`errors.${code}`) ``, `T("errors." + code)`.
pub(super) fn computed(
    occurrences: &mut Occurrences<'_, '_>,
    key: &str,
) -> Result<KeyUses, QueryError> {
    let beginnings = beginnings(key);
    let escaped_parts = beginnings
        .iter()
        .map(|part| part.chars().map(escaped).collect::<String>());
    let parts: Vec<String> = escaped_parts.collect();
    if parts.is_empty() {
        return Ok(KeyUses::default());
    }
    let pattern = format!(r"(?:{})(?:\$?\{{|['\x22`]\s*\+)", parts.join("|"));
    let matching = search::matching_files(occurrences, &pattern, Case::Sensitive, may_use_keys)?;

    for beginning in beginnings {
        let found = find(occurrences, &matching, beginning, |_, before, after| {
            let is_start = before.ends_with(['"', '\'', '`', ':']);
            let rest = after.strip_prefix(['"', '\'']);
            let is_sum = rest.is_some_and(|rest| rest.trim_start().starts_with('+'));
            is_start && (is_sum || after.starts_with("${") || after.starts_with('{'))
        })?;
        if !found.places.is_empty() {
            return Ok(found);
        }
    }
    Ok(KeyUses::default())
}

/// Returns the beginnings of the path of a key at its seams, longest first: `errors.too` and `errors.` for
/// `errors.tooOld`.
fn beginnings(key: &str) -> Vec<&str> {
    let Some(first) = key.find('.') else {
        return Vec::new();
    };
    let ends = key.char_indices().filter(|(at, c)| {
        let is_seam = c.is_uppercase() || key[..*at].ends_with(['.', '_', '-']);
        is_seam && *at > first
    });
    let mut found: Vec<&str> = ends.map(|(at, _)| &key[..at]).collect();
    found.reverse();
    found
}

/// Reports whether the path of a key stands between two texts: as a string or, if it has several keys, as a
/// member.
fn uses_path(before: &str, after: &str, key: &str) -> bool {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`');
    let ends = after.strip_prefix(is_quote);
    let is_key = ends.is_some_and(|rest| rest.trim_start().starts_with(':'));
    if is_key || ends.is_some() && before.ends_with([':', '"', '\'', '`']) {
        return !is_key;
    }
    key.contains('.') && before.ends_with('.') && !after.starts_with(is_of_name)
}

/// Finds the uses of a key of `.resx` or `.resw`: `Strings.Save`, `Localizer["Save"]`, `x:Uid="Save"`, and the
/// control of a form for `save.Text`.
fn of_resource(
    occurrences: &mut Occurrences<'_, '_>,
    matching: &MatchingFiles,
    path: &str,
    key: &str,
) -> Result<KeyUses, QueryError> {
    let family = family(path);
    if let Some((control, _)) = key.rsplit_once('.') {
        let of_form = format!("{family}.");
        return find(occurrences, matching, control, |_, before, after| {
            let line = before.rsplit('\n').next().unwrap_or_default();
            let is_uid = line.ends_with("x:Uid=\"") && after.starts_with('"');
            let rest = after.lines().next().unwrap_or_default();
            let is_word = !line.ends_with(is_of_name) && !after.starts_with(is_of_name);
            is_uid || is_word && rest.contains(" += ") && !rest.contains(".Add(")
        })
        .map(|mut found| {
            let is_here = |one: &TextPlace| {
                let is_code = Dialect::of_path(&one.at.path).is_some();
                !is_code || one.at.path.starts_with(&of_form)
            };
            found.places.retain(is_here);
            found
        });
    }

    let class = family.rsplit('/').next().unwrap_or_default();
    let is_use = |_: &str, before: &str, after: &str| {
        let receiver = before.strip_suffix('.').unwrap_or_default();
        let is_member = receiver.ends_with(class) && !after.starts_with(is_of_name);
        let argument = before.strip_suffix('"').unwrap_or_default();
        let is_quoted = before.ends_with('"') && after.starts_with('"');
        let is_argument = argument.ends_with(['[', '(']) || argument.ends_with("x:Uid=");
        let is_of_extension = before.ends_with(['=', ' ']) && after.starts_with('}');
        is_member || is_quoted && (is_argument || is_compound(key)) || is_of_extension
    };
    find(occurrences, matching, key, is_use)
}

/// Finds the places of a key in some files; `is_use` is told the file and what stands before and after.
fn find(
    occurrences: &mut Occurrences<'_, '_>,
    matching: &MatchingFiles,
    key: &str,
    is_use: impl Fn(&str, &str, &str) -> bool,
) -> Result<KeyUses, QueryError> {
    let mut found = KeyUses {
        places: Vec::new(),
        is_cut: matching.is_cut,
    };
    let has_key = |file: &&FileHits| file.hits.iter().any(|hit| hit.text.contains(key));
    for file in matching.files.iter().filter(has_key) {
        let path = file.path.as_str();
        let Some(text) = read(occurrences, path)? else {
            continue;
        };

        let mut uses: Vec<(u32, usize)> = Vec::new();
        for (number, start, line) in matching_lines(&text, file) {
            if is_generated(path, line) {
                continue;
            }
            let mut at = line.match_indices(key).map(|(at, _)| start + at);
            let used = at.find(|at| is_use(&text, &text[..*at], &text[at + key.len()..]));
            uses.extend(used.map(|offset| (number, offset)));
        }
        let left = MAX_USES - found.places.len();
        found.is_cut |= uses.len() > left;
        uses.truncate(left);

        let (lines, offsets): (Vec<u32>, Vec<usize>) = uses.into_iter().unzip();
        for (line, around) in lines.into_iter().zip(surroundings(path, &text, &offsets)) {
            found.places.push(place(occurrences, (path, line), around)?);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_json_text_has_the_path_of_its_keys() {
        let text = r#"{ "a": { "b": "x", "list": ["Save \"it\""] }, "c": "Save" }"#;
        for (needle, string, key) in [
            ("Save \\", "Save \"it\"", "a.list"),
            ("Save\"", "Save", "c"),
            ("x\"", "x", "a.b"),
        ] {
            let found = json_text(text, text.find(needle).expect("the text is there"));
            assert_eq!(found.text.as_deref(), Some(string), "{needle}");
            assert_eq!(found.around[0].name, key);
        }
        assert_eq!(json_text(text, text.find("b\"").expect("a key")).text, None);
    }

    #[test]
    fn a_path_of_keys_is_used_as_a_string_or_member() {
        for (before, after, key, expected) in [
            ("t(\"", "\")", "a.b", true),
            ("t('ns:", "')", "a.b", true),
            ("strings.", ")", "a.b", true),
            ("strings.", "cd)", "a.b", false),
            ("strings.", ")", "b", false),
            ("{ '", "': 1", "a.b", false),
            ("{ 'ns.", "': 1", "a.b", false),
            ("x ", " y", "a.b", false),
        ] {
            assert_eq!(
                uses_path(before, after, key),
                expected,
                "{before}{key}{after}"
            );
        }
    }

    #[test]
    fn a_key_has_beginnings_from_which_code_computes_it() {
        let expected = ["errors.api.too", "errors.api.", "errors."];
        assert_eq!(beginnings("errors.api.tooOld"), expected);
        assert!(beginnings("tooOld").is_empty());
    }

    #[test]
    fn the_definition_in_the_language_of_the_text_comes_first() {
        let definition = |path: &str, key: &str| Definition {
            key: key.to_owned(),
            at: (path.to_owned(), 1),
            others: 0,
            text: String::new(),
        };
        let found = grouped(vec![
            definition("l/de.json", "ok"),
            definition("l/en.json", "ok"),
            definition("A.resx", "ok"),
            definition("A.de.resx", "ok"),
            definition("B.resx", "ok"),
        ]);
        let found: Vec<(&str, usize)> = found.iter().map(|one| (&*one.at.0, one.others)).collect();
        assert_eq!(found, [("A.resx", 1), ("B.resx", 0), ("l/en.json", 1)]);
    }
}
