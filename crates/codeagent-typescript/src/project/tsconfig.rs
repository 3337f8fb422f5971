//! tsconfig files: the files that each covers, including the settings it inherits through
//! `extends`.
//!
//! `files` lists files, `include` covers by pattern (everything below the folder if both are
//! missing), and `exclude` removes from `include`. A configuration that others extend, that has
//! neither setting and that is not called `tsconfig.json` covers nothing: it exists to be extended.
//!
//! Each configuration is merged with its bases once, so the cost is proportional to the number of
//! configurations; a base that closes a cycle adds nothing. The module resolver reads the merged
//! form ([`Configs::merged`]) and never follows `extends` itself.
//!
//! Limitations: files that are compiled only because a covered file imports them are not covered.
//! Once all configurations together inherit more than [`MOST_INHERITED_BYTES`], the rest inherit
//! nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use codeagent_lang::project::globs::{Glob, is_glob};
use codeagent_lang::project::paths::{file_name, folder_of, has_extension, is_below, join};
use serde_json::Value;

use crate::project::extends::{bases_of, is_of_package};
use crate::project::{OutputFolder, Package, jsonc};

/// Largest number of bytes that configurations inherit, in total.
const MOST_INHERITED_BYTES: usize = 64 << 20;
const CONFIG_DIR: &str = "${configDir}";

/// A configuration merged with its bases.
#[derive(Debug)]
pub(super) struct Config {
    /// `allowJs`.
    pub allow_js: bool,
    /// The libraries whose declarations its files see: those of `lib`, else the defaults of
    /// `target`.
    pub libraries: Vec<String>,
    /// Others extend it, and it extends none in its own folder.
    pub is_base: bool,
    /// `customConditions`.
    pub custom_conditions: Vec<String>,
    /// `types`.
    pub types: Option<Arc<[String]>>,
    /// A file's format decides between the conditions `import` and `require`.
    pub has_node_formats: bool,
    /// `outDir` and `declarationDir`, with the folders of their sources.
    pub outputs: Vec<OutputFolder>,
    files: Vec<String>,
    include: Vec<Pattern>,
    exclude: Vec<Glob>,
}

/// How a configuration covers a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Coverage {
    /// It does not cover the file.
    None,
    /// It lists some files, and may reach others nearby through imports.
    ThroughImports,
    /// `include` matches, but `exclude` does too.
    Excluded,
    /// It covers the file.
    Full,
}

#[derive(Debug)]
struct Pattern {
    glob: Glob,
    /// Segments that start with a dot; wildcards match no other such segments.
    dotted: Vec<String>,
}

/// A path or pattern and the folder it is relative to.
type Relative = (String, String);

/// `compilerOptions.paths`: the folder of the configuration that declares it, and targets by
/// pattern.
type Mapping = (String, Vec<(String, Vec<String>)>);

/// A configuration as written; absent lists are inherited.
#[derive(Clone, Debug, Default)]
struct Written {
    files: Option<Arc<[Relative]>>,
    include: Option<Arc<[Relative]>>,
    exclude: Option<Arc<[Relative]>>,
    outputs: BTreeMap<&'static str, Relative>,
    root_dir: Option<Relative>,
    custom_conditions: Option<Arc<[String]>>,
    types: Option<Arc<[String]>>,
    /// `module` and `moduleResolution`, in lower case.
    module: Option<String>,
    module_resolution: Option<String>,
    base_url: Option<Relative>,
    paths: Option<Arc<Mapping>>,
    allow_js: Option<bool>,
    lib: Option<Arc<[String]>>,
    no_lib: Option<bool>,
    target: Option<String>,
}

/// The configuration files of a repository.
pub(super) struct Configs<'a> {
    values: BTreeMap<&'a str, Value>,
    /// Each configuration merged with its bases.
    merged: BTreeMap<&'a str, Written>,
    extended: BTreeSet<&'a str>,
    packages: &'a [Package],
}

