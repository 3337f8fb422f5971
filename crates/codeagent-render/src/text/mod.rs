//! The text form of answers: sections of places, lines and names within a character budget.
//!
//! A [`Document`] holds everything that was found. [`Document::render`] writes it in at most
//! `max_chars` characters. Sections are shortened one by one, those that are largest for their
//! weight first: a section loses its source lines, then its names, then its files and folders. The
//! last line says what was left out and how to get it. [`Document::json`] returns the same as data,
//! with a limit of entries.

mod fit;
mod places;
mod section;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use crate::face::Face;
use fit::Budget;
pub use section::{Content, NameRow, Section};

/// Default budget of an answer.
pub const DEFAULT_MAX_CHARS: usize = 6_000;

/// Smallest budget.
pub const MIN_MAX_CHARS: usize = 200;

/// Largest budget.
pub const LARGEST_MAX_CHARS: usize = 100_000;

/// Maximum number of entries per section in a tool's JSON.
pub const MAX_JSON_ROWS: usize = 1_000;

/// An answer as text.
#[derive(Clone, Debug, Default)]
pub struct Document {
    parts: Vec<Part>,
    notes: Vec<String>,
}

/// A part of a document.
#[derive(Clone, Debug)]
pub enum Part {
    /// A heading or a line that is always written, unless the budget is too small even for these.
    Line(String),
    /// A section.
    Section(Section),
}

impl Document {
    /// Appends a line that is always written.
    pub fn line(&mut self, line: impl Into<String>) {
        self.parts.push(Part::Line(line.into()));
    }

    /// Appends a section, unless it is empty.
    pub fn section(&mut self, section: Section) {
        if !section.is_empty() {
            self.parts.push(Part::Section(section));
        }
    }

    /// Appends another document: its lines, then its sections; sections with a weight of at least
    /// `wanted` come first.
    pub fn append(&mut self, other: Self, wanted: u32) {
        let (mut lines, mut first, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for part in other.parts {
            match &part {
                Part::Line(_) => lines.push(part),
                Part::Section(section) if section.weight >= wanted => first.push(part),
                Part::Section(_) => rest.push(part),
            }
        }
        self.parts
            .extend(lines.into_iter().chain(first).chain(rest));
        self.notes.extend(other.notes);
    }

    /// Adds a note, which is written after the first line.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Reports whether there are only notes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Iterates over the keys of the sections.
    pub fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.sections().map(|section| section.key)
    }

    /// Keeps only the sections with a key, and the lines. Reports whether there are any such
    /// sections.
    pub fn keep_only(&mut self, key: &str) -> bool {
        self.parts.retain(|part| match part {
            Part::Line(_) => true,
            Part::Section(section) => section.key == key,
        });
        self.sections().next().is_some()
    }

    /// Removes the places whose paths do not satisfy a condition, unless none does. Returns the
    /// numbers of places that satisfy it and that do not.
    pub fn limit_to(&mut self, is_inside: impl Fn(&str) -> bool) -> (usize, usize) {
        let places = self.sections().filter_map(Section::places).flatten();
        let (inside, outside) = places.fold((0, 0), |(inside, outside), place| {
            match is_inside(&place.path) {
                true => (inside + 1, outside),
                false => (inside, outside + 1),
            }
        });
        if inside == 0 {
            return (inside, outside);
        }

        self.parts.retain_mut(|part| match part {
            Part::Section(Section {
                content: Content::Places(places),
                ..
            }) => {
                places.retain(|place| is_inside(&place.path));
                !places.is_empty()
            }
            _ => true,
        });
        (inside, outside)
    }

    fn sections(&self) -> impl Iterator<Item = &Section> {
        self.parts.iter().filter_map(|part| match part {
            Part::Section(section) => Some(section),
            Part::Line(_) => None,
        })
    }

    /// Writes the document for tools, in at most `max_chars` characters.
    #[must_use]
    pub fn render(&self, max_chars: usize) -> String {
        self.render_for(Face::TextTools, max_chars)
    }

    /// Writes the document in at most `max_chars` characters. The last line says how this face asks
    /// for what was left out.
    #[must_use]
    pub fn render_for(&self, face: Face, max_chars: usize) -> String {
        fit::render(&self.parts, &self.notes, Budget { face, max_chars })
    }

    /// Returns the document as data, with the first `max_rows` entries of each section; `left_out`
    /// counts the others.
    #[must_use]
    pub fn json(&self, max_rows: usize) -> Value {
        let parts: Vec<Value> = self
            .parts
            .iter()
            .map(|part| match part {
                Part::Line(line) => json!({ "line": line }),
                Part::Section(section) => section.json(max_rows),
            })
            .collect();
        let mut value = json!({ "parts": parts });
        if !self.notes.is_empty() {
            value["notes"] = json!(self.notes);
        }
        value
    }
}

/// Truncates a text to `max` characters, with a mark if it was longer.
pub(crate) fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some(_) if max == 0 => String::new(),
        Some(_) => {
            let kept: String = text.chars().take(max - 1).collect();
            format!("{kept}…")
        }
    }
}

/// Truncates a text to `max` characters by a mark in its middle, so that a third at its end stays: the bases behind a
/// long constructor, or the default behind a long name.
pub(crate) fn cut_middle(text: &str, max: usize) -> String {
    let length = text.chars().count();
    if length <= max {
        return text.to_owned();
    }
    let at_end = max / 3;
    let kept: String = text.chars().skip(length - at_end).collect();
    cut(text, max - at_end) + &kept
}
