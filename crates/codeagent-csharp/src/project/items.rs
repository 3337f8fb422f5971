//! MSBuild items: the files, usings, references and friend assemblies of a project.
//!
//! Limitations: only `Compile`, `Using`, `ProjectReference`, `InternalsVisibleTo` and its
//! `AssemblyAttribute` form, `PackageReference` with `PackageVersion`, and the names and
//! `HintPath`s of `Reference` are supported; other items keep only their literal names, for
//! `@(Name)`. Item groups in targets are evaluated as if every target ran, after all others.
//! Metadata and transforms are unknown, and an item that depends on them is skipped (except that
//! `%(Item.Identity)` in a target stands for that item's names).

use std::collections::{BTreeMap, BTreeSet};

use codeagent_lang::project::globs::{Glob, is_glob};
use codeagent_lang::project::paths::{self, PathIndex};
use roxmltree::Node;
use rustc_hash::FxHashMap;

use crate::project::GlobalUsing;
use crate::project::conditions;
use crate::project::implicit_usings;
use crate::project::msbuild::{ItemGroup, ProjectEvaluation, node_text};
use crate::project::nuget::PackageReference;
use crate::project::properties::{Properties, PropertyScope};

/// A reference from one project to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProjectReference {
    /// Repo-relative path of the other project, as spelled there.
    pub path: String,
    /// Not passed on to projects that reference this one.
    pub is_private: bool,
}

/// A reference by the name of an assembly or package, which may be built by a project of the
/// repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedReference {
    /// Assembly name or package id.
    pub name: String,
    /// Not passed on to projects that reference this one.
    pub is_private: bool,
}

/// The result of the second pass.
#[derive(Default)]
pub(super) struct Items<'a> {
    pub compile: BTreeSet<&'a str>,
    pub usings: Vec<GlobalUsing>,
    pub references: Vec<ProjectReference>,
    pub named_references: Vec<NamedReference>,
    pub internals_visible_to: Vec<String>,
    /// Package references, by id in lower case.
    pub packages: BTreeMap<String, PackageReference>,
    pub hint_paths: BTreeSet<String>,
    /// References as written for which the repository has no project.
    pub lost_references: Vec<String>,
    /// Central package versions, by id in lower case.
    central: FxHashMap<String, String>,
    identities: FxHashMap<String, Vec<String>>,
}

/// Evaluates the item groups of a project. `sources` are the C# files of the repository.
pub(super) fn evaluate<'a>(
    evaluation: &mut ProjectEvaluation<'_>,
    sources: &PathIndex<'a>,
) -> Items<'a> {
    let mut items = Items::default();
    if evaluation.is_sdk_style() {
        items.usings = implicit_usings::of(&evaluation.sdks, &evaluation.properties);
        items.compile = default_compile(evaluation, sources);
    }

    let groups = std::mem::take(&mut evaluation.groups);
    let mut properties = std::mem::take(&mut evaluation.properties);
    let ordered = groups
        .iter()
        .filter(|group| !group.in_target)
        .chain(groups.iter().filter(|group| group.in_target));

    let mut file = "";
    for group in ordered {
        if group
            .node
            .children()
            .filter(Node::is_element)
            .any(|node| !evaluation.spend(node, 0))
        {
            break;
        }

        if group.file != file {
            file = group.file;
            properties.enter_file(file);
        }

        let pass = Pass {
            evaluation,
            properties: &properties,
            sources,
        };
        pass.group(group, &mut items);
    }

    evaluation.properties = properties;
    for (id, package) in items
        .packages
        .iter_mut()
        .filter(|(_, package)| package.version.is_empty())
    {
        package.version = items.central.get(id).cloned().unwrap_or_default();
    }

    items
}

fn default_compile<'a>(
    evaluation: &ProjectEvaluation<'_>,
    sources: &PathIndex<'a>,
) -> BTreeSet<&'a str> {
    let properties = &evaluation.properties;
    let without_sources = ["microsoft.build.notargets", "microsoft.build.traversal"];
    if properties.is_false("EnableDefaultItems")
        || properties.is_false("EnableDefaultCompileItems")
        || evaluation
            .sdks
            .iter()
            .any(|sdk| without_sources.contains(&sdk.as_str()))
    {
        return BTreeSet::new();
    }

    let folder = evaluation.folder();
    let verdict = format!(
        "{};{}",
        properties.get("DefaultItemExcludes"),
        properties.get("DefaultItemExcludesInProjectFolder")
    );

    let excluded: Vec<Glob> = verdict
        .split(';')
        .chain(["bin/**", "obj/**", "**/.*/**", "**/node_modules/**"])
        .map(str::trim)
        .filter(|pattern| !pattern.is_empty())
        .filter_map(|pattern| paths::join(folder, pattern))
        .map(|pattern| Glob::new(&pattern))
        .collect();

    sources
        .below(folder)
        .filter(|path| !excluded.iter().any(|glob| glob.matches(path)))
        .collect()
}

