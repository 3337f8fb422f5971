//! Bundles of type declarations in the binary, and selection of the declarations that a world can
//! reach.
//!
//! A bundle is text, line by line: `=name` and further fields open a section (a JavaScript library,
//! or a module of a package); `+name` opens a declaration in it, with its imports from other
//! modules (`module name`). The following lines are the parts of the declaration, each with its
//! text and, if it is optional, the name that selects it.
//!
//! **Selection.** Selected are the globals whose names occur in the world and the declarations of
//! imported modules, reduced to the parts with such names; then everything they mention in their
//! own module, in modules it imports from, and among globals. The rest is never looked up, because
//! no file contains its names.
//!
//! Limitations: members of namespaces (`Intl`) are selected together.

use std::sync::{Arc, OnceLock};

use codeagent_lang::lower::parsing::one_heavy_at_a_time;
use codeagent_model::facts::Facts;
use codeagent_model::graph::Dialect;
use memchr::memchr_iter;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::lower::extract_declarations;

/// The compression level of the blobs.
const LEVEL: i32 = 19;

const SECTION: char = '=';
const DECLARATION: char = '+';

/// Stands for a name: all exports of a module.
pub const ALL: &str = "*";

/// The scope of global declarations.
const GLOBAL: u32 = u32::MAX;

/// A declaration, split at its members.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    /// Its name; empty for declarations that a module always includes (`export = a`).
    pub name: String,
    /// Its imports: module, and name or [`ALL`].
    pub imports: Vec<(String, String)>,
    /// Its text in parts; optional parts have a name.
    pub parts: Vec<(Option<String>, String)>,
}

impl Declaration {
    /// Appends the declaration to a text.
    pub fn write(&self, text: &mut String) {
        text.push(DECLARATION);
        text.push_str(&self.name);
        self.imports
            .iter()
            .for_each(|(module, name)| text.extend(["\t", module, " ", name]));
        text.push('\n');
        for (name, part) in &self.parts {
            text.extend([name.as_deref().unwrap_or_default(), "\t", part, "\n"]);
        }
    }
}

/// Appends the header of a section to a text.
pub fn write_section<'f>(fields: impl IntoIterator<Item = &'f str>, text: &mut String) {
    text.push(SECTION);
    text.push_str(&fields.into_iter().collect::<Vec<&str>>().join("\t"));
    text.push('\n');
}

/// Compresses a text for a blob: its length, then its contents.
#[must_use]
pub fn packed(text: &str) -> Vec<u8> {
    let compressed = zstd::encode_all(text.as_bytes(), LEVEL).unwrap_or_default();
    [&(text.len() as u32).to_le_bytes()[..], &compressed].concat()
}

/// Decompresses a text of a blob; empty if out of memory.
#[must_use]
pub fn unpacked(packed: &[u8]) -> String {
    let text = |(length, compressed): (&[u8; 4], &[u8])| {
        let bytes =
            zstd::bulk::decompress(compressed, u32::from_le_bytes(*length) as usize).ok()?;
        String::from_utf8(bytes).ok()
    };
    packed
        .split_first_chunk()
        .and_then(text)
        .unwrap_or_default()
}

/// Declarations by section.
#[derive(Default)]
pub struct DtsBundle {
    /// The sections, in order.
    pub sections: Vec<Section>,
    /// Sections by name.
    pub numbers: FxHashMap<&'static str, usize>,
    entries: Vec<Entry>,
    by_name: FxHashMap<(u32, &'static str), SmallVec<[u32; 2]>>,
    /// Declarations by the name of a member, computed on demand.
    by_member: OnceLock<FxHashMap<&'static str, Vec<u32>>>,
}

pub struct Section {
    pub name: &'static str,
    /// The rest of the section's header.
    pub fields: Vec<&'static str>,
    /// The scope of its declarations: [`GLOBAL`], or its own number.
    scope: u32,
    /// Its first declaration.
    start: u32,
}

struct Entry {
    name: &'static str,
    section: u32,
    imports: &'static str,
    /// Its lines in the blob.
    lines: &'static str,
}

impl Entry {
    /// Its text in parts, each with its name if it is optional.
    fn parts(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.lines.lines().filter_map(|line| line.split_once('\t'))
    }

