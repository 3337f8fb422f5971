//! The bundled declarations of well-known npm packages, for repositories where they are not
//! installed.
//!
//! They are part of the binary as one blob (`data/`), built by `codeagent-externals`: a list of the
//! packages and their modules, then one bundle ([`dts_bundle`]) per package with a section for each
//! module, decompressed when some file imports it.
//!
//! Limitations: one version of each package, listed in `data/NOTICE.md`.
//!
//! [`dts_bundle`]: super::dts_bundle

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::dts_bundle::{Declaration, DtsBundle, packed, unpacked, write_section};

/// The declarations of the packages.
const BLOB: &[u8] = include_bytes!("../../data/npm.bin");

/// The path prefix of their declarations.
pub const PLACE: &str = "npm:";

/// Collects packages and writes the blob.
#[derive(Default)]
pub struct PackageBundleWriter {
    packages: Vec<PendingPackage>,
    declarations: usize,
}

struct PendingPackage {
    name: String,
    modules: Vec<String>,
    text: String,
}

impl PackageBundleWriter {
    /// Adds a package.
    pub fn package(&mut self, name: &str) {
        self.packages.push(PendingPackage {
            name: name.to_owned(),
            modules: Vec::new(),
            text: String::new(),
        });
    }

    /// Adds a module of the last package; its global declarations are in the module without a name.
    pub fn module(&mut self, name: &str) {
        if let Some(package) = self.packages.last_mut() {
            package
                .modules
                .extend(Some(name.to_owned()).filter(|name| !name.is_empty()));
            write_section([name], &mut package.text);
        }
    }

    /// Adds a declaration of the last module.
    pub fn add(&mut self, declaration: &Declaration) {
        if let Some(package) = self.packages.last_mut() {
            declaration.write(&mut package.text);
            self.declarations += 1;
        }
    }

    /// Returns the number of packages and of declarations.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.packages.len(), self.declarations)
    }

    /// Returns the blob: the length of the list, the list, the packages.
    #[must_use]
    pub fn finish(&self) -> Vec<u8> {
        let (mut list, mut bodies) = (String::new(), Vec::new());

        for package in &self.packages {
            let body = packed(&package.text);
            list.push_str(
                &[
                    &package.name,
                    &body.len().to_string(),
                    &package.modules.join(" "),
                ]
                .map(String::as_str)
                .join("\t"),
            );
            list.push('\n');
            bodies.extend(body);
        }

        let list = packed(&list);
        [&(list.len() as u32).to_le_bytes()[..], &list, &bodies].concat()
    }
}

/// A package in the binary.
pub struct BundledPackage {
    pub name: &'static str,
    packed: &'static [u8],
    text: OnceLock<String>,
    texts: OnceLock<DtsBundle>,
}

/// The packages in the binary.
#[derive(Default)]
pub struct BundledPackages {
    all: Vec<BundledPackage>,
    modules: FxHashMap<&'static str, usize>,
}

impl BundledPackages {
    /// Returns the packages in the binary.
    #[must_use]
    pub fn get() -> &'static Self {
        static LIST: OnceLock<String> = OnceLock::new();
        static PACKAGES: OnceLock<BundledPackages> = OnceLock::new();
        PACKAGES.get_or_init(|| {
            // The blob is valid; a test reads it.
            let Some((length, rest)) = BLOB.split_first_chunk() else {
                return Self::default();
            };
            let Some((list, bodies)) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)
            else {
                return Self::default();
            };
            Self::read(LIST.get_or_init(|| unpacked(list)), bodies)
        })
    }

    fn read(list: &'static str, mut bodies: &'static [u8]) -> Self {
        let mut packages = Self::default();
        for line in list.lines() {
            let mut fields = line.split('\t');
            let mut field = || fields.next().unwrap_or_default();
            let (name, length, modules) = (field(), field(), field());
            let Some((packed, rest)) = length
                .parse()
                .ok()
                .and_then(|length| bodies.split_at_checked(length))
            else {
                break;
            };

            bodies = rest;
            packages.modules.extend(
                modules
                    .split_ascii_whitespace()
                    .map(|module| (module, packages.all.len())),
            );

            packages.all.push(BundledPackage {
                name,
                packed,
                text: OnceLock::new(),
                texts: OnceLock::new(),
            });
        }

        packages
    }

    /// Returns a module, by its name in the binary, with its package.
    #[must_use]
    pub fn find(&self, specifier: &str) -> Option<(&'static str, &BundledPackage)> {
        let (module, package) = self.modules.get_key_value(specifier)?;
        Some((module, &self.all[*package]))
    }

    #[must_use]
    pub fn package(&self, name: &str) -> Option<&BundledPackage> {
        self.all.iter().find(|package| package.name == name)
    }

    #[must_use]
    pub fn having(&self, texts: &DtsBundle) -> Option<&BundledPackage> {
        self.all.iter().find(|package| {
            package
                .texts
                .get()
                .is_some_and(|own| std::ptr::eq(own, texts))
        })
    }
}