struct Pass<'p, 'e, 'a> {
    evaluation: &'p ProjectEvaluation<'e>,
    properties: &'p Properties,
    sources: &'p PathIndex<'a>,
}

impl<'a> Pass<'_, '_, 'a> {
    fn scope<'s>(&'s self, items: &'s Items<'a>) -> PropertyScope<'s> {
        PropertyScope {
            properties: self.properties,
            items: Some(&items.identities),
            files: &self.evaluation.repository.files,
            folder: self.evaluation.folder(),
        }
    }

    fn holds(&self, node: Node<'_, '_>, items: &Items<'a>) -> bool {
        node.attribute("Condition")
            .is_none_or(|condition| conditions::holds(condition, &self.scope(items)))
    }

    fn group(&self, group: &ItemGroup<'_>, items: &mut Items<'a>) {
        let target = group.node.parent().filter(|_| group.in_target);
        if !self.holds(group.node, items) || target.is_some_and(|target| !self.holds(target, items))
        {
            return;
        }

        for node in group.node.children().filter(Node::is_element) {
            if !self.holds(node, items) {
                continue;
            }

            match node.tag_name().name() {
                "Compile" => self.compile(node, items),
                "Using" => self.using(node, items),
                "ProjectReference" => self.reference(node, items),
                "PackageReference" => {
                    self.named_reference(node, items);
                    self.package(node, items);
                }
                "Reference" => {
                    self.named_reference(node, items);
                    self.hint_path(node, items);
                }
                "PackageVersion" => {
                    let version = self.metadata(node, "Version", items);
                    let ids = ["Include", "Update"]
                        .into_iter()
                        .flat_map(|attribute| self.list(node, attribute, items));
                    for id in ids.collect::<Vec<_>>() {
                        items
                            .central
                            .insert(id.to_ascii_lowercase(), version.clone());
                    }
                }
                "InternalsVisibleTo" => {
                    let names = self.list(node, "Include", items);
                    items
                        .internals_visible_to
                        .extend(names.iter().map(|name| assembly_name(name)));
                }
                "AssemblyAttribute" => self.assembly_attribute(node, items),
                name => self.other(name, node, items),
            }
        }
    }

    /// Returns the entries of a list attribute, expanded.
    fn list(&self, node: Node<'_, '_>, attribute: &str, items: &Items<'a>) -> Vec<String> {
        let Some(written) = node.attribute(attribute) else {
            return Vec::new();
        };
        let written = identity_references(written);
        let expanded = self.scope(items).expand(&written).unwrap_or_default();
        expanded
            .split(';')
            .map(|part| unescaped(part.trim()))
            .filter(|part| !part.is_empty())
            .collect()
    }

    /// Returns metadata (an attribute or a child element), expanded; empty if there is none.
    fn metadata(&self, node: Node<'_, '_>, name: &str, items: &Items<'a>) -> String {
        let attribute = node
            .attributes()
            .find(|attribute| attribute.name().eq_ignore_ascii_case(name))
            .map(|attribute| attribute.value().to_owned());

        let written = attribute.or_else(|| {
            let mut children = node
                .children()
                .filter(Node::is_element)
                .filter(|child| child.tag_name().name().eq_ignore_ascii_case(name));
            children
                .find(|child| self.holds(*child, items))
                .map(node_text)
        });

        written
            .and_then(|text| self.scope(items).expand(text.trim()))
            .unwrap_or_default()
    }

    fn compile(&self, node: Node<'_, '_>, items: &mut Items<'a>) {
        let folder = self.evaluation.folder();
        let globs = |patterns: Vec<String>| -> Vec<Glob> {
            patterns
                .iter()
                .filter_map(|pattern| paths::join(folder, pattern))
                .map(|pattern| Glob::new(&pattern))
                .collect()
        };

        let removed = globs(self.list(node, "Remove", items));
        if !removed.is_empty() {
            items
                .compile
                .retain(|path| !removed.iter().any(|glob| glob.matches(path)));
        }

        let excluded = globs(self.list(node, "Exclude", items));
        for pattern in self.list(node, "Include", items) {
            let Some(pattern) = paths::join(folder, &pattern) else {
                continue;
            };

            if is_glob(&pattern) {
                let glob = Glob::new(&pattern);
                items.compile.extend(
                    self.sources
                        .matching(&glob)
                        .filter(|path| !excluded.iter().any(|glob| glob.matches(path))),
                );
            } else if let Some(path) = self
                .sources
                .find(&pattern)
                .filter(|path| !excluded.iter().any(|glob| glob.matches(path)))
            {
                items.compile.insert(path);
            }
        }
    }

    fn using(&self, node: Node<'_, '_>, items: &mut Items<'a>) {
        for name in self.list(node, "Remove", items) {
            items.usings.retain(|using| match using {
                GlobalUsing::Namespace(other)
                | GlobalUsing::Static(other)
                | GlobalUsing::Alias(_, other) => *other != name,
            });
        }

        let alias = self.metadata(node, "Alias", items);
        let is_static = self
            .metadata(node, "Static", items)
            .eq_ignore_ascii_case("true");
        for name in self.list(node, "Include", items) {
            let name = name.strip_prefix("global::").unwrap_or(&name).to_owned();
            let using = match (alias.is_empty(), is_static) {
                (false, _) => GlobalUsing::Alias(alias.clone(), name),
                (true, true) => GlobalUsing::Static(name),
                (true, false) => GlobalUsing::Namespace(name),
            };

            if !items.usings.contains(&using) {
                items.usings.push(using);
            }
        }
    }

    fn reference(&self, node: Node<'_, '_>, items: &mut Items<'a>) {
        let resolved = |patterns: Vec<String>| -> Vec<String> {
            patterns
                .iter()
                .filter_map(|path| paths::join(self.evaluation.folder(), path))
                .collect()
        };

        let projects = &self.evaluation.repository.project_files;
        let removed = resolved(self.list(node, "Remove", items));
        items.references.retain(|reference| {
            !removed
                .iter()
                .any(|path| path.eq_ignore_ascii_case(&reference.path))
        });

        let is_build_only = self
            .metadata(node, "ReferenceOutputAssembly", items)
            .eq_ignore_ascii_case("false")
            || !self.metadata(node, "OutputItemType", items).is_empty()
                && self
                    .metadata(node, "ReferenceOutputAssembly", items)
                    .is_empty();

        if is_build_only {
            return;
        }

        let is_private = self.is_private(node, items);
        let reference = |path: &str| ProjectReference {
            path: path.to_owned(),
            is_private,
        };
        let written = node.attribute("Include").unwrap_or_default();
        let listed = self.list(node, "Include", items);
        // A list in a property has no text of its own for each of its items.
        let texts: Vec<&str> = written.split(';').map(str::trim).collect();
        let has_texts = texts.len() == listed.len();
        for (at, path) in listed.iter().enumerate() {
            let text = if has_texts { texts[at] } else { written };
            let mut found: Vec<&str> = Vec::new();
            for pattern in resolved(vec![path.clone()]) {
                found.extend(projects.matching(&Glob::new(&pattern)));
            }
            if found.is_empty() && has_texts {
                found.extend(self.only_ending(text));
            }
            if found.is_empty() && paths::has_extension(path, ".csproj") {
                items.lost_references.push(text.to_owned());
            }
            items.references.extend(found.into_iter().map(reference));
        }
    }

    /// Returns the project whose path ends with what follows the property that a path begins with,
    /// if the repository has only one: the property may be set elsewhere.
    fn only_ending(&self, text: &str) -> Option<&str> {
        let (property, tail) = text.rsplit_once(')')?;
        let tail = tail.replace('\\', "/").to_ascii_lowercase();
        let parts: Vec<&str> = tail.split('/').filter(|part| !part.is_empty()).collect();
        let end = parts.join("/");
        let name = parts.last().filter(|_| property.starts_with("$("))?;
        let mut named = self.evaluation.repository.files_named(name);
        let ends = |path: &&str| {
            let path = path.to_ascii_lowercase();
            let before = path.strip_suffix(&end);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let only = named.find(ends)?;
        (paths::has_extension(only, ".csproj") && !named.any(|other| ends(&other))).then_some(only)
    }

    fn is_private(&self, node: Node<'_, '_>, items: &Items<'a>) -> bool {
        let private = self
            .metadata(node, "PrivateAssets", items)
            .to_ascii_lowercase();
        private
            .split(';')
            .any(|asset| matches!(asset.trim(), "all" | "compile"))
    }

    fn named_reference(&self, node: Node<'_, '_>, items: &mut Items<'a>) {
        let removed = self.list(node, "Remove", items);
        items
            .named_references
            .retain(|reference| !removed.contains(&reference.name));
        if !self.is_compiled_against(node, items) {
            return;
        }
        let is_private = self.is_private(node, items);
        let names = self.list(node, "Include", items);
        items
            .named_references
            .extend(names.iter().map(|name| NamedReference {
                name: assembly_name(name),
                is_private,
            }));
    }

    /// Reports whether the project is compiled against the assemblies of a reference.
    fn is_compiled_against(&self, node: Node<'_, '_>, items: &Items<'a>) -> bool {
        let assets = |name: &str| -> Vec<String> {
            self.metadata(node, name, items)
                .to_ascii_lowercase()
                .split(';')
                .map(|asset| asset.trim().to_owned())
                .collect()
        };
        let is_one_of = |assets: &[String]| {
            assets
                .iter()
                .any(|asset| matches!(asset.as_str(), "all" | "compile"))
        };
        let included = assets("IncludeAssets");
        !is_one_of(&assets("ExcludeAssets")) && (included == [""] || is_one_of(&included))
    }

    /// Adds a package with its version, or changes the version of one that was added before.
    fn package(&self, node: Node<'_, '_>, items: &mut Items<'a>) {
        for id in self.list(node, "Remove", items) {
            items.packages.remove(&id.to_ascii_lowercase());
        }

        let overriding = self.metadata(node, "VersionOverride", items);
        let version = if overriding.is_empty() {
            self.metadata(node, "Version", items)
        } else {
            overriding
        };

        for id in self.list(node, "Update", items) {
            if let Some(package) = items
                .packages
                .get_mut(&id.to_ascii_lowercase())
                .filter(|_| !version.is_empty())
            {
                package.version.clone_from(&version);
            }
        }

        if self.is_compiled_against(node, items) {
            let is_private = self.is_private(node, items);
            for id in self.list(node, "Include", items) {
                items.packages.insert(
                    id.to_ascii_lowercase(),
                    PackageReference {
                        id,
                        version: version.clone(),
                        is_private,
                    },
                );
            }
        }
    }

    fn hint_path(&self, node: Node<'_, '_>, items: &mut Items<'a>) {
        let verdict = self.metadata(node, "HintPath", items);
        if paths::has_extension(&verdict, ".dll") {
            items
                .hint_paths
                .extend(paths::join(self.evaluation.folder(), &verdict));
        }
    }

    fn assembly_attribute(&self, node: Node<'_, '_>, items: &mut Items<'a>) {
        let names = self.list(node, "Include", items);
        if names.iter().any(|name| {
            matches!(
                name.rsplit('.').next(),
                Some("InternalsVisibleTo" | "InternalsVisibleToAttribute")
            )
        }) {
            let friend = self.metadata(node, "_Parameter1", items);
            if !friend.is_empty() {
                items.internals_visible_to.push(assembly_name(&friend));
            }
        }
    }

    fn other(&self, name: &str, node: Node<'_, '_>, items: &mut Items<'a>) {
        let included = self.list(node, "Include", items);
        let removed = self.list(node, "Remove", items);
        if included.is_empty() && removed.is_empty() {
            return;
        }
        let known = items
            .identities
            .entry(name.to_ascii_lowercase())
            .or_default();
        known.retain(|name| !removed.contains(name));
        known.extend(included);
    }
}

/// Replaces `%(Item.Identity)` by `@(Item)`: over all items of the batch, both yield the same
/// names.
fn identity_references(text: &str) -> String {
    match text
        .strip_prefix("%(")
        .and_then(|inner| inner.strip_suffix(".Identity)"))
    {
        Some(item) => format!("@({item})"),
        None => text.to_owned(),
    }
}

fn assembly_name(text: &str) -> String {
    text.split(',').next().unwrap_or_default().trim().to_owned()
}

/// Decodes MSBuild's escapes, such as `%20`.
fn unescaped(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }

    let pairs = [
        ("%20", " "),
        ("%28", "("),
        ("%29", ")"),
        ("%3B", ";"),
        ("%3b", ";"),
        ("%40", "@"),
        ("%24", "$"),
        ("%25", "%"),
    ];

    pairs.iter().fold(text.to_owned(), |text, (code, plain)| {
        text.replace(code, plain)
    })
}
