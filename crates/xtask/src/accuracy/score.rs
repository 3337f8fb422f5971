//! What a comparison with the gold gives: counts by class, and every place where we disagree.
//!
//! **Limits.** A wrong target at a site counts twice, as a wrong prediction and as an expected one
//! not found, and is listed twice.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use codeagent_workspace::{RepoPath, Workspace};

use crate::accuracy::tables::Table;

/// Tables by name: `symbols`, `calls`, `inherits`, `refs`, `files`.
pub struct Tables<'t> {
    tables: BTreeMap<&'t str, Table<'t>>,
    none: Table<'t>,
}

impl<'t> Tables<'t> {
    /// Those that are there; any other reads as empty.
    pub fn new(tables: BTreeMap<&'t str, Table<'t>>) -> Self {
        Self {
            tables,
            none: Table::default(),
        }
    }

    /// One of them.
    pub fn table(&self, name: &str) -> &Table<'t> {
        self.tables.get(name).unwrap_or(&self.none)
    }
}

/// Right and wrong predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Predictions {
    /// Those that the gold has.
    pub right: usize,
    /// Those that it has not.
    pub wrong: usize,
}

/// The counts of one class.
pub struct Scored {
    /// `calls`, `references`..
    pub class: &'static str,
    /// Our rows by their confidence; those without one under an empty word.
    pub predictions: BTreeMap<String, Predictions>,
    /// Of what the gold expects: found and not found.
    pub found: usize,
    /// Not found.
    pub missed: usize,
    /// One line per disagreement.
    pub disagreements: Vec<String>,
}

impl Scored {
    /// Nothing counted yet.
    pub fn new(class: &'static str) -> Self {
        Self {
            class,
            predictions: BTreeMap::new(),
            found: 0,
            missed: 0,
            disagreements: Vec::new(),
        }
    }

    /// A row of ours that the gold has.
    pub fn right(&mut self, confidence: &str) {
        self.predictions
            .entry(confidence.to_owned())
            .or_default()
            .right += 1;
    }

    /// A row of ours that the gold has not, with what it has in its place.
    pub fn wrong(&mut self, confidence: &str, site: &str, ours: &str, gold: &str) {
        self.predictions
            .entry(confidence.to_owned())
            .or_default()
            .wrong += 1;
        self.note("wrong", site, ours, gold);
    }

    /// Something that the gold has.
    pub fn expect(&mut self, is_found: bool, site: &str, ours: &str, gold: &str) {
        if is_found {
            self.found += 1;
        } else {
            self.missed += 1;
            self.note("missed", site, ours, gold);
        }
    }

    /// [`Scored::wrong`] where another class lists the site.
    pub fn wrong_unlisted(&mut self, confidence: &str) {
        self.predictions
            .entry(confidence.to_owned())
            .or_default()
            .wrong += 1;
    }

    /// [`Scored::expect`] where another class lists the site.
    pub fn expect_unlisted(&mut self, is_found: bool) {
        if is_found {
            self.found += 1
        } else {
            self.missed += 1
        }
    }

    fn note(&mut self, word: &str, site: &str, ours: &str, gold: &str) {
        self.disagreements.push(format!(
            "{site} {} {word}: ours {ours}, gold {gold}",
            self.class
        ));
    }

    /// All rows of ours.
    pub fn all(&self) -> Predictions {
        self.predictions
            .values()
            .fold(Predictions::default(), |sum, one| Predictions {
                right: sum.right + one.right,
                wrong: sum.wrong + one.wrong,
            })
    }

    /// Precision, recall and F1.
    pub fn figures(&self) -> [f64; 3] {
        let Predictions { right, wrong } = self.all();
        let (precision, recall) = (share(right, wrong), share(self.found, self.missed));
        let f1 = if precision + recall > 0.0 {
            2.0 * precision * recall / (precision + recall)
        } else {
            0.0
        };
        [precision, recall, f1]
    }
}

/// `part` of both; 0 of nothing.
pub fn share(part: usize, rest: usize) -> f64 {
    if part + rest == 0 {
        0.0
    } else {
        part as f64 / (part + rest) as f64
    }
}

/// All classes of one repository.
#[derive(Default)]
pub struct Report {
    /// In the order in which they are printed.
    pub classes: Vec<Scored>,
}

impl Report {
    /// Adds a class that has something to say.
    pub fn push(&mut self, score: Scored) {
        if score.found + score.missed + score.all().right + score.all().wrong > 0 {
            self.classes.push(score);
        }
    }

    /// All disagreements in the order of their sites.
    pub fn disagreements(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = self
            .classes
            .iter()
            .flat_map(|class| class.disagreements.iter().map(String::as_str))
            .collect();
        lines.sort_unstable();
        lines
    }
}

/// A declaration as disagreements show it.
pub fn place(file: &str, line: usize, name: &str) -> String {
    format!("{file}:{line} {name}")
}

/// The texts of a repository, read when asked for.
pub struct Sources {
    workspace: Workspace,
    texts: HashMap<String, Vec<String>>,
}

impl Sources {
    /// The repository at `root`.
    pub fn open(root: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            workspace: Workspace::open(root)?,
            texts: HashMap::new(),
        })
    }

    /// The identifier at a line and UTF-16 column, both from 1, and what stands before it on its
    /// line.
    pub fn token(&mut self, file: &str, (line, column): (usize, usize)) -> (String, String) {
        if !self.texts.contains_key(file) {
            let path = RepoPath::new(file).ok();
            let text = path
                .and_then(|path| self.workspace.read(&path).ok())
                .map(|file| file.text)
                .unwrap_or_default();
            self.texts
                .insert(file.to_owned(), text.lines().map(str::to_owned).collect());
        }
        let text = line
            .checked_sub(1)
            .and_then(|at| self.texts[file].get(at))
            .map(String::as_str)
            .unwrap_or_default();
        let units: Vec<u16> = text.encode_utf16().collect();
        let (before, after) = units.split_at(column.saturating_sub(1).min(units.len()));
        let word = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#');
        (
            String::from_utf16_lossy(after)
                .chars()
                .take_while(word)
                .collect(),
            String::from_utf16_lossy(before),
        )
    }
}
