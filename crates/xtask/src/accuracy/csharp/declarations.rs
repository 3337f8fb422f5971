//! The C# compiler's declarations, and how a row of ours finds one.

use std::collections::{HashMap, HashSet};

use crate::accuracy::score::Tables;
use crate::accuracy::tables::{Declared, Row};

/// Kinds of symbols with a fixed name, which tools may spell differently.
const UNNAMED: [&str; 5] = [
    "constructor",
    "operator",
    "conversion",
    "indexer",
    "destructor",
];

pub struct CsharpSymbol<'t> {
    file: &'t str,
    pub kind: &'t str,
    name: &'t str,
    container: &'t str,
    name_line: usize,
    pub parent: usize,
    /// The symbol number of a partial type's first part.
    pub whole: usize,
}

impl<'t> CsharpSymbol<'t> {
    fn new(row: &Row<'_, 't>) -> Self {
        Self {
            file: row.text("file"),
            kind: row.text("kind"),
            name: row.text("name"),
            container: row.text("container"),
            name_line: row.number("name_line"),
            parent: row.number("parent_sid"),
            whole: row.number("canon_sid"),
        }
    }

    /// Creates symbol 0, which stands for none.
    fn none() -> Self {
        Self {
            file: "",
            kind: "",
            name: "",
            container: "",
            name_line: 0,
            parent: 0,
            whole: 0,
        }
    }

    pub fn is_unnamed(&self) -> bool {
        UNNAMED.contains(&self.kind)
    }

    /// Reports whether a table's name, qualified or not, may be its name.
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.name == last_segment(name)
    }

    /// Reports whether both have the same container and name.
    pub fn is_overload_of(&self, other: &Self) -> bool {
        (self.container, self.name) == (other.container, other.name)
    }
}

/// The compiler's declarations. Symbols are numbered from 1.
pub struct CsharpGold<'t> {
    pub symbols: Vec<CsharpSymbol<'t>>,
    by_line: HashMap<(&'t str, usize), Vec<usize>>,
    files: HashSet<&'t str>,
}

impl<'t> CsharpGold<'t> {
    pub fn new(tables: &Tables<'t>) -> Self {
        let files = tables.table("files").rows();
        let mut gold = Self {
            symbols: vec![CsharpSymbol::none()],
            by_line: HashMap::new(),
            files: files.map(|row| row.text("file")).collect(),
        };

        for row in tables.table("symbols").rows() {
            let (id, symbol) = (gold.symbols.len(), CsharpSymbol::new(&row));
            for line in row.number("line_start")..=symbol.name_line {
                let at_line = gold.by_line.entry((symbol.file, line));
                at_line.or_default().push(id);
            }
            gold.symbols.push(symbol);
        }

        gold
    }

    pub fn covers(&self, file: &str) -> bool {
        self.files.contains(file)
    }

    pub fn at<'s>(&'s self, file: &'s str, line: usize) -> &'s [usize] {
        self.by_line
            .get(&(file, line))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Finds the declaration with this name on a line, or else one on it that has no name of its
    /// own.
    pub fn find(&self, declared: &Declared<'_>) -> Option<usize> {
        let nearest = |is_match: &dyn Fn(&CsharpSymbol<'_>) -> bool| {
            let all = self.at(declared.file, declared.line).iter().copied();
            all.filter(|id| is_match(&self.symbols[*id]))
                .min_by_key(|id| self.distance(*id, declared.line))
        };

        nearest(&|symbol| symbol.is_named(declared.name))
            .or_else(|| nearest(&|symbol| symbol.is_unnamed()))
    }

    /// Returns the first part of a declaration's type.
    pub fn find_whole(&self, declared: &Declared<'_>) -> Option<usize> {
        self.find(declared).map(|id| self.symbols[id].whole)
    }

    /// Returns the number of lines between a line and a declaration's name.
    pub fn distance(&self, id: usize, line: usize) -> usize {
        self.symbols[id].name_line.abs_diff(line)
    }

    pub fn is_required(&self, id: usize) -> bool {
        let symbol = &self.symbols[id];
        symbol.kind != "local_function" && self.covers(symbol.file)
    }

    pub fn required(&self) -> impl Iterator<Item = usize> {
        (1..self.symbols.len()).filter(|id| self.is_required(*id))
    }

    pub fn show(&self, id: usize) -> String {
        let symbol = &self.symbols[id];
        let (file, line, name) = (symbol.file, symbol.name_line, symbol.name);
        Declared { file, line, name }.to_string()
    }
}

/// Returns `Name` of `A.B.Name<T>(int)`; names of operators are returned unchanged.
fn last_segment(name: &str) -> &str {
    let name = name.split('(').next().unwrap_or_default();
    if ["op", "implicit", "explicit", "~", "this"]
        .iter()
        .any(|start| name.starts_with(start))
    {
        return name;
    }

    name.split('<')
        .next()
        .unwrap_or_default()
        .rsplit('.')
        .next()
        .unwrap_or_default()
}