impl BundledPackage {
    /// Its declarations, by module.
    pub fn texts(&'static self) -> &'static DtsBundle {
        self.texts
            .get_or_init(|| DtsBundle::read(self.text.get_or_init(|| unpacked(self.packed)), true))
    }
}

/// Wraps texts of modules in `declare module` blocks.
#[must_use]
pub fn blocks(texts: &DtsBundle, modules: &[(usize, String)]) -> String {
    let mut text = String::new();
    for (module, declared) in modules {
        match texts.sections[*module].name {
            "" => text.push_str(declared),
            name => text.extend(["declare module \"", name, "\" {\n", declared, "}\n"]),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stdlib::dts_bundle::{BundleSelection, parse_declarations};
    use crate::stdlib::javascript::Libraries;
    use codeagent_model::graph::ParseStatus;

    /// Returns the declarations in imported packages that the names refer to.
    fn taken(
        imported: &[&'static str],
        is_name: impl Fn(&str) -> bool,
    ) -> Vec<(&'static str, String)> {
        let packages = BundledPackages::get();
        let having = |module: &str| packages.find(module).map(|found| found.1.texts());
        let mut taking =
            BundleSelection::new(Libraries::get().texts(), &is_name, &|_| true, &having);

        imported.iter().for_each(|module| taking.import(module));

        let of_module = |source: &crate::stdlib::dts_bundle::SelectedBundle| {
            let texts = source.texts;
            let modules = source.taken(&is_name).into_iter();
            modules
                .map(move |module| (texts.sections[module.0].name, blocks(texts, &[module])))
                .collect::<Vec<_>>()
        };

        taking.finish()[1..].iter().flat_map(of_module).collect()
    }

    #[test]
    fn every_module_parses_without_errors() {
        let packages = BundledPackages::get();
        let modules: Vec<&str> = packages.modules.keys().copied().collect();
        assert!(
            packages.all.len() > 5 && modules.len() > 300,
            "{} {}",
            packages.all.len(),
            modules.len()
        );
        for (module, text) in taken(&modules, |_| true) {
            let facts = parse_declarations(&text);
            assert!(
                !facts.header.is_module && facts.header.parse_status == ParseStatus::Full,
                "{module}"
            );
        }
    }

    #[test]
    fn declarations_of_other_modules_are_included_if_mentioned() {
        let found = taken(&["rxjs"], |name| ["Subject", "subscribe"].contains(&name));
        let text_of = |part: &str| {
            found
                .iter()
                .find(|(module, _)| module.ends_with(part))
                .map(|found| found.1.as_str())
        };

        assert!(
            text_of("/Subject")
                .is_some_and(|text| text.contains("class Subject<T> extends Observable<T>"))
        );
        assert!(
            text_of("/Observable")
                .is_some_and(|text| text.contains("subscribe(") && !text.contains("pipe("))
        );
        assert!(text_of("/observable/timer").is_none());
    }

    #[test]
    fn a_namespace_exported_as_a_whole_is_reduced_too() {
        let found = taken(&["react"], |name| name == "useRef");
        let [(_, text), ..] = &found[..] else {
            panic!("{found:?}")
        };
        assert!(
            text.contains("export function useRef<T>(") && !text.contains("useState"),
            "{text}"
        );
    }
}
