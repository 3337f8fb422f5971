//! Prints answers: rows as lines for people, followed by notes on standard error; or both as JSON,
//! `{"results":[..],"notes":[..]}` with the answer's extra fields. Lists of locations have their own
//! form ([`crate::hits`]).
//!
//! Paths in lines are relative to the current directory, so that an editor opens
//! `path:line:column`. Paths in JSON are relative to the root, as in the tools. Colours are used on
//! a terminal unless `NO_COLOR` is set.
//!
//! Limitations: a path that shares no folder with the current directory is printed in full.

use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use codeagent_core::query::SiteSample;
use codeagent_core::service::Staleness;
use codeagent_render::answers::Answer;
use codeagent_render::{AnsweredSymbol, Extra, Face, note_text, staleness_text, symbol_text};
use serde::Serialize;
use serde_json::json;

use crate::commands::Root;
use crate::hits::{Form, Hit};
use crate::text::{self, Line};

/// The repository that is asked, if there are several, and whether its name was printed.
static REPOSITORY: Mutex<Option<(String, bool)>> = Mutex::new(None);

/// Names the repository of the following output.
pub fn begin_repository(name: &str) {
    *repository() = Some((name.to_owned(), false));
}

fn repository() -> MutexGuard<'static, Option<(String, bool)>> {
    REPOSITORY.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn lines<T: Into<Line>>(lines: impl IntoIterator<Item = T>) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    for line in lines {
        if let Some((name, is_printed @ false)) = &mut *repository() {
            writeln!(out, "{}", Line::heading(format!("# {name}")).painted())?;
            *is_printed = true;
        }
        writeln!(out, "{}", line.into().painted())?;
    }
    Ok(out.flush()?)
}

/// Prints a value as indented JSON.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let Some((name, _)) = &*repository() else {
        return one_json(&serde_json::to_string_pretty(value)?);
    };
    let mut value = serde_json::to_value(value)?;
    if let Some(fields) = value.as_object_mut() {
        fields.insert("repo".to_owned(), name.as_str().into());
    }
    one_json(&serde_json::to_string_pretty(&value)?)
}

/// Prints a JSON text.
pub fn one_json(value: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", text::json(value))?;
    Ok(out.flush()?)
}

/// Prints a note, separate from the answer.
pub fn note(text: &str) {
    print_error(&format!("note: {text}"));
}

/// Prints to standard error.
pub fn print_error(text: &str) {
    // A note that cannot be printed is not a reason to fail.
    writeln!(std::io::stderr(), "{}", text::paragraph(text)).ok();
}

