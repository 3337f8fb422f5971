//! The bundled declarations of ECMAScript and browsers.
//!
//! `lib.*.d.ts` of the package `typescript` is part of the binary as one blob (`data/`) in the
//! format of [`dts_bundle`], built by `codeagent-externals`: without comments, split into
//! declarations and their members.
//!
//! Limitations: one version of each library.
//!
//! [`dts_bundle`]: super::dts_bundle

use std::sync::OnceLock;

use super::dts_bundle::{Declaration, DtsBundle, packed, unpacked, write_section};

/// The declarations of ECMAScript and of browsers.
const BLOB: &[u8] = include_bytes!("../../data/javascript.bin");

/// The path prefix of its declarations.
pub const PLACE: &str = "javascript:";

/// Collects declarations and writes the blob.
#[derive(Default)]
pub struct LibraryBundleWriter {
    libraries: Vec<(String, Vec<String>, Vec<Declaration>)>,
}

impl LibraryBundleWriter {
    /// Adds a library that includes others, which precede it in inclusion order.
    pub fn library(&mut self, name: &str, references: Vec<String>) {
        self.libraries
            .push((name.to_owned(), references, Vec::new()));
    }

    /// Adds a declaration of the last library.
    pub fn add(&mut self, declaration: Declaration) {
        if let Some((_, _, declarations)) = self.libraries.last_mut() {
            declarations.push(declaration);
        }
    }

    /// Returns the numbers of declarations and of optional members.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        let all = || self.libraries.iter().flat_map(|library| &library.2);
        (
            all().count(),
            all()
                .map(|declaration| {
                    declaration
                        .parts
                        .iter()
                        .filter(|part| part.0.is_some())
                        .count()
                })
                .sum(),
        )
    }

    /// Returns the blob.
    #[must_use]
    pub fn finish(&self) -> Vec<u8> {
        let mut text = String::new();
        for (name, references, declarations) in &self.libraries {
            write_section(
                std::iter::once(name).chain(references).map(String::as_str),
                &mut text,
            );
            declarations
                .iter()
                .for_each(|declaration| declaration.write(&mut text));
        }
        packed(&text)
    }
}

/// A set of libraries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selection(u128);

impl Selection {
    /// Returns the union of two sets.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Reports whether the set contains a library.
    #[must_use]
    pub fn has(self, library: usize) -> bool {
        self.0 >> library & 1 == 1
    }
}

/// The libraries in the binary.
pub struct Libraries {
    texts: DtsBundle,
}

impl Libraries {
    /// Returns the libraries in the binary.
    #[must_use]
    pub fn get() -> &'static Self {
        static TEXT: OnceLock<String> = OnceLock::new();
        static LIBRARIES: OnceLock<Libraries> = OnceLock::new();
        // The blob is valid; a test reads it.
        LIBRARIES.get_or_init(|| Self {
            texts: DtsBundle::read(TEXT.get_or_init(|| unpacked(BLOB)), false),
        })
    }

    /// Returns their declarations, a section for each library.
    #[must_use]
    pub fn texts(&self) -> &DtsBundle {
        &self.texts
    }

    /// Returns the library with exactly this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.texts.numbers.get(name).copied()
    }

    /// Returns the libraries of these names with all they include; unknown names are ignored.
    pub fn select<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Selection {
        let mut selected = Selection::default();
        let mut open: Vec<&str> = names.into_iter().collect();
        while let Some(name) = open.pop() {
            let position = self.library(name);
            if let Some(position) = position.filter(|position| !selected.has(*position)) {
                selected.0 |= 1 << position;
                open.extend(&self.texts.sections[position].fields);
            }
        }
        selected
    }

    /// Finds a library by its name in `lib`.
    fn library(&self, name: &str) -> Option<usize> {
        let finished = |part: &str| {
            self.texts
                .sections
                .iter()
                .rposition(|library| is_finished(library.name, part))
        };

        let same = match name {
            "es6" => self.find("es2015"),
            "es7" => self.find("es2016"),
            // A target newer than the bundled libraries.
            _ => self.find(name).or_else(|| {
                if name.ends_with(".full") {
                    self.find("esnext.full")
                } else {
                    None
                }
            }),
        };

        // Libraries that have since become part of an edition: `esnext.weakref`.
        same.or_else(|| finished(name.strip_prefix("esnext.")?))
    }
}

