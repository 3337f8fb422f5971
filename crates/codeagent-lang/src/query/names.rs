//! Interned names: a name has the same number in all files of a language.
//!
//! Limitations: only names that were added have a number.

use std::sync::Arc;

use super::interner::Interner;

/// A name, the same in all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub u32);

impl Name {
    /// The absent name.
    pub const NONE: Self = Self(u32::MAX);
}

#[derive(Debug, Default)]
pub struct Names(Interner<Arc<str>>);

impl Names {
    /// Returns the number of a text, adding it if needed.
    pub fn add(&mut self, text: &str) -> Name {
        self.get(text)
            .unwrap_or_else(|| Name(self.0.add_new(Arc::from(text))))
    }

    /// Returns the number of a text that was added.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<Name> {
        self.0.find(text).map(Name)
    }

    /// Returns the text of a name; empty for [`Name::NONE`].
    #[must_use]
    pub fn text(&self, name: Name) -> &str {
        self.0.values().get(name.0 as usize).map_or("", |text| text)
    }

    #[must_use]
    pub fn count(&self) -> u32 {
        self.0.values().len() as u32
    }
}
