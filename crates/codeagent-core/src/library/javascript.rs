//! What do the libraries of JavaScript declare, and which of it can the names of a world lead to?
//!
//! The declarations of ECMAScript and of browsers (`lib.*.d.ts` of the package `typescript`) lie in the binary as one blob (`data/`), made by
//! `codeagent-externals`: texts without comments, cut at declarations and their members.
//!
//! **What is taken.** Of the libraries that some program names, the declarations of names that its files have, of these the members of such names,
//! and whatever these mention. What is left out can be asked for by nobody: a name that no file has is looked up nowhere.
//!
//! **Limits.** One version of each library. Members of namespaces (`Intl`) are taken together.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::extract::extract;
use crate::model::facts::Facts;
use crate::model::graph::Dialect;

/// The declarations of ECMAScript and of browsers.
const BLOB: &[u8] = include_bytes!("../../data/javascript.bin");

/// What the paths of its declarations begin with.
pub const PLACE: &str = "javascript:";

/// Room for what the blob holds, of which the system gives what is written to.
const MOST_BYTES: usize = 1 << 23;

/// How hard the blob is compressed.
const LEVEL: i32 = 19;

/// What the lines of the blob begin with: a library with those that it takes in, a declaration. The others are parts of a declaration: the name
/// without which it is left out, if there is one, and the text.
const LIBRARY: char = '=';
const DECLARATION: char = '+';

/// A declaration, cut at its members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// Name.
    pub name: String,
    /// Its text in parts, those that can be left out with their names.
    pub parts: Vec<(Option<String>, String)>,
}

/// Collects declarations and makes the blob.
#[derive(Default)]
pub struct Packer {
    libraries: Vec<(String, Vec<String>, Vec<Declaration>)>,
}

impl Packer {
    /// Adds a library that takes in others. Those stand before it, in the order in which they are taken in.
    pub fn library(&mut self, name: &str, references: Vec<String>) {
        self.libraries.push((name.to_owned(), references, Vec::new()));
    }

    /// Adds a declaration of the last library.
    pub fn add(&mut self, declaration: Declaration) {
        if let Some((_, _, declarations)) = self.libraries.last_mut() {
            declarations.push(declaration);
        }
    }

    /// Number of declarations, and of members that can be left out.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let all = || self.libraries.iter().flat_map(|library| &library.2);
        (all().count(), all().map(|declaration| declaration.parts.iter().filter(|part| part.0.is_some()).count()).sum())
    }

    /// The blob.
    #[must_use]
    pub fn finish(&self) -> Vec<u8> {
        let mut text = String::new();
        for (name, references, declarations) in &self.libraries {
            text.push(LIBRARY);
            text.push_str(name);
            references.iter().for_each(|reference| text.extend(["\t", reference]));
            text.push('\n');
            for declaration in declarations {
                text.push(DECLARATION);
                text.push_str(&declaration.name);
                text.push('\n');
                for (name, part) in &declaration.parts {
                    text.extend([name.as_deref().unwrap_or_default(), "\t", part, "\n"]);
                }
            }
        }
        zstd::encode_all(text.as_bytes(), LEVEL).unwrap_or_default()
    }
}

/// A set of libraries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selection(u128);

impl Selection {
    /// Both together.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a library is one of them.
    #[must_use]
    pub fn has(self, library: usize) -> bool {
        self.0 >> library & 1 == 1
    }
}

/// The libraries in the binary.
#[derive(Default)]
pub struct Libraries {
    libraries: Vec<Library>,
    numbers: FxHashMap<&'static str, usize>,
    entries: Vec<Entry>,
    by_name: FxHashMap<&'static str, SmallVec<[u32; 2]>>,
    /// Declarations that have a member of a name, made when somebody asks.
    by_member: OnceLock<FxHashMap<&'static str, Vec<u32>>>,
}

struct Library {
    name: &'static str,
    references: Vec<&'static str>,
}

struct Entry {
    name: &'static str,
    library: usize,
    /// Its lines of the blob.
    lines: &'static str,
}

impl Entry {
    /// Its text in parts, with the names of those that can be left out and nothing in the place of others.
    fn parts(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.lines.lines().filter_map(|line| line.split_once('\t'))
    }
}