impl<'a> Configs<'a> {
    /// Parses every tsconfig and jsconfig and the files they extend; returns their errors as the
    /// second part.
    pub(super) fn new(
        texts: &'a BTreeMap<String, Arc<str>>,
        packages: &'a [Package],
    ) -> (Self, Vec<String>) {
        let mut configs = Self {
            values: BTreeMap::new(),
            merged: BTreeMap::new(),
            extended: BTreeSet::new(),
            packages,
        };

        let mut warnings = Vec::new();
        let mut queue: Vec<&str> = texts
            .keys()
            .map(String::as_str)
            .filter(|path| is_json_config(path))
            .collect();
        while let Some(path) = queue.pop() {
            let Some((path, text)) = texts
                .get_key_value(path)
                .filter(|_| !configs.values.contains_key(path))
            else {
                continue;
            };
            match jsonc::parse(text) {
                Ok(value) => {
                    let bases = bases_of(&value, path, packages);
                    let found = bases
                        .iter()
                        .filter_map(|base| base.iter().find_map(|path| texts.get_key_value(path)));
                    queue.extend(found.map(|(base, _)| base.as_str()));
                    configs.values.insert(path, value);
                }
                Err(error) => warnings.push(format!("{path}: cannot be read, ignored: {error}")),
            }
        }

        configs.extended = configs
            .values
            .keys()
            .flat_map(|path| configs.bases(path))
            .collect();
        warnings.extend(configs.merge());
        warnings.sort_unstable();
        warnings.dedup();
        (configs, warnings)
    }

    /// Merges every configuration with its bases, bases first; returns the configurations that
    /// inherit nothing because the budget is exceeded.
    fn merge(&mut self) -> Vec<String> {
        let mut inherited = 0;
        let mut warnings = Vec::new();

        let mut seen = BTreeSet::new();
        for start in self.values.keys().copied().collect::<Vec<_>>() {
            let mut stack = vec![(start, false)];
            while let Some((path, has_bases)) = stack.pop() {
                if !has_bases {
                    if seen.insert(path) {
                        stack.push((path, true));
                        stack.extend(self.bases(path).into_iter().map(|base| (base, false)));
                    }
                    continue;
                }

                let own = own(&self.values[path], folder_of(path));
                let mut written = Written::default();

                // A base that is still on the stack closes a cycle and is not merged yet.
                for base in self
                    .bases(path)
                    .into_iter()
                    .filter_map(|base| self.merged.get(base))
                {
                    written.inherit_over(base.clone());
                }

                inherited += written.weight();
                if inherited > MOST_INHERITED_BYTES {
                    warnings.push(format!(
                        "{path}: `extends` is ignored: too many inherited \
                         configurations in the repository"
                    ));
                    written = Written::default();
                }

                written.inherit_over(own);
                self.merged.insert(path, written);
            }
        }

        warnings
    }

