//! SCIP symbols of nodes and of external symbols.
//!
//! The symbol of a member is that of its container and one more descriptor. TypeScript symbols
//! begin with the folders and the file in their package, C# symbols with the namespace.
//!
//! Limitations: an external symbol of .NET has no overload, and all but its last containers are
//! namespaces, because a documentation-comment id does not tell namespaces from types.

use rustc_hash::FxHashMap;
use scip::symbol::format_symbol;
use scip::types::descriptor::Suffix;
use scip::types::{Descriptor, Package, Symbol, SymbolInformation};

use crate::model::external::{ExternalSymbol, OwnPackage, PackageManager};
use crate::model::graph::{Language, NodeFlags, NodeId, NodeKind};
use crate::store::{ExportSymbol, FileRow};

use super::forms::{Forms, Shape};
use super::{Graph, SymbolScheme};

/// Maximum number of containers of a symbol.
const MAX_DEPTH: usize = 256;

/// The symbols of all nodes.
pub(super) struct Names<'a> {
    graph: &'a Graph<'a>,
    scheme: SymbolScheme,
    /// Packages by the folder or path that they own.
    packages: FxHashMap<&'a str, &'a OwnPackage>,
    forms: Forms,
    /// The positions of methods among those with the same name and container, unless first.
    overloads: FxHashMap<NodeId, usize>,
    /// Symbols that were asked for, by node and form.
    known: FxHashMap<NodeId, Option<String>>,
}

impl<'a> Names<'a> {
    pub(super) fn new(
        graph: &'a Graph<'a>,
        (scheme, packages): (SymbolScheme, &'a [OwnPackage]),
        forms: Forms,
    ) -> Self {
        let owned = |package: &'a OwnPackage| match package.manifest.rsplit_once('/') {
            Some((folder, "package.json")) => folder,
            None if package.manifest == "package.json" => "",
            _ => package.manifest.as_str(),
        };

        Self {
            graph,
            scheme,
            packages: packages
                .iter()
                .map(|package| (owned(package), package))
                .collect(),
            forms,
            overloads: overloads(graph, scheme),
            known: FxHashMap::default(),
        }
    }

    /// Returns the symbol of a node as it is used; `None` if it has no name, or none outside its
    /// function.
    pub(super) fn symbol(&mut self, id: NodeId) -> Option<String> {
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        let site = self.graph.primary(id);
        let symbol = site.and_then(|site| self.symbol_at(site));
        self.known.insert(id, symbol.clone());
        symbol
    }

    /// Returns the symbol of a node at a declaration site: getters and setters may differ.
    pub(super) fn symbol_at(&self, site: &'a ExportSymbol) -> Option<String> {
        let mut chain = vec![site];
        while let Some(parent) = chain.last()?.parent {
            let parent = self.graph.primary(parent)?;
            chain.push(parent);
            if chain.len() > MAX_DEPTH {
                return None;
            }
        }
        if self.is_local(&chain) {
            return None;
        }

        let file = self.graph.files.get(&site.file)?;
        let mut descriptors = Vec::new();
        let is_file = |site: &ExportSymbol| site.kind == NodeKind::File;
        let outermost = self.graph.files.get(&chain.last()?.file)?;
        let package = match file.dialect.language() {
            Language::TypeScript => self.npm_package(outermost, &mut descriptors),
            Language::CSharp => self.assembly(outermost),
            Language::Imported => return None,
        };
        if is_file(site) && file.dialect.language() == Language::CSharp {
            descriptors.extend(folders(&file.path));
        }

        for site in chain.iter().rev().filter(|site| !is_file(site)) {
            self.describe(site, &mut descriptors);
        }
        if descriptors.is_empty() || descriptors.iter().any(|each| each.name.is_empty()) {
            return None;
        }
        Some(self.format(package, descriptors))
    }

    /// Reports whether a symbol exists only in a function, so that the scheme has no name for it.
    fn is_local(&self, chain: &[&ExportSymbol]) -> bool {
        // A key belongs to its file, whatever contains it.
        let mut below_key = chain.iter().take_while(|site| !self.is_key(site));
        self.scheme != SymbolScheme::CodeAgent
            && below_key.any(|site| site.flags.has(NodeFlags::LOCAL))
    }

    fn is_key(&self, site: &ExportSymbol) -> bool {
        let key = (site.id, site.name_line, site.name_column);
        let form = self.forms.get(&key);
        form.is_some_and(|form| matches!(form.shape, Shape::Key(_)))
    }