impl Libraries {
    /// Those in the binary.
    #[must_use]
    pub fn get() -> &'static Self {
        static TEXT: OnceLock<String> = OnceLock::new();
        static LIBRARIES: OnceLock<Libraries> = OnceLock::new();
        LIBRARIES.get_or_init(|| {
            // The blob is whole, a test reads it: what can lack is memory.
            let decoded = || String::from_utf8(zstd::bulk::decompress(BLOB, MOST_BYTES).ok()?).ok();
            let text = TEXT.get_or_init(|| decoded().unwrap_or_default());
            Self::read(text)
        })
    }

    fn read(text: &'static str) -> Self {
        let mut all = Self::default();
        let mut rest = text;
        while let Some((line, after)) = rest.split_once('\n') {
            rest = after;
            if let Some(library) = line.strip_prefix(LIBRARY) {
                let mut names = library.split('\t');
                let name = names.next().unwrap_or_default();
                all.numbers.insert(name, all.libraries.len());
                all.libraries.push(Library { name, references: names.collect() });
            } else if let Some(name) = line.strip_prefix(DECLARATION) {
                let lines;
                (lines, rest) = rest.split_at(end_of_parts(rest));
                all.by_name.entry(name).or_default().push(all.entries.len() as u32);
                all.entries.push(Entry { name, library: all.libraries.len().saturating_sub(1), lines });
            }
        }
        all
    }

    fn by_member(&self) -> &FxHashMap<&'static str, Vec<u32>> {
        self.by_member.get_or_init(|| {
            let mut by_member: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
            for (number, entry) in (0..).zip(&self.entries) {
                let names = entry.parts().map(|(name, _)| name).filter(|name| !name.is_empty());
                names.for_each(|name| by_member.entry(name).or_default().push(number));
            }
            by_member
        })
    }

    /// Whether a name leads to anything where the declarations of some names are there already.
    pub fn leads_further(&self, name: &str, is_there: impl Fn(&str) -> bool) -> bool {
        let owners = || self.by_member().get(name).into_iter().flatten();
        self.by_name.contains_key(name) || owners().map(|entry| self.entries[*entry as usize].name).any(is_there)
    }

    /// The library of exactly this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The libraries of these names with all that they take in; names that no library has are passed over.
    pub fn select<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Selection {
        let mut selected = Selection::default();
        let mut open: Vec<&str> = names.into_iter().collect();
        while let Some(name) = open.pop() {
            let position = self.library(name);
            if let Some(position) = position.filter(|position| !selected.has(*position)) {
                selected.0 |= 1 << position;
                open.extend(&self.libraries[position].references);
            }
        }
        selected
    }

    /// A library by the name that `lib` has for it.
    fn library(&self, name: &str) -> Option<usize> {
        let finished = |part: &str| self.libraries.iter().rposition(|library| is_finished(library.name, part));
        let same = match name {
            "es6" => self.find("es2015"),
            "es7" => self.find("es2016"),
            // A target that is newer than the libraries here.
            _ => self.find(name).or_else(|| if name.ends_with(".full") { self.find("esnext.full") } else { None }),
        };
        // What was new once: `esnext.weakref`.
        same.or_else(|| finished(name.strip_prefix("esnext.")?))
    }

    /// What the names lead to in the selected libraries: path and declarations of each that has some of it.
    #[must_use]
    pub fn needed(&self, selected: Selection, is_name: impl Fn(&str) -> bool) -> Vec<(Arc<str>, Arc<Facts>)> {
        let texts = self.texts(selected, is_name);
        let facts = |(library, text): (usize, String)| {
            let mut facts = extract(&text, Dialect::Ts, &[]);
            // Nobody links what it uses.
            facts.sites = Vec::new();
            (Arc::from(format!("{PLACE}{}", self.libraries[library].name)), Arc::new(facts))
        };
        texts.into_par_iter().map(facts).collect()
    }

    fn texts(&self, selected: Selection, is_name: impl Fn(&str) -> bool) -> Vec<(usize, String)> {
        let mut is_taken = vec![false; self.entries.len()];
        let mut open: Vec<u32> = Vec::new();
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let take = |name: &str, open: &mut Vec<u32>, is_taken: &mut [bool]| {
            for &entry in self.by_name.get(name).into_iter().flatten() {
                if selected.has(self.entries[entry as usize].library) && !std::mem::replace(&mut is_taken[entry as usize], true) {
                    open.push(entry);
                }
            }
        };
        for name in self.by_name.keys().filter(|name| is_name(name)) {
            take(name, &mut open, &mut is_taken);
        }
        while let Some(entry) = open.pop() {
            for (name, text) in self.entries[entry as usize].parts() {
                if name.is_empty() || is_name(name) {
                    words(text).filter(|word| seen.insert(word)).for_each(|word| take(word, &mut open, &mut is_taken));
                }
            }
        }
        let mut texts: Vec<(usize, String)> = Vec::new();
        for (entry, _) in self.entries.iter().zip(&is_taken).filter(|(_, is_taken)| **is_taken) {
            if texts.last().is_none_or(|(library, _)| *library != entry.library) {
                texts.push((entry.library, String::new()));
            }
            if let Some((_, text)) = texts.last_mut() {
                let parts = entry.parts().filter(|(name, _)| name.is_empty() || is_name(name));
                parts.for_each(|part| text.extend([part.1, "\n"]));
            }
        }
        texts
    }
}

