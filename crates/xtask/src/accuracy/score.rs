//! Scores of a comparison with gold data: counts by class, and every disagreement.
//!
//! Limitations: a wrong target at a site counts twice, as a wrong prediction and as a missed
//! expectation, and is listed twice.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use codeagent_workspace::{RepoPath, Workspace};

use crate::accuracy::tables::{Site, Table};

/// The kinds of inheritance edges, each a class of its own.
pub const INHERITANCE_KINDS: [&str; 4] =
    ["extends", "implements", "overrides", "implements_member"];

/// Tables by name: `symbols`, `calls`, `inherits`, `refs`, `files`.
pub struct Tables<'t> {
    tables: BTreeMap<&'t str, Table<'t>>,
    none: Table<'t>,
}

impl<'t> Tables<'t> {
    /// Creates tables from those given; any other table is empty.
    pub fn new(tables: BTreeMap<&'t str, Table<'t>>) -> Self {
        Self {
            tables,
            none: Table::default(),
        }
    }

    pub fn table(&self, name: &str) -> &Table<'t> {
        self.tables.get(name).unwrap_or(&self.none)
    }
}

/// Counts of right and wrong predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Predictions {
    /// Number of predictions that are in the gold.
    pub right: usize,
    /// Number of predictions that are not.
    pub wrong: usize,
}

pub struct Scored {
    /// Name of the class, such as `calls` or `references`.
    pub class: &'static str,
    /// Our rows by confidence; rows without one are under the empty string.
    pub predictions: BTreeMap<String, Predictions>,
    /// Number of expected rows that were found.
    pub found: usize,
    /// Number of expected rows that were missed.
    pub missed: usize,
    /// One line per disagreement.
    pub disagreements: Vec<String>,
}

impl Scored {
    pub fn new(class: &'static str) -> Self {
        Self {
            class,
            predictions: BTreeMap::new(),
            found: 0,
            missed: 0,
            disagreements: Vec::new(),
        }
    }

    /// Counts a row that the gold has.
    pub fn right(&mut self, confidence: &str) {
        self.predictions
            .entry(confidence.to_owned())
            .or_default()
            .right += 1;
    }

    /// Counts a row that the gold does not have; `gold` is what it has at that site.
    pub fn wrong(&mut self, confidence: &str, site: &str, actual: &str, gold: &str) {
        self.predictions
            .entry(confidence.to_owned())
            .or_default()
            .wrong += 1;
        self.note("wrong", site, actual, gold);
    }

    /// Counts an expectation of the gold.
    pub fn expect(&mut self, is_found: bool, site: &str, actual: &str, gold: &str) {
        if is_found {
            self.found += 1;
        } else {
            self.missed += 1;
            self.note("missed", site, actual, gold);
        }
    }

    /// Like [`Scored::wrong`], for a site that another class lists.
    pub fn wrong_unlisted(&mut self, confidence: &str) {
        self.predictions
            .entry(confidence.to_owned())
            .or_default()
            .wrong += 1;
    }

    /// Like [`Scored::expect`], for a site that another class lists.
    pub fn expect_unlisted(&mut self, is_found: bool) {
        if is_found {
            self.found += 1
        } else {
            self.missed += 1
        }
    }

    fn note(&mut self, word: &str, site: &str, actual: &str, gold: &str) {
        self.disagreements.push(format!(
            "{site} {} {word}: ours {actual}, gold {gold}",
            self.class
        ));
    }

    /// Returns the counts of all rows.
    pub fn all(&self) -> Predictions {
        self.predictions
            .values()
            .fold(Predictions::default(), |sum, one| Predictions {
                right: sum.right + one.right,
                wrong: sum.wrong + one.wrong,
            })
    }

    /// Returns precision, recall and F1.
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

/// Returns `part / (part + rest)`, or 0 if both are 0.
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
    /// Adds a class unless it is empty.
    pub fn push(&mut self, score: Scored) {
        if score.found + score.missed + score.all().right + score.all().wrong > 0 {
            self.classes.push(score);
        }
    }

    /// Returns all disagreements in site order.
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

/// The texts of a repository, read on demand.
pub struct Sources {
    workspace: Workspace,
    texts: HashMap<String, Vec<String>>,
}

impl Sources {
    pub fn open(root: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            workspace: Workspace::open(root)?,
            texts: HashMap::new(),
        })
    }

    /// Returns the identifier at a site, and the text before it on its line.
    pub fn token(&mut self, site: &Site<'_>) -> (String, String) {
        let lines = self.lines(site.file);
        let text = site
            .line
            .checked_sub(1)
            .and_then(|at| lines.get(at))
            .map(String::as_str)
            .unwrap_or_default();

        let units: Vec<u16> = text.encode_utf16().collect();
        let (before, after) = units.split_at(site.column.saturating_sub(1).min(units.len()));

        let word = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#');
        (
            String::from_utf16_lossy(after)
                .chars()
                .take_while(word)
                .collect(),
            String::from_utf16_lossy(before),
        )
    }

    /// Returns the lines of a file; none if it cannot be read.
    fn lines(&mut self, file: &str) -> &[String] {
        if !self.texts.contains_key(file) {
            let path = RepoPath::new(file).ok();
            let text = path
                .and_then(|path| self.workspace.read(&path).ok())
                .map(|file| file.text)
                .unwrap_or_default();
            let lines = text.lines().map(str::to_owned).collect();
            self.texts.insert(file.to_owned(), lines);
        }

        &self.texts[file]
    }
}