    /// Returns the paths of the configurations that are projects, sorted. Those of installed
    /// packages only serve as bases.
    pub(super) fn paths(&self) -> impl Iterator<Item = &'a str> {
        let all = self.values.keys().copied();
        all.filter(|path| is_config(path) && !is_of_package(path))
    }

    /// Returns a configuration with everything it inherits.
    pub(super) fn read(&self, path: &str) -> Config {
        let folder = folder_of(path);
        let written = self.merged.get(path).cloned().unwrap_or_default();
        let resolve = |list: &[Relative]| resolved_all(list, folder);
        let is_extended = self.extended.contains(path);
        let files = written.files.as_deref().map(resolve);

        let include = match (&written.include, &files) {
            (Some(list), _) => resolve(list),
            (None, Some(_)) => Vec::new(),
            (None, None)
                if is_extended && !file_name(path).eq_ignore_ascii_case("tsconfig.json") =>
            {
                Vec::new()
            }
            (None, None) => vec![join(folder, "**/*").unwrap_or_default()],
        };

        let output_folders = resolve(&written.outputs.values().cloned().collect::<Vec<_>>());
        let exclude = match &written.exclude {
            Some(list) => resolve(list),
            None => output_folders.clone(),
        };

        let include: Vec<Pattern> = include
            .iter()
            .map(|pattern| Pattern::new(pattern))
            .collect();

        let outputs = Self::outputs(&written, folder, &output_folders, &include);
        Config {
            allow_js: written
                .allow_js
                .unwrap_or_else(|| file_name(path).starts_with("jsconfig")),
            libraries: libraries(written.no_lib, written.lib.as_deref(), written.target),
            is_base: is_extended
                && self
                    .bases(path)
                    .iter()
                    .all(|base| folder_of(base) != folder),
            custom_conditions: written
                .custom_conditions
                .as_deref()
                .unwrap_or_default()
                .to_vec(),
            types: written.types.clone(),
            has_node_formats: has_node_formats(
                written.module_resolution.as_deref(),
                written.module.as_deref(),
            ),
            outputs,
            files: files.unwrap_or_default(),
            include,
            exclude: exclude
                .iter()
                .flat_map(|pattern| excluding(pattern))
                .collect(),
        }
    }

    /// Returns the output folders of a configuration with the folders of their sources.
    fn outputs(
        written: &Written,
        folder: &str,
        output_folders: &[String],
        include: &[Pattern],
    ) -> Vec<OutputFolder> {
        let root_dir = written
            .root_dir
            .as_ref()
            .and_then(|root| resolved(root, folder));
        let roots = match root_dir {
            Some(root) => vec![root],
            // The default is the common folder of all sources, or for a composite project its own
            // folder.
            None => include
                .iter()
                .map(|pattern| pattern.glob.folder().to_owned())
                .chain([folder.to_owned()])
                .collect(),
        };

        output_folders
            .iter()
            .flat_map(|output| {
                roots.iter().map(|root| OutputFolder {
                    folder: output.clone(),
                    root: root.clone(),
                })
            })
            .filter(|output| output.folder != output.root)
            .collect()
    }

    /// Returns every configuration by path, as the text of an equivalent one without `extends`,
    /// reduced to the settings of module resolution. A jsconfig has the path of the tsconfig that it
    /// stands for, which is what a resolver looks for.
    pub(super) fn merged(&self) -> BTreeMap<String, Arc<str>> {
        let text = |(path, written): (&&str, &Written)| {
            let references = self
                .values
                .get(path)
                .and_then(|value| value.get("references"))
                .filter(|list| is_list_of_references(list));
            (
                (*path).to_owned(),
                Arc::from(written.standalone(folder_of(path), references).to_string()),
            )
        };
        let mut merged: BTreeMap<String, Arc<str>> = self.merged.iter().map(text).collect();

        let is_jsconfig = |path: &&String| file_name(path) == "jsconfig.json";
        let jsconfigs: Vec<String> = merged.keys().filter(is_jsconfig).cloned().collect();
        for path in jsconfigs {
            let beside = format!("{}tsconfig.json", path.trim_end_matches("jsconfig.json"));
            if let Some(text) = merged.remove(&path) {
                merged.entry(beside).or_insert(text);
            }
        }
        merged
    }

    /// Returns the files that a configuration extends.
    fn bases(&self, path: &str) -> Vec<&'a str> {
        let Some(value) = self.values.get(path) else {
            return Vec::new();
        };
        let found = |base: &Vec<String>| {
            base.iter().find_map(|path| {
                self.values
                    .get_key_value(path.as_str())
                    .map(|(path, _)| *path)
            })
        };
        bases_of(value, path, self.packages)
            .iter()
            .filter_map(found)
            .filter(|base| *base != path)
            .collect()
    }
}

fn is_list_of_references(list: &Value) -> bool {
    list.as_array().is_some_and(|list| {
        list.iter()
            .all(|reference| reference.get("path").is_some_and(Value::is_string))
    })
}

/// The default library of files without a configuration.
pub(super) const NEWEST: &str = "esnext.full";

fn libraries(no_lib: Option<bool>, lib: Option<&[String]>, target: Option<String>) -> Vec<String> {
    match (no_lib, lib, target) {
        (Some(true), ..) => Vec::new(),
        (_, Some(lib), _) => lib.to_vec(),
        (.., Some(target)) => vec![format!(
            "{}.full",
            if target == "es6" { "es2015" } else { &target }
        )],
        _ => vec![NEWEST.to_owned()],
    }
}

/// Reports whether module resolution distinguishes the formats of files, by `moduleResolution` or
/// by default by `module`.
fn has_node_formats(module_resolution: Option<&str>, module: Option<&str>) -> bool {
    matches!(
        module_resolution.or(module),
        Some("node16" | "node18" | "node20" | "nodenext")
    )
}

/// Reports whether a file is a TypeScript project.
pub(super) fn is_config(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    has_extension(&name, ".json")
        && (name == "tsconfig.json"
            || name == "jsconfig.json"
            || name.starts_with("tsconfig.")
            || name.starts_with("jsconfig."))
}

/// Reports whether a file is a tsconfig or jsconfig by its name.
pub(super) fn is_json_config(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    has_extension(&name, ".json") && (name.starts_with("tsconfig") || name.starts_with("jsconfig"))
}

