//! The recorded results and how a run differs from them.
//!
//! Limitations: lines are compared as a set: a moved line is not a change.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::accuracy::rows::{self, Rows};
use crate::accuracy::score::{Predictions, Report, Scored, share};
use crate::search::{DRAWN, LIMIT, SEED, Tally};
use crate::sentences::MIN_SENTENCES;

/// Maximum number of changed lines shown per kind of result.
const SHOWN: usize = 400;

const ACCURACY_HEAD: &str = "\
# What `cargo xtask accuracy` measures; docs/ACCURACY.md says how. Do not edit.
# right and wrong: rows of ours that the compiler has and has not; found and missed: what it has that we have and have not.
";

/// Formats the figures of one repository: one line per class, then the precision by confidence.
pub fn figures(report: &Report) -> String {
    let mut text =
        "  class                    right  wrong  found missed  precision  recall      F1\n"
            .to_owned();
    for class in &report.classes {
        let Predictions { right, wrong } = class.all();
        let [precision, recall, f1] = class.figures();
        let _ = writeln!(
            text,
            "  {:22} {right:7} {wrong:6} {:6} {:6}     {precision:.4}  {recall:.4}  {f1:.4}",
            class.class, class.found, class.missed
        );
        text += &by_confidence(class);
    }
    text
}

fn by_confidence(class: &Scored) -> String {
    let stated = class
        .predictions
        .iter()
        .filter(|(confidence, _)| !confidence.is_empty());
    stated.fold(
        String::new(),
        |mut text, (confidence, Predictions { right, wrong })| {
            let _ = writeln!(
                text,
                "    {confidence:20} {right:7} {wrong:6}                   {:.4}",
                share(*right, *wrong)
            );
            text
        },
    )
}

/// The recorded results and those of this run.
pub struct Golden {
    folder: PathBuf,
    before: BTreeMap<PathBuf, String>,
    now: BTreeMap<PathBuf, String>,
    figures: Vec<String>,
    ranking: String,
}

impl Golden {
    pub fn open(folder: &Path) -> anyhow::Result<Self> {
        let mut before = BTreeMap::new();
        let mut paths = vec![PathBuf::from("accuracy.txt"), PathBuf::from("ranking.txt")];

        for part in ["sites", "rows"] {
            let below = folder.join(part);
            std::fs::create_dir_all(&below)?;
            for entry in std::fs::read_dir(&below)? {
                paths.push(Path::new(part).join(entry?.file_name()));
            }
        }

        for path in paths {
            if folder.join(&path).exists() {
                let text = std::fs::read_to_string(folder.join(&path))?;
                before.insert(path, text);
            }
        }

        let ranking = format!(
            "# How often search finds what somebody means: {DRAWN} symbols of each repository, drawn with seed {SEED}, asked for in several ways.\n\
             # Recall at 1, 5 and 10 and the mean reciprocal rank among {LIMIT} results, for a symbol of the name and for the symbol itself.\n\
             # doc: all first sentences of doc comments, of repositories with at least {MIN_SENTENCES}, the index without documentation; among 10 names.\n"
        );

        Ok(Self {
            folder: folder.to_owned(),
            before,
            now: BTreeMap::new(),
            figures: Vec::new(),
            ranking,
        })
    }

    fn old(&self, path: &Path) -> &str {
        self.before
            .get(path)
            .map(String::as_str)
            .unwrap_or_default()
    }

    pub fn add_figures(&mut self, figures: String) {
        self.figures.push(figures);
    }

    /// Keeps the recorded results of a corpus that is missing on this machine.
    pub fn keep_section(&mut self, name: &str) {
        let start = format!("{name}: ");
        let section = self
            .old(Path::new("accuracy.txt"))
            .split("\n\n")
            .find(|section| section.starts_with(&start));
        if let Some(section) = section {
            let section = format!("{}\n", section.trim_end());
            self.figures.push(section);
        }
        for path in corpus_paths(name) {
            if let Some(text) = self.before.get(&path) {
                self.now.insert(path, text.clone());
            }
        }
    }

    /// Adds the disagreements of a corpus and the hashes of its rows.
    pub fn add_corpus(&mut self, name: &str, sites: String, hashes: String) {
        for (path, text) in corpus_paths(name).into_iter().zip([sites, hashes]) {
            self.now.insert(path, text);
        }
    }

    /// Adds the search quality of a corpus.
    pub fn add_ranking(&mut self, name: &str, tally: &Tally) {
        let _ = write!(self.ranking, "\n{name}\n{}", tally.table(false));
    }