/// Formats `1 file` or `2 files`.
pub fn count(number: u64, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// Converts paths of the repository to paths relative to the working folder.
#[derive(Debug)]
pub struct PathDisplay {
    root: PathBuf,
    here: PathBuf,
}

impl PathDisplay {
    /// Takes the root and the working folder, both resolved.
    pub fn new(root: &Path, here: &Path) -> Self {
        Self {
            root: root.to_owned(),
            here: here.to_owned(),
        }
    }

    /// Returns the absolute path of a path of the repository.
    pub fn whole(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Converts a path of the repository.
    pub fn of(&self, path: &str) -> String {
        let whole = self.whole(path);
        let common = whole
            .components()
            .zip(self.here.components())
            .take_while(|(a, b)| a == b)
            .count();
        // All paths share the root of the file system.
        if common <= usize::from(self.here.has_root()) {
            return whole.display().to_string();
        }

        let up = self
            .here
            .components()
            .skip(common)
            .map(|_| Component::ParentDir);

        let down = whole.components().skip(common).collect::<Vec<_>>();
        up.chain(down).collect::<PathBuf>().display().to_string()
    }
}

/// An answer with the rows that are printed.
#[derive(Debug)]
pub struct PrintedAnswer<T> {
    rows: Vec<T>,
    extra: Extra,
    notes: Vec<String>,
}

impl<T: Serialize> PrintedAnswer<T> {
    /// Keeps at most `limit` rows of an answer; `staleness` is what the index is missing.
    pub fn new((answer, staleness): (Answer<T>, Staleness), limit: Option<usize>) -> Self {
        let mut rows = answer.rows;
        let mut notes = Vec::new();
        let all = rows.len();
        if let Some(limit) = limit.filter(|limit| *limit < all) {
            rows.truncate(limit);
            notes.push(format!("showing {limit} of {all} results (--limit)"));
        }

        let worded = answer.notes.iter();
        notes.extend(worded.map(|note| note_text(note, Face::Commands)));
        if !staleness.is_none() && !is_covered(&staleness, &answer.extra.stale_files) {
            notes.push(staleness_text(&staleness));
        }
        Self {
            rows,
            extra: answer.extra,
            notes,
        }
    }

    /// Prints the answer, with the given lines for each row.
    pub fn print(
        self,
        root: &Root,
        mut row: impl FnMut(&T, &PathDisplay) -> Vec<Line>,
    ) -> anyhow::Result<()> {
        self.print_blocks(root, |rows, places| {
            rows.iter().flat_map(|each| row(each, places)).collect()
        })
    }

    /// Prints the answer as a list of places, each row as these.
    pub fn print_hits(
        self,
        root: &Root,
        form: &Form,
        mut hits: impl FnMut(&T, &PathDisplay) -> Vec<Hit>,
    ) -> anyhow::Result<()> {
        self.print_blocks(root, |rows, places| {
            let hits: Vec<Hit> = rows.iter().flat_map(|row| hits(row, places)).collect();
            form.lines(&hits, places)
        })
    }

    /// Prints the answer: the rows of each symbol below its heading, or all rows without one.
    fn print_blocks(
        self,
        root: &Root,
        mut block: impl FnMut(&[T], &PathDisplay) -> Vec<Line>,
    ) -> anyhow::Result<()> {
        if root.json {
            let mut whole = json!({ "results": self.rows, "notes": self.notes });
            if let Some(fields) = whole.as_object_mut() {
                fields.extend(self.extra.fields());
            }
            return json(&whole);
        }

        let places = root.path_display()?;
        let mut rows = self.rows.as_slice();
        let (mut printed, mut without) = (Vec::new(), 0);
        for symbol in &self.extra.symbols {
            let Some(results) = symbol.results else {
                continue;
            };
            if results == 0 || rows.is_empty() {
                without += u64::from(results == 0);
                continue;
            }
            if !printed.is_empty() {
                printed.push(Line::default());
            }
            printed.push(heading(symbol, results, &places));
            let (of_symbol, rest) = rows.split_at(results.min(rows.len()));
            printed.extend(block(of_symbol, &places));
            rows = rest;
        }
        printed.extend(block(rows, &places));

        let is_empty = printed.is_empty();
        lines(printed)?;
        if without > 0 && !is_empty {
            note(&format!(
                "{} of that name without results",
                count(without, "more symbol")
            ));
        }
        self.print_notes();
        Ok(())
    }

    /// Adds a note about the rows.
    pub fn note(&mut self, text: Option<String>) {
        self.notes.extend(text);
    }

    /// Returns the rows that are printed.
    pub fn rows(&self) -> &[T] {
        &self.rows
    }

    /// Prints the notes, after the results.
    fn print_notes(&self) {
        self.notes.iter().for_each(|text| note(text));

        let also = &self.extra.also_named;
        if !also.symbols.is_empty() {
            let more = (also.more > 0).then(|| format!("and {} more", also.more));
            let also: Vec<String> = also.symbols.iter().map(symbol_text).chain(more).collect();
            note(&format!(
                "more symbols of that name (select them with --file or a longer name):\n  {}",
                also.join("\n  ")
            ));
        }

        if !self.extra.external.is_empty() {
            note(&format!(
                "calls outside the repository:\n  {}",
                self.extra.external.join("\n  ")
            ));
        }

        let possible = &self.extra.possible;
        for (sites, word, meaning) in [
            (
                &possible.unresolved,
                "use",
                "of the name could not be resolved and may belong here",
            ),
            (
                &possible.possible,
                "use",
                "of the name more likely to belong to another symbol",
            ),
            (
                &possible.textual,
                "line",
                "with the name in other languages or inactive code",
            ),
        ] {
            if sites.count > 0 {
                note(&sample(sites, word, meaning));
            }
        }
    }
}

/// Reports whether the note about changed files names every file that the index is missing.
fn is_covered(staleness: &Staleness, stale: &[String]) -> bool {
    !staleness.everything
        && !staleness.files.is_empty()
        && staleness.files.iter().all(|file| stale.contains(file))
}

/// Formats `Shop.Cart.Total(int) (src/Cart.cs:12): 3 results`.
fn heading(symbol: &AnsweredSymbol, results: usize, places: &PathDisplay) -> Line {
    let location = symbol.label.location.as_ref();
    let location = location.map(|(path, line)| format!(" ({}:{line})", places.of(path)));
    Line::heading(format!(
        "{}{}: {}",
        symbol.name(),
        location.unwrap_or_default(),
        count(results as u64, "result")
    ))
}

/// Formats the number of sites, their meaning, and the first of them.
fn sample(sites: &SiteSample, word: &str, meaning: &str) -> String {
    let more = if sites.count > sites.first.len() as u64 {
        "\n  ..."
    } else {
        ""
    };
    format!(
        "{} {meaning}:\n  {}{more}",
        count(sites.count, word),
        sites.first.join("\n  ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_working_folder() {
        for (root, here, expected) in [
            ("/r", "/r", "src/a.cs"),
            ("/r", "/r/src", "a.cs"),
            ("/r", "/r/web/app", "../../src/a.cs"),
            ("/w/r", "/w", "r/src/a.cs"),
            ("/w/r", "/w/q", "../r/src/a.cs"),
            ("/w/r", "/other", "/w/r/src/a.cs"),
        ] {
            assert_eq!(
                PathDisplay::new(Path::new(root), Path::new(here)).of("src/a.cs"),
                expected,
                "{root} from {here}"
            );
        }
    }
}