fn own(value: &Value, folder: &str) -> Written {
    let list = |name: &str| -> Option<Arc<[Relative]>> {
        let list = value.get(name).filter(|list| list.is_array())?;
        Some(
            jsonc::strings(list)
                .into_iter()
                .map(|text| (folder.to_owned(), text))
                .collect(),
        )
    };

    let options = value.get("compilerOptions");
    let option = |name: &str| options.and_then(|options| options.get(name));
    let relative = |name: &str| Some((folder.to_owned(), option(name)?.as_str()?.to_owned()));
    let lower = |name: &str| Some(option(name)?.as_str()?.to_ascii_lowercase());
    let output = |name: &'static str| Some((name, relative(name)?));
    let strings = |name: &str| -> Option<Arc<[String]>> {
        let list = option(name).filter(|list| list.is_array())?;
        Some(jsonc::strings(list).into())
    };
    let mapping = |paths: &serde_json::Map<String, Value>| {
        let targets =
            |(pattern, targets): (&String, &Value)| (pattern.clone(), jsonc::strings(targets));
        Arc::new((folder.to_owned(), paths.iter().map(targets).collect()))
    };

    Written {
        files: list("files"),
        include: list("include"),
        exclude: list("exclude"),
        outputs: ["outDir", "declarationDir"]
            .into_iter()
            .filter_map(output)
            .collect(),
        root_dir: relative("rootDir"),
        custom_conditions: strings("customConditions"),
        types: strings("types"),
        module: lower("module"),
        module_resolution: lower("moduleResolution"),
        base_url: relative("baseUrl"),
        paths: option("paths").and_then(Value::as_object).map(mapping),
        lib: option("lib").filter(|lib| lib.is_array()).map(|lib| {
            jsonc::strings(lib)
                .iter()
                .map(|name| name.to_ascii_lowercase())
                .collect()
        }),
        no_lib: option("noLib").and_then(Value::as_bool),
        target: lower("target"),
        allow_js: option("allowJs")
            .or_else(|| option("checkJs"))
            .and_then(Value::as_bool),
    }
}

impl Written {
    /// Overrides settings by those of a later configuration.
    fn inherit_over(&mut self, later: Self) {
        self.files = later.files.or_else(|| self.files.take());
        self.include = later.include.or_else(|| self.include.take());
        self.exclude = later.exclude.or_else(|| self.exclude.take());
        self.outputs.extend(later.outputs);
        self.root_dir = later.root_dir.or_else(|| self.root_dir.take());
        self.custom_conditions = later
            .custom_conditions
            .or_else(|| self.custom_conditions.take());

        self.types = later.types.or_else(|| self.types.take());
        self.module = later.module.or_else(|| self.module.take());
        self.module_resolution = later
            .module_resolution
            .or_else(|| self.module_resolution.take());

        self.base_url = later.base_url.or_else(|| self.base_url.take());
        self.paths = later.paths.or_else(|| self.paths.take());
        self.allow_js = later.allow_js.or(self.allow_js);
        self.lib = later.lib.or_else(|| self.lib.take());
        self.no_lib = later.no_lib.or(self.no_lib);
        self.target = later.target.or_else(|| self.target.take());
    }

    /// Returns the total length of its strings.
    fn weight(&self) -> usize {
        let lists = [&self.files, &self.include, &self.exclude]
            .into_iter()
            .flatten();
        let relatives: usize = lists
            .flat_map(|list| list.iter())
            .map(|(folder, text)| folder.len() + text.len())
            .sum();

        let names: usize = [&self.lib, &self.types]
            .into_iter()
            .flatten()
            .flat_map(|names| names.iter())
            .map(String::len)
            .sum();

        let targets = self.paths.iter().flat_map(|paths| &paths.1);
        let paths: usize = targets
            .map(|(pattern, targets)| {
                pattern.len() + targets.iter().map(String::len).sum::<usize>()
            })
            .sum();

        relatives + names + paths
    }

    /// Returns an equivalent configuration in `folder` without `extends`.
    fn standalone(&self, folder: &str, references: Option<&Value>) -> Value {
        let seen = |path: &str| relative_to(folder, path);
        let list = |list: &Option<Arc<[Relative]>>| -> Option<Value> {
            Some(
                resolved_all(list.as_deref()?, folder)
                    .iter()
                    .map(|path| seen(path))
                    .collect(),
            )
        };

        let mut options = serde_json::Map::new();
        let base_url = self
            .base_url
            .as_ref()
            .map(|base_url| resolved(base_url, folder));
        if let Some(Some(base_url)) = &base_url {
            options.insert("baseUrl".to_owned(), seen(base_url).into());
        }

        // Targets are relative to `baseUrl` if there is one. If that is outside the repository,
        // nothing is found.
        if let Some(paths) = self.paths.as_deref().filter(|_| base_url != Some(None)) {
            let from = base_url.flatten();
            options.insert(
                "paths".to_owned(),
                mapping_from(paths, from.as_deref(), folder),
            );
        }

        // A JavaScript file that no program has is bundled with the nearest mapping.
        options.insert("allowJs".to_owned(), true.into());

        let lists = [
            ("files", list(&self.files)),
            ("include", list(&self.include)),
            ("exclude", list(&self.exclude)),
        ];
        let mut all: serde_json::Map<String, Value> = lists
            .into_iter()
            .filter_map(|(name, list)| Some((name.to_owned(), list?)))
            .collect();

        all.insert("compilerOptions".to_owned(), options.into());
        all.extend(references.map(|list| ("references".to_owned(), list.clone())));
        all.into()
    }
}

