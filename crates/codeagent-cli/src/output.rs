//! Printing of answers: rows as lines for people and after them the notes on standard error, or all
//! of it as JSON: `{"results":[..],"notes":[..]}` with the tool's additions.
//!
//! Paths in lines for people are relative to the current directory, so that an editor opens
//! `path:line:column`; those in JSON are relative to the root, as in the tools. Colours are used on
//! a terminal unless `NO_COLOR` is set.
//!
//! **Limits.** A path that shares no folder with the current directory is shown whole.

use std::io::Write;
use std::path::{Component, Path, PathBuf};

use codeagent_mcp::answer::Answer;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::commands::Root;
use crate::said::by_command;
use crate::text::{self, Line};

/// Prints lines.
pub fn lines<T: Into<Line>>(lines: impl IntoIterator<Item = T>) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    for line in lines {
        writeln!(out, "{}", line.into().painted())?;
    }
    Ok(out.flush()?)
}

/// Prints a value as JSON, readable.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    one_json(&serde_json::to_string_pretty(value)?)
}

/// Prints JSON that is a text already.
pub fn one_json(value: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", text::json(value))?;
    Ok(out.flush()?)
}

/// A remark, apart from the answer.
pub fn note(text: &str) {
    complain(&format!("note: {text}"));
}

/// Prints to standard error.
pub fn complain(text: &str) {
    // A remark that nobody can read is no reason to fail.
    writeln!(std::io::stderr(), "{}", text::paragraph(text)).ok();
}

/// `method Shop.Cart.Total(int extra): int  src/Cart.cs:12`
pub fn symbol(row: &Value, places: &Places) -> Line {
    let text = |name: &str| row[name].as_str().unwrap_or_default();
    let result = row["return_type"]
        .as_str()
        .map(|text| format!(": {text}"))
        .unwrap_or_default();
    let word = row["kind"].as_str().unwrap_or(text("node_type"));
    let line = Line::from(format!(
        "{word} {}{}{result}  ",
        text("qualified_name"),
        text("parameter_signature")
    ));
    line.place(format!(
        "{}:{}",
        places.of(text("file_path")),
        row["line_start"]
    ))
}

