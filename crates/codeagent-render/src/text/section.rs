//! Sections and their forms, from the fullest to the shortest.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use codeagent_core::query::Occurrence;
use serde_json::{Value, json};

use crate::text::cut;

/// Maximum characters of a source line.
const MAX_SOURCE: usize = 110;

/// Maximum line numbers per name where names are shown without source.
const MAX_LINES_OF_NAME: usize = 4;

/// Default weight.
pub const NORMAL: u32 = 10;

/// Part of an answer.
#[derive(Clone, Debug)]
pub struct Section {
    /// The word that requests this section alone.
    pub key: &'static str,
    /// Its title, without the number of entries.
    pub title: String,
    /// Share of the budget relative to other sections; `NORMAL` by default.
    pub weight: u32,
    /// Content of the section.
    pub content: Content,
}

/// The content of a section.
#[derive(Clone, Debug)]
pub enum Content {
    /// Places grouped by folder and file: with source lines, with names, as files with counts, or
    /// as folders with counts.
    Places(Vec<Occurrence>),
    /// Names, one per line with details or listed without.
    Names(Vec<NameRow>),
    /// Lines that are cut at the end.
    Lines(Vec<String>),
}

/// A name with and without its details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameRow {
    /// `12 total(tax: number): number`
    pub full: String,
    /// `total()`
    pub short: String,
}

/// A form of a section, which determines how much of it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// Everything.
    Full,
    /// Names without source lines or details.
    Names,
    /// Files with the number of places.
    Files,
    /// Folders with the number of places.
    Folders,
    /// The first lines of the shortest form that has lines, within this number of characters.
    Cut(usize),
    /// The title with the number of entries.
    Title,
    /// Nothing.
    Nothing,
}

impl Section {
    /// Creates a section of places.
    #[must_use]
    pub fn places(
        key: &'static str,
        title: impl Into<String>,
        mut places: Vec<Occurrence>,
    ) -> Self {
        places.sort();
        places.dedup();
        Self::new(key, title, Content::Places(places))
    }

    /// Creates a section of lines.
    #[must_use]
    pub fn lines(key: &'static str, title: impl Into<String>, lines: Vec<String>) -> Self {
        Self::new(key, title, Content::Lines(lines))
    }

    /// Creates a section of names.
    #[must_use]
    pub fn names(key: &'static str, title: impl Into<String>, names: Vec<NameRow>) -> Self {
        Self::new(key, title, Content::Names(names))
    }

    fn new(key: &'static str, title: impl Into<String>, content: Content) -> Self {
        Self {
            key,
            title: title.into(),
            weight: NORMAL,
            content,
        }
    }

    /// Sets the weight.
    #[must_use]
    pub fn weighing(self, weight: u32) -> Self {
        Self {
            weight: weight.max(1),
            ..self
        }
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.content {
            Content::Places(places) => places.len(),
            Content::Names(names) => names.len(),
            Content::Lines(lines) => lines.len(),
        }
    }

    /// Reports whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the next shorter form; `size` is the section's current size.
    pub(super) fn shorter(&self, form: Form, size: usize) -> Form {
        match (&self.content, form) {
            (Content::Places(_), Form::Full) => Form::Names,
            (Content::Places(_), Form::Names) => Form::Files,
            (Content::Places(_), Form::Files) => Form::Folders,
            (Content::Names(_), Form::Full) => Form::Names,
            (_, Form::Title | Form::Nothing) => Form::Nothing,
            (_, Form::Cut(_)) if size < 2 * self.title.chars().count() + 80 => Form::Title,
            _ => Form::Cut(size * 3 / 4),
        }
    }

    /// Formats the section in a form; every line ends with a line feed. Returns `None` if the
    /// places lack what the form shows.
    pub(super) fn write(&self, form: Form) -> Option<String> {
        let title = match &self.content {
            Content::Lines(_) if self.title.is_empty() => String::new(),
            Content::Lines(_) => format!("{}:\n", self.title),
            _ => format!("{} ({}):\n", self.title, self.len()),
        };
        Some(match form {
            Form::Nothing => String::new(),
            Form::Title => title.replace(":\n", "\n"),
            Form::Cut(size) => self.cut(title, size),
            form => title + &self.body(form)?,
        })
    }

    fn body(&self, form: Form) -> Option<String> {
        match &self.content {
            Content::Places(places) => places_text(places, form),
            Content::Lines(lines) => Some(lines.iter().map(|line| format!("{line}\n")).collect()),
            Content::Names(names) if form == Form::Full => Some(
                names
                    .iter()
                    .map(|name| format!(" {}\n", name.full))
                    .collect(),
            ),
            Content::Names(names) => {
                let names: Vec<&str> = names.iter().map(|name| name.short.as_str()).collect();
                Some(format!(" {}\n", names.join(", ")))
            }
        }
    }

