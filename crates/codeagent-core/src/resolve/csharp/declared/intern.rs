//! Which number does a name have world-wide: comparing names of different files is comparing numbers.
//!
//! **Limits.** Only names that occur in some C# file have a number; the names the linker itself knows come first.

use rustc_hash::FxHashMap;

use crate::resolve::csharp::declared::well_known::{KNOWN, Known, OPERATORS, WORDS};

/// A name, world-wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

impl NameId {
    /// No name.
    pub const NONE: Self = Self(u32::MAX);
}

/// All names.
#[derive(Debug)]
pub struct Names {
    ids: FxHashMap<Box<str>, NameId>,
    texts: Vec<Box<str>>,
    known_names: Vec<NameId>,
}

impl Names {
    /// The names the linker knows.
    #[must_use]
    pub fn new() -> Self {
        let mut names = Self { ids: FxHashMap::default(), texts: Vec::new(), known_names: Vec::new() };
        for word in WORDS.iter().chain(OPERATORS) {
            names.add(word);
        }
        for (_, name, _) in KNOWN {
            let id = names.add(name);
            names.known_names.push(id);
        }
        names
    }

    /// The number of a text, a new one if need be.
    pub fn add(&mut self, text: &str) -> NameId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = NameId(self.texts.len() as u32);
        self.texts.push(text.into());
        self.ids.insert(text.into(), id);
        id
    }

    /// How many names there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.texts.len() as u32
    }

    /// The number of a text if any file has it.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<NameId> {
        self.ids.get(text).copied()
    }

    /// The text of a name, empty for [`NameId::NONE`].
    #[must_use]
    pub fn text(&self, id: NameId) -> &str {
        self.texts.get(id.0 as usize).map_or("", |text| text)
    }

    /// The simple name of a known type.
    #[must_use]
    pub fn of_known(&self, known: Known) -> NameId {
        self.known_names[known as usize]
    }
}

impl Default for Names {
    fn default() -> Self {
        Self::new()
    }
}
