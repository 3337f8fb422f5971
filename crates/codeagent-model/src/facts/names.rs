//! String table of a file.

use serde::{Deserialize, Serialize};

use super::Sym;

/// The distinct strings of a file in one buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
}

impl Names {
    /// Returns a string; empty for `NONE`.
    #[must_use]
    pub fn get(&self, sym: Sym) -> &str {
        let Some(&end) = self.ends.get(sym.0 as usize) else {
            return "";
        };
        let start = if sym.0 == 0 {
            0
        } else {
            self.ends[sym.index() - 1]
        };
        &self.text[start as usize..end as usize]
    }

    /// Adds a string that is not in the table yet.
    pub fn push(&mut self, text: &str) -> Sym {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        Sym(self.ends.len() as u32 - 1)
    }

    /// Returns the number of strings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Reports whether the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Iterates over all strings in the order of their `Sym`.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|i| self.get(Sym(i)))
    }

    /// Releases unused capacity.
    pub fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}
