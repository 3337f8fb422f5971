//! The TypeScript compiler's declarations, and how a row of ours finds one.

use std::collections::{HashMap, HashSet};

use crate::accuracy::score::Tables;
use crate::accuracy::tables::{Declared, Row};

/// Names that a constructor may have.
const CONSTRUCTOR_NAMES: [&str; 5] = ["constructor", ".ctor", "ctor", "__init__", "new"];

pub struct TypescriptSymbol<'t> {
    file: &'t str,
    pub kind: &'t str,
    pub name: &'t str,
    first_line: usize,
    name_line: usize,
    /// 0 if none.
    pub parent: usize,
    scope: &'t str,
    optional: bool,
}

impl<'t> TypescriptSymbol<'t> {
    fn new(row: &Row<'_, 't>) -> Self {
        Self {
            file: row.text("file"),
            kind: row.text("kind"),
            name: row.text("name"),
            first_line: row.number("line_start"),
            name_line: row.number("name_line"),
            parent: row.number("parent_sid"),
            scope: row.text("scope"),
            optional: row.text("opt") == "1",
        }
    }

    /// Creates symbol 0, a file as a whole.
    fn file() -> Self {
        Self {
            file: "",
            kind: "",
            name: "",
            first_line: 0,
            name_line: 0,
            parent: 0,
            scope: "",
            optional: true,
        }
    }

    /// Reports whether a line is between its first line and the line of its name.
    pub fn spans(&self, line: usize) -> bool {
        self.first_line <= line && line <= self.name_line
    }
}

/// The compiler's declarations. Symbols are numbered from 1; 0 is a file as a whole.
pub struct TypescriptGold<'t> {
    pub symbols: Vec<TypescriptSymbol<'t>>,
    by_name: HashMap<(&'t str, &'t str), Vec<usize>>,
    constructors: HashMap<&'t str, Vec<usize>>,
    files: HashSet<&'t str>,
}

impl<'t> TypescriptGold<'t> {
    pub fn new(tables: &Tables<'t>) -> Self {
        let files = tables.table("files").rows();
        let mut gold = Self {
            symbols: vec![TypescriptSymbol::file()],
            by_name: HashMap::new(),
            constructors: HashMap::new(),
            files: files.map(|row| row.text("file")).collect(),
        };

        for row in tables.table("symbols").rows() {
            gold.push(TypescriptSymbol::new(&row));
        }

        gold
    }

    fn push(&mut self, symbol: TypescriptSymbol<'t>) {
        let id = self.symbols.len();

        let named = self.by_name.entry((symbol.file, symbol.name));
        named.or_default().push(id);
        if symbol.kind == "constructor" {
            self.constructors.entry(symbol.file).or_default().push(id);
        }

        self.symbols.push(symbol);
    }

    pub fn covers(&self, file: &str) -> bool {
        self.files.contains(file)
    }

    pub fn named<'s>(&'s self, file: &'s str, name: &'s str) -> &'s [usize] {
        self.by_name
            .get(&(file, name))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Returns the number of a declaration; 0 is the file as a whole.
    pub fn find(&self, declared: &Declared<'_>) -> Option<usize> {
        let Declared { file, line, name } = *declared;
        if line == 0 || name.is_empty() || name == file {
            return Some(0);
        }

        let name = if self.named(file, name).is_empty() {
            last_segment(name)
        } else {
            name
        };

        self.find_named(file, line, name)
            .or_else(|| self.find_constructor(file, line, name))
    }

    /// Prefers required declarations, then those whose name is nearest.
    fn find_named(&self, file: &str, line: usize, name: &str) -> Option<usize> {
        self.named(file, name)
            .iter()
            .copied()
            .filter(|id| self.symbols[*id].spans(line))
            .min_by_key(|id| {
                let symbol = &self.symbols[*id];
                (symbol.optional, symbol.name_line - line)
            })
    }

    /// Finds a constructor, which may have the name of its class.
    fn find_constructor(&self, file: &str, line: usize, name: &str) -> Option<usize> {
        let is_class_name = |id: usize| {
            let parent = self.symbols[id].parent;
            parent != 0 && self.symbols[parent].name == name
        };

        self.constructors
            .get(file)?
            .iter()
            .copied()
            .filter(|id| self.symbols[*id].spans(line))
            .find(|id| CONSTRUCTOR_NAMES.contains(&name) || is_class_name(*id))
    }

    pub fn constructors_by_class(&self) -> HashMap<usize, Vec<usize>> {
        let mut constructors: HashMap<usize, Vec<usize>> = HashMap::new();
        for (id, symbol) in self.symbols.iter().enumerate() {
            if symbol.kind == "constructor" {
                constructors.entry(symbol.parent).or_default().push(id);
            }
        }

        constructors
    }

    /// Reports whether a declaration belongs to a module or is a member, and is not inside a body
    /// or an unnamed type.
    pub fn is_core(&self, id: usize) -> bool {
        let symbol = &self.symbols[id];
        matches!(symbol.scope, "module" | "member")
            && !matches!(
                symbol.kind,
                "call-signature" | "construct-signature" | "export-default"
            )
    }

    pub fn is_required(&self, id: usize) -> bool {
        let symbol = &self.symbols[id];
        !symbol.optional && matches!(symbol.scope, "module" | "member") && self.covers(symbol.file)
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

/// Returns `name` of `A.B#name()`.
fn last_segment(name: &str) -> &str {
    name.trim_end_matches(['(', ')'])
        .rsplit(['.', '#', ':'])
        .next()
        .unwrap_or_default()
}
