//! Sections about places that name a symbol without a use that the index knows.

use codeagent_core::model::graph::{Language, Node, NodeType};
use codeagent_core::query::{
    self, MentionPlace, Occurrence, Occurrences, TextMention, TextSearchQuery,
};

use super::environment_settings::used_on_line;
use super::literal::{is_comment, regex};
use super::wants::says;
use super::{Subject, named_after};
use crate::answers::AnswerError;
use crate::text::{Document, Section};

/// Beginnings of words for settings.
const SETTINGS: [&str; 3] = ["config", "option", "setting"];

/// Maximum number of strings that are listed.
const MAX_STRINGS: usize = 100;

/// Adds the places that name a symbol without a known use: keys of object literals and strings equal to
/// its name, and lines of files in other languages, such as templates. If code uses it, only Razor
/// files are searched, unless the question asks for uses and the name is compound.
pub(super) fn sections(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
    is_unused: bool,
) -> Result<(), AnswerError> {
    let name = subject.first().name.as_str();
    let wants = subject.wants;
    let asks_for_uses = wants.callers || wants.impact || wants.implementations;
    let is_compound = query::is_compound(name);
    let in_all = is_unused || asks_for_uses && is_compound;

    if in_all {
        let keys = query::undecided_keys(occurrences, subject.first())?;
        let title = "keys of object literals of unknown type, which may set it";
        let section = Section::occurrence_rows("keys", title, keys);
        document.section(wants.weigh(section, asks_for_uses, 10));
    }
    if in_all && is_compound {
        let strings = named_in_strings(occurrences, name)?;
        let title = "named in strings, matched by equal text";
        let is_named = !strings.is_empty();
        let section = Section::occurrence_rows("strings", title, strings);
        document.section(wants.weigh(section, asks_for_uses, 10));
        if is_named && subject.first().node_type == NodeType::Property {
            document.section(named_after::section(occurrences, name)?);
        }
    }

    if asks_for_uses && is_compound && subject.first().language == Language::TypeScript {
        unknown_reads(subject, document, occurrences)?;
    }

    if asks_for_uses && is_setting(subject) {
        configuration_keys(subject, document, occurrences)?;
    }

    let nodes: Vec<&Node> = subject.nodes.iter().collect();
    let weight = if in_all { 10 } else { 3 };
    for section in not_indexed(occurrences, &nodes, in_all)? {
        document.section(wants.weigh(section, asks_for_uses, weight));
    }
    Ok(())
}

/// Returns a section with the lines of components in other languages that name functions of TypeScript with names of
/// several words: the scripts of `.svelte` and `.vue` files are not indexed.
pub(super) fn in_components(
    occurrences: &mut Occurrences<'_, '_>,
    functions: &[Node],
    title: &str,
) -> Result<Section, AnswerError> {
    let is_searched =
        |node: &&Node| node.language == Language::TypeScript && query::is_compound(&node.name);
    let functions: Vec<&Node> = functions.iter().filter(is_searched).collect();

    let mut places = Vec::new();
    if !functions.is_empty() {
        let found = query::text_mentions(occurrences.sources, &functions, true)?;
        for mention in found.lines {
            if mention.kind == "template" {
                places.push(row(&mention));
            }
        }
    }

    Ok(Section::occurrence_rows("components", title, places))
}

fn row(mention: &TextMention) -> Occurrence {
    Occurrence {
        path: mention.path.clone(),
        line: mention.line,
        source: Some(mention.text.clone()),
        ..Occurrence::default()
    }
}

/// Adds the lines that read a property of this name of a value whose type is unknown.
fn unknown_reads(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let Node {
        name, node_type, ..
    } = subject.first();
    if *node_type != NodeType::Property {
        return Ok(());
    }

    let pattern = format!(r"\.{}\b(?:[^(]|$)", query::escaped_text(name));
    let found = query::search_text(occurrences, &regex(&pattern))?;
    let mut places = Vec::new();
    for place in found.code {
        let used = used_on_line(occurrences, &place)?;
        if used.iter().all(|node| node.name != *name) && !is_comment(&place) {
            places.push(place);
        }
    }

    let title = "reads of a property of this name, of values of unknown type";
    let section = Section::occurrence_rows("unknown reads", title, places);
    document.section(subject.wants.weigh(section, true, 0));
    Ok(())
}

/// Reports whether a question calls its subject a setting, or the subject's type is one of
/// settings.
fn is_setting(subject: &Subject<'_>) -> bool {
    let node = subject.first();
    let owner = node.qualified_name.rsplit('.').nth(1).unwrap_or_default();
    let owner = owner.to_lowercase();
    // Keys with `:` and `__` are those of .NET.
    node.node_type == NodeType::Property
        && node.language == Language::CSharp
        && (says(subject.words, &SETTINGS) || SETTINGS.iter().any(|word| owner.contains(word)))
}

/// Adds the lines with a key of the configuration that ends with the name of a setting, in any
/// case: `"mail:port"`, `mail__port`, which code may read without the type of settings; and those that
/// name it in the SQL of a string: `settings ->> 'Port'`.
fn configuration_keys(
    subject: &Subject<'_>,
    document: &mut Document,
    occurrences: &mut Occurrences<'_, '_>,
) -> Result<(), AnswerError> {
    let name = query::escaped_text(&subject.first().name);
    let pattern = format!(r#"["'][\w:.]*:{name}["']|\w__{name}\b|'{name}'"#);

    let search = TextSearchQuery {
        ignore_case: true,
        ..regex(&pattern)
    };
    let found = query::search_text(occurrences, &search)?;

    let title = "keys with its name, of a configuration or in SQL, matched by text";
    for (key, title, places) in [
        ("configuration keys", title, found.code),
        (
            "configuration files",
            "such keys in files of other languages",
            found.others,
        ),
    ] {
        document.section(Section::occurrence_rows(key, title, places).weighing(20));
    }
    Ok(())
}

/// Returns sections with the lines that name one of these symbols and are not indexed: inactive code,
/// code in Razor files, and with `in_all` lines of files in other languages.
pub(in crate::answers) fn not_indexed(
    occurrences: &mut Occurrences<'_, '_>,
    nodes: &[&Node],
    in_all: bool,
) -> Result<[Section; 3], AnswerError> {
    let found = query::text_mentions(occurrences.sources, nodes, in_all)?;
    let section = |place: MentionPlace, key: &'static str, title: &'static str| {
        let mentions = found.lines.iter();
        let mentions = mentions.filter(|mention| mention.place == place);
        Section::occurrence_rows(key, title, mentions.map(row).collect())
    };

    let in_inactive = "named in code excluded by #if, which is not indexed, matched by equal text";
    let in_razor = "named in Razor files, which are not indexed, matched by equal text";
    let in_others = "named in files of other languages, matched by equal text";
    Ok([
        section(MentionPlace::InactiveCode, "inactive", in_inactive),
        section(MentionPlace::Razor, "razor", in_razor),
        section(MentionPlace::Text, "mentions", in_others),
    ])
}

/// Returns the places of strings that are a symbol's name.
fn named_in_strings(
    occurrences: &mut Occurrences<'_, '_>,
    name: &str,
) -> Result<Vec<Occurrence>, AnswerError> {
    let mut places = Vec::new();
    for (path, line) in query::literal_lines(occurrences.sources, name, MAX_STRINGS)? {
        if !query::is_generated_path(&path) {
            places.push(occurrences.at(&path, line)?);
        }
    }
    Ok(places)
}
