//! Evaluation of MSBuild project files in MSBuild's order: Directory.Build.props, project, imports,
//! Directory.Build.targets.
//!
//! There are two passes, as in MSBuild: first all properties and imports in document order, then
//! (in `items.rs`) the item groups with the final properties. For the SDK itself, only the
//! properties that project files use are known.
//!
//! Limitations: targets are not run. Imports from packages and from outside the repository are not
//! followed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use codeagent_lang::project::globs::{Glob, is_glob};
use codeagent_lang::project::paths::{self, PathIndex, ROOT, ancestors, folder_of, has_extension};
use roxmltree::{Document, Node, ParsingOptions};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::project::conditions;
use crate::project::frameworks::Framework;
use crate::project::functions::SDK;
use crate::project::properties::{Properties, PropertyScope, rooted_folder};

/// Largest number of attributes of a tag; the parser compares each with all others.
const MAX_ATTRIBUTES: usize = 1000;

/// The text assumed for a project that cannot be read.
const UNREADABLE: &str = "<Project Sdk=\"Microsoft.NET.Sdk\"/>";

/// Arcade, an SDK that extends the project's own.
const ARCADE: &str = "Microsoft.DotNet.Arcade.Sdk";
/// Largest number of imports of one project; further ones are ignored.
const MAX_IMPORTS: usize = 400;
/// Deepest nesting of `Choose` and imports; deeper ones are ignored.
const MAX_DEPTH: u32 = 40;
const MAX_NODES: u32 = 2_000_000;

/// Work budget for reading all projects, in elements. A shared import is read again for each
/// project. Real projects read some hundred elements.
const WORK: u64 = 1_500_000;
/// Smallest and largest work budget of a project.
const LEAST_WORK: u64 = 4_000;
const MOST_WORK: u64 = 200_000;
/// Number of bytes of an element or a value that count as much as an element.
const BYTES_PER_WORK: usize = 128;

/// The parsed XML files of a repository.
pub(super) struct Repository<'a> {
    documents: FxHashMap<&'a str, Document<'a>>,
    /// Paths of the files in `documents`.
    pub project_files: PathIndex<'a>,
    pub files: PathIndex<'a>,
    solution_folders: FxHashSet<&'a str>,
    /// The work budget of each project.
    pub budget: u64,
    /// Errors by path.
    pub warnings: BTreeMap<&'a str, String>,
}

/// Reports whether a tag seems to have too many attributes, judging by its quotes.
fn has_crowded_tag(text: &str) -> bool {
    text.split('<').any(|tag| {
        tag.len() > 4 * MAX_ATTRIBUTES
            && tag.bytes().filter(|byte| *byte == b'=').count() > MAX_ATTRIBUTES
    })
}

impl<'a> Repository<'a> {
    /// Parses every XML project file.
    pub(super) fn new(all_files: &'a [String], texts: &'a BTreeMap<String, Arc<str>>) -> Self {
        let mut documents = FxHashMap::default();
        let mut warnings = BTreeMap::new();
        for (path, text) in texts.iter().filter(|(path, _)| is_msbuild_file(path)) {
            if has_crowded_tag(text) {
                warnings.insert(
                    path.as_str(),
                    format!("{path}: a tag with more than {MAX_ATTRIBUTES} attributes, ignored"),
                );
                continue;
            }

            let options = ParsingOptions {
                nodes_limit: MAX_NODES,
                ..ParsingOptions::default()
            };
            match Document::parse_with_options(text.trim_start_matches('\u{feff}'), options) {
                Ok(document) => {
                    documents.insert(path.as_str(), document);
                }
                Err(error) => {
                    warnings.insert(
                        path.as_str(),
                        format!("{path}: not well-formed XML, ignored: {error}"),
                    );

                    // The folder counts as a project's even if the project cannot be read.
                    if let (true, Ok(document)) =
                        (has_extension(path, ".csproj"), Document::parse(UNREADABLE))
                    {
                        documents.insert(path.as_str(), document);
                    }
                }
            }
        }

        let project_files = PathIndex::new(documents.keys().copied());
        let solutions = texts.keys().filter(|path| is_solution(path));
        let solution_folders = solutions.map(|path| folder_of(path)).collect();
        let projects = texts
            .keys()
            .filter(|path| has_extension(path, ".csproj"))
            .count() as u64;

        let budget = (WORK / projects.max(1)).clamp(LEAST_WORK, MOST_WORK);
        let files = PathIndex::new(all_files.iter().map(String::as_str));

        Self {
            documents,
            project_files,
            solution_folders,
            budget,
            files,
            warnings,
        }
    }

