//! Interned names: a name has the same number in all files of a language.
//!
//! Names are added while an index is built, and later through shared references, when a file that is
//! indexed on demand has names that no other file has. The numbers of the latter depend on the order
//! in which threads add them.
//!
//! Limitations: only names that were added have a number.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::interner::Interner;

/// A name, the same in all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub u32);

impl Name {
    /// The absent name.
    pub const NONE: Self = Self(u32::MAX);
}

#[derive(Debug, Default)]
pub struct Names {
    first: Interner<Arc<str>>,
    later: LaterNames,
}

impl Names {
    /// Returns the number of a text, adding it if needed.
    pub fn add(&mut self, text: &str) -> Name {
        if let Some(name) = self.get(text) {
            return name;
        }
        if !self.later.is_empty() {
            return self.add_later(text);
        }
        Name(self.first.add_new(Arc::from(text)))
    }

    /// Returns the number of a text, adding it if needed.
    pub fn add_later(&self, text: &str) -> Name {
        match self.first.find(text) {
            Some(number) => Name(number),
            None => Name(self.count() + self.later.add(text)),
        }
    }

    /// Returns the number of a text that was added.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<Name> {
        let later = || Some(self.count() + self.later.find(text)?);
        self.first.find(text).or_else(later).map(Name)
    }

    /// Returns the text of a name; empty for [`Name::NONE`].
    #[must_use]
    pub fn text(&self, name: Name) -> &str {
        match self.first.values().get(name.0 as usize) {
            Some(text) => text,
            None if name == Name::NONE => "",
            None => self.later.text(name.0 - self.count()),
        }
    }

    /// Returns the number of names, without those that were added through shared references.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.first.values().len() as u32
    }
}

/// Names that are added through shared references. A text stays where it is: each bucket has twice
/// the size of the one before.
#[derive(Debug, Default)]
struct LaterNames {
    numbers: RwLock<FxHashMap<Arc<str>, u32>>,
    buckets: [OnceLock<Bucket>; BUCKETS],
}

/// Texts by position, each set once.
type Bucket = Box<[OnceLock<Arc<str>>]>;

/// Number of buckets: enough for all numbers.
const BUCKETS: usize = 32;

impl LaterNames {
    fn find(&self, text: &str) -> Option<u32> {
        let numbers = self.numbers.read().unwrap_or_else(PoisonError::into_inner);
        numbers.get(text).copied()
    }

    fn is_empty(&self) -> bool {
        let numbers = self.numbers.read().unwrap_or_else(PoisonError::into_inner);
        numbers.is_empty()
    }

    fn add(&self, text: &str) -> u32 {
        if let Some(number) = self.find(text) {
            return number;
        }

        let mut numbers = self.numbers.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = numbers.get(text) {
            return number;
        }

        let (number, text) = (numbers.len() as u32, Arc::<str>::from(text));
        let (bucket, at) = place(number);
        let slots = self.buckets[bucket].get_or_init(|| {
            std::iter::repeat_with(OnceLock::new)
                .take(1 << bucket)
                .collect()
        });
        slots[at].get_or_init(|| Arc::clone(&text));
        numbers.insert(text, number);
        number
    }

    fn text(&self, number: u32) -> &str {
        let (bucket, at) = place(number);
        let slots = self.buckets.get(bucket).and_then(OnceLock::get);
        let text = slots.and_then(|slots| slots.get(at)?.get());
        text.map_or("", |text| text)
    }
}

/// Returns the bucket of a number and the position in it.
fn place(number: u32) -> (usize, usize) {
    let number = u64::from(number) + 1;
    let bucket = number.ilog2();
    (bucket as usize, (number - (1 << bucket)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_added_later_keep_their_numbers_and_texts() {
        let mut names = Names::default();
        let first = names.add("first");
        let texts: Vec<String> = (0..1_000).map(|number| format!("name {number}")).collect();
        let numbers: Vec<Name> = texts.iter().map(|text| names.add_later(text)).collect();

        assert_eq!(names.add_later("first"), first);
        for (text, name) in texts.iter().zip(numbers) {
            assert_eq!(names.text(name), text);
            assert_eq!(names.get(text), Some(name));
            assert_eq!(names.add(text), name);
        }
        let last = names.add("last");
        assert_eq!(names.text(last), "last");
        assert_eq!(names.count(), 1);
        assert_eq!(names.text(Name::NONE), "");
    }
}
