//! The text of a file, with what requests compute from it once.

use std::sync::{Arc, OnceLock};

use codeagent_core::inspect::{LocalName, local_names};

use crate::positions::Lines;

/// A text, its lines and its local names.
#[derive(Debug)]
pub struct FileText {
    lines: Lines,
    locals: OnceLock<Locals>,
}

impl FileText {
    pub fn new(text: Arc<str>) -> Self {
        Self {
            lines: Lines::new(text),
            locals: OnceLock::new(),
        }
    }

    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// Returns the names that only this file uses. The first call parses the text.
    pub fn locals(&self, path: &str) -> &Locals {
        self.locals
            .get_or_init(|| Locals::new(local_names(path, self.lines.text())))
    }
}

/// The locals, parameters and type parameters of a text.
#[derive(Debug, Default)]
pub struct Locals {
    names: Vec<LocalName>,
    /// Line, column and name of every declaration and use, sorted.
    tokens: Vec<(u32, u32, usize)>,
}

impl Locals {
    fn new(names: Vec<LocalName>) -> Self {
        let mut tokens: Vec<(u32, u32, usize)> = names
            .iter()
            .enumerate()
            .flat_map(|(index, name)| {
                let places = std::iter::once(name.at).chain(name.uses.iter().copied());
                places.map(move |at| (at.line, at.column, index))
            })
            .collect();
        tokens.sort_unstable();
        Self { names, tokens }
    }

    /// Returns the columns of the names on a line, each with its name.
    pub fn on_line(&self, line: u32) -> impl Iterator<Item = (u32, &LocalName)> {
        let first = self.tokens.partition_point(|token| token.0 < line);
        self.tokens[first..]
            .iter()
            .take_while(move |token| token.0 == line)
            .map(|(_, column, index)| (*column, &self.names[*index]))
    }
}