    /// Adds the descriptors of a declaration below its container.
    fn describe(&self, site: &ExportSymbol, to: &mut Vec<Descriptor>) {
        let key = (site.id, site.name_line, site.name_column);
        let Some(form) = self.forms.get(&key) else {
            return self.describe_by_kind(site, to);
        };

        if let Some((number, within)) = &form.literal {
            to.extend(
                within
                    .iter()
                    .map(|(name, suffix)| descriptor(name, *suffix)),
            );
            to.push(descriptor(&format!("typeLiteral{number}"), Suffix::Meta));
        }

        let (name, suffix) = match form.shape {
            Shape::Callable => (form.name.clone(), Suffix::Method),
            Shape::Value => (form.name.clone(), Suffix::Term),
            Shape::Module => (form.name.clone(), Suffix::Namespace),
            Shape::Getter => (format!("<get>{}", form.name), Suffix::Method),
            Shape::Setter => (format!("<set>{}", form.name), Suffix::Method),
            Shape::Parameter => {
                to.push(descriptor("<constructor>", Suffix::Method));
                (form.name.clone(), Suffix::Parameter)
            }
            Shape::Key(number) => {
                to.retain(|each| each.suffix == Suffix::Namespace.into());
                (format!("{}{number}", form.name), Suffix::Meta)
            }
        };

        to.push(descriptor(&name, suffix));
    }

    fn describe_by_kind(&self, site: &ExportSymbol, to: &mut Vec<Descriptor>) {
        let is_csharp = self
            .graph
            .files
            .get(&site.file)
            .is_some_and(|file| file.dialect.language() == Language::CSharp);
        let constructor = if is_csharp { ".ctor" } else { "<constructor>" };
        let (name, suffix) = match site.kind {
            NodeKind::Namespace if is_csharp => {
                let name = site.namespace.as_deref().unwrap_or(&site.name);
                let parts = name.split('.');
                to.extend(parts.map(|part| descriptor(part, Suffix::Namespace)));
                return;
            }
            NodeKind::Namespace | NodeKind::AmbientModule | NodeKind::File => {
                (site.name.as_str(), Suffix::Namespace)
            }
            NodeKind::Class
            | NodeKind::Struct
            | NodeKind::Record
            | NodeKind::RecordStruct
            | NodeKind::Interface
            | NodeKind::Enum
            | NodeKind::Delegate
            | NodeKind::TypeAlias
            | NodeKind::ExtensionBlock => (site.name.as_str(), Suffix::Type),
            NodeKind::Constructor | NodeKind::PrimaryConstructor => (constructor, Suffix::Method),
            NodeKind::StaticConstructor => (".cctor", Suffix::Method),
            NodeKind::Method
            | NodeKind::Function
            | NodeKind::LocalFunction
            | NodeKind::Operator
            | NodeKind::Conversion
            | NodeKind::Finalizer => (site.name.as_str(), Suffix::Method),
            NodeKind::Property
            | NodeKind::Field
            | NodeKind::Event
            | NodeKind::Indexer
            | NodeKind::EnumMember
            | NodeKind::Accessor
            | NodeKind::Variable => (site.name.as_str(), Suffix::Term),
        };

        let mut described = descriptor(name, suffix);
        if let Some(overload) = self.overloads.get(&site.id) {
            described.disambiguator = format!("+{overload}");
        }
        to.push(described);
    }

    /// Returns the package of a TypeScript file, and adds the file's path in it.
    fn npm_package(&self, file: &FileRow, to: &mut Vec<Descriptor>) -> Package {
        let mut folder = file.path.as_str();
        let package = loop {
            folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
            match self.packages.get(folder) {
                Some(package) => break Some(*package),
                None if folder.is_empty() => break None,
                None => {}
            }
        };

        let path = &file.path[if package.is_some() { folder.len() } else { 0 }..];
        to.extend(folders(path.trim_start_matches('/')));
        let version = match package {
            _ if self.scheme == SymbolScheme::CodeAgent => "",
            Some(package) if package.name.is_empty() => "",
            Some(package) if package.version.is_empty() => "HEAD",
            Some(package) => package.version.as_str(),
            None => "",
        };
        Package {
            manager: "npm".to_owned(),
            name: package
                .map(|package| package.name.clone())
                .unwrap_or_default(),
            version: version.to_owned(),
            ..Package::default()
        }
    }

    /// Returns the assembly that a C# file belongs to.
    fn assembly(&self, file: &FileRow) -> Package {
        let package = self.packages.get(file.project_id.as_str());
        let name = match self.scheme {
            SymbolScheme::CodeAgent => package.map(|package| package.name.clone()),
            _ => None,
        };
        Package {
            manager: "nuget".to_owned(),
            name: name.unwrap_or_default(),
            ..Package::default()
        }
    }

    fn format(&self, package: Package, descriptors: Vec<Descriptor>) -> String {
        let scheme = match self.scheme {
            SymbolScheme::CodeAgent => "codeagent",
            SymbolScheme::ScipTypeScript => "scip-typescript",
            SymbolScheme::ScipDotNet => "scip-dotnet",
        };

        let package = Package {
            // A space in a part ends it unless doubled, which the library leaves to its callers.
            name: package.name.replace(' ', "  "),
            version: package.version.replace(' ', "  "),
            ..package
        };

        format_symbol(Symbol {
            scheme: scheme.to_owned(),
            package: Some(package).into(),
            descriptors,
            ..Symbol::default()
        })
    }