    fn imports(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.imports
            .split('\t')
            .filter_map(|import| import.split_once(' '))
    }
}

impl DtsBundle {
    /// Parses a text whose sections are modules, or all of them global. A section without a name is
    /// global.
    #[must_use]
    pub fn read(text: &'static str, are_modules: bool) -> Self {
        let mut all = Self::default();
        let mut rest = text;
        while let Some((line, after)) = rest.split_once('\n') {
            rest = after;
            if let Some(line) = line.strip_prefix(SECTION) {
                let mut fields = line.split('\t');
                let name = fields.next().unwrap_or_default();
                let number = all.sections.len();
                all.numbers.insert(name, number);
                let scope = if are_modules && !name.is_empty() {
                    number as u32
                } else {
                    GLOBAL
                };
                all.sections.push(Section {
                    name,
                    fields: fields.collect(),
                    scope,
                    start: all.entries.len() as u32,
                });
            } else if let (Some(line), Some(section)) =
                (line.strip_prefix(DECLARATION), all.sections.last())
            {
                let (name, imports) = line.split_once('\t').unwrap_or((line, ""));
                let lines;
                (lines, rest) = rest.split_at(end_of_parts(rest));
                all.by_name
                    .entry((section.scope, name))
                    .or_default()
                    .push(all.entries.len() as u32);
                all.entries.push(Entry {
                    name,
                    section: all.sections.len() as u32 - 1,
                    imports,
                    lines,
                });
            }
        }

        all
    }

    /// Returns the number of declarations.
    #[must_use]
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    fn by_member(&self) -> &FxHashMap<&'static str, Vec<u32>> {
        self.by_member.get_or_init(|| {
            let mut by_member: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
            for (number, entry) in (0..).zip(&self.entries) {
                let names = entry
                    .parts()
                    .map(|(name, _)| name)
                    .filter(|name| !name.is_empty());
                names.for_each(|name| by_member.entry(name).or_default().push(number));
            }
            by_member
        })
    }

    /// Reports whether a name leads to anything beyond the global declarations already selected for
    /// some names.
    #[must_use]
    pub fn leads_further(&self, name: &str, is_there: impl Fn(&str) -> bool) -> bool {
        let scopes = self
            .sections
            .iter()
            .map(|section| section.scope)
            .filter(|scope| *scope != GLOBAL);
        let mut owners = self
            .by_member()
            .get(name)
            .into_iter()
            .flatten()
            .map(|entry| &self.entries[*entry as usize]);

        scopes
            .chain([GLOBAL])
            .any(|scope| self.by_name.contains_key(&(scope, name)))
            || owners.any(|entry| {
                self.sections[entry.section as usize].scope != GLOBAL || is_there(entry.name)
            })
    }

    /// Returns the declarations of a section.
    fn of_section(&self, section: usize) -> impl Iterator<Item = &Entry> {
        let end = self
            .sections
            .get(section + 1)
            .map_or(self.entries.len(), |next| next.start as usize);
        self.entries[self.sections[section].start as usize..end].iter()
    }
}

/// Returns the start of the next line that is not part of a declaration.
fn end_of_parts(lines: &str) -> usize {
    let mut starts =
        std::iter::once(0).chain(memchr_iter(b'\n', lines.as_bytes()).map(|end| end + 1));
    starts
        .find(|start| lines[*start..].starts_with([SECTION, DECLARATION]))
        .unwrap_or(lines.len())
}

/// A bundle with its selected texts.
pub struct SelectedBundle {
    pub texts: &'static DtsBundle,
    is_taken: Vec<bool>,
}

impl SelectedBundle {
    /// Returns the selected texts by section, in order.
    pub fn taken(&self, is_name: impl Fn(&str) -> bool) -> Vec<(usize, String)> {
        let mut texts: Vec<(usize, String)> = Vec::new();
        for (entry, _) in self
            .texts
            .entries
            .iter()
            .zip(&self.is_taken)
            .filter(|(_, is_taken)| **is_taken)
        {
            let section = entry.section as usize;
            if texts.last().is_none_or(|(last, _)| *last != section) {
                texts.push((section, String::new()));
            }
            if let Some((_, text)) = texts.last_mut() {
                entry
                    .parts()
                    .filter(|(name, _)| name.is_empty() || is_name(name))
                    .for_each(|part| text.extend([part.1, "\n"]));
            }
        }

        texts
    }
}