    /// Returns the project files with a name, in any case.
    pub(super) fn files_named<'n>(&'n self, name: &'n str) -> impl Iterator<Item = &'a str> + 'n {
        let paths = self.documents.keys().copied();
        paths.filter(|path| paths::file_name(path).eq_ignore_ascii_case(name))
    }

    fn nearest(&self, folder: &str, name: &str) -> Option<&'a str> {
        ancestors(folder).find_map(|folder| self.project_files.find(&paths::join(folder, name)?))
    }

    fn solution_folder(&self, folder: &'a str) -> Option<&'a str> {
        ancestors(folder).find(|above| self.solution_folders.contains(above))
    }
}

fn is_msbuild_file(path: &str) -> bool {
    [".csproj", ".props", ".targets", ".projitems", ".shproj"]
        .iter()
        .any(|extension| has_extension(path, extension))
}

/// Reports whether a file is a solution.
pub(super) fn is_solution(path: &str) -> bool {
    has_extension(path, ".sln") || has_extension(path, ".slnx")
}

/// An item group found in the first pass, to be evaluated once all properties are known.
pub(super) struct ItemGroup<'r> {
    pub node: Node<'r, 'r>,
    pub file: &'r str,
    /// In a target, and so evaluated after all others.
    pub in_target: bool,
}

/// The result of the first pass.
pub(super) struct ProjectEvaluation<'r> {
    pub repository: &'r Repository<'r>,
    pub project: &'r str,
    pub properties: Properties,
    pub groups: Vec<ItemGroup<'r>>,
    /// Names of the SDKs, in lower case; empty for an old-style project.
    pub sdks: Vec<String>,
    imported: BTreeSet<&'r str>,
    /// Work done so far.
    work: u64,
}

impl<'r> ProjectEvaluation<'r> {
    /// Evaluates a project, for one of its frameworks if it has several. Returns `None` if the file
    /// is not readable.
    pub(super) fn new(
        repository: &'r Repository<'r>,
        project: &'r str,
        framework: Option<&str>,
    ) -> Option<Self> {
        let root = repository.documents.get(project)?.root_element();
        let mut evaluation = Self {
            repository,
            project,
            properties: Properties::default(),
            groups: Vec::new(),
            sdks: Vec::new(),
            imported: BTreeSet::new(),
            work: 0,
        };

        evaluation.well_known(framework);
        evaluation.sdks = sdk_names(root);
        let is_implicit = !evaluation.sdks.is_empty();
        if is_implicit {
            evaluation.sdk_props();
        }

        evaluation.file(project, 0);
        if is_implicit {
            evaluation.sdk_targets();
        }

        Some(evaluation)
    }

    /// Counts an element and a value computed from it as work; returns `false` once the budget is
    /// exceeded.
    pub(super) fn spend(&mut self, node: Node<'_, '_>, value_len: usize) -> bool {
        self.work += 1 + ((node.range().len().min(1 << 20) + value_len) / BYTES_PER_WORK) as u64;
        !self.is_spent()
    }

    /// Reports whether the budget was exceeded, so that part of the project was not read.
    pub(super) fn is_spent(&self) -> bool {
        self.work > self.repository.budget
    }

    /// Reports whether the project names an SDK, and so has default items and implied symbols.
    pub(super) fn is_sdk_style(&self) -> bool {
        !self.sdks.is_empty()
    }