    /// Returns all differences: figures, disagreements, files, and the rows themselves if the
    /// previous rows are available.
    pub fn changes(
        &mut self,
        measured: &[(&'static str, Rows)],
        previous_rows: &dyn Fn(&str) -> PathBuf,
    ) -> Vec<String> {
        let accuracy = self
            .figures
            .iter()
            .fold(ACCURACY_HEAD.to_owned(), |text, figures| {
                text + "\n" + figures
            });

        self.now.insert("accuracy.txt".into(), accuracy);
        self.now.insert("ranking.txt".into(), self.ranking.clone());

        let none = String::new();
        let paths: BTreeSet<&PathBuf> = self.before.keys().chain(self.now.keys()).collect();
        let mut lines = Vec::new();

        for path in paths {
            let changed = differences(self.old(path), self.now.get(path).unwrap_or(&none));
            show(
                &mut lines,
                &self.folder.join(path).display().to_string(),
                changed,
            );
        }

        for (name, now) in measured {
            let [_, hashes] = corpus_paths(name);
            let committed = self.old(&hashes);
            if committed.is_empty() || Some(committed) == self.now.get(&hashes).map(String::as_str)
            {
                continue;
            }
            match rows::previous_rows(&previous_rows(name), committed) {
                Some(before) => show(&mut lines, &format!("rows of {name}"), rows::changes(&before, now)),
                None => lines.push(format!("rows of {name}: run this on the commit before, then here again, to see which changed")),
            }
        }

        lines
    }

    /// Writes all texts and removes those of dropped corpora.
    pub fn write(&self) -> anyhow::Result<()> {
        for (path, text) in &self.now {
            if self.before.get(path) != Some(text) {
                std::fs::write(self.folder.join(path), text)?;
            }
        }
        for path in self
            .before
            .keys()
            .filter(|path| !self.now.contains_key(*path))
        {
            std::fs::remove_file(self.folder.join(path))?;
        }
        Ok(())
    }
}

/// Returns the paths of a corpus: disagreements and hashes of rows.
fn corpus_paths(name: &str) -> [PathBuf; 2] {
    ["sites", "rows"].map(|part| Path::new(part).join(format!("{name}.txt")))
}

fn show(lines: &mut Vec<String>, title: &str, changed: Vec<String>) {
    if changed.is_empty() {
        return;
    }
    let rest = changed.len().saturating_sub(SHOWN);
    lines.push(format!("{title}: {} lines differ", changed.len()));
    lines.extend(changed.into_iter().take(SHOWN));
    if rest > 0 {
        lines.push(format!(".. and {rest} more"));
    }
}

/// Returns removed lines with `-` and added lines with `+`, with repetitions.
fn differences(before: &str, now: &str) -> Vec<String> {
    let count = |text: &str| {
        text.lines().fold(
            BTreeMap::new(),
            |mut counts: BTreeMap<String, i64>, line| {
                *counts.entry(line.to_owned()).or_default() += 1;
                counts
            },
        )
    };

    let (mut old, new) = (count(before), count(now));
    for (line, times) in new {
        *old.entry(line).or_default() -= times;
    }

    let sign = |times: i64| if times > 0 { '-' } else { '+' };
    let changed = old.into_iter().filter(|(_, times)| *times != 0);
    changed
        .flat_map(|(line, times)| {
            std::iter::repeat_n(
                format!("{} {line}", sign(times)),
                times.unsigned_abs() as usize,
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_line_appears_as_removed_and_added() {
        assert_eq!(differences("a 1\nb 2\n", "b 2\na 3\n"), ["- a 1", "+ a 3"]);
        assert_eq!(differences("a\na\n", "a\n"), ["- a"]);
        assert!(differences("a\nb\n", "b\na\n").is_empty());
    }

    #[test]
    fn wrong_and_missed_rows_lower_precision_and_recall() {
        let mut class = Scored::new("calls");
        class.right("exact");
        class.wrong("inferred", "a.ts:1:2", "a.ts:3 f", "a.ts:4 g");
        class.expect(true, "a.ts:9:2", "", "");
        class.expect(false, "a.ts:1:2", "a.ts:3 f", "a.ts:4 g");
        assert_eq!(class.figures(), [0.5, 0.5, 0.5]);
        assert_eq!(class.disagreements.len(), 2);
        assert_eq!(by_confidence(&class).lines().count(), 2);
    }
}