/// Selects the declarations that names lead to.
pub struct BundleSelection<'n> {
    /// The names in the world.
    is_name: &'n dyn Fn(&str) -> bool,
    /// Reports whether a section of the first source is available.
    is_selected: &'n dyn Fn(usize) -> bool,
    /// Returns the bundle that has a module.
    having: &'n dyn Fn(&str) -> Option<&'static DtsBundle>,
    sources: Vec<SelectedBundle>,
    open: Vec<(usize, u32)>,
    /// The exports already requested: source and section, name.
    asked: FxHashSet<((usize, usize), &'static str)>,
    /// The names already looked up: source and scope, name; in the first source, those looked up
    /// among globals.
    seen: FxHashSet<((usize, u32), &'static str)>,
}

impl<'n> BundleSelection<'n> {
    /// Selects from global declarations, and from modules where `having` finds them.
    pub fn new(
        global: &'static DtsBundle,
        is_name: &'n dyn Fn(&str) -> bool,
        is_selected: &'n dyn Fn(usize) -> bool,
        having: &'n dyn Fn(&str) -> Option<&'static DtsBundle>,
    ) -> Self {
        let mut taking = Self {
            is_name,
            is_selected,
            having,
            sources: Vec::new(),
            open: Vec::new(),
            asked: FxHashSet::default(),
            seen: FxHashSet::default(),
        };

        taking.source(global);
        taking
    }

    /// Selects the names that the world imports from a module.
    pub fn import(&mut self, module: &'static str) {
        self.ask(module, ALL);
    }

    /// Returns the selection, by source.
    pub fn finish(mut self) -> Vec<SelectedBundle> {
        while let Some((source, entry)) = self.open.pop() {
            self.go_on(source, entry);
        }
        self.sources
    }

    /// Returns the number of a source; requests the global names in it.
    fn source(&mut self, texts: &'static DtsBundle) -> usize {
        if let Some(number) = self
            .sources
            .iter()
            .position(|source| std::ptr::eq(source.texts, texts))
        {
            return number;
        }

        self.sources.push(SelectedBundle {
            texts,
            is_taken: vec![false; texts.entries.len()],
        });

        let is_asked =
            |name: &&'static str| (self.is_name)(name) || self.seen.contains(&((0, GLOBAL), *name));
        let global = texts
            .by_name
            .keys()
            .filter(|(scope, name)| *scope == GLOBAL && is_asked(name));
        for (_, name) in global.copied().collect::<Vec<_>>() {
            self.take(self.sources.len() - 1, GLOBAL, name);
        }

        self.sources.len() - 1
    }

    /// Selects the declarations of a name in a scope; returns whether there are any.
    fn take(&mut self, number: usize, scope: u32, name: &str) -> bool {
        let SelectedBundle { texts, is_taken } = &mut self.sources[number];
        let Some(entries) = texts.by_name.get(&(scope, name)) else {
            return false;
        };
        for &entry in entries {
            let is_selected =
                number > 0 || (self.is_selected)(texts.entries[entry as usize].section as usize);
            if is_selected && !std::mem::replace(&mut is_taken[entry as usize], true) {
                self.open.push((number, entry));
            }
        }
        true
    }

    /// Selects one export of a module, or all of them.
    fn ask(&mut self, module: &'static str, name: &'static str) {
        let Some(texts) = (self.having)(module) else {
            return;
        };

        let source = self.source(texts);

        let Some(&section) = texts.numbers.get(module) else {
            return;
        };
        if !self.asked.insert(((source, section), name)) {
            return;
        }

        // Declarations without a name: `export = a`, `export * from "b"`.
        self.take(source, section as u32, "");

        if name == ALL {
            let names = texts
                .of_section(section)
                .map(|entry| entry.name)
                .filter(|name| (self.is_name)(name));
            for name in names.collect::<Vec<_>>() {
                self.take(source, section as u32, name);
            }
        } else if self.take(source, section as u32, name) {
            return;
        }

        let passed_on = texts
            .of_section(section)
            .filter(|entry| entry.name.is_empty())
            .flat_map(Entry::imports);
        for (module, _) in passed_on {
            self.ask(module, name);
        }
    }

    /// Selects everything that a selected declaration leads to.
    fn go_on(&mut self, source: usize, entry: u32) {
        let texts = self.sources[source].texts;
        let entry = &texts.entries[entry as usize];

        // Names re-exported by `export *` are requested one by one.
        for (module, name) in entry.imports().filter(|_| !entry.name.is_empty()) {
            self.ask(module, name);
        }

        let scope = texts.sections[entry.section as usize].scope;
        let is_name = self.is_name;

        for (_, text) in entry
            .parts()
            .filter(|(name, _)| name.is_empty() || is_name(name))
        {
            for word in words(text) {
                if scope != GLOBAL
                    && (!self.seen.insert(((source, scope), word))
                        || self.take(source, scope, word))
                {
                    continue;
                }
                if self.seen.insert(((0, GLOBAL), word)) {
                    for number in 0..self.sources.len() {
                        self.take(number, GLOBAL, word);
                    }
                }
            }
        }
    }
}

/// Returns the identifiers in a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
        .filter(|word| !word.is_empty())
}

/// Returns the facts of declarations, with the hash of their text as that of their interface.
#[must_use]
pub fn parse_declarations(text: &str) -> Arc<Facts> {
    let parse = || extract_declarations(text, Dialect::Ts);
    let mut facts = one_heavy_at_a_time(text, parse);
    facts.header.interface_hash = hash(text);
    Arc::new(facts)
}

/// Returns the hash of a text.
#[must_use]
pub fn hash(text: &str) -> [u8; 16] {
    let mut first = [0; 16];
    first.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    first
}