    /// Returns an external symbol; `None` for a package as a whole.
    pub(super) fn external(&self, symbol: &ExternalSymbol) -> Option<String> {
        let descriptors = match symbol.descriptor.split_once(':') {
            Some((kind, id)) if kind.len() == 1 => of_comment_id(kind, id),
            _ => of_scip_descriptors(&symbol.descriptor)?,
        };
        if descriptors.is_empty() || descriptors.iter().any(|each| each.name.is_empty()) {
            return None;
        }

        let (manager, name) = match symbol.manager {
            PackageManager::Npm => ("npm", &*symbol.package),
            PackageManager::Lib => ("npm", "typescript"),
            PackageManager::Node => ("npm", "@types/node"),
            PackageManager::NuGet | PackageManager::Assembly => ("nuget", &*symbol.package),
            PackageManager::DotNet => ("nuget", ""),
        };
        let package = Package {
            manager: manager.to_owned(),
            name: name.to_owned(),
            ..Package::default()
        };
        Some(self.format(package, descriptors))
    }

    /// Returns the entry of an external symbol.
    pub(super) fn external_information(
        &self,
        symbol: &ExternalSymbol,
    ) -> Option<SymbolInformation> {
        Some(SymbolInformation {
            symbol: self.external(symbol)?,
            display_name: symbol.name(),
            ..SymbolInformation::default()
        })
    }
}

/// Numbers the methods that have the name of an earlier one in the same container. The scheme of
/// scip-typescript gives all of them the same symbol.
fn overloads(graph: &Graph<'_>, scheme: SymbolScheme) -> FxHashMap<NodeId, usize> {
    let mut numbers = FxHashMap::default();
    if scheme == SymbolScheme::ScipTypeScript {
        return numbers;
    }
    let mut methods: Vec<&ExportSymbol> = graph.sites.values().map(|sites| &sites[0]).collect();
    methods.sort_unstable_by_key(|site| {
        let path = graph.files.get(&site.file).map(|file| file.path.as_str());
        (path, site.name_line, site.name_column, site.id)
    });

    let mut seen: FxHashMap<(Option<NodeId>, &str), usize> = FxHashMap::default();
    for site in methods {
        let is_constructor = matches!(
            site.kind,
            NodeKind::Constructor | NodeKind::PrimaryConstructor
        );
        let is_method = matches!(
            site.kind,
            NodeKind::Method
                | NodeKind::Function
                | NodeKind::LocalFunction
                | NodeKind::Operator
                | NodeKind::Conversion
                | NodeKind::Finalizer
        );
        if !is_constructor && !is_method {
            continue;
        }
        let name = if is_constructor {
            "<constructor>"
        } else {
            &site.name
        };
        let number = seen.entry((site.parent, name)).or_default();
        if *number > 0 {
            numbers.insert(site.id, *number);
        }
        *number += 1;
    }
    numbers
}

/// Returns the descriptors of a path: its folders and its file.
fn folders(path: &str) -> impl Iterator<Item = Descriptor> {
    path.split('/')
        .map(|part| descriptor(part, Suffix::Namespace))
}

fn descriptor(name: &str, suffix: Suffix) -> Descriptor {
    Descriptor {
        name: name.to_owned(),
        suffix: suffix.into(),
        ..Descriptor::default()
    }
}

/// Converts a documentation-comment id: `M`, `System.IO.Path.Combine(System.String)`.
fn of_comment_id(kind: &str, id: &str) -> Vec<Descriptor> {
    let bare = id.split(['(', '~']).next().unwrap_or_default();
    let parts: Vec<&str> = bare
        .split('.')
        .map(|part| part.split('`').next().unwrap_or_default())
        .collect();
    let is_member = kind != "T" && kind != "N";
    let last = parts.len() - 1;
    let describe = |(at, part): (usize, &&str)| match last - at {
        0 if kind == "N" => descriptor(part, Suffix::Namespace),
        0 if !is_member => descriptor(part, Suffix::Type),
        0 if kind == "M" => {
            let name = part.replace('#', ".");
            descriptor(&name, Suffix::Method)
        }
        0 => descriptor(part, Suffix::Term),
        1 if is_member => descriptor(part, Suffix::Type),
        _ => descriptor(part, Suffix::Namespace),
    };

    parts.iter().enumerate().map(describe).collect()
}

/// Parses descriptors as external symbols of npm have them.
fn of_scip_descriptors(descriptors: &str) -> Option<Vec<Descriptor>> {
    if descriptors.is_empty() {
        return None;
    }
    let symbol = scip::symbol::parse_symbol(&format!("x . . . {descriptors}")).ok()?;
    Some(symbol.descriptors)
}
