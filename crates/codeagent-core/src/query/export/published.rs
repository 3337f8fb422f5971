//! Published symbols: the declarations that other repositories can name, with the names they use.
//!
//! The names are made from the facts of each file, by the code that names external symbols, so that
//! both are equal. The types in C# signatures are those that the index has at their sites.
//!
//! Limitations: a declaration has the name it is declared with, not one under which another file
//! exports it. If several files of a package declare a name, the one that is nearest to the top has
//! it. A NuGet package that a nuspec file makes has the name of its assembly.

use std::sync::Arc;

use codeagent_lang::project::paths::{file_name, folder_of};
use codeagent_lang::{NamedType, PublishedFile};
use rustc_hash::FxHashMap;

use crate::languages::LANGUAGES;
use crate::model::external::{ExternalSymbol, OwnPackage, PackageManager};
use crate::model::facts::{DeclKind, Facts};
use crate::model::graph::{Dialect, EdgeType, Language, NodeFlags, NodeId, NodeKind};
use crate::query::QueryError;
use crate::store::{self, ExportSymbol, FileKey, FileRow, Snapshot};

/// The name that other repositories use for a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedName {
    /// The symbol as they have it.
    pub symbol: Arc<ExternalSymbol>,
    /// Whether the node stands for the symbol; others with the name are parts of it, such as the
    /// constructor of a TypeScript class.
    pub is_primary: bool,
}

/// Returns the published nodes. `packages` are those of the repository itself, `symbols` all its
/// declaration sites, grouped by node, primary first.
pub fn published_names(
    snapshot: &Snapshot,
    packages: &[OwnPackage],
    files: &[FileRow],
    symbols: &[ExportSymbol],
) -> Result<FxHashMap<NodeId, PublishedName>, QueryError> {
    let mut naming = Naming {
        packages: packages
            .iter()
            .filter(|package| !package.name.is_empty())
            .map(|package| (owned_by(package), package))
            .collect(),
        in_file: FxHashMap::default(),
        types: FxHashMap::default(),
        found: Vec::new(),
    };
    for symbol in symbols {
        naming.in_file.entry(symbol.file).or_default().push(symbol);
    }

    // Signatures of C# need the names of types in other files.
    for file in files {
        if file.dialect.language() == Language::CSharp {
            naming.add_types(snapshot, file)?;
        }
    }
    for file in files {
        naming.add_names(snapshot, file)?;
    }
    Ok(chosen(naming.found, files))
}

/// Returns the folder or path that belongs to a package.
fn owned_by(package: &OwnPackage) -> &str {
    match file_name(&package.manifest) {
        "package.json" => folder_of(&package.manifest),
        _ => &package.manifest,
    }
}

/// A node with a name.
struct Named {
    symbol: ExternalSymbol,
    node: NodeId,
    kind: NodeKind,
    file: FileKey,
    place: (u32, u32),
}

struct Naming<'a> {
    /// Packages by the folder or path that they own.
    packages: FxHashMap<&'a str, &'a OwnPackage>,
    /// The declaration sites in each file.
    in_file: FxHashMap<FileKey, Vec<&'a ExportSymbol>>,
    /// The types of C#.
    types: FxHashMap<NodeId, NamedType>,
    found: Vec<Named>,
}