/// Whether a library is a part of a year's: `es2021.weakref`.
fn is_finished(name: &str, part: &str) -> bool {
    let year = name.strip_suffix(part).and_then(|year| year.strip_suffix('.'));
    year.is_some_and(|year| year.starts_with("es2"))
}

/// Where the next line begins that is no part of a declaration.
fn end_of_parts(lines: &str) -> usize {
    let mut starts = std::iter::once(0).chain(lines.match_indices('\n').map(|(end, _)| end + 1));
    starts.find(|start| lines[*start..].starts_with([LIBRARY, DECLARATION])).unwrap_or(lines.len())
}

/// The identifiers in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::graph::ParseStatus;

    /// The texts of what some names lead to in libraries, by library.
    fn texts(libraries: &[&str], names: &[&str]) -> Vec<(&'static str, String)> {
        let all = Libraries::get();
        let texts = all.texts(all.select(libraries.iter().copied()), |name| names.contains(&name));
        texts.into_iter().map(|(library, text)| (all.libraries[library].name, text)).collect()
    }

    #[test]
    fn every_library_parses_whole() {
        let all = Libraries::get();
        assert!(all.entries.len() > 3000 && all.libraries.len() < 128, "{} {}", all.entries.len(), all.libraries.len());
        let mut partial = Vec::new();
        for (path, facts) in all.needed(Selection(u128::MAX), |_| true) {
            assert!(!facts.header.is_module, "{path}");
            if facts.header.parse_status != ParseStatus::Full {
                partial.push(path);
            }
        }
        assert_eq!(partial, [Arc::from("javascript:es2015.symbol.wellknown")]);
    }

    #[test]
    fn names_lead_to_declarations_and_their_members() {
        let found = texts(&["es5"], &["Array", "indexOf"]);
        let [(_, text)] = &found[..] else { panic!("{found:?}") };
        assert!(text.contains("indexOf(") && text.contains("[n: number]: T;"), "{text}");
        assert!(!text.contains("forEach(") && !text.contains("interface Date"), "{text}");
    }

    #[test]
    fn a_member_leads_to_what_it_mentions_if_it_is_named() {
        let has_request = |names: &[&str]| texts(&["dom"], names).iter().any(|(_, text)| text.contains("interface Body "));
        assert!(!has_request(&["fetch_"]));
        assert!(!has_request(&["Navigator"]));
        assert!(has_request(&["fetch"]));
    }

    #[test]
    fn a_selection_takes_in_what_its_libraries_do() {
        let all = Libraries::get();
        let has = |names: &[&str], library: &str| all.select(names.iter().copied()).has(all.find(library).unwrap_or(127));
        assert!(has(&["es2015"], "es5") && has(&["es2015"], "es2015.promise") && !has(&["es2015"], "es2016.array.include"));
        assert!(has(&["es6"], "es2015.core") && !has(&["es6"], "dom"));
        assert!(has(&["es2015.full"], "dom") && !has(&["es2015.full"], "es2016"));
        assert!(has(&["esnext.weakref"], "es2021.weakref") && has(&["es2099.full"], "esnext.iterator"));
        assert_eq!(all.select(["no such library"]), Selection::default());
    }

    #[test]
    fn those_that_are_taken_in_stand_before() {
        let all = Libraries::get();
        for (number, library) in all.libraries.iter().enumerate() {
            assert!(library.references.iter().all(|reference| all.find(reference).is_some_and(|other| other < number)), "{}", library.name);
        }
    }
}