    pub(super) fn folder(&self) -> &'r str {
        folder_of(self.project)
    }

    fn well_known(&mut self, framework: Option<&str>) {
        let folder = rooted_folder(self.folder());
        let global = [("Configuration", "Release"), ("Platform", "AnyCPU")];
        global
            .iter()
            .for_each(|(name, value)| self.properties.set_global(name, value));
        if let Some(framework) = framework {
            self.properties.set_global("TargetFramework", framework);
        }

        let solution = self
            .repository
            .solution_folder(self.folder())
            .map_or_else(String::new, rooted_folder);

        for (name, value) in [
            ("OS", "Unix"),
            ("MSBuildProjectDirectory", folder.trim_end_matches('/')),
            ("MSBuildStartupDirectory", folder.trim_end_matches('/')),
            ("MSBuildProjectFullPath", &format!("{ROOT}{}", self.project)),
            ("MSBuildProjectFile", paths::file_name(self.project)),
            ("MSBuildProjectName", paths::stem(self.project)),
            ("MSBuildProjectExtension", ".csproj"),
            ("ProjectDir", &folder),
            ("ProjectName", paths::stem(self.project)),
            ("ProjectPath", &format!("{ROOT}{}", self.project)),
            ("SolutionDir", &solution),
            ("Language", "C#"),
            ("DefaultLanguageSourceExtension", ".cs"),
            ("MSBuildRuntimeType", "Core"),
            ("MSBuildVersion", "17.14.0"),
            ("MSBuildToolsVersion", "Current"),
            ("VisualStudioVersion", "17.0"),
            ("NETCoreSdkVersion", "10.0.100"),
            ("BundledNETCoreAppTargetFrameworkVersion", "10.0"),
            ("NETCoreAppMaximumVersion", "10.0"),
            ("MSBuildExtensionsPath", SDK),
            ("MSBuildExtensionsPath32", SDK),
            ("MSBuildExtensionsPath64", SDK),
            ("MSBuildToolsPath", SDK),
            ("MSBuildBinPath", SDK),
            ("MSBuildSDKsPath", SDK),
        ] {
            self.properties.set(name, value);
        }
    }

    fn sdk_props(&mut self) {
        self.properties.set("UsingMicrosoftNETSdk", "true");
        self.directory_file("Props");
        self.central_versions();
    }

    /// Applies the props of Arcade, the SDK of Microsoft's own repositories: `eng/Versions.props`
    /// and names for the supported frameworks.
    fn arcade_props(&mut self) {
        for (name, value) in [
            ("NetCurrent", "net10.0"),
            ("NetPrevious", "net9.0"),
            ("NetMinimum", "net8.0"),
            ("NetFrameworkCurrent", "net481"),
            ("NetFrameworkMinimum", "net462"),
            ("NetFrameworkToolCurrent", "net472"),
        ] {
            self.properties.set_default(name, value);
        }
        if let Some(path) = self.repository.project_files.find("eng/Versions.props") {
            self.file(path, 1);
        }
    }

    /// Applies the properties that the SDK sets after the project's own, then
    /// Directory.Build.targets.
    fn sdk_targets(&mut self) {
        let framework = Framework::parse(self.properties.get("TargetFramework"));
        self.properties
            .set_default("TargetFrameworkIdentifier", framework.identifier());
        self.properties.set_default(
            "TargetFrameworkVersion",
            &format!("v{}", framework.version_text()),
        );
        self.properties
            .set_default("TargetPlatformIdentifier", framework.platform_name());
        self.common_targets();
    }

    fn common_targets(&mut self) {
        let name = paths::stem(self.project).to_owned();
        self.properties.set_default("AssemblyName", &name);
        self.properties.set_default("RootNamespace", &name);
        self.directory_file("Targets");
    }

    /// Imports the nearest Directory.Build.props or .targets above the project.
    fn directory_file(&mut self, kind: &str) {
        if self
            .properties
            .is_false(&format!("ImportDirectoryBuild{kind}"))
        {
            return;
        }
        // The names that MSBuild's own files use. A file imports the one above it by them.
        let name = format!("Directory.Build.{}", kind.to_ascii_lowercase());
        self.properties
            .set_default(&format!("_DirectoryBuild{kind}File"), &name);

        let verdict = self
            .properties
            .get(&format!("DirectoryBuild{kind}Path"))
            .to_owned();

        let path = if verdict.is_empty() {
            self.repository.nearest(self.folder(), &name)
        } else {
            paths::join(self.folder(), &verdict)
                .and_then(|path| self.repository.project_files.find(&path))
        };

        if let Some(path) = path {
            let (path_name, base_name) = (
                format!("DirectoryBuild{kind}Path"),
                format!("_DirectoryBuild{kind}BasePath"),
            );
            self.properties.set(&path_name, &format!("{ROOT}{path}"));
            let base = rooted_folder(folder_of(path));
            self.properties.set(&base_name, base.trim_end_matches('/'));
            self.file(path, 0);
        }
    }

    /// Imports the nearest Directory.Packages.props above the project.
    fn central_versions(&mut self) {
        if self.properties.is_false("ImportDirectoryPackagesProps") {
            return;
        }
        let verdict = self.properties.get("DirectoryPackagesPropsPath").to_owned();
        let path = if verdict.is_empty() {
            self.repository
                .nearest(self.folder(), "Directory.Packages.props")
        } else {
            paths::join(self.folder(), &verdict)
                .and_then(|path| self.repository.project_files.find(&path))
        };
        if let Some(path) = path {
            self.file(path, 0);
        }
    }

    /// Returns the folder of the nearest Directory.Build.props above the project, else the
    /// project's own.
    pub(super) fn directory_props_folder(&self) -> &'r str {
        self.repository
            .nearest(self.folder(), "Directory.Build.props")
            .map_or_else(|| self.folder(), folder_of)
    }

    fn file(&mut self, path: &'r str, depth: u32) {
        let Some(document) = self.repository.documents.get(path) else {
            return;
        };
        if depth > MAX_DEPTH || self.imported.len() > MAX_IMPORTS || !self.imported.insert(path) {
            return;
        }
        self.properties.enter_file(path);
        self.children(document.root_element(), path, depth);
    }

    /// Returns the value of an expression; empty if unknown.
    fn expand(&self, text: &str, folder: &str) -> String {
        self.scope(folder).expand(text).unwrap_or_default()
    }

    fn scope<'e>(&'e self, folder: &'e str) -> PropertyScope<'e> {
        PropertyScope {
            properties: &self.properties,
            items: None,
            files: &self.repository.files,
            folder,
        }
    }

    fn holds(&self, node: Node<'_, '_>, folder: &str) -> bool {
        node.attribute("Condition")
            .is_none_or(|condition| conditions::holds(condition, &self.scope(folder)))
    }

    fn children(&mut self, parent: Node<'r, 'r>, file: &'r str, depth: u32) {
        for node in parent.children().filter(Node::is_element) {
            self.work += 1;
            if self.is_spent() {
                return;
            }

            match node.tag_name().name() {
                "PropertyGroup" if self.holds(node, self.folder()) => self.property_group(node),
                "ItemGroup" => self.groups.push(ItemGroup {
                    node,
                    file,
                    in_target: false,
                }),
                "Target" => {
                    let groups = node
                        .children()
                        .filter(|child| child.has_tag_name_ignoring_namespace("ItemGroup"));
                    self.groups.extend(groups.map(|node| ItemGroup {
                        node,
                        file,
                        in_target: true,
                    }));
                }
                "Import" if self.holds(node, folder_of(file)) => self.import(node, file, depth),
                "ImportGroup" if depth < MAX_DEPTH && self.holds(node, folder_of(file)) => {
                    self.children(node, file, depth + 1)
                }
                "Choose" if depth < MAX_DEPTH => self.choose(node, file, depth),
                _ => {}
            }
        }
    }

    fn property_group(&mut self, group: Node<'r, 'r>) {
        for node in group.children().filter(Node::is_element) {
            let mut length = 0;
            if self.holds(node, self.folder()) {
                let value = self.expand(node_text(node).trim(), self.folder());
                self.properties.set(node.tag_name().name(), &value);
                length = value.len();
            }
            if !self.spend(node, length) {
                return;
            }
        }
    }

    fn choose(&mut self, choose: Node<'r, 'r>, file: &'r str, depth: u32) {
        let chosen = choose.children().filter(Node::is_element).find(|branch| {
            match branch.tag_name().name() {
                "When" => self.holds(*branch, self.folder()),
                name => name == "Otherwise",
            }
        });
        if let Some(branch) = chosen {
            self.children(branch, file, depth + 1);
        }
    }

    fn import(&mut self, node: Node<'r, 'r>, file: &'r str, depth: u32) {
        let Some(written) = node.attribute("Project") else {
            return;
        };

        let target = self.expand(written, folder_of(file)).replace('\\', "/");
        if node.has_attribute("Sdk") || target.starts_with(SDK) {
            self.import_from_sdk(node.attribute("Sdk"), &target);
        } else if let Some(path) = paths::join(folder_of(file), &target) {
            let repository = self.repository;
            if is_glob(&path) {
                let found: Vec<&str> = repository
                    .project_files
                    .matching(&Glob::new(&path))
                    .collect();
                found
                    .into_iter()
                    .for_each(|path| self.file(path, depth + 1));
            } else if let Some(path) = repository.project_files.find(&path) {
                self.file(path, depth + 1);
            }
        }

        self.properties.enter_file(file);
    }

    fn import_from_sdk(&mut self, sdk: Option<&str>, target: &str) {
        let name = paths::file_name(target).to_ascii_lowercase();

        if let Some(sdk) = sdk.filter(|sdk| !sdk.eq_ignore_ascii_case(ARCADE)) {
            self.sdks.extend(split_sdks(sdk));
            self.sdks.dedup();
        }

        match (sdk.is_some(), name.as_str()) {
            (true, "sdk.props") if sdk.is_some_and(|sdk| sdk.eq_ignore_ascii_case(ARCADE)) => {
                self.arcade_props()
            }
            (true, "sdk.props") => self.sdk_props(),
            (true, "sdk.targets") if !sdk.is_some_and(|sdk| sdk.eq_ignore_ascii_case(ARCADE)) => {
                self.sdk_targets()
            }
            (false, "microsoft.common.props") => self.directory_file("Props"),
            (
                false,
                "microsoft.csharp.targets"
                | "microsoft.common.targets"
                | "microsoft.windows.ui.xaml.csharp.targets",
            ) => self.common_targets(),
            _ => {}
        }
    }
}

/// Returns the text of an element without that of its children.
pub(super) fn node_text(node: Node<'_, '_>) -> String {
    node.children()
        .filter(Node::is_text)
        .filter_map(|text| text.text())
        .collect()
}

fn sdk_names(root: Node<'_, '_>) -> Vec<String> {
    let elements = root
        .children()
        .filter(|child| child.has_tag_name_ignoring_namespace("Sdk"))
        .filter_map(|child| child.attribute("Name"));
    root.attribute("Sdk")
        .into_iter()
        .chain(elements)
        .flat_map(split_sdks)
        .collect()
}

/// Splits `Microsoft.NET.Sdk/9.0;Other.Sdk` into names in lower case, without versions.
fn split_sdks(text: &str) -> impl Iterator<Item = String> {
    text.split(';')
        .map(|sdk| {
            sdk.split('/')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase()
        })
        .filter(|sdk| !sdk.is_empty())
}

trait IgnoringNamespace {
    fn has_tag_name_ignoring_namespace(&self, name: &str) -> bool;
}

impl IgnoringNamespace for Node<'_, '_> {
    fn has_tag_name_ignoring_namespace(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}