impl<'a> Naming<'a> {
    /// Returns the package that a file belongs to.
    fn package_of(&self, file: &FileRow) -> Option<&'a OwnPackage> {
        if file.dialect.language() == Language::CSharp {
            return self.packages.get(file.project_id.as_str()).copied();
        }
        let mut folder = file.path.as_str();
        loop {
            folder = folder_of(folder);
            match self.packages.get(folder) {
                Some(package) => return Some(package),
                None if folder.is_empty() => return None,
                None => {}
            }
        }
    }

    fn add_types(&mut self, snapshot: &Snapshot, file: &FileRow) -> Result<(), QueryError> {
        let no_types = |_, _| None;
        for (site, name) in self.names(snapshot, file, &no_types)? {
            if let Some(name) = name.strip_prefix("T:") {
                let named = NamedType {
                    name: name.to_owned(),
                    kind: Some(site.kind),
                };
                self.types.insert(site.id, named);
            }
        }
        Ok(())
    }

    fn add_names(&mut self, snapshot: &Snapshot, file: &FileRow) -> Result<(), QueryError> {
        let Some(package) = self.package_of(file) else {
            return Ok(());
        };
        let manager = match file.dialect.language() {
            Language::CSharp => PackageManager::NuGet,
            _ => PackageManager::Npm,
        };
        let used = match manager {
            PackageManager::NuGet => self.types_used_in(snapshot, file)?,
            _ => FxHashMap::default(),
        };
        let type_at = |line, column| used.get(&(line, column)).cloned();

        for (site, descriptor) in self.names(snapshot, file, &type_at)? {
            let is_public =
                site.flags.has(NodeFlags::PUBLIC_API) && !site.flags.has(NodeFlags::LOCAL);
            if is_public && site.kind != NodeKind::Namespace {
                self.found.push(Named {
                    symbol: ExternalSymbol {
                        manager,
                        package: package.published.as_str().into(),
                        descriptor: descriptor.into(),
                    },
                    node: site.id,
                    kind: site.kind,
                    file: site.file,
                    place: (site.name_line, site.name_column),
                });
            }
        }
        Ok(())
    }

    /// Returns the declaration sites of a file that have a name outside it.
    fn names(
        &self,
        snapshot: &Snapshot,
        file: &FileRow,
        type_at: &dyn Fn(u32, u32) -> Option<NamedType>,
    ) -> Result<Vec<(&'a ExportSymbol, String)>, QueryError> {
        if file.dialect == Dialect::Imported {
            return Ok(Vec::new());
        }
        let Some(facts) = store::read_facts(snapshot, &file.facts_key)? else {
            return Ok(Vec::new());
        };
        let package = self.package_of(file);
        let published = LANGUAGES.of_facts(&facts).published_names(PublishedFile {
            facts: &facts,
            package: package.map_or("", |package| &package.name),
            type_at,
        });

        let sites = self.in_file.get(&file.id).map_or(&[][..], Vec::as_slice);
        let by_place: FxHashMap<_, &'a ExportSymbol> = sites
            .iter()
            .map(|site| {
                let place = (site.name_line, site.name_column);
                ((place, is_constructor(site.kind)), *site)
            })
            .collect();
        let site_of = |(decl, name)| {
            let place = place_of(&facts, decl);
            Some((*by_place.get(&place)?, name))
        };
        Ok(published.into_iter().filter_map(site_of).collect())
    }

    /// Returns the types that a C# file uses, by location.
    fn types_used_in(
        &self,
        snapshot: &Snapshot,
        file: &FileRow,
    ) -> Result<FxHashMap<(u32, u32), NamedType>, QueryError> {
        let mut used = FxHashMap::default();
        for edge in store::edges_of_file(snapshot, file.id)? {
            if let Some(named) = self.types.get(&edge.target) {
                used.insert((edge.line, edge.column), named.clone());
            }
        }

        for (external, sites) in store::external_uses_in(snapshot, file.id)? {
            let Some(name) = external.symbol.descriptor.strip_prefix("T:") else {
                continue;
            };
            for site in sites {
                if matches!(site.edge_type, EdgeType::Accepts | EdgeType::References) {
                    let name = name.to_owned();
                    used.insert((site.line, site.column), NamedType { name, kind: None });
                }
            }
        }

        Ok(used)
    }
}

fn is_constructor(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Constructor | NodeKind::PrimaryConstructor | NodeKind::StaticConstructor
    )
}

/// Returns the location of a declaration's name, and whether it is a constructor.
fn place_of(facts: &Facts, decl: crate::model::facts::DeclId) -> ((u32, u32), bool) {
    let declared = facts.decl(decl);
    let is_constructor = matches!(
        declared.kind,
        DeclKind::Constructor | DeclKind::PrimaryConstructor | DeclKind::StaticConstructor
    );
    ((declared.at.line, declared.at.column), is_constructor)
}

/// Chooses the file that has each name, and the node that stands for it.
fn chosen(mut found: Vec<Named>, files: &[FileRow]) -> FxHashMap<NodeId, PublishedName> {
    let paths: FxHashMap<FileKey, &str> = files
        .iter()
        .map(|file| (file.id, file.path.as_str()))
        .collect();
    let rank = |named: &Named| {
        let path = paths.get(&named.file).copied().unwrap_or_default();
        (path.matches('/').count(), path.to_owned())
    };
    found.sort_by_cached_key(|named| {
        let symbol = &named.symbol;
        (
            (
                symbol.manager,
                symbol.package.clone(),
                symbol.key().into_owned(),
            ),
            rank(named),
            (is_constructor(named.kind), named.place, named.node),
        )
    });

    let mut names = FxHashMap::default();
    let is_same = |a: &Named, b: &Named| {
        (a.symbol.manager, &a.symbol.package) == (b.symbol.manager, &b.symbol.package)
            && a.symbol.key() == b.symbol.key()
    };
    for group in found.chunk_by(is_same) {
        let symbol = Arc::new(group[0].symbol.clone());
        let in_file = group.iter().filter(|named| named.file == group[0].file);
        for (index, named) in in_file.enumerate() {
            names.entry(named.node).or_insert_with(|| PublishedName {
                symbol: Arc::clone(&symbol),
                is_primary: index == 0,
            });
        }
    }
    names
}