/// `1 file`, `2 files`
pub fn count(number: u64, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// Where the repository lies, seen from the working folder.
#[derive(Debug)]
pub struct Places {
    root: PathBuf,
    here: PathBuf,
}

impl Places {
    /// A root and a working folder, both resolved.
    pub fn new(root: &Path, here: &Path) -> Self {
        Self {
            root: root.to_owned(),
            here: here.to_owned(),
        }
    }

    /// A path of the repository, from the working folder.
    pub fn of(&self, path: &str) -> String {
        let whole = self.root.join(path);
        let common = whole
            .components()
            .zip(self.here.components())
            .take_while(|(a, b)| a == b)
            .count();
        // The root of the file system is shared by all.
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

/// What may belong to an answer: the names of its number and of its locations, and what it is.
const UNCERTAIN: [(&str, &str, (&str, &str)); 3] = [
    (
        "unresolved_sites",
        "unresolved",
        (
            "use",
            "of the name could not be resolved and may belong here",
        ),
    ),
    (
        "possible_sites",
        "possible",
        ("use", "of the name more likely to belong to another symbol"),
    ),
    (
        "textual_sites",
        "textual",
        ("line", "in other languages with the name"),
    ),
];

/// An answer with the rows that are shown of it.
#[derive(Debug)]
pub struct Answered {
    rows: Vec<Value>,
    added: Map<String, Value>,
    notes: Vec<String>,
}

impl Answered {
    /// At most `limit` rows of an answer, and what the rest of it is.
    pub fn new(answer: Answer, limit: Option<usize>) -> Self {
        let mut rows = match answer.value {
            Value::Array(rows) => rows,
            value => vec![value],
        };
        let stale = strings(&answer.added, "stale_files");
        // That they are not in the index is said by the note about them.
        let is_said = |note: &str| {
            note.split_once("not in the index yet: ")
                .is_some_and(|(_, files)| files.split(", ").all(|file| stale.contains(&file)))
        };
        let notes = answer.notes.iter().filter(|note| !is_said(note));
        let mut notes: Vec<String> = notes.map(|note| by_command(note, &stale)).collect();
        let all = rows.len();
        if let Some(limit) = limit.filter(|limit| *limit < all) {
            rows.truncate(limit);
            notes.insert(0, format!("showing {limit} of {all} results (--limit)"));
        }
        Self {
            rows,
            added: answer.added,
            notes,
        }
    }

    /// Prints it, each row as these lines.
    pub fn print(
        self,
        root: &Root,
        mut row: impl FnMut(&Value, &Places) -> Vec<Line>,
    ) -> anyhow::Result<()> {
        if root.json {
            let mut whole = json!({ "results": self.rows, "notes": self.notes });
            whole
                .as_object_mut()
                .into_iter()
                .for_each(|fields| fields.extend(self.added.clone()));
            return json(&whole);
        }
        let places = root.places()?;
        let mut rows = self.rows.iter().peekable();
        let (mut printed, mut without) = (Vec::new(), 0);
        for symbol in strings(&self.added, "symbols")
            .into_iter()
            .filter_map(Head::parse)
        {
            if symbol.results == 0 || rows.peek().is_none() {
                without += u64::from(symbol.results == 0);
                continue;
            }
            if !printed.is_empty() {
                printed.push(Line::default());
            }
            printed.push(symbol.line(&places));
            rows.by_ref()
                .take(symbol.results)
                .for_each(|each| printed.extend(row(each, &places)));
        }
        rows.for_each(|each| printed.extend(row(each, &places)));
        let is_empty = printed.is_empty();
        lines(printed)?;
        if without > 0 && !is_empty {
            note(&format!(
                "{} of that name without results",
                count(without, "more symbol")
            ));
        }
        self.remark();
        Ok(())
    }

    /// Prints the notes, after the results.
    fn remark(&self) {
        self.notes.iter().for_each(|text| note(text));
        let also = strings(&self.added, "also_named");
        if !also.is_empty() {
            let also: Vec<&str> = also.into_iter().map(without_id).collect();
            note(&format!(
                "more symbols of that name (select them with --file or a longer name):\n  {}",
                also.join("\n  ")
            ));
        }
        for (number, list, (word, meaning)) in UNCERTAIN {
            if let Some(number) = self.added.get(number).and_then(Value::as_u64) {
                let shown = strings(&self.added, list);
                let more = if number > shown.len() as u64 {
                    "\n  ..."
                } else {
                    ""
                };
                note(&format!(
                    "{} {meaning}:\n  {}{more}",
                    count(number, word),
                    shown.join("\n  ")
                ));
            }
        }
    }
}

/// One of several symbols that are answered for: `nabc Shop.Cart.Total(int) src/Cart.cs:12: 3`.
struct Head<'a> {
    name: &'a str,
    path: &'a str,
    line: &'a str,
    results: usize,
}

impl<'a> Head<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (symbol, results) = text.rsplit_once(": ")?;
        let (name, place) = without_id(symbol).rsplit_once(' ')?;
        let (path, line) = place.rsplit_once(':')?;
        Some(Self {
            name,
            path,
            line,
            results: results.parse().ok()?,
        })
    }

    /// `Shop.Cart.Total(int) (src/Cart.cs:12): 3 results`
    fn line(&self, places: &Places) -> Line {
        let results = count(self.results as u64, "result");
        Line::heading(format!(
            "{} ({}:{}): {results}",
            self.name,
            places.of(self.path),
            self.line
        ))
    }
}

/// A symbol as it is listed, without its node id.
fn without_id(symbol: &str) -> &str {
    symbol.split_once(' ').map_or(symbol, |(_, rest)| rest)
}

fn strings<'a>(added: &'a Map<String, Value>, name: &str) -> Vec<&'a str> {
    added
        .get(name)
        .and_then(Value::as_array)
        .map_or_else(Vec::new, |values| {
            values.iter().filter_map(Value::as_str).collect()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_the_working_folder() {
        for (root, here, expected) in [
            ("/r", "/r", "src/a.cs"),
            ("/r", "/r/src", "a.cs"),
            ("/r", "/r/web/app", "../../src/a.cs"),
            ("/w/r", "/w", "r/src/a.cs"),
            ("/w/r", "/w/q", "../r/src/a.cs"),
            ("/w/r", "/other", "/w/r/src/a.cs"),
        ] {
            assert_eq!(
                Places::new(Path::new(root), Path::new(here)).of("src/a.cs"),
                expected,
                "{root} from {here}"
            );
        }
    }
}