/// Rebases a mapping: its targets are relative to `base_url`, else to the folder it was written in;
/// afterwards to `base_url`, else to `folder`.
fn mapping_from((written_in, targets): &Mapping, base_url: Option<&str>, folder: &str) -> Value {
    let target = |text: &String| {
        let path = resolved_from(base_url.unwrap_or(written_in), text, folder)?;
        Some(relative_to(base_url.unwrap_or(folder), &path))
    };
    let each = |(pattern, targets): &(String, Vec<String>)| {
        (
            pattern.clone(),
            targets.iter().filter_map(target).collect::<Value>(),
        )
    };
    targets
        .iter()
        .map(each)
        .collect::<serde_json::Map<String, Value>>()
        .into()
}

/// Returns a repository path relative to a folder.
fn relative_to(folder: &str, path: &str) -> String {
    let depth = folder
        .split('/')
        .filter(|segment| !segment.is_empty())
        .count();
    format!("./{}{path}", "../".repeat(depth))
}

fn resolved_all(list: &[Relative], final_folder: &str) -> Vec<String> {
    list.iter()
        .filter_map(|relative| resolved(relative, final_folder))
        .collect()
}

fn resolved((folder, text): &Relative, final_folder: &str) -> Option<String> {
    resolved_from(folder, text, final_folder)
}

fn resolved_from(folder: &str, text: &str, final_folder: &str) -> Option<String> {
    match text.strip_prefix(CONFIG_DIR) {
        Some(rest) => join(final_folder, rest.trim_start_matches('/')),
        None => join(folder, text),
    }
}

/// Returns the globs of a pattern in `exclude`: it removes its matches and everything below them,
/// and with `/**` at its end the folder itself too.
fn excluding(pattern: &str) -> [Glob; 2] {
    let pattern = pattern.trim_end_matches("/**");
    [Glob::new(pattern), Glob::new(&format!("{pattern}/**"))]
}

impl Pattern {
    fn new(pattern: &str) -> Self {
        let last = file_name(pattern);
        let is_folder = !last.contains('.') && !is_glob(last) || last == "**";
        let glob = Glob::new(&if is_folder {
            format!("{pattern}/**/*")
        } else {
            pattern.to_owned()
        });
        let dotted = pattern
            .split('/')
            .filter(|segment| segment.starts_with('.'))
            .map(str::to_ascii_lowercase)
            .collect();
        Self { glob, dotted }
    }

    fn matches(&self, lower: &str) -> bool {
        self.glob.matches_lower(lower)
            && lower
                .split('/')
                .filter(|segment| segment.starts_with('.'))
                .all(|segment| self.dotted.iter().any(|dotted| dotted == segment))
    }
}

impl Config {
    /// Returns how the configuration covers a file, given by its lower-case path.
    pub(super) fn coverage(&self, lower: &str, is_javascript: bool) -> Coverage {
        if self
            .files
            .iter()
            .any(|file| file.eq_ignore_ascii_case(lower))
        {
            return Coverage::Full;
        }

        if is_javascript && !self.allow_js {
            return Coverage::None;
        }

        if !self.include.iter().any(|pattern| pattern.matches(lower)) {
            return if self.files.is_empty() {
                Coverage::None
            } else {
                Coverage::ThroughImports
            };
        }

        if self.exclude.iter().any(|glob| glob.matches_lower(lower)) {
            Coverage::Excluded
        } else {
            Coverage::Full
        }
    }

    /// Reports whether it can cover files outside a folder.
    pub(super) fn reaches_out_of(&self, folder: &str) -> bool {
        let is_out = |path: &str| path != folder && !is_below(path, folder);
        self.files.iter().any(|file| is_out(file))
            || self
                .include
                .iter()
                .any(|pattern| is_out(pattern.glob.folder()))
    }
}
