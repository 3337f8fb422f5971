//! Tab-separated tables: the output of `codeagent export`, and gold data in compact form.
//!
//! Compact gold is one text with several tables. Each starts with a line `#NAME` and a line of
//! column names, followed by one line per row.
//!
//! Limitations: everything is held in memory. A missing column reads as empty text.

use std::collections::BTreeMap;
use std::fmt;

/// One table, whose rows borrow from the text.
#[derive(Default)]
pub struct Table<'t> {
    columns: Vec<&'t str>,
    rows: Vec<Vec<&'t str>>,
}

/// One row, read by column name.
#[derive(Clone, Copy)]
pub struct Row<'a, 't> {
    columns: &'a [&'t str],
    cells: &'a [&'t str],
}

/// A position in a source text. Lines and UTF-16 columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site<'t> {
    pub file: &'t str,
    pub line: usize,
    pub column: usize,
}

impl fmt::Display for Site<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A declaration as a row names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared<'t> {
    pub file: &'t str,
    pub line: usize,
    pub name: &'t str,
}

impl<'t> Declared<'t> {
    /// Returns the name, which tells declarations apart that the gold does not know.
    pub fn name_unless(&self, is_known: bool) -> &'t str {
        if is_known { "" } else { self.name }
    }

    /// Returns file and line, which tell declarations apart that the gold does not know.
    pub fn line_unless(&self, is_known: bool) -> (&'t str, usize) {
        if is_known {
            ("", 0)
        } else {
            (self.file, self.line)
        }
    }
}

impl fmt::Display for Declared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} {}", self.file, self.line, self.name)
    }
}

impl<'t> Table<'t> {
    /// Parses a text whose first line names the columns.
    pub fn parse(text: &'t str) -> Self {
        let mut lines = text.lines();
        let columns = lines.next().unwrap_or_default().split('\t').collect();
        Self {
            columns,
            rows: lines.map(|line| line.split('\t').collect()).collect(),
        }
    }

    /// Iterates over the rows in order.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_, 't>> {
        self.rows.iter().map(|cells| Row {
            columns: &self.columns,
            cells,
        })
    }
}

impl<'t> Row<'_, 't> {
    /// Returns the text in a column.
    pub fn text(&self, column: &str) -> &'t str {
        let at = self.columns.iter().position(|name| *name == column);
        at.and_then(|at| self.cells.get(at))
            .copied()
            .unwrap_or_default()
    }

    /// Returns the number in a column; 0 if there is none.
    pub fn number(&self, column: &str) -> usize {
        self.text(column).parse().unwrap_or_default()
    }

    /// Returns the comma-separated numbers in a column.
    pub fn numbers(&self, column: &str) -> Vec<usize> {
        self.text(column)
            .split(',')
            .filter_map(|number| number.parse().ok())
            .collect()
    }

    /// Returns the position of a reference.
    pub fn site(&self) -> Site<'t> {
        Site {
            file: self.text("file"),
            line: self.number("line"),
            column: self.number("col"),
        }
    }

    /// Returns the position of a call.
    pub fn call_site(&self) -> Site<'t> {
        Site {
            file: self.text("caller_file"),
            line: self.number("site_line"),
            column: self.number("site_col"),
        }
    }

    /// Returns the declaration of a row of table `symbols`.
    pub fn symbol(&self) -> Declared<'t> {
        Declared {
            file: self.text("file"),
            line: self.number("line_start"),
            name: self.text("name"),
        }
    }

    /// Returns the declaration in the columns `ROLE_file`, `ROLE_line` and `ROLE_name`.
    pub fn declared(&self, role: &str) -> Declared<'t> {
        Declared {
            file: self.text(&format!("{role}_file")),
            line: self.number(&format!("{role}_line")),
            name: self.text(&format!("{role}_name")),
        }
    }
}

/// Splits a compact gold text into tables by name.
pub fn sections(text: &str) -> BTreeMap<&str, Table<'_>> {
    let mut tables = BTreeMap::new();
    let mut current = None;

    for line in text.lines() {
        if let Some(head) = line.strip_prefix('#') {
            let mut words = head.split('\t');
            let name = words.next().unwrap_or_default();

            tables.insert(
                name,
                Table {
                    columns: words.collect(),
                    rows: Vec::new(),
                },
            );

            current = Some(name);
        } else if let Some(table) = current.and_then(|name| tables.get_mut(name)) {
            table.rows.push(line.split('\t').collect());
        }
    }

    tables
}
