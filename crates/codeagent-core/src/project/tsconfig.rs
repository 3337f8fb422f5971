//! Which files does a tsconfig cover, with what it inherits through `extends`.
//!
//! `files` names files, `include` covers by pattern (everything below the folder if neither is there), `exclude` takes away from `include`. A
//! configuration that others extend, that says neither and that is not called `tsconfig.json` covers nothing: it is there to be extended.
//!
//! **Limits.** Files that come in only because a covered file imports them are not covered. Of configurations from packages only those of packages
//! of this repository are seen.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::project::globs::{Glob, is_glob};
use crate::project::paths::{file_name, folder_of, has_extension, is_below, join};
use crate::project::{Package, jsonc};

/// Chains of `extends` beyond this length are cut.
const MAX_DEPTH: u32 = 16;
const CONFIG_DIR: &str = "${configDir}";

/// A configuration with what it inherits.
#[derive(Debug)]
pub(super) struct Config {
    /// `allowJs`.
    pub allow_js: bool,
    /// The libraries whose declarations its files see: those of `lib`, else what `target` gets by default.
    pub libraries: Vec<String>,
    /// Others extend it, and it extends none beside it.
    pub is_base: bool,
    files: Vec<String>,
    include: Vec<Pattern>,
    exclude: Vec<Glob>,
}

/// How a configuration covers a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Coverage {
    /// Not at all.
    None,
    /// It names some files, and may reach others near it through imports.
    ThroughImports,
    /// `include` matches, but `exclude` does too.
    Excluded,
    /// It is one of its files.
    Full,
}

#[derive(Debug)]
struct Pattern {
    glob: Glob,
    /// Segments that begin with a dot; wildcards match no others of that kind.
    dotted: Vec<String>,
}

/// A path or pattern and the folder it is relative to.
type Relative = (String, String);

/// A configuration as written; absent lists are inherited.
#[derive(Clone, Debug, Default)]
struct Written {
    files: Option<Vec<Relative>>,
    include: Option<Vec<Relative>>,
    exclude: Option<Vec<Relative>>,
    outputs: BTreeMap<&'static str, Relative>,
    allow_js: Option<bool>,
    lib: Option<Vec<String>>,
    no_lib: Option<bool>,
    target: Option<String>,
}

/// The configuration files of a repository.
pub(super) struct Configs<'a> {
    values: BTreeMap<&'a str, Value>,
    extended: BTreeSet<&'a str>,
    packages: &'a [Package],
}

impl<'a> Configs<'a> {
    /// Parses every tsconfig and jsconfig; the second part says which cannot be read.
    pub(super) fn new(texts: &'a BTreeMap<String, Arc<str>>, packages: &'a [Package]) -> (Self, Vec<String>) {
        let mut values = BTreeMap::new();
        let mut warnings = Vec::new();
        for (path, text) in texts.iter().filter(|(path, _)| is_json_config(path)) {
            match jsonc::parse(text) {
                Ok(value) => {
                    values.insert(path.as_str(), value);
                }
                Err(error) => warnings.push(format!("{path}: not readable, ignored: {error}")),
            }
        }
        let mut configs = Self { values, extended: BTreeSet::new(), packages };
        configs.extended = configs.values.keys().flat_map(|path| configs.bases(path)).collect();
        (configs, warnings)
    }

    /// Paths of the configurations that are projects, sorted.
    pub(super) fn paths(&self) -> impl Iterator<Item = &'a str> {
        self.values.keys().copied().filter(|path| is_config(path))
    }

    /// A configuration with all it inherits.
    pub(super) fn read(&self, path: &str) -> Config {
        let folder = folder_of(path);
        let written = self.inherited(path, 0, &mut BTreeMap::new());
        let resolve = |list: &[Relative]| -> Vec<String> { list.iter().filter_map(|relative| resolved(relative, folder)).collect() };
        let is_extended = self.extended.contains(path);
        let files = written.files.as_deref().map(&resolve);
        let include = match (&written.include, &files) {
            (Some(list), _) => resolve(list),
            (None, Some(_)) => Vec::new(),
            (None, None) if is_extended && !file_name(path).eq_ignore_ascii_case("tsconfig.json") => Vec::new(),
            (None, None) => vec![join(folder, "**/*").unwrap_or_default()],
        };
        let exclude = match &written.exclude {
            Some(list) => resolve(list),
            None => resolve(&written.outputs.into_values().collect::<Vec<_>>()),
        };
        Config {
            allow_js: written.allow_js.unwrap_or_else(|| file_name(path).starts_with("jsconfig")),
            libraries: libraries(written.no_lib, written.lib, written.target),
            is_base: is_extended && self.bases(path).iter().all(|base| folder_of(base) != folder),
            files: files.unwrap_or_default(),
            include: include.iter().map(|pattern| Pattern::new(pattern)).collect(),
            exclude: exclude.iter().flat_map(|pattern| [Glob::new(pattern), Glob::new(&format!("{pattern}/**"))]).collect(),
        }
    }

    /// `known` are the configurations that were met: one that is reached on many ways is put together once, one that extends itself adds
    /// nothing to itself.
    fn inherited<'p>(&self, path: &'p str, depth: u32, known: &mut BTreeMap<&'p str, Written>) -> Written
    where
        'a: 'p,
    {
        if let Some(written) = known.get(path) {
            return written.clone();
        }
        let Some(value) = self.values.get(path) else { return Written::default() };
        let mut written = Written::default();
        known.insert(path, Written::default());
        if depth < MAX_DEPTH {
            for base in self.bases(path) {
                written.inherit_over(self.inherited(base, depth + 1, known));
            }
        }
        written.inherit_over(own(value, folder_of(path)));
        known.insert(path, written.clone());
        written
    }

    /// The files that a configuration extends.
    fn bases(&self, path: &str) -> Vec<&'a str> {
        let names = self.values.get(path).and_then(|value| value.get("extends")).map(jsonc::strings).unwrap_or_default();
        names.iter().filter_map(|name| self.base(folder_of(path), name)).filter(|base| *base != path).collect()
    }

    /// The file that a name in `extends` means.
    fn base(&self, folder: &str, name: &str) -> Option<&'a str> {
        let path = if name.starts_with('.') {
            join(folder, name)?
        } else {
            let package = self.packages.iter().filter(|package| is_below(name, &package.name) || name == package.name);
            let package = package.max_by_key(|package| package.name.len())?;
            join(&package.folder, name[package.name.len()..].trim_start_matches('/'))?
        };
        let candidates = [path.clone(), format!("{path}.json"), format!("{path}/tsconfig.json").trim_start_matches('/').to_owned()];
        candidates.iter().find_map(|candidate| self.values.get_key_value(candidate.as_str()).map(|(path, _)| *path))
    }
}