/// Reports whether a library is part of a yearly edition: `es2021.weakref`.
fn is_finished(name: &str, part: &str) -> bool {
    let year = name
        .strip_suffix(part)
        .and_then(|year| year.strip_suffix('.'));
    year.is_some_and(|year| year.starts_with("es2"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stdlib::dts_bundle::{BundleSelection, parse_declarations};
    use codeagent_model::graph::ParseStatus;

    /// Returns the texts that some names lead to in libraries, by library.
    fn taken(libraries: Selection, is_name: impl Fn(&str) -> bool) -> Vec<(&'static str, String)> {
        let all = Libraries::get();
        let sources = BundleSelection::new(
            all.texts(),
            &is_name,
            &|library| libraries.has(library),
            &|_| None,
        )
        .finish();
        sources[0]
            .taken(&is_name)
            .into_iter()
            .map(|(library, text)| (all.texts.sections[library].name, text))
            .collect()
    }

    fn texts(libraries: &[&str], names: &[&str]) -> Vec<(&'static str, String)> {
        taken(Libraries::get().select(libraries.iter().copied()), |name| {
            names.contains(&name)
        })
    }

    #[test]
    fn every_library_parses_without_errors() {
        let all = &Libraries::get().texts;
        assert!(
            all.count() > 3000 && all.sections.len() < 128,
            "{} {}",
            all.count(),
            all.sections.len()
        );

        let mut partial = Vec::new();
        for (library, text) in taken(Selection(u128::MAX), |_| true) {
            let facts = parse_declarations(&text);
            assert!(!facts.header.is_module, "{library}");
            if facts.header.parse_status != ParseStatus::Full {
                partial.push(library);
            }
        }

        assert_eq!(partial, ["es2015.symbol.wellknown"]);
    }

    #[test]
    fn a_name_selects_its_declaration_and_named_members() {
        let found = texts(&["es5"], &["Array", "indexOf"]);
        let [(_, text)] = &found[..] else {
            panic!("{found:?}")
        };
        assert!(
            text.contains("indexOf(") && text.contains("[n: number]: T;"),
            "{text}"
        );
        assert!(
            !text.contains("forEach(") && !text.contains("interface Date"),
            "{text}"
        );
    }

    #[test]
    fn types_of_a_member_are_selected_if_the_member_is_named() {
        let has_request = |names: &[&str]| {
            texts(&["dom"], names)
                .iter()
                .any(|(_, text)| text.contains("interface Body "))
        };
        assert!(!has_request(&["fetch_"]));
        assert!(!has_request(&["Navigator"]));
        assert!(has_request(&["fetch"]));
    }

    #[test]
    fn a_selection_includes_the_libraries_it_references() {
        let all = Libraries::get();
        let has = |names: &[&str], library: &str| {
            all.select(names.iter().copied())
                .has(all.find(library).unwrap_or(127))
        };

        assert!(
            has(&["es2015"], "es5")
                && has(&["es2015"], "es2015.promise")
                && !has(&["es2015"], "es2016.array.include")
        );
        assert!(has(&["es6"], "es2015.core") && !has(&["es6"], "dom"));
        assert!(has(&["es2015.full"], "dom") && !has(&["es2015.full"], "es2016"));
        assert!(
            has(&["esnext.weakref"], "es2021.weakref") && has(&["es2099.full"], "esnext.iterator")
        );
        assert_eq!(all.select(["no such library"]), Selection::default());
    }

    #[test]
    fn referenced_libraries_come_first() {
        let all = Libraries::get();
        for (number, library) in all.texts.sections.iter().enumerate() {
            assert!(
                library
                    .fields
                    .iter()
                    .all(|reference| all.find(reference).is_some_and(|other| other < number)),
                "{}",
                library.name
            );
        }
    }
}