    /// Writes as many lines as fit into `size` characters, and the number of entries left out.
    fn cut(&self, title: String, size: usize) -> String {
        if let Content::Names(names) = &self.content {
            return cut_names(title, names, size);
        }
        let (body, unit) = match &self.content {
            Content::Places(places) => (folder_lines(places), "folders"),
            _ => (self.body(Form::Full).unwrap_or_default(), "lines"),
        };
        let mut text = title;
        let mut left = size.saturating_sub(text.chars().count() + 24);
        let lines: Vec<&str> = body.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let length = line.chars().count() + 1;
            if length > left {
                let _ = writeln!(text, "… {} more {unit}", lines.len() - at);
                break;
            }
            left -= length;
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// Returns the section as data, with its first `max_rows` entries.
    pub(super) fn json(&self, max_rows: usize) -> Value {
        let mut value = json!({ "section": self.key, "title": self.title });
        if let left_out @ 1.. = self.len().saturating_sub(max_rows) {
            value["left_out"] = left_out.into();
        }
        match &self.content {
            Content::Places(places) => {
                let place = |place: &Occurrence| {
                    let mut value =
                        json!({ "path": place.path, "line": place.line, "symbol": place.symbol });
                    if let Some(source) = &place.source {
                        value["source"] = source.as_str().into();
                    }
                    value
                };
                value["places"] = places.iter().take(max_rows).map(place).collect();
            }
            Content::Names(names) => {
                let names = names.iter().take(max_rows);
                value["names"] = names.map(|name| name.full.as_str()).collect();
            }
            Content::Lines(lines) => {
                value["lines"] = lines.iter().take(max_rows).map(String::as_str).collect();
            }
        }
        value
    }
}

fn cut_names(title: String, names: &[NameRow], size: usize) -> String {
    let mut text = title + " ";
    let mut left = size.saturating_sub(text.chars().count() + 16);
    for (at, name) in names.iter().enumerate() {
        let length = name.short.chars().count() + 2;
        if length > left {
            let _ = write!(text, "… {} more", names.len() - at);
            break;
        }
        left -= length;
        let comma = if at == 0 { "" } else { ", " };
        let _ = write!(text, "{comma}{}", name.short);
    }
    text + "\n"
}

/// Folders, their files, and the files' places.
type Tree<'a> = BTreeMap<&'a str, BTreeMap<&'a str, Vec<&'a Occurrence>>>;

fn tree(places: &[Occurrence]) -> Tree<'_> {
    let mut tree = Tree::new();
    for place in places {
        let (folder, file) = place.path.rsplit_once('/').unwrap_or((".", &place.path));
        tree.entry(folder)
            .or_default()
            .entry(file)
            .or_default()
            .push(place);
    }
    tree
}

fn places_text(places: &[Occurrence], form: Form) -> Option<String> {
    match form {
        Form::Full => {
            let has_source = places.iter().any(|place| place.source.is_some());
            has_source.then(|| source_lines(places))
        }
        Form::Names => {
            let has_names = places.iter().any(|place| !place.symbol.is_empty());
            has_names.then(|| name_lines(places))
        }
        Form::Files => Some(file_lines(places)),
        _ => Some(folder_lines(places)),
    }
}

fn source_lines(places: &[Occurrence]) -> String {
    let mut text = String::new();
    for (folder, files) in tree(places) {
        let _ = writeln!(text, "{folder}/");
        for (file, places) in files {
            let _ = writeln!(text, " {file}");
            let mut last = "";
            for place in places {
                let source = cut(place.source.as_deref().unwrap_or_default(), MAX_SOURCE);
                let name = place.symbol.as_str();
                let line = if name == last || name == file || name.is_empty() {
                    format!("  {} {source}", place.line)
                } else {
                    format!("  {} {name}: {source}", place.line)
                };
                let _ = writeln!(text, "{}", line.trim_end().trim_end_matches(": "));
                last = name;
            }
        }
    }
    text
}

fn name_lines(places: &[Occurrence]) -> String {
    let mut text = String::new();
    for (folder, files) in tree(places) {
        let _ = writeln!(text, "{folder}/");
        for (file, places) in files {
            let mut names: Vec<(&str, Vec<u32>)> = Vec::new();
            for place in places {
                match names.iter_mut().find(|(name, _)| *name == place.symbol) {
                    Some((_, lines)) => lines.push(place.line),
                    None => names.push((&place.symbol, vec![place.line])),
                }
            }
            let names: Vec<String> = names
                .iter()
                .map(|(name, lines)| named_lines(if *name == file { "" } else { name }, lines))
                .collect();
            let _ = writeln!(text, " {file} {}", names.join(", "));
        }
    }
    text
}

fn named_lines(name: &str, lines: &[u32]) -> String {
    let shown: Vec<String> = lines
        .iter()
        .take(MAX_LINES_OF_NAME)
        .map(u32::to_string)
        .collect();
    let more = if lines.len() > MAX_LINES_OF_NAME {
        "…"
    } else {
        ""
    };
    format!("{name}:{}{more}", shown.join(","))
}

fn file_lines(places: &[Occurrence]) -> String {
    let mut text = String::new();
    for (folder, files) in tree(places) {
        let files: Vec<String> = files
            .iter()
            .map(|(file, places)| match places.len() {
                1 => (*file).to_owned(),
                count => format!("{file} {count}"),
            })
            .collect();
        let _ = writeln!(text, "{folder}/ {}", files.join(", "));
    }
    text
}

/// Formats the folders with their counts, those with most places first.
fn folder_lines(places: &[Occurrence]) -> String {
    let mut folders: Vec<(&str, usize, usize)> = tree(places)
        .into_iter()
        .map(|(folder, files)| (folder, files.values().map(Vec::len).sum(), files.len()))
        .collect();
    folders.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let line = |(folder, count, files): &(&str, usize, usize)| match files {
        1 => format!("{folder}/ {count} in 1 file\n"),
        files => format!("{folder}/ {count} in {files} files\n"),
    };
    folders.iter().map(line).collect()
}