/// What files see by default that no configuration speaks of.
pub(super) const NEWEST: &str = "esnext.full";

fn libraries(no_lib: Option<bool>, lib: Option<Vec<String>>, target: Option<String>) -> Vec<String> {
    match (no_lib, lib, target) {
        (Some(true), ..) => Vec::new(),
        (_, Some(lib), _) => lib,
        (.., Some(target)) => vec![format!("{}.full", if target == "es6" { "es2015" } else { &target })],
        _ => vec![NEWEST.to_owned()],
    }
}

/// Whether a file is a project of TypeScript's.
pub(super) fn is_config(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    has_extension(&name, ".json")
        && (name == "tsconfig.json" || name == "jsconfig.json" || name.starts_with("tsconfig.") || name.starts_with("jsconfig."))
}

/// Whether a file may be extended.
fn is_json_config(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    has_extension(&name, ".json") && (name.starts_with("tsconfig") || name.starts_with("jsconfig"))
}

fn own(value: &Value, folder: &str) -> Written {
    let list = |name: &str| -> Option<Vec<Relative>> {
        let list = value.get(name).filter(|list| list.is_array())?;
        Some(jsonc::strings(list).into_iter().map(|text| (folder.to_owned(), text)).collect())
    };
    let options = value.get("compilerOptions");
    let option = |name: &str| options.and_then(|options| options.get(name));
    let output = |name: &'static str| Some((name, (folder.to_owned(), option(name)?.as_str()?.to_owned())));
    Written {
        files: list("files"),
        include: list("include"),
        exclude: list("exclude"),
        outputs: ["outDir", "declarationDir"].into_iter().filter_map(output).collect(),
        lib: option("lib")
            .filter(|lib| lib.is_array())
            .map(|lib| jsonc::strings(lib).iter().map(|name| name.to_ascii_lowercase()).collect()),
        no_lib: option("noLib").and_then(Value::as_bool),
        target: option("target").and_then(Value::as_str).map(str::to_ascii_lowercase),
        allow_js: option("allowJs").or_else(|| option("checkJs")).and_then(Value::as_bool),
    }
}

impl Written {
    /// Replaces what a later configuration says itself.
    fn inherit_over(&mut self, later: Self) {
        self.files = later.files.or_else(|| self.files.take());
        self.include = later.include.or_else(|| self.include.take());
        self.exclude = later.exclude.or_else(|| self.exclude.take());
        self.outputs.extend(later.outputs);
        self.allow_js = later.allow_js.or(self.allow_js);
        self.lib = later.lib.or_else(|| self.lib.take());
        self.no_lib = later.no_lib.or(self.no_lib);
        self.target = later.target.or_else(|| self.target.take());
    }
}

fn resolved((folder, text): &Relative, final_folder: &str) -> Option<String> {
    match text.strip_prefix(CONFIG_DIR) {
        Some(rest) => join(final_folder, rest.trim_start_matches('/')),
        None => join(folder, text),
    }
}

impl Pattern {
    fn new(pattern: &str) -> Self {
        let last = file_name(pattern);
        let is_folder = !last.contains('.') && !is_glob(last) || last == "**";
        let glob = Glob::new(&if is_folder { format!("{pattern}/**/*") } else { pattern.to_owned() });
        let dotted = pattern.split('/').filter(|segment| segment.starts_with('.')).map(str::to_ascii_lowercase).collect();
        Self { glob, dotted }
    }

    fn matches(&self, lower: &str) -> bool {
        self.glob.matches_lower(lower)
            && lower.split('/').filter(|segment| segment.starts_with('.')).all(|segment| self.dotted.iter().any(|dotted| dotted == segment))
    }
}

impl Config {
    /// How it covers a file, given in lower case.
    pub(super) fn coverage(&self, lower: &str, is_javascript: bool) -> Coverage {
        if self.files.iter().any(|file| file.eq_ignore_ascii_case(lower)) {
            return Coverage::Full;
        }
        if is_javascript && !self.allow_js {
            return Coverage::None;
        }
        if !self.include.iter().any(|pattern| pattern.matches(lower)) {
            return if self.files.is_empty() { Coverage::None } else { Coverage::ThroughImports };
        }
        if self.exclude.iter().any(|glob| glob.matches_lower(lower)) { Coverage::Excluded } else { Coverage::Full }
    }

    /// Whether it can cover files that are not below a folder.
    pub(super) fn reaches_out_of(&self, folder: &str) -> bool {
        let is_out = |path: &str| path != folder && !is_below(path, folder);
        self.files.iter().any(|file| is_out(file)) || self.include.iter().any(|pattern| is_out(pattern.glob.folder()))
    }
}
