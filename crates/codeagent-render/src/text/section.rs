//! Sections and their forms, from the fullest to the shortest.

use std::fmt::Write as _;

use codeagent_core::query::Occurrence;
use serde_json::{Value, json};

use crate::text::places::{folder_lines, places_text};

/// Maximum characters of a line in a list of names or files.
const MAX_LIST_LINE: usize = 100;

/// Minimum characters of the line of a place: two spaces, its number, and the line feed.
const SHORTEST_LINE: usize = 4;

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
    /// Maximum characters of the section, however much of the budget is left.
    pub limit: Option<usize>,
    /// Number of entries, if the section holds only some of them.
    pub total: Option<usize>,
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
    /// Lines indented by two spaces per level; the deepest levels are cut first.
    Tree(Vec<String>),
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
    /// Folders with the number of places, and as many names as fit into this number of characters.
    SomeNames(usize),
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
    pub fn occurrence_rows(
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

    /// Creates a section of lines that form a tree.
    #[must_use]
    pub fn tree(key: &'static str, title: impl Into<String>, lines: Vec<String>) -> Self {
        Self::new(key, title, Content::Tree(lines))
    }

    /// Creates a section of names.
    #[must_use]
    pub fn names(key: &'static str, title: impl Into<String>, names: Vec<NameRow>) -> Self {
        Self::new(key, title, Content::Names(names))
    }

    /// Creates a section of names without details, several on one line.
    #[must_use]
    pub fn list(key: &'static str, title: impl Into<String>, names: Vec<String>) -> Self {
        let row = |name: String| NameRow {
            full: name.clone(),
            short: name,
        };
        Self::names(key, title, names.into_iter().map(row).collect())
    }

    fn new(key: &'static str, title: impl Into<String>, content: Content) -> Self {
        Self {
            key,
            title: title.into(),
            weight: NORMAL,
            limit: None,
            total: None,
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

    /// Sets the most characters that it takes.
    #[must_use]
    pub fn at_most(self, limit: usize) -> Self {
        Self {
            limit: Some(limit),
            ..self
        }
    }

    /// Says that there are more entries than it holds.
    #[must_use]
    pub fn of(self, total: usize) -> Self {
        Self {
            total: Some(total).filter(|total| *total > self.len()),
            ..self
        }
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.content {
            Content::Places(places) => places.len(),
            Content::Names(names) => names.len(),
            Content::Lines(lines) | Content::Tree(lines) => lines.len(),
        }
    }

    /// Returns its places; `None` if it consists of something else.
    pub(super) fn places(&self) -> Option<&[Occurrence]> {
        match &self.content {
            Content::Places(places) => Some(places),
            _ => None,
        }
    }

    /// Reports whether its places are so many that their lines do not fit into `limit` characters, however short they
    /// are.
    pub(super) fn exceeds(&self, limit: usize) -> bool {
        self.places()
            .is_some_and(|places| places.len() * SHORTEST_LINE > limit)
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
            (Content::Places(_), Form::Files | Form::SomeNames(_)) => Form::Folders,
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
            Content::Lines(_) | Content::Tree(_) => format!("{}:\n", self.title),
            _ => match self.total {
                Some(total) => format!("{} ({} of {total}):\n", self.title, self.len()),
                None => format!("{} ({}):\n", self.title, self.len()),
            },
        };

        Some(match form {
            Form::Nothing => String::new(),
            // Without a number of entries, the title of lines says nothing.
            Form::Title if matches!(self.content, Content::Lines(_) | Content::Tree(_)) => {
                String::new()
            }
            Form::Title => title.replace(":\n", "\n"),
            Form::Cut(size) => self.cut(title, size),
            form => title + &self.body(form)?,
        })
    }

    fn body(&self, form: Form) -> Option<String> {
        match &self.content {
            Content::Places(places) => places_text(places, form),
            Content::Lines(lines) | Content::Tree(lines) => {
                Some(lines.iter().map(|line| format!("{line}\n")).collect())
            }
            Content::Names(names) if form == Form::Full && has_details(names) => Some(
                names
                    .iter()
                    .map(|name| format!(" {}\n", name.full))
                    .collect(),
            ),
            Content::Names(names) => {
                Some(wrapped("", names.iter().map(|name| name.short.as_str())))
            }
        }
    }

    /// Writes as many lines as fit into `size` characters, and the number of entries left out.
    fn cut(&self, title: String, size: usize) -> String {
        match &self.content {
            Content::Names(names) => return cut_names(title, names, size),
            Content::Tree(lines) => return cut_tree(title, lines, size),
            Content::Places(_) | Content::Lines(_) => {}
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
            if length > left && at == 0 && unit == "lines" {
                return String::new();
            }
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
            Content::Lines(lines) | Content::Tree(lines) => {
                value["lines"] = lines.iter().take(max_rows).map(String::as_str).collect();
            }
        }

        value
    }
}

/// Reports whether a name has anything beside itself.
fn has_details(names: &[NameRow]) -> bool {
    names.iter().any(|name| name.full != name.short)
}

fn cut_names(title: String, names: &[NameRow], size: usize) -> String {
    let mut left = size.saturating_sub(title.chars().count() + 24);
    let fits = |name: &&NameRow| {
        // With the comma, and the line's beginning every now and then.
        let length = name.short.chars().count() + 3;
        let fits = length <= left;
        left = left.saturating_sub(length);
        fits
    };

    let kept = names.iter().take_while(fits).count();
    let mut text = title;
    if kept > 0 {
        text += &wrapped("", names[..kept].iter().map(|name| name.short.as_str()));
    }

    if kept < names.len() {
        let _ = writeln!(text, " … {} more", names.len() - kept);
    }

    text
}

/// Writes the lines of a tree that fit, level by level, in their order.
fn cut_tree(title: String, lines: &[String], size: usize) -> String {
    let depth = |line: &String| line.len() - line.trim_start().len();
    let mut by_depth: Vec<usize> = (0..lines.len()).collect();
    by_depth.sort_by_key(|at| depth(&lines[*at]));

    let mut left = size.saturating_sub(title.chars().count() + 40);
    let fits = |at: &usize| {
        let length = lines[*at].chars().count() + 1;
        let fits = length <= left;
        left = left.saturating_sub(length);
        fits
    };
    let mut kept: Vec<usize> = by_depth.into_iter().take_while(fits).collect();
    kept.sort_unstable();

    let mut text = title;
    for at in &kept {
        let _ = writeln!(text, "{}", lines[*at]);
    }
    if kept.len() < lines.len() {
        let _ = writeln!(text, "… {} more, the deepest", lines.len() - kept.len());
    }

    text
}

/// Writes a list behind a beginning, in lines that are not too long.
pub(super) fn wrapped<'a>(start: &str, items: impl Iterator<Item = &'a str>) -> String {
    let mut text = start.to_owned();
    let mut length = start.chars().count();
    let mut items = items.peekable();
    while let Some(item) = items.next() {
        let comma = if items.peek().is_some() { "," } else { "" };
        let more = item.chars().count() + comma.len() + 1;
        if length > start.chars().count() && length + more > MAX_LIST_LINE {
            text.push('\n');
            length = 0;
        }
        if length == 0 && !start.is_empty() {
            text.push(' ');
        }
        let _ = write!(text, " {item}{comma}");
        length += more;
    }

    text + "\n"
}
