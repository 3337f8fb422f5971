//! Fits a document into a budget of characters.

use std::cmp::Reverse;

use crate::face::Face;
use crate::text::section::Form;
use crate::text::{Part, Section, cut};

/// The size of an answer, and who reads it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub face: Face,
    pub max_chars: usize,
}

/// A section and the form in which it is written.
struct Fitted<'a> {
    section: &'a Section,
    form: Form,
    text: String,
    size: usize,
}

impl<'a> Fitted<'a> {
    fn new(section: &'a Section, max_chars: usize) -> Self {
        let mut fitted = Self {
            section,
            form: Form::Full,
            text: String::new(),
            size: usize::MAX,
        };
        // A section larger than its limit or the whole budget is never written in that form.
        let limit = section.limit.unwrap_or(max_chars).min(max_chars);
        fitted.set(match section.exceeds(limit) {
            true => section.shorter(Form::Full, usize::MAX),
            false => Form::Full,
        });
        while fitted.size > limit && fitted.shorten() {}
        fitted
    }

    /// Writes the section in a form, or in the next shorter form that it has.
    fn set(&mut self, form: Form) {
        let mut form = form;
        loop {
            if let Some(text) = self.section.write(form) {
                self.size = text.chars().count();
                self.text = text;
                self.form = form;
                return;
            }
            form = self.section.shorter(form, 0);
        }
    }

    /// Switches to the next shorter form; returns false if nothing is left.
    fn shorten(&mut self) -> bool {
        if self.form == Form::Nothing {
            return false;
        }
        let before = self.size;
        loop {
            let form = self.section.shorter(self.form, self.size);
            self.set(form);
            if self.size < before || self.form == Form::Nothing {
                return true;
            }
        }
    }

    /// Returns the section's size relative to its weight.
    fn pressure(&self) -> u64 {
        (self.size as u64) * 1_000 / u64::from(self.section.weight)
    }
}

/// Writes parts and notes within a budget.
pub(super) fn render(parts: &[Part], notes: &[String], budget: Budget) -> String {
    let fixed = fixed_size(parts, notes);
    let mut sections: Vec<Fitted<'_>> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Section(section) => Some(Fitted::new(section, budget.max_chars)),
            Part::Line(_) => None,
        })
        .collect();

    while total(fixed, &sections, budget) > budget.max_chars {
        // Titles go last: the section that is largest for its weight is shortened first.
        let next = sections
            .iter_mut()
            .filter(|fitted| fitted.form != Form::Nothing)
            .max_by_key(|fitted| (fitted.form < Form::Title, fitted.pressure()));
        match next {
            Some(fitted) => fitted.shorten(),
            None => break,
        };
    }
    extend(fixed, &mut sections, budget);
    assemble(parts, notes, &sections, budget)
}

/// Distributes the rest of the budget to the sections with the most weight.
fn extend(fixed: usize, sections: &mut [Fitted<'_>], budget: Budget) {
    let max_chars = budget.max_chars;
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by_key(|at| Reverse(sections[*at].section.weight));

    for at in order {
        let (form, size) = (sections[at].form, sections[at].size);
        let left = max_chars.saturating_sub(total(fixed, sections, budget));
        let limit = sections[at].section.limit.unwrap_or(max_chars);
        let left = left.min(limit.saturating_sub(size));
        let candidates = [
            Form::Full,
            Form::Names,
            Form::Files,
            Form::SomeNames(size + left),
            Form::Folders,
            Form::Cut(size + left),
        ];

        let text = std::mem::take(&mut sections[at].text);
        let mut is_extended = false;
        for candidate in candidates {
            let section = sections[at].section;
            let has_form = match candidate {
                Form::SomeNames(_) => section.places().is_some(),
                Form::Full => !section.exceeds(limit),
                _ => true,
            };
            if !has_form {
                continue;
            }

            if candidate >= form
                && !matches!(
                    (candidate, form),
                    (Form::Cut(_), Form::Cut(_) | Form::Title | Form::Nothing)
                )
            {
                continue;
            }

            sections[at].set(candidate);
            let is_better = (size..=limit.max(size)).contains(&sections[at].size);
            is_extended = is_better && total(fixed, sections, budget) <= max_chars;
            if is_extended {
                break;
            }

            (sections[at].form, sections[at].size) = (form, size);
        }

        if !is_extended {
            sections[at].text = text;
        }
    }
}

/// Returns the size of the lines and notes that are always written.
fn fixed_size(parts: &[Part], notes: &[String]) -> usize {
    let lines = parts.iter().map(|part| match part {
        Part::Line(line) => line.chars().count() + 1,
        Part::Section(_) => 0,
    });
    let notes = notes.iter().map(|note| note_line(note).chars().count());
    lines.sum::<usize>() + notes.sum::<usize>()
}

fn note_line(note: &str) -> String {
    format!("note: {note}\n")
}

fn total(fixed: usize, sections: &[Fitted<'_>], budget: Budget) -> usize {
    let sizes: usize = sections.iter().map(|fitted| fitted.size).sum();
    fixed + sizes + last_line(sections, budget).chars().count()
}

/// Says what was left out and how to request it; empty if nothing was.
fn last_line(sections: &[Fitted<'_>], budget: Budget) -> String {
    let mut left: Vec<String> = Vec::new();
    for fitted in sections {
        let key = fitted.section.key;
        let what = match fitted.form {
            Form::Full => continue,
            Form::Names => format!("details of {key}"),
            _ => format!("{key} ({})", fitted.section.len()),
        };
        if !left.contains(&what) {
            left.push(what);
        }
    }

    let Some(first) = sections.iter().find(|fitted| fitted.form != Form::Full) else {
        return String::new();
    };
    let (section, chars) = budget
        .face
        .pick(("section", "max_chars"), ("--section", "--max-chars"));

    format!(
        "left out: {}; pass {section} \"{}\" or {chars} {}\n",
        left.join(", "),
        first.section.key,
        (budget.max_chars * 2).min(super::LARGEST_MAX_CHARS)
    )
}

fn assemble(parts: &[Part], notes: &[String], sections: &[Fitted<'_>], budget: Budget) -> String {
    let max_chars = budget.max_chars;
    let mut text = String::new();
    let mut sections_left = sections.iter();
    let mut notes_left = Some(notes);
    for part in parts {
        match part {
            Part::Line(line) => {
                text.push_str(line);
                text.push('\n');
            }
            Part::Section(_) => {
                text.extend(sections_left.next().map(|fitted| fitted.text.as_str()));
            }
        }
        for note in notes_left.take().unwrap_or_default() {
            text.push_str(&note_line(note));
        }
    }
    for note in notes_left.take().unwrap_or_default() {
        text.push_str(&note_line(note));
    }

    let last = last_line(sections, budget);
    let room = max_chars.saturating_sub(last.chars().count());
    if text.chars().count() > room {
        return cut(
            &format!("{}\n{last}", cut(&text, room.saturating_sub(1))),
            max_chars,
        );
    }
    text + &last
}
